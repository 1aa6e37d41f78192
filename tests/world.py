"""What lies outside our process, on loopback: payment provider, suppliers, and the model behind its Messages API. Real SDKs call it."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anthropic
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import ASGIApp

from bot.sandbox.buyer import buyer
from bot.sandbox.journal import Journal
from bot.sandbox.model import model_app
from bot.sandbox.provider import Provider, provider_app
from bot.sandbox.suppliers import Suppliers, suppliers_app
from engine.state import db, runs
from engine.tools import load
from engine.workers import loop, model
from engine.workers.means import Complete, Means
from tests.sandbox.loopback import serving

AGENT = "examples.procurement.agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The outside world of one test."""

    address: str
    provider: Provider
    suppliers: Suppliers
    complete: Complete

    def payments(self, order_ref: str) -> list[Mapping[str, Any]]:
        """The payments that the provider made for an order: what counts, whatever our rows say."""
        return [
            p
            for p in self.provider.payments()
            if p["metadata"].get("order_ref") == order_ref and p["status"] == "succeeded"
        ]


@contextmanager
def world(
    folder: Path, script: Any = buyer, before_provider: Callable[[ASGIApp], ASGIApp] = lambda app: app
) -> Iterator[World]:
    """Serve it, and point the environment of this process at it. `before_provider` puts something in front of the payment provider."""
    provider = Provider(Journal(folder / "provider.jsonl"))
    suppliers = Suppliers(Journal(folder / "suppliers.jsonl"), names={"sup_412": "Nordholz Industrial"})
    app = Starlette(
        routes=[
            Mount("/stripe", before_provider(provider_app(provider))),
            Mount("/suppliers", suppliers_app(suppliers)),
            Mount("/anthropic", model_app(script)),
        ]
    )
    with serving(app) as address:
        given = {
            "STRIPE_API_BASE": f"{address}/stripe",
            "STRIPE_API_KEY": "sk_test_placet",
            "SUPPLIERS_URL": f"{address}/suppliers",
        }
        before = {name: os.environ.get(name) for name in given}
        os.environ.update(given)
        try:
            # Certificates are read in 30 ms, and nobody here has one.
            plain = anthropic.DefaultHttpxClient(verify=False)
            base = f"{address}/anthropic"
            with anthropic.Anthropic(api_key="sk-ant-test", base_url=base, max_retries=0, http_client=plain) as sdk:
                yield World(address=address, provider=provider, suppliers=suppliers, complete=model.calling(sdk))
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value


def means(pool: db.Pool, outside: World, agents: Mapping[str, Any] | None = None) -> Means:
    """A worker's means in that world."""
    return Means(pool=pool, agents=agents or load([AGENT]), complete=outside.complete, name="w1", lease_s=60)


def work(with_means: Means) -> int:
    """Claim and advance runs until none is left to do; how many times one was claimed."""
    count = 0
    while claim := with_means.do(runs.claim, with_means.name, list(with_means.agents), lease_s=with_means.lease_s):
        loop.advance(with_means, claim)
        count += 1
        assert count < 100, "a run is claimed over and over"
    return count


ORDER = """Buy this order.
order_ref: {ref}
supplier_id: sup_412
supplier: Nordholz Industrial
item: hydraulic pumps
quantity: 40
amount: {amount}
currency: EUR
payment_method: pm_card_4417"""


def order(ref: str = "PO-1", amount: str = "38000.00") -> str:
    """An order as a run starts from it."""
    return ORDER.format(ref=ref, amount=amount)
