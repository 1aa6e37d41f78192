"""`placet runs`, and an operator's hand on one run: pause, resume, cancel. None of them can approve anything."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from typing import Annotated, Final, get_args
from uuid import UUID

import typer
from rich.text import Text

from bot.cards.ids import screen_id
from bot.cards.lists import run_stands
from bot.cards.outcomes import told
from bot.cards.parts import cut
from bot.commands.halts import halt_line
from bot.commands.terminal import SURFACE, As, actor, database, plain, plain_joined, say, show, table, when
from engine.errors import BadInput, Conflict
from engine.models import Pause, RunLine, RunStatus
from engine.state import pauses, people
from engine.state import runs as verbs

app = typer.Typer()

OPERATOR: Final = "operator"
"""The role that may stop anybody's run."""

LONG_IN_LINE_S: Final = 30
"""After so many seconds in line it is said that nobody takes a run."""

_STATUSES: Final = ("live", *get_args(RunStatus))

RunId = Annotated[str, typer.Argument(metavar="RUN", help="The run: run_5d21ab, or the last digits of its id.")]


@app.command()
def runs(
    status: Annotated[str | None, typer.Option(help=f"Only these: {', '.join(_STATUSES)}.")] = None,
    person: Annotated[str | None, typer.Option("--for", metavar="PERSON", help="Only runs for this person.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many at most.")] = 20,
) -> None:
    """List runs, newest first."""
    if status is not None and status not in _STATUSES:
        raise BadInput("--status", f"{plain(status)!r} is none. Write one of {', '.join(_STATUSES)}.")
    with database() as conn:
        if person is not None and people.everybody(conn).get(person) is None:
            raise BadInput("--for", f"nobody has the id {plain(person)!r}. `placet people` lists everybody.")
        found = verbs.listed(conn, status=status, person=person, limit=limit)
        say(*halt_line(conn))
        last = {run.id: pauses.get(conn, run.last_pause) for run in found if run.last_pause}
    if not found:
        say("There are no such runs." if status or person else "There are no runs yet.")
        return
    made = table("run", "agent", "for", "order", "stands", "what came of it", "since")
    for run in found:
        made.add_row(
            screen_id("run", run.id),
            Text(plain(run.agent)),
            Text(plain(run.requester_name or run.on_behalf_of)),
            Text(plain(run.launch_key or "")),
            run_stands(run),
            Text(_came_of_it(run, last.get(run.id))),
            when(run.created_at),
        )
    show(made)
    if found[0].total > len(found):
        say(f"{len(found)} of {found[0].total}; --limit shows more.")
    say(*_untaken(found))


def _came_of_it(run: RunLine, last: Pause | None) -> str:
    """How the last thing it asked stands, and what went wrong; of a run that never asked, the start of its result."""
    said = run.error or (run.result if last is None else None) or ""
    return ": ".join(filter(None, (told(last).head if last else "", cut(plain_joined(said), 80))))


def _untaken(found: Iterable[RunLine]) -> Iterable[str]:
    """A sentence for every agent whose runs nobody takes."""
    in_line = defaultdict(list)
    for run in found:
        if (run.queued_s or 0) > LONG_IN_LINE_S:
            in_line[run.agent].append(screen_id("run", run.id))
    for agent, names in in_line.items():
        yield f"In line for more than {LONG_IN_LINE_S} seconds: {', '.join(names)}. {no_worker(agent)}"


def no_worker(agent: str) -> str:
    """Why a run stays in line, and what to do."""
    return f"No worker that knows the agent {plain(agent)} has taken it; start placet serve with PLACET_AGENTS naming its module."


@app.command()
def pause(run: RunId, person: As) -> None:
    """Have a run stop between two steps."""
    run_id, stands = _move(run, person, verbs.hold)
    name = screen_id("run", run_id)
    how = {"pausing": "is pausing: it stops after the step it is in", "paused": "is paused"}
    say(
        f"{name} {how.get(stands, 'will be paused when what it waits for is decided')}. To let it go on: placet resume {name}"
    )


@app.command()
def resume(run: RunId, person: As) -> None:
    """Let a paused run go on; what it waits for still needs its yes."""
    run_id, stands = _move(run, person, verbs.resume)
    waits = "; it still waits for a decision" if stands == "awaiting_approval" else ""
    say(f"{screen_id('run', run_id)} is no longer paused{waits}.")


@app.command()
def cancel(run: RunId, person: As) -> None:
    """Withdraw a run and everything it asks."""
    run_id, stands = _move(run, person, partial(verbs.cancel, person=person))
    how = {"cancelled": "is withdrawn, and nothing more is done"}
    under_way = "is being withdrawn: an action of it is under way, and its outcome is recorded first"
    say(f"{screen_id('run', run_id)} {how.get(stands, under_way)}.")


def _move(run: str, person: str, verb: Callable[..., str]) -> tuple[UUID, str]:
    """Move a run in somebody's name; which run, and how it stands now. Only its requester and operators may."""
    with database() as conn:
        by, run_id = actor(conn, person), verbs.named(conn, run)
        asker = verbs.get(conn, run_id).on_behalf_of
        if by.id != asker and OPERATOR not in by.roles:
            raise Conflict(
                f"{screen_id('run', run_id)} was launched for {plain(asker)}. Only they and people with the role {OPERATOR} may do that.",
                stands="not_yours",
            )
        return run_id, verb(conn, run_id, actor=by.id, surface=SURFACE)
