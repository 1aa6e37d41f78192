"""Requests as rows, for tests of what people read: one plain payment, and every status it can come to."""

import hashlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from engine.models import Content, Inquiry, Line, Pause, Quote, Standing, Superseded, Vote, Waiting
from engine.rules.digest import canonical
from engine.rules.money import Money
from engine.rules.needs import Need, Step

ENV = "test"
RUN = UUID("01890a5d-ac96-774b-bcce-b302099a8057")
PAUSE = UUID("01890a5d-ac96-774b-bcce-b3020a5d21ab")
NEXT = UUID("01890a5d-ac96-774b-bcce-b3020b77aa01")
ASKED = datetime(2026, 7, 17, 9, 19, tzinfo=UTC)
DUE = ASKED + timedelta(hours=4)
DECIDED = ASKED + timedelta(hours=2, minutes=43)

NEED = Need(
    kind="ask", policy_version="fin-approvals-v4", rule="large payment", why="Large payments need a yes.", person="marta",
    approvers=1, answer_within_s=14_400, on_expiry="escalate", steps=(Step(manager_of="approver", answer_within_s=14_400),),
    tolerance_bp=200, execute_within_s=259_200, channel="C0BUY", doubt_role="finance-approver",
)  # fmt: skip
LINES = (
    Line(label="Supplier", value="Nordholz Industrial (sup_412)"),
    Line(label="Amount", value="EUR 38,000.00"),
    Line(label="Payment method", value="card ending 4417"),
    Line(label="Order", value="PO-2026-0193"),
)
CONTENT = Content(
    run_id=str(RUN), step=3, n=0, agent="procurement", tool="charge_supplier", tool_version="1", tool_use_id="toolu_1",
    title="Approve a payment?",
    arguments={"supplier_id": "sup_412", "amount": {"amount": "38000.00", "currency": "EUR"}, "payment_method": "pm_4417",
               "order_ref": "PO-2026-0193"},
    action_digest="a" * 64, fingerprint="f" * 64, effect_key=f"{RUN}:3:0",
    summary="EUR 38,000.00 to Nordholz Industrial (sup_412) for order PO-2026-0193: 40 hydraulic pumps",
    lines=LINES, explanation="Only supplier with stock before the 20th; second quote was 3 % higher.",
    amount=Money(3_800_000, "EUR"), acts_as="agent:procurement", on_behalf_of="priya", scopes=("payments:write",), need=NEED,
    quote=Quote(price=Money(3_800_000, "EUR"), valid_until=DUE + timedelta(days=4), reference="q_7781"), supersedes=None,
)  # fmt: skip


def content(**fields: Any) -> Content:
    """The payment with other contents."""
    return replace(CONTENT, **fields)


def pause(asked: Content | None = CONTENT, **fields: Any) -> Pause:
    """The payment as it waits for Marta, or with other fields; its digest is that of what is asked."""
    document = canonical(asked.to_document()) if asked else "{}"
    waiting = Pause(
        id=PAUSE, run_id=RUN, step=3, n=0, status="waiting", version=1, created_at=ASKED, fire_at=DUE, approver="person:marta",
        approver_name="Marta Keller", level=0, votes_left=1, voters=(), decided_by=None, decided_by_name=None, decided_at=None,
        reason=None, digest=hashlib.sha256(document.encode()).hexdigest(), document=document, intact=asked is not None,
        content=asked, agent="procurement", on_behalf_of="priya", requester_name="Priya Nair", run_status="awaiting_approval",
        open_effects=0, votes=(), effect_status=None, receipt=None, effect_error=None, settled_at=None, superseded_by=None,
    )  # fmt: skip
    return replace(waiting, **fields)


ASKS = replace(
    NEED,
    rule="questions",
    why="Questions are answered by marta.",
    approvers=0,
    tolerance_bp=0,
    execute_within_s=0,
    doubt_role=None,
)


def question(*choices: str, **fields: Any) -> Content:
    """A question of the same agent, with these choices."""
    said = "Which of the two suppliers do you prefer?"
    arguments = {"question": said, "choices": list(choices)}
    lines = tuple(Line(label=f"Choice {n}", value=one) for n, one in enumerate(choices, 1))
    asked = replace(
        CONTENT, tool="ask_human", title="The procurement agent asks", arguments=arguments, summary=said, lines=lines,
        explanation="", amount=None, scopes=(), need=ASKS, quote=None, effect_key="",
    )  # fmt: skip
    return replace(asked, **fields)


def asked_pause(*choices: str, **fields: Any) -> Pause:
    """The question as it waits for Marta, or with other fields."""
    return pause(question(*choices), **{"votes_left": 0, **fields})


def by_marta(verdict: str = "approve", reason: str | None = None) -> dict[str, Any]:
    """The fields that Marta's decision sets."""
    verdicts: dict[str, Any] = {"approve": "approve", "answer": "answer"}
    vote = Vote(
        person="marta", name="Marta Keller", verdict=verdicts.get(verdict, "deny"), level=0, surface="slack:card",
        at=DECIDED, reason=reason,
    )  # fmt: skip
    return {
        "version": 2, "votes_left": int(verdict == "deny"), "voters": ("marta",), "decided_by": "marta", "decided_by_name": "Marta Keller",
        "decided_at": DECIDED, "reason": reason, "votes": (vote,), "run_status": "running",
    }  # fmt: skip


