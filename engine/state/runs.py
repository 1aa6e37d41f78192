"""The verbs of a run: launch, claim, save a step, ask, finish, hold, resume, cancel. Each is one statement.

What advances a run carries its epoch; when that is no longer the run's, LeaseLost is raised: stop, and touch nothing.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from engine.errors import BadInput, Conflict, LeaseLost, NotFound
from engine.models import Call, Claim, Content, NewCard, Run, RunLine, RunRecord
from engine.rules import digest, secrecy
from engine.state import cards, db, seals

FEWEST_DIGITS: Final = 6
"""Of an id, as people type it: as many as are shown. With fewer, a slip of the finger names another one."""


BEGINNING: Final = 300
"""Characters of a task that a list of runs has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What a run starts from. Bounds: None is no bound. `launch_key`: launching twice with one key launches once."""

    agent: str
    on_behalf_of: str
    input: str
    model: str
    acts_as: str
    scopes: tuple[str, ...]
    max_iterations: int
    max_tokens: int | None = None
    max_cost_micros: int | None = None
    max_spawns: int = 0
    launch_key: str | None = None
    reply_to: str | None = None


def launch(conn: db.Conn, what: Launch, *, actor: str, surface: str) -> tuple[UUID, bool]:
    """A new run and True, or the run that this launch_key made before and False.

    Raises BadInput when the person it is for is unknown or has left: a run always has a requester.
    """
    given: dict[str, Any] = {
        "id": db.new_id(), "agent": what.agent, "on_behalf_of": what.on_behalf_of, "input": what.input, "model": what.model,
        "acts_as": what.acts_as, "scopes": list(what.scopes), "max_iterations": what.max_iterations, "max_tokens": what.max_tokens,
        "max_cost_micros": what.max_cost_micros, "max_spawns": what.max_spawns, "launch_key": what.launch_key, "reply_to": what.reply_to,
        "content": json.dumps(what.input), "genesis": digest.GENESIS, "actor": actor, "surface": surface,
        "detail": digest.digest("placet.input.v1", what.input),
    }  # fmt: skip
    if what.launch_key is None:
        row = db.one(conn, "launch_run", dict, **given)
    else:
        row = db.one(conn, "launch_keyed_run", dict, **given)
    if row is None:
        raise BadInput("for", f"nobody active has the id {what.on_behalf_of!r}. `placet people` lists who may ask.")
    if row["id"] is None:  # another launch with this key committed while this one looked
        found = db.must(conn, "run_of_launch_key", dict, f"run {what.launch_key}", launch_key=what.launch_key)
        return found["id"], False
    return row["id"], row["new"]


def of_orders(conn: db.Conn, agent: str, launch_keys: Sequence[str]) -> list[tuple[str, UUID]]:
    """(key, run) of what was launched by these lower-case keys, however they were written then; oldest first."""
    found = db.many(conn, "runs_of_orders", dict, agent=agent, launch_keys=list(launch_keys))
    return [(row["launch_key"], row["id"]) for row in found]


def claim(conn: db.Conn, worker: str, agents: Sequence[str], *, lease_s: float) -> Claim | None:
    """A run whose worker was lost, however much is queued, or the one that has waited longest; None when there is nothing to do."""
    params = {"worker": worker, "agents": list(agents), "lease_s": lease_s}
    waiting = db.one(conn, "work_waiting", dict, agents=list(agents))
    if waiting and waiting["lost"] and (claim := db.one(conn, "reclaim_run", Claim, **params)):
        return claim
    return db.one(conn, "claim_run", Claim, **params) if waiting and waiting["queued"] else None


def renew(conn: db.Conn, claim: Claim, *, lease_s: float) -> None:
    """Keep the run a while longer."""
    if not db.execute(conn, "renew_lease", run_id=claim.id, epoch=claim.epoch, lease_s=lease_s):
        raise LeaseLost(f"run {claim.id} is another worker's")


def release(conn: db.Conn, claim: Claim, worker: str) -> bool:
    """Let a run go in good order; False if it had gone already."""
    return put_off(conn, claim, worker, after_s=0, why=None)


def put_off(conn: db.Conn, claim: Claim, worker: str, *, after_s: float, why: str | None) -> bool:
    """Let a run go, to be taken up again after so many seconds; `why` is a sentence for the cards of what was approved. False if it had gone."""
    row = db.one(conn, "release_run", dict, run_id=claim.id, epoch=claim.epoch, worker=worker, after_s=after_s, why=why)
    return row is not None


def put_off_for_s(conn: db.Conn, run_id: UUID, about: str) -> float | None:
    """For how many seconds a run has been put off again and again in its present step, by sentences that begin so; None: it was not."""
    seconds: float | None = db.must(conn, "put_off_for", dict, f"run {run_id}", run_id=run_id, about=about)["seconds"]
    return seconds


def load(conn: db.Conn, run_id: UUID) -> Run:
    """A run with its messages and the calls of its current turn. Raises NotFound."""
    row = db.must(conn, "load_run", dict, f"run {run_id}", run_id=run_id)
    calls = tuple(Call(**{**c, "pause_id": UUID(c["pause_id"]) if c["pause_id"] else None}) for c in row["calls"])
    return Run(**{**row, "calls": calls})


def save_reply(
    conn: db.Conn,
    claim: Claim,
    messages: Sequence[dict[str, Any]],
    calls: Sequence[dict[str, Any]],
    *,
    tokens: int,
    cost_micros: int,
) -> str:
    """Store a model's reply with the results it answered, its calls, and its cost; the run's status now (`paused` if held)."""
    row = db.one(conn, "save_reply", dict, run_id=claim.id, epoch=claim.epoch, messages=json.dumps(messages), calls=json.dumps(calls),
                 tokens=tokens, cost_micros=cost_micros)  # fmt: skip
    return str(_still_ours(row, claim)["status"])


def save_results(conn: db.Conn, claim: Claim, results: dict[int, dict[str, Any]], *, refused: int = 0) -> str:
    """Store results of calls by their place in the turn; the run's status now (`paused` if held)."""
    given = json.dumps([{"n": n, "result": result} for n, result in results.items()])
    row = db.one(conn, "save_results", dict, run_id=claim.id, epoch=claim.epoch, results=given, refused=refused)
    return str(_still_ours(row, claim)["status"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A pause to be opened: what it holds, whom it asks first and for how long, in seconds, and where it is shown."""

    id: UUID
    content: Content
    approver: str
    cards: tuple[NewCard, ...]
    answer_within_s: float


def ask(conn: db.Conn, claim: Claim, asks: Sequence[Ask], *, superseded: Sequence[UUID] = (), reason: str = "") -> None:
    """Stop the run on people: open these pauses, supersede those that they replace, and let the run go.

    Raises LeaseLost if the run is another's, or one of the superseded is not approved any more: load it again.
    """
    pauses = []
    for a in asks:
        document = digest.canonical(a.content.to_document())
        need, content_digest = a.content.need, digest.of_canonical("placet.pause.v1", document)
        pauses.append(
            {
                "id": str(a.id),
                "n": a.content.n,
                "approver": a.approver,
                "votes_left": need.approvers,
                "answer_within_s": a.answer_within_s,
                "remind_after_s": need.remind_after_s,
                "digest": content_digest,
                "fingerprint": a.content.fingerprint,
                "document": document,
                "seal": seals.for_pause(conn, a.id, content_digest),
                "cards": [cards.to_make(card) for card in a.cards],
            }
        )
    row = db.one(conn, "ask_run", dict, run_id=claim.id, epoch=claim.epoch, pauses=json.dumps(pauses), superseded=list(superseded),
                 reason=reason)  # fmt: skip
    _still_ours(row, claim)


@dataclass(frozen=True, slots=True, kw_only=True)
class LastWords:
    """What a run's end adds: messages, and the cost of the reply that ended it (replies 0 or 1)."""

    messages: tuple[dict[str, Any], ...] = ()
    replies: int = 0
    tokens: int = 0
    cost_micros: int = 0


def finish(conn: db.Conn, claim: Claim, result: str, words: LastWords) -> None:
    """The agent's last word; the requester is told."""
    row = db.one(conn, "finish_run", dict, run_id=claim.id, epoch=claim.epoch, result=result, messages=json.dumps(words.messages),
                 replies=words.replies, tokens=words.tokens, cost_micros=words.cost_micros, notice_id=db.new_id())  # fmt: skip
    _still_ours(row, claim)


def fail(conn: db.Conn, claim: Claim, error: str, words: LastWords | None = None) -> None:
    """The run cannot go on; what still waits is cancelled, and the requester is told why."""
    last = words or LastWords()
    row = db.one(conn, "fail_run", dict, run_id=claim.id, epoch=claim.epoch, error=error, messages=json.dumps(last.messages),
                 replies=last.replies, tokens=last.tokens, cost_micros=last.cost_micros, notice_id=db.new_id())  # fmt: skip
    _still_ours(row, claim)


def void(conn: db.Conn, claim: Claim, voided: Sequence[UUID], reason: str) -> None:
    """The authority behind approved pauses is gone, or their time has passed: the run ends and says so, and nothing is done."""
    row = db.one(
        conn,
        "void_pauses",
        dict,
        run_id=claim.id,
        epoch=claim.epoch,
        voided=list(voided),
        reason=reason,
        notice_id=db.new_id(),
    )
    _still_ours(row, claim)


def _still_ours(row: dict[str, Any] | None, claim: Claim) -> dict[str, Any]:
    if row is None:
        raise LeaseLost(f"run {claim.id} is no longer ours in epoch {claim.epoch}")
    return row


# ------------------------------------------------------------------------------------------------------------- operators


def hold(conn: db.Conn, run_id: UUID, *, actor: str, surface: str) -> str:
    """Have a run stop between two steps; "paused" if it stands still now, "pausing" if it stops after this step.

    Raises NotFound, and Conflict if it is paused already or has ended.
    """
    row = db.must(conn, "hold_run", dict, f"run {run_id}", run_id=run_id, actor=actor, surface=surface)
    if row["outcome"] in ("already", "ended"):
        why = "it is being paused already" if row["outcome"] == "already" else "it has ended"
        raise Conflict(f"The run cannot be paused: {why}. It is {shown(row)}.", stands=shown(row))
    return shown(row)


def resume(conn: db.Conn, run_id: UUID, *, actor: str, surface: str) -> str:
    """Let a paused run go on; its status now. It never approves anything: a run that waits for a person goes on waiting.

    Raises NotFound, and Conflict if nobody paused it (a second resume) or it has ended.
    """
    row = db.must(conn, "resume_run", dict, f"run {run_id}", run_id=run_id, actor=actor, surface=surface)
    if row["outcome"] != "resume":
        why = "nobody has paused it" if row["outcome"] == "not_paused" else "it has ended"
        raise Conflict(f"The run cannot be resumed: {why}. It is {shown(row)}.", stands=shown(row))
    return shown(row)


def cancel(conn: db.Conn, run_id: UUID, *, actor: str, person: str | None, surface: str) -> str:
    """Withdraw a run and what it asks; "cancelled", or "cancelling" while an effect is under way and must be settled first.

    `person` None: it is no person who does. The requester is told how it ended, unless they did it and nothing was under way.

    Raises NotFound, and Conflict if it has ended or is being cancelled already.
    """
    row = db.move(
        conn, "cancel_run", f"run {run_id}", run_id=run_id, actor=actor, person=person, surface=surface, notice_id=db.new_id()
    )  # fmt: skip
    if row["outcome"] in ("already", "ended"):
        why = "it is being cancelled already" if row["outcome"] == "already" else "it has ended"
        raise Conflict(f"The run cannot be cancelled: {why}. It is {row['status']}.", stands=row["status"])
    return "cancelled" if row["outcome"] == "cancel" else "cancelling"


def shown(row: dict[str, Any]) -> str:
    """A status as people read it: a run that was asked to stop and has not yet is "pausing"."""
    return "pausing" if row["hold"] and row["status"] == "running" else str(row["status"])


# --------------------------------------------------------------------------------------------------------------- reading


def get(conn: db.Conn, run_id: UUID) -> RunRecord:
    """A run as people see it, with a mark in place of each secret. Raises NotFound."""
    return RunRecord(**secrecy.run(_row(conn, run_id)))


def in_clear(conn: db.Conn, run_id: UUID) -> RunRecord:
    """The same with all that it holds: to be compared, or for whoever asked for it in so many words. Raises NotFound."""
    row = _row(conn, run_id)
    return RunRecord(**{name: value for name, value in row.items() if name not in ("kept_secret", "called")})


def _row(conn: db.Conn, run_id: UUID) -> dict[str, Any]:
    return db.must(conn, "show_run", dict, f"run {run_id}", run_id=run_id)


def find(conn: db.Conn, tail: str) -> list[UUID]:
    """The runs of agents whose id ends in these hex digits, at most two."""
    return [row["id"] for row in db.many(conn, "find_runs", dict, tail=tail)]


def named(conn: db.Conn, text: str) -> UUID:
    """The run that people mean by what it was launched as, by "run_5d21ab", its last hex digits, or its whole id. Raises NotFound or BadInput."""
    return of_order(conn, text) or by_tail(text, "run", lambda tail: find(conn, tail))


def of_order(conn: db.Conn, text: str) -> UUID | None:
    """The run that was launched for this order ("PO-2026-0193") or as this key; None: none was, or it is an id. Raises BadInput if several were."""
    key = " ".join(text.split())
    if not key or key.lower().startswith(("run_", "pause_")) or digest.visible(key) != key:
        return None
    found = db.many(conn, "runs_of_order", dict, key=key, folded=key.casefold())
    if len(found) > 1 and not found[0]["exact"]:
        raise BadInput(
            "order",
            f"several agents were given {text!r}. Write AGENT:ORDER, or the id of one run; `placet runs` lists them.",
        )
    return found[0]["id"] if found else None


def by_tail(text: str, entity: str, look: Any) -> UUID:
    """The id that people mean by its last hex digits, with or without its prefix. Raises NotFound, or BadInput if it is too short or fits several."""
    tail = text.strip().lower().removeprefix(f"{entity}_").replace("-", "")
    if not FEWEST_DIGITS <= len(tail) <= 32 or set(tail) - set("0123456789abcdef"):
        raise BadInput("id", f"{text!r} is no id. Write {entity}_ and at least its last {FEWEST_DIGITS} hex digits.")
    found = look(tail)
    if not found:
        listing = "`placet pending` lists what waits" if entity == "pause" else "`placet runs` lists what there is"
        raise NotFound(f"No {entity} has an id ending in {tail}. Check the id; {listing}.")
    if len(found) > 1:
        raise BadInput("id", f"Several ids end in {tail}. Write more of its digits.")
    return UUID(str(found[0]))


def listed(
    conn: db.Conn, *, status: str | None = None, person: str | None = None, limit: int = 20, offset: int = 0
) -> list[RunLine]:
    """Runs, newest first; status None: all, "live": those not ended; person: only those for this person."""
    found = db.many(conn, "list_runs", dict, status=status, person=person, limit=limit, offset=offset)
    return [RunLine(**{**secrecy.run(row), "input": secrecy.run(row)["input"][:BEGINNING]}) for row in found]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unended:
    """How many runs are not over: with a worker or in line for one, waiting for people, in doubt."""

    working: int
    waiting: int
    in_doubt: int


def unended(conn: db.Conn) -> Unended:
    """How much is going on."""
    found = db.one(conn, "count_unended", Unended)
    assert found is not None
    return found
