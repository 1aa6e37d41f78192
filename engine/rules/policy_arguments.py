"""Faults between the rules of a policy and the tools they are about: a name in `confirm` or `when` that no call has.

The one rule: only what can never be is a fault. What is typed must be there at every tool of the action, since a call without it is
refused; a condition must be about an argument of one of them at least, since one that cannot be judged never makes a need smaller.
"""

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.rules.confirmations import AMOUNT
from engine.rules.documents import Fault
from engine.rules.policy import Rule

_ANY: Final = "*"
"""In place of a name: any may stand there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Takes:
    """What the calls of a tool have. `paths` are those of its arguments, "address.country" too; `typed` those that are text or a whole number.

    `has_amount`: the tool says which argument its amount is. `secret`: arguments that nobody is shown.
    """

    tool: str
    action: str
    paths: frozenset[str]
    typed: frozenset[str]
    has_amount: bool
    secret: frozenset[str] = frozenset()


def takes(tool: str, action: str, schema: Mapping[str, Any], *, has_amount: bool, secret: Sequence[str] = ()) -> Takes:
    """The same of a tool's arguments as their JSON schema has them."""
    definitions = schema.get("$defs", {})
    properties = schema.get("properties", {})
    typed = {name for name, inner in properties.items() if {"string", "integer", _ANY} & _kinds(inner, definitions)}
    return Takes(
        tool=tool, action=action, paths=frozenset(_paths(schema, definitions, ())), typed=frozenset(typed),
        has_amount=has_amount, secret=frozenset(secret),
    )  # fmt: skip


def against_tools(rules: Sequence[Rule], tools: Sequence[Takes]) -> list[Fault]:
    """The faults of rules whose action one of these tools has; the others cannot be judged by them."""
    faults: list[Fault] = []
    for rule in rules:
        of_action = [tool for tool in tools if tool.action == rule.action]
        if rule.need.confirm:
            faults += (rule.fault("confirm", *why) for tool in of_action if (why := _unfit(rule.need.confirm, tool)))
        for name in dict.fromkeys(".".join(condition.path) for condition in rule.when):
            faults += (
                rule.fault("when", *_is_secret(tool, name))
                for tool in of_action
                if name.partition(".")[0] in tool.secret
            )
            if of_action and not any(_has(tool, name) for tool in of_action):
                faults += (rule.fault("when", *_lacks(tool.tool, name, tool.paths)) for tool in of_action)
    return list(dict.fromkeys(faults))


def _unfit(confirm: str, tool: Takes) -> tuple[str, str] | None:
    """Why nothing can be typed of it and what to write instead; None if it can."""
    if confirm in tool.secret:
        return _is_secret(tool, confirm)
    if confirm in tool.typed or (confirm == AMOUNT and tool.has_amount):
        return None
    able = tool.typed - tool.secret | ({AMOUNT} if tool.has_amount else set())
    if confirm not in tool.paths or confirm == AMOUNT:
        return _lacks(tool.tool, confirm, able)
    return f"{confirm} of {tool.tool} is neither text nor a whole number.", _those(able)


def _is_secret(tool: Takes, name: str) -> tuple[str, str]:
    why = f"{name.partition('.')[0]} of {tool.tool} is secret, and people would read of it what stands here."
    return why, "Name an argument that is not."


def _lacks(tool: str, name: str, there: frozenset[str] | set[str]) -> tuple[str, str]:
    near = difflib.get_close_matches(name, sorted(there), n=1)
    return f"{tool} has no {name}.", f"Did you mean {near[0]}?" if near else _those(there)


def _those(there: frozenset[str] | set[str]) -> str:
    return f"Write one of {', '.join(sorted(there))}." if there else "Take it out."


def _has(tool: Takes, name: str) -> bool:
    parts = name.split(".")
    return name in tool.paths or any(".".join([*parts[:n], _ANY]) in tool.paths for n in range(len(parts)))


def _paths(schema: Mapping[str, Any], definitions: Mapping[str, Any], above: tuple[str, ...]) -> Iterator[str]:
    """All names under a schema; `above`: the definitions it stands in, of which one that holds itself may go on for ever."""
    if ref := schema.get("$ref", ""):
        if ref in above:
            yield _ANY
            return
        yield from _paths(_resolved(ref, definitions), definitions, (*above, ref))
    for part in _parts(schema):
        yield from _paths(part, definitions, above)
    for name, inner in schema.get("properties", {}).items():
        yield name
        yield from (f"{name}.{below}" for below in _paths(inner, definitions, above))
    if schema.get("additionalProperties") or _says_nothing(schema):
        yield _ANY


def _kinds(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> set[str]:
    """The types a value may have."""
    if ref := schema.get("$ref", ""):
        return _kinds(_resolved(ref, definitions), definitions)
    found = {kind for part in _parts(schema) for kind in _kinds(part, definitions)}
    found |= {_ANY} if _says_nothing(schema) or "const" in schema or "enum" in schema else set()
    kind = schema.get("type", [])
    return found | ({kind} if isinstance(kind, str) else set(kind))


def _resolved(ref: str, definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = definitions.get(ref.rpartition("/")[2], {})
    return found


def _parts(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [part for key in ("anyOf", "oneOf", "allOf") for part in schema.get(key, ())]


def _says_nothing(schema: Mapping[str, Any]) -> bool:
    return not {"type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const"} & set(schema)
