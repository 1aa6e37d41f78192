"""Many people and two sweeps on the same few runs at once: no error reaches anybody, nothing is settled twice, no run is left asleep."""

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

from engine.models import Decided, Due, Moved, NotYours, Outcome, Voted
from engine.state import events, pauses, runs
from tests import database, rows

RUNS, SIBLINGS, CLICKERS = 24, 3, 8
VOTERS = ("marta", "ines", "jonas")
SETTLED = {"approved", "denied", "expired", "cancelled"}


def _runs_that_wait(conn: Any, seed: int) -> list[UUID]:
    """Pauses that need two of three people, and are due at some time in the next second; a few are already."""
    rows.give_role(conn, "jonas", "finance-approver")
    opened = [
        pause_id
        for _ in range(RUNS)
        for pause_id in rows.waiting(conn, SIBLINGS, approver="role:finance-approver", need=rows.QUORUM)
    ]
    chance = random.Random(seed)
    for n, pause_id in enumerate(opened):
        rows.make_due(conn, pause_id, seconds=-chance.uniform(0.2, 1.2) if n % 10 else 0.1)
    return opened


def _click(url: str, opened: list[UUID], seed: int) -> list[tuple[UUID, Outcome]]:
    """One person after the other looks at every pause, in an order of their own; one answer in twelve is a no."""
    chance = random.Random(seed)
    told: list[tuple[UUID, Outcome]] = []
    with database.connect(url) as own:
        for person in chance.sample(VOTERS, 3):
            for pause_id in chance.sample(opened, len(opened)):
                verb = pauses.deny if chance.random() < 1 / 12 else pauses.approve
                told.append((pause_id, verb(own, pause_id, person, surface="stress")))
    return told


def _sweep(url: str, clicking: list[Any]) -> list[Moved]:
    """Escalate once, then expire, whatever is due, until all clicks are made and nothing waits."""
    moved: list[Moved] = []
    with database.connect(url) as own:
        while True:
            due = pauses.due(own, limit=20)
            steps = [
                pauses.NextStep(
                    pause_id=d.id, level=d.level, next="role:finance-lead" if d.level == 0 else None, within_s=0.1
                )
                for d in due
            ]
            moved += pauses.settle_due(own, steps, surface="sweep")
            if not due and all(c.done() for c in clicking) and not pauses.waiting(own):
                return moved


def test_nothing_is_lost_doubled_or_left_asleep(conn: Any, db_url: str) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")  # noqa: T201  what repeats a failure
    opened = _runs_that_wait(conn, seed)
    with ThreadPoolExecutor(CLICKERS + 2) as threads:
        clicking = [threads.submit(_click, db_url, opened, seed + n) for n in range(CLICKERS)]
        sweeping = [threads.submit(_sweep, db_url, clicking) for _ in range(2)]
        told = [answer for clicks in clicking for answer in clicks.result(timeout=30)]
        moved = [move for sweep in sweeping for move in sweep.result(timeout=30)]

    rows.consistent(conn)
    assert pauses.waiting(conn) == []
    won = {pause_id: outcome for pause_id, outcome in told if isinstance(outcome, Decided)}
    assert len(won) == sum(isinstance(outcome, Decided) for _, outcome in told)
    expired = [m.pause_id for m in moved if m.event == "expire"]
    assert len(expired) == len(set(expired))
    assert won.keys().isdisjoint(expired)
    for pause_id in opened:
        pause = pauses.get(conn, pause_id)
        record = [
            e for e in events.of_run(conn, pause.run_id) if e.entity_id == str(pause_id) and e.to_status is not None
        ]
        settled = Counter(e.to_status for e in record if e.from_status == "waiting" and e.to_status != "waiting")
        assert settled.total() == 1, "settled once, and only once"
        assert record[-1].to_status == pause.status
        assert pause.status in SETTLED
        assert sorted(pause.voters) == sorted(v.person for v in pause.votes)
        assert sum(e.event in ("vote", "approve") for e in record) == 2 - pause.votes_left
        assert pause.version == len(record)  # opened as 1, and one more with each move
        if pause_id in won:
            assert won[pause_id].now.status in {pause.status, "approved"}  # an approved one may fall with its sibling
        else:
            assert pause.status in ("cancelled", "expired")
    for run_id in {pauses.get(conn, pause_id).run_id for pause_id in opened}:
        assert runs.get(conn, run_id).status == "queued"
        assert [e.event for e in events.of_run(conn, run_id)].count("wake") == 1
    seen = {type(outcome) for _, outcome in told}
    assert {Decided, Voted, NotYours} <= seen  # it was a fight, not a walk
    assert Due in seen or moved
