"""The outside world of an ordinary chaos: the sandbox's, with a model that also pays lists, and asks people what it does not know."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from bot.sandbox import outside
from bot.sandbox.buyer import buyer
from bot.sandbox.histories import blocks
from bot.sandbox.model import Reply
from tests.chaos.outside import script as lists_and_orders

QUESTION: Final = {"question": "Which of the two pumps is meant?", "choices": ["The small one", "The large one"]}


def script(request: Mapping[str, Any]) -> Reply:
    """What the model says; one that may ask a person does so in the turn in which it pays."""
    if all(tool["name"] != "ask_human" for tool in request.get("tools", ())):
        return lists_and_orders(request)
    said = buyer(request)
    pays = any(block.get("name") == "charge_supplier" for block in said.content)
    if not pays or any(
        block.get("name") == "ask_human" for message in request["messages"] for block in blocks(message)
    ):
        return said
    return replace(said, content=(*said.content, {"type": "tool_use", "name": "ask_human", "input": QUESTION}))


if __name__ == "__main__":
    outside.main(script)
