"""The scripted model as the real Anthropic SDK meets it: what it answers, what it refuses, and how it fails."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import anthropic
import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from bot.sandbox.histories import Problem, sign
from bot.sandbox.model import QueueScript, Reply, Script, ask, model_app, say
from tests.sandbox.loopback import serving

HELLO = {"role": "user", "content": "Buy this order.\norder_ref: PO-2026-0193"}
TOOL = {"name": "get_quote", "description": "A price.", "input_schema": {"type": "object", "properties": {}}}
EMPTY = {"type": "text", "text": ""}


def uses(*ids: str) -> dict[str, Any]:
    content = [{"type": "tool_use", "id": one, "name": "get_quote", "input": {}} for one in ids]
    return {"role": "assistant", "content": content}


def result(tool_use_id: str, content: Any = "38000.00") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": tool_use_id, "content": content}


def user(*content: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(content)}


def assistant(*content: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(content)}


def text(said: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": said, **more}


class Line:
    """A model on a socket, and the vendor's client of it."""

    def __init__(self, address: str) -> None:
        self.base = f"{address}/anthropic"
        self.sdk = anthropic.Anthropic(base_url=self.base, api_key="sk-ant-sandbox", max_retries=0, timeout=20)
        self.surface = httpx.Client(base_url=self.base, timeout=20)

    def ask(self, *messages: Any, **changed: Any) -> anthropic.types.Message:
        asked = {"model": "claude-sonnet-5", "max_tokens": 1000, "messages": list(messages) or [HELLO], **changed}
        answer: anthropic.types.Message = self.sdk.messages.create(**asked)
        return answer

    def hear(self, *messages: Any, **changed: Any) -> str:
        (block,) = self.ask(*messages, **changed).content
        assert block.type == "text"
        return block.text

    def fail(self, fault: str, **more: Any) -> None:
        self.surface.post("/_faults", json=[{"fault": fault, **more}]).raise_for_status()

    def calls(self) -> Any:
        return self.surface.get("/_calls").json()["calls"]


def lines(stack: ExitStack, script: Script) -> Line:
    line = Line(stack.enter_context(serving(Starlette(routes=[Mount("/anthropic", model_app(script))]))))
    stack.enter_context(line.sdk)
    stack.enter_context(line.surface)
    return line


@pytest.fixture
def open_line() -> Iterator[Callable[[Script], Line]]:
    with ExitStack() as stack:
        yield lambda script: lines(stack, script)


@pytest.fixture
def line(open_line: Callable[[Script], Line]) -> Line:
    return open_line(lambda _request: say("Done."))


@pytest.fixture(scope="module")
def unanswered() -> Iterator[Line]:
    """A line on which no request is ever good enough to reach the model, shared by the tests that say so."""
    with ExitStack() as stack:
        yield lines(stack, lambda _request: say("Done."))


def test_a_text_ends_the_turn_and_counts_tokens(line: Line) -> None:
    answer = line.ask()
    assert answer.id.startswith("msg_")
    assert [block.to_dict() for block in answer.content] == [{"type": "text", "text": "Done."}]
    assert (answer.stop_reason, answer.model, answer.role) == ("end_turn", "claude-sonnet-5", "assistant")
    assert answer.usage.output_tokens > 0
    longer = line.ask({"role": "user", "content": "x" * 4000})
    assert longer.usage.input_tokens - answer.usage.input_tokens == pytest.approx(1000, abs=30)


def test_calls_of_tools_get_ids_of_their_own(open_line: Callable[[Script], Line]) -> None:
    line = open_line(lambda _request: ask(("get_quote", {"sku": "A"}), ("get_quote", {"sku": "B"}), saying="First."))
    answer = line.ask(tools=[TOOL])
    said, one, other = answer.content
    assert (said.type, answer.stop_reason) == ("text", "tool_use")
    assert isinstance(one, anthropic.types.ToolUseBlock)
    assert isinstance(other, anthropic.types.ToolUseBlock)
    assert (one.input, other.input) == ({"sku": "A"}, {"sku": "B"})
    assert one.id.startswith("toolu_")
    assert one.id != other.id


def test_a_script_sees_the_request_as_it_was_sent(open_line: Callable[[Script], Line]) -> None:
    line = open_line(lambda request: say(f"{request['system']}, {request['tools'][0]['name']}"))
    assert line.hear(system="Buy", tools=[TOOL]) == "Buy, get_quote"


def test_a_queue_gives_its_replies_and_errors_in_order_and_then_says_it_is_empty(
    open_line: Callable[[Script], Line],
) -> None:
    overloaded = Problem(status=529, kind="overloaded_error", message="Overloaded")
    line = open_line(QueueScript([say("one"), overloaded, say("two")]))
    assert line.hear() == "one"
    with pytest.raises(anthropic.InternalServerError):
        line.ask()
    assert line.hear() == "two"
    with pytest.raises(anthropic.BadRequestError, match="no reply is left"):
        line.ask()


