"""The command /approvals: what waits, one request or run, and what may be done with a run. Answered to who typed it, and nobody else.

A subcommand is a function from what was typed to a message. A decision is never typed: lists carry the same buttons as cards.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from slack_bolt import Ack, App

from bot.cards import blocks, doubts, lists, modals, parts
from bot.cards.ids import screen_id
from bot.cards.parts import Message
from bot.cards.seen import seen, seen_line
from bot.delivery.who import Turned
from bot.http.bodies import INPUT_MOST
from bot.listeners import away, operators
from bot.listeners.desk import UNSTORABLE, Desk, Failed
from bot.listeners.typed import COMMAND, SURFACE, Typed
from engine.errors import EngineError
from engine.models import DoubtfulEffect
from engine.rules.digest import visible
from engine.state import db, halts, ledger, pauses, people, runs

Json = dict[str, Any]

_INPUT = 3_000


def register(app: App, desk: Desk) -> None:
    """Listen to the command."""

    def typed(ack: Ack, body: Json) -> None:
        match desk.attempt(lambda: answer(desk, body)):
            case Failed(sentence=sentence):
                message = parts.answer(sentence)
            case message:
                pass
        ack(text=message.text, blocks=message.blocks)

    app.command(COMMAND)(typed)


def answer(desk: Desk, body: Json) -> Message:
    """What is said to a command; refusals and mistakes are answers too."""
    person = desk.who(body)
    if isinstance(person, Turned):
        return parts.answer(person.sentence)
    text = (body.get("text") or "").strip()
    if visible(text) != text:
        return parts.answer(UNSTORABLE)
    verb, _, words = text.partition(" ")
    act = SUBCOMMANDS.get(verb.lower() or "mine")
    if act is None:
        return parts.answer(f"There is no {COMMAND} {seen_line(verb).text[:40]}. What there is:\n{HELP}")
    try:
        return act.do(
            Typed(
                desk=desk, actor=person.actor, words=words.strip(), key=f"slack:{body['trigger_id']}", known=frozenset(SUBCOMMANDS)
            )
        )  # fmt: skip
    except EngineError as error:
        return parts.answer(str(error))


# ------------------------------------------------------------------------------------------------------------- what waits


def _mine(typed: Typed) -> Message:
    with typed.desk.courier.pool.connection() as conn:
        doubted = [one for one in ledger.in_doubt(conn) if doubts.is_for(one, typed.actor.id, typed.actor.roles)]
    return _waiting(typed, "Waiting for you", typed.words, doubted, person=typed.actor.id)


def _all(typed: Typed) -> Message:
    return _waiting(typed, "Waiting", typed.words)


def _asked(typed: Typed) -> Message:
    return _waiting(typed, "Asked for you", typed.words, asked_by=typed.actor.id)


def _role(typed: Typed) -> Message:
    role, _, page = typed.words.partition(" ")
    with typed.desk.courier.pool.connection() as conn:
        there_are = {held for one in people.everybody(conn) if one.active for held in one.roles}
    roles = f"The roles that somebody holds: {', '.join(sorted(there_are)) or 'none'}."
    if not role:
        return parts.answer(f"Which role? Write {COMMAND} role NAME. {roles}")
    if role not in there_are:
        return parts.answer(f"Nobody holds the role {seen_line(role).text[:60]}. {roles}")
    return _waiting(typed, f"Waiting for {seen_line(role).text[:60]}", page, role=role)


def _waiting(typed: Typed, title: str, page: str, doubted: Sequence[DoubtfulEffect] = (), **whose: str) -> Message:
    offset = _offset(page)
    if offset is None:
        return parts.answer(f"{seen_line(page).text[:40]} is no page. Write a number from 1, or nothing for the first.")
    with typed.desk.courier.pool.connection() as conn:
        rows = pauses.waiting(conn, limit=lists.PAGE, offset=offset, **whose)
        contents, halt = pauses.contents(conn, rows), halts.standing(conn)
    return lists.waiting_list(
        rows,
        contents,
        title=title,
        me=typed.actor,
        offset=offset,
        env=typed.desk.courier.env,
        doubted=doubted,
        halt=halt,
    )


def _offset(page: str) -> int | None:
    if not page:
        return 0
    return (int(page) - 1) * lists.PAGE if re.fullmatch("[0-9]{1,4}", page) and int(page) else None


def _show(typed: Typed) -> Message:
    """A request as its card, with the buttons of who asks to see it; or a run."""
    if typed.words.lower().startswith("run_"):
        return _run(typed)
    with typed.desk.courier.pool.connection() as conn:
        ordered = runs.of_order(conn, typed.words)
    if ordered:
        return _run(typed)
    with typed.desk.courier.pool.connection() as conn:
        pause = pauses.get(conn, pause_named(conn, typed.words))
    own = pause.on_behalf_of == typed.actor.id
    level = pause.level if modals.may_decide(pause, typed.actor) else -1
    return blocks.card(pause, kind="requester" if own else "approver", level=level, env=typed.desk.courier.env)


def pause_named(conn: db.Conn, text: str) -> UUID:
    """The pause that people mean by "pause_5d21ab", its last hex digits, or its whole id. Raises NotFound or BadInput."""
    return runs.by_tail(text, "pause", lambda tail: pauses.find(conn, tail))


# ------------------------------------------------------------------------------------------------------------------ runs


def _runs(typed: Typed) -> Message:
    offset = _offset(typed.words)
    if offset is None:
        return parts.answer(f"{seen_line(typed.words).text[:40]} is no page. Write a number from 1, or nothing.")
    with typed.desk.courier.pool.connection() as conn:
        found, halt = runs.listed(conn, limit=lists.PAGE, offset=offset), halts.standing(conn)
        asked = {run.id: pauses.get(conn, run.last_pause).content for run in found if run.last_pause}
    last = {run_id: content for run_id, content in asked.items() if content is not None}
    return lists.runs_list(found, offset=offset, halt=halt, last=last)


def _run(typed: Typed) -> Message:
    with typed.desk.courier.pool.connection() as conn:
        run = runs.get(conn, runs.named(conn, typed.words))
    title = f"{screen_id('run', run.id)}: {run.status.replace('_', ' ')}"
    asked = f"{seen_line(run.agent).text} agent for {seen_line(run.requester_name or run.on_behalf_of).text}"
    money = f"{run.iterations} of {run.max_iterations} replies, {run.tokens} tokens"
    waits = [screen_id("pause", pause) for pause in run.pauses]
    again = (
        f"Asks again {screen_id('pause', run.of_pause)} of {screen_id('run', run.of_run)}."
        if run.of_run and run.of_pause
        else ""
    )
    said = run.error or run.result
    return Message(
        text=parts.escape(title),
        blocks=[
            parts.header(title),
            *parts.small(asked, money, parts.Moment("since {}", run.created_at)),
            *(parts.small(again) if again else []),
            *parts.quoted("You asked" if run.on_behalf_of == typed.actor.id else "Asked", _whole(run.input)),
            *(parts.quoted("Why it ended" if run.error else "Its answer", _whole(said)) if said else []),
            *(parts.small(f"Requests: {', '.join(waits[-20:])}") if waits else []),
        ],
    )


def _whole(text: str) -> str:
    return parts.cut(seen(text).text, _INPUT, "… (cut here; placet show and its id have all of it)")


def _launch(typed: Typed) -> Message:
    name, _, text = typed.words.partition(" ")
    agent = typed.desk.agents.get(name)
    if agent is None:
        there_are = ", ".join(sorted(typed.desk.agents)) or "none here"
        return parts.answer(f"There is no agent {seen_line(name).text[:60] or '(none named)'}. There are: {there_are}.")
    if not text.strip():
        return parts.answer(f"What should it do? Write {COMMAND} launch {name} and the task.")
    if len(text.strip()) > INPUT_MOST:
        return parts.answer(
            f"The task is {len(text.strip()):,} characters long, and at most {INPUT_MOST:,} are taken. Write it shorter."
        )
    what = agent.launch(input=text.strip(), on_behalf_of=typed.actor.id, launch_key=typed.key)
    with typed.desk.courier.pool.connection() as conn:
        run_id, _new = runs.launch(conn, what, actor=typed.actor.id, surface=SURFACE)
    typed.desk.kick()
    number = screen_id("run", run_id)
    return parts.answer(f"{number} has begun. You hear from it here; {COMMAND} run {number} shows where it stands.")


def _help(_typed: Typed) -> Message:
    return parts.answer(HELP)


@dataclass(frozen=True, slots=True)
class Subcommand:
    """What it does, and how it is written and explained in the help."""

    do: Callable[[Typed], Message]
    usage: str
    meaning: str


SUBCOMMANDS: Final[Mapping[str, Subcommand]] = {
    "mine": Subcommand(_mine, "[mine]", "what waits for you"),
    "all": Subcommand(_all, "all", "everything that waits"),
    "role": Subcommand(_role, "role NAME", "what waits for a role"),
    "asked": Subcommand(_asked, "asked", "what was asked for you and waits"),
    "show": Subcommand(_show, "show PAUSE", "one request, whole; or the run of an order"),
    "runs": Subcommand(_runs, "runs", "the runs, newest first"),
    "run": Subcommand(_run, "run RUN", "one run"),
    "launch": Subcommand(_launch, "launch AGENT TASK", "have an agent do something for you"),
    "pause": Subcommand(operators.pause, "pause RUN", "stop a run between two steps"),
    "resume": Subcommand(operators.resume, "resume RUN", "let a paused run go on"),
    "cancel": Subcommand(operators.cancel, "cancel RUN", "withdraw a run and what it asks"),
    "away": Subcommand(away.away, "away NAME TIME", "have somebody answer for you, for 5d or until 2026-08-17"),
    "back": Subcommand(away.back, "back", "answer for yourself again"),
    "halt": Subcommand(
        operators.halt, "halt [WHY]", "operators: stop every action at once; requests still wait and are decided"
    ),
    "resume-effects": Subcommand(
        operators.resume_effects, "resume-effects", "operators: let actions go on after a halt"
    ),
    "help": Subcommand(_help, "help", "this list"),
}
HELP: Final = "\n".join(f"{COMMAND} {one.usage}: {one.meaning}" for one in SUBCOMMANDS.values())
