"""The grammar of a people.toml that leaves something to Slack: `[slack]` says what, and `[[override]]` what holds all the same.

The one rule: what Slack is to be believed in is written down by whoever owns the document, and everything else stays theirs to say.
What Slack then says, and what becomes of both, is the business of sync.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.rules import documents, people
from engine.rules.documents import DocumentFaults, Fault, Table, Unfit
from engine.rules.people import People

_team = documents.shaped("T[A-Z0-9]{2,20}", "T0ACME")
_handle = documents.shaped(r"[^\s@<>:]{1,80}", "fin-approvers")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What is left to the Slack workspace `team`.

    `groups`: from a user group's handle to the role that its members hold, written on `groups_line`. `manager_field`: the label or id of
    the custom profile field that names a person's manager, None if managers stay in the document.
    """

    team: str
    groups: Mapping[str, str]
    groups_line: int | None
    manager_field: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """What holds of a person whatever Slack says; None where it says nothing. `manager` "": nobody."""

    manager: str | None = None
    roles: tuple[str, ...] | None = None
    active: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A people document as it was written. `source` None: it says everything itself. `lines`: where each person begins, None if unknown."""

    people: People
    source: Source | None
    overrides: Mapping[str, Override]
    lines: Mapping[str, int | None]


def parse(text: str) -> Document:
    """Read a people.toml, with or without `[slack]`. Raises DocumentFaults with every fault at once."""
    faults: list[Fault] = []
    top, tables = documents.read(text, "person", faults)
    source = _source(table) if (table := top.table("slack")) else None
    overridden = top.tables("override")
    if source is None and overridden and "slack" not in top:
        top.fault("override", "there is no [slack] that it could win over.", "Say it of the person, or add [slack].")
    top.refuse_unknown()
    read = people.of_tables(tables)
    everybody = People(tuple(person for _, person in read))
    overrides = _overrides(overridden, everybody)
    if faults:
        raise DocumentFaults(faults)
    return Document(
        people=everybody, source=source, overrides=overrides, lines={person.id: table.line for table, person in read}
    )


def _source(table: Table) -> Source | None:
    team = table.required("team", _team)
    groups = table.optional("groups", _groups, {})
    manager_field = table.optional("manager_field", documents.text, None)
    table.refuse_unknown()
    if team is None:
        return None
    return Source(team=team, groups=groups, groups_line=table.line_of("groups"), manager_field=manager_field)


def _groups(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise Unfit("it is no table.", 'Write { "fin-approvers" = "finance-approver" }.')
    return {_handle(handle): documents.word(role) for handle, role in value.items()}


def _overrides(tables: list[Table], everybody: People) -> dict[str, Override]:
    """The overrides by person; what is unfit in them is noted and left out."""
    found: dict[str, Override] = {}
    for table in tables:
        person_id = table.required("id", documents.word)
        manager = table.optional("manager", _manager, None)
        roles = table.optional("roles", documents.many(documents.word), None)
        active = table.optional("active", documents.flag, None)
        table.refuse_unknown()
        if person_id is None:
            continue
        if everybody.get(person_id) is None:
            table.fault("id", f'"{person_id}" is nobody here.', "Write the id of a person in this document.")
        elif person_id in found:
            table.fault("id", f'"{person_id}" has an override already.', "Write one for each person.")
        if not any(key in table for key in ("manager", "roles", "active")):
            table.fault("", "it says nothing.", "Add manager, roles or active, or take it out.")
        if manager and everybody.get(manager) is None:
            table.fault("manager", f'"{manager}" is nobody here.', "Write the id of a person in this document.")
        found[person_id] = Override(manager=manager, roles=roles, active=active)
    return found


def _manager(value: Any) -> str:
    """The id of a person, or "" for nobody."""
    return "" if value == "" else documents.word(value)
