"""Stripe's search of PaymentIntents: its query language, and a page of what a query finds.

Pure, as stripe_shapes is. The language is that of docs.stripe.com/search, read in November 2026: up to ten clauses, joined by spaces and
AND, or by OR, never by both; text stands in quotes, and is compared without regard to case. The wording of an error is Stripe's where it
is known. How far the search is behind is the provider's business.
"""

import base64
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bot.sandbox.stripe_shapes import Answer, Params, error, page_size, unknown
from bot.sandbox.wire import Json

MOST_CLAUSES: Final = 10

_SEARCH = {"limit", "page", "query"}
_NUMERIC, _TOKENS = {"amount", "created"}, {"currency", "customer", "metadata", "status"}
_COMPARED: Final[dict[str, Callable[[int, int], bool]]] = {
    ":": operator.eq,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
_QUOTED: Final = r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""
_CLAUSE: Final = re.compile(
    rf"(?P<without>-?)(?P<field>[a-z_]+(?:\.[a-z_0-9]+)*)(?:\[(?P<key>{_QUOTED})\])?(?P<operator>[<>]=?|[:~])"
    rf"(?:(?P<text>{_QUOTED})|(?P<bare>-?[0-9]+|null))(?!\S)",
    re.IGNORECASE | re.DOTALL,
)
_JOINT: Final = re.compile(r"\s+(?:(and|or)\s+)?", re.IGNORECASE)
_UNREADABLE: Final = (
    'We were unable to parse your search query. Try using the format `metadata["key"]:"value"` to query for metadata '
    'or key:"value" to query for other fields.'
)


class BadQuery(ValueError):
    """A query that Stripe refuses, in its words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A field, an operator and a value; `value` None is null: the field is empty. `negated`: what does not match is found."""

    field: str
    key: str
    operator: str
    value: str | None
    negated: bool

    def finds(self, intent: Json) -> bool:
        """Whether this clause lets a PaymentIntent through."""
        there = intent["metadata"].get(self.key) if self.field == "metadata" else intent[self.field]
        return self._matches(there) != self.negated

    def _matches(self, there: Any) -> bool:
        if there is None or self.value is None:
            return there is self.value
        if self.field in _NUMERIC:
            return _COMPARED[self.operator](there, int(self.value))
        return bool(there.casefold() == self.value.casefold())


def search_page(newest_first: Sequence[Json], params: Params) -> Answer:
    """One page of what the query finds, or the first thing wrong with the parameters."""
    if problem := next(_problems(params), None):
        return problem
    try:
        clauses, join = parse(params["query"])
    except BadQuery as bad:
        return error(str(bad))
    found = [intent for intent in newest_first if join(clause.finds(intent) for clause in clauses)]
    if (page := params.get("page")) is not None:
        places = [place for place, intent in enumerate(newest_first) if _cursor(intent) == page]
        if not places:
            return error(f"{page} is an invalid page.")
        later = {intent["id"] for intent in newest_first[places[0] + 1 :]}
        found = [intent for intent in found if intent["id"] in later]
    limit = int(params.get("limit", 10))
    shown, more = found[:limit], len(found) > limit
    return Answer(
        body={
            "object": "search_result",
            "url": "/v1/payment_intents/search",
            "has_more": more,
            "next_page": _cursor(shown[-1]) if more else None,
            "data": shown,
        }
    )


def parse(query: str) -> tuple[list[Clause], Callable[[Iterator[bool]], bool]]:
    """The clauses, and whether all of them must let a thing through or any. Raises BadQuery."""
    clauses, joints, rest = list[Clause](), set[str](), query.strip()
    while found := _CLAUSE.match(rest):
        clauses.append(_clause(found))
        rest = rest[found.end() :]
        if not rest:
            break
        joint = _JOINT.match(rest)
        assert joint is not None, "a clause ends at a blank"
        joints.add((joint[1] or "and").lower())
        rest = rest[joint.end() :]
    else:
        raise BadQuery(_UNREADABLE)
    if len(joints) > 1:
        raise BadQuery("We were unable to parse your search query. You can't combine AND and OR in the same query.")
    if len(clauses) > MOST_CLAUSES:
        raise BadQuery(
            f"You can combine up to {MOST_CLAUSES} query clauses in a search, but you passed {len(clauses)}."
        )
    return clauses, any if joints == {"or"} else all


def _clause(found: re.Match[str]) -> Clause:
    field, key, value = found["field"], found["key"], found["bare"]
    if field not in _NUMERIC | _TOKENS:
        raise BadQuery(
            f"Field `{field}` is an unsupported search field for resource `payment_intents`. See "
            "http://stripe.com/docs/search#query-fields-for-payment-intents for a list of supported fields."
        )
    if found["text"] is not None:
        value = _unquoted(found["text"])
    elif value.lower() == "null":
        value = None
    elif field in _TOKENS:
        raise BadQuery(_UNREADABLE)  # a text without its quotes
    if (field == "metadata") == (key is None) or (value is None and found["operator"] != ":"):
        raise BadQuery(_UNREADABLE)
    if found["operator"] not in (_COMPARED if field in _NUMERIC else ":"):
        raise BadQuery(f"Operator `{found['operator']}` is not supported for field `{field}`.")
    if field in _NUMERIC and value is not None and not re.fullmatch("-?[0-9]+", value):
        raise BadQuery(f"Field `{field}` is numeric, and cannot be compared with `{value}`.")
    return Clause(
        field=field,
        key=_unquoted(key or '""'),
        operator=found["operator"],
        value=value,
        negated=found["without"] == "-",
    )


def _problems(params: Params) -> Iterator[Answer]:
    yield from unknown(params, _SEARCH)
    if not params.get("query", "").strip():
        yield error("Missing required param: query.", code="parameter_missing", param="query")
    yield from page_size(params)


def _cursor(intent: Json) -> str:
    """A page's mark: where in time the last one that was shown stands, so that what is made meanwhile moves nothing."""
    return base64.urlsafe_b64encode(intent["id"].encode()).decode().rstrip("=")


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL)
