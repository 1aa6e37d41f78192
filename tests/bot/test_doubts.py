"""A doubt is asked of those who may say what happened, in Slack; one answer counts, on record, and the cards say whose."""

import json
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from bot.cards import doubts, ids
from engine.models import Claim, Line
from engine.rules.digest import canonical
from engine.state import events, ledger, people, runs
from tests import rows
from tests.bot.asked import ENV, RUN
from tests.bot.house import Home
from tests.bot.office import actions_of, at_once, text_of
from tests.bot.painted import opened, read, taken
from tests.bot.test_inert import doubt

Json = dict[str, Any]
ANSWERS = [ids.ACTION_HAPPENED, ids.ACTION_RETRY, ids.ACTION_STOP]


@pytest.fixture
def doubted(conn: Any) -> tuple[Claim, UUID]:
    claim, _, effect = rows.doubted(conn)
    return claim, effect.effect_id


def card(home: Home, channel: str = "D0MARTA") -> Json:
    """The message that asks, as soon as it is there."""
    return home.office.await_(
        lambda: next((m for m in home.office.messages(channel) if ids.ACTION_RETRY in actions_of(m)), None)
    )


def answered(home: Home, says: str, channel: str) -> Json:
    return home.office.await_(lambda: next((m for m in home.office.messages(channel) if says in text_of(m)), None))


def effect(conn: Any, claim: Claim) -> Any:
    [line] = ledger.of_run(conn, claim.id)
    return line


def form(home: Home, user: str, message: Json, reference: str) -> list[Json]:
    """Press "It happened", write this, and submit; what is open afterwards."""
    home.office.press(user, message, ids.ACTION_HAPPENED)
    [view] = home.office.views(user)
    values = {ids.BLOCK_REFERENCE: {ids.ACTION_REFERENCE: {"type": "plain_text_input", "value": reference}}}
    home.office.act("submit", user, view_id=view["id"], values=values)
    return home.office.views(user)


def test_it_says_what_was_called_and_offers_three_answers(home: Home, doubted: tuple[Claim, UUID]) -> None:
    shown = card(home)
    assert actions_of(shown) == ANSWERS
    said = text_of(shown)
    for told in (
        "Did this happen?",
        "charge_supplier",
        "EUR 38,000.00",
        "no answer",
        "1 call with 1 key",
        "Nothing is tried again",
    ):
        assert told in said
    assert actions_of(card(home, "D0INES")) == ANSWERS
    assert not any(ids.ACTION_RETRY in actions_of(m) for m in home.office.messages("D0PRIYA"))


def test_it_happened_with_the_providers_reference(home: Home, conn: Any, doubted: tuple[Claim, UUID]) -> None:
    claim, _ = doubted
    assert form(home, "U0INES", card(home, "D0INES"), "pi_3P0") == []
    assert (effect(conn, claim).status, effect(conn, claim).receipt) == (
        "done",
        {"reference": "pi_3P0", "said_by": "ines"},
    )
    for channel in ("D0MARTA", "D0INES"):
        assert actions_of(answered(home, "Ines Alonso said that it happened, reference pi_3P0.", channel)) == []
    last = [e for e in events.of_run(conn, claim.id) if e.entity == "effect"][-1]
    assert (last.event, last.actor, last.surface) == ("resolve", "ines", "slack:form")


def test_without_a_reference_the_form_stays_open(home: Home, conn: Any, doubted: tuple[Claim, UUID]) -> None:
    [view] = form(home, "U0MARTA", card(home), "  ")
    assert "Write how the provider names what happened" in json.dumps(view["errors"])
    assert effect(conn, doubted[0]).status == "in_doubt"


AFTER_RETRY = ("attempted", "queued", "Marta Keller said that it did not, and that it may be tried again.")
AFTER_STOP = ("abandoned", "error", "Marta Keller ended the run without knowing whether it happened.")


