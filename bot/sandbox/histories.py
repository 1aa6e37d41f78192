"""What the Messages API refuses before a model sees it: requests and histories that are malformed.

Pure: a request in, the first thing wrong with it out, in the vendor's wording where that is known (from its reference
and from errors users have published). Stricter than any one loop needs, because a history that is stored malformed can
never be continued. Unknown kinds of blocks pass, as the vendor adds kinds; unknown fields of the known ones do not.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

Block = Mapping[str, Any]

_TOP_LEVEL = {
    *("model", "max_tokens", "messages", "system", "tools", "tool_choice", "stop_sequences", "stream", "thinking"),
    *("temperature", "top_k", "top_p", "metadata", "service_tier", "speed", "cache_control", "output_config"),
    *("container", "context_management", "diagnostics", "inference_geo", "mcp_servers"),
}
_FIELDS = {
    "text": {"type", "text", "cache_control", "citations"},
    "tool_use": {"type", "id", "name", "input", "cache_control", "caller", "toolset_name"},
    "tool_result": {"type", "tool_use_id", "content", "is_error", "cache_control", "toolset_name"},
    "thinking": {"type", "thinking", "signature"},
}
_TOOL_NAME = "^[a-zA-Z0-9_-]{1,128}$"
_TOOL_USE_ID = "^[a-zA-Z0-9_-]+$"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why a request is not answered by the model: the HTTP status, the vendor's error type and its message."""

    status: int = HTTPStatus.BAD_REQUEST
    kind: str = "invalid_request_error"
    message: str


def problem_with(request: Any) -> Problem | None:
    """The first thing wrong with the body of `POST /v1/messages`, or None."""
    return next((Problem(message=message) for message in _problems(request)), None)


def blocks(message: Mapping[str, Any]) -> Sequence[Block]:
    """The content blocks of a message; a content that is text counts as one text block."""
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def sign(thinking: str) -> str:
    """The signature this stand-in puts under its thinking, and demands when it is sent back."""
    return hashlib.sha256(b"thinking:" + thinking.encode()).hexdigest()


def _problems(request: Any) -> Iterator[str]:
    """Only the first is asked for, so that each check may rely on those before it."""
    yield from _envelope_problems(request)
    yield from _tool_problems(request.get("tools", []))
    messages = request["messages"]
    for place, message in enumerate(messages):
        yield from _message_problems(f"messages.{place}", message, last=place == len(messages) - 1)
    if messages[0]["role"] != "user":
        yield 'messages: first message must use the "user" role'
    yield from _pairing_problems(messages)
    yield from _ending_problems(messages[-1])


def _envelope_problems(request: Any) -> Iterator[str]:
    if not isinstance(request, dict):
        yield "The request body is not a JSON object."
    for name in ("model", "max_tokens", "messages"):
        if name not in request:
            yield f"{name}: Field required"
    for name in sorted(request.keys() - _TOP_LEVEL):
        yield f"{name}: Extra inputs are not permitted"
    if type(request["max_tokens"]) is not int:
        yield "max_tokens: Input should be a valid integer"
    if request["max_tokens"] < 1:
        yield "max_tokens: must be greater than or equal to 1"
    if request.get("stream"):
        yield "stream: this stand-in does not stream; send the request without it."
    if not isinstance(request["messages"], list):
        yield "messages: Input should be a valid list"
    if not request["messages"]:
        yield "messages: at least one message is required"


def _tool_problems(tools: Any) -> Iterator[str]:
    if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
        yield "tools: Input should be a valid list"
    for place, tool in enumerate(tools):
        if tool.get("type", "custom") != "custom":
            continue  # a tool that the vendor runs; its shape is the vendor's
        where = f"tools.{place}.custom"
        name, schema = tool.get("name"), tool.get("input_schema")
        if not isinstance(name, str) or not re.fullmatch(_TOOL_NAME, name):
            yield f"{where}.name: String should match pattern '{_TOOL_NAME}'"
        if not isinstance(schema, dict):
            yield f"{where}.input_schema: Field required"
        if "type" not in schema:
            yield f"{where}.input_schema.type: Field required"
        if schema["type"] != "object":
            yield f"{where}.input_schema.type: Input should be 'object'"
    names = [tool.get("name") for tool in tools]
    if len(set(names)) < len(names):
        yield "tools: Tool names must be unique."


