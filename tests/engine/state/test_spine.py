"""A run from launch to done, by the verbs alone, with its record verified."""

from typing import Any

from engine.models import AlreadySettled, Decided, NotYours
from engine.state import events, ledger, pauses, runs
from tests import rows


def test_an_order_waits_is_approved_and_is_done_once(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    pause = pauses.get(conn, pause_id)
    assert pause.intact
    assert pause.content is not None
    assert pause.content.summary == "EUR 38,000.00 to Nordholz Industrial (sup_412)"

    assert isinstance(pauses.approve(conn, pause_id, "jonas", surface="tests"), NotYours)
    won = pauses.approve(conn, pause_id, "marta", surface="tests")
    assert isinstance(won, Decided)
    assert (won.now.status, won.now.decided_by, won.now.run_status) == ("approved", "marta", "queued")
    lost = pauses.deny(conn, pause_id, "marta", surface="tests")
    assert isinstance(lost, AlreadySettled)
    assert (lost.now.status, lost.now.decided_by) == ("approved", "marta")

    claim = runs.claim(conn, "w2", ["procurement"], lease_s=60)
    assert claim is not None
    begun = ledger.begin(conn, claim, rows.intent(claim.id, pause_id), lease_s=60)
    assert isinstance(begun, ledger.Begun)
    settled = ledger.settle(
        conn, begun.attempt_id, "succeed", receipt={"id": "pi_1"}, result={"text": "paid", "is_error": False}
    )
    assert (settled.outcome, settled.run_status) == ("succeed", "running")
    runs.finish(conn, claim, "Paid.", runs.LastWords(messages=(rows.REPLY,), replies=1))

    assert runs.get(conn, claim.id).status == "done"
    assert pauses.get(conn, pause_id).status == "executed"
    assert events.verify(conn, claim.id) == events.Verified(links=10)
