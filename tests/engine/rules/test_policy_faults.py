"""A policy is refused whole, with every fault at once, each with its line, its field and the sentence that mends it."""

import pytest

from engine.rules import policy_file
from engine.rules.documents import DocumentFaults
from tests.engine.rules.policy_texts import ALLOW, ASK, CALENDAR, ESCALATE, PEOPLE, PERSON, band, faults, rule


def test_every_fault_is_told_at_once_with_its_line() -> None:
    with pytest.raises(DocumentFaults) as refusal:
        policy_file.check(
            'version = "v 1"\n'
            '[[rule]]\nname = "a"\naction = "payment"\ncurrency = "eur"\nneed = "allow"\nrole = "x"\n'
            '[[rule]]\nname = "b"\naction = "deploy"\nneed = "ask"\nperson = "ghost"\nanswer_within = "4 h"\n'
            'on_expiri = "deny"\ntolerance = { way = "up" }\n\n'
            'escalate = [{ roles = "x" }]\n',
            PEOPLE,
        )
    assert [(fault.line, fault.field) for fault in refusal.value.faults] == [
        (1, "version"),
        (2, 'rule "a", doubt_role'),
        (5, 'rule "a", currency'),
        (7, 'rule "a", role'),
        (8, 'rule "b", on_expiry'),
        (8, 'rule "b", doubt_role'),
        (8, 'rule "b", person'),
        (13, 'rule "b", answer_within'),
        (14, 'rule "b", on_expiri'),
        (15, 'rule "b", tolerance, percent'),
        (15, 'rule "b", tolerance, way'),
        (17, 'rule "b", escalate[0], roles'),
        (17, 'rule "b", escalate[0]'),
    ]
    assert 'line 14, rule "b", on_expiri: no such key is known here. Did you mean on_expiry?' in str(refusal.value)


def test_a_key_whose_line_cannot_be_found_is_told_with_the_line_of_its_rule() -> None:
    with pytest.raises(DocumentFaults) as refusal:
        policy_file.parse('version = "v1"\n\n' + rule("a", ASK + 'tolerance.percent = "30"'))
    assert [(fault.line, fault.field) for fault in refusal.value.faults] == [(3, 'rule "a", tolerance, percent')]


PLAIN = 'write digits, a point before the decimals, and no grouping, as in "38000.00". Write it as in "1000.00".'


@pytest.mark.parametrize("key", ["over", "up_to"])
@pytest.mark.parametrize(
    ("amount", "fault"),
    [
        ("1000.00", 'it is not text. Write the amount in quotes, as in "1000.00".'),
        ("true", 'it is not text. Write the amount in quotes, as in "1000.00".'),
        ('"1,000"', f"'1,000' cannot be read with certainty; {PLAIN}"),
        ('"NaN"', f"'NaN' cannot be read with certainty; {PLAIN}"),
        ('"1e3"', f"'1e3' cannot be read with certainty; {PLAIN}"),
        ('"-1"', "'-1' has a minus sign; write what is to be paid without a sign. Write it as in \"1000.00\"."),
        ('"1.005"', "'1.005' is finer than EUR can be: it has 2 decimals. Write it as in \"1000.00\"."),
    ],
)
def test_an_amount_is_text_and_exact(key: str, amount: str, fault: str) -> None:
    assert faults(rule("a", f'currency = "EUR"\n{key} = {amount}\n{ALLOW}')) == [f"{key}: {fault}"]


