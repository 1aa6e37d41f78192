"""Who is who: people, their Slack identities, roles and managers, as people.toml says.

The one rule: an identity is a workspace (or enterprise) and a user id, never a name or an address, and belongs to one
person. Whether somebody may decide on a given pause, and whether Slack still knows them, are not decided here; nor is what
a document leaves to Slack to say (sync).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from engine.rules import digest, documents
from engine.rules.documents import DocumentFaults, Fault, Table

_identity = documents.shaped("[TE][A-Z0-9]{2,20}:[UW][A-Z0-9]{2,20}", "T0ACME:U0MARTA")
_scope = documents.shaped(r"[a-z][a-z0-9_.:-]{0,62}", "payments:write")


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """From when and until when somebody is away, and who answers for them meanwhile."""

    delegate: str
    starts_at: datetime
    ends_at: datetime

    def covers(self, at: datetime) -> bool:
        """Whether it is under way at this moment; its end is outside it."""
        return self.starts_at <= at < self.ends_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One person. `manager` is another's id, None at the top. Who has left keeps the row, with `active` False.

    `absences` are no part of the document: they come and go by themselves.
    """

    id: str
    name: str
    slack: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    manager: str | None = None
    active: bool = True
    scopes: tuple[str, ...] = ()
    absences: tuple[Absence, ...] = ()


@dataclass(frozen=True, slots=True)
class People:
    """Everybody, in the order of the document."""

    everybody: tuple[Person, ...]
    _by_id: Mapping[str, Person] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_id", {person.id: person for person in reversed(self.everybody)})

    def __iter__(self) -> Iterator[Person]:
        return iter(self.everybody)

    def get(self, person_id: str) -> Person | None:
        """The person with this id, active or not."""
        return self._by_id.get(person_id)

    def person_of(self, identity: str) -> Person | None:
        """The person with this Slack identity ("T0ACME:U0MARTA"), active or not; None for a stranger."""
        return next((person for person in self if identity in person.slack), None)

    def manager_of(self, person_id: str) -> Person | None:
        """The person's manager, active or not; None at the top or for an unknown id."""
        person = self.get(person_id)
        return self.get(person.manager) if person and person.manager else None

    def above(self, person_id: str) -> tuple[str, ...]:
        """The ids of a person's manager, the manager's manager and so on; a loop ends it."""
        found: list[str] = []
        manager = self.manager_of(person_id)
        while manager and manager.id not in (person_id, *found):
            found.append(manager.id)
            manager = self.manager_of(manager.id)
        return tuple(found)

    def represented_by(self, person_id: str, at: datetime) -> frozenset[str]:
        """The ids of those who were away at this moment, left their answers to this person, and are here no less since.

        One hop: not those whom they stood in for. Who has left the house leaves nothing to anybody.
        """
        return frozenset(
            person.id
            for person in self
            for absence in person.absences
            if person.active and absence.delegate == person_id and absence.covers(at)
        )

    def holders(self, role: str) -> tuple[Person, ...]:
        """The active people who hold the role."""
        return tuple(person for person in self if person.active and role in person.roles)


def people_digest(people: Iterable[Person]) -> str:
    """SHA-256 over those who are active: what each is, in no matter what order, and however often it is said."""
    active = sorted((p for p in people if p.active), key=lambda p: p.id)
    told = [
        {name: getattr(p, name) for name in ("id", "name", "manager", "active")}
        | {name: sorted({*getattr(p, name)}) for name in ("slack", "roles", "scopes")}
        for p in active
    ]
    return digest.digest("placet.people.v1", told)


FROM_SLACK: Final = ("slack", "override")
"""The keys at the top of a document that leaves roles or managers to Slack."""


def parse(text: str) -> People:
    """Read a people.toml that says everything itself.

    Raises DocumentFaults with every fault at once: shapes, duplicates, managers, unknown keys, and what only Slack can tell.
    """
    faults: list[Fault] = []
    top, tables = documents.read(text, "person", faults)
    from_slack = [key for key in FROM_SLACK if top.optional(key, bool, False)]
    why = "with it Slack says who holds roles and who manages whom, and this file alone does not."
    top.refuse(from_slack[:1], why, "Give the file to `placet people sync`, or take this out.")
    top.refuse_unknown()
    read = of_tables(tables)
    if faults:
        raise DocumentFaults(faults)
    return People(tuple(person for _, person in read))


def of_tables(tables: Iterable[Table]) -> list[tuple[Table, Person]]:
    """Each person beside the table that describes them, without those who have no id; what is unfit is noted in the tables."""
    read = [(table, person) for table in tables if (person := _person(table))]
    _refuse_twice(read)
    by_id = {person.id: table for table, person in reversed(read)}
    for person_id, why, fix in unfit_managers([person for _, person in read]):
        by_id[person_id].fault("manager", why, fix)
    return read


def _person(table: Table) -> Person | None:
    """The person the table describes, None without an id; what is unfit in it is noted and left out."""
    person_id = table.required("id", documents.word)
    name = table.required("name", documents.text)
    slack = table.optional("slack", documents.many(_identity), ())
    roles = table.optional("roles", documents.many(documents.word), ())
    manager = table.optional("manager", documents.word, None)
    active = table.optional("active", documents.flag, True)
    scopes = table.optional("scopes", documents.many(_scope), ())
    table.refuse_unknown()
    if person_id is None:
        return None
    return Person(
        id=person_id, name=name or "", slack=slack, roles=roles, manager=manager, active=active, scopes=scopes
    )


def _refuse_twice(read: list[tuple[Table, Person]]) -> None:
    ids: set[str] = set()
    owners: dict[str, str] = {}
    for table, person in read:
        if person.id in ids:
            table.fault("id", f'"{person.id}" is somebody already.', "Give every person an id of their own.")
        ids.add(person.id)
        for identity in person.slack:
            if identity in owners:
                table.fault(
                    "slack",
                    f'"{identity}" is already that of "{owners[identity]}".',
                    "An identity belongs to one person; take it out here or there.",
                )
            owners.setdefault(identity, person.id)


def unfit_managers(everybody: Sequence[Person]) -> Iterator[tuple[str, str, str]]:
    """Managers who are nobody, and each loop once, at its first person: whose manager, why, and what mends it."""
    manager = {person.id: person.manager for person in everybody}
    in_a_loop: set[str] = set()
    for person in everybody:
        if person.manager and person.manager not in manager:
            yield person.id, f'"{person.manager}" is nobody here.', "Write the id of a person in this document."
        chain = [person.id]
        while (above := manager.get(chain[-1])) and above not in chain:
            chain.append(above)
        if above == person.id and person.id not in in_a_loop:
            in_a_loop.update(chain)
            circle = " -> ".join([*chain, above])
            yield person.id, f"it leads in a circle: {circle}.", "Leave the manager of one of them out."
