"""`placet launch`: runs from an orders file or from words, or what an orders file would need, told without writing anything.

The one rule: a run always has a requester, and what cannot be read never becomes one; the rows that can be are launched all the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Final, Literal
from uuid import UUID

import typer
from rich.text import Text

from bot.cards.ids import screen_id
from bot.commands import needs
from bot.commands.foretold import BLOCK, show_needs, unreadable
from bot.commands.terminal import (
    SURFACE,
    Exit,
    complain,
    database,
    known,
    plain,
    read_text,
    say,
    show,
    table,
    watched,
)
from engine.errors import BadInput, Misconfigured
from engine.rules.digest import visible
from engine.rules.intake import Row, Unreadable
from engine.rules.people import Person
from engine.state import db, ledger, people, policies, runs
from engine.tools import Agent, load
from engine.workers.orders import Taken, foresee_all, key_of, launch_key, read_orders

app = typer.Typer()

MOST_BYTES: Final = 20_000_000
MOST_ROWS: Final = 20_000
"""A file beyond either is refused: it is read whole, since two rows that share a reference are both refused."""

_KINDS: dict[str, Literal["csv", "jsonl"]] = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """What became of one row, as the table shows it."""

    line: int
    ref: str
    fate: Literal["launched", "unchanged", "refused"]
    text: str


@app.command()
def launch(
    agent: Annotated[str, typer.Argument(help="The agent's name.")],
    *,
    person: Annotated[
        str, typer.Option("--for", metavar="PERSON", help="For whom it asks: an id from `placet people`.")
    ],
    orders: Annotated[Path | None, typer.Option(help="A file of orders, .csv or .jsonl: a run for each row.")] = None,
    words: Annotated[str | None, typer.Option("--input", help="What one run is to do, in words.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what each row would need; write nothing.")
    ] = False,
    agents: Annotated[
        str, typer.Option(envvar="PLACET_AGENTS", help="The modules that hold agents, comma-separated.")
    ] = "",
) -> None:
    """Launch runs in somebody's name: from an orders file, or from words."""
    if (orders is None) == (words is None):
        raise BadInput("--orders", "give either a file of orders, or --input with words.")
    if words is not None and not words.strip():
        raise BadInput("--input", "it is empty. Say what the run is to do.")
    if words is not None and dry_run:
        raise BadInput("--dry-run", "what an agent makes of words is not known beforehand. It needs --orders.")
    chosen = _agent(agents, agent)
    if orders is None:
        _one(chosen, words or "", person)
        return
    rows = _read(chosen, orders)
    refused = _foretell(chosen, rows, person) if dry_run else _launch(chosen, rows, person)
    if refused:
        raise typer.Exit(Exit.BAD_INPUT)


def _agent(modules: str, name: str) -> Agent:
    named = [module.strip() for module in modules.split(",") if module.strip()]
    if not named:
        raise Misconfigured(
            ["No agents are named. Set PLACET_AGENTS, or give --agents, as in --agents examples.procurement.agent"]
        )
    found = load(named)
    if name not in found:
        raise BadInput("AGENT", f"there is no agent {plain(name)!r}. There are: {', '.join(sorted(found))}.")
    return found[name]


def _read(agent: Agent, orders: Path) -> Sequence[Taken | Unreadable]:
    kind = _KINDS.get(orders.suffix.lower())
    if kind is None:
        raise BadInput(plain(str(orders)), "its name must end in .csv, or in .jsonl for one JSON object a line.")
    text = read_text(orders, MOST_BYTES)
    return read_orders(agent, text, kind, lambda rows: watched(_bounded(rows, orders), "Rows read:"))


def _bounded(rows: Iterator[Row | Unreadable], orders: Path) -> Iterator[Row | Unreadable]:
    """The rows. Raises BadInput if there are too many."""
    for count, row in enumerate(rows, 1):
        if count > MOST_ROWS:
            raise BadInput(
                plain(str(orders)), f"it has more than {MOST_ROWS:,} rows, the most that are taken. Split it."
            )
        yield row


def _one(agent: Agent, words: str, person: str) -> None:
    with database() as conn:
        requester = known(people.everybody(conn), person, "--for")
        run_id, _ = runs.launch(conn, agent.launch(input=words, on_behalf_of=person), actor=person, surface=SURFACE)
    _warn_of_scopes(agent, requester)
    say(
        f"Launched {screen_id('run', run_id)} for {plain(requester.name)}. It waits for a worker that has the agent {plain(agent.name)}. "
        f"Look at it: placet show {screen_id('run', run_id)}"
    )


