"""An argument that is declared secret: what may be, what stands in its place, and what a policy may not ask of it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Agent, Effect, Money
from engine.errors import Misconfigured
from engine.rules import policy_file, secrecy
from engine.rules.documents import DocumentFaults
from engine.tools import taken
from tests.engine.rules.policy_texts import ALLOW, ASK, PEOPLE, rule

LONG = "a token of which nobody knows"


def payment(**more: Any) -> Any:
    mine = Agent("tests", model="claude-sonnet-5", system="Pay.")

    def pay(effect: Effect, to: str, amount: Money, token: str | None = None, note: str = "") -> None: ...

    return mine.tool(action="payment", **{"amount": "amount", "payee": "to", "no_find": "None.", **more})(pay)


def fault(**more: Any) -> str:
    with pytest.raises(Misconfigured) as refused:
        payment(**more)
    [said] = refused.value.faults
    return said


@pytest.mark.parametrize("role", ["amount", "payee"])
def test_what_the_approver_must_read_cannot_be_secret(role: str) -> None:
    name = {"amount": "amount", "payee": "to"}[role]
    assert fault(secret=[name]) == (
        f"pay: its {role} {name!r} cannot be secret: who approves must read it. Take it out of secret, or name another {role}."
    )


def test_what_is_no_text_or_no_argument_cannot_be_secret() -> None:
    said = fault(secret=["amount"], amount=None)
    assert (
        said == "pay: the secret 'amount' must be annotated as str, so that it can be found where it is to be hidden."
    )
    assert fault(secret=["pin"]).startswith("pay: secret='pin' is no parameter of it.")
    assert fault(secret="token") == 'pay: secret is a list. Write secret=["token"].'


def test_a_summary_that_would_need_it_is_refused() -> None:
    tool = payment(secret=["token"])
    with pytest.raises(Misconfigured) as refused:
        tool.summary(lambda to, token: to)
    assert refused.value.faults == [
        "pay.summary asks for token, which is secret, and everybody reads a summary. Take it out of it."
    ]


def test_the_approver_sees_that_it_is_there_and_two_apart() -> None:
    tool = payment(secret=["token"])

    def lines(token: str | None) -> dict[str, str]:
        money = {"amount": "1.00", "currency": "EUR"}
        bound = tool.bind(
            {"to": "sup_1", "amount": money, "token": token, "note": f"by {token}", "why": f"With {token}."}
        )
        assert not token or token not in bound.why or len(token) < secrecy.SHORTEST
        return {line.label: line.value for line in tool.lines(bound)}

    assert lines(LONG)["Token"] == "⟨secret, hidden: 29 characters, sha 0fcd⟩"
    assert lines(LONG)["Note"] == "by ⟨secret, hidden: 29 characters, sha 0fcd⟩"
    assert lines(LONG.upper())["Token"] != lines(LONG)["Token"]
    assert (lines("4711")["Token"], lines("4711")["Note"]) == ("⟨secret, hidden⟩", "by 4711")
    assert lines(None)["Token"] == "null"


@pytest.mark.parametrize(
    "written",
    [
        rule("a", ASK + 'confirm = "token"\n'),
        rule("a", ALLOW + 'when = { token = ["x"] }\n') + rule("b", ASK),
    ],
)
def test_a_policy_may_not_ask_about_it(written: str) -> None:
    tool = payment(secret=["token"])
    agent = Agent("tests", model="m", system="s")
    agent.tools["pay"] = tool
    with pytest.raises(DocumentFaults) as refused:
        policy_file.check(f'version = "v1"\n{written}', PEOPLE, taken({"tests": agent}))
    [said] = refused.value.faults
    assert said.why == "token of pay is secret, and people would read of it what stands here."
    policy_file.check(f'version = "v1"\n{written}', PEOPLE, taken({"tests": _plain()}))


def _plain() -> Agent:
    agent = Agent("tests", model="m", system="s")
    agent.tools["pay"] = payment()
    return agent


def test_a_policy_that_was_not_checked_reads_nothing_of_it() -> None:
    tool = payment(secret=["token"])
    bound = tool.bind({"to": "s", "amount": {"amount": "1.00", "currency": "EUR"}, "token": LONG, "why": "Now."})
    assert "token" in bound.arguments
    assert set(tool.facts(bound).arguments) == {"to", "amount", "note"}


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=secrecy.SHORTEST, max_size=30)


@given(secret=texts, before=st.text(max_size=5), after=st.text(max_size=5))
def test_wherever_it_stands_in_text_or_json_it_is_not_there_afterwards(secret: str, before: str, after: str) -> None:
    text = f"{before}{secret}{after}"
    for value in (text, [text], {"a": {text: [text]}}, json.dumps([text]), json.dumps([text], ensure_ascii=False)):
        shown = secrecy.without((secret,), value)
        said = shown if isinstance(shown, str) else json.dumps(shown, ensure_ascii=False)
        assert secret not in said.replace(secrecy.mark(secret), "") or secret in secrecy.mark(secret)
