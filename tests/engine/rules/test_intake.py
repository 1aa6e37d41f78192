"""A row is taken as it stands or refused with its line, its field and why."""

import json
from decimal import Decimal
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rules.intake import Row, Unreadable, read_rows

CELL = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)


def rows(text: str, kind: Literal["csv", "jsonl"]) -> list[tuple[int, Any]]:
    """Line and values of each row; of each unreadable line, its field and why."""
    return [
        (one.line, dict(one.values)) if isinstance(one, Row) else (one.line, (one.field, one.why))
        for one in read_rows(text, kind)
    ]


def refusal(text: str, kind: Literal["csv", "jsonl"]) -> Unreadable:
    (one,) = read_rows(text, kind)
    assert isinstance(one, Unreadable)
    return one


def test_json_numbers_keep_every_digit() -> None:
    text = '{"amount": 26647.5, "qty": 40, "rate": 0.1000000000000000055511151231257827}\n{"amount": 69030.000}\n'
    assert rows(text, "jsonl") == [
        (1, {"amount": Decimal("26647.5"), "qty": 40, "rate": Decimal("0.1000000000000000055511151231257827")}),
        (2, {"amount": Decimal("69030.000")}),
    ]


def test_csv_values_are_text_and_quotes_may_span_lines() -> None:
    text = 'order_ref,item,amount\nPO-1,"pump, ""hydraulic""\nlarge",38000.00\n\nPO-2,seal,007\n'
    assert rows(text, "csv") == [
        (2, {"order_ref": "PO-1", "item": 'pump, "hydraulic"\nlarge', "amount": "38000.00"}),
        (5, {"order_ref": "PO-2", "item": "seal", "amount": "007"}),
    ]


@pytest.mark.parametrize(("kind", "text"), [("csv", "a,b\r\n1,2\r\n"), ("jsonl", '{"a": "1", "b": "2"}\r\n')])
def test_a_mark_of_byte_order_and_windows_line_ends_are_no_fault(kind: Literal["csv", "jsonl"], text: str) -> None:
    assert [values for _, values in rows("\ufeff" + text, kind)] == [{"a": "1", "b": "2"}]


def test_line_ends_within_quotes_are_kept_and_old_ones_end_a_line_too() -> None:
    assert rows('a,b\r\n1,"two\r\nlines"\r\n', "csv") == [(2, {"a": "1", "b": "two\r\nlines"})]
    assert rows("a,b\r1,2\r", "csv") == [(2, {"a": "1", "b": "2"})]


def test_one_column_is_enough() -> None:
    assert rows("order_ref\nPO-1;2\n", "csv") == [(2, {"order_ref": "PO-1;2"})]


def test_a_bad_line_does_not_take_the_others_with_it() -> None:
    found = list(read_rows('{"a": 1}\n{"a": }\n[1]\n{"a": 2}\n', "jsonl"))
    assert [type(one) for one in found] == [Row, Unreadable, Unreadable, Row]
    assert [one.line for one in found] == [1, 2, 3, 4]


TWICE = "It is given twice in one object, and which is meant cannot be known."
NO_OBJECT = 'It is no JSON object; each line holds one, as in {"order_ref": "PO-2026-0193"}.'
NO_TEXT = "It holds a NUL character or half of a surrogate pair, which is no text."
COLUMN_2 = "The name of column 2 is empty or has blanks around it; the header names all."
NO_ROW = Unreadable(line=1, field=None, why="There is no row in it; was the right file chosen?")


@pytest.mark.parametrize(
    ("line", "field", "why"),
    [
        ('{"amount": NaN}', None, "NaN is no JSON number; write a number or null."),
        ('{"amount": -Infinity}', None, "-Infinity is no JSON number; write a number or null."),
        ('{"qty": 1, "qty": 400}', "qty", TWICE),
        ('{"line": {"qty": 1, "qty": 400}}', "qty", TWICE),
        ('[{"qty": 1}]', None, NO_OBJECT),
        ("5", None, NO_OBJECT),
        ('{"qty": 1} {"qty": 2}', None, "It is not JSON: Extra data at character 12."),
        ('{"note": "ok\\u0000"}', "note", NO_TEXT),
        ('{"lines": [{"note": "\\ud83d"}]}', "lines", NO_TEXT),
        ('{"a\\u0000": 1}', "a\ufffd", NO_TEXT),
        ('{"qty": ' + "9" * 5_000 + "}", None, "A number in it is too long to be read."),
        ('{"a": ' * 100_000, None, "It is nested too deeply to be an order."),
    ],
)
def test_a_json_line_that_is_no_row_says_why(line: str, field: str | None, why: str) -> None:
    assert refusal(line, "jsonl") == Unreadable(line=1, field=field, why=why)


@pytest.mark.parametrize(
    ("text", "line", "field", "why"),
    [
        ("a,b\n1\n", 2, None, "The header names 2 values and the line has 1; a comma in a value needs quotes."),
        ("a,b\n1,000,2\n", 2, None, "The header names 2 values and the line has 3; a comma in a value needs quotes."),
        ("a,a\n1,2\n", 1, "a", "Two columns have this name; give each a name of its own."),
        ("a,\n1,2\n", 1, None, COLUMN_2),
        ("a, b\n1,2\n", 1, None, COLUMN_2),
        ("a,b\t\n1,2\n", 1, None, COLUMN_2),
        ("a;b\n1;2\n", 1, None, "The columns are separated by semicolons; save the file with commas."),
        ("a,b\n1,\0\n", 2, "b", NO_TEXT),
    ],
)
def test_a_csv_line_that_is_no_row_says_why(text: str, line: int, field: str | None, why: str) -> None:
    assert refusal(text, "csv") == Unreadable(line=line, field=field, why=why)


@pytest.mark.parametrize("text", ['a,b\n1,"2\n', 'a,b\n1,"2"x\n3,4\n'])
def test_after_a_quotation_that_cannot_be_read_the_rest_is_not_tried(text: str) -> None:
    refused = refusal(text, "csv")
    assert (refused.line, refused.field) == (2, None)
    assert refused.why.startswith("It cannot be read as CSV: ")
    assert refused.why.endswith(". Nothing after it was read.")


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
@pytest.mark.parametrize("text", ["", "\ufeff", "\n\n"])
def test_an_empty_file_is_refused_and_not_taken_for_no_orders(text: str, kind: Literal["csv", "jsonl"]) -> None:
    assert refusal(text, kind) == NO_ROW


def test_a_header_alone_is_refused() -> None:
    assert refusal("order_ref,amount\n", "csv") == NO_ROW


@given(st.lists(st.dictionaries(CELL, CELL | st.integers() | st.none()), min_size=1, max_size=4))
def test_what_was_written_as_json_lines_is_read_back(values: list[dict[str, Any]]) -> None:
    text = "\n".join(json.dumps(one, ensure_ascii=False) for one in values)
    assert [one for _, one in rows(text, "jsonl")] == values
