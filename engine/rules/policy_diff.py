"""What a new policy changes, call by call: for each kind of call that either policy tells from others, what it needed and what it needs now.

The one rule: it is found by asking both policies, not by comparing their texts, so that a rule that was renamed, split or moved changes
nothing here, and one whose band grew by a cent does. Where there are too many kinds of calls to ask about each, that is said.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engine.rules import conditions
from engine.rules.conditions import Condition
from engine.rules.money import Money, format_money
from engine.rules.needs import Need
from engine.rules.policy import ANY_OTHER, Policy, Rule, choose


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """For these calls something else is needed. `was` or `now` None: no rule named them before, or none does now, so that it is forbidden."""

    action: str
    extent: str
    was: Need | None
    now: Need | None


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of all amounts of a currency, from one minor unit to another, `last` None: without end."""

    first: int
    last: int | None
    was: Need | None
    now: Need | None


def changes(old: Policy, new: Policy) -> tuple[Change, ...]:
    """All that changes, action by action as the new policy has them, and then those that only the old one knows."""
    actions = dict.fromkeys(rule.action for rule in (*new.rules, *old.rules))
    return tuple(change for action in actions for change in _of_action(action, old, new))


def unclear(old: Policy, new: Policy) -> tuple[tuple[str, str], ...]:
    """(action, in which currency) of calls that cannot be compared: their rules differ, and conditions tell too many kinds of them apart.

    `changes` is silent on these. What neither names is as it was.
    """
    actions = dict.fromkeys(rule.action for rule in (*new.rules, *old.rules))
    return tuple(
        (one.action, "" if one.currency is None else _amounts(one.currency, _Part(0, None, None, None)))
        for action in actions
        for one in _fields(action, old, new)
        if one.worlds() is None and list(map(_said, one.was)) != list(map(_said, one.now))
    )


def windows(old: Policy, new: Policy) -> tuple[tuple[str, int, int], ...]:
    """(action, seconds before, seconds now) where payments to one payee count together for another time; 0: each by itself."""
    named = dict.fromkeys((*new.windows, *old.windows))
    before_and_now = ((action, old.windows.get(action, 0), new.windows.get(action, 0)) for action in named)
    return tuple(one for one in before_and_now if one[1] != one[2])


@dataclass(frozen=True, slots=True)
class _Field:
    """All calls of an action in one currency, the rules that each policy has for them, and the conditions of either."""

    action: str
    currency: str | None
    was: list[Rule]
    now: list[Rule]

    @property
    def groups(self) -> list[tuple[Condition, ...]]:
        return list(dict.fromkeys(rule.when for rule in (*self.now, *self.was) if rule.when))

    def worlds(self) -> Iterator[tuple[bool, ...]] | None:
        """As conditions.worlds has them; None if there are too many."""
        return conditions.worlds(self.groups)


def _fields(action: str, old: Policy, new: Policy) -> Iterator[_Field]:
    before, now = ([rule for rule in policy.rules if rule.action == action] for policy in (old, new))
    for currency in dict.fromkeys(rule.currency for rule in (*now, *before)):
        yield _Field(action, currency, _in_currency(before, currency), _in_currency(now, currency))


def _of_action(action: str, old: Policy, new: Policy) -> Iterator[Change]:
    for one in _fields(action, old, new):
        groups = one.groups
        for world in one.worlds() or ():
            held = dict(zip(groups, world, strict=True))
            where = [group for group in groups if held[group]] if groups else None
            for part in _parts(one.was, one.now, held):
                yield Change(action=action, extent=_extent(one.currency, part, where), was=part.was, now=part.now)


def _said(rule: Rule) -> Rule:
    """The rule, whatever it and its version are called."""
    return replace(rule, name="", need=_unnamed(rule.need))


def _in_currency(rules: Sequence[Rule], currency: str | None) -> list[Rule]:
    """The rules that a call in this currency meets; those for any other currency where none names it."""
    named = [rule for rule in rules if rule.currency == currency]
    if named or currency is None:
        return named
    return [rule for rule in rules if rule.currency == ANY_OTHER]


def _parts(was: Sequence[Rule], now: Sequence[Rule], held: dict[tuple[Condition, ...], bool]) -> list[_Part]:
    """The parts in which they differ, neighbours that differ alike taken together."""
    ends = {end for rule in (*was, *now) for end in (rule.over, rule.up_to) if end is not None}
    firsts = sorted({0, *(end + 1 for end in ends)})
    lasts = [*(first - 1 for first in firsts[1:]), None]
    found: list[_Part] = []
    for first, last in zip(firsts, lasts, strict=True):
        before, after = (_need(rules, first, held) for rules in (was, now))
        if _same(before, after):
            continue
        near = found[-1] if found else None
        if near and near.last == first - 1 and _same(near.was, before) and _same(near.now, after):
            found[-1] = replace(near, last=last)
        else:
            found.append(_Part(first, last, before, after))
    return found


def _need(rules: Sequence[Rule], minor: int, held: dict[tuple[Condition, ...], bool]) -> Need | None:
    found = choose(rules, minor, lambda rule: held[rule.when])
    return found[0].need if found else None


def _same(one: Need | None, other: Need | None) -> bool:
    """Whether they need the same, whatever the rule and the version are called."""
    if one is None or other is None:
        return one is other
    return _unnamed(one) == _unnamed(other)


def _unnamed(need: Need) -> Need:
    return replace(need, policy_version="", rule="", why="")


def _extent(currency: str | None, part: _Part, where: Sequence[Sequence[Condition]] | None) -> str:
    """`where`: whose conditions hold; None: no rule has any."""
    holding = list(dict.fromkeys(str(condition) for group in where or () for condition in group))
    told = " and ".join(holding) if holding or where is None else "no rule's condition holds"
    return ", ".join(filter(None, (_amounts(currency, part), f"where {told}" if told else "")))


def _amounts(currency: str | None, part: _Part) -> str:
    if currency is None:
        return ""
    if currency == ANY_OTHER:
        return "in any other currency"
    over = format_money(Money(part.first - 1, currency)) if part.first else ""
    up_to = format_money(Money(part.last, currency)) if part.last is not None else ""
    return " ".join(filter(None, (over and f"over {over}", up_to and f"up to {up_to}"))) or f"any amount in {currency}"
