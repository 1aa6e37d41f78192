"""The payment provider's face: a part of Stripe's HTTP API, and the surface by which a test makes it fail.

Mounted at `/stripe`. What it knows is in `payments`, what its answers look like in `stripe_shapes`; here a request
becomes a call, meets its fault if one is planned, and gets its answer. Paths that begin with `_` are the test surface.
"""

import math
import uuid
from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.sandbox.faults import Cut, Held
from bot.sandbox.payments import Call, Provider
from bot.sandbox.stripe_shapes import Answer, error, nested
from bot.sandbox.wire import Refused, object_with, read_json, refused, text_in

__all__ = ["Provider", "provider_app"]

_DOWN = error("Stripe is unavailable.", status=HTTPStatus.SERVICE_UNAVAILABLE, kind="api_error")


def provider_app(provider: Provider) -> Starlette:
    """Stripe's PaymentIntents (create, retrieve, list, search, cancel) in front of this provider, and its test surface."""
    app = Starlette(
        routes=[
            Route("/v1/payment_intents", _create, methods=["POST"]),
            Route("/v1/payment_intents", _page, methods=["GET"]),
            Route(
                "/v1/payment_intents/search", _search, methods=["GET"]
            ),  # before the next, or it would be an intent's id
            Route("/v1/payment_intents/{intent}", _retrieve, methods=["GET"]),
            Route("/v1/payment_intents/{intent}/cancel", _cancel, methods=["POST"]),
            Route("/_clock", _advance, methods=["POST"]),
            Route("/_search", _lag_search, methods=["POST"]),
            Route("/_keys", _revoke, methods=["POST"]),
            Route("/_payments", _payments, methods=["GET"]),
            Route("/_wait", _wait, methods=["GET"]),
            *provider.faults.routes(),
        ],
        exception_handlers={Refused: refused, HTTPStatus.NOT_FOUND: _no_such_url},
    )
    app.state.provider = provider
    return app


async def _create(request: Request) -> Response:
    return await _serve(request, "create", _provider(request).create)


async def _cancel(request: Request) -> Response:
    provider, intent_id = _provider(request), request.path_params["intent"]
    return await _serve(request, "cancel", lambda call: provider.cancel(call, intent_id))


async def _retrieve(request: Request) -> Response:
    provider, intent_id = _provider(request), request.path_params["intent"]
    return await _serve(request, "retrieve", lambda _call: provider.retrieve(intent_id))


async def _page(request: Request) -> Response:
    provider = _provider(request)
    return await _serve(request, "list", lambda call: provider.page(call.params, behind=call.behind))


async def _search(request: Request) -> Response:
    provider = _provider(request)
    return await _serve(request, "search", lambda call: provider.search(call.params))


async def _serve(request: Request, endpoint: str, act: Callable[[Call], Answer]) -> Response:
    """Check the API key, then answer, or fail as planned: before anything is done, or after."""
    provider = _provider(request)
    if unauthorised := provider.refusal_of(request.headers.get("authorization")):
        return _respond(unauthorised)
    sent = request.url.query if request.method == "GET" else (await request.body()).decode()
    params = dict(parse_qsl(sent, keep_blank_values=True))
    planned = provider.faults.take({**nested(params, "metadata"), "endpoint": endpoint})
    fault = planned.kind if planned else None
    if fault == "down":
        return _respond(_DOWN)
    if fault == "drop_before":
        return Cut()
    key = request.headers.get("idempotency-key")
    behind = planned.seconds if planned and fault == "list_lags" else 0
    call = Call(path=request.url.path, params=params, key=key, fault=fault, behind=behind)
    answer = await run_in_threadpool(act, call)
    if fault == "drop_after":
        return Cut()
    if fault == "hang_after":
        return Held(lambda: provider.let_go(key))
    return _respond(answer)


async def _advance(request: Request) -> Response:
    seconds = await _seconds(
        request, "advance_seconds", "a whole number of seconds, 0 or more: this clock only goes forward."
    )
    return JSONResponse({"now": _provider(request).advance(seconds)})


async def _lag_search(request: Request) -> Response:
    seconds = await _seconds(request, "lag_seconds", "a whole number of seconds, 0 or more.")
    _provider(request).lag_search(seconds)
    return JSONResponse({"lag_seconds": seconds})


async def _seconds(request: Request, name: str, fit: str) -> int:
    seconds = object_with(await read_json(request), required={name})[name]
    if type(seconds) is not int or seconds < 0:
        raise Refused(name, fit)
    return seconds


async def _revoke(request: Request) -> Response:
    api_key = text_in(object_with(await read_json(request), required={"revoke"}), "revoke")
    _provider(request).revoke(api_key)
    return JSONResponse({"revoked": True})


def _payments(request: Request) -> Response:
    return JSONResponse({"payments": _provider(request).payments()})


def _wait(request: Request) -> Response:
    """The payment for `order_ref`, as soon as it is stored; 408 if none is after `timeout` seconds (10)."""
    order_ref = request.query_params.get("order_ref")
    if not order_ref:
        raise Refused("order_ref", "name the order to wait for.")
    try:
        seconds = float(request.query_params.get("timeout", "10"))
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= 60:
        raise Refused("timeout", "a number of seconds from 0 to 60.")
    payment = _provider(request).wait_for(order_ref, seconds=seconds)
    if payment is None:
        message = f"no payment was stored for {order_ref} within {seconds:g} seconds."
        raise Refused("order_ref", message, status=HTTPStatus.REQUEST_TIMEOUT, kind="timeout")
    return JSONResponse({"payment": payment})


async def _no_such_url(request: Request, _error: Exception | None = None) -> Response:
    message = f"Unrecognized request URL ({request.method}: {request.url.path})."
    return _respond(error(message, status=HTTPStatus.NOT_FOUND))


def _provider(request: Request) -> Provider:
    provider = request.app.state.provider
    assert isinstance(provider, Provider)
    return provider


def _respond(answer: Answer) -> Response:
    """Stripe tells its clients not to retry a 500, because the key would only replay it."""
    headers = {"Request-Id": f"req_{uuid.uuid4().hex[:14]}", **answer.headers}
    if answer.status == HTTPStatus.INTERNAL_SERVER_ERROR:
        headers["Stripe-Should-Retry"] = "false"
    return JSONResponse(answer.body, status_code=answer.status, headers=headers)
