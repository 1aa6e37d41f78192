"""What people, operators, suppliers and providers do in the flows, act by act."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.cards import ids
from bot.cards.ids import screen_id
from bot.sandbox.faults import Fault
from bot.sandbox.model import Reply, ask, say
from tests import world
from tests.boundaries.ground import PEOPLE, POLICY
from tests.boundaries.scene import Scene


def nothing(_scene: Scene) -> None:
    """Nobody has done anything."""


def asked(scene: Scene) -> None:
    """An order over the limit waits for Marta, and everybody sees it."""
    scene.launch(world.order())
    scene.rest()


def small_order(scene: Scene) -> None:
    scene.launch(world.order(amount="640.00"))
    scene.rest()


def approve(scene: Scene) -> None:
    scene.press("marta", ids.ACTION_APPROVE)
    scene.rest()


def deny(scene: Scene) -> None:
    scene.deny("marta", "We have enough pumps.")
    scene.rest()


def ask_back(scene: Scene) -> None:
    """Marta wants to know something first, and Priya answers."""
    scene.ask("marta", "Which cost centre?")
    scene.rest()
    scene.answer("priya", "4711, as every year.")
    scene.rest()


def vote(scene: Scene) -> None:
    scene.press("marta", ids.ACTION_APPROVE)
    scene.rest()
    scene.press("ines", ids.ACTION_APPROVE)
    scene.rest()


def escalate(scene: Scene) -> None:
    scene.silence()
    scene.rest()
    scene.press("otto", ids.ACTION_APPROVE)
    scene.rest()


def expire(scene: Scene) -> None:
    scene.silence()
    scene.rest()
    scene.silence()
    scene.rest()


def withdraw(scene: Scene) -> None:
    scene.press("priya", ids.ACTION_WITHDRAW)
    scene.rest()


def ask_again(scene: Scene) -> None:
    """Nobody answered the first time; the price is another by then, and Marta approves it."""
    scene.press("priya", ids.ACTION_ASK_AGAIN)
    scene.rest()
    approve(scene)


def lapsed(scene: Scene) -> None:
    """An order over the limit was asked for and expired, its run has ended, and the price has moved since."""
    asked(scene)
    expire(scene)
    scene.suppliers.move({"order_ref": "PO-1", "factor": "1.05"})


def moved(scene: Scene) -> None:
    scene.suppliers.move({"order_ref": "PO-1", "factor": "1.05"})
    approve(scene)
    approve(scene)


def hold(scene: Scene) -> None:
    scene.operate("hold")
    approve(scene)
    scene.operate("resume")
    scene.rest()


def cancel(scene: Scene) -> None:
    scene.operate("cancel")
    scene.rest()


def lost_answer(scene: Scene) -> None:
    scene.provider.faults.plan(Fault(kind="drop_after", match={}))
    approve(scene)


def lost_request(scene: Scene) -> None:
    scene.provider.faults.plan(Fault(kind="drop_before", match={}))
    approve(scene)


def looked_up(scene: Scene) -> None:
    scene.provider.faults.plan(Fault(kind="500_after", match={"endpoint": "create"}))
    approve(scene)


def doubt(scene: Scene) -> None:
    """The provider fails, and cannot say whether it paid; then somebody knows."""
    _approved_while_the_provider_fails(scene)
    scene.resolve()
    scene.rest()


def doubted(scene: Scene) -> None:
    """An order was approved, and it is asked whether it was paid."""
    asked(scene)
    _approved_while_the_provider_fails(scene)


def _approved_while_the_provider_fails(scene: Scene) -> None:
    scene.provider.faults.plan(
        Fault(kind="500_after", match={"endpoint": "create"}),
        Fault(kind="down", match={"endpoint": "list"}, times=None),
    )
    approve(scene)


def say_it_happened(scene: Scene) -> None:
    scene.say_happened("ines", "pi_seen")
    scene.rest()


def confirm(scene: Scene) -> None:
    scene.confirm("marta", "4417")
    scene.rest()


def delegate(scene: Scene) -> None:
    """Marta goes away, and Otto answers in her place; afterwards she is back."""
    next_month = (datetime.now(UTC) + timedelta(days=30)).isoformat()
    scene.type("away", "marta", "--delegate", "otto", "--until", next_month, "--as", "marta")
    scene.rest()
    scene.press("otto", ids.ACTION_APPROVE)
    scene.type("back", "marta", "--as", "marta")
    scene.rest()


def losers(scene: Scene) -> None:
    [card] = scene.cards("jonas", ids.ACTION_APPROVE)
    scene.press("jonas", ids.ACTION_APPROVE, card)
    scene.press("marta", ids.ACTION_APPROVE, card)
    scene.press("otto", ids.ACTION_APPROVE, card)
    scene.rest()


def lost_post(scene: Scene) -> None:
    scene.office.fault("chat.postMessage", "drop")
    asked(scene)
    scene.press("marta", ids.ACTION_APPROVE, scene.cards("marta", ids.ACTION_APPROVE)[0])
    scene.rest()


def lost_card(scene: Scene) -> None:
    [card] = scene.cards("jonas", ids.ACTION_APPROVE)
    scene.delete(card)
    approve(scene)


def siblings(request: Mapping[str, Any]) -> Reply:
    """A model that asks for two payments in one turn."""
    order = {"supplier_id": "sup_412", "item": "hydraulic pumps", "quantity": 40}
    price = {"amount": "38000.00", "currency": "EUR"}
    said = str(request["messages"])
    if "tool_result" not in said:
        return ask(*(("get_quote", {**order, "order_ref": ref, "listed": price}) for ref in ("PO-1", "PO-2")))
    if "charge_supplier" not in said:
        pay = {**order, "amount": price, "payment_method": "pm_card_4417", "why": "Needed by the 20th."}
        return ask(*(("charge_supplier", {**pay, "order_ref": ref}) for ref in ("PO-1", "PO-2")))
    return say("Done, as far as it was let through.")


def both(scene: Scene) -> None:
    scene.press("marta", ids.ACTION_APPROVE)
    scene.rest()
    approve(scene)


def together(scene: Scene) -> None:
    scene.decide_together("marta", "approve")
    scene.rest()


def together_denied(scene: Scene) -> None:
    scene.decide_together("marta", "deny")
    scene.rest()


def digest(scene: Scene) -> None:
    """What was asked comes in one message, and one of it is approved below the whole of it."""
    asked(scene)
    scene.approve_in_details("marta")
    scene.rest()


def asks_first(request: Mapping[str, Any]) -> Reply:
    """A model that asks a person which pumps are meant, and for the payment in the same turn."""
    said = str(request["messages"])
    if "ask_human" in said:
        return say("Done, as far as it was let through.")
    order = {"supplier_id": "sup_412", "item": "hydraulic pumps", "quantity": 40, "order_ref": "PO-1"}
    price = {"amount": "38000.00", "currency": "EUR"}
    if "tool_result" not in said:
        return ask(("get_quote", {**order, "listed": price}))
    pay = {**order, "amount": price, "payment_method": "pm_card_4417", "why": "Needed by the 20th."}
    question = {"question": "Which of the two pumps is meant?", "choices": ["The small one", "The large one"]}
    return ask(("ask_human", question), ("charge_supplier", pay))


def question(scene: Scene) -> None:
    """A question and a payment wait for Marta."""
    scene.launch(world.order(), agent="asking")
    scene.rest()


def answer(scene: Scene) -> None:
    """Marta answers the question, and approves what was asked with it."""
    scene.press("marta", ids.choose(1))
    scene.rest()
    approve(scene)


def no_answer(scene: Scene) -> None:
    """Marta approves; the question goes on to the manager, and nobody answers it."""
    scene.press("marta", ids.ACTION_APPROVE)
    scene.rest()
    expire(scene)


# --------------------------------------------------------------------------------------------------- by other doors than a card


def ordered_over_http(scene: Scene) -> None:
    scene.call(
        "/agent/launch", {"agent": "procurement", "input": world.order(), "for": "priya", "launch_key": "order-1"}
    )
    scene.rest()


def held_over_http(scene: Scene) -> None:
    run = {"run_id": str(scene.run_id)}
    scene.call("/agent/pause", run)
    approve(scene)
    scene.call("/agent/resume", run)
    scene.rest()


def cancelled_over_http(scene: Scene) -> None:
    scene.call("/agent/cancel", {"run_id": str(scene.run_id)})
    scene.rest()


def _typed(scene: Scene, verb: str, person: str, *more: str) -> None:
    scene.type(verb, screen_id("pause", scene.pause_id), "--as", person, *more)
    scene.rest()


def approve_by_command(scene: Scene) -> None:
    _typed(scene, "approve", "marta")


def deny_by_command(scene: Scene) -> None:
    _typed(scene, "deny", "marta", "--reason", "We have enough pumps.")


def withdraw_by_command(scene: Scene) -> None:
    _typed(scene, "withdraw", "priya")


def late_by_command(scene: Scene) -> None:
    """Marta answers after her hour and before any sweep: it is settled then and there, and she is told that it is Otto's now."""
    pause = screen_id("pause", scene.pause_id)
    scene.silence()
    scene.type("approve", pause, "--as", "marta", lost=True)
    scene.type("approve", pause, "--as", "otto")
    scene.rest()


