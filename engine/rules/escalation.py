"""Who is asked, first and next: from a rule's steps and who is who at that moment, to one approver or nobody.

An approver is written "person:marta" or "role:finance-approver". The one rule: nobody who asked is ever asked, nor anybody who has
left; a step that leads to no one is skipped, and when no step is left the answer decided in advance holds.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.rules.needs import Need, Step
from engine.rules.people import People


@dataclass(frozen=True, slots=True)
class Next:
    """The next approver, how long they have, and the level this is (the count of steps used, skipped ones included)."""

    approver: str
    within_s: int
    level: int


def first_approver(need: Need, requester: str, people: People) -> str | None:
    """Whom a new request asks; None if the rule leads to nobody who may decide, and then it is not asked at all."""
    if need.person is not None:
        if _may_be_asked(need.person, requester, people):
            return f"person:{need.person}"
        found = next_approver(need.steps, 0, f"person:{need.person}", requester, people)
        return found.approver if found else None
    if need.role is None:
        return None
    holders = [person for person in people.holders(need.role) if person.id != requester]
    return f"role:{need.role}" if len(holders) >= max(need.approvers, 1) else None


def next_approver(steps: Sequence[Step], level: int, approver: str, requester: str, people: People) -> Next | None:
    """Whom a due pause at this level asks next; None when nobody is left to ask."""
    for index in range(level, len(steps)):
        step = steps[index]
        found = _resolve(step, approver, requester, people)
        if found and found != approver:
            return Next(found, step.answer_within_s, index + 1)
    return None


def leads_to(need: Need, level: int, voter: str, requester: str, people: People) -> bool:
    """Whether the rule asks this person at this level, as people are now: what a row says of whom it asked is not believed.

    At level 0 a rule whose person could not be asked has asked one of its steps.
    """
    if voter == requester or level > len(need.steps):
        return False
    if level == 0 and (need.person == voter or (need.role is not None and _holds(voter, need.role, people))):
        return True
    steps = need.steps[level - 1 : level] if level else need.steps if need.person else ()
    return any(_step_leads_to(step, need, voter, requester, people) for step in steps)


def _step_leads_to(step: Step, need: Need, voter: str, requester: str, people: People) -> bool:
    if step.person is not None:
        return step.person == voter
    if step.role is not None:
        return _holds(voter, step.role, people)
    asked = {requester} if step.manager_of == "requester" else {need.person, *(each.person for each in need.steps)}
    return any(voter in people.above(start) for start in asked if start)


def _holds(person: str, role: str, people: People) -> bool:
    return any(holder.id == person for holder in people.holders(role))


def destinations(approver: str, channel: str | None, people: People, requester: str, *, first: bool) -> tuple[str, ...]:
    """Where a card for this approver is shown: the rule's channel at first, and a DM to a person; a role without a channel gets DMs."""
    kind, _, name = approver.partition(":")
    in_channel = (f"channel:{channel}",) if channel else ()
    if kind == "person":
        return (f"person:{name}", *(in_channel if first else ()))
    return in_channel or tuple(f"person:{p.id}" for p in people.holders(name) if p.id != requester)


def _resolve(step: Step, approver: str, requester: str, people: People) -> str | None:
    if step.person is not None:
        return f"person:{step.person}" if _may_be_asked(step.person, requester, people) else None
    if step.role is not None:
        return f"role:{step.role}" if any(p.id != requester for p in people.holders(step.role)) else None
    start = requester if step.manager_of == "requester" else approver.removeprefix("person:")
    return next((f"person:{above}" for above in people.above(start) if _may_be_asked(above, requester, people)), None)


def _may_be_asked(person_id: str, requester: str, people: People) -> bool:
    person = people.get(person_id)
    return person is not None and person.active and person.id != requester
