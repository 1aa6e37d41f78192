"""`placet demo --auto`: the story, played without a browser by people who click in the local workspace, and checked at its end.

Nothing in the table is written in by hand: what happened is read from the rows, what was paid is counted at the provider, and a line is
right only if both are as the story says. The hours are real, only short.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from rich import box
from rich.console import Console
from rich.table import Table

from bot.cards.ids import ACTION_APPROVE, ACTION_WITHDRAW
from bot.sandbox.house import House
from bot.sandbox.player import NotSeen, Player
from engine.models import Pause, RunRecord
from engine.rules.money import Money, format_money
from engine.state import db, events, ledger, pauses, people, runs

ANSWER_S: Final = 30
"""How long an approver has in the story, in seconds; long enough for a slow machine to click in time."""

STEP_S: Final = 15
"""How long the manager has."""

PRIYA, MARTA, OTTO, INES = "U0PRIYA", "U0MARTA", "U0OTTO", "U0INES"
PURCHASING: Final = "C0BUY"
ENDED: Final = ("done", "error", "cancelled", "in_doubt")


@dataclass(frozen=True, slots=True)
class Facts:
    """What became of one order, by the rows and by the provider."""

    run: RunRecord
    pauses: tuple[Pause, ...]
    paid: tuple[Mapping[str, Any], ...]
    set_aside: bool
    told: str
    attempts: int
    intact: bool


@dataclass(frozen=True, slots=True)
class Stage:
    """What an act needs."""

    home: House
    player: Player
    say: Callable[[str], None]
    others_done: threading.Event


@dataclass(frozen=True, slots=True)
class Line:
    """One order of the story: what people do, how it must end, and in what words."""

    ref: str
    title: str
    act: Callable[[Stage, str], None]
    statuses: tuple[str, ...]
    by: tuple[str | None, ...]
    paid_minor: int | None
    also: Callable[[Facts], bool] = lambda _facts: True


def _nothing(_stage: Stage, _ref: str) -> None:
    """Nobody does anything."""


def _approve(stage: Stage, ref: str) -> None:
    stage.player.press(MARTA, ref, ACTION_APPROVE)
    stage.say(f"{ref}: Marta presses Approve")


def _deny(stage: Stage, ref: str) -> None:
    stage.player.deny(MARTA, ref, "We bought torque tools in May. Ask me again in autumn.")
    stage.say(f"{ref}: Marta denies it, with a reason")


def _race(stage: Stage, ref: str) -> None:
    """Marta and Ines press Approve in the same moment; one wins, and the other is told so, privately."""
    card = stage.player.until(f"the card of {ref}", lambda: stage.player.find(MARTA, ref, action=ACTION_APPROVE))
    ready = threading.Barrier(2)

    def press(user: str) -> None:
        ready.wait()
        stage.player.click(user, card, ACTION_APPROVE)

    both = [threading.Thread(target=press, args=(user,)) for user in (MARTA, INES)]
    for one in both:
        one.start()
    for one in both:
        one.join()

    def told() -> str | None:
        return next((u for u in (MARTA, INES) if stage.player.private_answer(u, card.channel, "lready approved")), None)

    loser = stage.player.until("the loser of the race is told", told)
    stage.say(
        f"{ref}: Marta and Ines press Approve at once; {'Marta' if loser == MARTA else 'Ines'} is told that it was approved already"
    )


def _escalate_and_approve(stage: Stage, ref: str) -> None:
    stage.player.press(OTTO, ref, ACTION_APPROVE, channel="D0OTTO")
    stage.say(f"{ref}: Marta does not answer; Otto is asked by DM, and approves there")


def _quote_moves(stage: Stage, ref: str) -> None:
    stage.player.until(f"the card of {ref}", lambda: stage.player.find(MARTA, ref, action=ACTION_APPROVE))
    stage.player.post("/suppliers/_move", {"order_ref": ref, "factor": "1.05"})
    stage.player.press(MARTA, ref, ACTION_APPROVE)
    stage.say(f"{ref}: the price rises by 5 % while it waits, and Marta approves the old one")
    again = stage.player.until(
        "it is asked again", lambda: stage.player.find(MARTA, "Asked again", action=ACTION_APPROVE)
    )
    if "15,000.00" not in again.words or "15,750.00" not in again.words:
        raise NotSeen(f"the new card of {ref} does not say both prices")
    stage.player.press(MARTA, "Asked again", ACTION_APPROVE)
    stage.say(f"{ref}: the new card says was EUR 15,000.00, now EUR 15,750.00; Marta approves that")


def _withdraw(stage: Stage, ref: str) -> None:
    stage.player.press(PRIYA, ref, ACTION_WITHDRAW)
    stage.say(f"{ref}: Priya takes it back")


def _crash(stage: Stage, ref: str) -> None:
    """The process is killed after the provider's yes and before our record of it."""
    stage.player.until(f"the card of {ref}", lambda: stage.player.find(MARTA, ref, action=ACTION_APPROVE))
    stage.player.post(
        "/stripe/_faults", [{"fault": "hang_after", "match": {"order_ref": ref, "endpoint": "create"}, "times": 1}]
    )
    stage.player.press(MARTA, ref, ACTION_APPROVE)
    stage.player.get("/stripe/_wait", order_ref=ref, timeout=60)
    stage.others_done.wait(60)
    stage.home.kill_bot()
    stage.say(f"{ref}: the provider has paid, and the bot is killed (SIGKILL) before it could write that down")
    stage.home.start_bot()
    stage.say(f"{ref}: the bot is started again")


