"""Finds the guards in the text of the named queries and of the schema, and takes one away. Pure.

A guard is found by its form, so that one that is added is found too: a reason to refuse (`WHEN ... THEN 'settled'` in the CTE `v`, or in a
fragment that it takes in), a lock, SKIP LOCKED, a condition on a status, an epoch, an hour or a count, and a unique index.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

_NAMED: Final = re.compile(r"^-- name: (\w+) :(\w+)$", re.MULTILINE)
_CTE: Final = re.compile(r"(?:WITH|,) (\w+) AS (?:MATERIALIZED )?\(")
_LOCK: Final = re.compile(r"\s+FOR UPDATE(?: OF [\w, ]+)?(?: SKIP LOCKED)?")
_SKIP: Final = re.compile(r" SKIP LOCKED")
_REASON: Final = re.compile(r"WHEN\b((?:(?!\bWHEN\b|\bCASE\b|\bTHEN\b).)*)\bTHEN '(\w+)'", re.DOTALL)
_CONDITION: Final = re.compile(
    r"(?:(?<=WHERE )|AND )((?:\w+\.)?(?:status|epoch|fire_at|lease_until|open_effects|votes_left|state|painter_until|level|step)"
    r" (?:=|<>|<=|>=|<|>) (?:ANY\('[^']*'\)|ALL\('[^']*'\)|'[^']*'|%\(\w+\)s|[\w.]+\([^()]*\)|[\w.]+))"
)
_UNIQUE: Final = re.compile(r"CREATE UNIQUE INDEX (\w+) .*?;", re.DOTALL)


@dataclass(frozen=True, slots=True, order=True)
class Guard:
    """`start` and `end` say where in its file it stands, `put` what stands there once it is gone."""

    file: str
    query: str
    kind: str
    text: str
    start: int
    end: int
    put: str

    @property
    def name(self) -> str:
        """How it is called in the list of survivors."""
        return f"{self.query}: {self.kind}: {self.text}"

    def taken_from(self, body: str) -> str:
        """The file without it."""
        return body[: self.start] + self.put + body[self.end :]


def guards(files: Mapping[str, str]) -> list[Guard]:
    """Every guard of the files (name below sql/ to text), in order. Two alike in one query are told apart by a number."""
    found = sorted(
        (guard for file, body in files.items() for guard in _of_file(file, body)),
        key=lambda g: (g.file, g.start, g.end),
    )
    seen: dict[str, int] = {}
    numbered = []
    for guard in found:
        seen[guard.name] = seen.get(guard.name, 0) + 1
        times = seen[guard.name]
        text = guard.text if times == 1 else f"{guard.text} ({times})"
        numbered.append(Guard(guard.file, guard.query, guard.kind, text, guard.start, guard.end, guard.put))
    return numbered


def _of_file(file: str, body: str) -> Iterator[Guard]:
    if file.startswith("migrations/"):
        for index in _UNIQUE.finditer(body):
            put = index[0].replace("CREATE UNIQUE INDEX", "CREATE INDEX")
            yield Guard(file, "schema", "unique index", index[1], index.start(), index.end(), put)
        return
    marks = [*_NAMED.finditer(body)]
    for mark, after in zip(marks, [*marks[1:], None], strict=False):
        end = after.start() if after else len(body)
        yield from _of_query(
            file, mark[1], body, mark.end(), end, outside="v" if mark[2] == "fragment" else "the query"
        )


def _of_query(file: str, query: str, body: str, begin: int, end: int, *, outside: str) -> Iterator[Guard]:
    names = [(cte.start(), cte[1]) for cte in _CTE.finditer(body, begin, end)]

    def inside(at: int) -> str:
        return next((name for start, name in reversed(names) if start < at), outside)

    for lock in _LOCK.finditer(body, begin, end):
        kind = "run-first lock" if inside(lock.start()) in {"r", "held"} else "lock"
        yield Guard(file, query, kind, inside(lock.start()), lock.start(), lock.end(), "")
    for skip in _SKIP.finditer(body, begin, end):
        yield Guard(file, query, "SKIP LOCKED", inside(skip.start()), skip.start(), skip.end(), "")
    for reason in _REASON.finditer(body, begin, end):
        if inside(reason.start()) == "v":
            for start, stop in _alternatives(body, reason.start(1), reason.end(1)):
                text = " ".join(body[start:stop].split())
                yield Guard(file, query, f"refuses as {reason[2]}", text, start, stop, " false ")
    for condition in _CONDITION.finditer(body, begin, end):
        if not body.rfind("--", body.rfind("\n", 0, condition.start()), condition.start()) > 0:
            yield Guard(
                file,
                query,
                f"condition of {inside(condition.start())}",
                condition[1],
                condition.start(1),
                condition.end(1),
                "true",
            )


def _alternatives(body: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where each part of a condition stands that an OR outside all brackets parts from the next."""
    depth, begun = 0, start
    for at in range(start, end):
        depth += {"(": 1, ")": -1}.get(body[at], 0)
        if depth == 0 and re.match(r"\bOR\b", body[at:end]) and not body[at - 1].isalnum():
            yield begun, at
            begun = at + 2
    yield begun, end
