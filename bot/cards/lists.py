"""Lists in Slack: what waits, and the runs, as an answer to a command and on the Home tab.

The one rule: a row offers only what its reader may do, and no decision where it cannot show the summary whole, where the card itself
would offer none, or where the card has a warning.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

from bot.cards import blocks, doubts, ids, parts, questions
from bot.cards.asked import is_asked, is_barred
from bot.cards.halts import stopped
from bot.cards.ids import screen_id
from bot.cards.parts import Block, Message, Moment, cut, flat, paragraph, small
from bot.cards.phrases import approver_name, person
from bot.cards.seen import one_line
from engine.models import Actor, Content, DoubtfulEffect, Halt, RunLine, Waiting
from engine.rules.digest import short

PAGE = 8
"""How many rows a list shows at once: as many as surely fit into one message."""

DOUBTS = 2
"""How many doubts a list shows above that."""

Contents = Mapping[UUID, Content]
"""What the requests of a list hold, by their ids; one that is missing is offered no decision."""

_SUMMARY = 300
_TASK = 150
_RUN_WORDS = {
    "queued": "about to go on",
    "running": "running",
    "awaiting_approval": "waiting for a decision",
    "awaiting_child": "waiting for a run it started",
    "paused": "paused by an operator",
    "in_doubt": "in doubt: a person must look",
    "done": "done",
    "error": "ended with an error",
    "cancelled": "withdrawn",
}


def waiting_list(
    rows: Sequence[Waiting],
    contents: Contents,
    *,
    title: str,
    me: Actor,
    offset: int,
    env: str,
    doubted: Sequence[DoubtfulEffect] = (),
    halt: Halt | None = None,
) -> Message:
    """What waits, soonest answer first, with buttons as far as `me` may press them. Shows the first PAGE rows.

    `doubted` is what nobody can tell whether it happened: before what waits, on the first page. `halt` stops every action: first of all.
    """
    shown = rows[:PAGE]
    total = rows[0].total if rows else 0
    made = [
        *halt_line(halt),
        parts.header(title),
        *(doubted_rows(doubted, env) if offset == 0 else []),
        *page_line(shown, total, offset, "Nothing waits."),
        *flat(waiting_row(row, contents.get(row.id), me, env) for row in shown),
    ]
    lines = [f"{screen_id('pause', row.id)}: {cut(one_line(row.summary), 100)}" for row in shown]
    counted = f"{title}: {total if shown or offset == 0 else 'nothing more'}"
    return Message(text=parts.escape("\n".join([counted, *lines])), blocks=made)


def runs_list(
    rows: Sequence[RunLine],
    *,
    title: str = "Runs",
    offset: int = 0,
    halt: Halt | None = None,
    last: Contents | None = None,
) -> Message:
    """Runs, newest first, with where each stands; first, what stops every action. Shows the first PAGE rows.

    `last` is what each asked last, by the run's id; of one that never asked, the beginning of its task is shown.
    """
    shown = rows[:PAGE]
    total = rows[0].total if rows else 0
    made = [
        *halt_line(halt),
        parts.header(title),
        *page_line(shown, total, offset, "No runs."),
        *flat(_run_row(row, (last or {}).get(row.id)) for row in shown),
    ]
    lines = [f"{screen_id('run', row.id)}: {run_stands(row)}" for row in shown]
    counted = f"{title}: {total if shown or offset == 0 else 'nothing more'}"
    return Message(text=parts.escape("\n".join([counted, *lines])), blocks=made)


def doubted_rows(doubted: Sequence[DoubtfulEffect], env: str) -> list[Block]:
    """The first few actions in doubt, and how many more there are."""
    shown = doubted[:DOUBTS]
    more = (
        f"{len(doubted) - DOUBTS} more are in doubt; they come up here as these are answered. placet doubt lists all."
    )
    return [*(doubts.row(one, env) for one in shown), *(small(more) if len(doubted) > DOUBTS else [])]


def waiting_row(row: Waiting, content: Content | None, me: Actor, env: str) -> list[Block]:
    """One request: what, by whom, for whom, with whom, since when and until when, and what `me` can do about it."""
    who = approver_name(row.approver, row.approver_name)
    asked = f"{person(row.agent)} agent for {person(row.requester_name or row.on_behalf_of)} · with {who}"
    numbers = f"{screen_id('pause', row.id)} · {short(row.digest)} · {screen_id('run', row.run_id)}"
    button = ids.Button(env=env, about=row.id, shown=row.digest[: ids.SHOWN])
    value = ids.encode(button)
    offered: list[Block] = []
    may_decide = is_asked(row.approver, row.stand_ins, me) and not is_barred(row, me)
    if content is not None and may_decide and _at_a_glance(row, content):
        offered = questions.offered(content, button)
    if row.on_behalf_of == me.id:
        offered = [*offered, parts.button("Withdraw", ids.ACTION_WITHDRAW, value)]
    text = (
        cut(one_line(row.summary), _SUMMARY, "… (all of it in Details)") if row.intact else "This request was altered."
    )
    when = (Moment("since {},", row.created_at), Moment("answer by {}", row.fire_at))
    return [*paragraph(text), *small(asked, *when, numbers), *parts.buttons(*offered, parts.details(value))]


def run_stands(run: RunLine) -> str:
    """Where a run stands, in words; a held one that still runs is pausing."""
    if run.hold and run.status not in {"paused", "done", "error", "cancelled"}:
        return f"{_RUN_WORDS[run.status]}, pausing"
    return _RUN_WORDS[run.status]


def _at_a_glance(row: Waiting, content: Content) -> bool:
    """Whether a decision may be made on the row: it shows the summary whole, and nothing else of the request asks for a closer look."""
    return row.intact and parts.size(one_line(row.summary)) <= _SUMMARY and blocks.is_plain(row, content)


def _run_row(run: RunLine, last: Content | None) -> list[Block]:
    stands = f"{screen_id('run', run.id)}: {run_stands(run)}"
    what = run.error or run.result
    about = one_line(last.summary if last else run.input)
    task = f"\n{cut(about, _TASK)}" if about else ""
    ended = f"\n{cut(one_line(what), _SUMMARY)}" if what else ""
    asked = f"{person(run.agent)} agent for {person(run.requester_name or run.on_behalf_of)}"
    return [*paragraph(stands + task + ended), *small(asked, Moment("since {}", run.created_at))]


def halt_line(halt: Halt | None) -> list[Block]:
    """What stops every action; nothing if nothing does."""
    return parts.strong(stopped(halt)) if halt else []


def page_line(shown: Sequence[object], total: int, offset: int, none: str) -> list[Block]:
    """Which part of a list is shown, where it is not the whole."""
    if not shown:
        return small(none if offset == 0 else "Nothing more.")
    if len(shown) == total:
        return []
    return small(f"{offset + 1} to {offset + len(shown)} of {total}.")
