"""Stripe's list of PaymentIntents: by customer and time of creation, page by page. It has no filter on metadata.

Pure, as stripe_shapes is. What the list knows, and how far it is behind, is the provider's business.
"""

from collections.abc import Iterator, Sequence

from bot.sandbox.stripe_shapes import Answer, Params, integer, nested, no_such_intent, page_size, unknown
from bot.sandbox.wire import Json

_LIST = {"created", "customer", "limit", "starting_after"}


def list_page(newest_first: Sequence[Json], params: Params) -> Answer:
    """One page of those that are asked for, or the first thing wrong with the parameters."""
    if problem := next(_problems(params), None):
        return problem
    after = params.get("starting_after")
    if after is not None:
        ids = [intent["id"] for intent in newest_first]
        if after not in ids:
            return no_such_intent(after)
        newest_first = newest_first[ids.index(after) + 1 :]
    found = [intent for intent in newest_first if _is_asked_for(intent, params)]
    limit = int(params.get("limit", 10))
    return Answer(
        body={
            "object": "list",
            "url": "/v1/payment_intents",
            "has_more": len(found) > limit,
            "data": found[:limit],
        }
    )


def _problems(params: Params) -> Iterator[Answer]:
    yield from unknown(params, _LIST)
    for name in ("created", *(f"created[{bound}]" for bound in ("gt", "gte", "lt", "lte"))):
        yield from integer(params, name)
    yield from page_size(params)


def _is_asked_for(intent: Json, params: Params) -> bool:
    created, bounds = intent["created"], {bound: int(at) for bound, at in nested(params, "created").items()}
    return bool(
        params.get("customer", intent["customer"]) == intent["customer"]
        and created == int(params.get("created", created))
        and bounds.get("gte", created) <= created <= bounds.get("lte", created)
        and bounds.get("gt", created - 1) < created < bounds.get("lt", created + 1)
    )
