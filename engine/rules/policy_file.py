"""The grammar of policy.toml: from text to a Policy, or to every fault in it.

The one rule: nothing is guessed. A key of a later version, an answer to silence other than no, or half of a choice is a
fault with the sentence that mends it. Faults between rules, and against who is who, are found in policy_lint.
"""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from engine.rules import documents, policy_arguments, policy_asked, policy_lint, policy_values, policy_words
from engine.rules.calendar import Calendar
from engine.rules.documents import DocumentFaults, Fault, Table
from engine.rules.needs import QUESTION, REQUESTER, Kind, Need
from engine.rules.people import People
from engine.rules.policy import ANY_OTHER, Policy, Rule
from engine.rules.policy_arguments import Takes

DEFAULT_EXECUTE_WITHIN_S = 86_400
"""How long an approval may wait to be carried out, if the rule does not say: a day."""

_ASKING = (
    "person", "role", "approvers", "answer_within", "on_expiry", "escalate", "finally", "execute_within",
    "remind_after", "channel", "confirm", "digest",
)  # fmt: skip
_DOING = ("tolerance", "doubt_role")
_OF_A_YES = ("currency", "over", "up_to", "approvers", "execute_within", "confirm", *_DOING)
"""What the rule of a question cannot say: nothing is paid, approved or done by an answer."""
_LATER = ("batch",)

_unsigned = partial(Need, policy_version="", rule="", why="")
"""A need before it is signed with the version, the name of its rule and the sentence."""


def parse(text: str) -> Policy:
    """Read a policy as it stands alone. Raises DocumentFaults."""
    policy, faults = _read(text)
    if faults:
        raise DocumentFaults(faults)
    return policy


@lru_cache(maxsize=8)
def recall(text: str) -> Policy:
    """Read a policy that was applied, by whatever lint there was then; the same text is read once. Raises DocumentFaults if it cannot be read."""
    policy, faults = _read(text)
    if unreadable := [fault for fault in faults if not fault.lint]:
        raise DocumentFaults(unreadable)
    return policy


def check(text: str, people: People | None, tools: Sequence[Takes] = ()) -> Policy:
    """Read a policy that is about to be applied to these people and tools. Raises DocumentFaults with the faults of all.

    `people` None: they are not known, and not looked at.
    """
    policy, faults = _read(text)
    if people is not None:
        faults += policy_lint.against_people(policy.rules, people)
        faults += policy_lint.short_of_votes(policy.rules, people)
    faults += policy_arguments.against_tools(policy.rules, tools)
    if faults:
        raise DocumentFaults(faults)
    return policy


def _read(text: str) -> tuple[Policy, list[Fault]]:
    faults: list[Fault] = []
    top, tables = documents.read(text, "rule", faults)
    version = top.required("version", policy_values.version) or ""
    written = top.table("calendar")
    hours = policy_values.calendar_of(written) if written else None
    if (
        hours is None and "calendar" in top
    ):  # which is the fault, and was noted: business hours do not lack one beside it
        hours = policy_values.UNREAD
    windows = _windows(top, tables)
    top.refuse_unknown()
    before = len(faults)
    rules = [rule for table in tables if (rule := _rule(table, version, hours))]
    # A rule whose band or condition cannot be read would look like a gap between the others.
    if len(rules) == len(tables) and len(faults) == before:
        faults += policy_lint.between_rules(rules)
    return Policy(version=version, rules=tuple(rules), windows=windows), faults


def _windows(top: Table, tables: list[Table]) -> Mapping[str, int]:
    """For which actions payments to one payee count together, and for how many seconds."""
    window = top.table("spend_window")
    if window is None:
        return {}
    with_money = [table.peek("action") for table in tables if "currency" in table]  # unread: not each can be in a set
    found = {}
    for action in window:
        found[action] = window.optional(action, documents.length, 0)
        if action not in with_money:
            near = difflib.get_close_matches(action, [one for one in with_money if isinstance(one, str)], n=1)
            fix = f"Did you mean {near[0]}?" if near else "Name an action whose rules do."
            window.fault(action, "no rule of this action names a currency.", fix)
    return {action: seconds for action, seconds in found.items() if seconds}


