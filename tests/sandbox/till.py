"""A payment provider on a socket, and the real Stripe SDK as its client: for the tests of the sandbox."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import stripe
from starlette.applications import Starlette
from starlette.routing import Mount

from bot.sandbox.faults import Fault
from bot.sandbox.journal import Journal
from bot.sandbox.provider import Provider, provider_app
from tests.sandbox.loopback import serving

ORDER: dict[str, Any] = {
    "amount": 3_800_000,
    "currency": "eur",
    "payment_method": "pm_card_4417",
    "confirm": True,
    "customer": "cus_412",
    "description": "40 hydraulic pumps",
    "metadata": {"order_ref": "PO-2026-0193", "effect_key": "run:3:1"},
}


class Till:
    """A provider on a socket, and a client of it."""

    def __init__(self, provider: Provider, base: str) -> None:
        self.provider = provider
        self.base = base
        self.stripe = client(base)
        self.surface = httpx.Client(base_url=base, timeout=20)

    def pay(self, key: str | None = None, **changed: Any) -> stripe.PaymentIntent:
        options: stripe.RequestOptions = {"idempotency_key": key} if key else {}
        return self.stripe.v1.payment_intents.create(ORDER | changed, options)  # type: ignore[arg-type]

    def fail(self, kind: str, times: int | None = 1, **match: str) -> None:
        self.provider.faults.plan(Fault(kind=kind, match=match, times=times))

    def count(self) -> int:
        return len(self.surface.get("/_payments").json()["payments"])


def client(base: str, api_key: str = "sk_test_placet", seconds: float = 20) -> stripe.StripeClient:
    return stripe.StripeClient(
        api_key,
        base_addresses={"api": base},
        max_network_retries=0,
        http_client=stripe.RequestsClient(timeout=seconds),
    )


@contextmanager
def opened(journal: Path) -> Iterator[Till]:
    """A till on this journal."""
    provider = Provider(Journal(journal))
    with serving(Starlette(routes=[Mount("/stripe", provider_app(provider))])) as base:
        made = Till(provider, f"{base}/stripe")
        with made.surface:
            yield made
