"""A run from its launch on: who may start it, what its steps save and count, and how people find it."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import psycopg
import pytest

from engine.errors import BadInput, LeaseLost, NotFound
from engine.models import Claim
from engine.state import cards, db, events, pauses, runs
from tests import rows


def claim(conn: Any, worker: str = "w2", *agents: str) -> Claim | None:
    return runs.claim(conn, worker, agents or ["procurement"], lease_s=60)


def last_events(conn: Any, run_id: UUID, n: int = 1) -> list[tuple[str, str | None, str]]:
    return [(e.event, e.to_status, e.actor) for e in events.of_run(conn, run_id)][-n:]


# --------------------------------------------------------------------------------------------------------------- launch


def test_a_launch_is_queued_with_its_first_message_and_its_first_link(conn: Any) -> None:
    run_id = rows.launched(conn, max_tokens=1000, reply_to="C0BUY")
    run = runs.get(conn, run_id)
    assert (run.status, run.kind, run.on_behalf_of, run.requester_name, run.input, run.seq) == (
        "queued", "agent", "priya", "Priya Nair", "Buy this order.", 1,
    )  # fmt: skip
    assert [(m["role"], m["content"]) for m in run.messages] == [("user", "Buy this order.")]
    assert last_events(conn, run_id) == [("launch", "queued", "priya")]


@pytest.mark.parametrize("person", ["nobody", "lena", ""])
def test_a_run_always_has_an_active_requester(conn: Any, person: str) -> None:
    with pytest.raises(BadInput, match=r"nobody active.*placet people") as refused:
        rows.launched(conn, on_behalf_of=person)
    assert refused.value.field == "for"
    assert runs.listed(conn) == []


def test_a_launch_key_launches_once_and_gives_the_same_run_ever_after(conn: Any) -> None:
    run_id = rows.launched(conn, launch_key="order-1")
    again = replace(rows.LAUNCH, launch_key="order-1", input="Something else.")
    assert runs.launch(conn, again, actor="priya", surface="tests") == (run_id, False)
    assert runs.get(conn, run_id).input == "Buy this order."
    assert rows.launched(conn, launch_key="order-2") != run_id


# ---------------------------------------------------------------------------------------------------- steps and budgets


def test_messages_are_appended_in_order_and_come_back_as_they_were(conn: Any) -> None:
    mine = rows.claimed(conn)
    odd = {
        "role": "assistant",
        "content": [{"z": 1, "a": [{"type": "thinking", "signature": "x\u2028"}], "type": "new"}],
    }
    runs.save_reply(conn, mine, [odd], [], tokens=1, cost_micros=1)
    answers = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok"}]}
    runs.save_reply(conn, mine, [answers, rows.REPLY], [], tokens=1, cost_micros=1)
    runs.finish(conn, mine, "Paid.", runs.LastWords(messages=(answers, rows.REPLY), replies=1))
    loaded = runs.load(conn, mine.id).messages
    assert loaded == [{"role": "user", "content": "Buy this order."}, odd, answers, rows.REPLY, answers, rows.REPLY]
    assert list(loaded[1]["content"][0]) == ["z", "a", "type"]  # key order is what prompt caches see


def test_budgets_are_counted_where_the_step_is_saved_and_a_wait_does_not_start_them_anew(conn: Any) -> None:
    mine = rows.claimed(conn, rows.launched(conn, max_tokens=1000, max_cost_micros=500))
    rows.replied(conn, mine)
    ask = rows.asked(conn, mine)
    runs.ask(conn, mine, [ask])
    pauses.approve(conn, ask.id, "marta", surface="tests")
    again = claim(conn)
    assert again is not None
    rows.replied(conn, again)
    run = runs.load(conn, mine.id)
    assert (run.iterations, run.tokens, run.cost_micros) == (2, 200, 20)
    assert (run.max_iterations, run.max_tokens, run.max_cost_micros) == (20, 1000, 500)
    with pytest.raises(LeaseLost):  # a call of the turn has no result yet
        runs.finish(conn, again, "Paid.", runs.LastWords(replies=1, tokens=7, cost_micros=3))
    runs.save_results(conn, again, {0: rows.PAID})
    runs.finish(conn, again, "Paid.", runs.LastWords(replies=1, tokens=7, cost_micros=3))
    done = runs.get(conn, mine.id)
    assert (done.iterations, done.tokens, done.cost_micros) == (3, 207, 23)


def test_no_reply_beyond_the_bound_can_be_saved(conn: Any) -> None:
    mine = rows.claimed(conn, rows.launched(conn, max_iterations=1))
    rows.replied(conn, mine)
    with pytest.raises(psycopg.errors.CheckViolation):
        rows.replied(conn, mine)
    assert runs.load(conn, mine.id).iterations == 1


def test_the_calls_of_a_turn_are_kept_as_sent_and_settled_one_by_one(conn: Any) -> None:
    mine = rows.claimed(conn)
    rows.replied(conn, mine, 3)
    assert runs.save_results(conn, mine, {1: rows.PAID}, refused=1) == "running"
    assert runs.save_results(conn, mine, {1: {"text": "again", "is_error": True}, 2: rows.PAID}) == "running"
    run = runs.load(conn, mine.id)
    assert [(c.n, c.state, c.arguments, c.result) for c in run.calls] == [
        (0, "requested", {"n": 0}, None), (1, "settled", {"n": 1}, rows.PAID), (2, "settled", {"n": 2}, rows.PAID),
    ]  # fmt: skip
    assert run.refusals == 1


def test_a_step_that_is_saved_writes_no_link_as_long_as_nothing_moves(conn: Any) -> None:
    mine = rows.claimed(conn)
    rows.replied(conn, mine)
    assert runs.get(conn, mine.id).seq == 2  # launch and claim


# -------------------------------------------------------------------------------------------------------------- reading


def test_a_run_is_named_by_the_end_of_its_id(conn: Any) -> None:
    run_id = rows.launched(conn)
    for text in (str(run_id), run_id.hex[-6:], f"run_{run_id.hex[-6:].upper()}"):
        assert runs.named(conn, text) == run_id
    with pytest.raises(NotFound, match="No run has an id ending in"):
        runs.named(conn, "ffffffffffff")
    for text in ("", "run_", "xyz", "run_" + "0" * 33):
        with pytest.raises(BadInput, match="is no id"):
            runs.named(conn, text)


def test_a_name_that_fits_several_runs_is_refused(conn: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = iter([UUID(f"01890a5d-ac96-774b-bcce-b3020{n}5d21ab") for n in (1, 2)])
    monkeypatch.setattr(db, "new_id", lambda: next(ids))
    for _ in range(2):
        rows.launched(conn)
    with pytest.raises(BadInput, match="Several ids end in"):
        runs.named(conn, "run_5d21ab")


def test_runs_are_listed_newest_first_by_status_and_person(conn: Any) -> None:
    done = rows.claimed(conn).id
    runs.finish(conn, Claim(id=done, epoch=1, agent="procurement"), "Paid.", runs.LastWords())
    live, theirs = rows.launched(conn), rows.launched(conn, on_behalf_of="marta")
    assert [r.id for r in runs.listed(conn)] == [theirs, live, done]
    assert [r.id for r in runs.listed(conn, status="live")] == [theirs, live]
    assert [r.id for r in runs.listed(conn, status="done")] == [done]
    assert [r.id for r in runs.listed(conn, person="priya")] == [live, done]
    assert [(r.id, r.total) for r in runs.listed(conn, limit=1, offset=1)] == [(live, 3)]
    assert runs.unended(conn) == runs.Unended(working=2, waiting=0, in_doubt=0)


def test_a_card_follows_an_operators_hold_and_its_end(conn: Any) -> None:
    """It says "on hold" while that is so, and no longer."""
    mine, [pause_id] = rows.approved(conn)

    def wanted() -> int:
        return sum(card.wanted for card in cards.of_pause(conn, pause_id))

    before = wanted()
    assert runs.hold(conn, mine.id, actor="otto", surface="tests") == "pausing"
    assert runs.release(conn, mine, "w1")
    held = wanted()
    assert held > before
    assert runs.resume(conn, mine.id, actor="otto", surface="tests") == "queued"
    resumed = wanted()
    assert resumed > held
    assert runs.hold(conn, mine.id, actor="otto", surface="tests") == "paused"
    assert wanted() > resumed
