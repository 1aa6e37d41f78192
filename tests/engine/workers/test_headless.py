"""One order, headless: the scripted model behind the real SDK, real rows, the provider on loopback. No Slack."""

from uuid import UUID

from engine.models import Decided, Pause, RunRecord
from engine.state import events, pauses, runs
from engine.tools import load
from engine.workers.means import Means
from engine.workers.sweep import Sweeper
from tests import rows
from tests.world import AGENT, World, order, work


def launch(means: Means, ref: str = "PO-1", amount: str = "38000.00") -> UUID:
    what = load([AGENT])["procurement"].launch(input=order(ref, amount), on_behalf_of="priya")
    return means.do(runs.launch, what, actor="priya", surface="tests")[0]


def pause_of(means: Means, run_id: UUID, index: int = -1) -> Pause:
    return means.do(pauses.get, means.do(runs.get, run_id).pauses[index])


def settled(means: Means, run_id: UUID) -> RunRecord:
    run = means.do(runs.get, run_id)
    assert isinstance(means.do(events.verify, run_id), events.Verified)
    return run


def test_an_order_under_the_limit_is_paid_without_asking(means: Means, outside: World) -> None:
    run_id = launch(means, amount="640.00")
    work(means)
    run = settled(means, run_id)
    assert (run.status, run.pauses) == ("done", [])
    assert [p["amount"] for p in outside.payments("PO-1")] == [64000]


def test_an_approved_order_is_paid_once_exactly_as_shown(means: Means, outside: World) -> None:
    run_id = launch(means)
    work(means)
    pause = pause_of(means, run_id)
    assert pause.status == "waiting"
    assert pause.content is not None
    assert (
        pause.content.summary
        == "Pay EUR 38,000.00 to Nordholz Industrial (sup_412) for 40 x hydraulic pumps, order PO-1."
    )
    assert outside.payments("PO-1") == []
    assert isinstance(means.do(pauses.approve, pause.id, "marta", surface="tests"), Decided)
    work(means)
    assert settled(means, run_id).status == "done"
    done = pause_of(means, run_id)
    assert done.status == "executed"
    [payment] = outside.payments("PO-1")
    assert payment["amount"] == 3_800_000
    assert done.receipt["result"]["payment_id"] == payment["id"]
    assert payment["metadata"]["effect_key"] == pause.content.effect_key


def test_a_denied_order_is_not_paid_and_the_agent_goes_on(means: Means, outside: World) -> None:
    run_id = launch(means)
    work(means)
    means.do(pauses.deny, pause_of(means, run_id).id, "marta", surface="tests", reason="We have enough pumps.")
    work(means)
    run = settled(means, run_id)
    assert run.status == "done"
    assert run.result is not None
    assert "We have enough pumps." in run.result
    assert outside.payments("PO-1") == []
    assert outside.suppliers.allocations() == []


def test_a_price_that_moved_is_asked_again_with_was_and_now(means: Means, outside: World) -> None:
    run_id = launch(means)
    work(means)
    first = pause_of(means, run_id)
    outside.suppliers.move({"order_ref": "PO-1", "factor": "1.05"})
    means.do(pauses.approve, first.id, "marta", surface="tests")
    work(means)
    assert pause_of(means, run_id, 0).status == "superseded"
    second = pause_of(means, run_id)
    assert second.status == "waiting"
    assert second.content is not None
    assert second.content.supersedes is not None
    assert str(second.content.supersedes.was) == "EUR 38,000.00"
    assert str(second.content.amount) == "EUR 39,900.00"
    assert outside.payments("PO-1") == []
    means.do(pauses.approve, second.id, "marta", surface="tests")
    work(means)
    assert [p["amount"] for p in outside.payments("PO-1")] == [3_990_000]
    run = settled(means, run_id)
    assert run.result is not None
    assert "39,900.00" in run.result


def test_silence_escalates_and_then_denies(means: Means, outside: World) -> None:
    run_id = launch(means)
    work(means)
    pause = pause_of(means, run_id)
    sweeper = Sweeper(means.pool)
    assert sweeper.run() == []
    with means.pool.connection() as conn:
        rows.make_due(conn, pause.id)
    assert [(m.event, m.approver) for m in sweeper.run()] == [("escalate", "person:otto")]
    with means.pool.connection() as conn:
        rows.make_due(conn, pause.id)
    assert [m.event for m in sweeper.run()] == ["expire"]
    work(means)
    run = settled(means, run_id)
    assert run.status == "done"
    assert run.result is not None
    assert "Nobody answered" in run.result
    assert outside.payments("PO-1") == []
