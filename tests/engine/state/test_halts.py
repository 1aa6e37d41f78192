"""The halt: one row that operators set and lift, on record with whoever tried in vain; of two at once one is told that it was done."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from engine.models import Claim
from engine.state import db, events, halts, ledger, pauses
from tests import database, rows
from tests.engine.state.meeting import until_it_waits


def on_record(conn: Any) -> list[tuple[str, str | None, str, str | None]]:
    """The system's moves that are about effects, and attempts at them."""
    return [
        (e.event, e.to_status, e.actor, e.detail)
        for e in events.of_run(conn, db.SYSTEM_RUN)
        if e.entity_id == "effects"
    ]


def test_an_operator_stops_every_effect_once_and_lets_them_go_on_once(conn: Any) -> None:
    assert halts.standing(conn) is None
    assert halts.halt(conn, actor="otto", surface="cli", reason="Odd payments.") == "halt"
    assert halts.halt(conn, actor="otto", surface="cli", reason="Again.") == "already"
    standing = halts.standing(conn)
    assert standing is not None
    assert (standing.halted_by, standing.name, standing.reason) == ("otto", "Otto Brandt", "Odd payments.")
    assert halts.lift(conn, actor="otto", surface="cli") == "unhalt"
    assert halts.lift(conn, actor="otto", surface="cli") == "not_halted"
    assert halts.standing(conn) is None
    assert on_record(conn) == [
        ("halt", "done", "otto", "Odd payments."),
        ("halt", None, "otto", "already"),
        ("unhalt", "done", "otto", None),
        ("unhalt", None, "otto", "not_halted"),
    ]


@pytest.mark.parametrize("who", ["marta", "nobody", "gone"])
def test_only_an_operator_who_is_here_may(conn: Any, who: str) -> None:
    rows.give_role(conn, "jonas", "operator")
    rows.deactivate(conn, "jonas")
    actor = "jonas" if who == "gone" else who
    assert halts.halt(conn, actor=actor, surface="cli") == "not_yours"
    assert halts.standing(conn) is None
    assert halts.halt(conn, actor="otto", surface="cli") == "halt"
    assert halts.lift(conn, actor=actor, surface="cli") == "not_yours"
    assert halts.standing(conn) is not None
    assert [(event, to, by) for event, to, by, _ in on_record(conn) if by != "otto"] == [
        ("halt", None, actor),
        ("unhalt", None, actor),
    ]


@pytest.mark.parametrize("verb", ["halt", "lift"])
def test_of_many_at_once_one_does_it(conn: Any, db_url: str, verb: str) -> None:
    if verb == "lift":
        halts.halt(conn, actor="otto", surface="cli")

    def one(_n: int) -> str:
        with database.connect(db_url) as own:
            return str(getattr(halts, verb)(own, actor="otto", surface="cli"))

    with ThreadPoolExecutor(6) as threads:
        said = sorted(threads.map(one, range(6)))
    assert said == sorted(["halt", *["already"] * 5] if verb == "halt" else ["unhalt", *["not_halted"] * 5])
    assert (halts.standing(conn) is not None) == (verb == "halt")


def _repeat(conn: Any, claim: Claim, effect: ledger.Begun) -> object:
    return ledger.repeat(conn, claim, effect.attempt_id, within_s=60, call_s=30, lease_s=60)


def _replace(conn: Any, claim: Claim, effect: ledger.Begun) -> object:
    return ledger.replace(conn, claim, effect.effect_id, call_s=30, lease_s=60)


@pytest.mark.parametrize("call", [None, _repeat, _replace], ids=["begin", "repeat", "replace"])
def test_a_call_whose_statement_waits_for_its_run_sees_the_halt_that_came_meanwhile(
    conn: Any, db_url: str, call: Callable[..., object] | None
) -> None:
    what: Callable[[Any], object]
    if call is None:
        claim, [pause_id] = rows.approved(conn)
        what = partial(ledger.begin, claim=claim, intent=rows.intent(claim.id, pause_id), lease_s=60)
    else:
        claim, _, effect = rows.begun(conn)
        rows.end_call(conn, effect.attempt_id)
        what = partial(call, claim=claim, effect=effect)
    with database.connect(db_url) as waiting, database.connect(db_url) as other, ThreadPoolExecutor(1) as hand:
        with other.transaction():
            other.execute("SELECT FROM run WHERE id = %s FOR UPDATE", (claim.id,))
            called = hand.submit(what, waiting)
            until_it_waits(conn, waiting, called)
            assert halts.halt(conn, actor="otto", surface="cli") == "halt"
        assert called.result() in ("halted", ledger.NotBegun("halted"))


def test_whoever_reads_a_request_learns_that_everything_is_halted(conn: Any) -> None:
    _, [pause_id] = rows.approved(conn)
    assert pauses.get(conn, pause_id).halted_by_name is None
    halts.halt(conn, actor="otto", surface="cli")
    assert pauses.get(conn, pause_id).halted_by_name == "Otto Brandt"