@pytest.mark.parametrize(("action", "after"), [(ids.ACTION_RETRY, AFTER_RETRY), (ids.ACTION_STOP, AFTER_STOP)])
def test_the_other_two_answers_are_one_click(
    home: Home, conn: Any, doubted: tuple[Claim, UUID], action: str, after: tuple[str, str, str]
) -> None:
    claim, (status, run, says) = doubted[0], after
    shown = card(home)
    [button] = [e for b in shown["blocks"] for e in b.get("elements", ()) if e.get("action_id") == action]
    assert button["confirm"]  # nobody ends or repeats it with a slip of the finger
    assert home.office.press("U0MARTA", shown, action) == {"ok": True}
    assert effect(conn, claim).status == status
    assert runs.get(conn, claim.id).status == run
    assert actions_of(answered(home, says, "D0INES")) == []


@pytest.mark.parametrize("action", ANSWERS)
def test_who_may_no_longer_say_it_is_told_so_and_nothing_is_changed(
    home: Home, conn: Any, doubted: tuple[Claim, UUID], action: str
) -> None:
    shown = card(home)
    rows.take_role(conn, "marta", "finance-approver")
    home.office.press("U0MARTA", shown, action)
    told = "It is for somebody with the role finance-approver to say."
    home.office.await_(lambda: next((t for t in said_to(home, "U0MARTA") if told in t), None))
    assert effect(conn, doubted[0]).status == "in_doubt"
    assert home.office.views("U0MARTA") == []


def said_to(home: Home, user: str) -> list[str]:
    """All that this person was told by us alone, wherever."""
    return [
        m["text"]
        for m in home.office.read("/slack/messages")["messages"]
        if m["only_for"] == user or m["channel"] == f"D0{user[2:]}"
    ]


def test_of_two_answers_one_counts_and_the_other_hears_whose(
    home: Home, conn: Any, doubted: tuple[Claim, UUID]
) -> None:
    claim, _ = doubted
    marta, ines = card(home), card(home, "D0INES")
    at_once(
        lambda: home.office.press("U0MARTA", marta, ids.ACTION_RETRY),
        lambda: home.office.press("U0INES", ines, ids.ACTION_STOP),
    )
    status = effect(conn, claim).status
    assert status in ("attempted", "abandoned")
    loser = "U0INES" if status == "attempted" else "U0MARTA"
    home.office.await_(lambda: next((t for t in said_to(home, loser) if "It is settled already: " in t), None))


def test_a_button_of_a_doubt_that_is_settled_says_so(home: Home, conn: Any, doubted: tuple[Claim, UUID]) -> None:
    _, effect_id = doubted
    shown = card(home)
    assert ledger.resolve(conn, effect_id, "stop", actor="ines", surface="cli") == "stop"
    for action in ANSWERS:
        home.office.press("U0MARTA", shown, action)
    home.office.await_(
        lambda: [t for t in said_to(home, "U0MARTA") if "Ines Alonso ended the run without knowing" in t][2:]
    )


def test_in_doubt_once_more_it_is_asked_anew_in_a_message_of_its_own(
    home: Home, conn: Any, doubted: tuple[Claim, UUID]
) -> None:
    _, effect_id = doubted
    first = card(home)
    assert ledger.resolve(conn, effect_id, "retry", actor="ines", surface="cli") == "retry"
    answered(home, "that it may be tried again", "D0MARTA")
    again = runs.claim(conn, "w1", ["procurement"], lease_s=60)
    assert again is not None
    attempt = ledger.replace(conn, again, effect_id, call_s=20, lease_s=60)
    assert isinstance(attempt, UUID)
    ledger.settle(conn, attempt, "doubt", error="no answer again", ask=["person:marta", "person:ines"])
    second = card(home)
    assert second["ts"] != first["ts"]
    assert "no answer again" in text_of(second)
    assert "2 calls with 2 keys" in text_of(second)


