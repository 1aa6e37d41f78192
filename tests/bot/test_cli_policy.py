"""`placet policy diff`, `test` and `explain FILE.json`, and that all of them say what the engine then does."""

import json
import random
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID

import pytest

from bot.commands import needs
from bot.commands.policy_explain import read_action
from engine import Agent, Effect, Money
from engine.models import Call, Claim, Run
from engine.rules import escalation, policy_file
from engine.rules.calendar import Calendar
from engine.rules.documents import DocumentFaults
from engine.rules.needs import Step
from engine.rules.policy import Policy, evaluate
from engine.rules.policy_diff import Change
from engine.state import db, events
from engine.state.ledger import StandingNow
from engine.state.present import Rules
from engine.workers import prepare
from engine.workers.means import Means, Turn
from engine.workers.prepare import Answer, Effectful
from tests import database
from tests.bot.command_line import placet
from tests.engine.rules.policy_texts import ALLOW, ASK, PEOPLE, PERSON, band, policy_of, rule
from tests.engine.rules.policy_texts import CALENDAR as CALENDAR_TABLE

EXAMPLES = database.EXAMPLES
PLAIN = policy_of(rule("a", ASK))
POLICY, PEOPLE_FILE = EXAMPLES / "policy.toml", EXAMPLES / "people.toml"


def written(folder: Path, text: str, name: str = "other.toml") -> str:
    file = folder / name
    file.write_text(text)
    return str(file)


def test_what_a_new_policy_changes_is_told_in_words(tmp_path: Path) -> None:
    text = (
        POLICY.read_text()
        .replace("fin-approvals-v4", "fin-approvals-v5")
        .replace('up_to = "1000.00"', 'up_to = "500.00"')
    )
    text = text.replace('over = "1000.00"', 'over = "500.00"').replace('execute_within = "3d"', 'execute_within = "1d"')
    said = placet(None, "policy", "diff", str(POLICY), written(tmp_path, text + '\n[spend_window]\npayment = "1d"\n'))
    assert said.code == 0
    assert "payment over EUR 500.00 up to EUR 1,000.00 done without asking" in said.out
    assert "asks one person with the role finance-approver" in said.out
    assert "payment over EUR 10,000.00 to be done within 3 days to be done within 1 day" in said.out
    assert (
        "Of payment: by fin-approvals-v4, each is judged by itself; by fin-approvals-v5, what goes to one payee within 1 day counts together."
    ) in said.out


def test_what_becomes_allowed_is_told_by_what_it_has_and_nothing_else(tmp_path: Path) -> None:
    ask = band("a", ASK + 'remind_after = "1h"\n')
    was = written(tmp_path, f'version = "v1"\n{ask}', "v1.toml")
    now = written(tmp_path, f'version = "v2"\n{band("a", ALLOW)}', "v2.toml")
    said = placet(None, "policy", "diff", was, now).out
    asks = "asks one person with the role finance-approver; 4 hours to answer; to be done within 1 day; reminded after 1 hour"
    assert said.splitlines()[-1] == f"payment any amount in EUR {asks} done without asking"
    assert placet(None, "policy", "diff", now, was).out.splitlines()[-1].endswith(f"done without asking {asks}")
    tolerant = written(tmp_path, f'version = "v3"\n{band("a", ALLOW)}tolerance = {{ percent = "2" }}\n', "v3.toml")
    assert (
        "done without asking; the price may move by 2 %, up or down"
        in placet(None, "policy", "diff", was, tolerant).out
    )
    never = band("a", 'need = "forbid"')
    forbid = written(tmp_path, f'version = "v4"\n{never}', "v4.toml")
    assert placet(None, "policy", "diff", was, forbid).out.splitlines()[-1].endswith(" forbidden")


def test_business_days_are_told_as_days(tmp_path: Path) -> None:
    def told(within: str) -> str:
        text = f'version = "v1"\n{CALENDAR_TABLE}{rule("a", ASK.replace("4h", within))}'
        return placet(None, "policy", "explain", "--policy", written(tmp_path, text), "--action", "payment").out

    assert "2 business days to answer" in told("2 business days")
    assert "after 2 business days it counts as not approved" in told("2 business days")
    assert "1 business day to answer" in told("8 business hours")
    assert "9 hours of business time to answer" in told("9 business hours")


def test_two_policies_that_ask_for_the_same_are_said_to(tmp_path: Path) -> None:
    other = written(tmp_path, POLICY.read_text().replace("fin-approvals-v4", "v5").replace('"small payment"', '"tiny"'))
    assert (
        placet(None, "policy", "diff", str(POLICY), other).out == "v5 asks for exactly what fin-approvals-v4 asks for."
    )


