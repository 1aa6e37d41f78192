"""The model's turn: one call of the Messages API, as received. The only module that imports anthropic (2 s, 86 MB): workers alone need it.

The SDK retries what can be retried, with back-off; what is left is final for the run, said in words that tell what to do.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import anthropic

from engine.models import Run
from engine.rules.turn import storable
from engine.tools import Agent

PRICES: Final[Mapping[str, tuple[str, str]]] = {
    "claude-opus-4-8": ("5", "25"),
    "claude-sonnet-5": ("3", "15"),
    "claude-haiku-4-5": ("1", "5"),
}
"""Dollars per million tokens, in and out, by the start of a model's name. A model that is not here refuses a bound on cost."""


class ModelFailed(Exception):
    """The model cannot be had; the message says why and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One reply: its content blocks unchanged, why it stopped, and what it cost (millionths of a dollar, 0 for an unknown model)."""

    content: list[dict[str, Any]]
    stop_reason: str | None
    tokens: int
    cost_micros: int


def client(
    api_key: str, base_url: str | None = None, *, timeout_s: float = 120, retries: int = 5
) -> Callable[..., Mapping[str, Any]]:
    """A function that calls the Messages API and gives the reply's JSON as received, for as long as the process lives."""
    base = base_url or os.environ.get("ANTHROPIC_BASE_URL")
    return calling(anthropic.Anthropic(api_key=api_key, base_url=base, timeout=timeout_s, max_retries=retries))


def calling(sdk: anthropic.Anthropic) -> Callable[..., Mapping[str, Any]]:
    """The same, through an SDK that is the caller's to close."""

    def complete(**request: Any) -> Mapping[str, Any]:
        raw = sdk.messages.with_raw_response.create(**request)
        received: Mapping[str, Any] = raw.http_response.json()
        return received

    return complete


def reply_to(
    complete: Callable[..., Mapping[str, Any]], agent: Agent, run: Run, messages: Sequence[Mapping[str, Any]]
) -> Reply:
    """Ask the run's model, the one pinned at its launch. Raises ModelFailed."""
    try:
        body = complete(
            model=run.model,
            max_tokens=agent.max_reply_tokens,
            system=agent.system,
            messages=list(messages),
            tools=[tool.schema() for tool in agent.tools.values()],
        )
    except anthropic.NotFoundError as error:
        raise ModelFailed(
            f"The model {run.model} is no longer there. Nothing was swapped silently: launch the agent again with another model."
        ) from error
    except anthropic.AuthenticationError as error:
        raise ModelFailed(
            "The model's service refused the API key. Check ANTHROPIC_API_KEY, and launch again."
        ) from error
    except anthropic.APIStatusError as error:
        raise ModelFailed(f"The model's service answered {error.status_code}: {error.message}"[:500]) from error
    except anthropic.APIConnectionError as error:
        raise ModelFailed(
            f"The model's service could not be reached: {error}. Launch again when it can be."[:500]
        ) from error
    except ValueError as error:
        raise ModelFailed(
            "What the model's service answered is no JSON. Check ANTHROPIC_BASE_URL, and launch again."
        ) from error
    return _read(run.model, body)


def _read(model: str, body: Mapping[str, Any]) -> Reply:
    try:
        usage = body.get("usage") or {}
        cached = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        spent_in, spent_out = sum(int(usage.get(k) or 0) for k in cached), int(usage.get("output_tokens") or 0)
        return Reply(
            content=[dict(block) for block in storable(body["content"])],
            stop_reason=body.get("stop_reason"),
            tokens=spent_in + spent_out,
            cost_micros=cost(model, spent_in, spent_out),
        )
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        what = f"{type(error).__name__}: {error}"[:200]
        raise ModelFailed(
            f"The model's service answered something that is no message ({what}). Launch again."
        ) from error


def cost(model: str, tokens_in: int, tokens_out: int) -> int:
    """Millionths of a dollar; 0 for a model whose price is not known."""
    for name, (price_in, price_out) in PRICES.items():
        if model.startswith(name):
            return int(Decimal(price_in) * tokens_in + Decimal(price_out) * tokens_out)
    return 0
