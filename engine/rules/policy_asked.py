"""Who is asked by a rule of policy.toml, for how long, where they are shown it, and what silence means: the same for a yes and for an answer.

Every fault is noted in the table that is read, none is raised.
"""

from typing import Any, Final, Literal

from engine.rules import calendar, documents, policy_values
from engine.rules.calendar import Calendar
from engine.rules.documents import Table
from engine.rules.needs import Step

_CLOCKS_S: Final = 3_600
"""By so much a business day may be longer when clocks are put back."""


def whom_and_when(table: Table, hours: Calendar | None) -> dict[str, Any]:
    """The parts of a need that say so, by their names. `hours` None: there is no calendar."""
    person = table.optional("person", documents.word, None)
    role = table.optional("role", documents.word, None)
    if ("person" in table) == ("role" in table):
        table.fault("role", "a rule asks either one person or a role.", "Write exactly one of person and role.")
    answer_within, in_business_hours = table.required("answer_within", policy_values.answer_within(hours)) or (0, False)
    remind_after = table.optional("remind_after", documents.length, None)
    if remind_after and answer_within and remind_after >= answer_within and not in_business_hours:
        table.fault(
            "remind_after", "the time to answer is over by then.", "Make it less than answer_within.", lint=True
        )
    digest_at = _digest(table, answer_within if in_business_hours else 0, hours)
    on_expiry: Literal["deny", "escalate"] | None
    on_expiry = table.required("on_expiry", policy_values.answer_to_silence("deny", "escalate"))
    steps = _steps(table, (answer_within, in_business_hours), hours, asked_role=role is not None)
    if (on_expiry == "escalate") != ("escalate" in table) and on_expiry:
        table.fault("escalate", f'on_expiry is "{on_expiry}".', 'Give steps if, and only if, it is "escalate".')
    final: Literal["deny"] = table.optional("finally", policy_values.answer_to_silence("deny"), "deny")
    return {
        "person": person,
        "role": role,
        "answer_within_s": answer_within,
        "in_business_hours": in_business_hours,
        "calendar": hours if in_business_hours or any(step.in_business_hours for step in steps) else None,
        "on_expiry": on_expiry or "deny",
        "steps": steps,
        "final": final,
        "remind_after_s": remind_after,
        "channel": table.optional("channel", policy_values.channel, None),
        "digest_at": digest_at,
    }


def _digest(table: Table, business_s: int, hours: Calendar | None) -> int | None:
    """When on a business day what came in is shown; whoever is asked just after it must still have time to answer after the next.

    Also if clocks are put back between them. `business_s`: how many seconds of business time there are to answer, 0 if other hours count too.
    """
    at = table.optional("digest", policy_values.digest(hours), None)
    if at is None or hours is None:
        return None
    if "answer_within" in table and business_s <= calendar.day_s(hours) + _CLOCKS_S:
        table.fault(
            "digest",
            "what is asked just after one digest would have no time to be answered after the next.",
            'Give more than a business day and an hour to answer, as in answer_within = "2 business days".',
            lint=True,
        )
    if "remind_after" in table:
        table.fault(
            "digest",
            "a reminder could come before the digest that first shows it.",
            "Take one of the two out.",
            lint=True,
        )
    return at


def _steps(
    table: Table, answer_within: tuple[int, bool], hours: Calendar | None, *, asked_role: bool
) -> tuple[Step, ...]:
    """The escalation steps; `asked_role` is whether those asked before them are a role, which has no one manager."""
    steps = []
    for inner in table.tables("escalate"):
        person = inner.optional("person", documents.word, None)
        role = inner.optional("role", documents.word, None)
        manager_of = inner.optional("manager_of", policy_values.manager_of, None)
        within, in_hours = inner.optional("answer_within", policy_values.answer_within(hours), answer_within)
        inner.refuse_unknown()
        if sum(key in inner for key in ("person", "role", "manager_of")) != 1:
            inner.fault("", "it goes to one place.", "Write exactly one of person, role and manager_of.")
        if manager_of == "approver" and asked_role:
            fix = 'Write manager_of = "requester", a role or a person.'
            inner.fault("manager_of", "those asked before are a role, which has no one manager.", fix)
        asked_role = role is not None
        steps.append(
            Step(person=person, role=role, manager_of=manager_of, answer_within_s=within, in_business_hours=in_hours)
        )
    if "escalate" in table and not steps:
        table.fault("escalate", "it has no step.", 'Write at least one, as in [{ manager_of = "approver" }].')
    return tuple(steps)
