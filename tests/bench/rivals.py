"""The same work on two engines that people know, in the same run on the same server: `pip install -e '.[bench]'`.

A run waits for a person's yes, gets it, takes one more durable step and is over. What they keep of a run is as much as we keep of it: four
messages and the proposed action. They know no approver, no deadline, no ledger and no record; the ratio is what all that costs or saves.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, TypedDict
from uuid import UUID

from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool

from engine.rules import digest
from engine.state import db
from tests import rows
from tests.bench.timing import seconds_each

MESSAGES: Final = [{"role": ("user", "assistant")[n % 2], "content": "x" * 500} for n in range(4)]
PATIENCE_S: Final = 600.0

Round = Callable[[], float]
"""Seconds a run from its yes to its end, throughput turned round."""


class State(TypedDict):
    """What a graph keeps."""

    messages: list[dict[str, Any]]
    action: dict[str, Any]
    answer: str


@contextmanager
def langgraph(url: str, clients: int, count: int) -> Iterator[Round]:
    """LangGraph with its PostgreSQL saver, every step durable before the next begins (`durability="sync"`)."""
    from langgraph.checkpoint.postgres import PostgresSaver
    from langgraph.graph import END, START, StateGraph
    from langgraph.types import Command, interrupt

    def ask(state: State) -> dict[str, Any]:
        return {"answer": interrupt(state["action"])}

    def pay(state: State) -> dict[str, Any]:
        return {"messages": [*state["messages"], {"role": "user", "content": "paid"}]}

    builder = StateGraph(State)
    builder.add_node("ask", ask)
    builder.add_node("pay", pay)
    builder.add_edge(START, "ask")
    builder.add_edge("ask", "pay")
    builder.add_edge("pay", END)
    settings = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    with ConnectionPool(url, kwargs=settings, min_size=1, max_size=clients + 1) as pool:
        saver = PostgresSaver(pool)
        saver.setup()
        graph = builder.compile(checkpointer=saver)

        def go(given: Any, run: UUID) -> None:
            graph.invoke(given, {"configurable": {"thread_id": str(run)}}, durability="sync")

        def one_round() -> float:
            runs = [db.new_id() for _ in range(count)]
            for run in runs:
                go({"messages": MESSAGES, "action": _action(), "answer": ""}, run)
            return _timed(clients, [partial(go, Command(resume="yes"), run) for run in runs])

        yield one_round


@contextmanager
def dbos(url: str, clients: int, count: int) -> Iterator[Round]:
    """DBOS: a workflow that waits for a message, and a step after it."""
    from dbos import DBOS, SetWorkflowID

    given = conninfo_to_dict(url)
    address = f"postgresql://{given['user']}@/{given['dbname']}?host={given['host']}"
    DBOS(config={"name": "bench", "system_database_url": address, "run_admin_server": False, "log_level": "ERROR"})

    step: Any = DBOS.step()(_pay)

    def wait(messages: Sequence[dict[str, Any]], action: dict[str, Any]) -> Any:
        assert action
        assert DBOS.recv("answer", timeout_seconds=PATIENCE_S) == "yes"
        return step(messages)

    workflow: Any = DBOS.workflow()(wait)
    DBOS.launch()
    try:

        def one_round() -> float:
            handles = []
            for _ in range(count):
                with SetWorkflowID(str(db.new_id())):
                    handles.append(DBOS.start_workflow(workflow, MESSAGES, _action()))
            return _timed(clients, [partial(_answer, DBOS, handle) for handle in handles])

        yield one_round
    finally:
        DBOS.destroy()


def _pay(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [*messages, {"role": "user", "content": "paid"}]


def _timed(clients: int, jobs: Sequence[Callable[[], object]]) -> float:
    nothing: Any = [None] * clients  # in place of connections: these engines have their own
    return seconds_each(nothing, [partial(_done, job=job) for job in jobs])


def _done(_conn: Any, *, job: Callable[[], object]) -> None:
    job()


def _answer(dbos_class: Any, handle: Any) -> None:
    dbos_class.send(handle.workflow_id, "yes", "answer")
    handle.get_result()


def _action() -> dict[str, Any]:
    held: dict[str, Any] = json.loads(digest.canonical(rows.content(db.new_id()).to_document()))
    return held
