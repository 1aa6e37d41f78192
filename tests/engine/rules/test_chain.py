"""A record followed from its beginning: whoever alters it is found out, with the first move that does not hold and why, from values alone."""

import random

import pytest

from engine.rules import chain, digest
from engine.rules.chain import Fault, Told
from tests.engine.rules.histories import (
    Hand,
    added,
    closed_up,
    event,
    gone,
    hands,
    hour,
    paid,
    rewritten,
    run,
    swapped,
    system,
    unmarked,
)

PAID = paid().record
ALL = range(1, 11)

OTHER_WORDS = "Its words are not those that its mark was made of: it was altered, or moved, or an event of it is gone."
REMOVED = "It was removed."
OTHER_HEAD = "It is marked as the moves before it lead to, and the head that is stored is another: moves after it are gone, or the head was altered."
NO_MARKS = "The moves do not lead to the head that is stored: the words of one of them were altered, or the head was."


def uncounted(counted: int) -> str:
    return f"The run counts {counted} moves: this one was added, or the count was altered."


def breaks(goes_from: str, entity: str, was: str) -> str:
    return f"It goes from {goes_from}, and the {entity} was {was}: it was altered, or one before it is gone."


def test_a_record_that_holds_says_every_move_and_where_each_entity_stands() -> None:
    told = chain.follow(PAID)
    assert isinstance(told, Told)
    assert told.links == 10
    assert [(e["seq"], e["event"]) for e in told.moved] == [
        (1, "launch"), (2, "claim"), (3, "open"), (3, "ask"), (4, "vote"), (6, "approve"), (6, "wake"), (7, "claim"), (8, "attempt"),
        (9, "succeed"), (9, "execute"), (10, "finish"),
    ]  # fmt: skip
    assert told.status == {("run", "r1"): "done", ("pause", "p1"): "executed", ("effect", "e1"): "done"}
    assert chain.links(PAID)


@pytest.mark.parametrize("marked", [(), (9, 10), (1, 2, 4, 7), (10,), ALL])
def test_a_record_holds_with_marks_and_without(marked: range | tuple[int, ...]) -> None:
    """The release before wrote none, and two releases may have written to one run in turns."""
    record = unmarked(*(seq for seq in ALL if seq not in marked))(PAID)
    assert isinstance(chain.follow(record), Told)
    assert chain.links(record)


def test_a_record_holds_in_whatever_order_its_events_are_read() -> None:
    entries = list(PAID.entries)
    random.Random(7).shuffle(entries)
    assert chain.follow(run(entries=entries)(PAID)) == chain.follow(PAID)


def test_the_record_of_a_run_that_has_made_no_move_holds() -> None:
    record = chain.Record(seq=0, head=digest.GENESIS, entries=[], rows={})
    assert chain.follow(record) == Told(links=0, moved=[], status={})
    assert chain.follow(run(head="f" * 64)(record)) == Fault(None, None, NO_MARKS)


def test_each_event_of_the_system_stands_alone() -> None:
    record = system().record
    told = chain.follow(record)
    assert isinstance(told, Told)
    assert (told.links, chain.disagreement(record, told)) == (2, None)
    assert chain.follow(event(2, "unhalt", from_status="done")(record)) == Fault(
        2, "unhalt", breaks("done", "system", "new")
    )


