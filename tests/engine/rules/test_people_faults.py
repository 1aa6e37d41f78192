"""Files of people with one thing wrong in each, as TOML, as CSV, and with a part left to Slack: each is told in one line, with its line."""

from collections.abc import Callable

import pytest

from engine.rules import people, people_sheet, sync_file
from engine.rules.documents import DocumentFaults

GOOD = """\
[[person]]
id = "marta"
name = "Marta Keller"
slack = ["T0ACME:U0MARTA"]
roles = ["finance-approver"]
manager = "otto"

[[person]]
id = "otto"
name = "Otto Brandt"
slack = ["T0ACME:U0OTTO"]
active = true
scopes = ["payments:write"]
"""
SLACK = (
    GOOD
    + """
[slack]
team = "T0ACME"
groups = { "fin-approvers" = "finance-approver" }
manager_field = "Manager"

[[override]]
id = "marta"
manager = "otto"
"""
)
SHEET = """\
id,name,slack,roles,manager,active,scopes
marta,Marta Keller,T0ACME:U0MARTA,finance-approver,otto,,
otto,Otto Brandt,T0ACME:U0OTTO,,,true,payments:write
"""
NOBODY = "is nobody here. Write the id of a person in this document."
OF_MARTA = 'is already that of "marta". An identity belongs to one person; take it out here or there.'
COLUMNS = "id,name,slack,roles,manager,active,scopes"
KEYS = "Known here: active, id, manager, name, roles, scopes, slack."


def line(parse: Callable[[str], object], good: str, old: str, new: str) -> str:
    """The one line in which a file is refused after this change."""
    assert good.count(old) == 1, old
    with pytest.raises(DocumentFaults) as refused:
        parse(good.replace(old, new))
    [told] = str(refused.value).splitlines()
    return told


def as_told(told: str, expected: str) -> bool:
    """Whether it is what was expected; where a reader of TOML or CSV goes on in its own words, as far as it is ours."""
    return (
        told.startswith(expected) and told.endswith("Mend it from there.")
        if expected.endswith(": ")
        else told == expected
    )


def test_what_the_faults_are_put_into_has_none() -> None:
    assert tuple(sync_file.parse(GOOD).people) == tuple(people_sheet.parse(SHEET)) == tuple(people.parse(GOOD))
    assert sync_file.parse(SLACK).people == sync_file.parse(GOOD).people


