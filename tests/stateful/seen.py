"""How everything stands, by the model and by the rows and the provider, in one shape: the two are compared after every move."""

from typing import Any
from uuid import UUID

from tests.stateful.ground import Ground
from tests.stateful.held import ENDED, LIVE, Effect, Pause, Run
from tests.stateful.model import Model

Json = dict[str, Any]

_BY = frozenset({"approved", "executed", "failed", "denied", "expired", "cancelled"})
"""The statuses of which it is said who brought them about."""

_ROWS = """
SELECT r.id, r.status, r.hold, r.cancel_wanted, r.iterations, r.tokens, r.epoch,
       EXISTS (SELECT FROM run_lease l WHERE l.run_id = r.id AND l.lease_until > clock_timestamp()) AS leased,
       ARRAY(SELECT k.n FROM run_call k WHERE k.run_id = r.id AND k.step = r.iterations AND k.state = 'requested' ORDER BY k.n) AS open,
       (SELECT coalesce(json_agg(json_build_object(
            'id', p.id, 'step', p.step, 'n', p.n, 'status', p.status, 'approver', p.approver, 'level', p.level, 'by', p.decided_by,
            'votes_left', p.votes_left, 'voters', p.voters, 'said', (
                SELECT json_agg(json_build_array(e.event, e.actor, e.detail) ORDER BY e.seq) FROM run_event e
                 WHERE e.run_id = r.id AND e.entity_id = p.id::text AND e.event = ANY('{ask_back,reply}') AND e.to_status IS NOT NULL), 'cents', c.document::json #>> '{proposed_action,arguments,amount,amount}',
            'hours', extract(epoch FROM p.fire_at - clock_timestamp()) / 3600) ORDER BY p.created_at, p.n), '[]')
          FROM run_pause p JOIN pause_content c ON c.pause_id = p.id WHERE p.run_id = r.id) AS pauses,
       (SELECT coalesce(json_agg(json_build_object(
            'id', e.id, 'step', e.step, 'n', e.n, 'status', e.status, 'cents', e.action::json #>> '{arguments,amount,amount}',
            'attempts', (SELECT count(*) FROM effect_attempt a WHERE a.effect_id = e.id),
            'newest', (SELECT a.id FROM effect_attempt a WHERE a.effect_id = e.id ORDER BY a.started_at DESC LIMIT 1),
            'tries', (SELECT a.tries FROM effect_attempt a WHERE a.effect_id = e.id ORDER BY a.started_at DESC LIMIT 1)) ORDER BY e.created_at, e.n), '[]')
          FROM effect e WHERE e.run_id = r.id) AS effects
  FROM run r WHERE r.kind = 'agent' ORDER BY r.created_at
"""


class Rows:
    """What there is now. Runs, their pauses and effects come in the order in which they were made, as in the model."""

    def __init__(self, ground: Ground) -> None:
        cursor = ground.conn.execute(_ROWS)
        names = [column.name for column in cursor.description]
        self.runs = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        self.paid: dict[str, list[int]] = {}
        for payment in ground.outside.provider.payments():
            if payment["status"] == "succeeded":
                self.paid.setdefault(payment["metadata"]["effect_key"], []).append(payment["amount"])
        self.mood = (ground.outside.mood, ground.outside.moods)

    def pause(self, run: int, pause: int) -> UUID:
        return UUID(self.runs[run]["pauses"][pause]["id"])

    def effect(self, run: int, effect: int, what: str = "id") -> UUID:
        return UUID(self.runs[run]["effects"][effect][what])

    def look(self) -> Json:
        """Everything, as it is compared."""
        return {"mood": self.mood, "runs": [self._run(run) for run in self.runs]}

    def _run(self, run: Json) -> Json:
        kept = {name: run[name] for name in ("status", "hold", "cancel_wanted", "iterations", "epoch")}
        live = run["status"] not in ENDED
        return {
            **kept,
            "leased": run["status"] == "running" and run["leased"],
            "tokens": run["tokens"] // 15,
            "open": run["open"] if live else [],
            "pauses": [
                _request({**p, "asked": _asked(p["said"] or [])}, round(p["hours"]), _cents(p["cents"]))
                for p in run["pauses"]
            ],
            "effects": [_effect(e, _cents(e["cents"])) for e in run["effects"]],
            "paid": [self.paid.get(f"{run['id']}:{e['step']}:{e['n']}", []) for e in run["effects"]],
        }


def by_model(model: Model) -> Json:
    """The same by the model."""
    return {"mood": (model.mood, model.moods), "runs": [_of_run(model, run) for run in model.runs]}


def _of_run(model: Model, run: Run) -> Json:
    kept = {name: getattr(run, name) for name in ("status", "hold", "cancel_wanted", "iterations", "epoch")}
    live = run.status not in ENDED
    return {
        **kept,
        "leased": run.status == "running" and run.leased,
        "tokens": run.iterations,
        "open": [call.n for call in run.calls if call.told is None] if live else [],
        "pauses": [_request(_fields(p), p.due - model.now, p.cents) for p in run.pauses],
        "effects": [_effect(_fields(e), e.cents) for e in run.effects],
        "paid": [effect.paid for effect in run.effects],
    }


def _fields(held: Pause | Effect) -> Json:
    return dict(vars(held))


def _request(pause: Json, hours: int, cents: int) -> Json:
    kept = {name: pause[name] for name in ("step", "n", "status", "approver", "level", "voters", "asked")}
    status = pause["status"]
    return {
        **kept,
        "cents": cents,
        "by": pause["by"] if status in _BY else None,
        "votes_left": pause["votes_left"] if status in LIVE else None,
        "hours": hours if status == "waiting" else None,
    }


def _effect(effect: Json, cents: int) -> Json:
    return {**{name: effect[name] for name in ("step", "n", "status", "attempts", "tries")}, "cents": cents}


def _asked(said: list[list[str]]) -> list[list[str]]:
    """The inquiries on record, each with the answer that names it."""
    asked = [[actor, words] for event, actor, words in said if event == "ask_back"]
    for event, _, words in said:
        if event == "reply":
            named, _, answer = words.partition(": ")
            asked[int(named.rpartition(" ")[2]) - 1].append(answer)
    return asked


def _cents(amount: str) -> int:
    return int(amount.replace(".", ""))


def differences(found: Any, expected: Any, at: str = "") -> str:
    """Where the two are not the same, a line each."""
    if isinstance(found, dict) and isinstance(expected, dict):
        pairs = [(f"{at}.{name}", found.get(name), expected.get(name)) for name in found.keys() | expected.keys()]
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        pairs = [(f"{at}[{n}]", *pair) for n, pair in enumerate(zip(found, expected, strict=True))]
    else:
        return "" if found == expected else f"{at} is {found!r}, and by the model {expected!r}\n"
    return "".join(differences(one, other, where) for where, one, other in pairs)