@pytest.mark.parametrize("length", ['"0s"', '"4"', '"4 h"', '"-4h"', '"1h30m"', '"4w"', '"367d"', '""', '"٣h"', "4"])
@pytest.mark.parametrize("key", ["answer_within", "execute_within", "remind_after"])
def test_a_length_of_time_is_a_number_and_a_unit_above_zero(key: str, length: str) -> None:
    body = ASK.replace('answer_within = "4h"\n', "") if key == "answer_within" else ASK
    (fault,) = faults(rule("a", f"{body}{key} = {length}"))
    assert fault.startswith(f"{key}: {length} is ")


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (ASK + 'finally = "approve"', "finally: silence is never a yes. Write deny."),
        (ASK + 'finally = "escalate"', 'finally: "escalate" is not one of its values. Write one of deny.'),
        (ASK.replace('on_expiry = "deny"', ""), "on_expiry: it is missing. Add on_expiry = ..."),
        (ASK.replace('"deny"', '["deny"]'), "on_expiry: ['deny'] is not one of its values. Write one of deny, escalate."),
        (ASK.replace('answer_within = "4h"', ""), "answer_within: it is missing. Add answer_within = ..."),
        (ASK.replace('answer_within = "4h"', 'remind_after = "1h"'),
         "answer_within: it is missing. Add answer_within = ..."),
        (ASK + 'person = "marta"',
         "role: a rule asks either one person or a role. Write exactly one of person and role."),
        (ASK.replace('role = "finance-approver"', 'doubt_role = "finance-approver"'),
         "role: a rule asks either one person or a role. Write exactly one of person and role."),
        (PERSON + 'on_expiry = "deny"\napprovers = 2',
         "approvers: one person can say yes once. Write a role, or approvers = 1."),
        (ASK + "approvers = 0", "approvers: 0 is not a whole number in range. Write 1 to 9, without quotes."),
        (ASK + "approvers = 10", "approvers: 10 is not a whole number in range. Write 1 to 9, without quotes."),
        (ASK + "approvers = true", "approvers: True is not a whole number in range. Write 1 to 9, without quotes."),
        (ASK + 'remind_after = "4h"',
         "remind_after: the time to answer is over by then. Make it less than answer_within."),
        (ASK + 'channel = "#buying"',
         ("channel: it is no id of a channel. "
         'Write its id, as in "C0BUY": Slack shows it at the end of About in the channel\'s details.')),
        (ASK.replace("4h", "4 buisness hours"),
         ('answer_within: "4 buisness hours" is no length of time. '
         'Write a number and s, m, h or d, as in "4h", or business time, as in "4 business hours".')),
        (ASK.replace("4h", "2 bussiness days"),
         ('answer_within: "2 bussiness days" is no length of time. '
         'Write a number and s, m, h or d, as in "4h", or business time, as in "2 business days".')),
        (ASK.replace("4h", "4x"), 'answer_within: "4x" is no length of time. Write a number and s, m, h or d, as in "4h".'),
        (ESCALATE, 'escalate: on_expiry is "escalate". Give steps if, and only if, it is "escalate".'),
        (ASK + 'escalate = [{ person = "otto" }]',
         'escalate: on_expiry is "deny". Give steps if, and only if, it is "escalate".'),
        (ESCALATE + "escalate = []",
         'escalate: it has no step. Write at least one, as in [{ manager_of = "approver" }].'),
        (ESCALATE + "escalate = [{}]",
         "escalate[0]: it goes to one place. Write exactly one of person, role and manager_of."),
        (ESCALATE + 'escalate = [{ person = "otto", role = "finance-approver" }]',
         "escalate[0]: it goes to one place. Write exactly one of person, role and manager_of."),
        (ESCALATE + 'escalate = [{ manager_of = "approver" }]',
         ("escalate[0], manager_of: those asked before are a role, which has no one manager. "
         'Write manager_of = "requester", a role or a person.')),
        (PERSON + 'on_expiry = "escalate"\nescalate = [{ role = "finance-approver" }, { manager_of = "approver" }]',
         ("escalate[1], manager_of: those asked before are a role, which has no one manager. "
         'Write manager_of = "requester", a role or a person.')),
        (PERSON + 'on_expiry = "escalate"\nescalate = [{ manager_of = "payee" }]',
         'escalate[0], manager_of: "payee" is not one of its values. Write one of approver, requester.'),
        (PERSON + 'on_expiry = "escalate"\nescalate = [{ manager_of = "approver", within = "4h" }]',
         "escalate[0], within: no such key is known here. Did you mean answer_within?"),
        (ALLOW + 'answer_within = "4h"',
         'answer_within: a rule that says "allow" asks nobody. Take it out, or write need = "ask".'),
        ('need = "forbid"\nrole = "x"',
         'role: a rule that says "forbid" asks nobody. Take it out, or write need = "ask".'),
        ('need = "forbid"\ndoubt_role = "finance-approver"',
         "doubt_role: what is forbidden is never done. Take it out."),
        ('need = "allow"',
         ("doubt_role: it is missing, and the rule has no role to take instead. "
         'Name the role to ask when nobody can tell whether it happened, as in doubt_role = "operator".')),
        ('need = "allow"\ndoubt_role = "Finance"',
         'doubt_role: "Finance" does not have the right shape. Write it as in "finance-approver".'),
        ('need = "maybe"', 'need: "maybe" is not one of its values. Write one of allow, ask, forbid.'),
        ("", "need: it is missing. Add need = ..."),
        (ALLOW + 'over = "5"',
         'over: an amount needs a currency. Name one, as in currency = "EUR", or take it out.'),
        (ALLOW + 'currency = "any other"\nup_to = "5"',
         'up_to: an amount needs a currency. Name one, as in currency = "EUR", or take it out.'),
        (ALLOW + 'currency = "eur"\nover = "5"',
         'currency: it is no current currency. Write an ISO 4217 code, as in "EUR", or "any other".'),
        (ALLOW + "currency = []",
         'currency: it is no current currency. Write an ISO 4217 code, as in "EUR", or "any other".'),
        (ALLOW + 'currency = "EUR"\nover = "5"\nup_to = "5.00"',
         "up_to: no amount is over the one and up to the other. Make up_to more than over."),
    ],
)  # fmt: skip
def test_each_fault_within_a_rule_has_its_sentence(body: str, fault: str) -> None:
    assert faults(rule("a", body)) == [fault]


