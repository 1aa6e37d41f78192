"""Rows for tests, made by the verbs themselves: runs that wait, run, or have an effect open. Never by hand-written INSERTs."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from engine.models import Claim, Content, Decided, Line, NewCard
from engine.rules import digest
from engine.rules.money import Money
from engine.rules.needs import Need, Step
from engine.rules.people import People, Person
from engine.state import db, ledger, pauses, people, runs

LAUNCH = runs.Launch(
    agent="procurement", on_behalf_of="priya", input="Buy this order.", model="claude-test", acts_as="agent:procurement",
    scopes=("payments:write",), max_iterations=20,
)  # fmt: skip
NEED = Need(
    kind="ask", policy_version="fin-approvals-v4", rule="large payment", why="It is over EUR 10,000.00.", person="marta", approvers=1,
    answer_within_s=14400, on_expiry="escalate", steps=(Step(manager_of="approver", answer_within_s=3600),), tolerance_bp=200,
    execute_within_s=86400, channel="C0BUY", doubt_role="finance-approver",
)  # fmt: skip
QUORUM = replace(NEED, person=None, role="finance-approver", approvers=2)
ANSWERED = replace(NEED, rule="questions", approvers=0, tolerance_bp=0, execute_within_s=0, doubt_role=None)
REPLY: dict[str, Any] = {"role": "assistant", "content": [{"type": "text", "text": "I will pay."}]}
PAID: dict[str, Any] = {"text": "paid", "is_error": False}


def launched(conn: Any, **changes: Any) -> UUID:
    """A queued run."""
    run_id, new = runs.launch(conn, replace(LAUNCH, **changes), actor="priya", surface="tests")
    assert new
    return run_id


def claimed(conn: Any, run_id: UUID | None = None, *, lease_s: float = 60) -> Claim:
    """A running run."""
    run_id = run_id or launched(conn)
    claim = runs.claim(conn, "w1", ["procurement"], lease_s=lease_s)
    assert claim is not None
    assert claim.id == run_id
    return claim


def replied(conn: Any, claim: Claim, calls: int = 1) -> None:
    """The model's reply with `calls` gated calls is saved."""
    given = [{"id": f"toolu_{claim.epoch}_{n}", "name": "charge_supplier", "input": {"n": n}} for n in range(calls)]
    assert runs.save_reply(conn, claim, [calling(*given)], given, tokens=100, cost_micros=10) in ("running", "paused")


def calling(*calls: dict[str, Any]) -> dict[str, Any]:
    """The model's reply with these calls."""
    return {**REPLY, "content": [*REPLY["content"], *({"type": "tool_use", **call} for call in calls)]}


def content(run_id: UUID, step: int = 1, n: int = 0, **changes: Any) -> Content:
    """What a pause holds: EUR 38,000.00 to Nordholz."""
    arguments = {"supplier_id": "sup_412", "amount": Money(3_800_000, "EUR").to_document(), "order_ref": f"PO-{n}"}
    action = {"tool": "charge_supplier", "arguments": arguments}
    made = Content(
        run_id=str(run_id), step=step, n=n, agent="procurement", tool="charge_supplier", tool_version="v1", tool_use_id=f"toolu_{n}",
        title="Approve a payment?", arguments=arguments, action_digest=digest.digest("placet.action.v1", action),
        fingerprint=digest.fingerprint("charge_supplier", arguments), effect_key=f"{run_id}:{step}:{n}",
        summary="EUR 38,000.00 to Nordholz Industrial (sup_412)", lines=(Line(label="Order", value=f"PO-{n}"),),
        explanation="Only supplier with stock.", amount=Money(3_800_000, "EUR"), acts_as="agent:procurement", on_behalf_of="priya",
        scopes=("payments:write",), need=NEED, quote=None, supersedes=None,
    )  # fmt: skip
    return replace(made, **changes)


SHOWN = (NewCard(kind="approver", dest="channel:C0BUY"), NewCard(kind="requester", dest="person:priya"))


