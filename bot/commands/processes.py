"""The commands that run Placet itself: the demo, the real thing, one tick of it, the database's schema, the version."""

import importlib
import sys
from enum import StrEnum
from importlib import metadata
from pathlib import Path
from typing import Annotated

import typer

from bot.commands.terminal import database, plain, say
from engine import settings
from engine.state import db, roles

app = typer.Typer()


class Part(StrEnum):
    """What a process can be: the web side, a worker of runs, the sweep of what is due."""

    WEB = "web"
    WORKER = "worker"
    SWEEP = "sweep"


@app.command()
def demo(
    auto: Annotated[
        bool, typer.Option("--auto", help="Play a whole story by itself and check every step of it.")
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew; else a demo that was stopped goes on.")] = False,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="The port of its page: 8477, or a free one if that is taken.")
    ] = None,
    folder: Annotated[Path | None, typer.Option(file_okay=False, help="Where its database and its logs are.")] = None,
    browser: Annotated[bool, typer.Option(help="Open its page in a browser.")] = True,
) -> None:
    """See it work on this machine: no account, no key."""
    run = importlib.import_module("bot.sandbox.demo").run
    raise typer.Exit(run(auto=auto, fresh=fresh, folder=folder, port=port, open_browser=browser and not auto))


def _environment() -> str:
    """The environment variables, a paragraph each, with which `--help` ends."""
    needed = [f"{one.name}: {one.what}." for one in settings.VARIABLES.values() if one.otherwise is None]
    free = [f"{one.name}: {one.what}; else {one.otherwise}." for one in settings.VARIABLES.values() if one.otherwise]
    tools = "What your tools name as their credential, such as STRIPE_API_KEY, is read from the environment too."
    return "\n\n".join(["Environment, needed:", *needed, "Environment, if you like:", *free, tools])


@app.command(epilog=_environment())
def serve(
    only: Annotated[
        list[Part] | None,
        typer.Option(help="Run only this part; give it again for a second one. Else all three."),
    ] = None,
) -> None:
    """Run the real thing, from environment variables; any number of processes on one database.

    It listens on HOST 127.0.0.1 and PORT 8080 unless they say otherwise: put your TLS proxy in front of that.
    """
    given = importlib.import_module("bot.ready").settings()
    importlib.import_module("bot.main").serve(given, frozenset(part.value for part in only or Part))


@app.command()
def tick(
    seconds: Annotated[int, typer.Option(min=1, max=3600, help="After how long it stops with what is left.")] = 50,
) -> None:
    """Do all that is due, once, and end: for cron and serverless, in place of serve's worker and sweep.

    It takes its settings as serve does. With DATABASE_POOL=off, no connection is held between two moves; with SLACK_TEAM_ID, no call to
    Slack is made unless there is something to say. Any number of ticks and servers may run at once.
    """
    given = importlib.import_module("bot.ready").settings()
    say(importlib.import_module("bot.tick").tick(given, seconds).sentence)


@app.command()
def answer() -> None:
    """Answer one HTTP request, read from standard input, and end: in place of serve's web side, where nothing may stay running.

    As inetd and systemd sockets with Accept=yes start it, a process for each connection. It takes its settings as serve does.
    """
    given = importlib.import_module("bot.ready").settings()
    importlib.import_module("bot.main").log_plainly()
    importlib.import_module("bot.once").answer_stdin(given, sys.stdin.buffer, sys.stdout.buffer)


@app.command()
def migrate(
    app_role: Annotated[
        str | None,
        typer.Option(
            metavar="ROLE",
            help="The database role to serve as: give it what that needs, and no right to rewrite the record.",
        ),
    ] = None,
) -> None:
    """Make or update the database's tables. Safe to repeat."""
    applied = db.migrate(settings.database_url())
    say(f"Applied: {', '.join(applied)}." if applied else "The database is up to date; nothing was changed.")
    if app_role is not None:
        with database() as conn:
            roles.grant(conn, app_role)
        say(f"{plain(app_role)} may do what serving needs, and can neither change nor remove what is on record.")


@app.command()
def version() -> None:
    """Say which version this is."""
    say(f"placet {metadata.version('placet')}")