def test_what_cannot_be_compared_is_said_and_not_that_it_is_the_same(tmp_path: Path) -> None:
    def policy(version: str, first: int) -> str:
        apart = [f'when = {{ argument_{n} = ["a", "b"] }}\n' for n in range(first, first + 5)]
        rules = [band(f"k{n}", ALLOW + when) for n, when in enumerate(apart)]
        return written(tmp_path, f'version = "{version}"\n' + "".join([*rules, band("a", ASK)]), f"{version}.toml")

    said = placet(None, "policy", "diff", policy("v1", 0), policy("v2", 5))
    assert "exactly" not in said.out
    assert said.err.startswith("Of payment, any amount in EUR: the rules differ, and their conditions tell more kinds")


CALENDAR = replace(PLAIN.rules[0].need, calendar=Calendar(zone="UTC", days=(0, 1), opens=540, closes=1020))
OTHERS: dict[str, Any] = {
    "person": "otto", "role": "operator", "approvers": 2, "answer_within_s": 60, "on_expiry": "escalate", "tolerance_bp": 5,
    "execute_within_s": 60, "remind_after_s": 60, "channel": "C0OTHER", "doubt_role": "operator", "in_business_hours": True,
    "confirm": "amount", "digest_at": 510, "kind": "forbid",
}  # fmt: skip


@pytest.mark.parametrize("field", [*OTHERS, "zone", "days", "opens", "closes", "holidays", "closed"])
def test_whatever_changes_of_a_need_both_sides_of_the_row_say_something(field: str) -> None:
    was = CALENDAR
    assert was.calendar is not None
    if field in OTHERS:
        other: dict[str, Any] = {"steps": (Step(role="operator", answer_within_s=60),)} if field == "on_expiry" else {}
        now = replace(was, **{field: OTHERS[field]}, **other)
    else:
        hours: dict[str, Any] = {
            "zone": "Europe/Berlin",
            "days": (0,),
            "opens": 1,
            "closes": 1000,
            "holidays": "DE",
            "closed": ("2026-12-24",),
        }
        now = replace(was, calendar=replace(was.calendar, **{field: hours[field]}))
    told = needs.changed(Change(action="payment", extent="", was=was, now=now))
    assert all(told)
    assert told[0] != told[1]


def test_a_version_on_record_is_compared_by_its_name(conn: Any, db_url: str, tmp_path: Path) -> None:
    database.apply_policy(conn)
    assert placet(db_url, "policy", "diff", "fin-approvals-v4", str(POLICY)).code == 0
    said = placet(db_url, "policy", "diff", "fin-approvals-v3", str(POLICY))
    assert (said.code, "fin-approvals-v3: there is no such file" in said.err) == (2, True)
    said = placet(None, "policy", "diff", "fin-approvals-v4", str(POLICY))
    assert (
        said.err
        == "Refused. fin-approvals-v4: there is no such file. To look for a version of that name, set DATABASE_URL."
    )
    assert (
        "nowhere.toml: there is no such file. Check" in placet(None, "policy", "diff", "nowhere.toml", str(POLICY)).err
    )


def test_a_version_on_record_is_explained_by_its_name_also_with_a_dot_in_it(conn: Any, db_url: str) -> None:
    database.apply_policy(conn, POLICY.read_text().replace("fin-approvals-v4", "v4.1"))
    said = placet(db_url, "policy", "explain", "--policy", "v4.1", "--action", "release")
    assert (said.code, "done without asking" in said.out) == (0, True)
    assert placet(db_url, "policy", "diff", "v4.1", str(POLICY)).code == 0


CASE = '[[case]]\nname = "{name}"\naction = "payment"\namount = "{amount}"\ncurrency = "EUR"\nneed = "{need}"\n'


def test_cases_that_hold_are_quiet_and_one_that_does_not_is_an_alarm(tmp_path: Path) -> None:
    holds = CASE.format(name="a small one", amount="5.00", need="allow")
    given = ("--policy", str(POLICY), "--people", str(PEOPLE_FILE))
    said = placet(None, "policy", "test", written(tmp_path, holds), *given)
    assert (said.code, "The one case is as expected." in said.out) == (0, True)
    fails = holds + CASE.format(name="a large one", amount="38000.00", need="allow")
    said = placet(None, "policy", "test", written(tmp_path, fails), *given)
    assert said.code == 4
    assert "a large one asks Marta Keller; 4 hours to answer large payment need is ask, not allow" in said.out
    assert "1 of 2 cases is not as expected: a large one." in said.err
    assert placet(None, "policy", "test", written(tmp_path, "[[case]]"), *given).code == 2


