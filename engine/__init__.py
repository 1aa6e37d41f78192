"""What a tool author imports: `from engine import Agent, Effect, Money, Quote`, and the errors a tool may raise."""

from engine.errors import ProviderRefused, QuoteUnavailable, Unknown
from engine.models import Quote
from engine.rules.money import Money
from engine.tool import Effect
from engine.tools import Agent, Order, Refused

__all__ = ["Agent", "Effect", "Money", "Order", "ProviderRefused", "Quote", "QuoteUnavailable", "Refused", "Unknown"]
