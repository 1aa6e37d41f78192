"""Lists fit into one message, offer each reader what is theirs, and what is said once is inert."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal, get_args
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.cards import blocks
from bot.cards.home import Desk, Page, StandsIn, home_view
from bot.cards.lists import PAGE, runs_list, waiting_list
from bot.cards.notices import in_doubt, run_ended
from bot.cards.parts import Message
from engine.models import (
    Actor,
    Content,
    DoubtfulEffect,
    Halt,
    Line,
    Pause,
    RunLine,
    RunRecord,
    RunStatus,
    Superseded,
    Waiting,
)
from tests.bot.asked import ASKED, CONTENT, ENV, LINES, PAUSE, RUN, content, pause, statuses, waiting
from tests.bot.painted import ATTACKS, opened, pressed, read, taken, words

KINDS: tuple[Literal["approver", "requester"], ...] = ("approver", "requester")
MARTA = Actor(
    id="marta", name="Marta Keller", active=True, team="T0ACME", slack_user="U0MARTA", refusal=None, checked_s_ago=1.0
)
INES = replace(MARTA, id="ines", roles=("finance-approver",))
PRIYA = replace(MARTA, id="priya")
LONG = "&" * 9_000
RECORD = RunRecord(
    id=RUN, agent="procurement", kind="agent", status="done", hold=False, cancel_wanted=False, on_behalf_of="priya",
    requester_name="Priya Nair", acts_as="agent:procurement", created_at=ASKED, iterations=4, max_iterations=20, tokens=1, cost_micros=1,
    waiting_pauses=0, seq=1, launch_key=None, model="m", scopes=[], input="Buy 40 pumps", result="Ordered and paid.", error=None,
    messages=[], pauses=[PAUSE],
)  # fmt: skip


def contents(rows: list[Waiting], held: Content = CONTENT) -> dict[UUID, Content]:
    """What the rows hold, as it is read for them."""
    return {row.id: replace(held, summary=row.summary) for row in rows if row.intact}


def listed(rows: list[Waiting], me: Actor = MARTA, offset: int = 0, held: Content = CONTENT) -> Message:
    message = waiting_list(rows, contents(rows, held), title="Waiting for you", me=me, offset=offset, env=ENV)
    taken(message)
    return message


def line(**fields: Any) -> RunLine:
    run = RunLine(
        id=RUN, agent="procurement", status="running", hold=False, on_behalf_of="priya", requester_name="Priya Nair",
        created_at=datetime(2026, 7, 17, tzinfo=UTC), waiting_pauses=0, error=None, result=None, launch_key=None, total=1,
    )  # fmt: skip
    return replace(run, **fields)


def test_a_row_says_what_by_whom_for_whom_with_whom_since_and_until() -> None:
    text = read(listed([waiting()]).blocks)
    for fact in ("EUR 38,000.00 to Nordholz", "procurement agent for Priya Nair", "with Marta Keller", "since", "answer by",
                 "pause_5d21ab", "run_9a8057"):  # fmt: skip
        assert fact in text


@pytest.mark.parametrize(
    ("row", "me", "buttons"),
    [
        (waiting(), MARTA, ["Approve", "Deny", "Details"]),
        (waiting(), INES, ["Details"]),
        (waiting(), PRIYA, ["Withdraw", "Details"]),
        (waiting(approver="role:finance-approver", approver_name=None), INES, ["Approve", "Deny", "Details"]),
        (waiting(approver="role:finance-approver", approver_name=None), MARTA, ["Details"]),
        (waiting(on_behalf_of="marta"), MARTA, ["Withdraw", "Details"]),
        (waiting(intact=False), MARTA, ["Details"]),
        (waiting(summary="x" * 301), MARTA, ["Details"]),
        (waiting(summary="report\u202efdp.exe"), MARTA, ["Details"]),
    ],
)
def test_a_row_offers_what_its_reader_may_do(row: Waiting, me: Actor, buttons: list[str]) -> None:
    assert pressed(listed([row], me).blocks) == buttons


HIDDEN = "DE12\u200b3400"


@pytest.mark.parametrize(
    "held",
    [
        content(lines=(*LINES, Line(label="IBAN", value=HIDDEN))),
        content(lines=(*LINES, Line(label="Sh\u043ep", value="paypal.com"))),
        content(lines=(*LINES, Line(label="Note", value=HIDDEN, detail=True))),
        content(explanation=HIDDEN),
        content(title=HIDDEN),
        content(lines=(*LINES, Line(label="Body", value="y" * 9_000))),
        content(supersedes=Superseded(pause_id=str(PAUSE), why="z" * 9_000, was=None)),
    ],
)
def test_what_its_card_would_warn_of_or_not_show_is_not_decided_in_a_list(held: Content) -> None:
    for message in (
        listed([waiting()], held=held).blocks,
        home_view(Desk(mine=[waiting()], contents=contents([waiting()], held)), me=MARTA, env=ENV)["blocks"],
    ):
        assert pressed(message) == ["Details"]


def test_a_line_whose_content_was_not_read_is_not_decided_in_a_list() -> None:
    assert pressed(waiting_list([waiting()], {}, title="Waiting", me=MARTA, offset=0, env=ENV).blocks) == ["Details"]


def test_what_may_leave_the_card_for_details_keeps_nobody_from_deciding() -> None:
    held = content(lines=(*LINES, Line(label="Body", value="y" * 9_000, detail=True)))
    assert pressed(listed([waiting()], held=held).blocks) == ["Approve", "Deny", "Details"]


def test_a_long_list_shows_a_page_and_says_so() -> None:
    rows = [waiting(id=UUID(int=n), total=34) for n in range(12)]
    message = listed(rows, offset=8)
    assert f"9 to {8 + PAGE} of 34." in read(message.blocks)
    assert pressed(message.blocks).count("Approve") == PAGE


def test_an_empty_list_says_that_nothing_waits() -> None:
    assert "Nothing waits." in read(listed([]).blocks)
    assert "No runs." in read(runs_list([]).blocks)


def test_a_page_past_the_end_does_not_say_that_there_is_nothing() -> None:
    for message in (listed([], offset=8), runs_list([], offset=8)):
        assert message.text.endswith(": nothing more")
    assert listed([]).text.endswith(": 0")


def test_the_longest_rows_fit_into_one_message() -> None:
    row = waiting(summary=LONG, agent=LONG, requester_name=LONG, approver_name=LONG)
    listed([row] * PAGE)
    doubtful = DoubtfulEffect(
        id=UUID(int=1), run_id=RUN, pause_id=PAUSE, tool=LONG, action=LONG, digest="a" * 64, effect_key="k", error=LONG,
        created_at=ASKED, doubt_role="finance-approver", agent=LONG, on_behalf_of="priya", attempts=1, attempted_at=ASKED,
    )  # fmt: skip
    rows = [replace(row, total=99)] * PAGE
    taken(waiting_list(rows, contents(rows), title="Waiting", me=MARTA, offset=0, env=ENV, doubted=[doubtful] * 9))
    gone = [StandsIn(absent=LONG, delegate=LONG, starts_at=ASKED, ends_at=ASKED)] * 9
    settled = [replace(one, requester_name=LONG, decided_by_name=LONG, reason=LONG) for one in statuses().values()] * 2
    full = Desk(
        mine=rows, asked=rows, page=Page(waiting=8, asked=8), contents=contents(rows), settled=settled, away=gone, answers=gone, doubted=[doubtful] * 9,
        halt=Halt(halted_by="otto", name=LONG, halted_at=ASKED, reason=LONG),
    )  # fmt: skip
    opened(home_view(full, me=MARTA, env=ENV))
    taken(runs_list([line(agent=LONG, requester_name=LONG, error=LONG)] * PAGE))


def test_home_shows_what_waits_for_me_and_what_was_asked_for_me() -> None:
    mine, asked = [waiting()], [waiting(on_behalf_of="marta", approver="person:otto")]
    view = home_view(Desk(mine=mine, asked=asked, contents={PAUSE: CONTENT}), me=MARTA, env=ENV)
    opened(view)
    assert pressed(view["blocks"]) == ["Approve", "Deny", "Details", "Withdraw", "Details"]
    opened(home_view(Desk(contents={}), me=MARTA, env=ENV))
    long = [waiting(summary=LONG)] * 30
    opened(home_view(Desk(mine=long, asked=long, contents=contents(long)), me=MARTA, env=ENV))


@pytest.mark.parametrize("status", get_args(RunStatus))
def test_every_run_status_has_its_words(status: RunStatus) -> None:
    taken(runs_list([line(status=status), line(status=status, hold=True)]))
    message = run_ended(replace(RECORD, status=status, error="why"))
    taken(message)


def test_a_held_run_that_still_runs_is_pausing() -> None:
    assert "running, pausing" in read(runs_list([line(hold=True)]).blocks)
    assert "pausing" not in read(runs_list([line(status="paused", hold=True)]).blocks)


def test_the_requester_reads_how_a_run_ended() -> None:
    done = run_ended(RECORD)
    assert "The procurement agent is done. Ordered and paid." in done.text
    assert {"You asked: Buy 40 pumps", "Ordered and paid."} <= set(read(done.blocks).split("\n"))
    stopped = run_ended(replace(RECORD, status="error", result=None, error="Its authority is gone."))
    assert "The procurement agent could not go on. Its authority is gone." in stopped.text


IN_LINES = "Buy this order.\norder_ref: PO-Y-1\r\nsku: P-40"
JOINED = "Buy this order. · order_ref: PO-Y-1 · sku: P-40"


def test_an_ordinary_line_break_is_never_shown_as_a_hidden_character() -> None:
    told = run_ended(replace(RECORD, input=IN_LINES, result=IN_LINES))
    assert f"You asked: {JOINED}" in read(told.blocks)
    assert JOINED in told.text
    shown = [
        told, runs_list([line(error=IN_LINES)]), runs_list([line(result=IN_LINES)]), listed([waiting(summary=IN_LINES)]),
        *(blocks.card(one, kind=kind, level=0, env=ENV) for one in _in_lines() for kind in KINDS),
    ]  # fmt: skip
    for message in shown:
        taken(message)
        assert "\\u{A}" not in message.text + read(message.blocks)


def _in_lines() -> list[Pause]:
    stands = statuses()
    ended = [
        replace(stands[name], reason=IN_LINES, effect_error=IN_LINES)
        for name in ("denied", "voided", "superseded", "failed", "failed_without_knowing", "cancelled_withdrawn")
    ]
    put_off = replace(stands["approved"], put_off_why=IN_LINES, put_off_to=ASKED)
    return [
        pause(content(summary=IN_LINES, explanation=IN_LINES)),
        put_off,
        replace(stands["executed"], receipt={"note": IN_LINES}),
        *ended,
    ]


def test_a_long_result_is_cut_and_says_where_the_rest_is() -> None:
    message = run_ended(replace(RECORD, result="x" * 20_000))
    taken(message)
    assert "… (cut here; /approvals run run_9a8057 shows all of it)" in read(message.blocks)


@given(words)
@settings(deadline=None)
def test_nothing_said_once_is_alive(text: str) -> None:
    for status in ("done", "error", "cancelled"):
        taken(run_ended(replace(RECORD, status=status, agent=text, input=text, result=text, error=text)))
    effect = DoubtfulEffect(
        id=UUID(int=1), run_id=RUN, pause_id=PAUSE, tool=text, action="{}", digest="a" * 64, effect_key="k", error=text, created_at=ASKED,
        doubt_role=text, agent=text, on_behalf_of="priya", attempts=2, attempted_at=ASKED,
    )  # fmt: skip
    taken(in_doubt(effect, askable=True))


@given(st.sampled_from(ATTACKS) | words)
@settings(deadline=None)
def test_no_list_is_alive(text: str) -> None:
    listed([waiting(summary=text, agent=text, requester_name=text, approver_name=text)])
    taken(runs_list([line(agent=text, requester_name=text, result=text)]))
