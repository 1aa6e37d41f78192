"""What a call needs now, by the policy in force and by what was paid before. The one place where a worker asks a policy."""

from dataclasses import replace
from uuid import UUID

from engine.rules.money import LARGEST_MINOR, Money
from engine.rules.needs import Need
from engine.rules.policy import Facts, evaluate, same_payee
from engine.state import ledger
from engine.state.ledger import Spend
from engine.state.present import Rules
from engine.tool import Bound, Tool
from engine.workers.means import Means


def need(means: Means, tool: Tool, bound: Bound, holds: Rules, *, with_minor: int = 0, but: UUID | None = None) -> Need:
    """The need of a call. `with_minor`: what goes to the same payee in the same turn before it, in minor units, and is not begun yet.

    `but`: its own effect, if it was begun already, so that it does not count twice.
    """
    facts = tool.facts(bound)
    window_s = holds.policy.windows.get(facts.action, 0)
    if window_s and facts.amount is not None and facts.payee is not None:
        paid = means.do(ledger.spent, facts.action, facts.payee, facts.amount.currency, window_s, but=but)
        before = paid + with_minor
        facts = replace(facts, spent=Money(min(before, LARGEST_MINOR), facts.amount.currency))
    return evaluate(holds.policy, facts)


def counted(tool: Tool, bound: Bound) -> tuple[str, str, str] | None:
    """What payments must have in common to count together: action, payee and currency; None for what is no payment to anybody."""
    facts = tool.facts(bound)
    return (
        (facts.action, same_payee(facts.payee), facts.amount.currency)
        if facts.amount is not None and facts.payee is not None
        else None
    )


def spend(tool: Tool, bound: Bound, by: Need) -> Spend | None:
    """What the ledger is to count of a call that is done by this need; None if it counts by itself."""
    facts: Facts = tool.facts(bound)
    if not by.window_s or facts.amount is None or facts.payee is None:
        return None
    return Spend(
        action=facts.action, payee=facts.payee, currency=facts.amount.currency, minor=facts.amount.minor,
        window_s=by.window_s, up_to=by.up_to,
    )  # fmt: skip
