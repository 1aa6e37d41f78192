"""The waiting state of a pause as one record, JSON-safe, that an auditor can read alone: what the HTTP API and the command line give out.

Pure. Nothing in it is recomputed: it is what was stored when the pause was opened, and what the row says of it since. `for` is the person, who was away, in whose
place somebody answered; null: in their own, or it went on to others since.
"""

from datetime import datetime
from typing import Any

from engine.models import Inquiry, Pause, Vote
from engine.rules import secrecy

Json = dict[str, Any]


def record(pause: Pause) -> Json:
    """The whole state, with a mark in place of each secret: a record is handed on, to people and logs that nobody has chosen. Of an altered pause `intact` is false, what it holds is left out, and `document` is the text as it is stored."""
    return {
        "pause_id": str(pause.id),
        "run_id": str(pause.run_id),
        "step": pause.step,
        "n": pause.n,
        "status": pause.status,
        "version": pause.version,
        "approver": pause.approver,
        "approver_name": pause.approver_name,
        "level": pause.level,
        "votes_left": pause.votes_left,
        "created_at": _iso(pause.created_at),
        "fire_at": _iso(pause.fire_at),
        **_held(pause),
        "digest": pause.digest,
        "intact": pause.intact,
        "votes": [_vote(pause, vote) for vote in pause.votes],
        "inquiries": [_inquiry(one) for one in pause.inquiries],
        "decision": _decision(pause),
        "execute_by": _iso(pause.execute_by),
        "effect": _effect(pause),
        "superseded_by": str(pause.superseded_by) if pause.superseded_by else None,
        "again_run": str(pause.again_run) if pause.lapsed and pause.again_run else None,
        "run_status": pause.run_status,
    }


def _held(pause: Pause) -> Json:
    """What the pause holds once and for all, under the names that its digest covers."""
    if pause.content is None:
        return {"agent": pause.agent, "proposed_action": None, "document": secrecy.document(pause.document)}
    held = pause.content.to_document()
    action = {**held["proposed_action"], "arguments": pause.content.shown_arguments}
    return held | {"proposed_action": action, "requester_name": pause.requester_name}


def in_clear(pause: Pause) -> Json:
    """The same with its secrets, for whoever asked for them in so many words."""
    found = record(pause)
    if pause.content is None:
        return found | {"document": pause.document}
    return found | {"proposed_action": pause.content.to_document()["proposed_action"]}


def _decision(pause: Pause) -> Json | None:
    if pause.decided_at is None:
        return None
    return {
        "status": pause.status,
        "by": pause.decided_by,
        "by_name": pause.decided_by_name,
        "for": pause.voted_for(pause.decided_by) if pause.decided_by else None,
        "at": _iso(pause.decided_at),
        "reason": pause.reason,
    }


def _vote(pause: Pause, vote: Vote) -> Json:
    return {
        "person": vote.person,
        "name": vote.name,
        "for": pause.voted_for(vote.person),
        "verdict": vote.verdict,
        "level": vote.level,
        "surface": vote.surface,
        "at": _iso(vote.at),
        "reason": vote.reason,
    }


def _inquiry(one: Inquiry) -> Json:
    reply = {"text": one.reply, "at": _iso(one.replied_at), "surface": one.replied_in}
    return {
        "n": one.n,
        "by": one.person,
        "by_name": one.name,
        "at": _iso(one.at),
        "surface": one.surface,
        "text": one.text,
        "reply": reply if one.reply is not None else None,
    }


def _effect(pause: Pause) -> Json | None:
    if pause.effect_status is None:
        return None
    return {
        "status": pause.effect_status,
        "receipt": pause.receipt,
        "error": pause.effect_error,
        "settled_at": _iso(pause.settled_at),
    }


def _iso(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
