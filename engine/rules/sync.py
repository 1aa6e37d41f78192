"""Who is who by a document and by what Slack said of it, merged.

The one rule: Slack is believed in what the document leaves to it, and only as far as its word can be trusted. Whoever is not in the
document gets nothing. A guest, a bot or a stranger there holds no role, whatever an override says; who is deactivated there has left, unless
an override says that they stay. Where else Slack's word is not taken a finding says so, and the document stands; an override wins over both.
"""

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from engine.rules.documents import DocumentFaults, Fault
from engine.rules.people import People, Person, unfit_managers
from engine.rules.said import Barred, Said
from engine.rules.sync_file import Document, Override, Source

_IS: Final[Mapping[Barred, str]] = {
    "deactivated": "deactivated in Slack",
    "guest": "a guest in Slack",
    "bot": "a bot",
    "stranger": "not of this workspace",
}


@dataclass(frozen=True, slots=True)
class Merged:
    """Who is who by both, and what whoever keeps the document should know, a sentence each."""

    people: People
    findings: tuple[str, ...]


def merge(document: Document, source: Source, said: Said) -> Merged:
    """Who is who by the document and by what Slack said of it.

    Raises DocumentFaults for user groups that Slack does not have, for two people who are one user there, and for managers who after all
    are nobody or lead in a circle.
    """
    faults = [*_missing_groups(source, said), *_two_of_one(document, said)]
    if faults:
        raise DocumentFaults(faults)
    merging = _Merging(document, source, said)
    everybody = People(tuple(merging.person(one) for one in document.people))
    merging.look_into_groups(everybody)
    found = [(one, why, _mend(source, one, fix)) for one, why, fix in unfit_managers(tuple(everybody))]
    if faults := [_fault(document, one, "manager", why, fix) for one, why, fix in found]:
        raise DocumentFaults(faults)
    return Merged(everybody, tuple(merging.findings))


def _mend(source: Source, person: str, fix: str) -> str:
    """What mends somebody's manager: in the document alone, or where Slack names managers there, or against it."""
    if source.manager_field is None:
        return fix
    field = f'Correct the profile field "{source.manager_field}" in Slack'
    return f'{field}, or win over it here: [[override]] with id = "{person}" and manager = "" for nobody, or an id.'


def _missing_groups(source: Source, said: Said) -> Iterator[Fault]:
    for handle in source.groups:
        if handle not in said.handles:
            near = difflib.get_close_matches(handle, said.handles)
            fix = f"Did you mean {near[0]}?" if near else "Write the handle of one that is in use."
            why = f'Slack has no user group "{handle}".'
            yield Fault(line=source.groups_line, field="slack, groups", why=why, fix=fix)


def _two_of_one(document: Document, said: Said) -> Iterator[Fault]:
    """A user told by the workspace in one place and by its organisation in another: two people could be one human."""
    owner: dict[str, str] = {}
    for person in document.people:
        for user in said.users_of(person):
            if owner.setdefault(user, person.id) != person.id:
                why = f'"{user}" is already that of "{owner[user]}".'
                fix = "An identity belongs to one person; take it out here or there."
                yield _fault(document, person.id, "slack", why, fix)


def _fault(document: Document, person_id: str, key: str, why: str, fix: str) -> Fault:
    return Fault(line=document.lines.get(person_id), field=f'person "{person_id}", {key}', why=why, fix=fix)


