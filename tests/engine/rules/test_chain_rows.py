"""The rows must say what the record says: a status, request, vote, receipt or action that was altered beside it is found, with the move it belies."""

import pytest

from engine.rules import chain, digest
from engine.rules.chain import Fault, Record, Told
from tests.engine.rules.histories import (
    RECEIPT,
    Hand,
    History,
    approved,
    event,
    gone,
    hands,
    hour,
    paid,
    rewritten,
    row,
    row_added,
    row_gone,
    run,
)

DENIED = History().launched().asked().answered("vote", "marta").answered("deny", "ines", "Too dear.")
RESOLVED = approved().claimed().begun().in_doubt().settled()
HISTORIES = {
    "launched": History().launched(),
    "waiting": History().launched().asked(),
    "waiting for the second vote": History().launched().asked().answered("vote", "marta"),
    "refused to somebody": History().launched().asked().refused("approve", "otto"),
    "denied": DENIED,
    "approved": approved(),
    "approved and then withdrawn": approved().withdrawn(),
    "begun": approved().claimed().begun(),
    "in doubt": approved().claimed().begun().in_doubt(),
    "resolved": RESOLVED,
    "paid": paid(),
    "paid, with one id for all": paid(History("1", "1", "1")),
}

OTHER_DIGEST = "What is stored of the request has another digest than what was asked."
OTHER_REQUEST = "What is stored of the request is not what was asked."
OTHER_VOTERS = "The row names other people as those who answered."
OTHER_DECISION = "The row names another person or hour for the decision."
OTHER_VOTE = "The stored vote says something else."
OTHER_ACTION = "What is stored of the action is not what was begun."
OTHER_RECEIPT = "The stored receipt is another."
CHEAPER = '{"summary":"EUR 3.80 to Nordholz Industrial"}'


def unknown(what: str) -> str:
    return f"{what}, and the record knows nothing of it."


def disagreement(record: Record) -> Fault | None:
    told = chain.follow(record)
    assert isinstance(told, Told), told
    return chain.disagreement(record, told)


@pytest.mark.parametrize("how", HISTORIES)
def test_rows_that_say_what_the_record_says_agree(how: str) -> None:
    assert disagreement(HISTORIES[how].record) is None


STATUSES: dict[str, tuple[Hand, Fault]] = {
    "the run's": (row("run", status="running"), Fault(10, "finish", "It left the run done, and the row says running.")),
    "the request's": (row("pause", status="approved"), Fault(9, "execute", "It left the pause executed, and the row says approved.")),
    "the effect's": (row("effect", status="attempted"), Fault(9, "succeed", "It left the effect done, and the row says attempted.")),
    "the run is gone": (row_gone("run"), Fault(10, "finish", "It left the run done, and the row says nothing: it is gone.")),
    "the request is gone": (row_gone("pause"), Fault(9, "execute", "It left the pause executed, and the row says nothing: it is gone.")),
    "the effect is gone": (row_gone("effect"), Fault(9, "succeed", "It left the effect done, and the row says nothing: it is gone.")),
    "a run more": (row_added("run", id="r9"), Fault(None, None, unknown("The run r9 is done by its row"))),
    "a request more": (row_added("pause", id="p9", status="approved"), Fault(None, None, unknown("The pause p9 is approved by its row"))),
    "an effect that never began": (row_added("effect", id="e9"), Fault(None, None, unknown("The effect e9 is done by its row"))),
}  # fmt: skip

REQUESTS: dict[str, tuple[Hand, Fault]] = {
    "the request": (row("pause", document=CHEAPER), Fault(3, "open", OTHER_REQUEST)),
    "its digest": (row("pause", digest="0" * 64), Fault(3, "open", OTHER_DIGEST)),
    "both": (row("pause", document=CHEAPER, digest=digest.of_canonical("placet.pause.v1", CHEAPER)), Fault(3, "open", OTHER_DIGEST)),
    "by the digest of an action": (row("pause", digest=digest.of_canonical("placet.action.v1", CHEAPER)), Fault(3, "open", OTHER_DIGEST)),
    "its content is gone": (row("pause", document=None, digest=None), Fault(3, "open", OTHER_DIGEST)),
    "its words are gone": (row("pause", document=None), Fault(3, "open", OTHER_REQUEST)),
    "somebody else answered": (row("pause", voters=["marta", "otto"]), Fault(6, "approve", OTHER_VOTERS)),
    "one more answered": (row("pause", voters=["marta", "ines", "otto"]), Fault(6, "approve", OTHER_VOTERS)),
    "one fewer answered": (row("pause", voters=["ines"]), Fault(6, "approve", OTHER_VOTERS)),
    "nobody answered": (row("pause", voters=[]), Fault(6, "approve", OTHER_VOTERS)),
    "who decided": (row("pause", decided_by="marta"), Fault(6, "approve", OTHER_DECISION)),
    "nobody decided": (row("pause", decided_by=None), Fault(6, "approve", OTHER_DECISION)),
    "when it was decided": (row("pause", decided_at=hour(7)), Fault(6, "approve", OTHER_DECISION)),
}  # fmt: skip