def doubted_again(conn: Any, effect_id: UUID) -> None:
    """Ines has it tried again, and its answer is lost once more."""
    assert ledger.resolve(conn, effect_id, "retry", actor="ines", surface="cli") == "retry"
    claim = runs.claim(conn, "w1", ["procurement"], lease_s=60)
    assert claim is not None
    attempt = ledger.replace(conn, claim, effect_id, call_s=20, lease_s=60)
    assert isinstance(attempt, UUID)
    ledger.settle(conn, attempt, "doubt", error="no answer again", ask=["person:marta", "person:ines"])


@pytest.mark.parametrize("old", [False, True], ids=["this release", "the release before"])
@pytest.mark.parametrize("action", ANSWERS)
def test_an_answer_to_one_doubt_is_none_to_the_next(
    home: Home, conn: Any, doubted: tuple[Claim, UUID], action: str, *, old: bool
) -> None:
    claim, effect_id = doubted
    shown = card(home)
    if old:  # its buttons did not say which attempt they were about
        elements = [e for b in shown["blocks"] for e in b.get("elements", ()) if "value" in e]
        for element in elements:
            button = ids.decode(element["value"])
            assert button is not None
            element["value"] = ids.encode(ids.Button(button.env, button.about, button.shown))
    doubted_again(conn, effect_id)
    home.office.press("U0MARTA", shown, action)
    told = "It was tried again since you were asked, and is in doubt once more."
    home.office.await_(lambda: next((t for t in said_to(home, "U0MARTA") if told in t), None))
    assert effect(conn, claim).status == "in_doubt"
    assert home.office.views("U0MARTA") == []
    renewed = home.office.await_(
        lambda: next((m for m in home.office.messages("D0MARTA") if "2 calls with 2 keys" in text_of(m)), None)
    )
    home.office.press("U0MARTA", renewed, ids.ACTION_STOP)
    assert effect(conn, claim).status == "abandoned"


def test_a_form_that_was_opened_before_it_was_tried_again_is_not_taken(
    home: Home, conn: Any, doubted: tuple[Claim, UUID]
) -> None:
    home.office.press("U0MARTA", card(home), ids.ACTION_HAPPENED)
    [view] = home.office.views("U0MARTA")
    doubted_again(conn, doubted[1])
    values = {ids.BLOCK_REFERENCE: {ids.ACTION_REFERENCE: {"type": "plain_text_input", "value": "pi_1"}}}
    home.office.act("submit", "U0MARTA", view_id=view["id"], values=values)
    assert "It was tried again since you were asked" in json.dumps(home.office.views("U0MARTA"))
    assert effect(conn, doubted[0]).status == "in_doubt"


def test_a_late_answer_of_the_provider_settles_the_card_too(home: Home, conn: Any) -> None:
    _, _, begun = rows.doubted(conn)
    card(home)
    ledger.settle(conn, begun.attempt_id, "succeed", receipt={"result": {"payment_id": "pi_9"}}, result=rows.PAID)
    assert actions_of(answered(home, "The provider's answer came late: it happened.", "D0MARTA")) == []


# ------------------------------------------------------------------------------------------------------- found in a list


def test_whoever_has_the_role_since_finds_it_in_the_list_and_on_the_home_tab(
    home: Home, conn: Any, doubted: tuple[Claim, UUID]
) -> None:
    assert "Did this happen?" not in text_of(home.office.command("U0JONAS"))
    rows.give_role(conn, "jonas", "finance-approver")
    listed = home.office.command("U0JONAS")
    assert "Did this happen? charge_supplier, Amount EUR 38,000.00, Order PO-0" in text_of(listed)
    assert actions_of(listed) == [ids.ACTION_DETAILS]
    home.office.press("U0JONAS", listed, ids.ACTION_DETAILS)
    [view] = home.office.views("U0JONAS")
    assert actions_of(view) == ANSWERS
    block = next(b["block_id"] for b in view["blocks"] if b["type"] == "actions")
    home.office.act("click", "U0JONAS", view_id=view["id"], action_id=ids.ACTION_RETRY, block_id=block)
    assert effect(conn, doubted[0]).status == "attempted"
    home.office.await_(lambda: "and that it may be tried again" in text_of(home.office.views("U0JONAS")[0]))
    assert actions_of(home.office.views("U0JONAS")[0]) == []


