"""What a model's reply means, what its turn is answered with, and that whatever is sent next is well formed."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sandbox.histories import problem_with, sign
from engine.rules import turn

TEXT = {"type": "text", "text": "I will pay."}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "pay", "input": {"to": "sup"}}
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
SEARCH = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {}}
FIRE_AT = datetime(2031, 7, 17, 13, 19, tzinfo=UTC)


@dataclass(frozen=True)
class Answered:
    """A call with its result, as a row has it."""

    tool_use_id: str
    result: Mapping[str, Any] | None


def answered(tool_use_id: str, text: str = "ok", *, is_error: bool = False) -> Answered:
    return Answered(tool_use_id, {"text": text, "is_error": is_error})


# ------------------------------------------------------------------------------------------------------------ read_reply


@pytest.mark.parametrize("reason", ["end_turn", "stop_sequence", None, "a reason of tomorrow"])
def test_a_reply_without_calls_is_the_last_word(reason: str | None) -> None:
    assert turn.read_reply(reason, [THOUGHT, TEXT, {"type": "text", "text": "  "}, TEXT]) == turn.Finish(
        "I will pay.\n\nI will pay."
    )


@pytest.mark.parametrize("blocks", [[], [{"type": "text"}], [{"type": "text", "text": None}]])
def test_a_last_word_may_be_empty(blocks: list[dict[str, Any]]) -> None:
    assert turn.read_reply("end_turn", blocks) == turn.Finish("")


@pytest.mark.parametrize("reason", ["tool_use", "end_turn", "pause_turn", None])
def test_calls_are_run_whatever_the_reason_says(reason: str | None) -> None:
    assert turn.read_reply(reason, [TEXT, CALL]) == turn.RunTools(
        ({"id": "toolu_1", "name": "pay", "input": {"to": "sup"}},)
    )


def test_a_call_without_input_has_an_empty_one() -> None:
    [call] = turn.read_reply("tool_use", [{"type": "tool_use", "id": "t", "name": "look", "input": None}]).calls  # type: ignore[union-attr]
    assert call["input"] == {}


CUT_OFF = (
    "The model's reply was cut off before it was complete, so nothing of it was done. "
    "Give the agent more reply tokens or a shorter task, and launch it again."
)
REFUSED = (
    "The model refused to go on, and is not asked again. Look at the run's messages, and launch it with another task."
)


@pytest.mark.parametrize(
    ("reason", "why"),
    [("max_tokens", CUT_OFF), ("model_context_window_exceeded", CUT_OFF), ("refusal", REFUSED)],
)
def test_a_reply_that_was_cut_off_or_refused_runs_nothing_and_says_what_to_do(reason: str, why: str) -> None:
    assert turn.read_reply(reason, [TEXT, CALL]) == turn.Stop(why)


def test_a_pause_of_the_model_is_no_end() -> None:
    assert turn.read_reply("pause_turn", [TEXT, SEARCH]) == turn.Continue()


def test_calls_that_the_vendor_runs_are_not_ours_to_run() -> None:
    assert turn.read_reply("end_turn", [SEARCH, TEXT]) == turn.Finish("I will pay.")


# ------------------------------------------------------------------------------------------------------- results_message


def test_every_call_is_answered_once_in_one_message_in_order() -> None:
    said = turn.results_message([answered("a"), answered("b", "no", is_error=True)])
    assert said == {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "a", "content": "ok"},
            {"type": "tool_result", "tool_use_id": "b", "content": "no", "is_error": True},
        ],
    }


def test_a_call_without_result_is_never_answered_for() -> None:
    with pytest.raises(AssertionError, match=r"^every call of a turn has a result before the model is called again"):
        turn.results_message([Answered("a", None)])


# --------------------------------------------------------------------------------------------------------------- refusal


def test_a_denial_names_who_and_why_and_says_to_stop() -> None:
    assert turn.refusal("denied", by="Marta Keller", reason="Too dear.", fire_at=FIRE_AT) == (
        "Denied by Marta Keller; nothing was done. They said: Too dear. Do not ask for this again or try to reach the "
        "same end another way; say in your answer what was refused."
    )


def test_a_denial_without_a_name_or_a_reason_is_plain() -> None:
    assert turn.refusal("denied", by=None, reason=None, fire_at=FIRE_AT) == (
        "Denied by a person; nothing was done. Do not ask for this again or try to reach the same end another way; "
        "say in your answer what was refused."
    )


def test_silence_is_never_told_as_a_persons_no_and_its_hour_is_utc_wherever_the_server_stands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("TZ", "America/New_York")
        time.tzset()
        said = turn.refusal("expired", by=None, reason="nobody answered in time", fire_at=FIRE_AT)
    time.tzset()
    assert said == (
        "Nobody answered by 17 Jul 13:19 UTC, so the answer decided in advance holds: it is not done. "
        "No person refused it."
    )


def test_where_some_approved_silence_is_that_of_the_others() -> None:
    said = turn.refusal("expired", by=None, reason=None, fire_at=FIRE_AT, approvals=(1, 2))
    assert said.startswith("1 of 2 approved, and nobody else answered by 17 Jul 13:19 UTC, so ")


def test_a_withdrawal_is_told_as_one() -> None:
    assert turn.refusal("cancelled", by="Priya", reason=None, fire_at=FIRE_AT) == (
        "Withdrawn; nothing was done. The requester took it back."
    )
    assert turn.refusal("cancelled", by="Priya", reason="Ordered twice.", fire_at=FIRE_AT) == (
        "Withdrawn; nothing was done. Ordered twice."
    )


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("The price moved.", "Not done: the request is superseded. The price moved."),
        (None, "Not done: the request is superseded."),
    ],
)
def test_whatever_else_became_of_a_request_the_model_is_told_that_it_was_not_done(
    reason: str | None, said: str
) -> None:
    assert turn.refusal("superseded", by=None, reason=reason, fire_at=FIRE_AT) == said


# ------------------------------------------------------------------------------------------------ what is stored and sent


def test_what_postgres_cannot_hold_is_made_visible_and_the_rest_left_alone() -> None:
    given_value = {
        "a\0": ["b\0", 1, None, True, 1.5],
        "text": "\\u0000",
        "odd": float("inf"),
        "not": [float("nan")],
        "half": "\ud800",
    }
    assert turn.storable(given_value) == {
        "a\ufffd": ["b\ufffd", 1, None, True, 1.5],
        "text": "\\u0000",
        "odd": {"not a number": "inf"},
        "not": [{"not a number": "nan"}],
        "half": "\ufffd",
    }


def test_blocks_of_unknown_kinds_are_sent_back_unchanged() -> None:
    content = [THOUGHT, SEARCH, {"type": "something_new", "text": ""}, TEXT]
    assert turn.sendable([{"role": "assistant", "content": content}])[0]["content"] == content


@pytest.mark.parametrize("empty", ["", "  \n", [], [{"type": "text", "text": ""}], [{"type": "text", "text": " "}]])
def test_a_message_that_says_nothing_is_left_out(empty: Any) -> None:
    sent = turn.sendable([{"role": "user", "content": "Buy."}, {"role": "assistant", "content": empty}])
    assert sent == [{"role": "user", "content": "Buy."}]


def test_an_empty_text_inside_a_result_is_left_out_and_the_result_stays() -> None:
    old = {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": ""}]}
    [sent] = turn.sendable([{"role": "user", "content": [old]}])
    assert sent["content"] == [{**old, "content": []}]


def test_a_pause_that_ends_in_blanks_can_be_gone_on_from() -> None:
    words: list[Any] = [{"type": "text", "text": "Looking \n"}]
    sent = turn.sendable([{"role": "user", "content": "Buy."}, {"role": "assistant", "content": words}])
    assert sent[-1]["content"] == [{"type": "text", "text": "Looking"}]
    assert words == [{"type": "text", "text": "Looking \n"}]
    assert turn.sendable([{"role": "assistant", "content": " Looking \n"}])[0]["content"] == " Looking"


def test_blanks_are_kept_where_the_vendor_takes_them() -> None:
    stored = [{"role": "assistant", "content": "Looking "}, {"role": "user", "content": "And? "}]
    assert turn.sendable(stored) == stored


# --------------------------------------------------------------------------------------- any history can be continued

WORDS = st.text(alphabet="ab \n\0\ud800", max_size=4)
TEXTS = st.builds(lambda text: {"type": "text", "text": text}, WORDS)
THOUGHTS = st.builds(
    lambda text: {"type": "thinking", "thinking": text, "signature": sign(text)}, st.text("ab", max_size=3)
)
UNKNOWN = st.just({"type": "redacted_thinking", "data": "x"})
CALLS = st.builds(
    lambda name, given: {"type": "tool_use", "name": name, "input": given},
    st.sampled_from(["pay", "look"]),
    st.dictionaries(WORDS, WORDS | st.floats(), max_size=2),
)
REPLIES = st.tuples(
    st.sampled_from(["end_turn", "tool_use", "pause_turn", None]),
    st.lists(TEXTS | THOUGHTS | UNKNOWN | CALLS, max_size=4),
)
RESULTS = st.tuples(WORDS, st.booleans())


@given(replies=st.lists(REPLIES, max_size=6), data=st.data())
def test_whatever_the_model_said_the_next_request_is_accepted(
    replies: list[tuple[str | None, list[dict[str, Any]]]], data: st.DataObject
) -> None:
    """Replies are stored and answered as the loop does it; after each, the request that would follow is well formed."""
    stored: list[dict[str, Any]] = [{"role": "user", "content": "Buy."}]
    named = 0
    for reason, blocks in replies:
        content = []
        for block in turn.storable(blocks):
            named += 1
            content.append({**block, "id": f"toolu_{named}"} if block["type"] == "tool_use" else block)
        if content:
            stored.append({"role": "assistant", "content": content})
        match turn.read_reply(reason, content):
            case turn.RunTools(calls):
                results = [answered(c["id"], t, is_error=e) for c in calls for t, e in [data.draw(RESULTS)]]
                stored.append(turn.results_message(results))
            case turn.Continue():
                pass
            case _:
                return
        request = {"model": "claude-sonnet-5", "max_tokens": 100, "messages": turn.sendable(stored)}
        assert problem_with(request) is None
