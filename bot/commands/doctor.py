"""`placet doctor`: whether all is well, and how to mend what is not."""

import importlib
import os
from datetime import UTC, datetime
from typing import Final

import typer

from bot.commands.terminal import Exit, plain, say, show, table

app = typer.Typer()

MARKS: Final = {"well": "ok", "look": "look", "wrong": "WRONG"}


@app.command()
def doctor() -> None:
    """Look at settings, agents, database, people, policy and Slack, and say how to mend what is wrong. It changes nothing.

    Exit code 4 if anything is wrong.
    """
    found = []
    made = table("", "", "", title="What was looked at")
    for finding in importlib.import_module("bot.doctor").examine(os.environ, now=datetime.now(UTC)):
        found.append(finding)
        made.add_row(MARKS[finding.verdict], finding.what, plain(finding.told))
    show(made)
    wrong = sum(finding.verdict == "wrong" for finding in found)
    say(f"{wrong} to be mended." if wrong else "Nothing is wrong that can be seen from here.")
    if wrong:
        raise typer.Exit(Exit.ALARM)
