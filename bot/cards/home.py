"""The Home tab of one person: what waits for them, what was asked for them, what was settled lately, and who answers for whom.

The one rule: it fits into one view however much there is; what is longer than a page has buttons for the next one, and says how long it is.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, Self

from bot.cards import ids, parts
from bot.cards.blocks import ALTERED, button_of
from bot.cards.lists import PAGE, Contents, doubted_rows, halt_line, page_line, waiting_row
from bot.cards.outcomes import told
from bot.cards.parts import Block, Moment, cut, flat, small
from bot.cards.phrases import person
from bot.cards.seen import one_line
from engine.models import Actor, DoubtfulEffect, Halt, Pause, Waiting

SETTLED: Final = 10
"""How many settled requests are shown."""

SETTLED_DAYS: Final = 7
"""For how long."""

ABSENCES: Final = 4
"""How many absences of one's own are shown, and how many in which one answers for others."""

_SUMMARY: Final = 150
_PAGE: Final = re.compile(r"(\d{1,6})\.(\d{1,6})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """From which row on the two lists of what waits are shown."""

    waiting: int = 0
    asked: int = 0

    def value(self) -> str:
        """As a button carries it."""
        return f"{self.waiting}.{self.asked}"

    @classmethod
    def read(cls, value: str) -> Self:
        """What `value` wrote; the first page for anything else."""
        found = _PAGE.fullmatch(value)
        return cls(waiting=int(found[1]), asked=int(found[2])) if found else cls()


@dataclass(frozen=True, slots=True, kw_only=True)
class StandsIn:
    """An absence, with the names of who is away and of who answers meanwhile."""

    absent: str
    delegate: str
    starts_at: datetime
    ends_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What a person's Home tab is made of. `mine` and `asked` begin at `page`; `away` are their own absences, `answers` those of others, soonest first."""

    mine: Sequence[Waiting] = ()
    asked: Sequence[Waiting] = ()
    page: Page = Page()
    contents: Contents
    settled: Sequence[Pause] = ()
    away: Sequence[StandsIn] = ()
    answers: Sequence[StandsIn] = ()
    doubted: Sequence[DoubtfulEffect] = ()
    halt: Halt | None = None


def home_view(desk: Desk, *, me: Actor, env: str) -> dict[str, Any]:
    """The Home tab as `me` sees it; first of all, what stops every action, and what `me` may say of what is in doubt."""
    page = desk.page
    made = flat(
        (
            halt_line(desk.halt),
            [parts.header("Waiting for you")],
            doubted_rows(desk.doubted, env),
            _rows(desk.mine, page.waiting, "Nothing waits for you.", desk.contents, me, env),
            _turn(desk.mine, page.waiting, lambda at: replace(page, waiting=at)),
            _part("Asked for you"),
            _rows(desk.asked, page.asked, "Nothing that was asked for you waits.", desk.contents, me, env),
            _turn(desk.asked, page.asked, lambda at: replace(page, asked=at)),
            _part("Settled lately"),
            flat(_settled_row(pause, me, env) for pause in desk.settled[:SETTLED])
            or small(f"Nothing of yours was settled in the last {SETTLED_DAYS} days."),
            _part("Who answers for whom"),
            _away(desk.away),
            _answers(desk.answers),
        )
    )
    return {"type": "home", "blocks": made}


def _part(title: str) -> list[Block]:
    return [{"type": "divider"}, parts.header(title)]


def _rows(rows: Sequence[Waiting], offset: int, none: str, contents: Contents, me: Actor, env: str) -> list[Block]:  # noqa: PLR0917
    shown = rows[:PAGE]
    return [
        *page_line(shown, rows[0].total if rows else 0, offset, none),
        *flat(waiting_row(row, contents.get(row.id), me, env) for row in shown),
    ]


def _turn(rows: Sequence[Waiting], offset: int, to: Callable[[int], Page]) -> list[Block]:
    """The buttons to what is before and after a page; nothing where it is all there is."""
    total = rows[0].total if rows else 0
    before = [parts.button("Page before", ids.ACTION_BEFORE, to(max(0, offset - PAGE)).value())] if offset else []
    after = [parts.button("Next page", ids.ACTION_MORE, to(offset + PAGE).value())] if offset + PAGE < total else []
    return parts.buttons(*before, *after)


def _settled_row(pause: Pause, me: Actor, env: str) -> list[Block]:
    """What it was, whose, what became of it, who decided and when; all of it is in Details."""
    now = told(pause)
    what = cut(one_line(pause.content.summary), _SUMMARY, "…") if pause.content else ALTERED
    whose = "Asked for you" if pause.on_behalf_of == me.id else "You answered"
    said = parts.plain(f"{now.head}: {what}")
    row = {"type": "section", "text": said, "accessory": parts.details(ids.encode(button_of(pause, env)))}
    return [row, *small(f"{whose} · {cut(now.text, 300)}", *now.at, ids.screen_id("pause", pause.id))]


def _away(away: Sequence[StandsIn]) -> list[Block]:
    """Who answers for oneself, the soonest first, with a way to end that; or how to have somebody do so."""
    if not away:
        return small("Nobody answers for you. To be away, with somebody to answer meanwhile: /approvals away NAME 5d")
    lines = flat(
        small(
            f"{person(one.delegate)} answers for you", Moment("from {}", one.starts_at), Moment("to {}.", one.ends_at)
        )
        for one in away[:ABSENCES]
    )
    first = parts.button("End the first" if len(away) > 1 else "End it", ids.ACTION_BACK, away[0].starts_at.isoformat())
    return [*lines, *_more(away), *parts.buttons(first)]


def _answers(answers: Sequence[StandsIn]) -> list[Block]:
    """For whom oneself answers; only they, or an operator, can end that."""
    lines = flat(
        small(
            f"You answer for {person(one.absent)}", Moment("from {}", one.starts_at), Moment("to {}.", one.ends_at),
            f"{person(one.absent)} or an operator can end it.",
        )
        for one in answers[:ABSENCES]
    )  # fmt: skip
    return [*lines, *_more(answers)] if answers else small("You answer for nobody else.")


def _more(absences: Sequence[StandsIn]) -> list[Block]:
    left = len(absences) - ABSENCES
    return small(f"and {left} more, later.") if left > 0 else []