def _rule(table: Table, version: str, hours: Calendar | None) -> Rule | None:
    """The rule the table describes; None, with the faults noted, if it is not even clear when it applies."""
    name = table.required("name", policy_values.rule_name)
    action = table.required("action", documents.word)
    kind: Kind | None = table.required("need", documents.choice("allow", "ask", "forbid"))
    currency = table.optional("currency", policy_values.currency, None)
    band = _band(table, currency)
    asked = table.table("when")
    when = policy_values.conditions(asked) if asked else ()
    if kind is None:
        return None
    need = _need_of_question(table, kind, hours) if action == QUESTION else _need(table, kind, hours)
    table.refuse_unknown()
    if name is None or action is None or band is None:
        return None
    over, up_to = band
    rule = Rule(
        name=name, action=action, currency=currency, over=over, up_to=up_to, need=need, when=when, line=table.line
    )
    return replace(
        rule, need=replace(need, policy_version=version, rule=name, why=policy_words.sentence(rule, version))
    )


def _band(table: Table, currency: str | None) -> tuple[int | None, int | None] | None:
    """The ends of the band in minor units; None, with the faults noted, if they cannot be read."""
    keys = [key for key in ("over", "up_to") if key in table]
    if currency is None and "currency" in table:  # which is the fault, and was noted
        for key in keys:
            table.optional(key, str, None)
        return None
    if currency is None or currency == ANY_OTHER:
        table.refuse(keys, "an amount needs a currency.", 'Name one, as in currency = "EUR", or take it out.')
        return None if keys else (None, None)
    ends = {key: table.optional(key, policy_values.amount(currency), None) for key in keys}
    over, up_to = ends.get("over"), ends.get("up_to")
    if over is not None and up_to is not None and over >= up_to:
        table.fault("up_to", "no amount is over the one and up to the other.", "Make up_to more than over.")
        return None
    return None if None in ends.values() else (over, up_to)


def _need(table: Table, kind: Kind, hours: Calendar | None) -> Need:
    """What the rule asks for, not yet signed with its name, its version and the sentence."""
    table.refuse(_LATER, "it is not supported by this version.", "Take it out: it would promise what is not kept.")
    if kind == "ask":
        return _asking(table, hours)
    table.refuse(_ASKING, f'a rule that says "{kind}" asks nobody.', 'Take it out, or write need = "ask".')
    if kind == "forbid":
        table.refuse(_DOING, "what is forbidden is never done.", "Take it out.")
        return _unsigned(kind="forbid")
    return _unsigned(kind="allow", **_doing(table, None))


def _need_of_question(table: Table, kind: Kind, hours: Calendar | None) -> Need:
    """The same of a rule for questions: who answers, the requester too if it names them. Nobody's yes is needed, and nothing is done."""
    table.refuse(_OF_A_YES, "a question is answered, and nothing is approved or done.", "Take it out.")
    if kind == "ask":
        return _unsigned(kind="ask", **policy_asked.whom_and_when(table, hours))
    if kind == "allow":
        table.fault("need", "a question that asks nobody has no answer.", 'Write need = "ask", or "forbid".')
    table.refuse(_ASKING, f'a rule that says "{kind}" asks nobody.', 'Take it out, or write need = "ask".')
    return _unsigned(kind="forbid")


def _asking(table: Table, hours: Calendar | None) -> Need:
    asked = policy_asked.whom_and_when(table, hours)
    approvers = table.optional("approvers", documents.whole(1, 9), 1)
    if asked["person"] and approvers > 1:
        table.fault("approvers", "one person can say yes once.", "Write a role, or approvers = 1.")
    if asked["person"] == REQUESTER:
        why = "nobody says yes to their own request; only a question may be asked of the requester."
        table.fault("person", why, "Name somebody, or a role.", lint=True)
    return _unsigned(
        kind="ask",
        approvers=approvers,
        execute_within_s=table.optional("execute_within", documents.length, DEFAULT_EXECUTE_WITHIN_S),
        confirm=table.optional("confirm", policy_values.argument, None),
        **asked,
        **_doing(table, asked["role"]),
    )


def _doing(table: Table, role: str | None) -> dict[str, Any]:
    """What a rule says about carrying out: tolerance and doubt_role, by default the rule's own role."""
    doubt_role = table.optional("doubt_role", documents.word, role)
    if doubt_role is None and "doubt_role" not in table:
        fix = 'Name the role to ask when nobody can tell whether it happened, as in doubt_role = "operator".'
        table.fault("doubt_role", "it is missing, and the rule has no role to take instead.", fix)
    said: dict[str, Any] = {"doubt_role": doubt_role}
    if tolerance := table.table("tolerance"):
        said["tolerance_bp"] = tolerance.required("percent", policy_values.percent) or 0
        said["direction"] = tolerance.optional("direction", documents.choice("both", "up", "down"), "both")
        tolerance.refuse_unknown()
    return said
