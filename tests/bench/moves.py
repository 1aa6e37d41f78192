"""Parking, deciding, and going on to the end, against the bare statements that no engine could do without."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final
from uuid import UUID

from engine import Agent, Effect, Money
from engine.rules import digest
from engine.state import db, pauses, runs
from engine.workers import loop
from engine.workers.means import Means
from tests import rows
from tests.bench import ground
from tests.bench.paper import Row
from tests.bench.timing import WARM, interleaved, seconds_each

Engine = Callable[[str, int, int], AbstractContextManager[Callable[[], float]]]
"""Another engine on a database, for so many clients and runs: rounds that give seconds a run."""

BARS: Final = {
    "park": {1: 0.65, 8: 0.55, 32: 0.55}, "decide": {1: 0.65, 8: 0.6, 32: 0.5}, "decide to done": {1: 0.4, 8: 0.2, 32: 0.16},
}  # fmt: skip
"""Of the bare statement's throughput, by clients. To done: four times what the best other engine reached of two bare UPDATEs."""

INSERT: Final = "INSERT INTO bare (id, status, fire_at, body) VALUES (%s, 'waiting', %s, %s)"
UPDATE: Final = "UPDATE bare SET status = %s WHERE id = %s AND status = %s"
LATER: Final = datetime(2100, 1, 1, tzinfo=UTC)
PER_ROUND: Final = {1: 150, 8: 400, 32: 480}


def park(url: str, clients: int, share: float) -> Row:
    """A run stops on a person: all that a pause writes, against one INSERT of the same bytes."""
    count = _jobs(clients, share)

    def ours() -> float:
        with ground.connections(url, clients) as conns:
            ready = [ground.ready_to_ask(conns[0]) for _ in range(count)]
            return seconds_each(conns, [partial(_ask, claim=claim, ask=ask) for claim, ask in ready])

    def bare() -> float:
        with ground.connections(url, clients) as conns:
            body = digest.canonical(rows.content(db.new_id()).to_document())
            return seconds_each(conns, [partial(_execute, INSERT, (db.new_id(), LATER, body)) for _ in range(count)])

    return _row("park", clients, *interleaved(ours, bare))


def decide(url: str, clients: int, share: float) -> Row:
    """A person's yes, against one conditional UPDATE."""
    count = _jobs(clients, share)

    def ours() -> float:
        with ground.connections(url, clients) as conns:
            waiting = [ground.parked(conns[0]) for _ in range(count)]
            try:
                return seconds_each(conns, [partial(_approve, pause_id=pause_id) for pause_id in waiting])
            finally:
                _take_all(conns[0])

    return _row("decide", clients, *interleaved(ours, lambda: _bare_updates(url, clients, count, updates=1)))


def to_done(url: str, clients: int, share: float) -> Row:
    """A yes, and the run goes on to its end: paid through the ledger, by the loop itself. Against two conditional UPDATEs."""
    count = _jobs(clients, share / 2)
    ours = partial(seconds_to_done, url, clients, count)
    return _row("decide to done", clients, *interleaved(ours, lambda: _bare_updates(url, clients, count, updates=2)))


def beside(url: str, others: Mapping[str, tuple[Engine, str]], clients: int, share: float) -> list[Row]:
    """The same, against other engines that do the same work in the same rounds; each by its name, with a database of its own."""
    count = _jobs(clients, share / 2)
    with ExitStack() as kept:
        rounds = [kept.enter_context(engine(own, clients, count)) for engine, own in others.values()]
        ours, *theirs = interleaved(partial(seconds_to_done, url, clients, count), *rounds)
    return [
        Row(
            what=f"decide to done against {name}, {_many(clients)}",
            value=took / ours,
            bar=4,
            least=True,
            seen=f"{1 / ours:,.0f} and {1 / took:,.0f} runs a second",
            unit=" x",
        )
        for name, took in zip(others, theirs, strict=True)
    ]


def seconds_to_done(url: str, clients: int, count: int) -> float:
    """Seconds a run from its yes to its end, by so many clients at once."""
    with db.pool(url, size=clients + 1, wait_s=30) as pool:
        means = means_on(pool)
        waiting = [launched_and_parked(means) for _ in range(count)]
        with ground.connections(url, clients) as conns:
            return seconds_each(conns, [partial(_see_through, means, pause_id) for pause_id in waiting])