def _message_problems(where: str, message: Any, *, last: bool) -> Iterator[str]:
    """One message by itself: its role, and each of its blocks."""
    if not isinstance(message, dict):
        yield f"{where}: Input should be a valid dictionary"
    for name in ("role", "content"):
        if name not in message:
            yield f"{where}.{name}: Field required"
    for name in sorted(message.keys() - {"role", "content"}):
        yield f"{where}.{name}: Extra inputs are not permitted"
    if message["role"] not in ("user", "assistant"):
        yield f"{where}.role: Input should be 'user' or 'assistant'"
    content = message["content"]
    if not isinstance(content, str | list):
        yield f"{where}.content: Input should be a valid list"
    if not content and not (last and message["role"] == "assistant"):
        yield f"{where}: all messages must have non-empty content except for the optional final assistant message"
    for place, block in enumerate(blocks(message)):
        yield from _block_problems(f"{where}.content.{place}", block, message["role"])


def _block_problems(where: str, block: Any, role: str) -> Iterator[str]:
    if not isinstance(block, dict) or not isinstance(block.get("type"), str):
        yield f"{where}.type: Field required"
    kind = block["type"]
    known = _FIELDS.get(kind, block.keys())
    for name in sorted(block.keys() - known):
        yield f"{where}.{kind}.{name}: Extra inputs are not permitted"
    match kind:
        case "text":
            yield from _text_problems(where, block)
        case "tool_use":
            yield from _tool_use_problems(where, block, role)
        case "tool_result":
            yield from _tool_result_problems(where, block, role)
        case "thinking" if block.get("signature") != sign(block.get("thinking", "")):
            yield f"{where}: Invalid `signature` in `thinking` block"


def _text_problems(where: str, block: Block) -> Iterator[str]:
    text = block.get("text")
    if not isinstance(text, str):
        yield f"{where}.text.text: Input should be a valid string"
    elif not text:
        yield "messages: text content blocks must be non-empty"
    elif not text.strip():
        yield "messages: text content blocks must contain non-whitespace text"


def _tool_use_problems(where: str, block: Block, role: str) -> Iterator[str]:
    if role != "assistant":
        yield f"{where}: `tool_use` blocks can only be in `assistant` messages"
    if not re.fullmatch(_TOOL_USE_ID, str(block.get("id", ""))):
        yield f"{where}.tool_use.id: String should match pattern '{_TOOL_USE_ID}'"
    if not re.fullmatch(_TOOL_NAME, str(block.get("name", ""))):
        yield f"{where}.tool_use.name: String should match pattern '{_TOOL_NAME}'"
    if not isinstance(block.get("input"), dict):
        yield f"{where}.tool_use.input: Input should be a valid dictionary"


def _tool_result_problems(where: str, block: Block, role: str) -> Iterator[str]:
    if role != "user":
        yield f"{where}: `tool_result` blocks can only be in `user` messages"
    if not isinstance(block.get("tool_use_id"), str):
        yield f"{where}.tool_result.tool_use_id: Field required"
    if type(block.get("is_error", False)) is not bool:
        yield f"{where}.tool_result.is_error: Input should be a valid boolean"
    content = block.get("content", "")
    if not isinstance(content, str | list):
        yield f"{where}.tool_result.content: Input should be a valid list"
    for place, inner in enumerate(content if isinstance(content, list) else []):
        yield from _block_problems(f"{where}.tool_result.content.{place}", inner, role)


def _pairing_problems(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Every tool_use has exactly one tool_result, at the head of the very next message, and the other way about."""
    every_id = [block["id"] for message in messages for block in blocks(message) if block["type"] == "tool_use"]
    if len(set(every_id)) < len(every_id):
        yield "messages: `tool_use` ids must be unique"
    asked: list[str] = []
    for place, message in enumerate(messages):
        answered: list[str] = []
        for at, block in enumerate(blocks(message)):
            if block["type"] != "tool_result":
                continue
            where, answers = f"messages.{place}.content.{at}", block["tool_use_id"]
            if answers not in asked:
                yield (
                    f"{where}: unexpected `tool_use_id` found in `tool_result` blocks: {answers}. Each `tool_result` "
                    "block must have a corresponding `tool_use` block in the previous message."
                )
            if answers in answered:
                yield (
                    f"{where}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: "
                    f"{answers}"
                )
            if at == len(answered):  # a result behind other content comes too late to count
                answered.append(answers)
        yield from _unanswered(place - 1, [one for one in asked if one not in answered])
        asked = [block["id"] for block in blocks(message) if block["type"] == "tool_use"]
    yield from _unanswered(len(messages) - 1, asked)


def _unanswered(place: int, ids: Sequence[str]) -> Iterator[str]:
    if ids:
        yield (
            f"messages.{place}: `tool_use` ids were found without `tool_result` blocks immediately after: "
            f"{', '.join(ids)}. Each `tool_use` block must have a corresponding `tool_result` block in the next message."
        )


def _ending_problems(message: Mapping[str, Any]) -> Iterator[str]:
    if message["role"] == "assistant" and (content := blocks(message)) and content[-1]["type"] == "text":
        text = content[-1]["text"]
        if text != text.rstrip():
            yield "messages: final assistant content cannot end with trailing whitespace"
