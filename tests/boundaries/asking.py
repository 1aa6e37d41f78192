"""An agent that buys as the example's does, and may ask a person what it does not know."""

from typing import Final

from engine import Agent
from examples.procurement import agent as buys

MODULE: Final = __name__

agent = Agent("asking", model=buys.agent.model, system=buys.agent.system, ask_human=True)
agent.tools |= buys.agent.tools


def rule(answer_within: str) -> str:
    """What a policy says of its questions: Marta is asked, and then her manager."""
    return f"""
[[rule]]
name = "questions"
action = "question"
need = "ask"
person = "marta"
answer_within = "{answer_within}"
on_expiry = "escalate"
escalate = [{{ manager_of = "approver" }}]
"""
