"""Cases beside a policy: read whole or refused whole, and judged as an agent's action is."""

import pytest

from engine.rules import policy_cases
from engine.rules.documents import DocumentFaults
from engine.rules.money import Money
from engine.rules.policy import Facts
from tests.engine.rules.policy_texts import ALLOW, ASK, PEOPLE, band, example, policy_of

CASES = """
[[case]]
name = "a small one"
action = "payment"
amount = "999.00"
currency = "EUR"
payee = "sup_1"
need = "allow"

[[case]]
name = "a large one of Marta's own"
action = "payment"
amount = "38000.00"
currency = "EUR"
for = "marta"
need = "ask"
rule = "large payment"
asks = "otto"
approvers = 1

[[case]]
name = "with what was paid before"
action = "payment"
amount = "999.00"
spent = "999.00"
currency = "EUR"
arguments = { supplier_id = "sup_1" }
need = "allow"
"""


def test_cases_are_read_and_judged() -> None:
    small, own, spent = policy_cases.read(CASES)
    assert small.facts == Facts(action="payment", amount=Money(99_900, "EUR"), payee="sup_1")
    assert spent.facts.spent == Money(99_900, "EUR")
    assert policy_cases.judge(small, example(), PEOPLE).wrong == ()
    judged = policy_cases.judge(own, example(), PEOPLE)
    assert (judged.wrong, judged.approver) == ((), "person:otto")
    assert policy_cases.judge(spent, example(), PEOPLE).wrong == ()


def test_what_was_paid_before_counts_where_the_policy_has_a_window_and_only_there() -> None:
    *_, spent = policy_cases.read(CASES)
    rules = (band("small", ALLOW, up_to="1000"), band("large", ASK, over="1000"))
    assert policy_cases.judge(spent, policy_of(*rules), PEOPLE).wrong == ()
    counted = policy_of(*rules, '[spend_window]\npayment = "24h"\n')
    assert policy_cases.judge(spent, counted, PEOPLE).wrong == ("need is ask, not allow",)


def test_every_way_in_which_it_is_not_as_expected_is_told() -> None:
    [case] = policy_cases.read(
        '[[case]]\nname = "a"\naction = "payment"\namount = "1"\ncurrency = "EUR"\nneed = "ask"\nrule = "x"\nasks = "otto"\napprovers = 2\n'
    )
    assert policy_cases.judge(case, example(), PEOPLE).wrong == (
        "need is allow, not ask", "rule is small payment, not x", "asks is nobody, not otto", "approvers is 0, not 2",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "case: there is none. Write at least one [[case]]."),
        ('[[case]]\naction = "payment"\nneed = "allow"', "line 1, case number 1, name: it is missing. Add name = ..."),
        ('[[case]]\nname = "a"\nneed = "allow"', 'line 1, case "a", action: it is missing. Add action = ...'),
        ('[[case]]\nname = "a"\naction = "payment"', 'line 1, case "a", need: it is missing. Add need = ...'),
        ('[[case]]\nname = "a"\naction = "payment"\nneed = "allow"\namount = "5"',
         'line 5, case "a", amount: an amount and its currency belong together. Write both, or neither.'),
        ('[[case]]\nname = "a"\naction = "payment"\nneed = "allow"\namount = 5\ncurrency = "EUR"',
         'line 5, case "a", amount: it is not text. Write the amount in quotes, as in "1000.00".'),
        ('[[case]]\nname = "a"\naction = "payment"\nneed = "allow"\namount = "1,000"\ncurrency = "EUR"',
         ("line 5, case \"a\", amount: '1,000' cannot be read with certainty; write digits, a point before the decimals, and no "
          'grouping, as in "38000.00". Write it as in "1000.00".')),
        ('[[case]]\nname = "a"\naction = "payment"\nneed = "allow"\nasks = "marta"',
         'line 5, case "a", asks: what is "allow" asks nobody. Take it out.'),
        ('[[case]]\nname = "a"\naction = "payment"\nneed = "ask"\nrole = "x"',
         ('line 5, case "a", role: no such key is known here. Did you mean rule?')),
        ('[[case]]\nname = "a"\naction = "payment"\nneed = "ask"\narguments = "x"',
         'line 5, case "a", arguments: it is no table. Write { supplier_id = ... }.'),
    ],
)  # fmt: skip
def test_a_case_that_cannot_be_read_is_refused(text: str, fault: str) -> None:
    with pytest.raises(DocumentFaults) as refusal:
        policy_cases.read(text)
    assert str(refusal.value) == fault
