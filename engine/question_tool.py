"""The built-in tool `ask_human`: a model asks a person a question, and waits for the answer as it waits for a yes.

An agent has it if its author says so: `Agent(..., ask_human=True)`. Whom it asks, for how long, and where it goes from there is the policy's
to say, in the rules of the action "question". The one rule: an answer approves nothing.
"""

import inspect
from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field

from engine.rules.needs import QUESTION
from engine.rules.policy import Facts
from engine.rules.policy_arguments import Takes, takes
from engine.rules.questions import CHOICE_MOST, CHOICES_MOST, QUESTION_MOST
from engine.tool import Tool, arguments_of

NAME: Final = "ask_human"


def _said(text: str) -> str:
    if not text.strip():
        raise ValueError("it is blank.")
    return text.strip()


def _choice(text: str) -> str:
    if "\n" in text:
        raise ValueError("a choice is one line.")
    return _said(text)


def _distinct(choices: tuple[str, ...]) -> tuple[str, ...]:
    if len(choices) == 1 or len(set(choices)) < len(choices):
        raise ValueError(f"give none, or 2 to {CHOICES_MOST} different ones.")
    return choices


def _ask_human(
    question: Annotated[
        str,
        Field(max_length=QUESTION_MOST, description="everything the person must know to answer, in full sentences"),
        AfterValidator(_said),
    ],
    choices: Annotated[
        tuple[Annotated[str, Field(max_length=CHOICE_MOST), AfterValidator(_choice)], ...],
        Field(
            max_length=CHOICES_MOST,
            description="short answers to choose among; they may answer in their own words all the same",
        ),
        AfterValidator(_distinct),
    ] = (),
) -> str:
    """Ask a person what only a person can tell, and wait for the answer, which may take days.

    Use it when you cannot go on without knowing, and by itself: what you call beside it is done once it is answered, whatever the answer.
    The answer approves nothing: what needs a yes is asked about when you call it.
    """  # fmt: skip
    raise AssertionError(f"a question is asked, never run: {question} {choices}")


def tool() -> Tool:
    """The tool as a model is given it."""
    parameters = inspect.signature(_ask_human).parameters
    return Tool(
        function=_ask_human, name=NAME, description=inspect.getdoc(_ask_human) or NAME,
        arguments=arguments_of(_ask_human, parameters), asks=True,
    )  # fmt: skip


def facts(agent: str, arguments: Mapping[str, Any]) -> Facts:
    """What a policy looks at in a question: which agent asks, and what."""
    return Facts(action=QUESTION, arguments={"agent": agent, **arguments})


def taken() -> Takes:
    """What the conditions of a rule may name of a question."""
    schema = tool().arguments.model_json_schema(mode="serialization")
    properties = {"agent": {"type": "string"}, **schema["properties"]}
    return takes(NAME, QUESTION, {**schema, "properties": properties}, has_amount=False)
