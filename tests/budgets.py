"""How many minutes each part of the tests may take, and how many it took: said at the end of every run, judged by people.

A minute is one of the test itself, whatever else the machine did: with two workers, two pass at once, so that 40 of them and what is
installed before them are the twenty minutes that all of it may take on two cores. Nothing fails here, because a slow machine is no fault; but
what is over its budget stands out.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

BUDGETS: Final[Mapping[str, float]] = {
    "boundaries": 9, "demo": 4.5, "bot": 4.5, "chaos": 3.5, "engine": 3.5, "sandbox": 2.5, "pooler": 2.2, "interleavings": 2, "matrix": 2, "model": 1.2, "oauth": 1.2,
    "unkind": 1.2,     "cases": 1, "stateful": 1, "releases": 0.5, "examples": 0.4, "sql": 0.2,
}  # fmt: skip
"""Minutes, by the folder below tests/."""


def taken(reports: Iterable[Any]) -> tuple[Counter[str], Counter[str]]:
    """(minutes, number of tests) by part, from pytest's reports; what lies in no folder is `the rest`."""
    minutes: Counter[str] = Counter()
    tests: Counter[str] = Counter()
    for report in reports:
        folder = report.nodeid.partition("::")[0].split("/")[1:-1]
        part = folder[0] if folder else "the rest"
        minutes[part] += report.duration / 60
        tests[part] += report.when == "call"
    return minutes, tests


def lines(reports: Iterable[Any]) -> list[str]:
    """The table: part, tests, minutes, budget."""
    minutes, tests = taken(reports)
    table = [f"{'part':<14}{'tests':>7}{'minutes':>9}{'budget':>8}"]
    for part, spent in minutes.most_common():
        budget = BUDGETS.get(part)
        allowed = "" if budget is None else f"{budget:8g}"
        over = "  OVER ITS BUDGET" if budget is not None and spent > budget else ""
        table.append(f"{part:<14}{tests[part]:>7}{spent:>9.1f}{allowed}{over}")
    return [*table, f"{'all':<14}{tests.total():>7}{minutes.total():>9.1f}{sum(BUDGETS.values()):8g}"]
