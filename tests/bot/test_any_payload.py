"""Whatever is in a row, every message and view that there is a function for is one that Slack takes, posted and as an edit, and cuts nothing that decides."""

import importlib
import inspect
import os
import pkgutil
import typing
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import bot.cards
from bot.cards import blocks, facts, lists, modals, parts
from bot.cards.parts import Message
from bot.cards.seen import LONGEST, one_line, seen, seen_line
from engine.models import Actor, Confirmation, Content, Line, Pause
from engine.rules.digest import visible
from tests.bot.anything import TEXTS, possible, values
from tests.bot.asked import ENV, PAUSE, content, pause, waiting
from tests.bot.asked import question as asked_for_an_answer
from tests.bot.painted import opened, parts_of, pressed, taken

VIEW = dict[str, Any]
NOT_OURS = {"parts", "shapes", "limits", "block_kit", "elements", "ids", "seen", "secrets"}
"""What cards are made of, and what checks them."""
INSIDE = {
    "modals.modal", "modals.errors", "modals.reason_input", "modals.typed_input", "doubts.row", "inquiries.reply_button", "inquiries.ask_button",
    "questions.answer_view",
}  # fmt: skip
"""A frame that others fill or what fills one, an answer that is no view, inputs, a line of the lists, and buttons."""
SENTENCES = {"phrases": (str,), "doubts": (str,), "halts": (str,)}
"""Whose sentences are said to one person alone, as `parts.answer`."""


def makers() -> Iterator[tuple[str, Callable[..., Any], Any]]:
    """Every public function that makes something to be read, wherever it is written, and what it makes."""
    for module in pkgutil.iter_modules(bot.cards.__path__):
        if module.name in NOT_OURS:
            continue
        found = importlib.import_module(f"bot.cards.{module.name}")
        for name, function in inspect.getmembers(found, inspect.isfunction):
            if name.startswith("_") or function.__module__ != found.__name__ or f"{module.name}.{name}" in INSIDE:
                continue
            made = typing.get_type_hints(function)["return"]
            if made in (Message, Message | None, VIEW) or made in SENTENCES.get(module.name, ()):
                yield f"{module.name}.{name}", function, made


MAKERS = {name: (function, made) for name, function, made in makers()}


def test_the_makers_are_found() -> None:
    assert {
        "blocks.card",
        "doubts.card",
        "notices.reminder",
        "home.home_view",
        "modals.details_view",
        "phrases.said",
    } <= MAKERS.keys()


