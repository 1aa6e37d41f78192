"""The verbs of the ledger: begin an effect, repeat or replace its attempt, settle it, and what people say of one in doubt.

An attempt is committed before its call; its outcome is recorded by the attempt's id whatever the epoch, so that no receipt is ever
dropped. Nothing here calls a provider.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from engine.errors import LeaseLost
from engine.models import Claim, Doubt, DoubtfulEffect, EffectLine, Line, OpenEffect, with_amount
from engine.rules import digest, secrecy
from engine.rules.money import Money
from engine.rules.policy import same_payee
from engine.state import db

Verdict = Literal["succeed", "fail", "doubt"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spend:
    """A payment that counts with others of the same action to the same payee, begun in the last `window_s` seconds.

    `minor` is its amount, in minor units; `up_to` the most that all may come to where it is done by the rule that applies, None without end.
    """

    action: str
    payee: str
    currency: str
    minor: int
    window_s: int
    up_to: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """An effect about to be tried: the exact action, by what right, and how long its call may take.

    `spend` None: it counts by itself.
    """

    n: int
    pause_id: UUID | None
    tool: str
    effect_key: str
    action: str
    digest: str
    policy_version: str
    rule: str
    doubt_role: str
    call_s: float
    spend: Spend | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """The effect and its attempt are on record: call now. `attempt_id` is also the key for the provider."""

    effect_id: UUID
    attempt_id: UUID


@dataclass(frozen=True, slots=True)
class NotBegun:
    """Nothing was begun. why: halted, held, exists, not_approved, altered, late, spent."""

    why: str


def begin(
    conn: db.Conn, claim: Claim, intent: Intent, *, lease_s: float, quoted: dict[str, Any] | None = None
) -> Begun | NotBegun:
    """Look once more at all that must hold, and write the effect with its first attempt. Raises LeaseLost.

    `quoted` is what the receipt is to say of a price that was looked at again, whoever comes to record it.
    """
    effect_id, attempt_id = db.new_id(), db.new_id()
    row = db.one(
        conn, "begin_effect", dict, run_id=claim.id, epoch=claim.epoch, n=intent.n, pause_id=intent.pause_id, effect_id=effect_id,
        attempt_id=attempt_id, tool=intent.tool, effect_key=intent.effect_key, action=intent.action, digest=intent.digest,
        policy_version=intent.policy_version, rule=intent.rule, doubt_role=intent.doubt_role, call_s=intent.call_s, lease_s=lease_s,
        quoted=json.dumps(quoted) if quoted is not None else None, **_counted(intent.spend),
    )  # fmt: skip
    outcome = _ours(row, claim)
    return Begun(effect_id=effect_id, attempt_id=attempt_id) if outcome == "attempt" else NotBegun(outcome)


def _counted(spend: Spend | None) -> dict[str, Any]:
    if spend is None:
        return {"spend_action": "", "payee": "", "currency": "", "minor": 0, "window_s": 0, "up_to": None}
    return {"spend_action": spend.action, "payee": same_payee(spend.payee), "currency": spend.currency, "minor": spend.minor,
            "window_s": spend.window_s, "up_to": spend.up_to}  # fmt: skip


def spent(conn: db.Conn, action: str, payee: str, currency: str, window_s: int, *, but: UUID | None = None) -> int:
    """What was paid to a payee in the last so many seconds, in minor units: done, under way or in doubt. However the payee is written.

    `but`: without this effect. The release before counted by the text as it stood, which is looked for too.
    """
    minor = 0
    for written in dict.fromkeys((same_payee(payee), payee)):
        row = db.one(
            conn, "spent", dict, spend_action=action, payee=written, currency=currency, window_s=window_s, effect_id=but
        )
        assert row is not None
        minor += int(row["minor"])
    return minor


def opened(conn: db.Conn, run_id: UUID, step: int, n: int) -> OpenEffect | None:
    """The effect of a call and its newest attempt; None if nothing was begun."""
    return db.one(conn, "open_effect", OpenEffect, run_id=run_id, step=step, n=n)


def repeat(conn: db.Conn, claim: Claim, attempt_id: UUID, *, within_s: float, call_s: float, lease_s: float) -> str:
    """About to call again with the same key; "repeat", or why not: halted, over, withdrawn, settled. Raises LeaseLost.

    `within_s`: for how long after the first call with a key another is surely recognised, in seconds.
    """
    row = db.one(
        conn,
        "repeat_attempt",
        dict,
        run_id=claim.id,
        epoch=claim.epoch,
        attempt_id=attempt_id,
        within_s=within_s,
        call_s=call_s,
        lease_s=lease_s,
    )
    return _ours(row, claim)


def replace(
    conn: db.Conn,
    claim: Claim,
    effect_id: UUID,
    *,
    call_s: float,
    lease_s: float,
    spend: Spend | None = None,
    quoted: dict[str, Any] | None = None,
) -> UUID | str:
    """The earlier call surely ended and did nothing: a new attempt's id, or why not. Raises LeaseLost.

    Why not: settled, withdrawn, held, halted, altered, late, spent. `quoted` None: what the receipt is to say of a price stays as it was.
    """
    attempt_id = db.new_id()
    row = db.one(
        conn, "replace_attempt", dict, run_id=claim.id, epoch=claim.epoch, effect_id=effect_id, attempt_id=attempt_id, call_s=call_s,
        lease_s=lease_s, quoted=json.dumps(quoted) if quoted is not None else None, **_counted(spend),
    )  # fmt: skip
    outcome = _ours(row, claim)
    return attempt_id if outcome == "reattempt" else outcome


def _ours(row: dict[str, Any] | None, claim: Claim) -> str:
    if row is None:
        raise LeaseLost(f"run {claim.id} is no longer ours in epoch {claim.epoch}")
    return str(row["outcome"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What stands after an outcome was recorded. `outcome` is the verdict, or "settled" if it was on record already."""

    outcome: str
    run_status: str
    epoch: int


