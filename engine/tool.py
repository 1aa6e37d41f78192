"""One tool of an agent: its schema, what it takes, its companions (summary, quote, find), and what its result reads like.

A tool with an action has an effect: its schema asks the model for one more argument, `why`, which the tool itself never sees. The one
rule: arguments are validated first, and everything after, policy, fingerprint and digest, sees only what came out.
"""

import asyncio
import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from engine.errors import Misconfigured
from engine.models import Line
from engine.rules import digest
from engine.rules.money import Money, format_money
from engine.rules.policy import Facts

F = TypeVar("F", bound=Callable[..., Any])

WHY: Final = "one to three sentences for the person who must approve: why this, why now"
LONGEST_RESULT: Final = 100_000
"""Characters of a tool's result that the model is given; more is cut with a visible mark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What a tool with an effect is given beside its arguments.

    `attempt_key` is for the provider's idempotency key; `effect_key` and `metadata` are for looking the effect up again; `credential`
    was minted for this call and must not be kept. In `find`, `since` is when the first attempt began (UTC seconds).
    """

    attempt_key: str
    effect_key: str
    metadata: dict[str, str]
    credential: str
    since: int


class InvalidArguments(Exception):  # noqa: N818
    """Arguments that the tool does not take; the message is for the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A call with its arguments validated: `arguments` in JSON form with defaults, `values` as the tool takes them, `why` apart."""

    arguments: dict[str, Any]
    values: dict[str, Any]
    why: str


@dataclass(slots=True, kw_only=True)
class Tool:
    """One tool of an agent. Made by `@agent.tool`; it is still the function it decorates."""

    function: Callable[..., Any]
    name: str
    description: str
    arguments: type[BaseModel]
    action: str | None = None
    amount: str | None = None
    payee: str | None = None
    title: str = ""
    details: frozenset[str] = frozenset()
    scopes: tuple[str, ...] = ()
    credential: str | None = None
    timeout_s: int = 20
    key_window_s: int = 86_400
    settles_in_s: int = 60
    companions: dict[str, Callable[..., Any]] = field(default_factory=dict)

    def __call__(self, *args: Any, **values: Any) -> Any:
        """Call the function itself."""
        return self.function(*args, **values)

    def summary(self, function: F) -> F:
        """`@tool.summary`: the facts in one sentence, from arguments taken by name."""
        return self._companion("summary", function, allowed=self._names())

    def quote(self, function: F) -> F:
        """`@tool.quote`: the present price as a Quote; raises QuoteUnavailable."""
        return self._companion("quote", function, allowed=self._names())

    def find(self, function: F) -> F:
        """`@tool.find`: did it already happen? Its receipt, None (surely not), or raises Unknown."""
        return self._companion("find", function, allowed=self._names() | {"effect"})

    def _names(self) -> set[str]:
        return set(self.arguments.model_fields)

    def _companion(self, kind: str, function: F, *, allowed: set[str]) -> F:
        if self.action is None:
            raise Misconfigured(
                [f"{self.name}.{kind}: the tool has no effect. Write @agent.tool(action=...), or take the {kind} away."]
            )
        if kind in self.companions:
            raise Misconfigured([f"{self.name} has two functions for its {kind}. Keep one."])
        if strange := [n for n in inspect.signature(function).parameters if n not in allowed]:
            raise Misconfigured(
                [
                    f"{self.name}.{kind} asks for {', '.join(strange)}, which the tool does not take. Write some of: {', '.join(sorted(allowed))}."
                ]
            )
        self.companions[kind] = function
        return function

    def companion(self, kind: str, **values: Any) -> Any:
        """Call a companion with the arguments it asks for by name; None if there is no such companion."""
        function = self.companions.get(kind)
        if function is None:
            return None
        wanted = inspect.signature(function).parameters
        return _call(function, **{name: value for name, value in values.items() if name in wanted})

    def schema(self) -> dict[str, Any]:
        """The tool as the Messages API takes it."""
        schema = self.arguments.model_json_schema()
        schema.pop("title", None)
        for prop in schema.get("properties", {}).values():
            prop.pop("title", None)
        schema.setdefault("properties", {})
        if self.action is not None:
            schema["properties"]["why"] = {"type": "string", "description": WHY}
            schema["required"] = [*schema.get("required", []), "why"]
        return {"name": self.name, "description": self.description, "input_schema": schema}

    @property
    def version(self) -> str:
        """What changes when the tool's schema does."""
        return digest.digest("placet.tool.v1", self.schema())[:12]

    def bind(self, given: Mapping[str, Any]) -> Bound:
        """Validate first; everything after sees only what came out. Raises InvalidArguments with a sentence for the model."""
        arguments = dict(given)
        why = ""
        if self.action is not None:
            why = arguments.pop("why", "")
            if not isinstance(why, str) or not why.strip():
                raise InvalidArguments(f"why: it is missing. Give {WHY}.")
        try:
            model = self.arguments.model_validate(arguments)
            plain = model.model_dump(mode="json")
            digest.canonical(plain)
        except ValidationError as error:
            said = "; ".join(f"{'.'.join(str(p) for p in e['loc']) or 'arguments'}: {e['msg']}" for e in error.errors())
            raise InvalidArguments(f"Nothing was done: {said}.") from error
        except digest.DigestError as error:
            raise InvalidArguments(f"Nothing was done: {error}") from error
        values = {name: getattr(model, name) for name in self.arguments.model_fields}
        return Bound(arguments=plain, values=values, why=digest.visible(why).strip())

    def facts(self, bound: Bound) -> Facts:
        """What the policy looks at."""
        assert self.action is not None
        amount = bound.values.get(self.amount) if self.amount else None
        payee = bound.values.get(self.payee) if self.payee else None
        return Facts(action=self.action, amount=amount, payee=str(payee) if payee is not None else None)

    def lines(self, bound: Bound) -> tuple[Line, ...]:
        """Every argument as the approver reads it, labelled, in signature order."""
        return tuple(
            Line(label=name.replace("_", " ").capitalize(), value=_shown(value), detail=name in self.details)
            for name, value in bound.values.items()
        )

    def summarise(self, bound: Bound) -> str:
        """The facts in one sentence, rendered by code; without a companion, all arguments."""
        said = self.companion("summary", **bound.values)
        if isinstance(said, str) and said.strip():
            return digest.visible(said).strip()
        return ", ".join(f"{line.label.lower()} {line.value}" for line in self.lines(bound))

    def run(self, bound: Bound, effect: Effect | None = None) -> Any:
        """Do it. What it raises is the author's."""
        return _call(self.function, **bound.values, **({"effect": effect} if effect else {}))


