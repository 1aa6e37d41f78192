"""Real public awards, with all their quirks, and orders of our own: each row is taken exactly as it is, or refused with its field.

What must become of each of the 87 awards is written down in awards_expected.json, a line a row, by the rule at the head of
examples/procurement/orders.py.
"""

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from engine import Agent, Order, Refused
from engine.rules import policy_file
from engine.rules.intake import Unreadable
from engine.state import db, pauses, runs
from engine.tools import load
from engine.workers.means import Means
from engine.workers.orders import Foreseen, foresee, read_orders
from examples.procurement import orders
from tests import database
from tests.bot.command_line import placet
from tests.world import AGENT, means, work, world

AWARDS = Path(__file__).parents[3] / "shared" / "data" / "public-awards.jsonl"
EXPECTED = Path(__file__).parent / "awards_expected.json"

needs_awards = pytest.mark.skipif(not AWARDS.exists(), reason=f"the public awards are not at {AWARDS}")


@pytest.fixture
def procurement() -> Agent:
    return load([AGENT])["procurement"]


def expected() -> list[dict[str, Any]]:
    return list(json.loads(EXPECTED.read_text(encoding="utf-8")))


def outcomes(agent: Agent) -> list[dict[str, Any]]:
    """What becomes of each award, as the file of expected outcomes has it."""
    policy = policy_file.parse((database.EXAMPLES / "policy.toml").read_text())
    found = []
    for row in read_orders(agent, AWARDS.read_text(encoding="utf-8"), "jsonl"):
        if isinstance(row, Unreadable):
            found.append({"line": row.line, "refused": row.field})
        else:
            found.append(outcome(foresee(row, policy, database.example_people(), "priya")))
    return found


def outcome(one: Foreseen) -> dict[str, Any]:
    assert one.need is not None
    assert one.amount is not None
    amount = f"{one.amount.currency} {one.amount.decimal()}"
    return {
        "line": one.line,
        "ref": one.ref,
        "payee": one.payee,
        "amount": amount,
        "needs": f"{one.need.kind} {one.approver}",
    }


@needs_awards
def test_every_award_has_the_outcome_that_is_written_down(procurement: Agent) -> None:
    assert outcomes(procurement) == expected()


@needs_awards
def test_every_amount_is_the_published_one_to_the_last_digit() -> None:
    published = [
        Decimal(re.findall(r'"amount": ([0-9.]+)', line)[0]) for line in AWARDS.read_text(encoding="utf-8").splitlines()
    ]
    taken = [row for row in expected() if "ref" in row]
    assert len(taken) == 80
    for row in taken:
        assert Decimal(row["amount"].split()[1]) == published[row["line"] - 1]


def test_no_reference_stands_for_two_orders() -> None:
    refs = [row["ref"] for row in expected() if "ref" in row]
    assert len(refs) == len(set(refs))


@needs_awards
def test_the_awards_are_launched_asked_for_as_published_and_none_is_paid(
    conn: Any, db_url: str, tmp_path: Path
) -> None:
    database.apply_policy(conn)
    said = placet(db_url, "launch", "procurement", "--orders", str(AWARDS), "--for", "priya")
    assert said.code == 2
    assert "80 launched, 0 unchanged, 7 refused." in said.out
    with world(tmp_path) as outside, db.pool(db_url) as pool:
        bench = means(pool, outside)
        assert work(bench) == 80
        assert asked(bench) == {row["ref"]: (row["payee"], row["amount"]) for row in expected() if "ref" in row}
        assert outside.provider.payments() == []


def asked(bench: Means) -> dict[str, tuple[str, str]]:
    """What people are asked to pay, by order: to whom, and how much."""
    found = {}
    for waiting in bench.do(pauses.waiting, limit=200):
        held = bench.do(pauses.get, waiting.id).content
        assert held is not None
        amount = held.arguments["amount"]
        ref = held.arguments["order_ref"]
        found[ref] = (held.arguments["supplier_id"], f"{amount['currency']} {amount['amount']}")
        assert bench.do(runs.get, waiting.run_id).launch_key == f"procurement:{ref.casefold()}"
    return found


ROW = {"order_ref": "PO-1", "supplier_id": "sup_412", "amount": Decimal("10.50"), "currency": "EUR"}


