"""`python -m tests.bench`: measure what Placet costs on this machine, print it, and write it down."""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

from tests import database
from tests.bench import cost, ground, growth, moves, paper, people, processes, rivals
from tests.bench.paper import Row
from tests.bench.timing import ROUNDS

ROOT = Path(__file__).parents[2]
PARTS = ("cost", "moves", "beside", "processes", "growth", "people")


def main() -> None:
    """Read the command line, measure, show."""
    say = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    say.add_argument("--clients", default="1,8,32", help="numbers of clients, as 1,8,32")
    say.add_argument("--quick", action="store_true", help="shorter rounds, 20,000 waiting")
    say.add_argument(
        "--million", action="store_true", help="1,000,000 waiting in place of 100,000: several minutes and 5 GB more"
    )
    say.add_argument("--only", choices=PARTS, action="append", help="only this part; may be given again")
    say.add_argument("--out", type=Path, help="write the table to OUT.md and the picture to OUT.svg")
    say.add_argument("--readme", action="store_true", help="put the table into README.md, and the picture beside it")
    asked = say.parse_args()
    waiting = 1_000_000 if asked.million else 20_000 if asked.quick else 100_000
    clients = [int(each) for each in asked.clients.split(",")]
    rows = []
    for row in measure(asked.only or PARTS, clients, waiting, share=1 / 3 if asked.quick else 1):
        rows.append(row)
        print(" | ".join(filter(None, row.cells)), flush=True)  # it takes a quarter of an hour: each as it comes
    paper.show(rows)
    if asked.out:
        paper.write(rows, asked.out)
    if asked.readme:
        paper.into_readme(rows, ROOT / "README.md", ROOT / "tests" / "bench" / "costs.svg")


def measure(parts: list[str] | tuple[str, ...], clients: list[int], waiting: int, share: float) -> Iterator[Row]:
    """The figures, as they are taken."""
    with ExitStack() as kept:
        folder = kept.enter_context(tempfile.TemporaryDirectory(prefix="placet-bench-", ignore_cleanup_errors=True))
        server = kept.enter_context(database.server(Path(folder)))
        if "cost" in parts:
            yield from counted(database.migrated(server, "counted"))
        if set(parts) - {"cost"}:
            few = kept.enter_context(ground.crowded(server, "few", 10_000))
            with database.connect(few) as conn:
                database.apply_policy(conn)
        if "moves" in parts:
            for move in (moves.park, moves.decide, moves.to_done):
                for count in clients:
                    yield move(few, count, share)
        if "beside" in parts:
            yield from beside(server, few, clients, share)
        if "processes" in parts:
            yield from processes.throughput(few, int(240 * share))
        if "growth" in parts:
            many = kept.enter_context(ground.crowded(server, "many", waiting))
            yield growth.decision(few, many, waiting)
            yield growth.empty_sweep(few, many, waiting)
            yield growth.long_run(few)
            yield growth.due(kept.enter_context(ground.crowded(server, "due", ROUNDS * growth.DUE)))
            yield growth.old_snapshot(many)
    if "people" in parts:
        yield from people.waits(share)


def beside(server: str, ours: str, clients: list[int], share: float) -> Iterator[Row]:
    """The other engines, where they are installed; else a line that says how."""
    if find_spec("langgraph") is None or find_spec("dbos") is None:
        print("LangGraph and DBOS are not measured beside it: pip install -e '.[bench]'", file=sys.stderr)
        return
    others = {
        "LangGraph": (rivals.langgraph, database.created(server, "langgraph")),
        "DBOS": (rivals.dbos, database.created(server, "dbos")),
    }
    for count in clients:
        yield from moves.beside(ours, others, count, share)


def counted(url: str) -> Iterator[Row]:
    """What does not depend on the machine."""
    database.empty(url)
    with database.connect(url) as conn:
        run = cost.of_a_run(conn)
        stored, content = cost.parked_bytes(conn)
    wal = sum(run.wal.values())
    yield Row(what="a whole run: transactions", value=run.transactions, bar=9, least=False, seen=" · ".join(run.wal))
    seen = " · ".join(f"{move} {written:,}" for move, written in run.wal.items())
    yield Row(
        what="a whole run: WAL beside its content",
        value=(wal - run.content) / 1024,
        bar=12,
        least=False,
        seen=seen,
        unit=" KB",
    )
    seen = f"{stored:,} bytes, of which {content:,} are content"
    yield Row(
        what="a parked run: stored beside its content",
        value=(stored - content) / 1024,
        bar=4,
        least=False,
        seen=seen,
        unit=" KB",
    )


if __name__ == "__main__":
    main()
