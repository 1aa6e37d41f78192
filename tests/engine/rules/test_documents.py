"""A document is taken whole or refused whole, and each thing wrong in it is told in a sentence, with its line."""

from collections.abc import Callable
from typing import Any

import pytest

from engine.rules import documents, people
from engine.rules.documents import DocumentFaults, Fault, Unfit

Reader = Callable[[Any], Any]
READERS: dict[str, Callable[[], Reader]] = {
    "text": lambda: documents.text,
    "shaped": lambda: documents.shaped("[a-z]{2,4}", "abc"),
    "choice": lambda: documents.choice("up", "down"),
    "whole": lambda: documents.whole(2, 9),
    "flag": lambda: documents.flag,
    "many": lambda: documents.many(documents.whole(2, 9)),
    "length": lambda: documents.length,
}


def refusal(reader: Reader, value: Any) -> str:
    with pytest.raises(Unfit) as unfit:
        reader(value)
    return f"{unfit.value.why} {unfit.value.fix}"


def faults(text: str) -> tuple[Fault, ...]:
    with pytest.raises(DocumentFaults) as refused:
        people.parse(text)
    return refused.value.faults


@pytest.mark.parametrize(
    ("reader", "value", "meant"),
    [
        ("text", "x", "x"),
        ("text", "é" * 100, "é" * 100),
        ("shaped", "ab", "ab"),
        ("choice", "up", "up"),
        ("choice", "down", "down"),
        ("whole", 2, 2),
        ("whole", 9, 9),
        ("flag", False, False),
        ("many", [], ()),
        ("many", [3, 2], (3, 2)),
        ("length", "1s", 1),
        ("length", "45m", 45 * 60),
        ("length", "4h", 4 * 3_600),
        ("length", "366d", 366 * 86_400),
    ],
)
def test_a_value_is_read_up_to_and_with_its_bounds(reader: str, value: Any, meant: Any) -> None:
    assert READERS[reader]()(value) == meant


SHORT = "it is not a short text. Write 1 to 100 printable characters in quotes."
SHAPE = 'does not have the right shape. Write it as in "abc".'
RANGE = "is not a whole number in range. Write 2 to 9, without quotes."
NO_LENGTH = 'is no length of time. Write a number and s, m, h or d, as in "4h".'
OUT_OF_RANGE = 'is out of range. Write more than "0s" and at most "366d".'


@pytest.mark.parametrize(
    ("reader", "value", "sentence"),
    [
        ("text", "", SHORT), ("text", "x" * 101, SHORT), ("text", " x", SHORT), ("text", "x ", SHORT),
        ("text", "a\nb", SHORT), ("text", "a\u202eb", SHORT), ("text", 7, SHORT),
        ("shaped", "a", f'"a" {SHAPE}'), ("shaped", "abcde", f'"abcde" {SHAPE}'), ("shaped", "abc\n", f"'abc\\n' {SHAPE}"),
        ("shaped", 7, f"7 {SHAPE}"), ("shaped", ["abc"], f"['abc'] {SHAPE}"),
        ("choice", "UP", '"UP" is not one of its values. Write one of up, down.'),
        ("choice", True, "True is not one of its values. Write one of up, down."),
        ("choice", ["up"], "['up'] is not one of its values. Write one of up, down."),
        ("whole", 1, f"1 {RANGE}"), ("whole", 10, f"10 {RANGE}"), ("whole", 3.0, f"3.0 {RANGE}"), ("whole", "3", f'"3" {RANGE}'),
        ("flag", 1, "1 is neither true nor false. Write true or false, without quotes."),
        ("flag", "true", '"true" is neither true nor false. Write true or false, without quotes.'),
        ("many", "two", '"two" is no list. Write a list in brackets, as in ["one", "two"].'),
        ("many", [2, 3, 3], "3 is in it twice. Write it once."),
        ("many", [2, 1], f"1 {RANGE}"),
        ("length", "4", f'"4" {NO_LENGTH}'), ("length", 4, f"4 {NO_LENGTH}"), ("length", "4 h", f'"4 h" {NO_LENGTH}'),
        ("length", "0s", f'"0s" {OUT_OF_RANGE}'), ("length", "367d", f'"367d" {OUT_OF_RANGE}'),
        ("length", "31622401s", f'"31622401s" {OUT_OF_RANGE}'),
    ],
)  # fmt: skip
def test_a_value_that_is_unfit_is_refused_with_what_to_write_instead(reader: str, value: Any, sentence: str) -> None:
    assert refusal(READERS[reader](), value) == sentence