@pytest.mark.parametrize("answer", ["approve", "approved", "allow", "yes"])
def test_silence_is_never_a_yes(answer: str) -> None:
    assert faults(rule("a", ASK.replace("deny", answer))) == [
        "on_expiry: silence is never a yes. Write deny or escalate."
    ]


def test_no_rule_can_be_taken_for_the_one_that_is_not_there() -> None:
    assert faults(rule("no rule", ASK)) == [
        'rule "no rule", name: "no rule" is what an action without a rule shows. Choose another name.'
    ]


@pytest.mark.parametrize(
    ("says", "fault"),
    [
        ('digest = "8:30"', 'digest: it is no time of day. Write hours and minutes, as in "08:30".'),
        ('digest = "24:00"', 'digest: it is no time of day. Write hours and minutes, as in "08:30".'),
        ("digest = true", 'digest: it is no time of day. Write hours and minutes, as in "08:30".'),
        ('digest = "08:30"\nremind_after = "1h"',
         "digest: a reminder could come before the digest that first shows it. Take one of the two out."),
    ],
)  # fmt: skip
def test_each_fault_of_a_digest_has_its_sentence(says: str, fault: str) -> None:
    body = ASK.replace("4h", "2 business days") + says
    assert faults(rule("a", body) + CALENDAR) == [fault]


@pytest.mark.parametrize("within", ["4h", "9d", "1 business day", "8 business hours", "9 business hours"])
def test_a_digest_leaves_time_to_answer_after_the_next_one(within: str) -> None:
    body = ASK.replace("4h", within) + 'digest = "08:30"'
    [fault] = faults(rule("a", body) + CALENDAR)
    assert fault == (
        "digest: what is asked just after one digest would have no time to be answered after the next. "
        'Give more than a business day and an hour to answer, as in answer_within = "2 business days".'
    )


def test_an_action_that_cannot_be_read_is_a_fault_beside_a_window_too() -> None:
    [fault] = faults('[[rule]]\nname = "a"\naction = ["payment"]\ncurrency = "EUR"\n' + ALLOW,
                     band("b", ALLOW), '[spend_window]\npayment = "1d"\n')  # fmt: skip
    assert fault.startswith("action: ")


def test_a_digest_needs_a_calendar() -> None:
    assert faults(rule("a", ASK + 'digest = "08:30"')) == [
        "digest: a digest comes on business days, which need a calendar. Add a [calendar], or take it out."
    ]


def test_a_key_of_a_later_version_is_refused_and_not_ignored() -> None:
    assert faults(rule("a", f'{ASK}batch = "typed"')) == [
        "batch: it is not supported by this version. Take it out: it would promise what is not kept."
    ]


