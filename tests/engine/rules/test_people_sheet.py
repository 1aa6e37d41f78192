"""People as spreadsheets save them: whatever separates columns and values, they are the people of the same people.toml."""

import pytest

from engine.rules import people_sheet
from engine.rules.people import Person

MARTA = Person(
    id="marta",
    name="Keller, Marta",
    slack=("T0ACME:U0M", "E0GRID:W0M"),
    roles=("finance-approver", "operator"),
    manager="otto",
    scopes=("payments:write",),
)
OTTO = Person(id="otto", name="Otto Brandt", active=False)
HEAD = "id,name,slack,roles,manager,active,scopes\n"
ROWS = 'marta,"Keller, Marta",T0ACME:U0M;E0GRID:W0M,finance-approver operator,otto,true,payments:write\notto,Otto Brandt,,,,false,\n'


@pytest.mark.parametrize(
    "text",
    [
        HEAD + ROWS,
        "\ufeff" + (HEAD + ROWS).replace("\n", "\r\n"),
        HEAD.replace(",", ";")
        + 'marta;Keller, Marta;"T0ACME:U0M; E0GRID:W0M";finance-approver operator;otto;WAHR;payments:write\r\n'
        + "otto;Otto Brandt;;;;FALSCH;\r\n",
        "sep=;\r\n" + HEAD.replace(",", ";")
        + 'marta;Keller, Marta;T0ACME:U0M E0GRID:W0M;"finance-approver;operator";otto;;payments:write\notto;Otto Brandt;;;;False;\n',
        "ID,Name,Active,Slack,Roles,Manager,Scopes\n".replace(",", "\t")
        + "marta\tKeller, Marta\tTRUE\tT0ACME:U0M E0GRID:W0M\tfinance-approver;operator\totto\tpayments:write\n"
        + "otto\tOtto Brandt\tFALSE\t\t\t\t\n",
        HEAD.replace("\n", ",,\n") + ROWS.replace("\n", ",,\n") + "\n,,,,,,\n\n",
        "sep=|\n" + HEAD.replace(",", " | ") + 'marta|"Keller, Marta"| "T0ACME:U0M E0GRID:W0M"|finance-approver operator|otto||payments:write\n'
        + "otto| Otto Brandt |||| false |",
    ],
    ids=["commas", "BOM and CRLF", "German Excel", "its hint", "tabs", "empty columns and rows", "another separator"],
)  # fmt: skip
def test_people_are_the_same_however_the_sheet_was_saved(text: str) -> None:
    assert tuple(people_sheet.parse(text)) == (MARTA, OTTO)


def test_columns_stand_in_any_order_and_only_id_and_name_must_be_there() -> None:
    for text in ("name,id\nOtto,otto\n", "name,id,,\nOtto,otto\n"):
        assert tuple(people_sheet.parse(text)) == (Person(id="otto", name="Otto"),)
    told = people_sheet.parse("roles,name,id\n a ;  b,Otto,otto\n").get("otto")
    assert told is not None
    assert told.roles == ("a", "b")


def test_a_value_in_a_column_without_a_name_is_not_dropped_in_silence() -> None:
    with pytest.raises(ValueError, match='line 3, person "b": it has 4 cells, and the header names 3 columns'):
        people_sheet.parse("id,,name,roles\na,,A,\nb,x,B,\n")
    with pytest.raises(ValueError, match='line 3, person "b": it has 4 cells, and the header names 2 columns'):
        people_sheet.parse("id,name,,\na,A,,\nb,B,x,\n")


def test_a_line_is_where_a_row_begins_even_after_one_of_several_lines() -> None:
    with pytest.raises(ValueError, match=r"(?m)^line 2, .*\nline 4, "):
        people_sheet.parse('id,name\na,"A\nB"\nB,B\n')
