"""The example's agent, whose provider takes access tokens in place of a key."""

from engine import Agent
from examples.procurement import agent as example
from tests.oauth.identity import AUDIENCE

agent = Agent("procurement", model=example.agent.model, system=example.agent.system)
get_quote = agent.tool(example.get_quote.function)
charge_supplier = agent.tool(
    action="payment", amount="amount", payee="supplier_id", scopes=["payments:write"], detail=["item"], key_window="24h",
    settles_in="5s", audience=AUDIENCE,
)(example.charge_supplier.function)  # fmt: skip
charge_supplier.companions |= example.charge_supplier.companions
release_allocation = agent.tool(action="release", payee="supplier_id", key_window="24h")(
    example.release_allocation.function
)
release_allocation.companions |= example.release_allocation.companions