def asked(
    conn: Any, claim: Claim, n: int = 0, step: int = 1, approver: str = "person:marta", *, cards: tuple[NewCard, ...] = SHOWN,
    **changes: Any,
) -> runs.Ask:  # fmt: skip
    """A pause to be opened."""
    return runs.Ask(
        id=db.new_id(), content=content(claim.id, step, n, **changes), approver=approver, cards=cards,
        answer_within_s=NEED.answer_within_s,
    )  # fmt: skip


def waiting(conn: Any, calls: int = 1, approver: str = "person:marta", **changes: Any) -> list[UUID]:
    """The pauses of a run that waits."""
    claim = claimed(conn)
    replied(conn, claim, calls)
    asks = [asked(conn, claim, n, approver=approver, **changes) for n in range(calls)]
    runs.ask(conn, claim, asks)
    return [a.id for a in asks]


def lapsed(conn: Any, calls: int = 1, *, by: str = "withdraw", **changes: Any) -> list[UUID]:
    """The pauses of a run that has ended, of which the first was withdrawn by the requester, or expired (`by` "expire")."""
    pause_ids = waiting(conn, calls, **changes)
    if by == "withdraw":
        assert isinstance(pauses.withdraw(conn, pause_ids[0], "priya", surface="tests"), Decided)
    else:
        make_due(conn, pause_ids[0])
        assert pauses.settle_due(conn, [pauses.NextStep(pause_id=pause_ids[0], level=0, next=None)], surface="tests")
    end(conn, pauses.get(conn, pause_ids[0]).run_id)
    return pause_ids


def end(conn: Any, run_id: UUID) -> None:
    """A queued run whose calls were refused comes to its end."""
    claim = claimed(conn, run_id)
    open_calls = [call.n for call in runs.load(conn, run_id).calls if call.state == "requested"]
    runs.save_results(conn, claim, {n: {"text": "Not done.", "is_error": True} for n in open_calls})
    runs.finish(
        conn, claim, "It was not bought.", runs.LastWords(messages=(REPLY,), replies=1, tokens=50, cost_micros=5)
    )


def question(*choices: str, **changes: Any) -> dict[str, Any]:
    """What is other in a pause that asks a question, for `waiting` and `asked`."""
    said = "Which of the two suppliers do you prefer?"
    asked: dict[str, Any] = {
        "tool": "ask_human", "title": "The procurement agent asks", "arguments": {"question": said, "choices": list(choices)}, "summary": said,
        "lines": tuple(Line(label=f"Choice {n}", value=one) for n, one in enumerate(choices, 1)), "explanation": "", "amount": None,
        "scopes": (), "effect_key": "", "need": ANSWERED,
    }  # fmt: skip
    return asked | changes


def intent(run_id: UUID, pause_id: UUID | None, n: int = 0, step: int = 1) -> ledger.Intent:
    """The effect that was approved."""
    held = content(run_id, step, n)
    action = digest.canonical({"tool": held.tool, "arguments": dict(held.arguments)})
    return ledger.Intent(
        n=n, pause_id=pause_id, tool=held.tool, effect_key=held.effect_key, action=action, digest=held.action_digest,
        policy_version="fin-approvals-v4", rule="large payment", doubt_role="finance-approver", call_s=20,
    )  # fmt: skip


def make_due(conn: Any, pause_id: UUID, seconds: float = 2) -> None:
    """Move a pause's hour into the past: what a test does in place of waiting."""
    conn.execute(
        "UPDATE run_pause SET fire_at = clock_timestamp() - %s * interval '1 second' WHERE id = %s", (seconds, pause_id)
    )


def approved(conn: Any, calls: int = 1) -> tuple[Claim, list[UUID]]:
    """A running run with all its pauses approved by Marta: what was asked may be done now."""
    pause_ids = waiting(conn, calls)
    for pause_id in pause_ids:
        assert isinstance(pauses.approve(conn, pause_id, "marta", surface="tests"), Decided)
    claim = runs.claim(conn, "w1", ["procurement"], lease_s=60)
    assert claim is not None
    return claim, pause_ids


