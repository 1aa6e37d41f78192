"""Where a command takes a policy and people from: a file, or what is in force in the database."""

from pathlib import Path
from typing import Annotated, Final

import typer

from bot.commands.terminal import database, read_people, read_text
from engine import settings
from engine.errors import BadInput
from engine.rules import policy_file
from engine.rules.people import People
from engine.rules.policy import Policy
from engine.state import people, policies

PolicyFile = Annotated[Path, typer.Argument(help="A policy.toml.")]
PeopleFile = Annotated[
    Path | None,
    typer.Option("--people", help="The people.toml or .csv that says who is who; else the people in the database."),
]

NOBODY: Final = People(())
WITHOUT_PEOPLE: Final = "It was not checked against people: give --people people.toml, or set DATABASE_URL."


def in_force() -> Policy:
    """The policy in force. Raises Misconfigured if none is."""
    with database() as conn:
        return policies.current(conn)


def named(given: str) -> Policy:
    """A policy by its file, or by the name of a version that is on record. Raises BadInput."""
    path = Path(given)
    if path.exists() or path.suffix or not settings.names_database():
        return policy_file.parse(read_text(path))
    with database() as conn:
        found = policies.of_version(conn, given)
    if found is None:
        raise BadInput(given, "there is no such file, and no version of that name is on record, unaltered.")
    return found


def who_is_who(file: Path | None) -> People | None:
    """Who is who, by the file, else by the database; None if neither is named."""
    if file:
        return read_people(file)
    if not settings.names_database():
        return None
    with database() as conn:
        return people.everybody(conn)
