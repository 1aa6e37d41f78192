"""A model that says what a script makes it say, behind the vendor's Messages API; mounted at `/anthropic`.

A script is a pure function of the request, as stateless as a real model: it must decide from the messages alone. The
requests are held to the vendor's rules (`histories`), and answers can be made to fail. Paths that begin with `_` are the
test surface. Nothing here outlives the process, for a model remembers nothing.
"""

import json
import re
import threading
import uuid
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.sandbox.faults import Cut, FaultScript
from bot.sandbox.histories import Block, Problem, blocks, problem_with, sign
from bot.sandbox.wire import Json, Refused, refused

MODELS = frozenset({"claude-haiku-4-5", "claude-opus-4-8", "claude-opus-5", "claude-sonnet-4-6", "claude-sonnet-5"})
"""The models this stand-in answers for, unless told otherwise; any other is 404 not_found_error."""

FAULTS = frozenset({"404_model", "429", "500", "529", "drop_after"})

_FAILURES = {
    "429": Problem(status=429, kind="rate_limit_error", message="This request would exceed your rate limit."),
    "500": Problem(status=500, kind="api_error", message="Internal server error"),
    "529": Problem(status=529, kind="overloaded_error", message="Overloaded"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer of the model: its content blocks and why it stopped.

    A `tool_use` block without an id gets a fresh one, a `thinking` block without a signature a valid one; blocks of
    unknown kinds are sent as they are.
    """

    content: tuple[Block, ...]
    stop_reason: str = "end_turn"


Script = Callable[[Mapping[str, Any]], Reply | Problem]
"""From the body of a request to what the model says, or to the error it answers with."""


def say(text: str) -> Reply:
    """Text, and the end of the turn."""
    return Reply(content=({"type": "text", "text": text},))


def ask(*calls: tuple[str, Mapping[str, Any]], saying: str = "") -> Reply:
    """Calls of tools, each a name and its input, in one turn; with a text before them unless it is empty."""
    text: tuple[Block, ...] = ({"type": "text", "text": saying},) if saying else ()
    uses = ({"type": "tool_use", "name": name, "input": given} for name, given in calls)
    return Reply(content=(*text, *uses), stop_reason="tool_use")


class QueueScript:
    """Gives the replies and errors it was given, in order, whatever it is asked: puts any turn before the loop.

    The one script with a memory; safe to use from threads. Once empty it answers 400, so that a test notices a call of
    the model that it did not expect.
    """

    def __init__(self, replies: Iterable[Reply | Problem]) -> None:
        self._replies = deque(replies)

    def __call__(self, _request: Mapping[str, Any]) -> Reply | Problem:
        """The next in the queue."""
        try:
            return self._replies.popleft()
        except IndexError:
            return Problem(message="scripted model: no reply is left, so this call was not expected.")


class Calls:
    """How often each conversation has asked the model, and how often an answer was made; by its first user text."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: Counter[str] = Counter()
        self._answered: Counter[str] = Counter()

    def asked(self, conversation: str) -> None:
        """Count a well-formed request, whatever becomes of it."""
        with self._lock:
            self._asked[conversation] += 1

    def answered(self, conversation: str) -> None:
        """Count an answer, whether or not it arrives."""
        with self._lock:
            self._answered[conversation] += 1

    def all(self) -> list[Json]:
        """A row for each conversation, in the order in which they began."""
        with self._lock:
            return [
                {"conversation": text, "asked": times, "answered": self._answered[text]}
                for text, times in self._asked.items()
            ]


def model_app(script: Script, *, models: Collection[str] = MODELS) -> Starlette:
    """`POST /v1/messages` answered by the script; `POST`/`DELETE /_faults` and `GET /_calls` for tests.

    A planned fault may be matched by the labelled lines of the first user text, as in `{"order_ref": "PO-2026-0193"}`.
    """
    faults, calls = FaultScript(FAULTS), Calls()

    async def messages(request: Request) -> Response:
        asked = _read(await request.body())
        if problem := _problem_with_headers(request) or problem_with(asked):
            return _refuse(problem)
        conversation = first_text(asked)
        calls.asked(conversation)
        fault = faults.take(labelled(conversation))
        if asked["model"] not in models or (fault and fault.kind == "404_model"):
            return _refuse(Problem(status=404, kind="not_found_error", message=f"model: {asked['model']}"))
        if fault and fault.kind in _FAILURES:
            return _refuse(_FAILURES[fault.kind], retry_after=fault.retry_after if fault.kind == "429" else None)
        reply = await run_in_threadpool(script, asked)
        if isinstance(reply, Problem):
            return _refuse(reply)
        calls.answered(conversation)
        return Cut() if fault else JSONResponse(_message(asked, reply), headers={"request-id": _fresh("req")})

    def count(_request: Request) -> JSONResponse:
        return JSONResponse({"calls": calls.all()})

    return Starlette(
        routes=[
            Route("/v1/messages", messages, methods=["POST"]),
            Route("/_calls", count, methods=["GET"]),
            *faults.routes(),
        ],
        exception_handlers={Refused: refused},
    )


def first_text(request: Mapping[str, Any]) -> str:
    """The first text of the first message, by which a conversation is known; empty if it opens with none."""
    opening = blocks(request["messages"][0])
    return next((str(block["text"]) for block in opening if block["type"] == "text"), "")


def labelled(text: str) -> dict[str, str]:
    """The lines of a text that read `label: value`, in lower case with underscores; a later one wins."""
    return dict(re.findall(r"^([a-z_]+): *(\S.*?) *$", text, flags=re.MULTILINE))


def _read(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None


def _problem_with_headers(request: Request) -> Problem | None:
    bearer = request.headers.get("authorization", "").removeprefix("Bearer ")  # how the SDK sends a key since version 2
    if not request.headers.get("x-api-key", bearer).startswith("sk-ant-"):
        return Problem(status=401, kind="authentication_error", message="invalid x-api-key")
    if "anthropic-version" not in request.headers:
        return Problem(message="anthropic-version: header is required")
    return None


def _message(asked: Mapping[str, Any], reply: Reply) -> Json:
    content = [_completed(block) for block in reply.content]
    return {
        "id": _fresh("msg"),
        "type": "message",
        "role": "assistant",
        "model": asked["model"],
        "content": content,
        "stop_reason": reply.stop_reason,
        "stop_sequence": None,
        "usage": {
            "input_tokens": _tokens([asked.get("system"), asked.get("tools"), asked["messages"]]),
            "output_tokens": _tokens(content),
        },
    }


def _completed(block: Block) -> Json:
    match block:
        case {"type": "tool_use"}:
            return {"id": _fresh("toolu"), **block}
        case {"type": "thinking"}:
            return {"signature": sign(block["thinking"]), **block}
        case _:
            return dict(block)


def _tokens(document: Any) -> int:
    """About four characters of JSON to a token, and never none."""
    return 1 + len(json.dumps(document)) // 4


def _refuse(problem: Problem, *, retry_after: int | None = None) -> Response:
    request_id = _fresh("req")
    headers = {"request-id": request_id} | ({} if retry_after is None else {"retry-after": str(retry_after)})
    body = {"type": "error", "error": {"type": problem.kind, "message": problem.message}, "request_id": request_id}
    return JSONResponse(body, status_code=problem.status, headers=headers)


def _fresh(prefix: str) -> str:
    return f"{prefix}_01{uuid.uuid4().hex[:22]}"
