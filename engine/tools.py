"""The tool author's face: an Agent, the decorators that give it tools, and the loading of agents by module. All is checked at import.

What is wrong is refused where it is written, with a sentence saying what to write; what is missing, when the agent is loaded.
"""

import importlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

from engine import question_tool, unfit
from engine.errors import BadInput, Misconfigured
from engine.rules import digest, policy_arguments
from engine.rules.policy_arguments import Takes
from engine.state.runs import Launch
from engine.tool import Tool, arguments_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One line of an orders file as an agent takes it: a name for it, the words the run starts from, and the call it is expected to lead to."""

    ref: str
    text: str
    tool: str
    arguments: dict[str, Any]


class Refused(Exception):
    """A row of an orders file that cannot be read; `field` names what is wrong. `ref` is its reference; None if not even that can be read."""

    def __init__(self, field: str, why: str, ref: str | None = None) -> None:
        super().__init__(f"{field}: {why}")
        self.field = field
        self.why = why
        self.ref = ref


class Agent:
    """A named agent: a model, its instructions, its tools, and what it may do in its requester's name.

    Bounds: `max_iterations` model replies, `max_tokens` in all (None: no bound). Durations of tools are written "20s", "24h".
    `ask_human`: it may ask a person a question and wait for the answer; whom, say the policy's rules of the action "question".
    """

    def __init__(
        self,
        name: str,
        *,
        model: str,
        system: str,
        max_iterations: int = 25,
        max_tokens: int | None = None,
        max_reply_tokens: int = 4096,
        acts_as: str | None = None,
        ask_human: bool = False,
    ) -> None:
        if not isinstance(ask_human, bool):  # whom it may ask is not the author's to say
            why = "ask_human is True or False; whom it asks is said by the policy's rules of the action question."
            raise Misconfigured([f"{name}: {why}"])
        self.name = name
        self.model = model
        self.system = system
        self.max_iterations = max_iterations
        self.max_tokens = max_tokens
        self.max_reply_tokens = max_reply_tokens
        self.acts_as = acts_as or f"agent:{name}"
        self.tools: dict[str, Tool] = {question_tool.NAME: question_tool.tool()} if ask_human else {}
        self._order: Callable[[Mapping[str, Any]], Order] | None = None

    @overload
    def tool(self, function: Callable[..., Any], /) -> Tool: ...

    @overload
    def tool(
        self,
        *,
        action: str,
        amount: str | None = None,
        payee: str | None = None,
        title: str | None = None,
        detail: Sequence[str] = (),
        secret: Sequence[str] = (),
        scopes: Sequence[str] = (),
        timeout: str = "20s",
        key_window: str | None = None,
        settles_in: str = "60s",
        credential: str | None = None,
        no_find: str = "",
        audience: str | None = None,
    ) -> Callable[[Callable[..., Any]], Tool]: ...

    def tool(
        self,
        *functions: Callable[..., Any],
        action: str | None = None,
        amount: str | None = None,
        payee: str | None = None,
        title: str | None = None,
        detail: Sequence[str] = (),
        secret: Sequence[str] = (),
        scopes: Sequence[str] = (),
        timeout: str = "20s",
        key_window: str | None = None,
        settles_in: str = "60s",
        credential: str | None = None,
        no_find: str = "",
        audience: str | None = None,
    ) -> Any:
        """`@agent.tool` for a tool without effect, `@agent.tool(action=...)` for one that changes the world.

        `amount` and `payee` name the arguments that hold them; `detail` those that may leave the card for Details; `secret` those, all text, that nobody is shown:
        who reads sees that there is one, and of one of 16 characters or more how long it is and how its SHA-256 begins; `scopes` what the
        requester must hold; `timeout` bounds one call, `settles_in` is how long until the provider's list shows what happened,
        `credential` the environment variable that holds its key; or in its place `audience`, the provider's address as your identity server
        knows it: then an access token with exactly these scopes is minted for each call. `key_window` is for how long the provider answers `effect.attempt_key`
        seen once more with what it did before, and does nothing; None: it does not, and a call whose answer is lost is never made again,
        but looked for with `find`, or a person is asked. A tool that moves money (it has an `amount`) must have a `find`, or say in
        `no_find` why there is none, as in no_find="Our bank has no list."; a `find` comes after its tool, so this is looked at when the
        agent is loaded, launched, or given to a worker. Raises Misconfigured with what to write instead.
        """

        def add(function: Callable[..., Any]) -> Tool:
            faults: list[str] = []
            parameters = dict(inspect.signature(function).parameters)
            effect = parameters.pop("effect", None)
            made = Tool(
                function=function,
                name=function.__name__,
                description=inspect.getdoc(function) or function.__name__.replace("_", " "),
                arguments=arguments_of(function, parameters),
                action=action,
                amount=amount,
                payee=payee,
                title=title or _title(action),
                details=unfit.several("detail", detail, faults),
                secrets=unfit.several("secret", secret, faults),
                scopes=unfit.several("scopes", scopes, faults),
                credential=credential,
                audience=audience,
                timeout_s=unfit.seconds("timeout", timeout, faults),
                key_window_s=0 if key_window is None else unfit.seconds("key_window", key_window, faults),
                settles_in_s=unfit.seconds("settles_in", settles_in, faults),
                no_find=no_find.strip(),
            )
            if no_find and not made.no_find:
                faults.append('no_find is blank. Say why there is no find, as in no_find="Our bank has no list."')
            faults += unfit.faults(made, self.tools, takes_effect=effect is not None)
            if faults:
                raise Misconfigured([f"{made.name}: {fault}" for fault in faults])
            self.tools[made.name] = made
            return made

        return add(*functions) if functions else add

    def check(self) -> None:
        """What can only be told when all of it is written. Raises Misconfigured for a tool that moves money and cannot be looked up."""
        faults = [
            f'{tool.name}: it moves money (amount="{tool.amount}"), and when an answer is lost nothing can tell whether it did. '
            f'Write @{tool.name}.find, or say why there is none: @agent.tool(..., no_find="Our bank has no list.").'
            for tool in self.tools.values()
            if tool.cannot_be_looked_up
        ]
        if faults:
            raise Misconfigured(faults)

    def order(self, function: Callable[[Mapping[str, Any]], Order]) -> Callable[[Mapping[str, Any]], Order]:
        """`@agent.order`: how a row of an orders file becomes an Order; raises Refused for one it cannot read."""
        self._order = function
        return function

    def read_order(self, row: Mapping[str, Any]) -> Order:
        """A row of an orders file. Raises Refused, and Misconfigured for an agent that takes no orders."""
        if self._order is None:
            raise Misconfigured(
                [f"The agent {self.name} takes no orders files. Give it an @agent.order, or launch it with --input."]
            )
        return self._order(row)

    @property
    def scopes(self) -> tuple[str, ...]:
        """All that its tools may need in a requester's name."""
        return tuple(sorted({scope for tool in self.tools.values() for scope in tool.scopes}))

    def launch(self, *, input: str, on_behalf_of: str, launch_key: str | None = None) -> Launch:  # noqa: A002  the API's own word
        """What a run of this agent starts from. Raises BadInput for an empty input: a model is asked nothing with it. See `check`."""
        self.check()
        if not input.strip():
            raise BadInput("input", "it is empty. Say what the agent is to do.")
        return Launch(
            agent=self.name, on_behalf_of=on_behalf_of, input=digest.visible(input), model=self.model, acts_as=self.acts_as,
            scopes=self.scopes, max_iterations=self.max_iterations, max_tokens=self.max_tokens, launch_key=launch_key,
        )  # fmt: skip