def settle(
    conn: db.Conn,
    attempt_id: UUID,
    verdict: Verdict,
    *,
    epoch: int | None = None,
    receipt: Any = None,
    result: dict[str, Any] | None = None,
    error: str | None = None,
    ask: Sequence[str] = (),
) -> Settled:
    """Record what came of a call, whoever has the run by now. `result` is what the model is told; None only for a doubt.

    `epoch` is that of the worker who says so; None: nobody else can have called since, and it was never thought absent. `ask` is where a doubt is shown, each as "person:otto".
    """
    cards = [{"id": str(db.new_id()), "dest": dest} for dest in ask]
    return db.must(
        conn, "settle_attempt", Settled, f"attempt {attempt_id}", attempt_id=attempt_id, verdict=verdict, epoch=epoch,
        receipt=json.dumps(receipt) if receipt is not None else None, result=json.dumps(result) if result is not None else None,
        error=error, notice_id=db.new_id(), cards=json.dumps(cards),
    )  # fmt: skip


def resolve(
    conn: db.Conn,
    effect_id: UUID,
    answer: Literal["happened", "retry", "stop"],
    *,
    actor: str,
    surface: str,
    reference: str = "",
    attempt_id: UUID | None = None,
) -> str:
    """A person's word on an effect in doubt; what came of it: the answer, or settled, own, not_yours, again. Raises NotFound.

    `attempt_id` is the attempt that the person was shown, None the newest; "again": it was tried again since, and is in doubt once more.
    """
    receipt = {"reference": reference, "said_by": actor} if answer == "happened" else None
    told = f"Done, as {actor} confirmed by hand, reference {reference}." if receipt else None
    row = db.must(
        conn, "resolve_effect", dict, f"effect {effect_id}", effect_id=effect_id, answer=answer, actor=actor, surface=surface,
        receipt=json.dumps(receipt) if receipt else None, result=json.dumps({"text": told, "is_error": False}) if told else None,
        notice_id=db.new_id(), attempt_id=attempt_id,
    )  # fmt: skip
    return str(row["outcome"])