def test_one_action_in_a_file_is_explained(tmp_path: Path) -> None:
    action = {"action": "payment", "amount": "38000.00", "currency": "EUR", "payee": "sup_412", "for": "priya"}
    file = written(tmp_path, json.dumps(action), "action.json")
    given = ("--policy", str(POLICY), "--people", str(PEOPLE_FILE))
    said = placet(None, "policy", "explain", file, *given)
    assert said.code == 0
    assert "what it needs asks Marta Keller; 4 hours to answer" in said.out
    assert (
        'why Payment of more than EUR 10,000.00 needs the yes of marta (rule "large payment", fin-approvals-v4).'
        in said.out
    )
    assert "told twice" in placet(None, "policy", "explain", file, *given, "--action", "payment").err


def test_a_question_is_explained_with_whom_it_asks_and_without_what_belongs_to_a_yes(tmp_path: Path) -> None:
    rule_text = (
        '\n[[rule]]\nname = "questions"\naction = "question"\nneed = "ask"\nperson = "requester"\nanswer_within = "4h"\n'
        'on_expiry = "escalate"\nescalate = [{ manager_of = "requester" }]\n'
    )
    new = written(tmp_path, POLICY.read_text("utf-8").replace("-v4", "-v5") + rule_text)
    given = ("--action", "question", "--policy", new, "--people", str(PEOPLE_FILE))
    anybody, priya = (
        placet(None, "policy", "explain", *given).out,
        placet(None, "policy", "explain", *given, "--for", "priya").out,
    )
    assert "asks the requester; 4 hours to answer" in anybody
    assert "asks Priya Nair; 4 hours to answer" in priya
    for told in (anybody, priya):
        assert "after 8 hours the agent is told, and has no answer" in told
        assert "price" not in told
        assert "to be done within" not in told
    changed = placet(None, "policy", "diff", str(POLICY), new).out
    assert "forbidden, since no rule names it asks the requester" in " ".join(changed.split())


def test_an_action_without_what_must_be_typed_is_explained_as_refused(tmp_path: Path) -> None:
    policy = written(
        tmp_path, POLICY.read_text().replace('finally = "deny"', 'finally = "deny"\nconfirm = "payment_method"')
    )

    def explained(**arguments: str) -> str:
        action = {
            "action": "payment",
            "amount": "38000.00",
            "currency": "EUR",
            "payee": "sup_412",
            "arguments": arguments,
        }
        return placet(
            None, "policy", "explain", written(tmp_path, json.dumps(action), "action.json"), "--policy", policy
        ).out

    told = "As it is told here it would be refused: the approver types the payment method, and this action has none."
    assert told in explained(supplier_id="sup_412")
    assert told not in explained(supplier_id="sup_412", payment_method="pm_1")
    assert told not in explained()


def test_what_is_allowed_has_no_price_to_be_held_to() -> None:
    given = ("policy", "explain", "--policy", str(POLICY), "--action", "payment", "--currency", "EUR", "--amount")
    assert "the price may" not in placet(None, *given, "900").out
    assert "price the price may move by 2 %, up or down" in placet(None, *given, "9000").out


def test_one_action_where_payments_count_together_is_explained_with_that(tmp_path: Path) -> None:
    policy = written(tmp_path, POLICY.read_text() + '\n[spend_window]\npayment = "1d"\n')

    def explained(**more: str) -> str:
        action = {"action": "payment", "amount": "900.00", "currency": "EUR", "payee": "sup_412", **more}
        return placet(
            None, "policy", "explain", written(tmp_path, json.dumps(action), "action.json"), "--policy", policy
        ).out

    told = "Of payment, what goes to one payee within 1 day counts together: after others to the same payee it may need more."
    assert "what it needs done without asking" in explained()
    assert told in explained()
    assert told not in explained(amount="38000.00")
    assert told not in explained(spent="200.00")
    assert "asks whoever has the role finance-approver" in explained(spent="200.00")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[]", "action.json: it is no object. Write"),
        ("{", "action.json: it is not JSON"),
        ("{}", "action.json, action: it is missing."),
        ('{"action": "payment", "amout": "5"}', "action.json, amout: no such key is known here. Did you mean amount?"),
        ('{"action": "payment", "amount": 5.5, "currency": "EUR"}', "action.json, amount: it is not text."),
    ],
)
def test_an_action_that_cannot_be_read_is_refused(text: str, fault: str, tmp_path: Path) -> None:
    with pytest.raises(DocumentFaults, match=r"action\.json") as refusal:
        read_action(Path(written(tmp_path, text, "action.json")))
    assert fault in str(refusal.value)


def test_who_applied_a_version_and_from_where_is_on_record(conn: Any, db_url: str) -> None:
    placet(db_url, "policy", "apply", str(POLICY), "--as", "otto")
    [applied] = [e for e in events.of_run(conn, db.SYSTEM_RUN) if e.event == "policy"]
    assert (applied.entity_id, applied.actor) == ("fin-approvals-v4", "otto")
    kind, _, where = applied.surface.partition(":")
    assert kind == "cli"
    assert "@" in where


