"""What an action needs, in words: who is asked and for how long, that it is done without asking, or why it is never done.

Pure. The same words serve a dry run and an explanation of the policy.
"""

import calendar
from typing import Final

from bot.cards.phrases import approver_name, person, span
from bot.commands.terminal import plain
from engine.rules.calendar import Calendar
from engine.rules.needs import Need, Step, who
from engine.rules.people import People
from engine.rules.policy_diff import Change

NOBODY: Final = People(())


def in_words(need: Need, approver: str | None, people: People) -> str:
    """One line: what becomes of it. `approver` is who is asked first, None if nobody may be."""
    match need.kind:
        case "allow":
            return "done without asking"
        case "forbid":
            return f"forbidden: {plain(need.why)}"
        case "ask" if approver is None:
            return "refused: nobody but the requester may decide on it"
        case "ask":
            several = f"{need.approvers} of " if need.approvers > 1 else ""
            whom = approver_name(approver or "", _name(approver or "", people))
            typed = f", who types the {need.confirm.replace('_', ' ')}" if need.confirm else ""
            return f"asks {several}{whom}{typed}; {_time(need.answer_within_s, need.in_business_hours)} to answer"


def changed(change: Change) -> tuple[str, str]:
    """What was needed and what is now, in words; where whom it asks is the same, only what differs."""
    was, now = change.was, change.now
    if was is None or now is None:
        return tuple(_by_itself(need) if need else "forbidden, since no rule names it" for need in (was, now))  # type: ignore[return-value]
    told = [(one, other) for one, other in zip(_terms(was), _terms(now), strict=True) if one != other]
    return "; ".join(one for one, _ in told), "; ".join(other for _, other in told)


def together(window_s: int) -> str:
    """How payments to one payee count, as part of a sentence."""
    return f"what goes to one payee within {span(window_s)} counts together" if window_s else "each is judged by itself"


def clock_of(minutes: int) -> str:
    """A time of day, of minutes after midnight: "08:30"."""
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _by_itself(need: Need) -> str:
    return _terms(need)[0]


def _terms(need: Need) -> tuple[str, ...]:
    """All that a need says, a part each, in the same order for all needs."""
    steps = ", then ".join(
        f"{_step(step, NOBODY)} ({_time(step.answer_within_s, step.in_business_hours)})" for step in need.steps
    )
    asks = {"allow": "done without asking", "forbid": "forbidden", "ask": f"asks {who(need)}"}[need.kind]
    return (
        asks,
        f"{_time(need.answer_within_s, need.in_business_hours)} to answer",
        f"if nobody answers: {steps or 'nothing is done'}",
        tolerance(need),
        f"to be done within {span(need.execute_within_s)}",
        f"reminded after {span(need.remind_after_s)}" if need.remind_after_s else "not reminded",
        f"shown in {need.channel}" if need.channel else "shown in a DM",
        f"at {clock_of(need.digest_at)} on business days" if need.digest_at is not None else "at once",
        f"the {need.confirm.replace('_', ' ')} is typed" if need.confirm else "a click is enough",
        f"in doubt, {need.doubt_role or 'nobody'} is asked",
        _hours(need.calendar) if need.calendar else "every hour counts",
    )


def _hours(hours: Calendar) -> str:
    days = " ".join(calendar.day_abbr[day] for day in hours.days)
    told = [f"business hours by {hours.zone}, {days} {clock_of(hours.opens)}-{clock_of(hours.closes)}"]
    told += [f"without the holidays of {hours.holidays}"] if hours.holidays else []
    told += [f"closed on {' '.join(hours.closed)}"] if hours.closed else []
    return ", ".join(told)


def _time(seconds: int, in_business_hours: bool) -> str:
    return f"{span(seconds)}{' of business time' if in_business_hours else ''}"


def silence(need: Need, people: People) -> str:
    """What happens when nobody answers, step by step to the final answer."""
    steps = [f"after {_gone(need, n)} it goes to {_step(step, people)}" for n, step in enumerate(need.steps)]
    return "; ".join([*steps, f"after {_gone(need, len(steps))} it counts as not approved, and nothing is done"])


def tolerance(need: Need) -> str:
    """How far the price may move between the yes and the doing."""
    if not need.tolerance_bp:
        return "the price may not change"
    way = {"both": "up or down", "up": "up only", "down": "down only"}[need.direction]
    return f"the price may move by {need.tolerance_bp / 100:g} %, {way}"


def _gone(need: Need, steps: int) -> str:
    waits: list[Need | Step] = [need, *need.steps[:steps]]
    if len({one.in_business_hours for one in waits}) == 1:
        return _time(sum(one.answer_within_s for one in waits), need.in_business_hours)
    return " and ".join(_time(one.answer_within_s, one.in_business_hours) for one in waits)


def _step(step: Step, people: People) -> str:
    if step.manager_of:
        return f"the manager of the {step.manager_of}"
    asked = f"role:{step.role}" if step.role else f"person:{step.person}"
    return approver_name(asked, _name(asked, people))


def _name(approver: str, people: People) -> str | None:
    kind, _, key = approver.partition(":")
    found = people.get(key) if kind == "person" else None
    return person(found.name) if found else None
