"""What the stand-ins share in reading a request: JSON that is refused whole, with the field named, when it is wrong."""

import json
from collections.abc import Set as AbstractSet
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

Json = dict[str, Any]


class Refused(Exception):
    """A request that is not carried out: the field at fault and a sentence saying what to send instead."""

    def __init__(
        self, field: str, message: str, *, status: int = HTTPStatus.BAD_REQUEST, kind: str = "invalid_request"
    ) -> None:
        super().__init__(f"{field}: {message}")
        self.answer = JSONResponse({"error": {"type": kind, "field": field, "message": message}}, status_code=status)


async def refused(_request: Request, error: Exception) -> Response:
    """The exception handler of a stand-in: answers a Refused as it asks to be answered."""
    if not isinstance(error, Refused):
        raise error
    return error.answer


async def read_json(request: Request) -> Any:
    """The body as JSON; Refused names `body` if it is none."""
    try:
        return json.loads(await request.body())
    except ValueError:
        raise Refused("body", "it is not JSON.") from None


def object_with(document: Any, *, required: AbstractSet[str], optional: AbstractSet[str] = frozenset()) -> Json:
    """The document as an object with these fields and no others; Refused names the first that is missing or unknown."""
    if not isinstance(document, dict):
        raise Refused("body", "send a JSON object.")
    for name in sorted(required - document.keys()):
        raise Refused(name, "it is missing.")
    for name in sorted(document.keys() - required - optional):
        raise Refused(name, f"it is unknown here; known are {', '.join(sorted(required | optional))}.")
    return document


def text_in(document: Json, name: str) -> str:
    """The field as text that is not blank; Refused names it otherwise."""
    value = document[name]
    if not isinstance(value, str) or not value.strip():
        raise Refused(name, "write it as text that is not empty.")
    return value
