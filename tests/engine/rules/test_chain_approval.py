"""What was approved, by the record alone: who said yes, and when the last of them did."""

import pytest

from engine.rules import chain
from engine.rules.chain import Told
from tests.engine.rules.histories import ASKED_DIGEST, History, approved, hour, paid, row


def told(history: History) -> Told:
    found = chain.follow(history.record)
    assert isinstance(found, Told)
    return found


def test_an_approval_is_who_said_yes_and_when_the_last_of_them_did() -> None:
    assert told(approved()).approval("p1") == (hour(6), frozenset({"marta", "ines"}))
    assert told(approved(History("1", "1", "1"))).approval("1") == (hour(6), frozenset({"marta", "ines"}))


def test_an_approval_with_too_few_votes_names_only_those_who_gave_one() -> None:
    alone = History().launched().asked().answered("approve", "ines")
    assert told(alone).approval("p1") == (hour(4), frozenset({"ines"}))


@pytest.mark.parametrize(
    "history",
    [
        History().launched(),
        History().launched().asked(),
        History().launched().asked().answered("vote", "marta"),
        History().launched().asked().refused("approve", "otto"),
        History().launched().asked().answered("vote", "marta").answered("deny", "ines"),
        approved().withdrawn(),
        paid(),
    ],
)
def test_what_does_not_stand_approved_has_no_approval(history: History) -> None:
    assert told(history).approval("p1") is None


def test_a_yes_to_one_request_is_none_to_another() -> None:
    both = approved()
    both.claimed().pause = "p2"
    both.asked()
    assert (both.rows["pause"][1]["digest"], told(both).approval("p2")) == (ASKED_DIGEST, None)
    both.answered("approve", "jonas")
    assert told(both).approval("p2") == (hour(9), frozenset({"jonas"}))
    assert told(both).approval("p1") == (hour(6), frozenset({"marta", "ines"}))


def test_by_its_row_alone_nothing_is_approved() -> None:
    waiting = History().launched().asked().record
    found = chain.follow(row("pause", status="approved", voters=["marta"])(waiting))
    assert isinstance(found, Told)
    assert found.approval("p1") is None


def test_by_a_record_that_nobody_has_read_nothing_is_approved() -> None:
    assert chain.NOTHING.approval("p1") is None
