"""`placet policy explain`: all rules in words, or what one action would need, by its parts or by a file that describes it."""

import json
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from bot.cards.phrases import span
from bot.commands import needs
from bot.commands.policy_sources import NOBODY, WITHOUT_PEOPLE, PeopleFile, in_force, named, who_is_who
from bot.commands.terminal import facts, known, plain, read_text, say, show, table
from engine.errors import BadInput
from engine.rules import confirmations, documents, escalation, money, policy_cases, policy_words
from engine.rules.documents import DocumentFaults, Fault, Table
from engine.rules.money import Money, MoneyError
from engine.rules.needs import REQUESTER, Need
from engine.rules.people import People
from engine.rules.policy import Facts, Policy, evaluate


def explain(
    action_file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE.json", help="One action: action, amount, currency, payee, spent, arguments, for."),
    ] = None,
    *,
    action: Annotated[str | None, typer.Option(help="One action, as a tool names it: payment. Else all rules.")] = None,
    amount: Annotated[str | None, typer.Option(help="Its amount, as in 38000.00.")] = None,
    currency: Annotated[str | None, typer.Option(help="The amount's currency, as in EUR.")] = None,
    person: Annotated[str, typer.Option("--for", metavar="PERSON", help="For whom it is asked.")] = "",
    policy_given: Annotated[
        str, typer.Option("--policy", metavar="POLICY", help="A policy.toml or a version; else the one in force.")
    ] = "",
    people_file: PeopleFile = None,
) -> None:
    """Say what the policy asks for: all its rules, or what one action would need."""
    if action_file and (action or amount or currency or person):
        raise BadInput("FILE.json", "the action is told twice. Give the file, or --action and what belongs to it.")
    told = read_action(action_file) if action_file else _told(action, amount, currency, person)
    everybody = who_is_who(people_file)
    requester = _requester(everybody, told.requester) if told.requester else ""
    found = named(policy_given) if policy_given else in_force()
    if told.facts is None:
        _all(found, everybody)
    else:
        need = evaluate(found, told.facts)
        _one(need, everybody, requester)
        _may_need_more(found, told.facts, need)
        _may_lack(told.facts, need)
    if everybody is None:
        say(WITHOUT_PEOPLE)


@dataclass(frozen=True, slots=True)
class Told:
    """The action that is asked about, None for all rules, and for whom, "" for anybody."""

    facts: Facts | None
    requester: str


def _told(action: str | None, amount: str | None, currency: str | None, person: str) -> Told:
    asked = _amount(amount, currency)
    if action is None and (asked or person):
        raise BadInput("--action", "it is missing. Name the action, as in --action payment.")
    return Told(Facts(action=action, amount=asked) if action else None, person)


def read_action(path: Path) -> Told:
    """The action that a file describes. Raises DocumentFaults with all that is wrong in it."""
    name = plain(path.name)
    try:
        values = json.loads(read_text(path), parse_float=Decimal)
    except ValueError as error:
        raise DocumentFaults(
            [Fault(line=None, field=name, why=f"it is not JSON: {error}.", fix="Mend it from there.")]
        ) from None
    if not isinstance(values, dict):
        fix = 'Write { "action": "payment", ... }.'
        raise DocumentFaults([Fault(line=None, field=name, why="it is no object.", fix=fix)])
    faults: list[Fault] = []
    table_of_all = Table(values, name=name, lines={}, faults=faults)
    found = policy_cases.facts_of(table_of_all)
    requester = table_of_all.optional("for", documents.word, "")
    table_of_all.refuse_unknown()
    if faults:
        raise DocumentFaults(faults)
    return Told(found, requester)


def _requester(everybody: People | None, person: str) -> str:
    if everybody is None:
        raise BadInput("--for", "who is who is not known. Give --people people.toml, or set DATABASE_URL.")
    return known(everybody, person, "--for").id


def _asked_first(need: Need, requester: str, everybody: People | None) -> str | None:
    """Whom it asks first, None if nobody; without people to look at, whom the rule names."""
    if need.kind != "ask":
        return None
    if need.is_question and need.person == REQUESTER and not requester:
        return f"person:{REQUESTER}"
    if everybody is None:
        return f"role:{need.role}" if need.role else f"person:{need.person}"
    return escalation.first_approver(need, requester, everybody)


def _amount(amount: str | None, currency: str | None) -> Money | None:
    if amount is None and currency is None:
        return None
    if amount is None or currency is None:
        raise BadInput("--amount", "an amount and its currency belong together. Give both --amount and --currency.")
    try:
        return money.parse(amount, currency)
    except MoneyError as error:
        raise BadInput(f"--{error.field}", error.why) from error


def _all(found: Policy, everybody: People | None) -> None:
    made = table("rule", "action", "for", "what it needs", title=found.version)
    for rule in found.rules:
        what = needs.in_words(rule.need, _asked_first(rule.need, "", everybody), everybody or NOBODY)
        made.add_row(Text(plain(rule.name)), rule.action, Text(plain(policy_words.short(rule))), Text(what))
    show(made)
    for action, seconds in found.windows.items():
        say(f"Of {action}, {needs.together(seconds)}.")
    say("What no rule names is forbidden.")


def _may_need_more(found: Policy, asked: Facts, need: Need) -> None:
    """Say that what was paid to the payee before may change what it needs, where that was not told."""
    window_s = found.windows.get(asked.action, 0)
    is_last = need.window_s and need.up_to is None
    if not window_s or asked.amount is None or asked.spent is not None or need.kind == "forbid" or is_last:
        return
    say(
        f"Of {asked.action}, {needs.together(window_s)}: after others to the same payee it may need more. Nothing paid before was counted; "
        "tell it as spent in FILE.json."
    )


def _may_lack(asked: Facts, need: Need) -> None:
    """Say that it would be refused, where its arguments were told and what must be typed is not among them."""
    if need.confirm and asked.arguments and confirmations.asked(need.confirm, asked.amount, asked.arguments) is None:
        what = need.confirm.replace("_", " ")
        say(f"As it is told here it would be refused: the approver types the {what}, and this action has none.")


def _one(need: Need, everybody: People | None, requester: str) -> None:
    approver = _asked_first(need, requester, everybody)
    facts(
        ("what it needs", needs.in_words(need, approver, everybody or NOBODY)),
        ("why", plain(need.why) if need.kind != "forbid" else ""),
        ("if nobody answers", needs.silence(need, everybody or NOBODY) if approver else ""),
        ("price", needs.tolerance(need) if (need.kind == "ask" and not need.is_question) or need.tolerance_bp else ""),
        (
            "to be done within",
            f"{span(need.execute_within_s)} of the approval" if approver and not need.is_question else "",
        ),
        ("to be typed", f"the {need.confirm.replace('_', ' ')}" if need.confirm else ""),
        ("reminded", f"after {span(need.remind_after_s)}" if need.remind_after_s else ""),
        ("shown in", need.channel or ""),
        ("shown at", f"{needs.clock_of(need.digest_at)} on business days" if need.digest_at is not None else ""),
        ("in doubt, ask", f"the role {need.doubt_role}" if need.doubt_role else ""),
    )
