"""What goes wrong behind the HTTP API, mapped once to a status and a body: {"error", "field"?, "what_stands"?}."""

import logging
from collections.abc import Mapping
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from engine.errors import BadInput, Conflict, EngineError, Misconfigured, NotFound
from engine.state import outage

log = logging.getLogger(__name__)

_DOCS: Final = "GET /docs says what there is."


def install(app: FastAPI) -> None:
    """Answer every error of this app in one shape."""
    app.add_exception_handler(RequestValidationError, _unreadable)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(EngineError, _engine)
    for kind in outage.Error:
        app.add_exception_handler(kind, _away)
    app.add_exception_handler(outage.Unstorable, _unstorable)
    app.add_exception_handler(Exception, _fault)


def _unreadable(_request: Request, error: Exception) -> JSONResponse:
    """Bad input: the first field that is wrong, by its name in the request."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    if why := _unlike_json(first):
        return _bad_body(why)
    place = [str(part) for part in first["loc"][1:] if not isinstance(part, int) or first["type"] != "json_invalid"]
    field = ".".join(place) or "body"
    why = first["msg"].removeprefix("Value error, ")
    return JSONResponse({"error": f"{field}: {why}.", "field": field}, status_code=422)


def _unlike_json(first: Mapping[str, Any]) -> str | None:
    """What is wrong with a body as a whole; None: it is one of its fields."""
    if first["type"] == "json_invalid":
        return f"it is no JSON from character {first['loc'][-1]} on. Send one JSON object."
    if tuple(first["loc"]) == ("body",):
        return "it is no JSON object. Send one, with the header Content-Type: application/json."
    return None


def _bad_body(why: str) -> JSONResponse:
    return JSONResponse({"error": f"body: {why}", "field": "body"}, status_code=422)


def _http(request: Request, error: Exception) -> JSONResponse:
    """What the framework itself refuses, in words that say what to do."""
    assert isinstance(error, HTTPException)
    said = error.detail
    match error.status_code:
        case 400:
            return _bad_body(_unread(error.__cause__))
        case 404:
            said = f"There is nothing at this address. {_DOCS}"
        case 405:
            allowed = (error.headers or {}).get("Allow", "other methods")
            said = f"This address takes {allowed} and not {request.method}. {_DOCS}"
    return JSONResponse({"error": said}, status_code=error.status_code, headers=error.headers)


def _unread(cause: BaseException | None) -> str:
    """Why a body that may be JSON could not be read."""
    match cause:
        case UnicodeDecodeError():
            return "it is not UTF-8. Send it as UTF-8."
        case ValueError():  # of Python's, which reads no number of more than 4300 digits
            return "it holds a number of thousands of digits. Send no such number."
    return "it cannot be read. Send one JSON object, with the header Content-Type: application/json."


def _engine(_request: Request, error: Exception) -> JSONResponse:
    body: dict[str, Any] = {"error": str(error)}
    match error:
        case BadInput(field=field):
            return JSONResponse(body | {"field": field}, status_code=422)
        case NotFound():
            return JSONResponse(body, status_code=404)
        case Conflict(stands=stands):
            return JSONResponse(body | {"what_stands": stands}, status_code=409)
        case Misconfigured():
            return JSONResponse(body, status_code=503)
    log.error("an error that the API has no status for: %r", error)
    return JSONResponse(body, status_code=500)


def _away(_request: Request, error: Exception) -> JSONResponse:
    """The database is away. Whether anything was recorded is said, since a caller must know whether to try again."""
    log.error("the database failed a request: %s", error)
    nothing = outage.surely_nothing(error)
    said = "Nothing was recorded: try again." if nothing else "It may have been recorded: look before you try again."
    return JSONResponse(
        {"error": f"The database cannot be reached. {said}"}, status_code=503, headers={"Retry-After": "1"}
    )


def _unstorable(_request: Request, error: Exception) -> JSONResponse:
    log.error("a request held a value that the database does not take: %s", error)
    said = "The request holds a value that no database takes, so nothing was recorded. Look for characters that cannot be seen."
    return JSONResponse({"error": said}, status_code=422)


def _fault(_request: Request, _error: Exception) -> JSONResponse:
    return JSONResponse(
        {"error": "Something went wrong here; the log says what. Look at what stands before you try again."},
        status_code=500,
    )
