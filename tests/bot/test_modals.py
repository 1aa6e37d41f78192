"""Details shows everything, and Approve stands only under the whole; the deny form decides when it is submitted."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.cards import ids
from bot.cards.modals import deny_view, details_view, errors, may_decide
from engine.models import Actor, Line, Passage, Pause, PauseStatus, StandIn
from engine.rules.digest import canonical
from tests.bot.asked import CONTENT, ENV, LINES, by_marta, content, pause, statuses
from tests.bot.painted import ATTACKS, opened, pressed, read, words


def details(asked: Pause, **who: Any) -> dict[str, Any]:
    view = details_view(asked, ENV, **who)
    opened(view)
    return view


@pytest.mark.parametrize("name", statuses())
def test_details_open_for_every_status(name: str) -> None:
    view, asked = details(statuses()[name]), statuses()[name]
    offered = pressed(view["blocks"])
    waits = name.startswith("waiting") and name != "waiting_altered"
    assert ("Approve" in offered) == (waits and not asked.is_question)
    assert bool({"Answer …", "In my own words …"} & set(offered)) == (waits and asked.is_question)


def test_details_show_what_will_be_done_byte_for_byte() -> None:
    asked = pause()
    text = read(details(asked)["blocks"])
    action = canonical({"tool": CONTENT.tool, "arguments": dict(CONTENT.arguments)})
    for fact in (
        action,
        asked.digest,
        str(asked.id),
        str(asked.run_id),
        "payments:write",
        "2 % either way",
        "3 days",
        "Large payments need a yes.",
    ):
        assert fact in text


def passage(event: str, *, actor: str = "marta", **changes: Any) -> Passage:
    """One line of what happened to a request."""
    name = "Marta Keller" if actor == "marta" else None
    given: dict[str, Any] = {
        "at": datetime(2026, 7, 15, 14, 2, tzinfo=UTC),
        "entity": "pause",
        "refused": False,
        "surface": "slack:card",
        "detail": None,
    }
    return Passage(event=event, actor=actor, name=name, **given | changes)


def test_details_tell_what_happened_to_it() -> None:
    text = read(
        details(
            pause(), passages=[passage("open", actor="agent:procurement"), passage("deny", detail="Ask Beck first.")]
        )["blocks"]
    )
    assert "agent:procurement" in text
    assert "Marta Keller (marta) denied (slack:card): “Ask Beck first.”" in text


def test_what_happened_gives_way_to_what_is_decided() -> None:
    many = [passage("vote") for _ in range(90)]
    view = details(pause(), passages=many)
    assert pressed(view["blocks"]) == ["Approve", "Deny", "Ask Priya Nair …"]
    assert "What happened" not in read(view["blocks"])
    assert "cannot be approved here" not in read(view["blocks"])


def test_what_left_the_card_can_be_approved_below_the_whole_of_it() -> None:
    body = "".join(f"line {n}\n" for n in range(3_000))
    view = details(pause(content(lines=(*LINES, Line(label="Body", value=body)))))
    shown = "".join(part["text"] for block in view["blocks"] if block["type"] == "rich_text"
                    for piece in block["elements"] for part in piece["elements"])  # fmt: skip
    assert body in shown
    assert pressed(view["blocks"]) == ["Approve", "Deny", "Ask Priya Nair …"]


@pytest.mark.parametrize("value", ["y" * 300_000, "&\n" * 80_000, "é" * 100_000])
def test_what_is_too_long_even_for_details_cannot_be_approved(value: str) -> None:
    view = details(pause(content(lines=(Line(label="Body", value=value),))))
    assert pressed(view["blocks"]) == ["Deny"]
    assert "cannot be approved here" in read(view["blocks"])
    assert len(json.dumps(view)) < 250_000


@pytest.mark.parametrize(
    ("asked", "viewer", "may"),
    [
        (pause(), None, True), (pause(), "marta", True), (pause(), "otto", False), (pause(), "priya", False),
        (pause(approver="role:finance-approver"), "ines", True), (pause(approver="role:finance-approver"), "priya", False),
        (pause(approver="role:finance-approver"), "otto", False), (pause(stand_ins=(StandIn(id="otto", name="Otto"),)), "otto", True),
        (pause(approver="role:finance-approver", voters=("ines",)), "ines", False), (pause(None), "marta", False),
        (pause(status="approved", **by_marta()), "marta", False),
    ],
)  # fmt: skip
def test_a_decision_is_offered_to_those_who_may_make_it(asked: Pause, viewer: str | None, may: bool) -> None:
    me = None if viewer is None else Actor(
        id=viewer, name=viewer, active=True, team="T0ACME", slack_user=f"U0{viewer.upper()}", refusal=None, checked_s_ago=1,
        roles=("finance-approver",) if viewer == "ines" else (),
    )  # fmt: skip
    assert may_decide(asked, me) is may
    assert ("Approve" in pressed(details(asked, viewer=me)["blocks"])) is may


@pytest.mark.parametrize("channel", [None, "C0BUY"])
def test_a_modal_knows_what_it_was_opened_for(channel: str | None) -> None:
    asked = pause()
    for view in (details(asked, channel=channel), deny_view(asked, ENV, channel)):
        carried = ids.decode_carried(view["private_metadata"])
        assert carried == ids.Carried(ids.Button(ENV, asked.id, asked.digest[:8]), channel)


@pytest.mark.parametrize("summary", [CONTENT.summary, *ATTACKS])
def test_the_form_asks_for_a_reason_and_needs_none(summary: str) -> None:
    view = deny_view(pause(content(summary=summary)), ENV)
    opened(view)
    (asked,) = [block for block in view["blocks"] if block["type"] == "input"]
    assert (asked["block_id"], asked["optional"]) == (ids.BLOCK_REASON, True)
    assert (view["submit"]["text"], view["callback_id"]) == ("Deny", ids.CALLBACK_DENY)


def test_an_altered_request_opens_too() -> None:
    opened(deny_view(pause(None), ENV))


def test_a_form_submitted_too_late_says_why_where_the_reason_is() -> None:
    assert errors(ids.BLOCK_REASON, "Expired 2 seconds ago.") == {
        "response_action": "errors",
        "errors": {"reason": "Expired 2 seconds ago."},
    }


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_any_text_in_any_field_opens(data: st.DataObject) -> None:
    asked = content(
        title=data.draw(words), summary=data.draw(words), explanation=data.draw(words), acts_as=data.draw(words), tool=data.draw(words),
        arguments={data.draw(words): data.draw(words)}, scopes=(data.draw(words),),
        lines=tuple(Line(label=data.draw(words), value=data.draw(words)) for _ in range(data.draw(st.integers(0, 9)))),
    )  # fmt: skip
    status = data.draw(st.sampled_from(get_args(PauseStatus)))
    fields = {} if status == "waiting" else by_marta("deny", data.draw(words))
    shown = pause(
        asked, status=status, requester_name=data.draw(words), receipt={data.draw(words): data.draw(words)}, **fields
    )
    details(replace(shown, effect_error=data.draw(words)))