STORY: Final = (
    Line("PO-2026-0187", "under the limit: paid without asking", _nothing, (), (), 64_000),
    Line("PO-2026-0193", "over the limit: approved, then paid", _approve, ("executed",), ("marta",), 3_800_000),
    Line("PO-2026-0194", "denied with a reason; the agent goes on", _deny, ("denied",), ("marta",), None,
         lambda f: "Ask me again in autumn" in f.told and not f.set_aside),
    Line("PO-2026-0195", "raced by two people: one winner", _race, ("executed",), ("marta|ines",), 720_000),
    Line("PO-2026-0196", "nobody answers: escalated to the manager, approved there", _escalate_and_approve, ("executed",), ("otto",), 2_200_000,
         lambda f: f.pauses[0].level == 1),
    Line("PO-2026-0197", "nobody answers to the end: denied by the clock, released, told", _nothing, ("expired",), (None,), None,
         lambda f: f.pauses[0].level == 1 and "Nobody answered" in f.told and not f.set_aside),
    Line("PO-2026-0198", "the quote moved: asked again with was and now", _quote_moves, ("superseded", "executed"), ("marta", "marta"), 1_575_000),
    Line("PO-2026-0199", "withdrawn by the requester", _withdraw, ("cancelled",), ("priya",), None, lambda f: not f.set_aside),
    Line("PO-2026-0200", "killed between the provider's yes and our record", _crash, ("executed",), ("marta",), 4_125_000,
         lambda f: f.attempts == 1),
)  # fmt: skip


def play(home: House, launched: Mapping[str, str], console: Console) -> int:
    """Play it and print what happened; 0 only if every line is as it must be."""

    def say(text: str) -> None:
        console.print(f"  {text}", highlight=False, soft_wrap=True)

    with Player(home.page_url, patience_s=ANSWER_S + STEP_S + 60) as player, db.connect(home.database_url) as conn:
        failures = _act(Stage(home, player, say, threading.Event()))
        facts = {line.ref: _settled(conn, player, line.ref, UUID(launched[line.ref])) for line in STORY}
        names = people.names(conn, ["marta", "ines", "otto", "priya"])
    right = {line.ref: line.ref not in failures and _as_told(line, facts[line.ref]) for line in STORY}
    console.print()
    console.print(_table(facts, names, right))
    for ref, why in failures.items():
        console.print(f"[red]{ref}: {why}[/red]", highlight=False)
    if all(right.values()):
        console.print("Every line is as the story says.")
        return 0
    console.print("[red]Not as the story says.[/red] The logs are in " + str(home.folder / "logs"))
    return 1


