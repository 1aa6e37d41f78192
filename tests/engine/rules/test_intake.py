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


def test_a_bad_line_does_not_take_the_others_with_it() -> None:
    found = list(read_rows('{"a": 1}\n{"a": }\n[1]\n{"a": 2}\n', "jsonl"))
    assert [type(one) for one in found] == [Row, Unreadable, Unreadable, Row]
    assert [one.line for one in found] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("line", "field", "why"),
    [
        ('{"amount": NaN}', None, "NaN is no JSON number"),
        ('{"amount": -Infinity}', None, "-Infinity is no JSON number"),
        ('{"qty": 1, "qty": 400}', "qty", "twice"),
        ('{"line": {"qty": 1, "qty": 400}}', "qty", "twice"),
        ('[{"qty": 1}]', None, "no JSON object"),
        ("5", None, "no JSON object"),
        ('{"qty": 1} {"qty": 2}', None, "Extra data at character 12"),
        ("{'qty': 1}", None, "not JSON"),
        ('{"note": "ok\\u0000"}', "note", "NUL"),
        ('{"lines": [{"note": "\\ud83d"}]}', "lines", "surrogate"),
        ('{"a\\u0000": 1}', "a\ufffd", "NUL"),
        ('{"qty": ' + "9" * 5_000 + "}", None, "too long"),
        ('{"a": ' * 100_000, None, "nested too deeply"),
    ],
)
def test_a_json_line_that_is_no_row_says_why(line: str, field: str | None, why: str) -> None:
    refused = refusal(line, "jsonl")
    assert (refused.line, refused.field) == (1, field)
    assert why in refused.why


@pytest.mark.parametrize(
    ("text", "line", "field", "why"),
    [
        ("a,b\n1\n", 2, None, "The header names 2 values and the line has 1"),
        ("a,b\n1,000,2\n", 2, None, "a comma in a value needs quotes"),
        ("a,a\n1,2\n", 1, "a", "Two columns"),
        ("a,\n1,2\n", 1, None, "column 2"),
        ("a, b\n1,2\n", 1, None, "column 2"),
        ("a;b\n1;2\n", 1, None, "semicolons"),
        ('a,b\n1,"2\n', 2, None, "cannot be read as CSV"),
        ('a,b\n1,"2"x\n', 2, None, "cannot be read as CSV"),
        ("a,b\n1,\0\n", 2, "b", "NUL"),
    ],
)
def test_a_csv_line_that_is_no_row_says_why(text: str, line: int, field: str | None, why: str) -> None:
    refused = refusal(text, "csv")
    assert (refused.line, refused.field) == (line, field)
    assert why in refused.why


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
@pytest.mark.parametrize("text", ["", "\ufeff", "\n\n"])
def test_an_empty_file_is_refused_and_not_taken_for_no_orders(text: str, kind: Literal["csv", "jsonl"]) -> None:
    assert "no row" in refusal(text, kind).why


def test_a_header_alone_is_refused() -> None:
    assert "no row" in refusal("order_ref,amount\n", "csv").why


@given(st.lists(st.dictionaries(CELL, CELL | st.integers() | st.none()), min_size=1, max_size=4))
def test_what_was_written_as_json_lines_is_read_back(values: list[dict[str, Any]]) -> None:
    text = "\n".join(json.dumps(one, ensure_ascii=False) for one in values)
    assert [one for _, one in rows(text, "jsonl")] == values
