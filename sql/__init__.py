"""The loader of named queries: every statement of Placet lives in a .sql file here, under a name, with a comment saying what "no row" means.

A query starts with `-- name: decide_pause :one`. Kinds: `:one` (a row or none), `:many`, `:exec` (a count of rows) and `:fragment`, a piece
that moves share and that a query, or another piece, takes in with `{its_name}`. Nothing here talks to a database.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Final, Literal, cast

Kind = Literal["one", "many", "exec", "fragment"]

_HEADER: Final = re.compile(r"^-- name: *(?P<name>\S*) *(?P<kind>.*)$", re.MULTILINE)
_TAKEN_IN: Final = re.compile(r"\{(\w+)\}")
_PARAMETER: Final = re.compile(r"%\((\w+)\)s")
_KINDS: Final = {":one", ":many", ":exec", ":fragment"}


@dataclass(frozen=True, slots=True)
class Query:
    """One named statement. `text` takes `%(name)s` parameters; it is trusted, since it comes from this package's files alone."""

    name: str
    kind: Kind
    text: str


def parse(source: str, text: str) -> Iterator[Query]:
    """Read the queries of one file. Raises ValueError for a header without a name or with an unknown kind."""
    headers = list(_HEADER.finditer(text))
    for here, after in zip(headers, [*headers[1:], None], strict=True):
        name, kind = here["name"], here["kind"].strip()
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or kind not in _KINDS:
            raise ValueError(f"{source}: '{here[0]}' must read '-- name: some_name :one', :many, :exec or :fragment")
        body = text[here.end() : after.start() if after else len(text)].strip()
        yield Query(name, cast("Kind", kind[1:]), body)


def load() -> dict[str, Query]:
    """All queries by name, fragments taken in. Raises ValueError for a name given twice or a fragment nobody wrote."""
    found: dict[str, Query] = {}
    for file in sorted(files(__name__).iterdir(), key=lambda f: f.name):
        if file.name.endswith(".sql") and "-- name:" in (text := file.read_text("utf-8")):
            for query in parse(file.name, text):
                if query.name in found:
                    raise ValueError(f"{file.name}: '{query.name}' is already the name of a query")
                found[query.name] = query
    pieces = {q.name: q.text for q in found.values() if q.kind == "fragment"}

    def whole(name: str, text: str) -> str:
        if unknown := set(_TAKEN_IN.findall(text)) - pieces.keys():
            raise ValueError(f"query {name} takes in {', '.join(sorted(unknown))}, which is no fragment")
        return _TAKEN_IN.sub(lambda m: whole(name, pieces[m[1]]), text)

    return {q.name: replace(q, text=whole(q.name, q.text)) for q in found.values() if q.kind != "fragment"}


QUERIES: Final = load()


def _numbered(text: str) -> tuple[bytes, tuple[str, ...]]:
    names = tuple(dict.fromkeys(_PARAMETER.findall(text)))
    return _PARAMETER.sub(lambda m: f"${names.index(m[1]) + 1}", text).replace("%%", "%").encode(), names


NUMBERED: Final = {name: _numbered(query.text) for name, query in QUERIES.items()}
"""Each query as PostgreSQL reads it, with $1, $2 ... for its parameters, and their names in that order: worked out once, not at each call."""


def migrations() -> list[tuple[str, str]]:
    """(file name, text) of every migration, in the order in which they are applied.

    One that was released is never changed: schema.sql is the sum of them all. And each only adds, since processes of the release before go on
    working beside it: no table, column or type that their statements need is taken away or changed, a new column may be NULL or has a
    default, and what is checked anew is what they write already. Constraints, indexes and foreign keys may go. What no release needs any
    more is taken away by the release after the next.
    """
    folder = files(__name__) / "migrations"
    return sorted((f.name, f.read_text("utf-8")) for f in folder.iterdir() if f.name.endswith(".sql"))


def transitions() -> str:
    """The statement that fills the table of legal moves."""
    return (files(__name__) / "transitions.sql").read_text("utf-8")
