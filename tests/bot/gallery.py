"""Everything that people are shown, one of each kind: what is kept as JSON to be reviewed, and what pictures are taken of."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final, get_args
from uuid import UUID

from bot.cards import blocks, doubts, home, lists, modals, notices, parts, phrases
from bot.cards.blocks import Kind
from bot.cards.parts import Message
from engine.models import (
    Confirmation,
    DoubtfulEffect,
    Halt,
    Line,
    NotYours,
    Passage,
    Pause,
    RunLine,
    RunStatus,
    StandIn,
)
from engine.rules import secrecy
from engine.rules.calendar import Calendar
from tests.bot.asked import (
    ASKED,
    CONTENT,
    DECIDED,
    DUE,
    ENV,
    LINES,
    NEED,
    PAUSE,
    RUN,
    by_marta,
    content,
    pause,
    standing,
    statuses,
    waiting,
)
from tests.bot.test_inert import doubt
from tests.bot.test_lists import MARTA, PRIYA, RECORD

Json = dict[str, Any]

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
HALT = Halt(halted_by="otto", name="Otto Brandt", halted_at=ASKED, reason="Odd payments since noon.")
DAILY = Calendar(zone="UTC", days=tuple(range(7)), opens=0, closes=1440)
TOKEN = "a token of which nobody knows"
PAID = LINES[0], Line(label="Amount", value="EUR 38,000.00")


def _asked() -> Iterator[tuple[str, Pause]]:
    """Requests that are special in what they say, beside one for every way to stand."""
    token = Line(label="Access token", value=secrecy.mark(TOKEN))
    yield (
        "waiting_with_secret",
        pause(
            content(
                lines=(*LINES, token),
                arguments={**CONTENT.arguments, "access_token": TOKEN},
                secrets=("access_token",),
            )
        ),
    )
    yield "waiting_typed", pause(content(confirm=Confirmation(of="payment_method", typed="4417")))
    digest = replace(NEED, digest_at=510, calendar=DAILY, in_business_hours=True, on_expiry="deny", steps=())
    yield "waiting_in_digest", pause(content(need=digest, shown_at=DUE))
    yield "waiting_stood_in", pause(stand_ins=(StandIn(id="otto", name="Otto Brandt"),))
    strange = (
        *LINES,
        Line(label="IBAN", value="DE12\u200b3400"),
        Line(label="Shop", value="p\u0430ypal.com"),
        Line(label="شركة", value="شركة النور"),
    )
    yield "waiting_strange", pause(content(lines=strange))
    yield "waiting_too_long", pause(content(lines=(*LINES, Line(label="Body", value="y" * 9_000))))
    yield (
        "waiting_long_lines",
        pause(
            content(
                lines=(
                    *LINES,
                    Line(label="Note", value="first\nsecond"),
                    Line(label="Link", value="https://a.example/" + "x" * 300),
                )
            )
        ),
    )
    yes = by_marta()
    yield (
        "approved_put_off",
        pause(status="approved", **yes, put_off_why="The identity server is away.", put_off_to=DUE),
    )
    yield "expired_unseen", pause(status="expired", decided_at=DUE, run_status="running", unseen=True)


def _cards() -> Iterator[tuple[str, Message]]:
    for name, asked in [*statuses().items(), *_asked()]:
        for kind in KINDS:
            yield f"{name}.{kind}", blocks.card(asked, kind=kind, level=0, env=ENV)
    yield "waiting_escalated.next", blocks.card(statuses()["waiting_escalated"], kind="approver", level=1, env=ENV)


def _doubts() -> Iterator[tuple[str, Message]]:
    read = {"lines": PAID}
    yield "doubt.asked", doubts.card(doubt(**read), env=ENV)
    yield "doubt.happened", doubts.card(doubt(**read, status="done", receipt={"reference": "pi_3P0"}), env=ENV)
    yield "doubt.retry", doubts.card(doubt(**read, status="attempted", said="retry"), env=ENV)
    yield "doubt.stopped", doubts.card(doubt(**read, status="abandoned", said="abandon"), env=ENV)
    yield "doubt.late_answer", doubts.card(doubt(**read, status="done", said="succeed", said_in="worker"), env=ENV)


def _doubtful() -> DoubtfulEffect:
    return DoubtfulEffect(
        id=UUID(int=0x5D21AB), run_id=RUN, pause_id=PAUSE, tool="charge_supplier", action="{}", digest="a" * 64, effect_key="k", error="no answer",
        created_at=ASKED, doubt_role="finance-approver", agent="procurement", on_behalf_of="priya", attempts=1, attempted_at=ASKED, lines=PAID,
    )  # fmt: skip


def _said() -> Iterator[tuple[str, Message]]:
    ends: dict[RunStatus, str | None] = {
        "done": None,
        "cancelled": "Not needed any more.",
        "error": "Its authority is gone.",
    }
    for status, error in ends.items():
        yield f"notice.run_{status}", notices.run_ended(replace(RECORD, status=status, error=error))
    reminder = notices.reminder(pause(), level=0, env=ENV, dest="person:marta")
    assert reminder is not None
    yield "notice.reminder", reminder
    yield "notice.in_doubt", notices.in_doubt(_doubtful(), askable=True)
    yield "notice.in_doubt_nobody", notices.in_doubt(_doubtful(), askable=False)
    yield (
        "private.not_yours",
        parts.answer(
            phrases.said(
                NotYours(standing(), "not_yours"), lambda person: {"marta": "Marta Keller"}.get(person, person)
            )
        ),
    )


def _lists() -> Iterator[tuple[str, Message]]:
    rows = [waiting(id=UUID(int=n + 1), total=11) for n in range(3)]
    held = {row.id: CONTENT for row in rows}
    yield (
        "list.waiting",
        lists.waiting_list(
            rows, held, title="Waiting for you", me=MARTA, offset=0, env=ENV, doubted=[_doubtful()], halt=HALT
        ),
    )
    yield "list.asked", lists.waiting_list(rows[:1], held, title="Asked for you", me=PRIYA, offset=0, env=ENV)
    yield "list.empty", lists.waiting_list([], {}, title="Waiting for you", me=MARTA, offset=0, env=ENV)
    run = RunLine(
        id=RUN, agent="procurement", status="running", hold=True, on_behalf_of="priya", requester_name="Priya Nair", created_at=ASKED, waiting_pauses=0,
        error=None, result=None, launch_key=None, total=2, input="Buy 40 pumps",
    )  # fmt: skip
    yield (
        "list.runs",
        lists.runs_list([run, replace(run, status="done", hold=False, result="Ordered and paid.")], last={}),
    )


def _views() -> Iterator[tuple[str, Json]]:
    gone = home.StandsIn(
        absent="Otto Brandt", delegate="Marta Keller", starts_at=ASKED, ends_at=ASKED + timedelta(days=9)
    )
    stands = statuses()
    full = home.Desk(
        mine=[waiting(id=UUID(int=n + 1), total=11) for n in range(3)], asked=[waiting(on_behalf_of="marta", approver="person:otto", approver_name="Otto Brandt")],
        contents={UUID(int=n + 1): CONTENT for n in range(3)}, settled=[stands["executed"], stands["denied"], replace(stands["expired"], on_behalf_of="marta"), stands["voided"], stands["failed"]],
        away=[replace(gone, absent="Marta Keller", delegate="Ines Alonso")], answers=[gone], doubted=[_doubtful()], halt=HALT,
    )  # fmt: skip
    yield "home.full", home.home_view(full, me=MARTA, env=ENV)
    yield "home.empty", home.home_view(home.Desk(contents={}), me=MARTA, env=ENV)
    passages = [
        Passage(at=at, entity="pause", event=event, refused=False, actor=actor, name=name, surface=surface, detail=None)
        for at, event, actor, name, surface in (
            (ASKED, "open", "agent:procurement", None, "worker"), (DECIDED, "approve", "marta", "Marta Keller", "slack:card"),
        )
    ]  # fmt: skip
    yield "details.waiting", modals.details_view(pause(), ENV, passages=passages[:1])
    yield "details.executed", modals.details_view(stands["executed"], ENV, passages=passages)
    yield "details.altered", modals.details_view(pause(None), ENV)
    yield "details.secret", modals.details_view(dict(_asked())["waiting_with_secret"], ENV)
    yield "details.too_long", modals.details_view(pause(content(summary="y " * 130_000)), ENV)
    yield "details.doubt", doubts.details_view(doubt(lines=PAID), ENV, may_say=True)
    yield "form.deny", modals.deny_view(pause(), ENV)
    yield "form.confirm", modals.confirm_view(dict(_asked())["waiting_typed"], ENV)
    yield "form.ask", modals.ask_view(pause(), ENV)
    yield "form.reply", modals.reply_view(stands["waiting_asked_back"], stands["waiting_asked_back"].inquiries[0], ENV)
    yield "details.question", modals.details_view(stands["waiting_question_with_choices"], ENV, passages=passages[:1])
    yield "form.answer", modals.answer_view(stands["waiting_question"], ENV)
    yield "form.answer.choices", modals.answer_view(stands["waiting_question_with_many"], ENV)
    yield "form.happened", doubts.reference_view(doubt(lines=PAID), ENV)


def gallery() -> Mapping[str, Json]:
    """All of it by name: messages as they are posted, and views."""
    made: list[Callable[[], Iterator[tuple[str, Message]]]] = [_cards, _doubts, _said, _lists]
    return {**{name: message.payload() for of in made for name, message in of()}, **dict(_views())}