ASKED_BACK = Inquiry(
    n=1, person="marta", name="Marta Keller", at=ASKED + timedelta(minutes=20), surface="slack:form",
    text="Which cost centre does it go to?\nAnd is <!channel> told?",
)  # fmt: skip
ANSWERED = replace(
    ASKED_BACK, reply="4711, as every year.", replied_at=ASKED + timedelta(hours=1), replied_in="slack:form"
)


def statuses() -> dict[str, Pause]:
    """One pause for every way a request can stand."""
    yes, settled = by_marta(), DECIDED + timedelta(seconds=9)
    two = content(need=replace(NEED, person=None, role="finance-approver", approvers=2, on_expiry="deny", steps=()))
    return {
        "waiting": pause(),
        "waiting_escalated": pause(level=1, approver="person:otto", approver_name="Otto Brandt", version=2),
        "waiting_one_of_two": pause(two, approver="role:finance-approver", approver_name=None, votes_left=1,
                                    voters=("marta",), votes=yes["votes"], version=2),
        "waiting_asked_again": pause(again()),
        "waiting_altered": pause(None),
        "waiting_asked_back": pause(inquiries=(ASKED_BACK,), version=2),
        "waiting_answered": pause(inquiries=(replace(ANSWERED, person="ines", name="Ines Alonso", text="Is it urgent?"), replace(ANSWERED, n=2)), version=5),
        "waiting_question": asked_pause(),
        "waiting_question_with_choices": asked_pause("Nordholz Industrial", "Brandt & Söhne", "Neither: ask a third"),
        "waiting_question_with_many": asked_pause(*(f"Supplier {n}" for n in range(1, 8))),
        "answered": asked_pause("Nordholz Industrial", "Brandt & Söhne", status="answered", **by_marta("answer", "Nordholz Industrial")),
        "expired_question": asked_pause(status="expired", version=2, decided_at=DUE, reason="nobody answered in time", run_status="running"),
        "approved": pause(status="approved", **yes),
        "approved_in_doubt": pause(status="approved", **yes | {"run_status": "in_doubt"}, effect_status="in_doubt", open_effects=1),
        "approved_held": pause(status="approved", **yes | {"run_status": "paused"}),
        "approved_halted": pause(status="approved", **yes, halted_by_name="Otto Brandt"),
        "executed": pause(status="executed", **yes, effect_status="done", settled_at=settled,
                          receipt={"id": "ch_3Px", "amount": {"amount": "38000.00", "currency": "EUR"},
                                   "quoted_then": "EUR 38,000.00", "quoted_now": "EUR 38,420.00"}),
        "failed": pause(status="failed", **yes, effect_status="failed", effect_error="Your card was declined.", settled_at=settled),
        "failed_without_knowing": pause(status="failed", **yes | {"reason": "ended in doubt by otto"}, effect_status="abandoned",
                                        settled_at=settled),
        "denied": pause(status="denied", **by_marta("deny", "Ask Beck & Sons first.")),
        "expired": pause(status="expired", version=2, decided_at=DUE, reason="nobody answered in time", run_status="running",
                         lapsed=True),
        "expired_asked_again": pause(status="expired", version=3, decided_at=DUE, reason="nobody answered in time", run_status="done",
                                     lapsed=True, again_run=NEXT),
        "cancelled_withdrawn": pause(status="cancelled", version=2, decided_by="priya", decided_by_name="Priya Nair",
                                     decided_at=DECIDED, run_status="running", lapsed=True),
        "cancelled_sibling": pause(status="cancelled", version=2, decided_at=DECIDED, reason="another call of the same turn was denied",
                                   run_status="running"),
        "superseded": pause(status="superseded", **yes | {"reason": "The price is EUR 39,900.00 now, more than the 2 % allowed."},
                            superseded_by=NEXT),
        "voided": pause(status="voided", **yes | {"reason": "Priya Nair may no longer do payments:write."}, lapsed=True),
    }  # fmt: skip


def again() -> Content:
    """The same payment, asked anew because its price moved."""
    return content(
        quote=Quote(price=Money(3_990_000, "EUR"), valid_until=None),
        supersedes=Superseded(
            pause_id=str(PAUSE), why="The price moved by 5 %, more than the 2 % allowed.", was=Money(3_800_000, "EUR")
        ),
    )


def standing(**fields: Any) -> Standing:
    """What holds for the payment while it waits for Marta, or with other fields."""
    waiting = Standing(
        pause_id=PAUSE, run_id=RUN, status="waiting", votes_left=1, approver="person:marta", level=0, fire_at=DUE, decided_by=None,
        decided_at=None, reason=None, at=DECIDED, run_status="awaiting_approval",
    )  # fmt: skip
    return replace(waiting, **fields)


def waiting(**fields: Any) -> Waiting:
    """The payment as a line in a list, or with other fields."""
    line = Waiting(
        id=PAUSE, run_id=RUN, approver="person:marta", approver_name="Marta Keller", level=0, created_at=ASKED, fire_at=DUE, votes_left=1,
        agent="procurement", on_behalf_of="priya", requester_name="Priya Nair", digest=pause().digest, summary=CONTENT.summary, intact=True,
        total=1,
    )  # fmt: skip
    return replace(line, **fields)
