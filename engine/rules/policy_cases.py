"""Cases kept beside a policy: what an action is to need, written down by its owner, and whether the policy says so.

The one rule: a case is judged by the same evaluate as an action of an agent, so that what passes here is what happens.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.rules import documents, escalation
from engine.rules.documents import DocumentFaults, Fault, Table, Unfit
from engine.rules.money import Money, MoneyError, parse
from engine.rules.needs import Kind, Need
from engine.rules.people import People
from engine.rules.policy import Facts, Policy, evaluate


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """An action and what is expected of it; an expectation that is None is none. `requester` "": anybody."""

    name: str
    facts: Facts
    requester: str
    need: Kind
    rule: str | None
    asks: str | None
    approvers: int | None
    line: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What a case came to: the need, who is asked first (None: nobody), and each way in which it is not as expected."""

    case: Case
    need: Need
    approver: str | None
    wrong: tuple[str, ...]


def read(text: str) -> tuple[Case, ...]:
    """Read cases.toml: [[case]] tables. Raises DocumentFaults with every fault at once."""
    faults: list[Fault] = []
    top, tables = documents.read(text, "case", faults)
    top.refuse_unknown()
    cases = [case for table in tables if (case := _case(table))]
    if faults:
        raise DocumentFaults(faults)
    return tuple(cases)


def facts_of(table: Table) -> Facts | None:
    """The action a table describes: action, amount and currency, payee, arguments, spent; None, with the faults noted, without one."""
    action = table.required("action", documents.word)
    currency = table.optional("currency", documents.shaped("[A-Z]{3}", "EUR"), None)
    if ("amount" in table) != ("currency" in table):
        table.fault("amount", "an amount and its currency belong together.", "Write both, or neither.")
    amount, spent = (table.optional(key, _money(currency), None) for key in ("amount", "spent"))
    payee = table.optional("payee", documents.text, None)
    arguments = table.optional("arguments", _arguments, {})
    if action is None:
        return None
    return Facts(action=action, amount=amount, spent=spent, payee=payee, arguments=arguments)


def judge(case: Case, policy: Policy, people: People) -> Judged:
    """What the policy says of a case, and how that differs from what is expected."""
    need = evaluate(policy, case.facts)
    approver = escalation.first_approver(need, case.requester, people) if need.kind == "ask" else None
    asks = (approver or "").partition(":")[2]
    compared: Sequence[tuple[str, Any, Any]] = (
        ("need", case.need, need.kind), ("rule", case.rule, need.rule), ("asks", case.asks, asks or "nobody"),
        ("approvers", case.approvers, need.approvers),
    )  # fmt: skip
    wrong = tuple(
        f"{what} is {found}, not {expected}" for what, expected, found in compared if expected not in (None, found)
    )
    return Judged(case=case, need=need, approver=approver, wrong=wrong)


def _case(table: Table) -> Case | None:
    name = table.required("name", documents.text)
    facts = facts_of(table)
    requester = table.optional("for", documents.word, "")
    need: Kind | None = table.required("need", documents.choice("allow", "ask", "forbid"))
    rule = table.optional("rule", documents.text, None)
    asks = table.optional("asks", documents.word, None)
    approvers = table.optional("approvers", documents.whole(1, 9), None)
    if need and need != "ask":
        table.refuse(("asks", "approvers"), f'what is "{need}" asks nobody.', "Take it out.")
    table.refuse_unknown()
    if name is None or facts is None or need is None:
        return None
    return Case(
        name=name,
        facts=facts,
        requester=requester,
        need=need,
        rule=rule,
        asks=asks,
        approvers=approvers,
        line=table.line,
    )


def _money(currency: str | None) -> Any:
    def reader(value: Any) -> Money | None:
        if currency is None:
            return None  # which is a fault already
        if not isinstance(value, str):
            raise Unfit("it is not text.", 'Write the amount in quotes, as in "1000.00".')
        try:
            return parse(value, currency)
        except MoneyError as error:
            raise Unfit(error.why, 'Write it as in "1000.00".') from error

    return reader


def _arguments(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise Unfit("it is no table.", "Write { supplier_id = ... }.")
    return value
