"""What an action needs, in words: who is asked and for how long, that it is done without asking, or why it is never done.

Pure. The same words serve a dry run and an explanation of the policy.
"""

import calendar
from typing import Final

from bot.cards.phrases import approver_name, person, span
from bot.commands.terminal import plain, several
from engine.rules.calendar import Calendar, day_s
from engine.rules.needs import REQUESTER, Need, Step, who
from engine.rules.people import People
from engine.rules.policy_diff import Change

NOBODY: Final = People(())


def in_words(need: Need, approver: str | None, people: People) -> str:
    """One line: what becomes of it. `approver` is who is asked first, None if nobody may be; "person:requester" where that may be anybody."""
    match need.kind:
        case "allow":
            return "done without asking"
        case "forbid":
            return f"forbidden: {plain(need.why)}"
        case "ask" if approver is None:
            return "refused: nobody but the requester may decide on it"
        case "ask":
            several = f"{need.approvers} of " if need.approvers > 1 else ""
            anybody = need.is_question and approver == f"person:{REQUESTER}"
            whom = who(need) if anybody else approver_name(approver or "", _name(approver or "", people))
            typed = f", who types the {need.confirm.replace('_', ' ')}" if need.confirm else ""
            return f"asks {several}{whom}{typed}; {_within(need, need)} to answer"


def changed(change: Change) -> tuple[str, str]:
    """What was needed and what is now, in words; only what differs of it, and nothing that a need of its kind does not have."""
    was, now = change.was, change.now
    if was is None or now is None or was.kind != now.kind:
        return _beside(was, now), _beside(now, was)
    told = [(one, other) for one, other in zip(_terms(was), _terms(now), strict=True) if one != other]
    return "; ".join(one for one, _ in told), "; ".join(other for _, other in told)


def _beside(need: Need | None, other: Need | None) -> str:
    """A need in words, beside one of another kind: without what that says as well."""
    if need is None:
        return "forbidden, since no rule names it"
    asks, *more = _terms(need)
    if need.kind != "ask":
        more = [*([tolerance(need)] if need.tolerance_bp else []), *([_doubt(need)] if need.kind == "allow" else [])]
    said = _terms(other) if other else ()
    return "; ".join([asks, *(term for term in more if term and term not in said)]) if other else asks


def together(window_s: int) -> str:
    """How payments to one payee count, as part of a sentence."""
    return f"what goes to one payee within {span(window_s)} counts together" if window_s else "each is judged by itself"


def clock_of(minutes: int) -> str:
    """A time of day, of minutes after midnight: "08:30"."""
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _terms(need: Need) -> tuple[str, ...]:
    """All that a need says, a part each, in the same order for all needs."""
    steps = ", then ".join(f"{_step(step, NOBODY)} ({_within(need, step)})" for step in need.steps)
    asks = {"allow": "done without asking", "forbid": "forbidden", "ask": f"asks {who(need)}"}[need.kind]
    of_a_yes = not need.is_question
    return (
        asks,
        f"{_within(need, need)} to answer",
        f"if nobody answers: {steps or ('nothing is done' if of_a_yes else 'the agent is told')}",
        tolerance(need) if of_a_yes else "",
        f"to be done within {span(need.execute_within_s)}" if of_a_yes else "",
        f"reminded after {span(need.remind_after_s)}" if need.remind_after_s else "not reminded",
        f"shown in {need.channel}" if need.channel else "shown in a DM",
        f"at {clock_of(need.digest_at)} on business days" if need.digest_at is not None else "at once",
        f"the {need.confirm.replace('_', ' ')} is typed" if need.confirm else "a click is enough" if of_a_yes else "",
        _doubt(need) if of_a_yes else "",
        _hours(need.calendar) if need.calendar else "every hour counts",
    )


def _doubt(need: Need) -> str:
    return f"in doubt, {need.doubt_role or 'nobody'} is asked"


def _hours(hours: Calendar) -> str:
    days = " ".join(calendar.day_abbr[day] for day in hours.days)
    told = [f"business hours by {hours.zone}, {days} {clock_of(hours.opens)}-{clock_of(hours.closes)}"]
    told += [f"without the holidays of {hours.holidays}"] if hours.holidays else []
    told += [f"closed on {' '.join(hours.closed)}"] if hours.closed else []
    return ", ".join(told)


def _time(seconds: int, hours: Calendar | None) -> str:
    """A length of time; `hours`: of business time by this calendar, in days where it is whole ones. None: of all hours."""
    if hours is None:
        return span(seconds)
    days, rest = divmod(seconds, day_s(hours))
    return f"{span(seconds)} of business time" if rest else several(days, "business day")


def _within(need: Need, asked: Need | Step) -> str:
    """How long those have who are asked by the need, or by one of its steps."""
    return _time(asked.answer_within_s, need.calendar if asked.in_business_hours else None)


def silence(need: Need, people: People) -> str:
    """What happens when nobody answers, step by step to the final answer."""
    steps = [f"after {_gone(need, n)} it goes to {_step(step, people)}" for n, step in enumerate(need.steps)]
    end = (
        "the agent is told, and has no answer" if need.is_question else "it counts as not approved, and nothing is done"
    )
    return "; ".join([*steps, f"after {_gone(need, len(steps))} {end}"])


def tolerance(need: Need) -> str:
    """How far the price may move between the yes and the doing."""
    if not need.tolerance_bp:
        return "the price may not change"
    way = {"both": "up or down", "up": "up only", "down": "down only"}[need.direction]
    return f"the price may move by {need.tolerance_bp / 100:g} %, {way}"


def _gone(need: Need, steps: int) -> str:
    waits: list[Need | Step] = [need, *need.steps[:steps]]
    if len({one.in_business_hours for one in waits}) == 1:
        return _time(sum(one.answer_within_s for one in waits), need.calendar if need.in_business_hours else None)
    return " and ".join(_within(need, one) for one in waits)


def _step(step: Step, people: People) -> str:
    if step.manager_of:
        return f"the manager of the {step.manager_of}"
    asked = f"role:{step.role}" if step.role else f"person:{step.person}"
    return approver_name(asked, _name(asked, people))


def _name(approver: str, people: People) -> str | None:
    kind, _, key = approver.partition(":")
    found = people.get(key) if kind == "person" else None
    return person(found.name) if found else None
