"""One tool of an agent: its schema, what it takes, and its companions (summary, quote, find).

A tool with an action has an effect: its schema asks the model for one more argument, `why`, which the tool itself never sees. The one
rule: arguments are validated first, and everything after, policy, fingerprint and digest, sees only what came out.
"""

import asyncio
import inspect
import logging
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, PydanticUserError, ValidationError, create_model

from engine.errors import Misconfigured
from engine.models import Line
from engine.results import shown
from engine.rules import digest, secrecy
from engine.rules.money import Money
from engine.rules.needs import QUESTION
from engine.rules.policy import Facts

_log = logging.getLogger(__name__)

F = TypeVar("F", bound=Callable[..., Any])

WHY: Final = "one to three sentences for the person who must approve: why this, why now"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What a tool with an effect is given beside its arguments.

    `attempt_key` is for the provider's idempotency key; `effect_key` and `metadata` are for looking the effect up again; `credential`
    was minted for this call, an access token for a tool that names an audience, and must not be kept. `timeout_s` is the tool's own limit: the call must have ended by then. In `find`,
    `since` is when the first attempt began (UTC seconds).
    """

    attempt_key: str
    effect_key: str
    metadata: dict[str, str]
    credential: str = field(repr=False)
    timeout_s: int
    since: int


class InvalidArguments(Exception):
    """Arguments that the tool does not take; the message is for the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A call with its arguments validated: `arguments` in JSON form with defaults, `values` as the tool takes them, `why` apart."""

    arguments: dict[str, Any]
    values: dict[str, Any]
    why: str


@dataclass(slots=True, kw_only=True)
class Tool:
    """One tool of an agent. Made by `@agent.tool`; it is still the function it decorates.

    `asks`: it is no function to be called, and its calls ask a person a question (ask_human).
    """

    function: Callable[..., Any]
    name: str
    description: str
    arguments: type[BaseModel]
    action: str | None = None
    amount: str | None = None
    payee: str | None = None
    title: str = ""
    details: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    credential: str | None = None
    audience: str | None = None
    timeout_s: int = 20
    key_window_s: int = 0
    settles_in_s: int = 60
    no_find: str = ""
    asks: bool = False
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

    @property
    def cannot_be_looked_up(self) -> bool:
        """It moves money, nothing can tell afterwards whether it did, and nobody has said that this is known."""
        return self.amount is not None and "find" not in self.companions and not self.no_find

    @property
    def ruled_by(self) -> str | None:
        """The action by which a policy's rules speak of its calls; None: of these none does."""
        return QUESTION if self.asks else self.action

    def looks_with_credential(self) -> bool:
        """Whether its `find` takes the effect, and so the credential."""
        return "find" in self.companions and "effect" in inspect.signature(self.companions["find"]).parameters

    def _names(self) -> set[str]:
        return set(self.arguments.model_fields)

    def _companion(self, kind: str, function: F, *, allowed: set[str]) -> F:
        if self.action is None:
            raise Misconfigured(
                [f"{self.name}.{kind}: the tool has no effect. Write @agent.tool(action=...), or take the {kind} away."]
            )
        if kind == "find" and self.no_find:
            raise Misconfigured([f"{self.name} says why it has no find, and has one. Take no_find away."])
        if kind in self.companions:
            raise Misconfigured([f"{self.name} has two functions for its {kind}. Keep one."])
        if kind == "summary" and (told := [n for n in inspect.signature(function).parameters if n in self.secrets]):
            raise Misconfigured(
                [
                    f"{self.name}.summary asks for {', '.join(told)}, which is secret, and everybody reads a summary. Take it out of it."
                ]
            )
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
        schema = deepcopy(_described(self.arguments))
        if self.action is not None:
            schema["properties"]["why"] = {"type": "string", "description": WHY}
            schema["required"] = [*schema.get("required", []), "why"]
        return {"name": self.name, "description": self.description, "input_schema": schema}

    @property
    def version(self) -> str:
        """What changes when its arguments do, or what of them is secret; how it is described to the model may be mended while an approval waits."""
        kept = {"secrets": sorted(self.secrets)} if self.secrets else {}
        return digest.digest("placet.tool.v1", {"name": self.name, "input": self.schema()["input_schema"], **kept})[:12]

    def bind(self, given: Mapping[str, Any]) -> Bound:
        """Validate first; everything after sees only what came out. Raises InvalidArguments with a sentence for the model."""
        arguments = dict(given)
        why = ""
        if self.action is not None:
            why = arguments.pop("why", "")
            if not isinstance(why, str) or not why.strip():
                raise InvalidArguments(f"Nothing was done: why: it is missing. Give {WHY}.")
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
        said = secrecy.without(secrecy.values(plain, self.secrets), digest.visible(why).strip())
        return Bound(arguments=plain, values=values, why=said)

    def readable(self, bound: Bound, value: Any) -> Any:
        """Text or a JSON value about this call, in which none of its secrets can be read."""
        return secrecy.without(secrecy.values(bound.arguments, self.secrets), value)

    def facts(self, bound: Bound) -> Facts:
        """What the policy looks at: of what is secret nothing, since its sentences are read."""
        assert self.action is not None
        amount = bound.values.get(self.amount) if self.amount else None
        payee = str(bound.values.get(self.payee) or "").strip() if self.payee else ""
        unread = {"amount": self.amount and not isinstance(amount, Money), "payee": self.payee and not payee}
        return Facts(
            action=self.action,
            amount=amount if isinstance(amount, Money) else None,
            payee=payee or None,
            arguments={name: value for name, value in bound.arguments.items() if name not in self.secrets},
            unread=tuple(name for name, is_missing in unread.items() if is_missing),
        )

    def lines(self, bound: Bound) -> tuple[Line, ...]:
        """Every argument as the approver reads it, labelled, in signature order; of a secret its mark."""
        masked = secrecy.masked(bound.values, self.secrets)
        return tuple(
            Line(
                label=name.replace("_", " ").capitalize(),
                value=self.readable(bound, shown(value)),
                detail=name in self.details,
            )
            for name, value in masked.items()
        )

    def summarise(self, bound: Bound) -> str:
        """The facts in one sentence, rendered by code; without a companion, or with one that fails, all arguments."""
        try:
            said = self.companion("summary", **bound.values)
        except Exception:  # noqa: BLE001  an author's function may raise anything; the approver must still be shown all there is
            _log.exception("the summary of %s failed; all arguments are shown in its place", self.name)
            said = None
        if isinstance(said, str) and said.strip():
            return str(self.readable(bound, digest.visible(said).strip()))
        return ", ".join(f"{line.label.lower()} {line.value}" for line in self.lines(bound))

    def run(self, bound: Bound, effect: Effect | None = None) -> Any:
        """Do it. What it raises is the author's."""
        return _call(self.function, **bound.values, **({"effect": effect} if effect else {}))