def given_to(function: Callable[..., Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Any arguments that its callers may have."""
    hints = typing.get_type_hints(function)
    return st.fixed_dictionaries(
        {name: values(hints[name], name) for name in inspect.signature(function).parameters}
    ).map(_possible)


def _possible(given: dict[str, Any]) -> dict[str, Any]:
    """What a row promises, and that a digest shows two at least."""
    for name, one in given.items():
        if isinstance(one, Pause):
            given[name] = possible(one)
        elif name == "turn":
            given[name] = [possible(asked) for asked in one]
        elif name == "shown" and isinstance(one, list):
            given[name] = [(possible(asked), level) for asked, level in (one * 2 or [(pause(), 0)] * 2)]
    return given


def form(pause: Pause) -> Pause:
    """A pause that asks for something typed, as whoever opens its form has looked it up."""
    held = pause.content or content()
    return replace(
        pause, content=replace(held, confirm=held.confirm or Confirmation(of="amount", typed="1.00")), intact=True
    )


CHOICES = st.sampled_from(
    [(), ("EUR", "USD"), tuple("x" * 70 + str(n) for n in range(10, 30)), ("株式会社" * 18, "<@U1>")]
)


def question(shown: Pause, choices: tuple[str, ...]) -> Pause:
    """The same pause, if it were a question of an agent."""
    held = asked_for_an_answer(*choices, summary=(shown.content or content()).summary)
    return replace(shown, content=held, votes_left=0, intact=True)


@pytest.mark.parametrize("name", MAKERS)
@given(data=st.data())
@settings(
    max_examples=8, phases=[Phase.generate], deadline=None, suppress_health_check=list(HealthCheck),
    derandomize=os.environ.get("CI") == "true",  # the same there each time; elsewhere others each time
)  # fmt: skip
def test_whatever_is_given_slack_takes_what_is_made(name: str, data: st.DataObject) -> None:
    function, made = MAKERS[name]
    arguments = data.draw(given_to(function))
    if name == "modals.confirm_view":
        arguments["pause"] = form(arguments["pause"])
    elif isinstance(arguments.get("pause"), Pause) and (name == "modals.answer_view" or data.draw(st.booleans())):
        arguments["pause"] = question(arguments["pause"], data.draw(CHOICES))
    shown = function(**arguments)
    match shown:
        case None:
            assert made == Message | None
        case str():
            taken(parts.answer(shown.strip() or "-"))
        case Message():
            taken(shown)
        case _:
            opened(shown)


# ------------------------------------------------------------------------------------------------- nothing that decides is cut


def text_of(shown: list[VIEW]) -> str:
    """All that can be read, pieces of one text joined."""
    return "".join(part["text"] for part in parts_of(shown) if isinstance(part.get("text"), str))


def decisive(held: Content) -> list[str]:
    """What whoever approves must have before them."""
    lines = [
        part for line in held.lines if not line.detail for part in (seen_line(line.label).text, seen(line.value).text)
    ]
    amount = [str(held.amount)] if held.amount else []
    rule = [seen_line(held.need.rule).text, seen_line(held.agent).text]
    return [
        one.strip()
        for one in (seen_line(held.title).text, seen(held.summary).text, *lines, *amount, *rule)
        if one.strip()
    ]


asked = st.builds(
    lambda lines, **given: content(lines=tuple(lines), **given),
    st.lists(st.builds(Line, label=TEXTS, value=TEXTS, detail=st.booleans()), max_size=6),
    title=TEXTS, summary=TEXTS, explanation=TEXTS, agent=TEXTS,
)  # fmt: skip


@given(data=st.data())
@settings(max_examples=30, phases=[Phase.generate], deadline=None, suppress_health_check=list(HealthCheck))
def test_approve_stands_only_where_all_that_decides_is_whole(data: st.DataObject) -> None:
    held = data.draw(asked)
    shown = pause(held)
    me = Actor(id="marta", name="Marta", active=True, team="T", slack_user="U", refusal=None, checked_s_ago=1.0)
    row = waiting(summary=held.summary)
    card = blocks.card(shown, kind="approver", level=0, env=ENV)
    details = modals.details_view(shown, ENV, viewer=me)
    listed = lists.waiting_list([row], {PAUSE: held}, title="Waiting", me=me, offset=0, env=ENV)
    taken(card)
    opened(details)
    taken(listed)
    if "Approve" in pressed(card.blocks):
        assert [one for one in decisive(held) if one not in text_of(card.blocks)] == []
    if "Approve" in pressed(details["blocks"]):
        whole = [
            *decisive(held),
            *(seen(line.value).text.strip() for line in held.lines),
            seen(held.explanation).text.strip(),
        ]
        assert [one for one in whole if one not in text_of(details["blocks"])] == []
    if "Approve" in pressed(listed.blocks):
        assert one_line(held.summary) in text_of(listed.blocks)
        assert facts.warnings(held) == []
        assert "Approve" in pressed(card.blocks)


@pytest.mark.parametrize("one", ["x", "& <", "ا", "a\u202e", "é\n", " ", "😀"])
@pytest.mark.parametrize("where", ["summary", "line", "explanation", "title"])
def test_two_megabytes_are_shown_as_too_long_and_never_approved(one: str, where: str) -> None:
    huge = visible(one * (2_000_000 // len(one)))
    held = content(lines=(Line(label="Body", value=huge),)) if where == "line" else content(**{where: huge})
    shown = pause(held)
    assert len(huge) > LONGEST
    for kind in typing.get_args(blocks.Kind):
        card = blocks.card(shown, kind=kind, level=0, env=ENV)
        taken(card)
        assert "Approve" not in pressed(card.blocks)
    details = modals.details_view(shown, ENV)
    opened(details)
    assert pressed(details["blocks"]) == ["Deny"]
