"""Who is asked, first and next: from a rule's steps and who is who at that moment, to one approver or nobody.

An approver is written "person:marta" or "role:finance-approver". The one rule: nobody who asked is ever asked for a yes, nor anybody who has
left or has approved already; a step that leads to no one is skipped, and when no step is left the answer decided in advance holds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from engine.rules.needs import REQUESTER, Need, Step, shown_from
from engine.rules.people import People


@dataclass(frozen=True, slots=True)
class Next:
    """The next approver, the step that leads there, and the level this is (the count of steps used, skipped ones included)."""

    approver: str
    step: Step
    level: int


def first_approver(need: Need, requester: str, people: People) -> str | None:
    """Whom a new request asks; None if the rule leads to nobody who may decide, and then it is not asked at all.

    A question is no consent, so the requester may be asked one, where its rule names them.
    """
    if need.person is not None:
        named, barred = (requester, ()) if _of_requester(need) else (need.person, (requester,))
        if _may_be_asked(named, barred, people):
            return f"person:{named}"
        found = next_approver(need.steps, 0, f"person:{named}", requester, people)
        return found.approver if found else None
    if need.role is None:
        return None
    holders = [person for person in people.holders(need.role) if person.id != requester]
    return f"role:{need.role}" if len(holders) >= max(need.approvers, 1) else None


def next_approver(
    steps: Sequence[Step], level: int, approver: str, requester: str, people: People, *, voters: Sequence[str] = ()
) -> Next | None:
    """Whom a due pause at this level asks next; None when nobody is left to ask. `voters` approved already, and cannot once more."""
    for index in range(level, len(steps)):
        step = steps[index]
        found = _resolve(step, approver, (requester, *voters), people)
        if found and found != approver:
            return Next(found, step, index + 1)
    return None


def leads_to(need: Need, level: int, voter: str, *, at: datetime, requester: str, people: People) -> bool:
    """Whether the rule asks this person at this level, as people are now: what a row says of whom it asked is not believed.

    At level 0 a rule whose person could not be asked has asked one of its steps. Who stood in, `at` the moment of the vote, for somebody
    whom the rule asks by name was asked too.
    """
    if _of_requester(need) and level == 0 and requester in {voter} | people.represented_by(voter, at):
        return True
    if voter == requester or level > len(need.steps):
        return False
    named = {voter} | people.represented_by(voter, at)
    if level == 0 and (need.person in named or (need.role is not None and _holds(voter, need.role, people))):
        return True
    steps = need.steps[level - 1 : level] if level else need.steps if need.person else ()
    managed = {requester if _of_requester(need) else need.person, *(step.person for step in need.steps)}
    above = {of: {boss for one in start if one for boss in people.above(one)} for of, start in
             (("requester", {requester}), ("approver", managed))}  # fmt: skip
    return any(
        step.person in named
        or (step.role is not None and _holds(voter, step.role, people))
        or (step.manager_of is not None and not named.isdisjoint(above[step.manager_of]))
        for step in steps
    )


def _of_requester(need: Need) -> bool:
    return need.is_question and need.person == REQUESTER


def _holds(person: str, role: str, people: People) -> bool:
    return any(holder.id == person for holder in people.holders(role))


def shown_to(
    approver: str, need: Need, people: People, barred: Sequence[str], *, waits: tuple[datetime, datetime], first: bool
) -> dict[str, datetime | None]:
    """Where a request that this approver must answer is shown, each place once, and from when on (None: at once).

    `barred` are the requester and who approved already. `waits` are since when and until when it waits for them. A delegate who is asked already, or for more than one absence, has one card,
    from the earliest of the times.
    """
    now, until = waits
    digest_at = shown_from(need, now) if first else None
    shown: dict[str, datetime | None] = {}
    for dest in destinations(approver, need.channel, people, barred, first=first):
        shown[dest] = digest_at
    for dest, begins in stand_ins(approver, people, barred, now, until).items():
        shown.setdefault(dest, max(filter(None, (begins, digest_at)), default=None))
    return shown


def stand_ins(
    approver: str, people: People, barred: Sequence[str], now: datetime, until: datetime
) -> dict[str, datetime | None]:
    """Where else a card is shown, and from when on (None: now), since the person asked is or will be away before it is due.

    Nobody stands in for somebody towards their own request, and one hop is all: a delegate who is away has no delegate here. Whoever stands
    in more than once is here once, from the earliest day on.
    """
    kind, _, name = approver.partition(":")
    person = people.get(name) if kind == "person" else None
    absences = sorted(person.absences, key=lambda one: one.starts_at) if person and person.active else ()
    found: dict[str, datetime | None] = {}
    for absence in absences:
        if absence.starts_at < until and absence.ends_at > now and _may_be_asked(absence.delegate, barred, people):
            found.setdefault(f"person:{absence.delegate}", absence.starts_at if absence.starts_at > now else None)
    return found


def destinations(
    approver: str, channel: str | None, people: People, barred: Sequence[str], *, first: bool
) -> tuple[str, ...]:
    """Where a card for this approver is shown: the rule's channel at first, and a DM to a person; a role without a channel gets DMs."""
    kind, _, name = approver.partition(":")
    in_channel = (f"channel:{channel}",) if channel else ()
    if kind == "person":
        return (f"person:{name}", *(in_channel if first else ()))
    return in_channel or tuple(f"person:{p.id}" for p in people.holders(name) if p.id not in barred)


def _resolve(step: Step, approver: str, barred: Sequence[str], people: People) -> str | None:
    """Whom the step leads to; `barred` are the requester, who comes first, and who approved already."""
    if step.person is not None:
        return f"person:{step.person}" if _may_be_asked(step.person, barred, people) else None
    if step.role is not None:
        return f"role:{step.role}" if any(p.id not in barred for p in people.holders(step.role)) else None
    start = barred[0] if step.manager_of == "requester" else approver.removeprefix("person:")
    return next((f"person:{above}" for above in people.above(start) if _may_be_asked(above, barred, people)), None)


def _may_be_asked(person_id: str, barred: Sequence[str], people: People) -> bool:
    person = people.get(person_id)
    return person is not None and person.active and person.id not in barred
