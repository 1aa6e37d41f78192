"""`placet people`: who is who; what a file says of it, looked through or taken over; and what a file and Slack say together."""

import time
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.markup import escape
from rich.text import Text

from bot.commands import changes
from bot.commands.terminal import (
    Exit,
    complain,
    database,
    is_sheet,
    known,
    plain,
    read_people,
    read_text,
    say,
    show,
    table,
)
from engine import settings
from engine.errors import BadInput
from engine.rules import policy_file, sync, sync_file
from engine.rules.policy import Policy
from engine.rules.sync_file import Document
from engine.state import db
from engine.state import people as people_verbs

app = typer.Typer()
people = typer.Typer()
app.add_typer(people, name="people", help="List who is who, check or import a file of it, or sync it with Slack.")

PeopleFile = Annotated[Path, typer.Argument(help="A people.toml, or a .csv with the same names as columns.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would change; write nothing.")]
EvenSo = Annotated[
    bool, typer.Option("--even-so", help="Write it even if a rule of the policy in force can then not be kept.")
]
By = Annotated[str, typer.Option("--as", metavar="PERSON", help="Who does this; the system, if left out.")]


_SYNC: Final = """Make the rows equal to what a people.toml and Slack say together: what the file leaves to Slack, Slack says.

\b
[slack]
team = "T0ACME"
groups = { "fin-approvers" = "finance-approver" }  # handle = role
manager_field = "Manager"                          # its label or id

\b
[[override]]                 # wins over what Slack says
id = "marta"
manager = "otto"             # or "" for nobody
roles = ["finance-lead"]
active = true

The roles that are said to be a user group's come from it alone, and only to people of the file. The profile field of managers is
believed if it is protected or filled by SCIM. Who is deactivated in Slack has left; a guest, a bot or somebody from elsewhere holds no
role, whatever else says so.
"""


class _Access(settings.Database, settings.SlackAccess):
    """What a sync needs."""


@people.callback(invoke_without_command=True)
def listed(ctx: typer.Context) -> None:
    """List who is who, check or import a file of it, or sync it with Slack."""
    if ctx.invoked_subcommand is not None:
        return
    with database() as conn:
        everybody = people_verbs.everybody(conn)
    if not everybody.everybody:
        say("There is nobody yet. Import people: placet people import people.toml")
        return
    made = table("id", "name", "roles", "manager", "Slack", "may have done in their name", "")
    for one in everybody:
        made.add_row(
            one.id,
            Text(plain(one.name)),
            ", ".join(one.roles),
            one.manager or "",
            ", ".join(one.slack),
            ", ".join(one.scopes),
            "" if one.active else "has left",
        )
    show(made)


@people.command()
def check(
    file: PeopleFile,
    policy_path: Annotated[
        Path | None, typer.Option("--policy", help="A policy.toml to keep with them; else the policy in force.")
    ] = None,
) -> None:
    """Say everything that is wrong with a file of people, and whether the policy can be kept with them; write nothing."""
    document = _document(file)
    given = document.people
    say(
        f"{plain(file.name)} reads well: {len(given.everybody)} people, {sum(one.active for one in given)} of them active."
    )
    if document.source:
        say("Who holds which role is for Slack to say, too: placet people sync --dry-run tells what comes of both.")
        return
    policy = policy_file.parse(read_text(policy_path)) if policy_path else _in_force()
    if policy is None:
        return
    if faults := changes.unkept(policy, given):
        changes.stranded(policy, faults)
        raise typer.Exit(Exit.LOST)
    say(f"{policy.version} can be kept with them.")


@people.command(name="import")
def import_people(file: PeopleFile, *, dry_run: DryRun = False, even_so: EvenSo = False, person: By = "") -> None:
    """Make the rows equal to a file: who is not in it is deactivated, never deleted.

    In a .csv several values in one cell are separated by ; or blanks; the columns by commas, semicolons or tabs.
    """
    given = read_people(file)
    with database() as conn:
        by = _by(conn, person)
        code = changes.take(conn, given, actor=by, as_said_by="the file says", dry_run=dry_run, even_so=even_so)
    raise typer.Exit(code)


@people.command(name="sync", help=escape(_SYNC))
def sync_people(file: PeopleFile, *, dry_run: DryRun = False, even_so: EvenSo = False, person: By = "") -> None:
    """Make the rows equal to what a people.toml and Slack say together."""
    from bot import ready  # noqa: PLC0415  the SDK of Slack is loaded by who asks Slack
    from bot.delivery import directory  # noqa: PLC0415

    document = _document(file)
    if document.source is None:
        why = 'it leaves nothing to Slack. Add [slack] with team = "T..." to it, or use `placet people import`.'
        raise BadInput(plain(str(file)), why)
    access = _Access.from_env()
    with database() as conn:
        by = _by(conn, person)
    said = directory.read(ready.slack(access), document.source, document.people, _wait)
    if isinstance(said, directory.Unread):
        complain(plain(said.why), "Nothing was changed.")
        raise typer.Exit(Exit.BAD_INPUT if said.to_mend else Exit.OUTAGE)
    merged = sync.merge(document, document.source, said)
    say(*(f"note: {plain(finding)}" for finding in merged.findings))
    said_by = "the file and Slack say"
    with database() as conn:
        code = changes.take(conn, merged.people, actor=by, as_said_by=said_by, dry_run=dry_run, even_so=even_so)
    raise typer.Exit(code)


def _by(conn: db.Conn, person: str) -> str:
    """Who does it. Raises BadInput for nobody, or somebody who has left."""
    return known(people_verbs.everybody(conn), person, "--as").id if person else "system"


def _document(file: Path) -> Document:
    """A file of people, which may leave something to Slack."""
    text = read_text(file)
    if not is_sheet(file):
        return sync_file.parse(text)
    return Document(people=read_people(file), source=None, overrides={}, lines={})


def _in_force() -> Policy | None:
    """The policy in force; None, having said so, if there is none to look at."""
    if not settings.names_database():
        say("It was not checked against a policy: give --policy policy.toml, or set DATABASE_URL.")
        return None
    with database() as conn:
        policy = changes.in_force(conn)
    if policy is None:
        say("No policy is in force that they would have to do for.")
    return policy


def _wait(seconds: float) -> None:
    complain(f"Slack asks for {seconds:.0f} s of patience.")
    time.sleep(seconds)
