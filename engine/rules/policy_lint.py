"""Faults between the rules of a policy, and between a policy and the people it asks.

The one rule: for every action and amount exactly one rule applies, the need never falls as the amount rises, and
whoever asks, enough others are there to answer.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from engine.rules import policy_conditions
from engine.rules.documents import Fault
from engine.rules.money import Money, format_money
from engine.rules.needs import REQUESTER, strictness
from engine.rules.people import People
from engine.rules.policy import Rule


def between_rules(rules: Sequence[Rule]) -> list[Fault]:
    """Names used twice, gaps, overlaps, and needs that fall as the amount rises."""
    faults = list(_names(rules))
    for action in dict.fromkeys(rule.action for rule in rules):
        faults += _action([rule for rule in rules if rule.action == action])
    return faults


def against_people(rules: Sequence[Rule], people: People) -> list[Fault]:
    """Persons who are nobody or have left, and roles with too few holders.

    Anybody may be the requester, holders of the role included, and nobody answers their own request: so a role needs
    one active holder more than approvers.
    """
    faults = []
    for rule in rules:
        need = rule.need
        person = None if need.is_question and need.person == REQUESTER else need.person
        asked = [("", person, need.role, max(need.approvers, 1))]
        asked += [(f"escalate[{n}], ", step.person, step.role, 1) for n, step in enumerate(need.steps)]
        asked += [("doubt_", None, need.doubt_role, 1)]
        for prefix, person, role, approvers in asked:
            if person and (why := _unfit_person(person, people)):
                faults.append(rule.fault(f"{prefix}person", why, "Name an active person of the people document."))
            if role and (why := _unfit_role(role, approvers, people)):
                fix = f"Give it to {approvers + 1} active people or more, or name another role."
                faults.append(rule.fault(f"{prefix}role", why, fix))
    return list(dict.fromkeys(faults))


def short_of_votes(rules: Sequence[Rule], people: People) -> Iterator[Fault]:
    """Rules whose steps lead to fewer people than must approve: where nobody with the role answered, they could not do it together."""
    for rule in rules:
        need = rule.need
        if need.on_expiry != "escalate" or need.approvers < 2:
            continue
        reached = sum(step.manager_of is not None for step in need.steps)
        reached += len({step.person for step in need.steps if step.person}
                       | {holder.id for step in need.steps if step.role for holder in people.holders(step.role)})  # fmt: skip
        if reached < need.approvers:
            why = f"{need.approvers} must approve, and its steps lead to {reached} where nobody answers before."
            fix = 'Add steps, or a role that more people hold; or write on_expiry = "deny".'
            yield rule.fault("escalate", why, fix)


def _unfit_person(person_id: str, people: People) -> str | None:
    person = people.get(person_id)
    if person is None:
        return f'"{person_id}" is nobody.'
    return None if person.active else f'"{person_id}" is not active.'


def _unfit_role(role: str, approvers: int, people: People) -> str | None:
    """Why the role cannot be asked, whoever the requester is; None if it can."""
    holders = [person.id for person in people.holders(role)]
    if not holders:
        return f'nobody active has the role "{role}".'
    if len(holders) <= approvers:
        others = f"{approvers} other person is" if approvers == 1 else f"{approvers} other people are"
        have = "has" if len(holders) == 1 else "have"
        return f'only {" and ".join(holders)} {have} the role "{role}", and when they ask themselves {others} needed.'
    return None


def _names(rules: Sequence[Rule]) -> Iterator[Fault]:
    seen = set()
    for rule in rules:
        if rule.name in seen:
            yield rule.fault("name", "another rule has this name.", "Give each rule a name of its own.")
        seen.add(rule.name)


def _action(rules: Sequence[Rule]) -> Iterator[Fault]:
    """The faults among the rules of one action."""
    with_money = [rule for rule in rules if rule.currency is not None]
    without = [rule for rule in rules if rule.currency is None]
    if with_money and without:
        why = f'rule "{with_money[0].name}" names a currency for the same action, and this one does not.'
        yield without[0].fault("currency", why, "Name a currency in every rule of the action or in none.")
    plain = [rule for rule in without if not rule.when]
    for rule in plain[1:]:
        yield rule.fault(
            "action", f'it overlaps rule "{plain[0].name}".', "Keep one rule for an action without currencies."
        )
    if len(plain) < 2:
        yield from policy_conditions.among(without)
    for currency in dict.fromkeys(rule.currency for rule in with_money):
        yield from _currency([rule for rule in with_money if rule.currency == currency])


def _currency(rules: Sequence[Rule]) -> Iterator[Fault]:
    """The faults among the rules of one action and currency: of those without a condition first, which must be whole by themselves."""
    plain = sorted((rule for rule in rules if not rule.when), key=lambda rule: (_lower(rule), _upper(rule)))
    faults = list(_bands(plain)) if plain else []
    yield from faults or policy_conditions.among(rules)


def _bands(bands: Sequence[Rule]) -> Iterator[Fault]:
    """Gaps, overlaps and falling needs in the bands of one action and currency, lowest first."""
    lowest, highest = bands[0], bands[-1]
    if lowest.over is not None:
        yield lowest.fault("over", f"no rule says what holds up to {_end(lowest, lowest.over)}.", "Add one below.")
    for low, high in pairwise(bands):
        if _upper(low) > _lower(high):
            yield high.fault("over", f'it overlaps rule "{low.name}".', "Let each begin where the one below ends.")
        elif _upper(low) < _lower(high) and low.up_to is not None and high.over is not None:
            between = f"over {_end(low, low.up_to)} and up to {_end(high, high.over)}"
            yield high.fault("over", f"no rule says what holds {between}.", "Let it begin where the one below ends.")
        if strictness(high.need) < strictness(low.need):
            why = f'a larger amount needs less than under rule "{low.name}".'
            yield high.fault("need", why, policy_conditions.AT_LEAST)
    if highest.up_to is not None:
        yield highest.fault("up_to", f"no rule says what holds over {_end(highest, highest.up_to)}.", "Add one above.")


def _lower(rule: Rule) -> float:
    return -1 if rule.over is None else rule.over


def _upper(rule: Rule) -> float:
    return float("inf") if rule.up_to is None else rule.up_to


def _end(rule: Rule, minor: int) -> str:
    return format_money(Money(minor, rule.currency or ""))
