"""Faults among rules with conditions: one that never applies, no rule where none holds, a need that falls as the amount rises.

The one rule: all is tried, for every kind of call that the conditions can tell from others, and for every amount at which a band begins or
ends. So what is found here is what evaluate would do, and nothing that it could not.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from engine.rules import conditions
from engine.rules.documents import Fault
from engine.rules.needs import strictness
from engine.rules.policy import Rule, choose

AT_LEAST = "Ask for at least as much as below: splitting or raising must never help."


def among(rules: Sequence[Rule]) -> Iterator[Fault]:
    """The faults of the rules of one action and currency, in the document's order; those without a condition are whole by themselves."""
    conditional = [rule for rule in rules if rule.when]
    if not conditional:
        return
    if len(conditional) == len(rules):
        yield conditional[0].fault("when", "no rule says what holds where it does not.", "Add a rule without when.")
        return
    yield from _overlaps(conditional)
    found = conditions.worlds([rule.when for rule in conditional])
    if found is None:
        why = "there are too many conditions to see whether exactly one rule applies."
        yield conditional[-1].fault("when", why, "Use fewer values, or several actions.")
        return
    used: set[str] = set()
    falls: dict[str, str] = {}
    for world in found:
        held = {rule.name: holds for rule, holds in zip(conditional, world, strict=True)}
        picked = [_picked(rules, minor, held) for minor in _minors(rules)]
        used.update(rule.name for rule in picked)
        falls |= {high.name: low.name for low, high in pairwise(picked) if strictness(high.need) < strictness(low.need)}
    for rule in rules:
        if rule.when and rule.name not in used:
            why = "it never applies: the rules before it take all that it is for."
            yield rule.fault("when", why, "Put it before them, or take it out.")
        if low := falls.get(rule.name):
            yield rule.fault("need", f'a larger amount needs less than under rule "{low}".', AT_LEAST)


def _overlaps(rules: Sequence[Rule]) -> Iterator[Fault]:
    for one, other in combinations(rules, 2):
        meet = any(one.covers(minor) and other.covers(minor) for minor in _minors((one, other)))
        if meet and set(one.when) == set(other.when):
            yield other.fault("when", f'it overlaps rule "{one.name}".', "Let each begin where the one below ends.")


def _picked(rules: Sequence[Rule], minor: int, held: dict[str, bool]) -> Rule:
    found = choose(rules, minor, lambda rule: held[rule.name])
    assert found, "those without a condition are whole by themselves"
    return found[0]


def _minors(rules: Sequence[Rule]) -> list[int]:
    """An amount of each part into which the ends of the bands cut all amounts, rising."""
    ends = {end for rule in rules for end in (rule.over, rule.up_to) if end is not None}
    return sorted({0, *ends, *(end + 1 for end in ends)})