class _Merging:
    """A merge under way, and what it has found so far."""

    def __init__(self, document: Document, source: Source, said: Said) -> None:
        self.findings: list[str] = []
        self._document = document
        self._groups = source.groups
        self._said = said
        self._owner = {user: person for person in document.people for user in said.users_of(person)}
        self._believes = source.manager_field is not None
        if source.manager_field is not None and isinstance(why := said.manager_field(source.manager_field), str):
            self._believes = False
            self._note(f'the profile field "{source.manager_field}"', f"{why}. The managers of the document stand.")

    def person(self, one: Person) -> Person:
        """Somebody of the document, as they are by both."""
        override = self._document.overrides.get(one.id, Override())
        barred = self._barred(one)
        active = one.active and barred != "deactivated" if override.active is None else override.active
        self._note_bar(one, barred, active=active)
        if barred not in {None, "deactivated"}:
            roles: tuple[str, ...] = ()
        elif override.roles is not None:
            roles = override.roles
        else:
            roles = self._roles(one, noted=active)
        manager = self._manager(one) if override.manager is None else override.manager or None
        return replace(one, active=active, roles=roles, manager=manager)

    def look_into_groups(self, everybody: People) -> None:
        """Note who is in a user group and has nothing from it."""
        for handle, role in self._groups.items():
            for user in self._said.groups[handle]:
                self._note_member(f'the user group "{handle}"', role, user, everybody)

    def _note_member(self, group: str, role: str, user: str, everybody: People) -> None:
        owner, barred, called = self._owner.get(user), self._said.barred(user), self._said.called(user)
        if barred is None:
            if owner is None:
                self._note(group, f"{called} is nobody of the document, and gets nothing. Add them with an id.")
        elif owner is None:
            if barred != "deactivated":
                self._note(group, f"{called} is {_IS[barred]}, and gets nothing.")
        elif self._barred(owner) is None and (now := everybody.get(owner.id)) and role not in now.roles:
            self._note(group, f"{called} is {_IS[barred]}, so {owner.id} gets nothing by it.")

    def _members(self, one: Person) -> list[str]:
        """The users that a person is, of those who are full members."""
        return [user for user in self._said.users_of(one) if self._said.barred(user) is None]

    def _barred(self, one: Person) -> Barred | None:
        """Why a person is no full member by any identity; None if they are by one, or have none here."""
        bars = [self._said.barred(user) for user in self._said.users_of(one)]
        if not bars or None in bars:
            return None
        return next((bar for bar in bars if bar != "deactivated"), "deactivated")

    def _note_bar(self, one: Person, barred: Barred | None, *, active: bool) -> None:
        if barred is None or not (active or one.active):
            return
        what = f"{_IS[barred]} ({', '.join(self._said.users_of(one))})"
        if barred != "deactivated":
            self._note(one.id, f"{what}, and holds no role. Check the id, or make them a full member.")
        elif active:
            self._note(one.id, f"{what}. By the override they stay, but they cannot answer there.")
        else:
            self._note(one.id, f"{what}, so they count as having left.")

    def _roles(self, one: Person, *, noted: bool) -> tuple[str, ...]:
        """Those of the document that no user group gives, and those that one gives."""
        users, by_role = set(self._members(one)), self._groups.values()
        given = [role for handle, role in self._groups.items() if users & set(self._said.groups[handle])]
        for role in one.roles:
            if noted and role in by_role and role not in given:
                groups = " or ".join(f'"{handle}"' for handle, gives in self._groups.items() if gives == role)
                self._note(one.id, f"is not in the user group {groups}, so the document cannot give the role {role}.")
        return tuple(dict.fromkeys([*(role for role in one.roles if role not in by_role), *given]))

    def _manager(self, one: Person) -> str | None:
        """The manager that Slack names if it is to be believed, else that of the document."""
        named = {self._said.managers[user] for user in self._members(one) if self._said.managers.get(user)}
        if not self._believes or not named:
            return one.manager
        stands = "so the manager of the document stands."
        if len(named) > 1:
            self._note(one.id, f"has several managers in Slack, {' and '.join(sorted(named))}, {stands}")
            return one.manager
        [user] = named
        owner = self._owner.get(user)
        if owner is None:
            self._note(
                one.id,
                f"their manager in Slack, {self._said.called(user)}, is nobody of the document, {stands} Add them with an id.",
            )
        elif barred := self._barred(owner):
            self._note(one.id, f"their manager in Slack, {self._said.called(user)}, is {_IS[barred]}, {stands}")
        else:
            return owner.id
        return one.manager

    def _note(self, about: str, what: str) -> None:
        self.findings.append(f"{about}: {what}")
