"""The arguments of one Web API call, as Slack reads them from a form, a query or a JSON body.

A form carries only strings, so a list arrives as JSON text, a number as digits, a boolean as `1` or `true`; each is read
by what the method expects. What cannot be read is an `ApiError`, Slack's `ok: false`.
"""

import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request

Json = dict[str, Any]

MOST = 1_000
"""Things in one page, whatever its `limit`."""


class ApiError(Exception):
    """An answer with HTTP 200 and `ok: false`; `error` is Slack's name for it, `more` goes beside it."""

    def __init__(self, error: str, **more: Any) -> None:
        super().__init__(error)
        self.error = error
        self.more = more


@dataclass(frozen=True, slots=True)
class Args:
    """The arguments by name, read by type."""

    values: Json

    def __contains__(self, name: str) -> bool:
        return self.values.get(name) is not None

    def text(self, name: str, default: str = "") -> str:
        """A string."""
        value = self.values.get(name)
        if value is None:
            return default
        if not isinstance(value, str):
            raise ApiError("invalid_arguments", response_metadata={"messages": [f"[ERROR] {name} must be a string"]})
        return value

    def needed(self, name: str, error: str) -> str:
        """A string that must be there; Slack answers `error` without it."""
        if not (value := self.text(name)):
            raise ApiError(error)
        return value

    def flag(self, name: str) -> bool:
        """A boolean, false when it is not given."""
        return self.values.get(name) in (True, 1, "1", "true", "True")

    def whole(self, name: str, default: int) -> int:
        """A number that counts something."""
        value = self.values.get(name, default)
        try:
            return int(value)
        except (TypeError, ValueError):
            raise ApiError("invalid_arguments") from None

    def parsed(self, name: str, error: str) -> Any:
        """A JSON value, given as such or as text; None when it is not given. Slack answers `error` to bad JSON."""
        value = self.values.get(name)
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value)
        except ValueError:
            raise ApiError(error) from None

    def page(self, items: list[Any], default: int) -> tuple[list[Any], Json]:
        """One page of `items` by `limit` and `cursor`, and the answer's `response_metadata`. A cursor is one that was given out before."""
        limit = min(self.whole("limit", default) or default, MOST)
        if limit < 0:
            raise ApiError("invalid_limit")
        start, cursor = 0, self.text("cursor")
        if cursor:
            given = re.fullmatch(r"at:([0-9]+)", cursor)
            start = int(given[1]) if given else 0
            if not 0 < start < len(items):
                raise ApiError("invalid_cursor")
        end = start + limit
        return items[start:end], {"next_cursor": f"at:{end}" if end < len(items) else ""}


async def read_args(request: Request) -> Args:
    """The arguments of a call; a body takes precedence over the query."""
    values: Json = dict(request.query_params)
    body = await request.body()
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if not body:
        return Args(values)
    if kind == "application/json":
        try:
            given = json.loads(body)
        except ValueError:
            raise ApiError("invalid_json") from None
        if not isinstance(given, dict):
            raise ApiError("json_not_object")
        return Args(values | given)
    if kind == "application/x-www-form-urlencoded":
        try:
            return Args(values | dict(parse_qsl(body.decode(), keep_blank_values=True)))
        except ValueError:
            raise ApiError("invalid_form_data") from None
    raise ApiError("invalid_post_type" if kind else "missing_post_type")