def _title(action: str | None) -> str:
    if action is None:
        return ""
    return f"Approve {'an' if action[0] in 'aeiou' else 'a'} {action.replace('_', ' ')}?"


def load(modules: Sequence[str]) -> dict[str, Agent]:
    """The agents of these modules by name. Raises Misconfigured with all that is wrong."""
    found: dict[str, Agent] = {}
    faults = []
    for module in modules:
        try:
            loaded = importlib.import_module(module)
        except Misconfigured as error:
            faults += [f"{module}: {fault}" for fault in error.faults]
            continue
        except ImportError as error:
            faults.append(
                f"{module} cannot be imported: {error}. Check PLACET_AGENTS, a comma-separated list of modules, "
                f"each installed or in the current directory ({Path.cwd()})."
            )
            continue
        except Exception as error:  # noqa: BLE001  an author's module may raise anything; the others are looked at all the same
            faults.append(f"{module} fails when it is imported: {type(error).__name__}: {error}. Mend it.")
            continue
        agents = [value for value in vars(loaded).values() if isinstance(value, Agent)]
        if not agents:
            faults.append(f"{module} holds no Agent. Write agent = Agent(...) in it.")
        for agent in agents:
            try:
                agent.check()
            except Misconfigured as error:
                faults += [f"{module}: {fault}" for fault in error.faults]
            if found.setdefault(agent.name, agent) is not agent:
                faults.append(f"{module}: another agent is called {agent.name!r} already. Rename one.")
    if faults:
        raise Misconfigured(faults)
    return found


def taken(agents: Mapping[str, Agent]) -> list[Takes]:
    """What the calls of all tools with an effect have, and their questions, for a policy to be held to."""
    tools = [tool for agent in agents.values() for tool in agent.tools.values()]
    effects = [
        policy_arguments.takes(
            tool.name,
            tool.action,
            tool.arguments.model_json_schema(mode="serialization"),
            has_amount=bool(tool.amount),
            secret=tool.secrets,
        )
        for tool in tools
        if tool.action
    ]
    return [*effects, *([question_tool.taken()] if any(tool.asks for tool in tools) else [])]