def test_a_value_is_shown_up_to_sixty_characters() -> None:
    assert refusal(documents.flag, "x" * 58).startswith(f'"{"x" * 58}" is neither')
    assert refusal(documents.flag, "x" * 59).startswith(f'"{"x" * 59}... is neither')
    assert refusal(documents.flag, "x" * 500).startswith(f'"{"x" * 59}... is neither')


# --------------------------------------------------------------------------------------------------- a document as a whole


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "person: there is none. Write at least one [[person]]."),
        ("person = []", "line 1, person: there is none. Write at least one [[person]]."),
        ("person = 5",
         "line 1, person: it is not a list of tables. Write [[...]] headers, or a list of { key = ... } tables."),
        ("[person]\nid = 'a'",
         "line 1, person: it is one table, and no list of them. Write [[person]], with two brackets on each side."),
        ("person = [5]",
         "line 1, person: it is not a list of tables. Write [[...]] headers, or a list of { key = ... } tables."),
        ('[[person]]\nname = "X"', "line 1, person number 1, id: it is missing. Add id = ..."),
        ('[[person]]\nid = "a"\nname = "A"\n[[person]]\nid = 7\nname = "X"',
         'line 5, person number 2, id: 7 does not have the right shape. Write it as in "finance-approver".'),
        ('[[person]]\nid = "a"\nname = "A"\nzzz = 1',
         ('line 4, person "a", zzz: no such key is known here. '
          "Known here: active, id, manager, name, roles, scopes, slack.")),
        ('person = [{ id = "a" }]', 'line 1, person "a", name: it is missing. Add name = ...'),
    ],
)  # fmt: skip
def test_a_fault_is_told_with_its_line_where_that_is_known(text: str, sentence: str) -> None:
    (fault,) = faults(text)
    assert str(fault) == sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a = " + "[" * 5_000, "the document: it is nested too deep to be read. A few levels of brackets are enough."),
        ("a = " + "[" * 5_000 + "]" * 5_000, "the document: it is nested too deep to be read."),
        ("a = " + "{b=" * 5_000, "the document: it is nested too deep to be read."),
        ("a = " + "1" * 5_000, "the document: a number in it has too many digits to be read. Write a shorter one."),
    ],
    ids=["open lists", "lists", "tables", "a long number"],
)
def test_what_is_too_deep_or_too_long_to_be_read_is_a_fault_in_words(text: str, sentence: str) -> None:
    (fault,) = faults(text)
    assert str(fault).startswith(sentence)


@pytest.mark.parametrize("value", ["id." + "a." * 5_000 + "a = 1", "id = 0x" + "f" * 5_000], ids=["deep", "long"])
def test_a_value_that_cannot_be_shown_is_refused_all_the_same(value: str) -> None:
    (fault,) = faults(f'[[person]]\nname = "X"\n{value}')
    assert (fault.field, fault.why) == ("person number 1, id", "what is there does not have the right shape.")


def test_a_refusal_is_one_line_for_each_fault_in_the_order_of_their_lines() -> None:
    with pytest.raises(DocumentFaults) as refused:
        people.parse('[[person]]\nname = ""\nid = 7')
    assert str(refused.value) == (
        f"line 2, person number 1, name: {SHORT}\n"
        'line 3, person number 1, id: 7 does not have the right shape. Write it as in "finance-approver".'
    )


def test_what_has_no_line_is_told_first() -> None:
    found = faults('persons = 1\n"person" = [{ id = "a" }]')
    assert [(fault.line, fault.field) for fault in found] == [(None, 'person "a", name'), (1, "persons")]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_are_counted_alike_however_they_end(end: str) -> None:
    text = '[[person]]\nid = "a"\n\nname = ""\n'
    (fault,) = faults(text.replace("\n", end))
    assert fault.line == 4


@pytest.mark.parametrize(
    ("text", "line"), [('id = "a"\nid = "b"', 2), ("id = marta", 1), ("\0", 1), ('\nid = """', None)]
)
def test_what_is_not_toml_is_refused_with_what_the_reader_of_toml_says(text: str, line: int | None) -> None:
    (fault,) = faults(text)
    assert (fault.line, fault.field, fault.fix) == (line, "the document", "Mend it from there.")
    assert fault.why.startswith("it is not TOML: ")
    assert fault.why.endswith(").")
