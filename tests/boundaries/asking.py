"""An agent that buys as the example's does, and may ask a person what it does not know."""

from typing import Final

from engine import Agent
from examples.procurement import agent as buys

MODULE: Final = __name__

agent = Agent("asking", model=buys.agent.model, system=buys.agent.system, ask_human=True)
agent.tools |= buys.agent.tools
