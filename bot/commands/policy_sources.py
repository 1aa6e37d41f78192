"""Where a command takes a policy, people and tools from: files and modules, or what is in force in the database."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from bot.commands.terminal import database, plain, read_people, read_text
from engine import settings
from engine.errors import BadInput, Misconfigured
from engine.rules import policy_file
from engine.rules.people import People
from engine.rules.policy import Policy
from engine.rules.policy_arguments import Takes
from engine.state import people, policies
from engine.tools import load, taken

PolicyFile = Annotated[Path, typer.Argument(help="A policy.toml.")]
PeopleFile = Annotated[
    Path | None,
    typer.Option("--people", help="The people.toml or .csv that says who is who; else the people in the database."),
]
AgentModules = Annotated[
    str,
    typer.Option("--agents", envvar="PLACET_AGENTS", help="The modules that hold agents, to look for argument names."),
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
    if path.exists() or path.suffix == ".toml" or path.name != given:
        return policy_file.parse(read_text(path))
    if not settings.names_database():
        raise BadInput(plain(given), "there is no such file. To look for a version of that name, set DATABASE_URL.")
    with database() as conn:
        found = policies.of_version(conn, given)
    if found is None:
        raise BadInput(plain(given), "there is no such file, and no version of that name is on record, unaltered.")
    return found


def who_is_who(file: Path | None) -> People | None:
    """Who is who, by the file, else by the database; None if neither is named."""
    if file:
        return read_people(file)
    if not settings.names_database():
        return None
    with database() as conn:
        return people.everybody(conn)


@dataclass(frozen=True, slots=True)
class Tools:
    """What the tools of the agents take; `unchecked`: why names of arguments cannot be held to them, "" if they can."""

    taken: tuple[Takes, ...]
    unchecked: str


def tools_of(modules: str) -> Tools:
    """The tools of these modules, comma-separated. Modules that cannot be loaded stop nobody from changing a policy."""
    named = [module.strip() for module in modules.split(",") if module.strip()]
    if not named:
        return Tools((), "Names of arguments were not checked against tools: give --agents, or set PLACET_AGENTS.")
    try:
        return Tools(tuple(taken(load(named))), "")
    except Misconfigured as error:
        return Tools((), f"Names of arguments were not checked against tools. {' '.join(error.faults)}")


def without_tool(policy: Policy, tools: Tools) -> list[str]:
    """The actions of rules that none of the tools has, whose names of arguments cannot be checked."""
    there = {tool.action for tool in tools.taken}
    return sorted({rule.action for rule in policy.rules if tools.taken and rule.action not in there})
