"""`placet show`: a run as it went, or a request with everything it holds; for reading, or as JSON for a program or an auditor."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

import typer
from rich.text import Text

from bot.cards.ids import screen_id
from bot.cards.outcomes import receipt_facts, told
from bot.cards.phrases import answering, approver_name, named
from bot.commands import needs
from bot.commands.runs import LONG_IN_LINE_S, no_worker
from bot.commands.terminal import (
    database,
    facts,
    heading,
    plain,
    plain_joined,
    plain_lines,
    say,
    say_data,
    show,
    table,
    when,
)
from engine.errors import BadInput, NotFound
from engine.models import EffectLine, Event, Pause, RunRecord, Superseded
from engine.record import in_clear, record
from engine.rules import confirmations
from engine.rules.digest import short
from engine.rules.needs import Need, who
from engine.rules.people import People
from engine.state import db, events, ledger, pauses, people, runs

app = typer.Typer()


@app.command(name="show")
def show_one(
    name: Annotated[
        str,
        typer.Argument(
            metavar="ID", help="run_5d21ab or pause_5d21ab, the last digits of an id, or the order of a run."
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="The whole record, for a program or an auditor.")] = False,
    clear: Annotated[bool, typer.Option("--secrets", help="With --json, of a request: secret arguments, too.")] = False,
) -> None:
    """Show a run or a request, whole."""
    if clear and not as_json:
        raise BadInput("--secrets", "it goes with --json: what people read has none.")
    with database() as conn:
        kind, found = _named(conn, name)
        if kind == "run" and clear:
            raise BadInput("--secrets", "it is for one request. `placet show` names those of a run.")
        if kind == "run":
            _run(conn, found, as_json=as_json)
        else:
            _pause(pauses.get(conn, found), people.everybody(conn), as_json=as_json, clear=clear)


def _named(conn: db.Conn, name: str) -> tuple[str, UUID]:
    """Whether a run or a request is meant, and which: an order names its run, and digits alone may be those of either."""
    if ordered := runs.of_order(conn, name):
        return "run", ordered
    prefix = name.strip().lower().partition("_")[0]
    finds = {"run": runs.find, "pause": pauses.find}
    asked = [prefix] if prefix in finds else list(finds)
    found: dict[str, UUID] = {}
    missing = None
    for kind in asked:
        find = finds[kind]
        try:
            found[kind] = runs.by_tail(name, kind, lambda tail, find=find: find(conn, tail))
        except NotFound as error:
            missing = error
    if len(found) > 1:
        raise BadInput("ID", f"a run and a request both end in {plain(name)}. Write run_ or pause_ before it.")
    if not found:
        assert missing is not None
        raise (
            missing
            if len(asked) == 1
            else NotFound(
                f"No run and no request has an id ending in {plain(name)}. `placet runs` and `placet pending` list what there is."
            )
        )
    return next(iter(found.items()))


# --------------------------------------------------------------------------------------------------------------- a request


def _pause(pause: Pause, everybody: People, *, as_json: bool, clear: bool) -> None:
    if as_json:
        say_data(_json(in_clear(pause) if clear else record(pause)))
        return
    stands, held = told(pause), pause.content
    say(f"{screen_id('pause', pause.id)}: {plain(stands.head)}", stands.text)
    if held is None:
        say(
            "Its content was altered after it was stored, so nothing of it can be trusted. `--json` gives the text as it is stored."
        )
    else:
        heading(plain(held.title) if pause.status == "waiting" else f"Asked: {plain(held.title)}")
        say(plain_lines(held.summary))
        facts(*((plain(line.label), plain_lines(line.value)) for line in held.lines))
        if held.explanation:
            heading("Why, in the agent's words")
            say(plain_lines(held.explanation))
        heading("By what right")
        need = held.need
        facts(
            ("asked by", f"the {plain(held.agent)} agent, acting as {plain(held.acts_as)}"),
            ("for", named(pause.requester_name, held.on_behalf_of)),
            ("scopes", ", ".join(held.scopes)),
            ("rule", f"“{plain(need.rule)}”, {need.policy_version}"),
            ("why it is asked", plain_joined(need.why)),
            ("needs", _needs(need)),
            ("to be typed", plain(confirmations.what(held.confirm)) if held.confirm else ""),
            ("price", "" if need.is_question else needs.tolerance(need)),
            (
                "quote",
                f"{held.quote.price}, valid until {when(held.quote.valid_until) or 'further notice'}"
                if held.quote
                else "",
            ),
            ("if nobody answers", needs.silence(need, everybody)),
        )
    _inquiries(pause)
    heading("Where it stands")
    facts(
        ("with", approver_name(pause.approver, pause.approver_name) if pause.status == "waiting" else ""),
        ("asked", when(pause.created_at)),
        ("answer by", when(pause.fire_at)),
        *(
            (vote.verdict, f"{answering(pause, vote.name, vote.person)}, {when(vote.at)}, by {plain(vote.surface)}")
            for vote in pause.votes
        ),
        ("settled", when(pause.decided_at)),
        ("answer" if pause.status == "answered" else "reason", plain_lines(pause.reason or "")),
        ("to be done by", when(pause.execute_by) if pause.status == "approved" else ""),
        *receipt_facts(pause.receipt),
        ("run", screen_id("run", pause.run_id)),
        ("in place of", _replaced(held.supersedes) if held and held.supersedes else ""),
        ("asked again in", screen_id("run", pause.again_run) if pause.lapsed and pause.again_run else ""),
        ("digest", short(pause.digest)),
    )


def _inquiries(pause: Pause) -> None:
    if not pause.inquiries:
        return
    heading("Inquiries to the requester")
    for one in pause.inquiries:
        say(f"{one.n}. {plain(one.name)}, {when(one.at)}, by {plain(one.surface)}:", plain_lines(one.text))
        if one.reply is None:
            say("Not answered yet." if pause.status == "waiting" else "It was not answered.")
        else:
            say(f"Answered {when(one.replied_at)}, by {plain(one.replied_in or '')}:", plain_lines(one.reply))


def _replaced(before: Superseded) -> str:
    return f"{screen_id('pause', before.pause_id)}, {plain_joined(before.why)}"


def _needs(need: Need) -> str:
    if need.is_question:
        return f"the answer of {who(need)}"
    return f"{need.approvers} of the role {need.role}" if need.role else f"the yes of {need.person}"


# ------------------------------------------------------------------------------------------------------------------- a run


def _run(conn: db.Conn, run_id: UUID, *, as_json: bool) -> None:
    run = runs.get(conn, run_id)
    effects, logged = ledger.of_run(conn, run_id), events.of_run(conn, run_id)
    asked = [pauses.get(conn, pause_id) for pause_id in run.pauses]
    if as_json:
        whole = asdict(run) | {"pauses": [record(pause) for pause in asked]}
        say_data(_json(whole | {"effects": [asdict(e) for e in effects], "events": [asdict(e) for e in logged]}))
        return
    pausing = ", pausing" if run.hold and run.status != "paused" else ""
    say(f"{screen_id('run', run.id)}: {run.status.replace('_', ' ')}{pausing}")
    if (run.queued_s or 0) > LONG_IN_LINE_S:
        say(f"It has been in line for more than {LONG_IN_LINE_S} seconds. {no_worker(run.agent)}")
    facts(
        ("agent", f"{plain(run.agent)}, acting as {plain(run.acts_as)}, model {plain(run.model)}"),
        ("for", named(run.requester_name, run.on_behalf_of)),
        ("since", when(run.created_at)),
        ("replies", f"{run.iterations} of {run.max_iterations}, {run.tokens} tokens"),
        ("launched as", plain(run.launch_key or "")),
        (
            "asks again",
            f"{screen_id('pause', run.of_pause)} of {screen_id('run', run.of_run)}"
            if run.of_run and run.of_pause
            else "",
        ),
        ("result", plain_lines(run.result or "")),
        ("error", plain_lines(run.error or "")),
    )
    heading("What it was asked")
    say(plain_lines(run.input))
    _turns(run)
    _asked(asked)
    _effects(effects)
    _record(logged)


def _turns(run: RunRecord) -> None:
    replies = [message for message in run.messages if message["role"] == "assistant"]
    if not replies:
        return
    heading("Turns")
    made = table("turn", "it said", "it called")
    for number, reply in enumerate(replies, 1):
        blocks = (
            reply["content"] if isinstance(reply["content"], list) else [{"type": "text", "text": reply["content"]}]
        )
        said = "\n".join(block["text"] for block in blocks if block.get("type") == "text")
        calls = [
            f"{block['name']} {json.dumps(block['input'], ensure_ascii=False)}"
            for block in blocks
            if block.get("type") == "tool_use"
        ]
        made.add_row(str(number), Text(plain_lines(said)), Text(plain_lines("\n".join(calls))))
    show(made)


def _asked(asked: Sequence[Pause]) -> None:
    if not asked:
        return
    heading("Requests")
    made = table("request", "what", "stands")
    for pause in asked:
        what = plain_joined(pause.content.summary) if pause.content else "altered after it was stored"
        made.add_row(screen_id("pause", pause.id), Text(what), Text(told(pause).text))
    show(made)


def _effects(effects: Sequence[EffectLine]) -> None:
    if not effects:
        return
    heading("Effects")
    made = table("effect", "tool", "stands", "attempts", "by", "receipt or error")
    for effect in effects:
        came = effect.error or "; ".join(f"{name} {value}" for name, value in receipt_facts(effect.receipt))
        by = f"{screen_id('pause', effect.pause_id)}, " if effect.pause_id else ""
        made.add_row(
            screen_id("effect", effect.id), Text(plain(effect.tool)), effect.status.replace("_", " "), str(effect.attempts),
            Text(f"{by}rule “{plain(effect.rule)}”, {effect.policy_version}"), Text(plain_joined(came)),
        )  # fmt: skip
    show(made)


def _record(logged: Sequence[Event]) -> None:
    heading("Record")
    made = table("at (UTC)", "what", "event", "by", "detail")
    for event in logged:
        to = event.to_status or "refused"
        moved = to if to == event.from_status else f"{event.from_status} → {to}"
        made.add_row(
            f"{event.at.astimezone(UTC):%Y-%m-%d %H:%M:%S}", Text(f"{screen_id(event.entity, event.entity_id)}: {moved}"), event.event,
            Text(f"{plain(event.actor)}, {plain(event.surface)}"), Text(plain_joined(event.detail or "")),
        )  # fmt: skip
    show(made)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, default=_plain_value)


def _plain_value(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
