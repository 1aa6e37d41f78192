"""What is measured, as people read it: a table in the terminal, the same in Markdown, and a picture of the shares."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One figure and its bar. `least`: the figure must reach the bar; else it must not exceed it. A bar of None only tells."""

    what: str
    value: float
    bar: float | None
    least: bool
    seen: str
    unit: str = ""

    @property
    def met(self) -> bool | None:
        if self.bar is None:
            return None
        return self.value >= self.bar if self.least else self.value <= self.bar

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        bar = "" if self.bar is None else f"{'≥' if self.least else '≤'} {self.bar:g}{self.unit}"
        return (
            self.what,
            f"{self.value:.3g}{self.unit}",
            bar,
            {True: "met", False: "MISSED", None: ""}[self.met],
            self.seen,
        )


HEAD = ("what", "figure", "bar", "", "as seen here")


def show(rows: Sequence[Row]) -> None:
    """Print the table."""
    table = Table(*HEAD, title="What Placet costs")
    for row in rows:
        table.add_row(*row.cells, style="red" if row.met is False else None)
    Console().print(table)


def write(rows: Sequence[Row], out: Path) -> None:
    """Write `out`.md and `out`.svg."""
    lines = [HEAD, ("---",) * len(HEAD), *(row.cells for row in rows)]
    out.with_suffix(".md").write_text("".join(f"| {' | '.join(line)} |\n" for line in lines))
    out.with_suffix(".svg").write_text(picture([row for row in rows if row.least and row.bar]))


def picture(rows: Sequence[Row]) -> str:
    """Each share as a bar, and where it had to reach as a line."""
    left, wide, high = 260, 420, 26
    marks = []
    for n, row in enumerate(rows):
        y, bar = 14 + n * high, row.bar or 0
        length, goal = min(row.value, 1) * wide, left + min(bar, 1) * wide
        fill = "#2f7d5b" if row.met else "#b3552e"
        marks += [
            f'<text x="{left - 10}" y="{y + 13}" text-anchor="end">{escape(row.what)}</text>',
            f'<rect x="{left}" y="{y}" width="{length:.0f}" height="{high - 8}" fill="{fill}"/>',
            f'<line x1="{goal:.0f}" x2="{goal:.0f}" y1="{y - 3}" y2="{y + high - 5}" stroke="#222" stroke-width="2"/>',
            f'<text x="{left + length + 6:.0f}" y="{y + 13}">{row.value:.2f}</text>',
        ]
    size = f'width="{left + wide + 60}" height="{20 + len(rows) * high}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">{"".join(marks)}</svg>\n'