@pytest.mark.parametrize(
    ("when", "fault"),
    [
        ('"supplier"', 'when: "supplier" is no table. Write { key = ... }.'),
        ("{}", "when: it has no condition. Write at least one, or take it out."),
        ("{ country = [] }",
         'when, country: it is not a list of values of one kind. Write texts, as in ["DE", "FR"], or numbers, as in [1, 2].'),
        ('{ country = ["DE", 7] }',
         'when, country: it is not a list of values of one kind. Write texts, as in ["DE", "FR"], or numbers, as in [1, 2].'),
        ('{ country = ["DE", "DE"] }', 'when, country: "DE" is in it twice. Write it once.'),
        ("{ quantity = 0.5 }",
         'when, quantity: it is no exact number. Write a whole number as in 100, or decimals in quotes as in "0.5".'),
        ('{ quantity = { over = "many" } }',
         'when, quantity, over: it is no exact number. Write a whole number as in 100, or decimals in quotes as in "0.5".'),
        ("{ quantity = { over = 5, up_to = 5 } }",
         "when, quantity, up_to: no number is over the one and up to the other. Make up_to more than over."),
        ("{ quantity = {} }",
         'when, quantity: it says nothing. Write over, up_to or not, as in { over = 100 } or { not = ["DE"] }.'),
        ("{ quantity = { more = 5 } }",
         "when, quantity, more: no such key is known here. Known here: not, over, up_to."),
        ('{ "Ship to" = "DE" }',
         ('when, Ship to: no argument has such a name. Write it as the tool does, as in supplier_id or "address.country".')),
    ],
)  # fmt: skip
def test_a_condition_that_cannot_be_read_is_refused(when: str, fault: str) -> None:
    assert faults(rule("a", f"{ASK}when = {when}"), rule("b", ASK)) == [fault]


@pytest.mark.parametrize(
    ("calendar", "fault"),
    [
        ('hours = "09:00-17:00"', "calendar, time_zone: it is missing. Add time_zone = ..."),
        ('time_zone = "Berlin"\nhours = "09:00-17:00"',
         'calendar, time_zone: there is no such time zone. Write one of the IANA names, as in "Europe/Berlin".'),
        ('time_zone = "Europe/Berlin"\nhours = "17:00-09:00"',
         'calendar, hours: it is no part of a day. Write from and to, as in "09:00-17:00".'),
        ('time_zone = "Europe/Berlin"\nhours = "9-17"',
         'calendar, hours: it is no part of a day. Write from and to, as in "09:00-17:00".'),
        ('time_zone = "Europe/Berlin"\nhours = "09:00-17:00"\ndays = []',
         'calendar, days: it is never open. Write at least one day, as in ["mon", "tue"].'),
        ('time_zone = "Europe/Berlin"\nhours = "09:00-17:00"\ndays = ["monday"]',
         'calendar, days: "monday" is not one of its values. Write one of mon, tue, wed, thu, fri, sat, sun.'),
        ('time_zone = "Europe/Berlin"\nhours = "09:00-17:00"\nholidays = "DE-ZZ"',
         'calendar, holidays: no holidays are known of "DE-ZZ". Write a country or a part of it, as in "DE" or "DE-BE".'),
        ('time_zone = "Europe/Berlin"\nhours = "09:00-17:00"\nclosed = ["2026-12-24"]',
         "calendar, closed: it is no date. Write it without quotes, as in 2026-12-24."),
        ('time_zone = "Europe/Berlin"\nhours = "09:00-17:00"\nopen = true',
         "calendar, open: no such key is known here. Known here: closed, days, holidays, hours, time_zone."),
    ],
)  # fmt: skip
def test_a_calendar_that_cannot_be_read_is_refused_and_nothing_is_said_to_lack_one(calendar: str, fault: str) -> None:
    assert faults(rule("a", ASK), f"[calendar]\n{calendar}\n") == [fault]
    daily = ASK.replace("4h", "2 business days") + 'digest = "08:30"\n'
    assert faults(rule("a", daily), f"[calendar]\n{calendar}\n") == [fault]
    assert faults(rule("a", ASK.replace("4h", "40 business hours")), f"[calendar]\n{calendar}\n") == [fault]


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (ASK.replace("4h", "4 business hours"),
         'answer_within: business hours need a calendar. Add a [calendar], or write the time as in "4h".'),
        (ASK + 'confirm = "The amount"', 'confirm: "The amount" does not have the right shape. Write it as in "payment_method".'),
        (ALLOW + 'confirm = "amount"', 'confirm: a rule that says "allow" asks nobody. Take it out, or write need = "ask".'),
    ],
)  # fmt: skip
def test_what_is_asked_of_an_approver_must_be_possible(body: str, fault: str) -> None:
    assert faults(rule("a", body)) == [fault]