TAMPERED: dict[str, tuple[Hand, Fault]] = {
    "who approved": (event(6, "approve", actor="marta"), Fault(6, "approve", OTHER_WORDS)),
    "who was refused": (event(5, "approve", actor="ines"), Fault(5, "approve", OTHER_WORDS)),
    "who took it first": (event(1, "launch", actor="ines"), Fault(1, "launch", OTHER_WORDS)),
    "why": (event(4, "vote", detail="Too dear."), Fault(4, "vote", OTHER_WORDS)),
    "an empty reason in place of none": (event(6, "approve", detail=""), Fault(6, "approve", OTHER_WORDS)),
    "where": (event(6, "approve", surface="cli"), Fault(6, "approve", OTHER_WORDS)),
    "when, by a microsecond": (event(6, "approve", at=hour(5)), Fault(6, "approve", OTHER_WORDS)),
    "what happened": (event(6, "approve", event="vote"), Fault(6, "vote", OTHER_WORDS)),
    "what came of it": (event(4, "vote", to_status=None), Fault(4, "vote", OTHER_WORDS)),
    "what came of a refused attempt": (event(5, "approve", to_status="waiting"), Fault(5, "approve", OTHER_WORDS)),
    "the digest of what was asked": (event(3, "open", detail="0" * 64), Fault(3, "open", OTHER_WORDS)),
    "a later event of a move, by its first": (event(9, "execute", actor="w9"), Fault(9, "succeed", OTHER_WORDS)),
    "from where": (event(6, "approve", from_status="approved"), Fault(6, "approve", breaks("approved", "pause", "waiting"))),
    "from where a refused attempt was made": (
        event(5, "approve", from_status="denied"), Fault(5, "approve", breaks("denied", "pause", "waiting")),
    ),
    "to where": (event(1, "launch", to_status="paused"), Fault(1, "launch", OTHER_WORDS)),
    "to where, as its own move contradicts": (
        event(9, "succeed", entity="pause", entity_id="p1", from_status="approved"), Fault(9, "execute", breaks("approved", "pause", "done")),
    ),
    "which request": (event(6, "approve", entity_id="p2"), Fault(6, "approve", breaks("waiting", "pause", "new"))),
    "what kind it was": (event(6, "wake", entity="effect"), Fault(6, "wake", breaks("awaiting_approval", "effect", "new"))),
    "two events of a move that changed places": (event(3, "open", n=9), Fault(3, "ask", OTHER_WORDS)),
    "an event moved to another move": (event(6, "wake", seq=5, n=9), Fault(5, "approve", OTHER_WORDS)),
    "two moves that changed places": (swapped(4, 5), Fault(4, "approve", OTHER_WORDS)),
    "two moves of one status each that changed places": (swapped(7, 6), Fault(6, "claim", breaks("queued", "run", "awaiting_approval"))),
    "the first move is gone": (gone(1), Fault(1, None, REMOVED)),
    "a move is gone": (gone(5), Fault(5, None, REMOVED)),
    "the last move is gone": (gone(10), Fault(10, None, REMOVED)),
    "two moves are gone": (hands(gone(9), gone(4)), Fault(4, None, REMOVED)),
    "all is gone": (run(entries=[]), Fault(1, None, REMOVED)),
    "an event of a move is gone": (gone(6, "wake"), Fault(6, "approve", OTHER_WORDS)),
    "the begin of an effect is gone, and its number given to another": (
        hands(gone(8), added(5, "approve", seq=8, from_status="approved")), Fault(8, "approve", OTHER_WORDS),
    ),
    "an effect is settled that never began": (closed_up(8), Fault(8, "succeed", breaks("attempted", "effect", "new"))),
    "the only vote before the last is gone, as if it had never been": (closed_up(4), Fault(4, "approve", OTHER_WORDS)),
    "the question is gone, as if it had never been asked": (closed_up(3), Fault(3, "vote", breaks("waiting", "pause", "new"))),
    "the beginning is gone, as if it had never been": (closed_up(1), Fault(1, "claim", breaks("queued", "run", "new"))),
    "an event was added": (added(4, "vote", n=2, actor="ines"), Fault(4, "vote", OTHER_WORDS)),
    "a move was added": (added(10, "finish", seq=11), Fault(11, "finish", uncounted(10))),
    "a move was added far from the end": (added(10, "finish", seq=15), Fault(15, "finish", uncounted(10))),
    "a move was added before the first": (added(4, "vote", seq=0, actor="otto"), Fault(0, "vote", uncounted(10))),
    "a move was added long before the first": (added(4, "vote", seq=-7, actor="otto"), Fault(-7, "vote", uncounted(10))),
    "a move from another run": (added(1, "launch", n=2, entity_id="r2"), Fault(1, "launch", OTHER_WORDS)),
    "a later move from another run": (added(10, "finish", n=2, entity_id="r2"), Fault(10, "finish", breaks("running", "run", "new"))),
    "the count, downwards": (run(seq=9), Fault(10, "finish", uncounted(9))),
    "the count, to nothing": (run(seq=0), Fault(1, "launch", uncounted(0))),
    "the count, upwards": (run(seq=2_000_000_000), Fault(11, None, REMOVED)),
    "the head": (run(head="f" * 64), Fault(10, "finish", OTHER_HEAD)),
    "the head, put back to the beginning": (run(head=digest.GENESIS), Fault(10, "finish", OTHER_HEAD)),
    "the last move with the count": (hands(gone(10), run(seq=9)), Fault(9, "succeed", OTHER_HEAD)),
    "a mark": (event(6, "approve", mark="f" * 16), Fault(6, "approve", OTHER_WORDS)),
    "a mark is gone from one of two events": (event(6, "wake", mark=None), Fault(6, "approve", OTHER_WORDS)),
    "the marks of a move": (
        hands(event(6, "approve", mark="f" * 16), event(6, "wake", mark="f" * 16)), Fault(6, "approve", OTHER_WORDS),
    ),
    "two moves, of which the first is named": (
        hands(event(8, "attempt", actor="w9"), event(4, "vote", actor="w9")), Fault(4, "vote", OTHER_WORDS),
    ),
}  # fmt: skip
"""What is done to the record by hand, and what must be said of it."""