def documents(scene: Scene) -> None:
    """Finance changes who is who, and what needs a yes, while somebody thinks it over."""
    scene.type(
        "people",
        "import",
        str(scene.written("people.toml", PEOPLE.replace("Jonas Weber", "Jonas Weber-Lund"))),
        "--as",
        "otto",
    )
    scene.type("policy", "apply", str(scene.written("policy.toml", POLICY.replace("-v4", "-v5"))), "--as", "otto")
    approve(scene)


def synced(scene: Scene) -> None:
    """The same from Slack: by its user group Ines no longer approves, and Otto is the manager of Jonas."""
    left = '[slack]\nteam = "T0ACME"\ngroups = { "finance" = "finance-approver" }\nmanager_field = "Manager"\n'
    scene.type("people", "sync", str(scene.written("people.toml", f"{PEOPLE}\n{left}")), "--as", "otto")
    approve(scene)


def approve_in_list(scene: Scene) -> None:
    scene.press_in_list("marta", ids.ACTION_APPROVE)
    scene.rest()


def approve_at_home(scene: Scene) -> None:
    scene.press_at_home("marta", ids.ACTION_APPROVE)
    scene.rest()


def withdraw_at_home(scene: Scene) -> None:
    scene.press_at_home("priya", ids.ACTION_WITHDRAW)
    scene.rest()


# ------------------------------------------------------------------------------------------------------- processes and operators


def ticks(scene: Scene) -> None:
    scene.press("marta", ids.ACTION_APPROVE)
    scene.rest(by="tick")


def ordered_and_ticked(scene: Scene) -> None:
    scene.launch(world.order())
    scene.rest(by="tick")


def told_to_stop(scene: Scene) -> None:
    scene.launch(world.order(amount="640.00"))
    scene.stop_while_the_model_thinks()
    scene.rest()


def halted(scene: Scene) -> None:
    scene.halt()
    approve(scene)
    assert scene.conn.execute("SELECT FROM halt").fetchall() == [], "nobody waited for its end"