@pytest.mark.parametrize(
    ("window", "fault"),
    [
        ('payment = "1 day"', 'spend_window, payment: "1 day" is no length of time. Write a number and s, m, h or d, as in "4h".'),
        ('paymnt = "24h"', "spend_window, paymnt: no rule of this action names a currency. Did you mean payment?"),
        ('deploy = "24h"', "spend_window, deploy: no rule of this action names a currency. Name an action whose rules do."),
    ],
)  # fmt: skip
def test_a_window_in_which_payments_count_together_must_be_one_of_payments(window: str, fault: str) -> None:
    assert faults(band("a", ASK), rule("b", ASK, action="deploy"), f"[spend_window]\n{window}\n") == [fault]


def test_a_fault_in_a_table_of_its_own_has_its_line() -> None:
    with pytest.raises(DocumentFaults) as refusal:
        policy_file.parse('version = "v1"\n[calendar]\ntime_zone = "UTC"\nhours = "9"\n' + rule("a", ASK))
    assert [(fault.line, fault.field) for fault in refusal.value.faults] == [(4, "calendar, hours")]


NO_PERCENTAGE = (
    'tolerance, percent: it is no percentage that can be tolerated. Write "0" to "25" in quotes, with at most two '
    'decimals, as in "2" or "0.75".'
)


@pytest.mark.parametrize(
    ("tolerance", "fault"),
    [
        ('{ percent = "25.01" }', NO_PERCENTAGE),
        ('{ percent = "-1" }', NO_PERCENTAGE),
        ('{ percent = "2%" }', NO_PERCENTAGE),
        ('{ percent = "0.001" }', NO_PERCENTAGE),
        ("{ percent = 2 }", NO_PERCENTAGE),
        ("{}", "tolerance, percent: it is missing. Add percent = ..."),
        ('"2"', 'tolerance: "2" is no table. Write { key = ... }.'),
        ('{ percent = "2", direction = "sideways" }',
         'tolerance, direction: "sideways" is not one of its values. Write one of both, up, down.'),
        ('{ percent = "2", way = "up" }',
         "tolerance, way: no such key is known here. Known here: direction, percent."),
    ],
)  # fmt: skip
def test_a_tolerance_is_a_percentage_within_bounds(tolerance: str, fault: str) -> None:
    assert faults(rule("a", f"{ASK}tolerance = {tolerance}")) == [fault]


@pytest.mark.parametrize(
    "unread",
    [
        '[[rule]]\naction = "payment"\ncurrency = "EUR"\nup_to = "5"\n' + ALLOW,
        '[[rule]]\nname = "a"\ncurrency = "EUR"\nup_to = "5"\n' + ALLOW,
        band("a", ALLOW.replace("allow", "maybe"), up_to="5"),
        band("a", ALLOW, up_to="5,00"),
        rule("a", 'over = "5"\n' + ALLOW),
    ],
)
def test_a_rule_that_cannot_be_read_does_not_look_like_a_gap_between_the_others(unread: str) -> None:
    assert len(faults(unread, band("b", ASK, over="6"))) == 1


@pytest.mark.parametrize(
    "text", ["", 'version = "v1"', 'version = "v1"\nrule = []', 'version = "v1"\n[rule]\nname = "a"']
)
def test_a_policy_without_rules_is_refused(text: str) -> None:
    with pytest.raises(DocumentFaults, match="rule: "):
        policy_file.parse(text)