def test_a_queue_gives_each_reply_once_to_many_callers(open_line: Callable[[Script], Line]) -> None:
    line = open_line(QueueScript([say(str(n)) for n in range(20)]))
    with ThreadPoolExecutor(8) as crowd:
        said = set(crowd.map(lambda _: line.hear(), range(20)))
    assert said == {str(n) for n in range(20)}


@pytest.mark.parametrize("reason", ["end_turn", "max_tokens", "refusal", "pause_turn"])
def test_a_turn_may_stop_for_any_reason_and_without_content(open_line: Callable[[Script], Line], reason: str) -> None:
    answer = open_line(QueueScript([Reply(content=(), stop_reason=reason)])).ask()
    assert (answer.stop_reason, answer.content) == (reason, [])


def test_thinking_and_unknown_blocks_are_taken_back_unchanged(open_line: Callable[[Script], Line]) -> None:
    odd = {"type": "from_the_future", "payload": {"n": [1, 2]}}
    thought = {"type": "thinking", "thinking": "Hm."}
    line = open_line(QueueScript([Reply(content=(thought, odd, text("So."))), say("Good.")]))
    # read as sent: the SDK takes a block it does not know for a text, and warns when that is dumped
    raw = line.sdk.messages.with_raw_response.create(model="claude-sonnet-5", max_tokens=9, messages=[HELLO])  # type: ignore[list-item]
    first = raw.http_response.json()
    assert first["content"] == [{**thought, "signature": sign("Hm.")}, odd, text("So.")]
    assert line.hear(HELLO, {"role": "assistant", "content": first["content"]}, HELLO) == "Good."


def test_a_paused_turn_is_continued_by_sending_it_back(line: Line) -> None:
    assert line.ask(HELLO, assistant(text("Looking"))).stop_reason == "end_turn"


def test_results_answer_calls_at_the_head_of_the_next_message_and_text_may_follow(line: Line) -> None:
    answered = user(result("toolu_2", ""), result("toolu_1", [text("38000.00")]), text("Go on."))
    assert line.ask(HELLO, uses("toolu_1", "toolu_2"), answered).content


LEFT_OPEN = "`tool_use` ids were found without `tool_result` blocks immediately after: toolu_1"
UNEXPECTED = "unexpected `tool_use_id` found in `tool_result` blocks: toolu_"


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([assistant(text("Hi"))], 'messages: first message must use the "user" role'),
        ([{"role": "system", "content": "Buy"}], "messages.0.role: Input should be 'user' or 'assistant'"),
        ([user(EMPTY)], "messages: text content blocks must be non-empty"),
        ([user(text(" \n"))], "messages: text content blocks must contain non-whitespace text"),
        ([user(), HELLO], "messages.0: all messages must have non-empty content"),
        ([HELLO, assistant(), HELLO], "messages.1: all messages must have non-empty content"),
        ([HELLO, assistant(text("It is "))], "final assistant content cannot end with trailing whitespace"),
        ([HELLO, uses("toolu_1")], f"messages.1: {LEFT_OPEN}"),
        ([HELLO, uses("toolu_1"), HELLO], f"messages.1: {LEFT_OPEN}"),
        ([HELLO, uses("toolu_1"), assistant(text("Hm")), user(result("toolu_1"))], f"messages.1: {LEFT_OPEN}"),
        ([HELLO, uses("toolu_1", "toolu_2"), user(result("toolu_2"))], f"messages.1: {LEFT_OPEN}"),
        ([HELLO, uses("toolu_1"), user(text("Here:"), result("toolu_1"))], f"messages.1: {LEFT_OPEN}"),
        ([user(result("toolu_1"))], f"messages.0.content.0: {UNEXPECTED}1"),
        ([HELLO, uses("toolu_1"), user(result("toolu_1"), result("toolu_9"))], f"messages.2.content.1: {UNEXPECTED}9"),
        (
            [HELLO, uses("toolu_1"), user(result("toolu_1")), assistant(text("Ok")), user(result("toolu_1"))],
            f"messages.4.content.0: {UNEXPECTED}1",
        ),
        (
            [HELLO, uses("toolu_1"), user(result("toolu_1"), result("toolu_1"))],
            "each tool_use must have a single result. Found multiple `tool_result` blocks with id: toolu_1",
        ),
        ([HELLO, uses("toolu_1", "toolu_1"), user(result("toolu_1"))], "messages: `tool_use` ids must be unique"),
        ([HELLO, uses("toolu_1"), user(result("toolu_1", [EMPTY]))], "text content blocks must be non-empty"),
        ([HELLO, uses("toolu 1")], "messages.1.content.0.tool_use.id: String should match pattern"),
        (
            [HELLO, assistant(text("Hi", parsed_output=None)), HELLO],
            "messages.1.content.0.text.parsed_output: Extra inputs are not permitted",
        ),
        (
            [HELLO, assistant({"type": "thinking", "thinking": "Hm!", "signature": sign("Hm.")}), HELLO],
            "messages.1.content.0: Invalid `signature` in `thinking` block",
        ),
        ([], "messages: at least one message is required"),
    ],
)
def test_a_malformed_history_is_refused_in_the_vendors_words(
    unanswered: Line, messages: list[dict[str, Any]], said: str
) -> None:
    with pytest.raises(anthropic.BadRequestError) as refused:
        unanswered.sdk.messages.create(model="claude-sonnet-5", max_tokens=9, messages=messages)  # type: ignore[arg-type]
    body: Any = refused.value.body
    assert (body["type"], body["error"]["type"]) == ("error", "invalid_request_error")
    assert said in body["error"]["message"]
    assert unanswered.calls() == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"max_tokens": 0}, "max_tokens: must be greater than or equal to 1"),
        ({"tools": [TOOL | {"name": "get quote"}]}, "tools.0.custom.name: String should match pattern"),
        ({"tools": [TOOL | {"name": "q" * 129}]}, "tools.0.custom.name: String should match pattern"),
        ({"tools": [TOOL | {"input_schema": {"type": "array"}}]}, "input_schema.type: Input should be 'object'"),
        ({"tools": [TOOL | {"input_schema": {}}]}, "tools.0.custom.input_schema.type: Field required"),
        ({"tools": [TOOL, TOOL]}, "tools: Tool names must be unique."),
        ({"extra_body": {"prompt": "Hi"}}, "prompt: Extra inputs are not permitted"),
    ],
)
def test_a_malformed_request_is_refused_with_the_field_named(
    unanswered: Line, changed: dict[str, Any], said: str
) -> None:
    with pytest.raises(anthropic.BadRequestError) as refused:
        unanswered.ask(**changed)
    assert said in refused.value.message


