"""Every outcome has its sentence: what happened, who did it and when, and what to do next."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.cards import phrases
from bot.cards.parts import answer
from bot.cards.phrases import REFUSED, ago, approver_name, said, span
from engine.models import (
    AlreadySettled,
    Broken,
    Decided,
    Due,
    NotYours,
    Outcome,
    PauseStatus,
    RunStatus,
    Standing,
    Voted,
)
from tests.bot.asked import DECIDED, DUE, standing
from tests.bot.painted import taken, words

NAMES = {"marta": "Marta Keller", "otto": "Otto Brandt", "priya": "Priya Nair"}


def told(outcome: Outcome) -> str:
    return said(outcome, lambda key: NAMES[key])


def settled(status: PauseStatus, after: float = 0.3, **fields: object) -> AlreadySettled:
    by_marta = {"decided_by": "marta", "decided_at": DECIDED, "at": DECIDED + timedelta(seconds=after)}
    return AlreadySettled(standing(status=status, **by_marta | fields))


APPROVED = standing(status="approved", votes_left=0, decided_by="marta", decided_at=DECIDED, run_status="queued")


@pytest.mark.parametrize(
    ("outcome", "sentence"),
    [
        (Decided(APPROVED), "Approved. The agent goes on."),
        (
            Decided(replace(APPROVED, run_status="awaiting_approval")),
            "Approved. Another request of the same turn still waits; the agent goes on when all are answered.",
        ),
        (
            Decided(replace(APPROVED, run_status="paused")),
            "Approved. An operator holds the run; it goes on when it is resumed.",
        ),
        (
            Decided(replace(APPROVED, status="denied")),
            "Denied. Nothing is done, and the agent is told. The agent goes on.",
        ),
        (
            Decided(replace(APPROVED, status="cancelled", decided_by="priya")),
            "Withdrawn. Nothing is done, and the agent is told. The agent goes on.",
        ),
        (Voted(standing(votes_left=1)), "Counted. 1 more approval needed, by Fri 17 Jul 2026, 13:19 UTC."),
        (Voted(standing(votes_left=2)), "Counted. 2 more approvals needed, by Fri 17 Jul 2026, 13:19 UTC."),
    ],
)
def test_the_winner_is_told_what_happens_next(outcome: Outcome, sentence: str) -> None:
    assert told(outcome) == sentence


@pytest.mark.parametrize(
    ("outcome", "sentence"),
    [
        (settled("approved"), "Already approved by Marta Keller, 0.3 s ago. The card shows what comes of it."),
        (settled("executed"), "Already approved by Marta Keller, and carried out. The card shows what came of it."),
        (
            settled("failed"),
            "Already approved by Marta Keller, and tried, without success. The card shows what came of it.",
        ),
        (
            settled("denied", 120, reason="Ask Beck first."),
            "Already denied by Marta Keller, 2 minutes ago: Ask Beck first. Nothing is done.",
        ),
        (
            settled("expired", decided_by=None, decided_at=DUE, at=DUE + timedelta(seconds=2)),
            "Expired 2 seconds ago: nobody had answered by Fri 17 Jul 2026, 13:19 UTC. Nothing is done; whoever still wants it can ask again.",
        ),
        (settled("cancelled", decided_by="priya"), "Already withdrawn by Priya Nair, 0.3 s ago. Nothing is done."),
        (
            settled("cancelled", decided_by=None, reason="another call of the same turn was denied"),
            "Already called off, 0.3 s ago: another call of the same turn was denied. Nothing is done.",
        ),
        (
            settled("superseded", 60, reason="The price moved."),
            "Replaced by a new request, 1 minute ago: The price moved. Please decide on the new card.",
        ),
        (
            settled("voided", reason="Her grant is gone."),
            "No longer valid, 0.3 s ago: Her grant is gone. Nothing is done; whoever still wants it can ask again.",
        ),
    ],
)
def test_the_loser_is_told_who_what_and_how_long_ago(outcome: Outcome, sentence: str) -> None:
    assert told(outcome) == sentence


def test_whoever_comes_late_to_a_doubt_is_told_that_nobody_knows() -> None:
    in_doubt = told(settled("approved", effect_status="in_doubt"))
    assert (
        in_doubt
        == "Already approved by Marta Keller, and tried; nobody knows yet whether it happened. The card shows what comes of it."
    )
    stopped = told(settled("failed", effect_status="abandoned"))
    assert "nobody knows whether it happened" in stopped
    assert "without success" not in stopped
    assert "tried, without success" in told(settled("failed", effect_status="failed"))
    withdrawn = told(NotYours(standing(status="approved", effect_status="in_doubt"), "open"))
    assert withdrawn == "It was tried, and nobody knows yet whether it happened, so it can no longer be withdrawn."


def test_a_time_to_come_is_not_told_as_the_one_that_ran_out() -> None:
    assert told(Due(standing(at=DUE - timedelta(hours=1)))) == (
        "Its time ran out, so nothing was recorded. The card shows what follows from that."
    )


def test_a_timeout_is_never_told_as_a_refusal() -> None:
    text = told(settled("expired", decided_by=None, decided_at=DUE, at=DUE))
    assert "denied" not in text
    assert "refused" not in text
    assert " by " not in text.replace("answered by Fri", "")


@pytest.mark.parametrize(
    ("now", "why", "sentence"),
    [
        (
            standing(),
            "own",
            "You asked for this, so somebody else must decide: Marta Keller, until Fri 17 Jul 2026, 13:19 UTC. You may withdraw it.",
        ),
        (
            standing(),
            "voted",
            "Your approval is counted already; 1 more approval needed from somebody else, by Fri 17 Jul 2026, 13:19 UTC.",
        ),
        (
            standing(),
            "not_yours",
            "It is for Marta Keller to decide, until Fri 17 Jul 2026, 13:19 UTC. Nothing was changed.",
        ),
        (
            standing(approver="role:finance-approver"),
            "not_yours",
            "It is for whoever has the role finance-approver to decide, until Fri 17 Jul 2026, 13:19 UTC. Nothing was changed.",
        ),
        (
            standing(approver="person:otto", level=1),
            "not_yours",
            "Nobody answered in time, so it is with Otto Brandt now, until Fri 17 Jul 2026, 13:19 UTC. Nothing was changed.",
        ),
        (APPROVED, "not_requester", "Only the person it was asked for may withdraw it. Nothing was changed."),
        (
            APPROVED,
            "open",
            "It is being carried out, so it can no longer be withdrawn. The card will show what comes of it.",
        ),
    ],
)
def test_whoever_may_not_is_told_who_may_and_until_when(now: Standing, why: str, sentence: str) -> None:
    """U8."""
    assert told(NotYours(now, why)) == sentence  # type: ignore[arg-type]  # a parameter is a str to mypy


def test_what_is_due_altered_or_stale_has_its_sentence() -> None:
    assert told(Due(standing(at=DUE))).startswith("Its time ran out at Fri 17 Jul 2026, 13:19 UTC")
    assert "pause_5d21ab was altered" in told(Broken(standing(), "broken"))
    assert "Open Details and decide there" in told(Broken(standing(), "stale"))


@pytest.mark.parametrize("status", get_args(PauseStatus))
@pytest.mark.parametrize("run_status", get_args(RunStatus))
@pytest.mark.parametrize(
    "make",
    [Decided, Voted, AlreadySettled, Due, lambda now: NotYours(now, "not_yours"), lambda now: Broken(now, "stale")],
)
def test_there_is_a_sentence_whatever_holds(
    make: Callable[[Standing], Outcome], run_status: RunStatus, status: PauseStatus
) -> None:
    text = told(make(standing(status=status, run_status=run_status)))
    assert text.endswith(".")
    assert "None" not in text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "just now"), (0, "just now"), (0.04, "just now"), (0.3, "0.3 s ago"), (0.99, "0.9 s ago"), (1, "1 second ago"),
        (2.9, "2 seconds ago"), (59.99, "59 seconds ago"), (60, "1 minute ago"), (3_599, "59 minutes ago"),
        (3_600, "1 hour ago"), (86_399, "23 hours ago"), (86_400, "1 day ago"), (864_000, "10 days ago"),
    ],
)  # fmt: skip
def test_the_past_is_never_in_the_future_and_never_rounded_up(seconds: float, text: str) -> None:
    assert ago(timedelta(seconds=seconds)) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 seconds"), (90, "90 seconds"), (5_400, "90 minutes"), (14_400, "4 hours"), (259_200, "3 days")],
)
def test_a_length_of_time_is_exact(seconds: int, text: str) -> None:
    assert span(seconds) == text


def test_an_approver_is_a_name_or_a_role() -> None:
    assert approver_name("person:marta", "Marta Keller") == "Marta Keller"
    assert approver_name("person:marta") == "marta"
    assert approver_name("role:finance-approver") == "whoever has the role finance-approver"


def test_every_fixed_sentence_says_what_happened_to_the_decision() -> None:
    fixed = [*REFUSED.values(), phrases.NOT_CHECKED, phrases.UNKNOWN_CARD, phrases.UNKNOWN_ACTION, phrases.NOT_RECORDED,
             phrases.other_environment("staging", "production")]  # fmt: skip
    assert all("nothing was changed" in sentence.lower() for sentence in fixed)
    assert "could not confirm" in phrases.NOT_CONFIRMED
    assert "not recorded" not in phrases.NOT_CONFIRMED


@given(words, st.sampled_from(get_args(PauseStatus)))
@settings(deadline=None)
def test_no_name_or_reason_is_alive_in_an_answer(text: str, status: PauseStatus) -> None:
    now = standing(status=status, decided_by="x", decided_at=DECIDED, reason=text, approver=f"role:{text}")
    for outcome in (AlreadySettled(now), NotYours(now, "own"), NotYours(now, "not_yours")):
        taken(answer(said(outcome, lambda _: text)))