VOTES: dict[str, tuple[Hand, Fault]] = {
    "a yes made a no": (row("vote", verdict="deny"), Fault(4, "vote", OTHER_VOTE)),
    "the last yes made a no": (row("vote", 1, verdict="deny"), Fault(6, "approve", OTHER_VOTE)),
    "when": (row("vote", at=hour(5)), Fault(4, "vote", OTHER_VOTE)),
    "where": (row("vote", surface="cli"), Fault(4, "vote", OTHER_VOTE)),
    "why": (row("vote", reason="Fine!"), Fault(4, "vote", OTHER_VOTE)),
    "no reason any more": (row("vote", reason=None), Fault(4, "vote", OTHER_VOTE)),
    "whose it is": (row("vote", person="otto"), Fault(None, None, unknown("A vote of otto is stored"))),
    "which request it answers": (row("vote", pause_id="p9"), Fault(None, None, unknown("A vote of marta is stored"))),
    "a vote of somebody who was refused": (row_added("vote", person="otto"), Fault(None, None, unknown("A vote of otto is stored"))),
    "a vote is gone": (row_gone("vote"), Fault(4, "vote", "The vote of marta is gone.")),
    "the last vote is gone": (row_gone("vote", 1), Fault(6, "approve", "The vote of ines is gone.")),
    "all votes are gone": (hands(row_gone("vote"), row_gone("vote")), Fault(4, "vote", "The vote of marta is gone.")),
    "a strange vote after a good one": (row("vote", 1, person="otto"), Fault(None, None, unknown("A vote of otto is stored"))),
}  # fmt: skip

EFFECTS: dict[str, tuple[Hand, Fault]] = {
    "the action": (row("effect", action="{}"), Fault(8, "attempt", OTHER_ACTION)),
    "its digest": (row("effect", digest="0" * 64), Fault(8, "attempt", OTHER_ACTION)),
    "both": (row("effect", action="{}", digest=digest.of_canonical("placet.action.v1", "{}")), Fault(8, "attempt", OTHER_ACTION)),
    "the receipt": (row("effect", receipt='{"id": "pi_2"}'), Fault(9, "succeed", OTHER_RECEIPT)),
    "no receipt any more": (row("effect", receipt=None), Fault(9, "succeed", OTHER_RECEIPT)),
}  # fmt: skip

ALTERED = {
    f"{kind}: {what}": case
    for kind, of in {"status": STATUSES, "request": REQUESTS, "vote": VOTES, "effect": EFFECTS}.items()
    for what, case in of.items()
}
"""What is done to a row by hand, and what must be said of it."""


@pytest.mark.parametrize("what", ALTERED)
def test_a_row_that_was_altered_is_found_with_the_move_it_belies(what: str) -> None:
    hand, fault = ALTERED[what]
    assert disagreement(hand(paid().record)) == fault


@pytest.mark.parametrize("what", ALTERED)
def test_a_run_a_request_and_an_effect_of_one_id_are_told_apart(what: str) -> None:
    """The record names each by its kind and its id together."""
    hand, fault = ALTERED[what]
    assert disagreement(hand(paid(History("1", "1", "1")).record)) == fault


def test_of_several_rows_that_were_altered_the_earliest_move_is_named() -> None:
    many = hands(row("run", status="error"), row("effect", action="{}"), row("vote", reason=None))
    assert disagreement(many(paid().record)) == Fault(4, "vote", OTHER_VOTE)
    assert disagreement(hands(many, row("pause", document=CHEAPER))(paid().record)) == Fault(3, "open", OTHER_REQUEST)


def test_what_the_record_knows_nothing_of_is_named_before_all_moves() -> None:
    only = History().move(("run", "new", "launch", "queued", "priya", None)).record
    many = hands(row("run", status="running"), row_added("run", id="r9"))
    assert disagreement(many(only)) == Fault(None, None, unknown("The run r9 is running by its row"))