def arguments_of(function: Callable[..., Any], parameters: Mapping[str, inspect.Parameter]) -> type[BaseModel]:
    """The Pydantic model of a function's arguments. Raises Misconfigured for one that has no schema."""
    name = function.__name__
    try:
        hints = inspect.get_annotations(function, eval_str=True)
    except NameError as error:
        raise Misconfigured([f"{name}: an annotation cannot be read: {error}. Import what it names."]) from error
    fields: dict[str, Any] = {}
    faults = []
    for argument, parameter in parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            faults.append(f"{name}: *{argument} has no schema. Name every argument.")
        elif argument.startswith("_") or hasattr(BaseModel, argument):
            faults.append(
                f"{name}: a parameter cannot be called {argument}, which Pydantic keeps for itself. Rename it."
            )
        elif argument not in hints:
            faults.append(
                f"{name}: the parameter {argument} has no type. Annotate it; the model's schema comes from it."
            )
        else:
            fields[argument] = (hints[argument], ... if parameter.default is parameter.empty else parameter.default)
    if faults:
        raise Misconfigured(faults)
    try:
        model = create_model(
            f"{name}_arguments",
            __config__=ConfigDict(extra="forbid", allow_inf_nan=False, ser_json_inf_nan="constants"),
            **fields,
        )
        model.model_json_schema()
    except (NameError, PydanticUserError) as error:
        why = str(error).splitlines()[0]
        raise Misconfigured([f"{name}: its arguments have no schema. {why} Use types that JSON can hold."]) from error
    return model


@cache
def _described(arguments: type[BaseModel]) -> dict[str, Any]:
    """Arguments as a JSON schema; made once, since it takes milliseconds and every step needs it several times."""
    schema = arguments.model_json_schema()
    schema.pop("title", None)
    for prop in schema.get("properties", {}).values():
        prop.pop("title", None)
    schema.setdefault("properties", {})
    return schema


def _call(function: Callable[..., Any], **values: Any) -> Any:
    """Call what the author wrote. Whatever it raises is an Exception: what is meant to end a thread or a process is not the tool's to raise."""
    try:
        if inspect.iscoroutinefunction(function):
            return asyncio.run(function(**values))
        return function(**values)
    except (asyncio.CancelledError, SystemExit, KeyboardInterrupt, GeneratorExit, BaseExceptionGroup) as error:
        raise RuntimeError(f"it was broken off by {type(error).__name__}: {error}") from error
