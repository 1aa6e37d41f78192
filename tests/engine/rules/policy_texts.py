"""Policies written down for the tests: the parts of a rule, a rule, a band, and every fault of a policy as its sentence."""

from pathlib import Path

import pytest

from engine.rules import people, policy_file
from engine.rules.documents import DocumentFaults
from engine.rules.needs import Need
from engine.rules.policy import Policy

EXAMPLES = Path(__file__).parents[3] / "examples" / "procurement"
PEOPLE = people.parse((EXAMPLES / "people.toml").read_text("utf-8"))
ASK = 'need = "ask"\nrole = "finance-approver"\nanswer_within = "4h"\non_expiry = "deny"\n'
PERSON = 'need = "ask"\nperson = "marta"\ndoubt_role = "finance-approver"\nanswer_within = "4h"\n'
ESCALATE = ASK.replace("deny", "escalate")
CALENDAR = '[calendar]\ntime_zone = "Europe/Berlin"\nhours = "09:00-17:00"\nholidays = "DE-BE"\nclosed = [2026-12-24]\n'
ALLOW = 'need = "allow"\ndoubt_role = "finance-approver"\n'


def rule(name: str, body: str, action: str = "payment") -> str:
    return f'[[rule]]\nname = "{name}"\naction = "{action}"\n{body}\n'


def band(name: str, body: str, over: str | None = None, up_to: str | None = None, currency: str = "EUR") -> str:
    ends = (f'over = "{over}"\n' if over else "") + (f'up_to = "{up_to}"\n' if up_to else "")
    return rule(name, f'currency = "{currency}"\n{ends}{body}')


def example() -> Policy:
    """The example, read anew each time."""
    return policy_file.check((EXAMPLES / "policy.toml").read_text("utf-8"), PEOPLE)


def policy_of(*rules: str) -> Policy:
    """The policy of these rules, read anew each time."""
    return policy_file.check('version = "v1"\n' + "".join(rules), PEOPLE)


def need(body: str, action: str = "payment") -> Need:
    """What a policy of this one rule needs."""
    return policy_of(rule("a", body, action)).rules[0].need


def faults(*rules: str) -> list[str]:
    """The faults of a policy of these rules, each as its whole sentence, without line and without the name of rule "a"."""
    with pytest.raises(DocumentFaults) as refusal:
        policy_of(*rules)
    found = refusal.value.faults
    return [f"{fault.field}: {fault.why} {fault.fix}".removeprefix('rule "a", ') for fault in found]