@pytest.mark.parametrize("parse", [people.parse, sync_file.parse])
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('id = "marta"', 'id = "Marta"', 'line 2, person "Marta", id: "Marta" does not have the right shape. Write it as in "finance-approver".'),
        ('id = "marta"\n', "", "line 1, person number 1, id: it is missing. Add id = ..."),
        ('[[person]]\nid = "otto"', '[[person]]\nid = "marta"\nname = "M"\n[[person]]\nid = "otto"', 'line 9, person "marta", id: "marta" is somebody already. Give every person an id of their own.'),
        ('id = "otto"', 'id = "otto"\nid = "o"', "line 10, the document: it is not TOML: "),
        ('name = "Otto Brandt"', 'name = ""', 'line 10, person "otto", name: it is not a short text. Write 1 to 100 printable characters in quotes.'),
        ('name = "Otto Brandt"', 'name = "Otto\\u202e"', 'line 10, person "otto", name: it is not a short text. Write 1 to 100 printable characters in quotes.'),
        ('"T0ACME:U0MARTA"', '"@marta"', 'line 4, person "marta", slack: "@marta" does not have the right shape. Write it as in "T0ACME:U0MARTA".'),
        ('["T0ACME:U0MARTA"]', '"T0ACME:U0MARTA"', 'line 4, person "marta", slack: "T0ACME:U0MARTA" is no list. Write a list in brackets, as in ["one", "two"].'),
        ('"T0ACME:U0OTTO"', '"T0ACME:U0MARTA"', f'line 11, person "otto", slack: "T0ACME:U0MARTA" {OF_MARTA}'),
        ('"finance-approver"', '"finance-approver", "finance-approver"', 'line 5, person "marta", roles: "finance-approver" is in it twice. Write it once.'),
        ('"finance-approver"', '"Finance approver"', 'line 5, person "marta", roles: "Finance approver" does not have the right shape. Write it as in "finance-approver".'),
        ("roles", "rolls", 'line 5, person "marta", rolls: no such key is known here. Did you mean roles?'),
        ("roles", "department", f'line 5, person "marta", department: no such key is known here. {KEYS}'),
        ('manager = "otto"', 'manager = "ghost"', f'line 6, person "marta", manager: "ghost" {NOBODY}'),
        ('manager = "otto"', 'manager = "marta"', 'line 6, person "marta", manager: it leads in a circle: marta -> marta. Leave the manager of one of them out.'),
        ('id = "otto"', 'id = "otto"\nmanager = "marta"', 'line 6, person "marta", manager: it leads in a circle: marta -> otto -> marta. Leave the manager of one of them out.'),
        ("active = true", 'active = "yes"', 'line 12, person "otto", active: "yes" is neither true nor false. Write true or false, without quotes.'),
        ('"payments:write"', '"Payments"', 'line 13, person "otto", scopes: "Payments" does not have the right shape. Write it as in "payments:write".'),
        ('[[person]]\nid = "marta"', '[[person]\nid = "marta"', "line 1, the document: it is not TOML: "),
        (GOOD, "person = []", "line 1, person: there is none. Write at least one [[person]]."),
    ],
)  # fmt: skip
def test_a_people_toml_is_refused_in_a_line(parse: Callable[[str], object], old: str, new: str, told: str) -> None:
    assert as_told(line(parse, GOOD, old, new), told)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('team = "T0ACME"\n', "", "line 15, slack, team: it is missing. Add team = ..."),
        ('team = "T0ACME"', 'team = "acme"', 'line 16, slack, team: "acme" does not have the right shape. Write it as in "T0ACME".'),
        ('team = "T0ACME"', 'team = "E0GRID"', 'line 16, slack, team: "E0GRID" does not have the right shape. Write it as in "T0ACME".'),
        ('"fin-approvers" =', '"@fin-approvers" =', 'line 17, slack, groups: "@fin-approvers" does not have the right shape. Write it as in "fin-approvers".'),
        ('= "finance-approver" }', '= "Finance" }', 'line 17, slack, groups: "Finance" does not have the right shape. Write it as in "finance-approver".'),
        ('{ "fin-approvers" = "finance-approver" }', '["fin-approvers"]', 'line 17, slack, groups: it is no table. Write { "fin-approvers" = "finance-approver" }.'),
        ('manager_field = "Manager"', "manager_field = true", "line 18, slack, manager_field: it is not a short text. Write 1 to 100 printable characters in quotes."),
        ("manager_field", "managers", "line 18, slack, managers: no such key is known here. Did you mean manager_field?"),
        ("[slack]", "[[slack]]",
         "line 15, slack: [{'team': 'T0ACME', 'groups': {'fin-approvers': 'finance-app... is no table. Write { key = ... }."),
        ("[[override]]", "[override]", "line 20, override: it is one table, and no list of them. Write [[override]], with two brackets on each side."),
        ('groups = { "fin-approvers" = "finance-approver" }\nmanager_field = "Manager"', '[slack.groups]\n"@x" = "y"',
         'line 15, slack, groups: "@x" does not have the right shape. Write it as in "fin-approvers".'),
        ('[[override]]\nid = "marta"', '[[override]]\nid = "ghost"', f'line 21, override "ghost", id: "ghost" {NOBODY}'),
        ('[[override]]\nid = "marta"', "[[override]]", "line 20, override number 1, id: it is missing. Add id = ..."),
        ('id = "marta"\nmanager = "otto"\n', 'id = "marta"\n', 'line 20, override "marta": it says nothing. Add manager, roles or active, or take it out.'),
        ("[[override]]", '[[override]]\nid = "marta"\nactive = true\n[[override]]', 'line 24, override "marta", id: "marta" has an override already. Write one for each person.'),
        ('id = "marta"\nmanager = "otto"\n', 'id = "marta"\nmanager = "ghost"\n', f'line 22, override "marta", manager: "ghost" {NOBODY}'),
        ('id = "marta"\nmanager = "otto"\n', 'id = "marta"\nname = "M"\nactive = true\n',
         'line 22, override "marta", name: no such key is known here. Known here: active, id, manager, roles.'),
        ('[slack]\nteam = "T0ACME"\ngroups = { "fin-approvers" = "finance-approver" }\nmanager_field = "Manager"\n', "",
         "line 16, override: there is no [slack] that it could win over. Say it of the person, or add [slack]."),
    ],
)  # fmt: skip
def test_what_is_left_to_slack_is_refused_in_a_line(old: str, new: str, told: str) -> None:
    assert line(sync_file.parse, SLACK, old, new) == told