def test_a_name_of_128_characters_is_allowed(line: Line) -> None:
    assert line.ask(tools=[TOOL | {"name": "q" * 128}]).content


def test_a_wrong_key_is_an_authentication_error(line: Line) -> None:
    with (
        anthropic.Anthropic(base_url=line.base, api_key="wrong", max_retries=0) as stranger,
        pytest.raises(anthropic.AuthenticationError, match="invalid x-api-key"),
    ):
        stranger.messages.create(model="claude-sonnet-5", max_tokens=9, messages=[HELLO])  # type: ignore[list-item]


def test_a_key_may_come_in_either_header_but_must_come(line: Line) -> None:
    asked = {"model": "claude-sonnet-5", "max_tokens": 9, "messages": [HELLO]}
    version = {"anthropic-version": "2023-06-01"}

    def status(headers: dict[str, str]) -> int:
        return line.surface.post("/v1/messages", json=asked, headers=headers).status_code

    assert status(version | {"x-api-key": "sk-ant-sandbox"}) == 200
    assert status(version | {"authorization": "Bearer sk-ant-sandbox"}) == 200
    assert status(version) == 401
    assert status({"x-api-key": "sk-ant-sandbox"}) == 400


def test_an_unknown_model_is_not_found(line: Line) -> None:
    with pytest.raises(anthropic.NotFoundError) as missing:
        line.ask(model="claude-2")
    body: Any = missing.value.body
    assert body["error"] == {"type": "not_found_error", "message": "model: claude-2"}


@pytest.mark.parametrize(
    ("fault", "error", "kind"),
    [
        ("529", anthropic.InternalServerError, "overloaded_error"),
        ("500", anthropic.InternalServerError, "api_error"),
        ("429", anthropic.RateLimitError, "rate_limit_error"),
        ("404_model", anthropic.NotFoundError, "not_found_error"),
    ],
)
def test_a_planned_failure_comes_once_and_computes_nothing(
    line: Line, fault: str, error: type[anthropic.APIStatusError], kind: str
) -> None:
    line.fail(fault)
    with pytest.raises(error) as failed:
        line.ask()
    body: Any = failed.value.body
    assert body["error"]["type"] == kind
    assert line.ask().content
    assert line.calls() == [{"conversation": HELLO["content"], "asked": 2, "answered": 1}]


def test_a_rate_limit_says_when_to_come_back(line: Line) -> None:
    line.fail("429", retry_after=7)
    with pytest.raises(anthropic.RateLimitError) as limited:
        line.ask()
    assert limited.value.response.headers["retry-after"] == "7"


def test_an_answer_may_be_computed_and_lost(line: Line) -> None:
    line.fail("drop_after")
    with pytest.raises(anthropic.APIConnectionError):
        line.ask()
    assert line.calls() == [{"conversation": HELLO["content"], "asked": 1, "answered": 1}]


def test_a_failure_can_be_planned_for_one_order_until_it_is_cleared(line: Line) -> None:
    line.fail("500", match={"order_ref": "PO-2026-0193"}, times=None)
    assert line.ask({"role": "user", "content": "order_ref: PO-2"}).content
    for _ in range(3):
        with pytest.raises(anthropic.InternalServerError):
            line.ask()
    line.surface.delete("/_faults").raise_for_status()
    assert line.ask().content