def begun(conn: Any, calls: int = 1) -> tuple[Claim, list[UUID], ledger.Begun]:
    """A running run whose first approved call is under way."""
    claim, pause_ids = approved(conn, calls)
    effect = ledger.begin(conn, claim, intent(claim.id, pause_ids[0]), lease_s=60)
    assert isinstance(effect, ledger.Begun)
    return claim, pause_ids, effect


def add_call_of_the_step_before(conn: Any, run_id: UUID) -> None:
    """A call in the place of each that there is, a step before, which nobody has answered."""
    conn.execute(
        "INSERT INTO run_call SELECT (jsonb_populate_record(c, jsonb_build_object('step', c.step - 1, 'pause_id', NULL,"
        " 'tool_use_id', c.tool_use_id || '_before'))).* FROM run_call c WHERE c.run_id = %s",
        (run_id,),
    )


def doubted(conn: Any, calls: int = 1) -> tuple[Claim, list[UUID], ledger.Begun]:
    """A run that stopped because nobody can tell whether its first approved call happened."""
    claim, pause_ids, effect = begun(conn, calls)
    ask = ["person:marta", "person:ines"]
    assert ledger.settle(conn, effect.attempt_id, "doubt", error="no answer", ask=ask).run_status == "in_doubt"
    return claim, pause_ids, effect


def lose_lease(conn: Any, run_id: UUID) -> None:
    """Let a worker's lease be over: what a test does in place of killing it."""
    conn.execute(
        "UPDATE run_lease SET lease_until = clock_timestamp() - interval '1 second' WHERE run_id = %s", (run_id,)
    )


def end_call(conn: Any, attempt_id: UUID) -> None:
    """Let the time of an attempt's call be over."""
    conn.execute(
        "UPDATE effect_attempt SET call_deadline = clock_timestamp() - interval '1 second' WHERE id = %s", (attempt_id,)
    )


def deactivate(conn: Any, person: str) -> None:
    """Let a person leave."""
    change_person(conn, person, active=False)


def give_role(conn: Any, person: str, role: str) -> None:
    """Let a person have a role, if they have it not."""
    change_person(conn, person, roles=tuple({*_now(conn, person).roles, role}))


def take_role(conn: Any, person: str, role: str) -> None:
    """Let a person lose a role."""
    change_person(conn, person, roles=tuple({*_now(conn, person).roles} - {role}))


def take_scopes(conn: Any, person: str) -> None:
    """Let a person lose every right that runs of theirs may use."""
    change_person(conn, person, scopes=())


def change_person(conn: Any, person: str, **changes: Any) -> None:
    """People change by import, and are on record."""
    changed = tuple(replace(one, **changes) if one.id == person else one for one in people.everybody(conn))
    people.load(conn, People(changed), actor="tests")


def _now(conn: Any, person: str) -> Person:
    found = people.everybody(conn).get(person)
    assert found is not None
    return found


def alter_document(conn: Any, pause_id: UUID, document: str | None = None) -> None:
    """Change what a pause holds behind the engine's back: another amount, or another text altogether."""
    conn.execute(
        "UPDATE pause_content SET document = coalesce(%s, replace(document, '38,000.00', '3,800.00')) WHERE pause_id = %s",
        (document, pause_id),
    )


def consistent(conn: Any) -> None:
    """What must hold of all rows at any time, and no CHECK can say: a run counts its waiting pauses and open effects rightly."""
    wrong = conn.execute(
        "SELECT r.id, r.status, r.waiting_pauses, r.open_effects FROM run r"
        " WHERE r.waiting_pauses <> (SELECT count(*) FROM run_pause p WHERE p.run_id = r.id AND p.status = 'waiting')"
        "    OR r.open_effects <> (SELECT count(*) FROM effect e WHERE e.run_id = r.id AND e.status IN ('attempted', 'in_doubt'))"
        "    OR (r.status = 'running') <> EXISTS (SELECT FROM run_lease l WHERE l.run_id = r.id)"
        "    OR (r.status IN ('done', 'error', 'cancelled') AND (r.open_effects > 0 OR EXISTS ("
        "        SELECT FROM run_pause p WHERE p.run_id = r.id AND p.status IN ('waiting', 'approved'))))"
    ).fetchall()
    assert wrong == []
