"""What is measured, as people read it: a table in the terminal, the same in Markdown, and a picture of the shares."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

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
    def reached(self) -> float | None:
        """How far it came on the way to its bar: 1 is the bar, more is better."""
        if not self.bar:
            return None
        return self.value / self.bar if self.least else self.bar / max(self.value, 1e-9)

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


MARK: Final = "<!-- python -m tests.bench --readme -->"
HEAD = ("what", "figure", "bar", "", "as seen here")


def show(rows: Sequence[Row]) -> None:
    """Print the table."""
    table = Table(*HEAD, title="What Placet costs")
    for row in rows:
        table.add_row(*row.cells, style="red" if row.met is False else None)
    Console().print(table)


def write(rows: Sequence[Row], out: Path) -> None:
    """Write `out`.md and `out`.svg."""
    out.with_suffix(".md").write_text(table(rows))
    out.with_suffix(".svg").write_text(picture([row for row in rows if row.bar]))


def table(rows: Sequence[Row]) -> str:
    """The table in Markdown."""
    lines = [HEAD, ("---",) * len(HEAD), *(row.cells for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def into_readme(rows: Sequence[Row], readme: Path, svg: Path) -> None:
    """Put the table in the place of the one between the marks of the README, and the picture beside it."""
    before, _, after = readme.read_text("utf-8").split(MARK)
    readme.write_text(f"{before}{MARK}\n{table(rows)}{MARK}{after}", "utf-8")
    svg.write_text(picture([row for row in rows if row.bar]))


def picture(rows: Sequence[Row]) -> str:
    """Each figure against its bar, better to the right: the line in the middle is the bar, twice as good is the edge."""
    left, half, high = 360, 200, 22
    marks = []
    for n, row in enumerate(rows):
        y, reached = 14 + n * high, row.reached or 0
        fill = "#2f7d5b" if row.met else "#b3552e"
        marks += [
            f'<text x="{left - 10}" y="{y + 12}" text-anchor="end">{escape(row.what)}</text>',
            f'<rect x="{left}" y="{y}" width="{min(reached, 2) * half:.0f}" height="{high - 7}" fill="{fill}"/>',
            f'<text x="{left + 2 * half + 10}" y="{y + 12}">{escape(row.cells[1])}, {escape(row.cells[2])}</text>',
        ]
    bottom = 16 + len(rows) * high
    marks += [
        f'<line x1="{left + half}" x2="{left + half}" y1="8" y2="{bottom}" stroke="#222" stroke-width="2"/>',
        f'<text x="{left + half}" y="{bottom + 16}" text-anchor="middle">the bar</text>',
        f'<text x="{left + 2 * half}" y="{bottom + 16}" text-anchor="middle">twice as good, or better</text>',
    ]
    size = f'width="{left + 2 * half + 170}" height="{bottom + 26}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">'
    return "\n".join([head, '<rect width="100%" height="100%" fill="#fff"/>', *marks, "</svg>\n"])
