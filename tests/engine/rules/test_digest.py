"""Equal documents have equal digests, different ones never, and what has no exact form is refused by its path."""

import hashlib
import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from engine.rules.digest import (
    CHAIN_FIELDS,
    GENESIS,
    DigestError,
    canonical,
    digest,
    fingerprint,
    link,
    short,
    visible,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
SCALARS = st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | TEXT
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=8
)
FIELD = st.none() | TEXT
EVENTS = st.lists(st.fixed_dictionaries(dict.fromkeys(CHAIN_FIELDS, FIELD)), min_size=1, max_size=3)


def event(**fields: str | None) -> dict[str, str | None]:
    return dict.fromkeys(CHAIN_FIELDS) | fields


def test_canonical_text_is_that_of_rfc_8785() -> None:
    value = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": '€$\u000f\nA\'B"\\\\"/',
        "literals": [None, True, False],
    }
    assert canonical(value) == (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )


@given(
    JSON
    | st.recursive(
        SCALARS | st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: x != 0), st.lists, max_leaves=4
    )
)
def test_whichever_way_it_is_written_the_text_is_that_of_rfc_8785(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value).decode()


@given(
    st.dictionaries(st.text("az\x7f\ue000\uffff\U0001f600", max_size=3), SCALARS),
    st.text('\x01\x1f\x7f\u2028"\\/b', max_size=6),
)
def test_characters_that_writers_differ_on_are_written_as_rfc_8785_says(keys: dict[str, Any], text: str) -> None:
    assert canonical([keys, text]) == rfc8785.dumps([keys, text]).decode()


def test_keys_are_sorted_by_their_utf_16_units() -> None:
    keys = {"\U0001f600": 1, "\ufb33": 2, "\u20ac": 3}
    assert list(json.loads(canonical(keys))) == ["\u20ac", "\U0001f600", "\ufb33"]
    assert list(json.loads(canonical(keys | {"1": 4}))) == ["1", "\u20ac", "\U0001f600", "\ufb33"]


NO_NUMBER = "NaN and infinity are no JSON numbers."
ROUNDED = "an integer beyond 2^53 - 1 is rounded by some readers; write it as a string."
HALF = "it holds half of a surrogate pair, which is no character."
NUL = "it holds a NUL character, which cannot be stored."


@pytest.mark.parametrize(
    ("value", "path", "why"),
    [
        ({"amount": Decimal("1.00")}, "amount", "Decimal is no JSON type; turn it into text first."),
        ({"lines": [{"qty": 1}, {"qty": float("nan")}]}, "lines[1].qty", NO_NUMBER),
        ({"unit": float("inf")}, "unit", NO_NUMBER),
        ({"unit": -0.0}, "unit", "negative zero has no agreed text; write 0."),
        ({"id": 2**53}, "id", ROUNDED),
        ({"id": -(2**53)}, "id", ROUNDED),
        ({"note": "half \ud83d"}, "note", HALF),
        ({"half \ud83d": 1}, "half \ufffd", HALF),
        ({"note": "ok\0"}, "note", NUL),
        ({"a\0": 1}, "a\ufffd", NUL),
        ({"by": {7: "x"}}, "by", "a key is int; JSON keys are strings."),
        ({7: "x"}, "", "a key is int; JSON keys are strings."),
        ({"raw": b"x"}, "raw", "bytes is no JSON type; turn it into text first."),
        ({"set": {1}}, "set", "set is no JSON type; turn it into text first."),
        (float("nan"), "", NO_NUMBER),
    ],
)
def test_what_has_no_exact_form_is_refused_by_its_path(value: Any, path: str, why: str) -> None:
    with pytest.raises(DigestError) as refusal:
        canonical(value)
    assert (refusal.value.path, refusal.value.why) == (path, why)
    assert str(refusal.value) == f"{path or 'the document'}: {why}"


@pytest.mark.parametrize("leaf", [1, "text", 0.5, None])
@pytest.mark.parametrize("wrap", [lambda inner: [inner], lambda inner: (inner,), lambda inner: {"a": inner}])
def test_a_document_may_be_nested_sixty_four_deep_and_no_deeper(leaf: Any, wrap: Callable[[Any], Any]) -> None:
    deep = leaf
    for _ in range(64):
        deep = wrap(deep)
    assert canonical(deep) == rfc8785.dumps(deep).decode()
    with pytest.raises(DigestError) as refusal:
        canonical(wrap(deep))
    assert refusal.value.why == "it is nested deeper than 64."
    assert refusal.value.path in {"[0]" * 65, ".".join("a" * 65)}


def test_nesting_without_end_is_refused_and_not_a_crash() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(DigestError, match="nested deeper"):
        canonical(deep)


def test_integers_up_to_two_to_the_53_are_exact() -> None:
    assert canonical([2**53 - 1, -(2**53) + 1]) == "[9007199254740991,-9007199254740991]"


