"""`placet people`: who is who, and the import that makes the rows equal to people.toml."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from bot.commands.terminal import complain, database, from_here, known, plain, read_text, say, show, table
from engine.errors import Misconfigured
from engine.rules import people as people_rules
from engine.rules import policy_lint
from engine.rules.people import People, Person
from engine.state import db, policies
from engine.state import people as people_verbs

app = typer.Typer()
people = typer.Typer()
app.add_typer(people, name="people", help="List who is who, or import it from people.toml.")


@people.callback(invoke_without_command=True)
def listed(ctx: typer.Context) -> None:
    """List who is who, or import it from people.toml."""
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


@people.command(name="import")
def import_people(
    file: Annotated[Path, typer.Argument(help="A people.toml.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would change; write nothing.")] = False,
    person: Annotated[str, typer.Option("--as", metavar="PERSON", help="Who does this; the system, if left out.")] = "",
) -> None:
    """Make the rows equal to a file: who is not in it is deactivated, never deleted."""
    given = people_rules.parse(read_text(file))
    with database() as conn:
        before = people_verbs.everybody(conn)
        by = known(before, person, "--as").id if person else "system"
        changes = list(_changes(before, given))
        if changes and not dry_run:
            people_verbs.load(conn, given, actor=by, surface=from_here())
        faults = _faults_of_policy(conn, given)
    say(*(changes or ["Everything is as the file says; nothing was changed."]))
    if dry_run:
        say("Nothing was written.")
    if faults:
        complain("With these people the policy in force cannot be kept. Mend one of them:", *(f"- {f}" for f in faults))


def _changes(before: People, after: People) -> Iterable[str]:
    """What an import changes, a line each."""
    for one in after:
        was = before.get(one.id)
        if was is None:
            yield f"new: {one.id} ({plain(one.name)})"
        elif different := list(_different(was, one)):
            yield f"changed: {one.id} ({', '.join(different)})"
    for gone in before:
        if gone.active and after.get(gone.id) is None:
            yield f"deactivated: {gone.id} ({plain(gone.name)}), who is not in the file"


def _different(was: Person, now: Person) -> Iterable[str]:
    for field in ("name", "manager", "active"):
        if getattr(was, field) != getattr(now, field):
            yield field
    for field in ("slack", "roles", "scopes"):
        if sorted(getattr(was, field)) != sorted(getattr(now, field)):
            yield field


def _faults_of_policy(conn: db.Conn, given: People) -> list[str]:
    try:
        policy = policies.current(conn)
    except Misconfigured:
        return []  # none is in force yet
    return [str(fault) for fault in policy_lint.against_people(policy.rules, given)]
