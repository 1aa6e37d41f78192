"""Nothing of anybody's is ever read as formatting: not a name, a role, an error or an argument, in no card, notice, list or form."""

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args
from uuid import UUID

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bot
from bot.cards import doubts, home, lists, modals, notices
from bot.cards.blocks import Kind, card
from engine.models import Actor, Doubt, DoubtfulEffect, EffectStatus, Line, StandIn
from engine.rules.calendar import Calendar
from tests.bot.asked import ASKED, DECIDED, DUE, ENV, NEED, PAUSE, RUN, by_marta, content, pause, waiting
from tests.bot.painted import ATTACKS, opened, read, taken, words

KINDS: tuple[Kind, ...] = ("approver", "requester")
OURS = Path(bot.__file__).parent
DAILY = Calendar(zone="UTC", days=tuple(range(7)), opens=0, closes=1440)
HOSTILE = [*ATTACKS, "<!channel> *Marta*", "Marta {MK}", "{} {}", "{0.__class__}"]


def sources() -> Iterator[tuple[Path, ast.Module]]:
    """Our modules, without the sandbox, which plays Slack."""
    for path in sorted(OURS.rglob("*.py")):
        if "sandbox" not in path.relative_to(OURS).parts:
            yield path, ast.parse(path.read_text("utf-8"))


def literals(said: ast.expr) -> list[Any]:
    """What an expression may be, where that is written there; None for what is made of anything else."""
    match said:
        case ast.Constant(value=value):
            return [value]
        case ast.IfExp(body=body, orelse=orelse):
            return [*literals(body), *literals(orelse)]
    return [None]


def moments() -> list[tuple[str, ast.expr]]:
    """Every place where a moment is made, with its words."""
    return [
        (f"{path.name}:{call.lineno}", call.args[0])
        for path, tree in sources()
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and (call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")) == "Moment"
    ]


def test_the_words_of_a_moment_are_written_by_us_where_it_is_made() -> None:
    assert len(moments()) > 10
    for where, said in moments():
        for text in literals(said):
            assert isinstance(text, str), f"{where}: a moment's words are a literal; what is anybody's stands beside it"
            assert text.count("{}") == 1, where
            assert not set(text.replace("{}", "")) & set("<>&*_~`{}@#:"), where


def test_nobody_else_makes_mrkdwn() -> None:
    made = {
        path.name
        for path, tree in sources()
        if path.name not in {"shapes.py", "block_kit.py", "limits.py"}  # which check it
        for part in ast.walk(tree)
        if isinstance(part, ast.Constant) and part.value == "mrkdwn"
    }
    assert made == {"parts.py"}


def asked_of(name: str, kind: str) -> dict[str, Any]:
    """A request with this name in every place that is a person's or a role's, shown to its approver in a digest."""
    return {"approver": f"{kind}:{name}", "approver_name": name if kind == "person" else None, "requester_name": name}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("kind", ["person", "role"])
def test_a_request_that_waits_for_a_digest_names_whoever_sees_it(name: str, kind: str) -> None:
    need = replace(NEED, digest_at=510, calendar=DAILY, in_business_hours=True)
    message = card(pause(content(need=need, shown_at=DUE), **asked_of(name, kind)), kind="requester", level=0, env=ENV)
    taken(message)
    assert "it in the digest of" in read(message.blocks)


@given(name=st.sampled_from(HOSTILE) | words, kind=st.sampled_from(["person", "role"]), data=st.data())
@example(name="<!channel> *Marta*", kind="person", data=None)
@settings(max_examples=80, deadline=None)
def test_any_name_anywhere_is_only_a_name(name: str, kind: str, data: Any) -> None:
    need = replace(NEED, digest_at=510, calendar=DAILY, in_business_hours=True, doubt_role=name, approvers=2)
    status = data.draw(st.sampled_from(["waiting", "approved", "denied", "cancelled"])) if data else "waiting"
    voted = by_marta("deny", name)["votes"]
    fields = {} if status == "waiting" else by_marta("deny", name) | {"decided_by_name": name}
    shown = pause(
        content(need=need, agent=name, shown_at=DUE), status=status, agent=name, **asked_of(name, kind), stand_ins=(StandIn(id="otto", name=name),),
        halted_by_name=name, put_off_why=name, put_off_to=DUE,
        **fields | {"votes": tuple(replace(vote, name=name, surface=name) for vote in voted)},
    )  # fmt: skip
    for of in KINDS:
        taken(card(shown, kind=of, level=0, env=ENV))
    if reminder := notices.reminder(shown, level=0, dest="person:marta", env=ENV):
        taken(reminder)
    for view in (modals.details_view(shown, ENV), modals.deny_view(shown, ENV)):
        opened(view)
    row = waiting(**asked_of(name, kind), agent=name)
    me = Actor(id="marta", name=name, active=True, team="T0ACME", slack_user="U0MARTA", refusal=None, checked_s_ago=1.0)
    taken(lists.waiting_list([row], {PAUSE: content(need=need)}, title="Waiting", me=me, offset=0, env=ENV))
    shown_home = home.Desk(mine=[row], asked=[row], contents={PAUSE: content(need=need)}, settled=[shown])
    opened(home.home_view(shown_home, me=me, env=ENV))


@given(name=st.sampled_from(HOSTILE) | words)
@settings(max_examples=60, deadline=None)
def test_no_name_in_a_doubt_is_more_than_a_name(name: str) -> None:
    doubtful = DoubtfulEffect(
        id=UUID(int=1), run_id=RUN, pause_id=PAUSE, tool=name, action="{}", digest="a" * 64, effect_key="k", error=name, created_at=ASKED, doubt_role=name,
        agent=name, on_behalf_of=name, attempts=1, attempted_at=ASKED,
    )  # fmt: skip
    for askable in (True, False):
        taken(notices.in_doubt(doubtful, askable=askable))
    me = Actor(id="marta", name=name, active=True, team="T0ACME", slack_user="U0MARTA", refusal=None, checked_s_ago=1.0)
    held = replace(doubtful, lines=(Line(label=name, value=name),))
    taken(lists.waiting_list([], {}, title="Waiting", me=me, offset=0, env=ENV, doubted=[doubtful, held, held]))
    opened(home.home_view(home.Desk(contents={}, doubted=[held]), me=me, env=ENV))
    for status in get_args(EffectStatus):
        shown = doubt(
            status=status, tool=name, error=name, doubt_role=name, agent=name, requester_name=name, said_by=name,
            lines=(Line(label=name, value=name),),
        )  # fmt: skip
        taken(doubts.card(shown, env=ENV))
        opened(doubts.details_view(shown, ENV, may_say=True))
        opened(doubts.reference_view(shown, ENV))


def doubt(**fields: Any) -> Doubt:
    """The payment, in doubt, or with other fields."""
    settled = fields.get("status", "in_doubt") != "in_doubt"
    made = Doubt(
        id=UUID(int=1), run_id=RUN, pause_id=PAUSE, status="in_doubt", tool="charge_supplier", action="{}", digest="a" * 64,
        effect_key="k", error="no answer", receipt=None, created_at=ASKED, doubt_role="finance-approver", agent="procurement",
        on_behalf_of="priya", requester_name="Priya Nair", run_status="in_doubt", cancel_wanted=False, attempts=1, tries=1,
        attempt_id=UUID(int=2), attempted_at=ASKED, call_deadline=ASKED, said="resolve" if settled else None, said_at=DECIDED if settled else None,
        said_in="slack:card" if settled else None, said_by="ines" if settled else None, now=DECIDED,
    )  # fmt: skip
    return replace(made, **fields)
