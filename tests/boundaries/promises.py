"""The promises, checked by counting: at the provider, in the rows, and in Slack. Nobody can tell afterwards that a process died."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from bot.cards import blocks, digests, doubts, ids
from bot.cards.parts import Message
from engine.models import Pause
from engine.state import cards, events, ledger, pauses, runs
from engine.state.db import SYSTEM_RUN
from tests import rows
from tests.bot.office import Json, actions_of, is_card, text_of
from tests.boundaries.flows import Flow
from tests.boundaries.place import ENV
from tests.boundaries.scene import Scene

_VARIES = (
    (r"<!date\^[^>]*>", "<a moment>"),
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<id>"),
    (r"\d{4}-\d{2}-\d{2}T[\d:.]+(\+\d\d:\d\d|Z)?", "<a moment>"),
    (r"\d{1,2} [A-Z][a-z]{2} \d\d:\d\d( UTC)?", "<a moment>"),
    (r"\b(pi|toolu|req)_\w+", r"\1_<id>"),
    (r"\b(run|pause|effect)([ _])[0-9a-f]{6}", r"\1\2<id>"),
    (r"\b[0-9a-f]{4} [0-9a-f]{4}\b", "<digest>"),
)  # fmt: skip
_SEALS = "SELECT (SELECT count(*) FROM pause_content WHERE seal IS NULL), (SELECT count(*) FROM pause_vote WHERE seal IS NULL)"
"""How many requests and answers bear none."""
_SEES = {"D0PRIYA": "priya", "D0OTTO": "otto", "D0INES": "ines"}
_RECOVERY = {"claim", "release", "repeat"}
"""Moves that another death or life of a process adds, and that change nothing for anybody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How everything stands when a flow is over, without what is never the same twice: ids, moments, who worked."""

    runs: Sequence[Any]
    pauses: Sequence[Any]
    effects: Sequence[Any]
    paid: Sequence[Any]
    set_aside: Sequence[Any]
    record: Sequence[Any]
    said: Counter[tuple[str, str | None, str]]


def end_of(scene: Scene) -> End:
    """How it stands now."""
    run_ids = [line.id for line in runs.listed(scene.conn)]
    found = [runs.get(scene.conn, run_id) for run_id in run_ids]
    asked = [pauses.get(scene.conn, pause_id) for run in found for pause_id in run.pauses]
    return End(
        runs=_same([(r.status, r.hold, r.cancel_wanted, r.iterations, r.tokens, r.cost_micros, r.result, r.error, r.messages) for r in found]),
        pauses=sorted(_same([_told(pause) for pause in asked]), key=str),
        effects=_same([(e.tool, e.status, e.receipt, e.error, e.attempts) for r in run_ids for e in ledger.of_run(scene.conn, r)]),
        paid=[(p["metadata"]["order_ref"], p["amount"], p["currency"], p["status"]) for p in scene.provider.payments()],
        set_aside=[(a["order_ref"], a["price"]) for a in scene.suppliers.allocations()],
        record=_same(
            [(e.entity, e.from_status, e.event, e.to_status, e.actor, e.surface) for r in run_ids for e in events.of_run(scene.conn, r)
             if e.to_status and e.event not in _RECOVERY]
        ),
        said=Counter((m["channel"], m["only_for"], _heard(m)) for m in scene.messages() if not is_card(m)),
    )  # fmt: skip


def kept(scene: Scene, flow: Flow, undisturbed: End | None = None) -> End:
    """How it stands: every promise holds, and it ended as the flow must; and as it did `undisturbed`, if it was killed on the way.

    What was asked and answered in a sealed flow bears its seal; that it is the right one, the record's own check says.
    """
    end = end_of(scene)
    assert [amount for _, amount, _, _ in end.paid] == list(flow.paid), end
    assert [run[0] for run in end.runs] == [flow.run] * flow.runs
    assert [pause[0] for pause in end.pauses] == sorted(flow.pauses)
    if flow.run == "done":
        assert any(channel == "D0PRIYA" for channel, _, _ in end.said), "nobody told the requester"
    rows.consistent(scene.conn)
    for run_id in (SYSTEM_RUN, *(line.id for line in runs.listed(scene.conn))):
        assert isinstance(events.verify(scene.conn, run_id), events.Verified)
    assert cards.undelivered(scene.conn) == 0
    [seals] = scene.conn.execute(_SEALS).fetchall()
    assert seals == (
        (0, 0) if scene.ground.sealed else (len(end.pauses), len([vote for pause in end.pauses for vote in pause[5]]))
    )
    strays = _shown(scene)
    assert len(strays) <= flow.strays + scene.deaths, strays
    for stray in strays:
        _is_harmless(scene, stray)
    if undisturbed is not None:
        _is_as(end, undisturbed, scene)
    return end


def _is_as(end: End, undisturbed: End, scene: Scene) -> None:
    """Nothing differs, but that a death may have one thing said twice, and that whom Slack warned may hear less or more in private."""
    for part in ("runs", "pauses", "effects", "paid", "set_aside", "record"):
        now, then = getattr(end, part), getattr(undisturbed, part)
        assert now == then, f"{part} differ:\n{now}\nundisturbed:\n{then}"
    unsaid, more = undisturbed.said - end.said, end.said - undisturbed.said
    otherwise = {*unsaid, *(set(end.said) - set(undisturbed.said))}
    assert not otherwise or (scene.warned and all(only_for for _, only_for, _ in otherwise)), otherwise
    assert more.total() <= scene.deaths, more


def _shown(scene: Scene) -> list[Json]:
    """Every card shows its pause as it is, on one message; the messages with a card that belong to none are returned."""
    known = {(m["channel"], m["ts"]): m for m in scene.messages() if is_card(m)}
    together: dict[Any, list[tuple[Pause, cards.Shown]]] = defaultdict(list)
    for pause_id in [p for line in runs.listed(scene.conn) for p in runs.get(scene.conn, line.id).pauses]:
        for card in cards.of_pause(scene.conn, pause_id):
            assert card.state == "live"
            together[card.channel, card.ts].append((pauses.get(scene.conn, pause_id), card))
    for place, shown in together.items():
        message, wanted = known.pop(place), _wanted(scene, shown).payload()
        assert (message["text"], text_of(message["blocks"])) == (wanted["text"], text_of(wanted["blocks"]))
        assert actions_of(message) == actions_of(wanted)
    for (effect_id,) in scene.conn.execute(
        "SELECT DISTINCT effect_id FROM card WHERE effect_id IS NOT NULL"
    ).fetchall():
        for card in cards.of_effect(scene.conn, effect_id):
            message = known.pop((card.channel, card.ts))
            wanted = doubts.card(ledger.doubt(scene.conn, effect_id), env=ENV).payload()
            assert (message["text"], text_of(message["blocks"])) == (wanted["text"], text_of(wanted["blocks"]))
            assert actions_of(message) == actions_of(wanted)
    return list(known.values())


def _wanted(scene: Scene, shown: Sequence[tuple[Pause, cards.Shown]]) -> Message:
    """What a message must say that shows these: a card, or the lines of a digest."""
    (pause, card), *others = sorted(shown, key=lambda one: one[1].id)
    if not others:
        return blocks.card(pause, kind=cast("blocks.Kind", card.kind), level=card.level, env=ENV, dest=card.dest)
    [(hour,)] = scene.conn.execute("SELECT digest_at FROM card WHERE id = %s", (card.id,)).fetchall()
    lines = [(pause, card.level), *((other, its.level) for other, its in others)]
    return digests.digest(lines, dest=card.dest, digest_at=hour, more=False, env=ENV)


def _is_harmless(scene: Scene, stray: Json) -> None:
    """A second copy, whose post nobody knows of, tells the truth to whoever clicks it, and does nothing."""
    payload = stray["metadata"]["event_payload"]
    [(live,)] = scene.conn.execute(
        "SELECT EXISTS (SELECT FROM run_pause WHERE id = %(about)s AND status = 'waiting')"
        "    OR EXISTS (SELECT FROM effect WHERE id = %(about)s AND status = 'in_doubt')",
        {"about": payload.get("pause_id") or payload.get("effect_id")},  # a digest has no button that decides
    ).fetchall()
    action = next(
        (a for a in actions_of(stray) if a in (ids.ACTION_APPROVE, ids.ACTION_WITHDRAW, ids.ACTION_RETRY)), None
    )
    if live or action is None:
        return
    before = end_of(scene)
    scene.press(_SEES.get(stray["channel"], "marta"), action, stray)
    scene.rest()
    after = end_of(scene)
    [now] = [m for m in scene.messages() if m["ts"] == stray["ts"]]
    assert not {ids.ACTION_APPROVE, ids.ACTION_DENY, ids.ACTION_WITHDRAW, ids.ACTION_RETRY} & set(actions_of(now))
    assert (after.paid, after.pauses, after.record) == (before.paid, before.pauses, before.record)
    assert (after.said - before.said).total() == 1  # the private answer


def _told(pause: Pause) -> tuple[Any, ...]:
    votes = [(v.person, v.verdict, v.level, v.surface, v.reason) for v in pause.votes]
    asked = [(q.n, q.person, q.text, q.reply) for q in pause.inquiries]
    return (
        pause.status, pause.level, pause.approver, pause.votes_left, pause.voters, votes, pause.decided_by, pause.reason,
        pause.effect_status, pause.effect_error, pause.receipt, pause.content and pause.content.summary, asked,
    )  # fmt: skip


def _heard(message: Json) -> str:
    """What is said; of a private answer only that it was given, since it tells what holds when it is delivered."""
    return "an answer" if message["only_for"] else _steady(text_of(message["blocks"] or message["text"]))


def _same(value: Any) -> Any:
    """A value without what is never the same twice."""
    match value:
        case str():
            return _steady(value)
        case dict():
            return {name: _same(one) for name, one in value.items()}
        case list() | tuple():
            return [_same(one) for one in value]
    return value


def _steady(text: str) -> str:
    for varying, name in _VARIES:
        text = re.sub(varying, name, text)
    return text