def _act(stage: Stage) -> dict[str, str]:
    """All acts at once, each in a thread; what failed, by order."""
    failures: dict[str, str] = {}

    def act(line: Line) -> None:
        try:
            line.act(stage, line.ref)
        except Exception as error:  # noqa: BLE001  said in the table, and the story goes on
            failures[line.ref] = str(error)

    acts = {line: threading.Thread(target=act, args=(line,)) for line in STORY}
    for thread in acts.values():
        thread.start()
    quick = [thread for line, thread in acts.items() if line.act not in (_crash, _escalate_and_approve)]
    for thread in quick:
        thread.join()
    stage.others_done.set()
    for thread in acts.values():
        thread.join()
    return failures


def _settled(conn: db.Conn, player: Player, ref: str, run_id: UUID) -> Facts:
    """Wait until the run has ended and its requester was told, and read what became of it."""

    def ended() -> RunRecord | None:
        run = runs.get(conn, run_id)
        return run if run.status in ENDED else None

    try:
        run = player.until(f"{ref} comes to its end", ended)
        told = player.until(f"Priya is told of {ref}", lambda: _told(player, ref, run))
    except NotSeen:
        run, told = runs.get(conn, run_id), ""
    made = player.get("/stripe/_payments")["payments"]
    held = player.get("/suppliers/allocations")["allocations"]
    return Facts(
        run=run,
        pauses=tuple(pauses.get(conn, pause_id) for pause_id in run.pauses),
        paid=tuple(p for p in made if p["metadata"].get("order_ref") == ref and p["status"] == "succeeded"),
        set_aside=any(a["order_ref"] == ref for a in held),
        told=told,
        attempts=sum(e.attempts for e in ledger.of_run(conn, run_id) if e.tool == "charge_supplier"),
        intact=isinstance(events.verify(conn, run_id), events.Verified),
    )


def _told(player: Player, ref: str, run: RunRecord) -> str | None:
    """What the DM to the requester says of the ended run."""
    start = (run.result or run.error or "")[:40]
    for seen in player.messages(PRIYA, "D0PRIYA"):
        if ref in seen.words and start in seen.words and seen.button(ACTION_WITHDRAW) is None:
            return seen.words
    return None


def _as_told(line: Line, facts: Facts) -> bool:
    statuses = tuple(pause.status for pause in facts.pauses)
    by = tuple(pause.decided_by for pause in facts.pauses)
    expected = [] if line.paid_minor is None else [line.paid_minor]
    return (
        facts.run.status == "done"
        and statuses == line.statuses
        and len(by) == len(line.by)
        and all(who in wanted.split("|") if wanted else who is None for who, wanted in zip(by, line.by, strict=True))
        and [p["amount"] for p in facts.paid] == expected
        and facts.intact
        and line.also(facts)
    )


def _table(facts: Mapping[str, Facts], names: Mapping[str, str], right: Mapping[str, bool]) -> Table:
    table = Table(title="What became of nine orders", title_justify="left", box=box.SIMPLE_HEAD)
    for column in ("order", "what happened", "the request", "who", "payments at the provider", ""):
        table.add_column(column, no_wrap=column == "order")
    for line in STORY:
        found = facts[line.ref]
        who = ", ".join(names.get(p.decided_by or "", p.decided_by or "nobody") for p in found.pauses) or "not asked"
        paid = ", ".join(format_money(Money(p["amount"], p["currency"].upper())) for p in found.paid)
        table.add_row(
            line.ref, line.title, " -> ".join(p.status for p in found.pauses) or "allowed by policy", who,
            f"{len(found.paid)}: {paid}" if paid else "none", "as it must be" if right[line.ref] else "[red]WRONG[/red]",
        )  # fmt: skip
    return table
