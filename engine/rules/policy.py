"""Which rule of a policy applies to an action, and so what it needs.

The one rule: exactly one rule applies, and what no rule names is forbidden. Reading policies is in policy_file, judging them in policy_lint.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from unicodedata import normalize

from engine.rules import conditions
from engine.rules.conditions import Condition
from engine.rules.documents import Fault
from engine.rules.money import LARGEST_MINOR, Money, format_money
from engine.rules.needs import Need, strictness

ANY_OTHER = "any other"
"""As the currency of a rule: every currency that no other rule of the action names."""

NO_RULE = "no rule"
"""As the rule of a need: the action or its currency is named by none."""

_COUNTED = re.compile(r"With [A-Z]{3} [0-9][0-9,.]* paid or begun to .* within .* before, it counts as .*", re.DOTALL)
"""How a need says that it counts with earlier payments; requests that wait since a release before say it so, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule: if all of `when` holds, for amounts of a currency above `over` and up to `up_to`, in minor units, the need holds.

    `over` is None from zero on, `up_to` None without end. `currency` is None for an action without money, or ANY_OTHER.
    `line` is where the document has it, for faults.
    """

    name: str
    action: str
    currency: str | None
    over: int | None
    up_to: int | None
    need: Need
    when: tuple[Condition, ...] = ()
    line: int | None = field(default=None, compare=False)

    def covers(self, minor: int) -> bool:
        """Whether the amount is in the band: `over` is outside it, `up_to` inside."""
        return (self.over is None or minor > self.over) and (self.up_to is None or minor <= self.up_to)

    def fault(self, key: str, why: str, fix: str) -> Fault:
        """A fault of what the rule says under this key, beside the other rules or the people there are."""
        return Fault(line=self.line, field=f'rule "{self.name}", {key}', why=why, fix=fix, lint=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A version of the policy: its name and its rules in the order of the document.

    `windows` says for which actions payments to one payee count together, and for how long, in seconds.
    """

    version: str
    rules: tuple[Rule, ...]
    windows: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a policy looks at. `amount` is None for an action without money, or if it could not be found out.

    `arguments` are those of the call in JSON form. `unread` names what the tool says that it has and could not be read ("amount",
    "payee"). `spent` is what was begun to be paid to the payee within the action's window before this, in the amount's currency; it counts only
    where the policy has such a window.
    """

    action: str
    amount: Money | None = None
    payee: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    spent: Money | None = None

    @property
    def judged(self) -> int | None:
        """The amount that the bands are held to, in minor units: with what was paid before. None without an amount."""
        return None if self.amount is None else self.amount.minor + (self.spent.minor if self.spent else 0)


def evaluate(policy: Policy, facts: Facts) -> Need:
    """The need of the one rule that applies; a need of kind "forbid", with NO_RULE, if none does.

    The first rule whose condition holds and whose band has the amount applies, and if there is none such the one without a condition.
    If it cannot be told whether a condition holds, the strictest of those that may apply. Without an amount, a rule without currency
    applies; if the action has only rules with currencies, or what the tool says that it has could not be read, the strictest that is
    not "allow", since an unknown amount may be any amount and an unknown payee anybody. Where payments to one payee count together, an
    unknown payee may have been paid any sum before.
    """
    counts = bool(policy.windows.get(facts.action))
    facts = facts if counts else replace(facts, spent=None)
    rules = [rule for rule in policy.rules if rule.action == facts.action]
    amount, minor = facts.amount, facts.judged
    if "amount" in facts.unread or (amount is None and rules and all(rule.currency for rule in rules)):
        return _unread(policy, facts, rules, "amount")
    in_currency = [rule for rule in rules if amount is not None and rule.currency == amount.currency]
    others = [rule for rule in rules if rule.currency == (ANY_OTHER if amount is not None else None)]
    found = choose(in_currency or others, minor, lambda rule: conditions.holds(rule.when, facts.arguments))
    if not found:
        return _unnamed(
            policy, f'"{facts.action}"' + (f" in {amount.currency}" if amount is not None and rules else "")
        )
    rule = _strictest(found)
    if facts.unread and (counts or rule.need.kind == "allow"):
        return _unread(policy, facts, in_currency or others if counts else rules, "payee")
    need = _counted(policy, facts, rule)
    if len(found) == 1:
        return need
    return replace(need, why=f"Whether a condition holds cannot be told, so the strictest rule holds. {need.why}")


def same_payee(payee: str) -> str:
    """What texts that people take for one payee have in common: payments to them count together."""
    return " ".join(normalize("NFKC", normalize("NFKC", payee).casefold()).split())


def choose(rules: Sequence[Rule], minor: int | None, judge: Callable[[Rule], bool | None]) -> list[Rule]:
    """The rule that applies, alone, or several of which it cannot be told which; empty if none surely does.

    `minor` None: an action without money.
    """
    fitting = [rule for rule in rules if minor is None or rule.covers(minor)]
    found = []
    for rule in fitting:
        verdict = judge(rule) if rule.when else False
        if verdict is not False:
            found.append(rule)
        if verdict:
            return found
    plain = [rule for rule in fitting if not rule.when][:1]
    return [*found, *plain] if plain else []


def _strictest(rules: Iterable[Rule]) -> Rule:
    """Of several as strict one without a condition, which surely may apply, and of those the one for the largest amounts."""
    return max(rules, key=lambda rule: (*strictness(rule.need), not rule.when, -1 if rule.over is None else rule.over))


def _unread(policy: Policy, facts: Facts, rules: Sequence[Rule], what: str) -> Need:
    """The strictest that may apply and is not "allow", since what could not be read may be anything."""
    may = [rule for rule in rules if conditions.holds(rule.when, facts.arguments) is not False]
    candidates = [rule for rule in may if rule.need.kind != "allow"]
    if not candidates:
        return _unnamed(policy, f'"{facts.action}" without {"an amount" if what == "amount" else "a payee"}')
    need = _strictest(candidates).need
    return replace(need, why=f"The {what} is not known, so the strictest rule holds. {need.why}")


def _counted(policy: Policy, facts: Facts, rule: Rule) -> Need:
    """The rule's need, with what it must know where payments to one payee count together."""
    window_s = policy.windows.get(facts.action, 0)
    if not window_s or facts.amount is None or facts.payee is None:
        return rule.need
    why = rule.need.why
    if facts.spent is not None and facts.spent.minor:
        together = format_money(replace(facts.amount, minor=min(facts.judged or 0, LARGEST_MINOR)))
        before = f"With {format_money(facts.spent)} paid or begun to {facts.payee} within {_span(window_s)} before"  # as _COUNTED reads it
        why = f"{why} {before}, it counts as {together}."
    return replace(rule.need, why=why, window_s=window_s, up_to=rule.up_to)


def counted_with(why: str) -> str | None:
    """Of the reason that a need gives, what earlier payments to the payee have to do with it; None: nothing, it stands by itself."""
    found = _COUNTED.search(why)
    return found[0] if found else None


def _span(seconds: int) -> str:
    for size, name in ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")):
        if seconds % size == 0:
            return f"{seconds // size} {name}{'' if seconds == size else 's'}"
    raise AssertionError("every number of seconds is one of seconds")


def _unnamed(policy: Policy, what: str) -> Need:
    why = f"No rule of {policy.version} names {what}, so it is forbidden until the owner of the policy adds one."
    return Need(kind="forbid", policy_version=policy.version, rule=NO_RULE, why=why)
