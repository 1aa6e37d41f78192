"""The fault matrix: whatever the provider does and wherever a worker is lost, there is one payment, or none and a reason that can be seen."""

from dataclasses import replace
from typing import Any

import pytest

from engine.models import RunRecord
from engine.state import events, ledger, pauses, runs
from tests import rows
from tests.matrix.agent import ORDER
from tests.matrix.cells import CELLS, Cell, End, must_end
from tests.matrix.printed import CameTo, lines
from tests.matrix.stage import Stage


@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_one_payment_or_none_and_a_reason_that_can_be_seen(stage: Stage, came_to: CameTo, cell: Cell) -> None:
    stage.play(cell)
    end = counted(stage)
    came_to(cell, end)
    seen(stage, end)
    assert end == must_end(cell)
    assert stage.rival == ([None] if cell.crash == "none" else [])


def counted(stage: Stage) -> End:
    """What the provider took for this effect, and what our ledger says. Never twice, and nothing beside it."""
    [line] = ledger.of_run(stage.conn, the_run(stage).id)
    made = stage.provider.payments()
    assert {payment["metadata"]["effect_key"] for payment in made} <= {line.effect_key}
    assert all(payment["status"] == "succeeded" for payment in made)
    assert len(made) <= 1, "paid more than once"
    assert line.status in ("done", "failed", "in_doubt"), "it is silent"
    return End(len(made), line.status)


def seen(stage: Stage, end: End) -> None:
    """Everything that people and the model are shown agrees with it."""
    run = the_run(stage)
    [line] = ledger.of_run(stage.conn, run.id)
    [pause] = [pauses.get(stage.conn, pause_id) for pause_id in run.pauses]
    told: list[Any] = [
        block for message in run.messages if isinstance(message["content"], list) for block in message["content"]
    ]
    results = [(block["content"], block.get("is_error", False)) for block in told if block["type"] == "tool_result"]
    match end.effect:
        case "done":
            [payment] = stage.provider.payments()
            assert pause.receipt["result"]["payment_id"] == payment["id"]
            assert (run.status, pause.status, run.error, line.error) == ("done", "executed", None, None)
            assert [payment["id"] in text for text, is_error in results if not is_error] == [True]
        case "failed":
            assert end.paid == 0
            assert line.error
            assert (run.status, pause.status, pause.effect_error) == ("done", "failed", line.error)
            assert results == [(f"It was refused and not done: {line.error}", True)]
        case "in_doubt":
            [doubt] = ledger.in_doubt(stage.conn)
            assert doubt.error
            assert (run.status, pause.effect_status, doubt.doubt_role) == ("in_doubt", "in_doubt", "finance-approver")
            notices = stage.conn.execute("SELECT dest FROM notice WHERE kind = 'in_doubt'").fetchall()
            assert notices == [("person:priya",)]
            assert results == []
    assert all(payment["metadata"]["order_ref"] == ORDER for payment in stage.provider.payments())
    assert isinstance(events.verify(stage.conn, run.id), events.Verified)
    rows.consistent(stage.conn)


def the_run(stage: Stage) -> RunRecord:
    [(run_id,)] = stage.conn.execute("SELECT id FROM run WHERE kind = 'agent'").fetchall()
    return runs.get(stage.conn, run_id)


def test_the_matrix_is_whole() -> None:
    """So many cells can be, each has a name of its own, and each kind of end is one that is allowed."""
    assert len({str(cell) for cell in CELLS}) == len(CELLS) == 7 * 2 * (3 * 8 - 1) + 2 * 7 + 3 * 8 - 1
    ends = {must_end(cell) for cell in CELLS}
    assert ends == {End(1, "done"), End(0, "failed"), End(1, "in_doubt"), End(0, "in_doubt")}
    assert {must_end(replace(cell, fault="none", crash="none", window="inside")) for cell in CELLS} == {End(1, "done")}


def test_the_matrix_is_printed_row_by_row_with_a_dash_where_nothing_can_be() -> None:
    played = {
        ("drop_after", "outside", "find"): {"called": "1 done"},
        ("none", "inside", "no find"): {"none": "1 done", "begun": "0 in doubt WRONG"},
    }
    head, _, first, second = lines(played)
    assert first.split()[:5] == ["none", "inside", "no", "find", "1"]
    assert second.split() == ["drop_after", "outside", "find", "-", "-", "-", "1", "done", "-", "-", "-", "-"]
    assert first.index("0 in doubt WRONG") == head.index("killed before", head.index("killed before") + 1)