@pytest.mark.parametrize(
    ("how", "hand", "fault"),
    [
        ("launched", row("run", status="done"), Fault(2, "claim", "It left the run running, and the row says done.")),
        ("waiting", row("pause", voters=["marta"]), Fault(3, "open", OTHER_VOTERS)),
        ("waiting", row("pause", status="denied"), Fault(3, "open", "It left the pause waiting, and the row says denied.")),
        (
            "waiting", row("pause", status="approved", decided_by="marta", decided_at=hour(4)),
            Fault(3, "open", "It left the pause waiting, and the row says approved."),
        ),
        ("waiting for the second vote", row("pause", status="approved"), Fault(4, "vote", "It left the pause waiting, and the row says approved.")),
        ("waiting for the second vote", row("pause", voters=[]), Fault(4, "vote", OTHER_VOTERS)),
        ("refused to somebody", row("pause", voters=["otto"]), Fault(3, "open", OTHER_VOTERS)),
        ("denied", row("vote", 1, verdict="approve"), Fault(5, "deny", OTHER_VOTE)),
        ("denied", row("vote", 1, reason=None), Fault(5, "deny", OTHER_VOTE)),
        ("denied", row_gone("vote", 1), Fault(5, "deny", "The vote of ines is gone.")),
        ("denied", row("pause", decided_by="marta"), Fault(5, "deny", OTHER_DECISION)),
        ("denied", row("pause", decided_at=hour(4)), Fault(5, "deny", OTHER_DECISION)),
        ("denied", row("pause", voters=["marta"]), Fault(5, "deny", OTHER_VOTERS)),
        ("denied", row("pause", status="approved"), Fault(5, "deny", "It left the pause denied, and the row says approved.")),
        ("approved", row("pause", decided_at=hour(99)), Fault(6, "approve", OTHER_DECISION)),
        ("approved and then withdrawn", row("pause", status="approved"), Fault(6, "approve", OTHER_DECISION)),
        (
            "approved and then withdrawn", row("pause", status="approved", decided_by="ines", decided_at=hour(6)),
            Fault(7, "cancel", "It left the pause cancelled, and the row says approved."),
        ),
        ("approved and then withdrawn", row("pause", voters=["ines"]), Fault(6, "approve", OTHER_VOTERS)),
        ("begun", row("effect", status="done", receipt=RECEIPT), Fault(8, "attempt", "It left the effect attempted, and the row says done.")),
        ("in doubt", row("effect", status="done", receipt=RECEIPT), Fault(9, "doubt", "It left the effect in_doubt, and the row says done.")),
        ("resolved", row("effect", receipt='{"id": "pi_2"}'), Fault(10, "resolve", OTHER_RECEIPT)),
    ],
)  # fmt: skip
def test_at_every_stand_of_a_run_the_move_that_a_row_belies_is_named(how: str, hand: Hand, fault: Fault) -> None:
    assert disagreement(hand(HISTORIES[how].record)) == fault


def test_a_request_that_failed_is_held_to_its_decision_too() -> None:
    failed = approved().claimed().move(("pause", "approved", "fail", "failed", "priya", None)).record
    assert disagreement(failed) is None
    assert disagreement(row("pause", decided_by="otto")(failed)) == Fault(6, "approve", OTHER_DECISION)


# ------------------------------------------------------------------------------------- whoever knows how a record is made


def test_a_record_cut_short_and_made_to_fit_is_told_by_the_rows() -> None:
    record = rewritten(gone(10)(paid().record))
    assert disagreement(record) == Fault(7, "claim", "It left the run running, and the row says done.")


def test_a_record_that_was_emptied_and_counts_nothing_is_told_by_the_rows() -> None:
    record = run(entries=[], seq=0, head=digest.GENESIS)(History().launched().record)
    assert disagreement(record) == Fault(None, None, unknown("The run r1 is running by its row"))


def test_the_record_of_another_run_in_its_place_is_told_by_the_rows() -> None:
    other = paid(History("r2", "p2", "e2")).record
    assert disagreement(run(rows=paid().record.rows)(other)) == Fault(
        None, None, unknown("The run r1 is done by its row")
    )


def test_a_vote_given_to_another_person_in_a_record_made_to_fit_is_told_by_the_rows() -> None:
    record = rewritten(event(4, "vote", actor="otto")(paid().record))
    assert disagreement(record) == Fault(None, None, unknown("A vote of marta is stored"))
    record = row("vote", person="otto")(record)
    assert disagreement(record) == Fault(6, "approve", OTHER_VOTERS)


def test_an_action_exchanged_in_a_record_made_to_fit_is_told_by_the_rows() -> None:
    record = rewritten(event(8, "attempt", detail=digest.of_canonical("placet.action.v1", "{}"))(paid().record))
    assert disagreement(record) == Fault(8, "attempt", OTHER_ACTION)
    assert disagreement(row("effect", action="{}")(record)) == Fault(8, "attempt", OTHER_ACTION)