def read(**changes: Any) -> Order:
    return orders.read({name: value for name, value in {**ROW, **changes}.items() if value is not ...})


def amount(order: Order) -> Mapping[str, str]:
    return dict(order.arguments["amount"])


@pytest.mark.parametrize(
    ("given", "currency", "exact"),
    [
        (Decimal("10.50"), "eur", {"amount": "10.50", "currency": "EUR"}),
        (Decimal("10.500"), " Eur ", {"amount": "10.50", "currency": "EUR"}),
        (500, "JPY", {"amount": "500", "currency": "JPY"}),
        (Decimal("67885450.0"), "PYG", {"amount": "67885450", "currency": "PYG"}),
        ("1.234", "kwd", {"amount": "1.234", "currency": "KWD"}),
    ],
)
def test_an_amount_is_read_as_its_currency_has_it(given: Any, currency: str, exact: dict[str, str]) -> None:
    assert amount(read(amount=given, currency=currency)) == exact


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"currency": "EURO"}, "currency"),
        ({"currency": "mld"}, "currency"),
        ({"currency": "XXX"}, "currency"),
        ({"currency": "\u212aRW"}, "currency"),
        ({"currency": ""}, "currency"),
        ({"currency": None}, "currency"),
        ({"currency": 978}, "currency"),
        ({"amount": ...}, "amount"),
        ({"amount": 0}, "amount"),
        ({"amount": Decimal(-1)}, "amount"),
        ({"amount": True}, "amount"),
        ({"amount": 10.5}, "amount"),
        ({"amount": "1.234,56"}, "amount"),
        ({"amount": "17,000"}, "amount"),
        ({"amount": Decimal("1E+3")}, "amount"),
        ({"amount": Decimal("10.505")}, "amount"),
        ({"amount": Decimal("500.5"), "currency": "JPY"}, "amount"),
        ({"order_ref": "None"}, "order_ref"),
        ({"order_ref": "  "}, "order_ref"),
        ({"order_ref": 7}, "order_ref"),
        ({"order_ref": "P" * 201}, "order_ref"),
        ({"supplier_id": ...}, "supplier_id"),
        ({"supplier_id": "null"}, "supplier_id"),
        ({"supplier_id": "SIBATE\ufffdA"}, "supplier_id"),
        ({"quantity": "1.5"}, "quantity"),
        ({"quantity": -1}, "quantity"),
    ],
)
def test_what_cannot_be_read_exactly_is_refused_with_its_field(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(Refused) as refused:
        read(**changes)
    assert refused.value.field == field


def test_a_missing_title_is_no_reason_to_refuse() -> None:
    assert read(title="", item=None).arguments["item"] == "(no title)"


def test_an_order_of_our_own_without_a_supplier_id_is_not_paid_to_a_name() -> None:
    for empty in ("", None, ...):
        with pytest.raises(Refused) as refused:
            read(supplier_id=empty, supplier="Nordholz Industrial", award="A-1", ocid="ocds-a1")
        assert (refused.value.field, refused.value.why) == ("supplier_id", "it is missing. Give supplier_id.")


def test_an_order_of_our_own_without_a_reference_is_not_named_after_an_award() -> None:
    with pytest.raises(Refused) as refused:
        read(order_ref="", award="A-1")
    assert refused.value.field == "order_ref"


def test_the_payee_of_an_award_may_be_known_by_name_alone() -> None:
    award = read(order_ref=..., award="A-1", ocid="ocds-a1", supplier_id=..., supplier="Nordholz Industrial")
    assert award.arguments["supplier_id"] == "Nordholz Industrial"


def test_two_awards_with_one_id_in_two_processes_are_two_orders() -> None:
    award = {"publisher": "canada/montreal", "award": "1222491", "order_ref": ...}
    refs = {read(**award, ocid=ocid).ref for ocid in ("ocds-a1", "ocds-a2")}
    assert refs == {"canada-montreal-ocds-a1-1222491", "canada-montreal-ocds-a2-1222491"}


def test_the_same_payee_in_two_forms_of_unicode_is_one_payee() -> None:
    composed, combining = read(supplier_id="Kupfer & S\u00f6hne"), read(supplier_id="Kupfer & So\u0308hne")
    assert composed.arguments["supplier_id"] == combining.arguments["supplier_id"]