def test_it_is_on_the_home_tab_of_who_may_say_it_and_of_nobody_else(
    home: Home, conn: Any, doubted: tuple[Claim, UUID]
) -> None:
    rows.give_role(conn, "priya", "finance-approver")
    for user, found in (("U0INES", True), ("U0PRIYA", False), ("U0JONAS", False)):
        home.office.act("home", user)
        shown = home.office.await_(partial(home.office.home, user))
        assert ("Did this happen?" in text_of(shown)) is found, user


# ---------------------------------------------------------------------------------------------------- what was to be done

LONG_LINE = Line(label="Body", value="y" * 6_000)


def shown_of(lines: tuple[Line, ...] | None, action: str = "{}") -> str:
    made = doubt(lines=lines, action=action)
    message = doubts.card(made, env=ENV)
    taken(message)
    opened(doubts.reference_view(made, ENV))
    opened(doubts.details_view(made, ENV, may_say=True))
    return read(message.blocks)


def test_every_argument_is_there_as_the_approver_read_it() -> None:
    lines = tuple(Line(label=f"Fact {n}", value=f"value {n} " + "x" * 90) for n in range(12))
    said = shown_of(lines)
    for line in lines:
        assert line.value in said
    assert [said.index(line.label) for line in lines] == sorted(said.index(line.label) for line in lines)


def test_what_was_never_asked_shows_the_whole_action() -> None:
    arguments = {
        "amount": {"amount": "38000.00", "currency": "EUR"},
        "items": [{"sku": "pump", "quantity": 40}],
        "note": "n" * 200,
        "paid_in": {"account": "DE12"},
        **{f"z{n}": n for n in range(9)},
        "supplier_id": "sup_412",
    }
    said = shown_of(None, canonical({"tool": "charge_supplier", "arguments": arguments}))
    for part in ("EUR 38,000.00", '[{"quantity":40,"sku":"pump"}]', "n" * 200, '{"account":"DE12"}', "sup_412", "z8"):
        assert part in said


def test_what_is_too_long_is_named_with_where_it_is_and_leaves_room_for_the_rest() -> None:
    said = shown_of((Line(label="Supplier", value="sup_412"), LONG_LINE, Line(label="Order", value="PO-1")))
    assert "sup_412" in said
    assert "PO-1" in said
    assert f"Too long to be shown here: Body. All of it: placet show {ids.screen_id('run', RUN)}" in said


def test_the_lines_of_another_action_are_not_believed(conn: Any) -> None:
    _, _, begun = rows.doubted(conn)
    assert ledger.doubt(conn, begun.effect_id).lines == (
        Line(label="Amount", value="EUR 38,000.00"),
        Line(label="Order", value="PO-0"),
    )
    conn.execute("UPDATE effect SET action = replace(action, 'sup_412', 'sup_666'), digest = repeat('0', 64)")
    assert ledger.doubt(conn, begun.effect_id).lines is None
    assert "sup_666" in read(doubts.card(ledger.doubt(conn, begun.effect_id), env=ENV).blocks)


@pytest.mark.parametrize("holders", [("marta", "ines"), ()])
def test_the_requester_need_do_nothing_only_where_somebody_can_say_it(
    home: Home, conn: Any, holders: tuple[str, ...], caplog: pytest.LogCaptureFixture
) -> None:
    for one in people.everybody(conn).holders("finance-approver"):
        if one.id not in holders:
            rows.take_role(conn, one.id, "finance-approver")
    rows.give_role(conn, "priya", "finance-approver")
    rows.doubted(conn)
    home.house.bell.ring()
    told = answered(home, "Nobody can tell yet whether an action", "D0PRIYA")
    assert ("You need do nothing." in text_of(told)) is bool(holders)
    assert ("ask an operator to give it to somebody else than you" in text_of(told)) is not bool(holders)
    alarms = [r for r in caplog.records if "NOBODY CAN SAY" in r.getMessage()]
    assert bool(alarms) is not bool(holders)
