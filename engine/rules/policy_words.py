"""What a rule says, in words that finance understands: whom it is about, and what it needs."""

from engine.rules.money import Money, format_money
from engine.rules.needs import who
from engine.rules.policy import ANY_OTHER, Rule


def sentence(rule: Rule, version: str) -> str:
    """Why the rule applies and what it needs, for a person."""
    what = rule.action.replace("_", " ").replace("-", " ").capitalize()
    needed = {
        "allow": "is allowed",
        "ask": f"is answered by {who(rule.need)}" if rule.need.is_question else f"needs the yes of {who(rule.need)}",
        "forbid": "is forbidden",
    }[rule.need.kind]
    return f'{what}{extent(rule)} {needed} (rule "{rule.name}", {version}).'


def extent(rule: Rule) -> str:
    """Which amounts, and under which conditions, as it follows the name of the action; "" for all."""
    where = f", where {' and '.join(map(str, rule.when))}," if rule.when else ""
    return f"{_band(rule)}{where}"


def short(rule: Rule) -> str:
    """The same as a line of a table has it: "over EUR 10.00 up to EUR 20.00, where country is DE"; "" for all."""
    where = f"where {' and '.join(map(str, rule.when))}" if rule.when else ""
    return ", ".join(filter(None, (_band_short(rule), where)))


def _band_short(rule: Rule) -> str:
    if rule.currency is None:
        return ""
    if rule.currency == ANY_OTHER:
        return "any other currency"
    over, up_to = (None if end is None else format_money(Money(end, rule.currency)) for end in (rule.over, rule.up_to))
    told = " ".join(filter(None, (over and f"over {over}", up_to and f"up to {up_to}")))
    return told or f"any amount in {rule.currency}"


def _band(rule: Rule) -> str:
    if rule.currency is None:
        return ""
    if rule.currency == ANY_OTHER:
        return " in a currency that no other rule names"
    over, up_to = (None if end is None else format_money(Money(end, rule.currency)) for end in (rule.over, rule.up_to))
    match over, up_to:
        case None, None:
            return f" in {rule.currency}"
        case None, _:
            return f" of up to {up_to}"
        case _, None:
            return f" of more than {over}"
        case _:
            return f" of more than {over} and up to {up_to}"
