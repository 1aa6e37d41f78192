"""`placet policy`: check a policy, put it in force, and explain what it asks for, as a whole or for one action."""

from pathlib import Path
from typing import Annotated, Final

import typer
from rich.text import Text

from bot.cards.phrases import span
from bot.commands import needs
from bot.commands.terminal import SURFACE, database, facts, known, plain, read_people, read_text, say, show, table
from engine import settings
from engine.errors import BadInput
from engine.rules import escalation, money, policy_file
from engine.rules.money import Money, MoneyError
from engine.rules.people import People
from engine.rules.policy import ANY_OTHER, Facts, Need, Policy, Rule, evaluate
from engine.state import people, policies

app = typer.Typer()
policy = typer.Typer(no_args_is_help=True)
app.add_typer(policy, name="policy", help="Check a policy, put it in force, or explain it.")

PolicyFile = Annotated[Path, typer.Argument(help="A policy.toml.")]
PeopleFile = Annotated[
    Path | None,
    typer.Option("--people", help="The people.toml or .csv that says who is who; else the people in the database."),
]

NOBODY: Final = People(())
WITHOUT_PEOPLE: Final = "It was not checked against people: give --people people.toml, or set DATABASE_URL."


@policy.command()
def check(file: PolicyFile, people_file: PeopleFile = None) -> None:
    """Say everything that is wrong with a policy; write nothing."""
    text, everybody = read_text(file), _people(people_file)
    if everybody is None:
        found = policy_file.parse(text)
        say(f"{found.version} reads well by itself: {len(found.rules)} rules, nothing wrong.", WITHOUT_PEOPLE)
        return
    found = policy_file.check(text, everybody)
    say(f"{found.version} can be put in force: {len(found.rules)} rules, nothing wrong.")


@policy.command()
def apply(
    file: PolicyFile,
    people_file: PeopleFile = None,
    person: Annotated[str, typer.Option("--as", metavar="PERSON", help="Who does this; the system, if left out.")] = "",
) -> None:
    """Put a policy in force. A version is never changed: another text needs another name."""
    text = read_text(file)
    given = read_people(people_file) if people_file else None
    with database() as conn:
        everybody = people.everybody(conn)
        by = known(everybody, person, "--as").id if person else "system"
        version, changed = policies.apply(conn, text, given or everybody, actor=by, surface=SURFACE)
    say(f"{version} is in force." if changed else f"{version} is in force already; nothing was changed.")


@policy.command()
def explain(
    *,
    action: Annotated[str | None, typer.Option(help="One action, as a tool names it: payment. Else all rules.")] = None,
    amount: Annotated[str | None, typer.Option(help="Its amount, as in 38000.00.")] = None,
    currency: Annotated[str | None, typer.Option(help="The amount's currency, as in EUR.")] = None,
    person: Annotated[str, typer.Option("--for", metavar="PERSON", help="For whom it is asked.")] = "",
    file: Annotated[Path | None, typer.Option("--policy", help="A policy.toml; else the policy in force.")] = None,
    people_file: PeopleFile = None,
) -> None:
    """Say what the policy asks for: all its rules, or what one action would need."""
    asked = _amount(amount, currency)
    if action is None and (asked or person):
        raise BadInput("--action", "it is missing. Name the action, as in --action payment.")
    everybody = _people(people_file)
    requester = _requester(everybody, person) if person else ""
    found = policy_file.parse(read_text(file)) if file else _in_force()
    if action is None:
        _all(found, everybody)
    else:
        _one(evaluate(found, Facts(action=action, amount=asked)), everybody, requester)
    if everybody is None:
        say(WITHOUT_PEOPLE)


def _in_force() -> Policy:
    with database() as conn:
        return policies.current(conn)


def _people(file: Path | None) -> People | None:
    """Who is who, by the file, else by the database; None if neither is named."""
    if file:
        return read_people(file)
    if not settings.names_database():
        return None
    with database() as conn:
        return people.everybody(conn)


def _requester(everybody: People | None, person: str) -> str:
    if everybody is None:
        raise BadInput("--for", "who is who is not known. Give --people people.toml, or set DATABASE_URL.")
    return known(everybody, person, "--for").id


def _asked_first(need: Need, requester: str, everybody: People | None) -> str | None:
    """Whom it asks first, None if nobody; without people to look at, whom the rule names."""
    if need.kind != "ask":
        return None
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
    made = table("rule", "action", "amounts", "what it needs", title=found.version)
    for rule in found.rules:
        what = needs.in_words(rule.need, _asked_first(rule.need, "", everybody), everybody or NOBODY)
        made.add_row(Text(plain(rule.name)), rule.action, _band(rule), Text(what))
    show(made)
    say("What no rule names is forbidden.")


def _band(rule: Rule) -> str:
    if rule.currency is None:
        return ""
    if rule.currency == ANY_OTHER:
        return "any other currency"
    over, up_to = (
        money.format_money(Money(end, rule.currency)) if end is not None else "" for end in (rule.over, rule.up_to)
    )
    return (
        " ".join(filter(None, (over and f"over {over}", up_to and f"up to {up_to}")))
        or f"any amount in {rule.currency}"
    )


def _one(need: Need, everybody: People | None, requester: str) -> None:
    approver = _asked_first(need, requester, everybody)
    facts(
        ("what it needs", needs.in_words(need, approver, everybody or NOBODY)),
        ("why", plain(need.why) if need.kind != "forbid" else ""),
        ("if nobody answers", needs.silence(need, everybody or NOBODY) if approver else ""),
        ("price", needs.tolerance(need) if need.kind != "forbid" else ""),
        ("to be done within", f"{span(need.execute_within_s)} of the approval" if approver else ""),
        ("shown in", need.channel or ""),
        ("in doubt, ask", f"the role {need.doubt_role}" if need.doubt_role else ""),
    )