# ------------------------------------------------------------------------------------------- what it says is what is done

AGENT = Agent("buyer", model="claude-sonnet-5", system="Buy.")


@AGENT.tool(action="payment", amount="amount", payee="supplier")
def pay(effect: Effect, amount: Money, supplier: str, quantity: int = 1, country: str | None = None) -> str:
    """Pay."""
    return effect.attempt_key


@pay.find
def _(effect: Effect) -> str | None:
    return effect.effect_key or None


RULES = [ALLOW, ASK, ASK + 'confirm = "amount"\n', PERSON + 'on_expiry = "deny"\n', 'need = "forbid"\n']
WHEN = [
    'supplier = "sup_1"',
    'country = ["DE", "FR"]',
    "quantity = { over = 10 }",
    'supplier = { not = "sup_2" }, quantity = { up_to = 20 }',
]


def some_policy(chance: random.Random) -> Policy:
    """One that may be put in force."""
    while True:
        rules = [
            band(
                f"c{n}",
                f"{chance.choice(RULES)}when = {{ {chance.choice(WHEN)} }}\n",
                currency=chance.choice(["EUR", "JPY"]),
            )
            for n in range(chance.randrange(3))
        ]
        for currency, end in (("EUR", "1000.00"), ("JPY", "1000"), ("any other", None)):
            if end is None:
                rules.append(band("other", chance.choice(RULES), currency=currency))
            else:
                low, high = sorted((chance.randrange(5), chance.randrange(5)))
                rules += [band(f"low {currency}", RULES[low], up_to=end, currency=currency)]
                rules += [band(f"high {currency}", RULES[high], over=end, currency=currency)]
        try:
            return policy_file.check('version = "v1"\n' + "".join(rules), PEOPLE)
        except DocumentFaults:
            continue


def some_call(chance: random.Random) -> dict[str, Any]:
    currency, amount = chance.choice(
        [("EUR", "999.99"), ("EUR", "1000.00"), ("EUR", "1000.01"), ("JPY", "1000"), ("USD", "7.00")]
    )
    given: dict[str, Any] = {
        "amount": {"amount": amount, "currency": currency},
        "supplier": chance.choice(["sup_1", "sup_2", "sup_3"]),
    }
    if chance.random() < 0.5:
        given["quantity"] = chance.choice([1, 10, 11, 20, 21])
    if chance.random() < 0.5:
        given["country"] = chance.choice(["DE", "FR", "US"])
    return given


def done(policy: Policy, call: dict[str, Any], requester: str) -> tuple[str, str | None, str]:
    """(kind, who is asked first, rule) as the worker's own planning has it; rule "" where nobody is asked and nothing done."""
    run = cast(
        "Run",
        SimpleNamespace(id=UUID(int=1), iterations=1, on_behalf_of=requester, agent="buyer", acts_as="agent:buyer"),
    )
    turn = Turn(means=cast("Means", None), claim=cast("Claim", None), agent=AGENT, run=run)
    standing = cast("StandingNow", SimpleNamespace(requester_active=True, held=frozenset(), granted=frozenset()))
    asked = Call(
        n=0, state="requested", tool_use_id="t", tool="pay", arguments={**call, "why": "-"}, result=None, pause_id=None
    )
    [plan] = prepare.plan(turn, [asked], Rules(policy=policy, people=PEOPLE, refused={}, standing=standing))
    match plan:
        case Answer():
            return "refused", None, ""
        case Effectful(need=need):
            approver = escalation.first_approver(need, requester, PEOPLE) if need.kind == "ask" else None
            return need.kind, approver, need.rule
    raise AssertionError(plan)


def test_explain_says_of_ten_thousand_actions_what_the_engine_then_does(tmp_path: Path) -> None:
    chance = random.Random(20261201)
    file = tmp_path / "action.json"
    seen: set[str] = set()
    for _ in range(20):
        policy = some_policy(chance)
        for _ in range(500):
            call, requester = some_call(chance), chance.choice(["priya", "marta", "ines"])
            amount = call["amount"]
            arguments = {"quantity": 1, "country": None, **call}
            file.write_text(
                json.dumps(
                    {"action": "payment", **amount, "payee": call["supplier"], "arguments": arguments, "for": requester}
                )
            )
            told = read_action(file)
            assert told.facts is not None
            need = evaluate(policy, told.facts)
            approver = escalation.first_approver(need, told.requester, PEOPLE) if need.kind == "ask" else None
            refused = need.kind == "forbid" or (need.kind == "ask" and approver is None)
            says = ("refused", None, "") if refused else (need.kind, approver, need.rule)
            assert says == done(policy, call, requester), (call, requester)
            seen.add(says[0])
    assert seen == {"refused", "allow", "ask"}
