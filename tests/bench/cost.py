"""What one run costs the server, counted: the same on every machine. A run here is the nine moves of an approved payment, no Slack."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any, Final
from uuid import UUID

from engine.models import Decided
from engine.state import ledger, pauses, runs
from tests import database, rows

CONTENT: Final = """
    SELECT (SELECT sum(octet_length(input) + octet_length(coalesce(result, ''))) FROM run_content)
         + (SELECT sum(octet_length(content::text)) FROM run_message)
         + (SELECT sum(octet_length(arguments::text) + octet_length(coalesce(result::text, ''))) FROM run_call)
         + (SELECT sum(octet_length(document)) FROM pause_content)
         + (SELECT coalesce(sum(octet_length(action) + octet_length(coalesce(receipt::text, ''))), 0) FROM effect)
"""
"""What was said, asked, done and answered: bytes that have to be kept whatever the engine."""

MOVES: Final = ("launch", "claim", "save the reply", "park", "decide", "claim again", "begin", "settle", "finish")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Of one run, in the middle of many: its transactions, and bytes of WAL by move; `content` is what of it had to be written anyway."""

    transactions: int
    wal: dict[str, int]
    content: int


def of_a_run(conn: Any, runs_counted: int = 30) -> Cost:
    """Count it. The first run of a database and the pages that a checkpoint makes whole are left out by the median."""
    seen: list[list[tuple[int, int]]] = []
    for _ in range(runs_counted):
        marks = [_mark(conn)]
        _whole_run(conn, lambda marks=marks: marks.append(_mark(conn)))  # type: ignore[misc]
        seen.append([(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(marks)])
    wal = {move: int(median(each[n][1] for each in seen)) for n, move in enumerate(MOVES)}
    [(content,)] = conn.execute(CONTENT).fetchall()
    return Cost(
        transactions=int(median(sum(x for x, _ in each) for each in seen)),
        wal=wal,
        content=int(content) // runs_counted,
    )


def parked_bytes(conn: Any, count: int = 200) -> tuple[int, int]:
    """(bytes stored, bytes of content among them) of one more run that waits, once the dead rows of its way there are swept up."""
    for _ in range(count):  # the ground is fuller than a page of each table, and its free space is used up
        rows.waiting(conn)
    conn.execute("VACUUM")
    before, [(content,)] = _stored(conn), conn.execute(CONTENT).fetchall()
    for _ in range(count):
        rows.waiting(conn)
    conn.execute("VACUUM")
    [(more,)] = conn.execute(CONTENT).fetchall()
    return (_stored(conn) - before) // count, int(more - content) // count


def _whole_run(conn: Any, moved: Callable[[], None]) -> None:
    rows.launched(conn)
    moved()
    claim = _claim(conn)
    moved()
    rows.replied(conn, claim)
    moved()
    ask = rows.asked(conn, claim)
    runs.ask(conn, claim, [ask])
    moved()
    assert isinstance(pauses.approve(conn, ask.id, "marta", surface="slack"), Decided)
    moved()
    claim = _claim(conn)
    moved()
    _pay(conn, claim, ask.id, moved)
    runs.finish(conn, claim, "Paid.", runs.LastWords(messages=(rows.REPLY,), replies=1))
    moved()


def _pay(conn: Any, claim: Any, pause_id: UUID, moved: Callable[[], None]) -> None:
    begun = ledger.begin(conn, claim, rows.intent(claim.id, pause_id), lease_s=60)
    assert isinstance(begun, ledger.Begun)
    moved()
    ledger.settle(conn, begun.attempt_id, "succeed", receipt={"payment_id": "pi_1"}, result=rows.PAID)
    moved()


def _claim(conn: Any) -> Any:
    claim = runs.claim(conn, "w1", ["procurement"], lease_s=60)
    assert claim is not None
    return claim


def _mark(conn: Any) -> tuple[int, int]:
    """How many transactions have written so far, and bytes of WAL."""
    asked = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint, pg_current_wal_insert_lsn() - '0/0'::pg_lsn"
    xids, wal = conn.execute(asked).fetchone()
    return int(xids), int(wal)


def _stored(conn: Any) -> int:
    """Bytes of all tables with their indexes."""
    asked = "SELECT sum(pg_total_relation_size(name::regclass)) FROM unnest(%s::text[]) name"
    return int(conn.execute(asked, (list(database.TABLES),)).fetchone()[0])