def test_what_is_left_to_slack_is_none_of_a_file_that_must_say_everything_itself() -> None:
    why = "with it Slack says who holds roles and who manages whom, and this file alone does not."
    told = f"line 15, slack: {why} Give the file to `placet people sync`, or take this out."
    assert line(people.parse, SLACK, "Otto Brandt", "Otto") == told


CELLS = "Leave a cell empty where there is nothing to say, and put a value with a separator in quotes."


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("id,name,slack", "id,slack", "line 1, the header, name: it is missing. Add a column of this name."),
        ("id,name,slack", "name,slack", "line 1, the header, id: it is missing. Add a column of this name."),
        ("id,name", "name,id,id", "line 1, the header, id: it is there twice. Give every column a name of its own."),
        ("roles,", "rolls,", "line 1, the header, rolls: no such key is known here. Did you mean roles?"),
        ("roles,", "department,", f"line 1, the header, department: no such key is known here. {KEYS}"),
        ("id,name,slack,roles,manager,active,scopes\n", "",
         f"line 1, the document: its first line names neither an id nor a name. Begin with a line that names the columns: {COLUMNS}."),
        (SHEET[SHEET.index("marta,") :], "", "line 1, person: there is none. Write a row for each below the header."),
        ("marta,Marta", ",Marta", 'line 2, person "", id: "" does not have the right shape. Write it as in "finance-approver".'),
        ("marta,Marta", "Marta,Marta", 'line 2, person "Marta", id: "Marta" does not have the right shape. Write it as in "finance-approver".'),
        ("otto,Otto", "marta,M,,,,,\notto,Otto", 'line 3, person "marta", id: "marta" is somebody already. Give every person an id of their own.'),
        ("Marta Keller", "", 'line 2, person "marta", name: it is not a short text. Write 1 to 100 printable characters in quotes.'),
        ("Marta Keller", '"Marta\nKeller"', 'line 2, person "marta", name: it is not a short text. Write 1 to 100 printable characters in quotes.'),
        ("Otto Brandt", "Brandt, Otto", f'line 3, person "otto": it has 8 cells, and the header names 7 columns. {CELLS}'),
        ("otto,,\n", "otto\n", f'line 2, person "marta": it has 5 cells, and the header names 7 columns. {CELLS}'),
        ("T0ACME:U0OTTO", "U0OTTO", 'line 3, person "otto", slack: "U0OTTO" does not have the right shape. Write it as in "T0ACME:U0MARTA".'),
        ("T0ACME:U0OTTO", "T0ACME:U0MARTA", f'line 3, person "otto", slack: "T0ACME:U0MARTA" {OF_MARTA}'),
        ("finance-approver", "finance-approver; finance-approver", 'line 2, person "marta", roles: "finance-approver" is in it twice. Write it once.'),
        ("finance-approver", "finance/approver", 'line 2, person "marta", roles: "finance/approver" does not have the right shape. Write it as in "finance-approver".'),
        ("otto,,\n", "ghost,,\n", f'line 2, person "marta", manager: "ghost" {NOBODY}'),
        ("otto,,\n", "marta,,\n", 'line 2, person "marta", manager: it leads in a circle: marta -> marta. Leave the manager of one of them out.'),
        ("otto,,\n", "otto,maybe,\n", 'line 2, person "marta", active: "maybe" is neither true nor false. Write true or false, without quotes.'),
        ("payments:write", "Payments", 'line 3, person "otto", scopes: "Payments" does not have the right shape. Write it as in "payments:write".'),
        ("Otto Brandt", '"Otto', "line 3, the document: it is not CSV: "),
    ],
)  # fmt: skip
def test_a_people_csv_is_refused_in_a_line(old: str, new: str, told: str) -> None:
    assert as_told(line(people_sheet.parse, SHEET, old, new), told)


def test_every_fault_of_a_people_csv_is_told_at_once() -> None:
    with pytest.raises(DocumentFaults) as refused:
        people_sheet.parse("id;name;rolls;active\nmarta;;a;\n\notto;Otto;;jein\n")
    assert [(fault.line, fault.field) for fault in refused.value.faults] == [
        (1, "the header, rolls"),
        (2, 'person "marta", name'),
        (4, 'person "otto", active'),
    ]