def result_text(value: Any) -> str:
    """A tool's result as the model is given it: never empty, never too long, nothing that cannot be stored.

    Raises InvalidArguments for what JSON cannot hold (NaN, infinity): a price that is no number is never passed on.
    """
    if isinstance(value, str):
        text = value
    elif value is None:
        text = ""
    else:
        try:
            text = json.dumps(value, allow_nan=False, ensure_ascii=False, default=_plain)
        except ValueError as error:
            raise InvalidArguments(f"The tool's result cannot be written down: {error}.") from error
    text = digest.visible(text)
    if len(text) > LONGEST_RESULT:
        text = f"{text[:LONGEST_RESULT]}\n[cut here: {len(text) - LONGEST_RESULT} more characters]"
    return text if text.strip() else "(no result)"


def _plain(value: Any) -> Any:
    if isinstance(value, Money):
        return value.to_document()
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    return str(value)


def _shown(value: Any) -> str:
    if isinstance(value, Money):
        return format_money(value)
    return digest.visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=_plain))


def arguments_of(function: Callable[..., Any], parameters: Mapping[str, inspect.Parameter]) -> type[BaseModel]:
    """The Pydantic model of a function's arguments. Raises Misconfigured for one without a type or without a name."""
    hints = inspect.get_annotations(function, eval_str=True)
    fields: dict[str, Any] = {}
    for name, parameter in parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise Misconfigured([f"{function.__name__}: *{name} has no schema. Name every argument."])
        if name not in hints:
            raise Misconfigured(
                [
                    f"{function.__name__}: the parameter {name} has no type. Annotate it; the model's schema comes from it."
                ]
            )
        fields[name] = (hints[name], ... if parameter.default is parameter.empty else parameter.default)
    config = ConfigDict(extra="forbid", allow_inf_nan=False)
    return create_model(f"{function.__name__}_arguments", __config__=config, **fields)


def _call(function: Callable[..., Any], **values: Any) -> Any:
    if inspect.iscoroutinefunction(function):
        return asyncio.run(function(**values))
    return function(**values)