def test_a_digest_is_the_hash_of_domain_nul_and_text() -> None:
    assert digest("placet.pause.v1", {"b": 1, "a": 2}) == hashlib.sha256(b'placet.pause.v1\0{"a":2,"b":1}').hexdigest()
    assert digest("one", {}) != digest("two", {})


@pytest.mark.parametrize("domain", ["", "a\0b"])
def test_a_domain_tag_is_text_without_nul(domain: str) -> None:
    with pytest.raises(ValueError, match=r"^a domain tag is text without NUL$"):
        digest(domain, {})


def test_the_short_form_is_the_first_eight_digits_in_two_groups() -> None:
    assert short("9f3ca1d2" + "0" * 56) == "9f3c a1d2"


class Order(BaseModel):
    qty: int
    sku: str
    note: str | None = None


def test_equal_actions_share_a_fingerprint_once_validated() -> None:
    raw = [{"qty": "7", "sku": "A"}, {"sku": "A", "qty": 7}, {"sku": "A", "qty": 7, "note": None}]
    prints = {fingerprint("create_po", Order.model_validate(arguments).model_dump(mode="json")) for arguments in raw}
    assert len(prints) == 1


def test_a_fingerprint_is_that_which_earlier_versions_stored() -> None:
    text = b'placet.fingerprint.v1\0{"arguments":{"qty":7,"sku":"A"},"tool":"create_po"}'
    assert fingerprint("create_po", {"sku": "A", "qty": 7}) == hashlib.sha256(text).hexdigest()


def test_another_tool_or_argument_is_another_fingerprint() -> None:
    prints = [
        fingerprint("create_po", {"qty": 7}),
        fingerprint("create_po", {"qty": 8}),
        fingerprint("create_po", {"qty": "7"}),
        fingerprint("create_po", {"qty": 7, "note": None}),
        fingerprint("cancel_po", {"qty": 7}),
    ]
    assert len(set(prints)) == len(prints)


def test_a_link_is_the_hash_of_the_head_and_every_field_with_its_length() -> None:
    approve = event(entity="pause", entity_id="5d21ab", from_status="waiting", event="approve", to_status="approved",
                    actor="marta", surface="slack", detail="", at="2026-07-15T14:02:00.000001Z")  # fmt: skip
    refused = event(entity="pause", detail="zu spät")
    text = (
        GENESIS
        + "5:pause;6:5d21ab;7:waiting;7:approve;8:approved;5:marta;5:slack;0:;27:2026-07-15T14:02:00.000001Z;"
        + "5:pause;-;-;-;-;-;-;8:zu spät;-;"
    )
    assert link(GENESIS, [approve, refused]) == hashlib.sha256(text.encode()).hexdigest()


def test_none_is_not_the_empty_text_in_a_link() -> None:
    assert link(GENESIS, [event(detail=None)]) != link(GENESIS, [event(detail="")])


def test_text_cannot_move_from_one_field_of_a_link_to_the_next() -> None:
    assert link(GENESIS, [event(actor="a", surface="bc")]) != link(GENESIS, [event(actor="ab", surface="c")])
    assert link(GENESIS, [event(actor="a;1:b", surface=None)]) != link(GENESIS, [event(actor="a", surface="b")])


EXACTLY = (
    "an event in a chain has exactly the fields entity, entity_id, from_status, event, to_status, actor, surface, "
    "detail, at"
)


@pytest.mark.parametrize(
    ("head", "events", "why"),
    [
        ("", [event()], "the head of a chain is 64 lower-case hex digits"),
        (GENESIS[:-1] + "A", [event()], "the head of a chain is 64 lower-case hex digits"),
        (GENESIS + "\n", [event()], "the head of a chain is 64 lower-case hex digits"),
        (GENESIS, [], "a move writes at least one event"),
        (GENESIS, [{"entity": "pause"}], EXACTLY),
        (GENESIS, [event(seal="x")], EXACTLY),
    ],
)
def test_a_link_over_something_else_is_a_callers_mistake(
    head: str, events: list[dict[str, str | None]], why: str
) -> None:
    with pytest.raises(ValueError, match=f"^{why}$"):
        link(head, events)


def test_what_postgresql_cannot_store_is_made_visible_and_the_rest_left_alone() -> None:
    assert visible("ok\0") == "ok\ufffd"
    assert visible("\ud83d!") == "\ufffd!"
    assert visible(r"a literal \u0000, 日本語, 😀") == r"a literal \u0000, 日本語, 😀"


@given(JSON)
def test_canonical_text_reads_back_as_the_same_value(value: Any) -> None:
    assert json.loads(canonical(value)) == value


@given(JSON, JSON)
def test_different_documents_have_different_digests(one: Any, other: Any) -> None:
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (digest("t", one) == digest("t", other)) == same


@given(EVENTS, EVENTS)
def test_different_events_make_different_links(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> None:
    assert (link(GENESIS, one) == link(GENESIS, other)) == (one == other)
