"""What must hold after any interleaving, whatever the same moves would have come to one after the other.

The measure of serial.py knows only what the moves do; these know what they promise.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from engine.errors import LeaseLost
from engine.models import Claim, Decided, Voted
from engine.state import events
from tests import rows
from tests.interleavings.moves import STAGE, Scene
from tests.interleavings.place import Place
from tests.interleavings.stage import Made, Played


def kept(place: Place, scene: Scene, played: Played, found: dict[str, Any]) -> None:
    """All of them."""
    rows.consistent(place.conn)
    for run_id in scene.runs:
        verified = events.verify(place.conn, run_id)
        assert isinstance(verified, events.Verified), verified
    _one_winner(played.made, found)
    _votes(found)
    _once(found)
    if not played.let_go:  # then nobody saw who came first
        _nobody_works_on_a_lost_run(played.made)
    _awake(found)


def _one_winner(made: Sequence[Made], found: dict[str, Any]) -> None:
    """A pause is settled once, and as many people were told that they moved one as the record says."""
    moved = [e for e in found["record"] if e["entity"] == "pause" and e["to_status"] is not None]
    settled = Counter(e["entity_id"] for e in moved if e["from_status"] == "waiting" != e["to_status"])
    assert set(settled.values()) <= {1}, "settled twice"
    versions = Counter(e["entity_id"] for e in moved)
    assert {p["id"]: p["version"] for p in found["pauses"]} == dict(versions), "each move counted once"
    told = Counter(
        m.move.name
        for m in made
        for one in (m.outcome if isinstance(m.outcome, list) else [m.outcome])
        if isinstance(one, (Decided, Voted))
    )
    seen = Counter(e["event"] for e in moved if e["surface"] == STAGE)
    assert (told["approve"], told["deny"]) == (seen["approve"] + seen["vote"], seen["deny"]), (
        "told otherwise than recorded"
    )


def _votes(found: dict[str, Any]) -> None:
    """Nobody's vote is lost or counted twice."""
    for pause in found["pauses"]:
        votes = [v for v in found["votes"] if v["pause_id"] == pause["id"]]
        record = [
            e
            for e in found["record"]
            if e["entity_id"] == pause["id"] and e["event"] in ("vote", "approve", "deny") and e["to_status"]
        ]
        assert sorted(pause["voters"]) == sorted(v["person"] for v in votes) == sorted(e["actor"] for e in record)
        assert len(set(pause["voters"])) == len(pause["voters"])


def _once(found: dict[str, Any]) -> None:
    """An effect is begun once for each call, and one attempt of it at most is under way."""
    effects = Counter((f["run_id"], f["step"], f["n"]) for f in found["effects"])
    assert set(effects.values()) <= {1}
    under_way = Counter(a["effect_id"] for a in found["attempts"] if a["status"] == "open")
    assert set(under_way.values()) <= {1}
    ended = Counter(
        e["entity_id"]
        for e in found["record"]
        if e["entity"] == "effect" and e["to_status"] in ("done", "failed", "abandoned")
    )
    assert set(ended.values()) <= {1}


def _nobody_works_on_a_lost_run(made: Sequence[Made]) -> None:
    """Once another has claimed a run, whoever had it before is told so, and moves nothing."""
    epochs: dict[UUID, int] = {}
    for m in made:
        if isinstance(m.outcome, Claim):
            assert m.outcome.epoch > epochs.get(m.outcome.id, 0), "claimed twice in one epoch"
            epochs[m.outcome.id] = m.outcome.epoch
        elif m.move.claim and m.move.claim.epoch < epochs.get(m.move.claim.id, 0):
            assert isinstance(m.outcome, LeaseLost) or m.outcome is False, (
                f"{m.move.name} by a worker that had lost the run"
            )


def _awake(found: dict[str, Any]) -> None:
    """A run waits as long as a pause of it waits, and no longer."""
    for run in found["runs"]:
        waiting = sum(p["run_id"] == run["id"] and p["status"] == "waiting" for p in found["pauses"])
        assert run["waiting_pauses"] == waiting
        assert (run["status"] == "awaiting_approval") == (waiting > 0), f"{run['status']} with {waiting} waiting"
        assert (run["status"] == "queued") == (run["queued_at"] is not None)
