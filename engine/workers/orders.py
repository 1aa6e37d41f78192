"""An orders file, read against an agent: which rows become runs, which are refused, and what each would need under a policy.

Values in, values out: nothing here is written or asked. The one rule: a row is taken only if the call it is expected to lead to can be
made of it exactly, and a reference that two rows share is taken from neither, also if one of them cannot be read otherwise.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from engine.errors import Misconfigured
from engine.rules import confirmations, escalation
from engine.rules.intake import Row, Unreadable, read_rows
from engine.rules.money import LARGEST_MINOR, Money
from engine.rules.needs import Need
from engine.rules.people import People
from engine.rules.policy import Facts, Policy, evaluate, same_payee
from engine.tool import Bound, InvalidArguments, Tool
from engine.tools import Agent, Order, Refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A row that becomes a run; `tool` and `bound` are the call it is expected to lead to."""

    line: int
    order: Order
    tool: Tool
    bound: Bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreseen:
    """What a row would need. `need` None: its call has no effect, so no policy is asked. `amount` and `payee` None: it has none.

    `approver` is who is asked first ("person:marta", "role:finance-approver"); None if nobody is: allowed, forbidden, a rule
    that leads to no one but the requester, or one that has something typed that the call does not have: `untyped`, "" otherwise.
    """

    line: int
    ref: str
    payee: str | None
    amount: Money | None
    need: Need | None
    approver: str | None
    untyped: str = ""


def read_orders(
    agent: Agent,
    text: str,
    kind: Literal["csv", "jsonl"],
    watch: Callable[[Iterator[Row | Unreadable]], Iterator[Row | Unreadable]] = iter,
) -> Sequence[Taken | Unreadable]:
    """Every row, in order. References are the same that differ in case or in blanks alone, and all rows that share one are refused.

    `watch` hands the rows on as they are read, to count them or to raise. Raises Misconfigured for an agent that takes no orders or names a tool it does not have.
    """
    rows = [_take(agent, row) if isinstance(row, Row) else row for row in watch(read_rows(text, kind))]
    sharing: dict[str, list[int]] = defaultdict(list)
    for row in rows:
        ref = row.order.ref if isinstance(row, Taken) else row.ref
        if ref is not None:
            sharing[_same(ref)].append(row.line)
    return [_alone(row, sharing[_same(row.order.ref)]) if isinstance(row, Taken) else row for row in rows]


def foresee_all(
    rows: Iterable[Taken | Unreadable],
    policy: Policy,
    people: People,
    requester: str,
    paid: Callable[[str, str, str, int], int],
) -> Iterator[Foreseen | Unreadable]:
    """What each row would need if those before it that may be were all done; a row that cannot be read as it is.

    `paid`: what went to a payee before, in minor units, by action, payee, currency and the seconds of the window.
    """
    going: dict[tuple[str, str, str], int] = {}
    for row in rows:
        if isinstance(row, Unreadable):
            yield row
            continue
        facts = row.tool.facts(row.bound) if row.tool.action else None
        window_s = policy.windows.get(facts.action, 0) if facts else 0
        if not window_s or facts is None or facts.amount is None or facts.payee is None:
            yield foresee(row, policy, people, requester)
            continue
        to = (facts.action, same_payee(facts.payee), facts.amount.currency)
        if to not in going:
            going[to] = paid(facts.action, facts.payee, facts.amount.currency, window_s)
        found = foresee(row, policy, people, requester, before=going[to])
        if found.approver or (found.need and found.need.kind == "allow"):
            going[to] += facts.amount.minor
        yield found


def foresee(taken: Taken, policy: Policy, people: People, requester: str, *, before: int = 0) -> Foreseen:
    """What would be needed if the agent asked for exactly what the row says, after so much went to its payee, in minor units."""
    facts = taken.tool.facts(taken.bound) if taken.tool.action else None
    if facts and facts.amount:
        facts = replace(facts, spent=replace(facts.amount, minor=min(before, LARGEST_MINOR)))
    need = evaluate(policy, facts) if facts else None
    untyped = need.confirm if need and need.confirm and not _typed(need.confirm, facts) else ""
    asks = need is not None and need.kind == "ask" and not untyped
    approver = escalation.first_approver(need, requester, people) if need and asks else None
    return Foreseen(
        line=taken.line,
        ref=taken.order.ref,
        payee=facts.payee if facts else None,
        amount=facts.amount if facts else None,
        need=need,
        approver=approver,
        untyped=untyped,
    )


def _typed(confirm: str, facts: Facts | None) -> bool:
    return facts is not None and confirmations.asked(confirm, facts.amount, facts.arguments) is not None


def launch_key(agent: Agent, order: Order) -> str:
    """By this an order is launched once, however often its file is, and however its reference is written there."""
    return f"{agent.name}:{_same(order.ref)}"


def key_of(launch_key: str) -> str:
    """The same key as it is made now: an earlier release took a reference as it stood in the file."""
    agent, _, ref = launch_key.partition(":")
    return f"{agent}:{_same(ref)}"


def _same(ref: str) -> str:
    """What two references have in common that people would take for one."""
    return " ".join(ref.split()).casefold()


def _alone(row: Taken, sharing: Sequence[int]) -> Taken | Unreadable:
    """The row, unless its reference stands on other lines too."""
    if len(sharing) == 1:
        return row
    other = next(line for line in sharing if line != row.line)
    where = f"line {other}" if len(sharing) == 2 else f"line {other} and {len(sharing) - 2} more"
    why = f"{row.order.ref} stands on {where} too, and which of them is meant cannot be known. Give each order a reference of its own."
    return Unreadable(line=row.line, field="order_ref", why=why)


def _take(agent: Agent, row: Row) -> Taken | Unreadable:
    try:
        order = agent.read_order(row.values)
    except Refused as refused:
        return Unreadable(line=row.line, field=refused.field, why=refused.why, ref=refused.ref)
    tool = agent.tools.get(order.tool)
    if tool is None:
        raise Misconfigured(
            [
                f"The orders of {agent.name} lead to {order.tool!r}, which is none of its tools: {', '.join(agent.tools)}."
            ]
        )
    try:
        bound = tool.bind({**order.arguments, **({"why": "as ordered"} if tool.action else {})})
    except InvalidArguments as error:
        return Unreadable(line=row.line, field=None, why=str(error), ref=order.ref)
    return Taken(line=row.line, order=order, tool=tool, bound=bound)
