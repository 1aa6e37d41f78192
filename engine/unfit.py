"""What is wrong with a tool as its author wrote it: each fault is a sentence that says what to write instead."""

from collections.abc import Collection, Sequence
from types import NoneType
from typing import get_args

from engine import question_tool
from engine.rules import addresses
from engine.rules.documents import Unfit, length
from engine.rules.money import Money
from engine.rules.needs import QUESTION
from engine.tool import Tool


def faults(tool: Tool, others: Collection[str], *, takes_effect: bool) -> list[str]:
    """What is wrong with it; `others` are the names that the agent has already. `takes_effect`: whether it has a parameter for its Effect."""
    faults = []
    arguments = tool.arguments.model_fields
    if tool.name in others:
        faults.append("the agent has a tool of that name already. Rename one.")
    if tool.action == QUESTION:
        faults.append(
            f"the action {QUESTION!r} is what {question_tool.NAME} asks about: Agent(..., ask_human=True). Name yours differently."
        )
    if takes_effect and tool.action is None:
        faults.append(
            'it takes an Effect but names no action. Write @agent.tool(action="payment"), as the policy calls it.'
        )
    if tool.action is None and any(
        (
            tool.amount,
            tool.payee,
            tool.details,
            tool.secrets,
            tool.scopes,
            tool.credential,
            tool.audience,
            tool.no_find,
        )
    ):
        faults.append(
            "amount, payee, detail, secret, scopes, credential, audience and no_find are for a tool with an effect. "
            "Name its action, or take them away."
        )
    if tool.action is not None and not takes_effect:
        faults.append(
            f"it has the action {tool.action!r} but takes no Effect. Give it a first parameter: effect: Effect."
        )
    faults += _audience(tool) if tool.audience is not None else []
    if "why" in arguments and tool.action is not None:
        faults.append("`why` is the approver's argument, which the tool never sees. Name yours differently.")
    named = (*(("detail", d) for d in tool.details), *(("secret", s) for s in tool.secrets))
    for role, name in (("amount", tool.amount), ("payee", tool.payee), *named):
        if name is not None and name not in arguments:
            faults.append(f"{role}={name!r} is no parameter of it. Write one of: {', '.join(arguments)}.")
    if tool.amount in arguments and arguments[tool.amount].annotation is not Money:
        faults.append(f"the amount {tool.amount!r} must be annotated as Money, so that it is exact.")
    return faults + _secrets(tool)


def _secrets(tool: Tool) -> list[str]:
    """What is wrong with what a tool calls secret."""
    faults = []
    for name in tool.secrets:
        role = {tool.amount: "amount", tool.payee: "payee"}.get(name)
        if role:
            faults.append(
                f"its {role} {name!r} cannot be secret: who approves must read it. Take it out of secret, or name another {role}."
            )
        field = tool.arguments.model_fields.get(name)
        if field is not None and not role and set(get_args(field.annotation) or (field.annotation,)) - {str, NoneType}:
            faults.append(
                f"the secret {name!r} must be annotated as str, so that it can be found where it is to be hidden."
            )
    return faults


def _audience(tool: Tool) -> list[str]:
    """What is wrong with how a tool asks for access tokens."""
    faults = []
    if tool.credential is not None:
        faults.append("it has a credential and an audience, and only one of them can be its own. Take the other away.")
    if why := addresses.unfit(str(tool.audience)):
        faults.append(f'audience={tool.audience!r} cannot be used: {why}. Write it as in "https://payments.example".')
    if not tool.scopes:
        faults.append(
            "it has an audience and no scopes, so that its tokens could do anything. Name the scopes that it needs."
        )
    return faults


def seconds(name: str, written: str, faults: list[str]) -> int:
    """A span as it is written, as in "20s"; 0, with the fault noted, for one that is none."""
    try:
        return length(written)
    except Unfit as unfit:
        faults.append(f"{name}: {unfit.why} {unfit.fix}")
        return 0


def several(name: str, given: Sequence[str], faults: list[str]) -> tuple[str, ...]:
    """The names in a list; none, with the fault noted, for a text."""
    if isinstance(given, str):  # it would be taken for its letters
        faults.append(f'{name} is a list. Write {name}=["{given}"].')
        return ()
    return tuple(given)