def doubt(conn: db.Conn, effect_id: UUID) -> Doubt:
    """An effect that is or was in doubt, as who must say what happened reads it. Raises NotFound."""
    return Doubt(**_as_read(db.must(conn, "doubt_record", dict, f"effect {effect_id}", effect_id=effect_id)))


def in_doubt(conn: db.Conn) -> list[DoubtfulEffect]:
    """What nobody can tell, oldest first."""
    return [DoubtfulEffect(**_as_read(row)) for row in db.many(conn, "effects_in_doubt", dict)]


def _as_read(row: dict[str, Any]) -> dict[str, Any]:
    row = _readable(row)
    if (read := row.pop("read")) is None:
        return row
    amount = Money.from_document(read["amount"]) if read["amount"] else None
    return row | {"lines": with_amount(amount, (Line(**line) for line in read["lines"]))}


def _readable(row: dict[str, Any]) -> dict[str, Any]:
    """The row with a mark in place of what is secret of its action. What the provider said of it was stored without."""
    kept = {name: value for name, value in row.items() if name != "secrets"}
    if not row["secrets"]:
        return kept
    try:
        action = json.loads(row["action"])
        return kept | {
            "action": digest.canonical({**action, "arguments": secrecy.masked(action["arguments"], row["secrets"])})
        }
    except (ValueError, KeyError, TypeError, AttributeError):  # no action any more
        return kept | {"action": secrecy.HIDDEN}


def find(conn: db.Conn, tail: str) -> list[UUID]:
    """The effects in doubt whose id ends in these hex digits, at most two."""
    return [row["id"] for row in db.many(conn, "find_effects", dict, tail=tail)]


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtSettled:
    """How a doubt was settled, as the record has it: its event, and by whom, where and when. `run_status` is the run's now.

    `event` is resolve, retry, abandon or fail by a person's word; succeed or fail by a provider's late answer, on the surface "worker".
    `detail` is the receipt as JSON, the provider's word, or None.
    """

    id: UUID
    run_id: UUID
    run_status: str
    event: Literal["resolve", "retry", "abandon", "succeed", "fail"]
    by_name: str
    surface: str
    at: datetime
    detail: str | None


def doubt_settled(conn: db.Conn, tail: str) -> DoubtSettled | None:
    """What was last said of a doubt that is no more, by the last hex digits of the effect's id; None if that is no one effect."""
    found = db.many(conn, "doubts_settled", DoubtSettled, tail=tail)
    return found[0] if len(found) == 1 else None


def of_run(conn: db.Conn, run_id: UUID) -> list[EffectLine]:
    """What a run did, in order."""
    return [EffectLine(**_readable(row)) for row in db.many(conn, "effects_of_run", dict, run_id=run_id)]


@dataclass(frozen=True, slots=True, kw_only=True)
class LapsedVoter:
    """Somebody who approved and may no longer."""

    pause_id: UUID
    voter: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingNow:
    """What is true now, by the database's clock, of the people behind a run. `granted` are the scopes it was launched with, `held` the requester's."""

    now: datetime
    requester_active: bool
    granted: frozenset[str]
    held: frozenset[str]
    lapsed_voters: tuple[LapsedVoter, ...]


def standing(conn: db.Conn, run_id: UUID) -> StandingNow:
    """What the run was granted, what the requester holds of it, and who of the voters lost the right to decide. Raises NotFound."""
    return standing_by(db.must(conn, "standing", dict, f"run {run_id}", run_id=run_id))


def standing_by(row: dict[str, Any]) -> StandingNow:
    """The same, from a row that has it among other things."""
    lapsed = tuple(LapsedVoter(**{**v, "pause_id": UUID(v["pause_id"])}) for v in row["lapsed_voters"])
    return StandingNow(
        now=row["now"],
        requester_active=row["requester_active"],
        granted=frozenset(row["granted"]),
        held=frozenset(row["held"]),
        lapsed_voters=lapsed,
    )