@pytest.mark.parametrize("what", TAMPERED)
def test_whoever_alters_the_record_is_found_out(what: str) -> None:
    hand, fault = TAMPERED[what]
    assert chain.follow(hand(PAID)) == fault


WORDS = [what for what in TAMPERED if "mark" not in what]


@pytest.mark.parametrize("what", WORDS)
def test_the_links_alone_tell_that_something_was_altered(what: str) -> None:
    assert not chain.links(TAMPERED[what][0](PAID))


@pytest.mark.parametrize("what", WORDS)
def test_whoever_takes_all_marks_away_is_found_out_all_the_same(what: str) -> None:
    """Though the move cannot always be told, none before it is named."""
    hand, fault = TAMPERED[what]
    found = chain.follow(hands(hand, unmarked(*range(-9, 99)))(PAID))
    assert isinstance(found, Fault)
    if found.seq is None:
        assert found == Fault(None, None, NO_MARKS)
    else:
        assert found.seq >= (fault.seq or 0)


@pytest.mark.parametrize("what", [what for what, (_, fault) in TAMPERED.items() if "It goes from" in fault.why])
def test_what_cannot_have_happened_is_found_out_though_every_link_was_made_anew(what: str) -> None:
    hand, fault = TAMPERED[what]
    assert chain.follow(rewritten(hand(PAID))) == fault


@pytest.mark.parametrize(
    ("without", "altered", "why"),
    [
        ((4, 5), 4, "The words of one of the moves 4 to 6 were altered."),
        ((4, 5), 5, "The words of one of the moves 4 to 6 were altered."),
        ((1, 2), 2, "The words of one of the moves 1 to 3 were altered."),
        ((3,), 3, "The words of one of the moves 3 to 4 were altered."),
        (
            (8, 9, 10), 8,
            "The moves do not lead to the head that is stored: the words of one of the moves 8 to 10 were altered, or the head was.",
        ),
    ],
)  # fmt: skip
def test_where_marks_are_missing_the_move_is_narrowed_down_by_those_around_it(
    without: tuple[int, ...], altered: int, why: str
) -> None:
    names = {2: "claim", 3: "open", 4: "vote", 5: "approve", 8: "attempt"}
    record = hands(unmarked(*without), event(altered, names[altered], actor="w9"))(PAID)
    assert chain.follow(record) == Fault(None, None, why)


def test_an_altered_move_whose_mark_was_made_to_fit_is_told_by_the_next() -> None:
    forged = rewritten(event(4, "vote", actor="ines")(PAID))
    fitting = [e if e["seq"] == 4 else old for e, old in zip(forged.entries, PAID.entries, strict=True)]
    assert chain.follow(run(entries=fitting)(PAID)) == Fault(5, "approve", OTHER_WORDS)


def test_a_record_that_was_rewritten_whole_is_sound_by_itself() -> None:
    """Only its rows, seals and signed checkpoints can tell."""
    record = rewritten(event(4, "vote", actor="otto")(PAID))
    assert isinstance(chain.follow(record), Told)
    assert chain.links(record)