def _jobs(clients: int, share: float) -> int:
    return clients * WARM + max(clients, int(PER_ROUND.get(clients, 400) * share))


def _many(clients: int) -> str:
    return "1 client" if clients == 1 else f"{clients} clients"


def _row(what: str, clients: int, ours: float, bare: float) -> Row:
    seen = f"{1 / ours:,.0f}/s of {1 / bare:,.0f}/s; {ours * clients * 1000:.2f} ms and {bare * clients * 1000:.2f} ms each"
    return Row(what=f"{what}, {_many(clients)}", value=bare / ours, bar=BARS[what].get(clients), least=True, seen=seen)


def _ask(conn: db.Conn, claim: Any, ask: runs.Ask) -> None:
    runs.ask(conn, claim, [ask])


def _approve(conn: db.Conn, pause_id: UUID) -> None:
    pauses.approve(conn, pause_id, "marta", surface="bench")


def _execute(statement: str, params: tuple[Any, ...], conn: db.Conn) -> None:
    conn.execute(statement.encode(), params)


def _bare_updates(url: str, clients: int, count: int, *, updates: int) -> float:
    with ground.connections(url, clients) as conns:
        ids = [db.new_id() for _ in range(count)]
        with conns[0].transaction():
            for each in ids:
                conns[0].execute(INSERT, (each, LATER, ""))

        def updated(each: UUID, conn: db.Conn) -> None:
            for step in (("approved", each, "waiting"), ("done", each, "approved"))[:updates]:
                _execute(UPDATE, step, conn)

        return seconds_each(conns, [partial(updated, each) for each in ids])


def _take_all(conn: db.Conn) -> None:
    while runs.claim(conn, "bench", ["procurement"], lease_s=3600):
        pass


# -------------------------------------------------------------------------------------- an agent whose model and provider are at hand


def _agent() -> Agent:
    agent = Agent("bench", model="claude-test", system="Pay.")

    @agent.tool(action="payment", amount="amount", no_find="There is no provider.")
    def pay(effect: Effect, order_ref: str, amount: Money) -> dict[str, str]:
        """Pay an order."""
        return {"payment_id": effect.attempt_key, "order_ref": order_ref, "amount": str(amount)}

    return agent


def _complete(**request: Any) -> Mapping[str, Any]:
    said = request["messages"][-1]["content"]
    if isinstance(said, list) and any(block.get("type") == "tool_result" for block in said):
        return {"stop_reason": "end_turn", "content": [{"type": "text", "text": "Paid."}], "usage": _USAGE}
    call = {"type": "tool_use", "id": f"toolu_{db.new_id().hex}", "name": "pay",
            "input": {"order_ref": "PO-1", "amount": {"amount": "38000.00", "currency": "EUR"}, "why": "It was ordered."}}  # fmt: skip
    return {"stop_reason": "tool_use", "content": [call], "usage": _USAGE}


_USAGE: Final = {"input_tokens": 100, "output_tokens": 20}


def means_on(pool: db.Pool) -> Means:
    """What a worker of this agent works with, on this pool."""
    agent = _agent()
    return Means(pool=pool, agents={agent.name: agent}, complete=_complete, name="bench", lease_s=3600)


def launched_and_parked(means: Means) -> UUID:
    """The pause of a run that has just stopped on a person."""
    [agent] = means.agents.values()
    run_id, _ = means.do(
        runs.launch, agent.launch(input="Pay PO-1.", on_behalf_of="priya"), actor="priya", surface="bench"
    )
    advance(means)
    return means.do(runs.get, run_id).pauses[0]


def _see_through(means: Means, pause_id: UUID, conn: db.Conn) -> None:
    _approve(conn, pause_id)
    while not advance(
        means
    ):  # a claim passes over what another holds: each client takes one run to its end, its own or another's
        pass


def advance(means: Means) -> bool:
    """Claim a run and take it as far as it goes; False if none is queued."""
    claim = means.do(runs.claim, means.name, list(means.agents), lease_s=means.lease_s)
    if claim:
        loop.advance(means, claim)
    return claim is not None