def _launch(agent: Agent, rows: Sequence[Taken | Unreadable], person: str) -> int:
    """Launch what can be; how many rows were refused."""
    done: list[_Row] = []
    with database() as conn:
        requester = known(people.everybody(conn), person, "--for")
        before = _launched_before(conn, agent, rows)
        try:
            for row in watched(rows, "Rows done:"):
                fate = _refused(row) if isinstance(row, Unreadable) else _launch_row(conn, agent, row, person, before)
                done.append(fate)
        finally:  # what was launched is said, also when the database goes away in between
            _report(done)
    _warn_of_scopes(agent, requester)
    return sum(row.fate == "refused" for row in done)


def _launched_before(conn: db.Conn, agent: Agent, rows: Sequence[Taken | Unreadable]) -> dict[str, UUID]:
    """The runs that were launched for these orders, by the keys of now; of several that differ in writing alone, the oldest."""
    keys = {launch_key(agent, row.order) for row in rows if isinstance(row, Taken)}
    found: dict[str, UUID] = {}
    for key, run_id in runs.of_orders(conn, agent.name, [key.lower() for key in keys]):
        found.setdefault(key_of(key), run_id)
    return found


def _launch_row(conn: db.Conn, agent: Agent, row: Taken, person: str, earlier: Mapping[str, UUID]) -> _Row:
    key = launch_key(agent, row.order)
    what = agent.launch(input=row.order.text, on_behalf_of=person, launch_key=key)
    run_id, new = (earlier[key], False) if key in earlier else runs.launch(conn, what, actor=person, surface=SURFACE)
    name = screen_id("run", run_id)
    if new:
        return _Row(line=row.line, ref=row.order.ref, fate="launched", text=f"launched {name}")
    before = runs.in_clear(conn, run_id)
    if (before.input, before.on_behalf_of) == (visible(row.order.text), person):
        return _Row(
            line=row.line, ref=row.order.ref, fate="unchanged", text=f"unchanged: {name} was launched for it before"
        )
    why = f"{name} was launched for this reference with other contents, or for somebody else. That one stands; give this order a reference of its own."
    return _Row(line=row.line, ref=row.order.ref, fate="refused", text=f"refused: order_ref: {why}")


def _refused(row: Unreadable) -> _Row:
    return _Row(line=row.line, ref="", fate="refused", text=unreadable(row))


def _report(done: Sequence[_Row]) -> None:
    made = table("line", "order", "what became of it")
    for row in done:
        if made.row_count == BLOCK:
            show(made)
            made = table("line", "order", "what became of it")
        made.add_row(str(row.line), Text(plain(row.ref)), Text(row.text, style="red" if row.fate == "refused" else ""))
    show(made)
    count = {fate: sum(row.fate == fate for row in done) for fate in ("launched", "unchanged", "refused")}
    say(f"{count['launched']} launched, {count['unchanged']} unchanged, {count['refused']} refused.")
    if count["refused"]:
        others = "all others were" if len(done) > count["refused"] else "and there were no others"
        complain(
            f"The refused rows were not launched; {others}. Mend them and launch the file again: what is launched already is not "
            "launched twice."
        )


def _foretell(agent: Agent, rows: Sequence[Taken | Unreadable], person: str) -> int:
    """Say what each row would need; how many were refused."""
    with database() as conn:
        everybody = people.everybody(conn)
        requester = known(everybody, person, "--for")
        policy = policies.current(conn)
        foreseen = foresee_all(rows, policy, everybody, person, partial(ledger.spent, conn))
        found = show_needs(foreseen, everybody)
    asked = sum(one.approver is not None for one in found)
    free = sum(one.need is None or one.need.kind == "allow" for one in found)
    say(
        f"By {policy.version}, for {plain(requester.name)}: {free} without asking, {asked} with somebody's yes, "
        f"{len(found) - free - asked} not allowed, {len(rows) - len(found)} refused as unreadable. Nothing was written.",
        "A run is judged by what it is quoted at the time, which may differ from the file.",
    )
    actions = {row.tool.action for row in rows if isinstance(row, Taken)}
    for action, window_s in policy.windows.items():
        if action in actions:
            say(
                f"Of {action}, {needs.together(window_s)}: each row was judged with what is on record and with the rows before it, "
                "as if those were done."
            )
    _warn_of_scopes(agent, requester)
    return len(rows) - len(found)


def _warn_of_scopes(agent: Agent, requester: Person) -> None:
    if missing := sorted(set(agent.scopes) - set(requester.scopes)):
        complain(
            f"{plain(requester.name)} does not hold {', '.join(missing)}, so nothing that needs it is asked or done in that name. "
            "Add it in people.toml and import that."
        )
