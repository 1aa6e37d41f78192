"""Whoever alters by hand what is stored, before or after the yes, with and without a seal key: nothing is done that was not approved.

They write as the owner of the database, who no grant binds. The provider's payments are what counts, whatever our rows say.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

import pytest

from bot.sandbox.model import ask, say
from engine.errors import Conflict
from engine.models import Decided
from engine.rules import chain, digest, seal
from engine.rules.seal import NO_KEYS, Keys
from engine.state import events, pauses, runs
from tests import rows
from tests.engine.workers.conftest import Desks
from tests.engine.workers.desk import Desk
from tests.engine.workers.shop import Shop, pay

KEYS = Keys.parse("k1:" + bytes(range(32)).hex())
DONE = say("Done.")
APPROVED = 3_800_000
"""EUR 38,000.00, in cents: what is asked, and what alone may ever be paid."""

Came = Literal["click", "not done", "again", "as approved"]
"""click: nothing can be decided on it. not done: the run ends and says so. again: people are asked anew. as approved: only what was approved
is done, and the audit names what was altered."""


@dataclass(frozen=True, slots=True)
class Hand:
    """What somebody does by hand, and what comes of it without and with a key. `seen`: whether the audit names it without a key."""

    does: str
    plain: Came
    sealed: Came
    seen: bool = True


def content(change: str) -> str:
    return f"UPDATE pause_content SET {change} WHERE pause_id = %(pause)s"


def pause(change: str) -> str:
    return f"UPDATE run_pause SET {change} WHERE id = %(pause)s"


def event(change: str, which: str) -> str:
    return f"UPDATE run_event SET {change} WHERE run_id = %(run)s AND event = '{which}'"


DEARER = "replace(document, '38000.00', '380000.00')"
WAKE = ";UPDATE run SET status = 'queued', queued_at = now(), waiting_pauses = 0 WHERE id = %(run)s"
VOTE = (
    ";INSERT INTO pause_vote (pause_id, at, level, person, verdict, surface, seal)"
    " VALUES (%(pause)s, now(), 0, 'marta', 'approve', 'slack:card', %(seal)s)"
)
YES = pause("status = 'approved', votes_left = 0, voters = '{marta}', decided_by = 'marta', decided_at = now()") + WAKE

BEFORE: Mapping[str, Hand] = {
    "the arguments": Hand(content(f"document = {DEARER}"), "click", "click"),
    "the summary": Hand(content("document = replace(document, '\"summary\":\"', '\"summary\":\"Nothing much. ')"), "click", "click"),
    "the explanation": Hand(content("document = replace(document, 'Only supplier', 'The boss said so')"), "click", "click"),
    "the grant": Hand(content("document = replace(document, 'payments:write', 'payments:all')"), "click", "click"),
    "how many must approve": Hand(content("document = replace(document, '\"approvals_needed\":1', '\"approvals_needed\":0')"), "click", "click"),
    "what silence means": Hand(content("document = replace(document, '\"on_expiry\":', '\"on_expiry\" :')"), "click", "click"),
    "the digest": Hand(content("digest = repeat('0', 64)"), "click", "click"),
    "the arguments and their digest": Hand(
        content(f"document = {DEARER}, digest = pause_digest_v1({DEARER})"), "not done", "click"
    ),
    "the arguments and their digest, without the seal": Hand(
        content(f"document = {DEARER}, digest = pause_digest_v1({DEARER}), seal = NULL"), "not done", "not done"
    ),
    "the seal": Hand(content("seal = 'k1:' || repeat('0', 64)"), "click", "click", seen=False),
    "no seal any more": Hand(content("seal = NULL"), "as approved", "again", seen=False),
    "a seal by a key that is not here": Hand(content("seal = 'k9:' || repeat('0', 64)"), "click", "click", seen=False),
    "the status": Hand(YES, "not done", "not done"),
    "the status, with a vote": Hand(YES + VOTE, "not done", "not done"),
    "what the model asked for": Hand(
        "UPDATE run_call SET arguments = replace(arguments::text, '38000.00', '380000.00')::json WHERE run_id = %(run)s",
        "as approved", "as approved", seen=False,
    ),
    "a payment that was begun": Hand(
        "UPDATE run SET status = 'queued', queued_at = now(), open_effects = 1, waiting_pauses = 0 WHERE id = %(run)s;"
        "INSERT INTO effect (id, run_id, created_at, step, n, status, tool, effect_key, action, digest, policy_version, rule, doubt_role)"
        " SELECT gen_random_uuid(), run_id, now(), step, n, 'attempted', 'pay', run_id || ':1:0', %(action)s, %(digest)s, 'fin-approvals-v4', 'x', 'y'"
        " FROM run_pause WHERE id = %(pause)s;"
        "INSERT INTO effect_attempt (id, effect_id, started_at, call_deadline, epoch, status)"
        " SELECT gen_random_uuid(), id, now(), now(), 1, 'open' FROM effect",
        "not done", "not done",
    ),
}  # fmt: skip

AFTER: Mapping[str, Hand] = {
    "the arguments": Hand(content(f"document = {DEARER}"), "not done", "not done"),
    "the summary": Hand(content("document = replace(document, '\"summary\":\"', '\"summary\":\"Nothing much. ')"), "not done", "not done"),
    "the grant": Hand(content("document = replace(document, 'payments:write', 'payments:all')"), "not done", "not done"),
    "the digest": Hand(content("digest = repeat('0', 64)"), "not done", "not done"),
    "the arguments and their digest": Hand(
        content(f"document = {DEARER}, digest = pause_digest_v1({DEARER})"), "not done", "not done"
    ),
    "the arguments and their digest, without the seal": Hand(
        content(f"document = {DEARER}, digest = pause_digest_v1({DEARER}), seal = NULL"), "not done", "not done"
    ),
    "the seal": Hand(content("seal = 'k1:' || repeat('0', 64)"), "again", "not done", seen=False),
    "no seal any more": Hand(content("seal = NULL"), "as approved", "again", seen=False),
    "who decided": Hand(pause("decided_by = 'ines'"), "as approved", "as approved"),
    "when, to have longer": Hand(pause("decided_at = decided_at + interval '1 day'"), "not done", "not done"),
    "who voted, in the request": Hand(pause("voters = '{ines}'"), "not done", "not done"),
    "whose vote it is": Hand("UPDATE pause_vote SET person = 'ines' WHERE pause_id = %(pause)s", "as approved", "not done"),
    "what was voted": Hand("UPDATE pause_vote SET verdict = 'deny' WHERE pause_id = %(pause)s", "as approved", "not done"),
    "why": Hand("UPDATE pause_vote SET reason = 'As agreed.' WHERE pause_id = %(pause)s", "as approved", "not done"),
    "no vote any more": Hand("DELETE FROM pause_vote WHERE pause_id = %(pause)s", "as approved", "not done"),
    "a vote without its seal": Hand("UPDATE pause_vote SET seal = NULL WHERE pause_id = %(pause)s", "as approved", "not done", seen=False),
    "an event": Hand(event("actor = 'ines'", "approve"), "not done", "not done"),
    "an event of another kind": Hand(event("actor = 'w9'", "claim"), "not done", "not done"),
    "an event that is gone": Hand("DELETE FROM run_event WHERE run_id = %(run)s AND event = 'open'", "not done", "not done"),
    "the approval that is gone": Hand("DELETE FROM run_event WHERE run_id = %(run)s AND seq = 4", "not done", "not done"),
    "two events that changed places": Hand(event("n = 2000000", "open"), "not done", "not done"),
    "the whole record": Hand("DELETE FROM run_event WHERE run_id = %(run)s", "not done", "not done"),
    "the head": Hand("UPDATE run SET head = repeat('0', 64) WHERE id = %(run)s", "not done", "not done"),
    "what the model asked for": Hand(
        "UPDATE run_call SET arguments = replace(arguments::text, '38000.00', '380000.00')::json WHERE run_id = %(run)s",
        "as approved", "as approved", seen=False,
    ),
}  # fmt: skip


@pytest.fixture(params=["plain", "sealed"])
def keys(request: pytest.FixtureRequest) -> Keys:
    return KEYS if request.param == "sealed" else NO_KEYS


def alter(desk: Desk, run_id: UUID, statements: str) -> None:
    """As the owner of the database."""
    action = digest.canonical(
        {
            "tool": "pay",
            "arguments": {**pay()[1], "amount": {"amount": "380000.00", "currency": "EUR"}, "method": "pm_1"},
        }
    )
    given = {
        "run": run_id, "pause": desk.pause(run_id).id, "seal": "k1:" + "0" * 64 if desk.conn.keys else None,
        "action": action, "digest": digest.of_canonical("placet.action.v1", action),
    }  # fmt: skip
    for statement in statements.split(";"):
        assert desk.conn.execute(statement, given).rowcount == 1 or "run_event" in statement


def outcome(desk: Desk, run_id: UUID) -> Came:
    desk.work()
    assert desk.paid() in ([], [APPROVED])
    run = runs.get(desk.conn, run_id)
    if desk.paid():
        return "as approved"
    return "again" if run.status == "awaiting_approval" else "not done"


def approves(desk: Desk, run_id: UUID) -> bool:
    """Whether Marta's click counts."""
    try:
        return isinstance(pauses.approve(desk.conn, desk.pause(run_id).id, "marta", surface="tests"), Decided)
    except Conflict as refused:
        assert "there is no key here" in str(refused)  # noqa: PT017  it is refused in one way or the other
        return False


def judged(desk: Desk, run_id: UUID, hand: Hand) -> None:
    found = events.verify(desk.conn, run_id)
    seen = hand.seen or (desk.conn.keys and hand.sealed in ("click", "not done"))
    assert isinstance(found, events.Altered if seen else events.Verified), found


@pytest.mark.parametrize("what", BEFORE)
def test_what_is_altered_before_the_yes(desks: Desks, shop: Shop, keys: Keys, what: str) -> None:
    hand, desk = BEFORE[what], desks(ask(pay()), DONE, DONE, agent=shop.agent)
    run_id = desk.start()
    alter(desk, run_id, hand.does)
    judged(desk, run_id, hand)
    expected = hand.sealed if keys else hand.plain
    if runs.get(desk.conn, run_id).status == "awaiting_approval":
        assert approves(desk, run_id) == (expected != "click")
    if expected != "click":
        assert outcome(desk, run_id) == expected
    else:
        desk.work()
        assert desk.paid() == []


@pytest.mark.parametrize("what", AFTER)
def test_what_is_altered_after_the_yes(desks: Desks, shop: Shop, keys: Keys, what: str) -> None:
    hand, desk = AFTER[what], desks(ask(pay()), DONE, DONE, agent=shop.agent)
    run_id = desk.start()
    desk.approve(run_id)
    alter(desk, run_id, hand.does)
    judged(desk, run_id, hand)
    assert outcome(desk, run_id) == (hand.sealed if keys else hand.plain)


# ------------------------------------------------------------------------------------------------- more than one at once


def again(desk: Desk, run_id: UUID) -> None:
    """A settled request is made to look approved, in every row, and its run is queued."""
    desk.conn.execute("DELETE FROM effect_attempt; DELETE FROM effect")
    desk.conn.execute("UPDATE run_call SET state = 'requested', result = NULL WHERE run_id = %s", (run_id,))
    desk.conn.execute(
        "UPDATE run SET status = 'queued', queued_at = now(), iterations = 1, open_effects = 0 WHERE id = %s", (run_id,)
    )
    desk.conn.execute(
        "UPDATE run_pause SET status = 'approved', votes_left = 0, decided_by = 'marta', decided_at = coalesce(decided_at, now()),"
        " voters = '{marta}' WHERE run_id = %s",
        (run_id,),
    )


def test_what_was_done_is_not_done_again(desks: Desks, shop: Shop, keys: Keys) -> None:
    desk = desks(ask(pay()), DONE, DONE, agent=shop.agent)
    run_id = desk.start()
    desk.approve(run_id)
    desk.work()
    again(desk, run_id)
    assert outcome(desk, run_id) == "as approved"
    assert desk.paid() == [APPROVED], "once"


@pytest.mark.parametrize("verb", ["deny", "withdraw"])
def test_what_was_refused_or_withdrawn_is_not_done(desks: Desks, shop: Shop, keys: Keys, verb: str) -> None:
    desk = desks(ask(pay()), DONE, DONE, agent=shop.agent)
    run_id = desk.start()
    who = "marta" if verb == "deny" else "priya"
    assert isinstance(getattr(pauses, verb)(desk.conn, desk.pause(run_id).id, who, surface="tests"), Decided)
    again(desk, run_id)
    assert outcome(desk, run_id) == "not done"


def test_one_yes_is_not_two_whatever_the_row_says(desks: Desks, shop: Shop, keys: Keys) -> None:
    desk = desks(ask(pay()), DONE, DONE, agent=shop.agent)
    desk.give_role("jonas", "finance-approver")
    desk.policy(
        ('person = "marta"', 'role = "finance-approver"\napprovers = 2'),
        (
            'on_expiry = "escalate"\nescalate = [{ manager_of = "approver", answer_within = "4h" }]',
            'on_expiry = "deny"',
        ),
    )
    run_id = desk.start()
    found = desk.pause(run_id)
    assert found.votes_left == 2
    desk.conn.execute("UPDATE run_pause SET votes_left = 1 WHERE id = %s", (found.id,))
    desk.approve(run_id, "marta")
    assert outcome(desk, run_id) == "not done"


@pytest.mark.parametrize(
    "asks",
    [
        "approver = 'person:jonas'",
        "approver = 'person:jonas', level = 1",
        "approver = 'role:board'",
        "approver = 'person:jonas', level = 7",
    ],
)
def test_who_is_asked_by_the_row_alone_has_not_approved(desks: Desks, shop: Shop, keys: Keys, asks: str) -> None:
    desk = desks(ask(pay()), DONE, DONE, agent=shop.agent)
    rows.give_role(desk.conn, "jonas", "board")
    run_id = desk.start()
    desk.conn.execute(f"UPDATE run_pause SET {asks} WHERE id = %s", (desk.pause(run_id).id,))
    assert isinstance(pauses.approve(desk.conn, desk.pause(run_id).id, "jonas", surface="tests"), Decided)
    assert outcome(desk, run_id) == "again"
    asked = pauses.get(desk.conn, runs.get(desk.conn, run_id).pauses[-1])
    assert asked.content is not None
    assert asked.content.supersedes is not None
    assert "Jonas" in asked.content.supersedes.why


def test_the_level_of_an_answer_is_no_way_round_a_role_that_is_lost(desks: Desks, shop: Shop, keys: Keys) -> None:
    desk = desks(ask(pay(amount="5000.00")), DONE, DONE, agent=shop.agent)
    run_id = desk.start()
    desk.approve(run_id)
    rows.take_role(desk.conn, "marta", "finance-approver")
    desk.conn.execute("UPDATE pause_vote SET level = 7")
    desk.work()
    assert desk.paid() == []


@pytest.mark.parametrize(
    ("lost", "altered"),
    [
        (rows.take_scopes, "UPDATE run_content SET scopes = '{}'"),
        (rows.deactivate, "UPDATE run SET on_behalf_of = 'otto' WHERE kind = 'agent'"),
    ],
)
def test_authority_is_what_the_request_says_whatever_the_run_says(
    desks: Desks, shop: Shop, keys: Keys, lost: Callable[[Any, str], object], altered: str
) -> None:
    desk = desks(ask(pay()), DONE, DONE, agent=shop.agent)
    run_id = desk.start()
    desk.approve(run_id)
    lost(desk.conn, "priya")
    desk.conn.execute(altered)
    assert outcome(desk, run_id) == "not done"


def rewrite(desk: Desk, run_id: UUID) -> None:
    """Make the record fit whatever was altered: the whole chain anew, as who knows how it is made can."""
    record, head = events.read(desk.conn, run_id), digest.GENESIS
    for seq in sorted({e["seq"] for e in record.entries}):
        move = [{field: e[field] for field in digest.CHAIN_FIELDS} for e in record.entries if e["seq"] == seq]
        head = digest.link(head, move)
        desk.conn.execute(
            "UPDATE run_event SET mark = decode(left(%s, 16), 'hex') WHERE run_id = %s AND seq = %s",
            (head, run_id, seq),
        )
    desk.conn.execute(
        "UPDATE run SET head = %s, seq = (SELECT max(seq) FROM run_event e WHERE e.run_id = run.id) WHERE id = %s",
        (head, run_id),
    )
    assert isinstance(chain.follow(events.read(desk.conn, run_id)), chain.Told)


def forged_yes(desk: Desk, run_id: UUID, sealed: str | None) -> None:
    """An approval that nobody gave, in every row and in the record."""
    found = desk.pause(run_id)
    given = {"run": run_id, "pause": found.id, "seal": sealed}
    for statement in (YES + VOTE).split(";"):
        desk.conn.execute(statement, given)
    desk.conn.execute(
        "INSERT INTO run_event (run_id, seq, at, n, entity, entity_id, from_status, event, to_status, actor, surface)"
        " SELECT run_id, 4, decided_at, 1, 'pause', id::text, 'waiting', 'approve', 'approved', 'marta', 'slack:card' FROM run_pause WHERE id = %(pause)s"
        " UNION ALL SELECT run_id, 4, decided_at, 1000000, 'run', run_id::text, 'awaiting_approval', 'wake', 'queued', 'marta', 'slack:card'"
        " FROM run_pause WHERE id = %(pause)s",
        given,
    )  # fmt: skip
    desk.conn.execute(
        "UPDATE pause_vote SET at = p.decided_at FROM run_pause p WHERE p.id = pause_id AND p.id = %(pause)s", given
    )
    rewrite(desk, run_id)
    record = events.read(desk.conn, run_id)
    told = chain.follow(record)
    assert isinstance(told, chain.Told)
    assert chain.disagreement(record, told) is None, "sound by itself"


@pytest.mark.parametrize("key", ["none", "made up", "their own"])
def test_an_approval_forged_in_every_row_and_in_the_record_is_stopped_by_its_seal(
    desks: Desks, shop: Shop, keys: Keys, key: str
) -> None:
    """Without a key somebody who can rewrite everything is believed: that is what the key, and signed checkpoints, are for."""
    desk = desks(ask(pay()), DONE, DONE, agent=shop.agent)
    run_id = desk.start()
    found = desk.pause(run_id)
    said = seal.of_vote(found.id, found.digest, person="marta", verdict="approve", surface="slack:card", reason=None)
    own = seal.seal(Keys.parse("k1:" + bytes(range(100, 132)).hex()), "vote", said)
    forged_yes(desk, run_id, {"none": None, "made up": "k1:" + "0" * 64, "their own": own}[key] if keys else None)
    assert outcome(desk, run_id) == ("not done" if keys else "as approved")


def test_a_yes_to_one_request_is_none_to_another(desks: Desks, shop: Shop, keys: Keys) -> None:
    """Content, digest, seal and vote of an approved request are put under another one, and every row and the record are made to fit."""
    desk = desks(ask(pay()), DONE, ask(pay("PO-2", "20000.00")), DONE, agent=shop.agent)
    first = desk.start()
    desk.approve(first)
    desk.work()
    second = desk.start()
    given = {"from": desk.pauses(first)[0].id, "to": desk.pause(second).id}
    desk.conn.execute(
        "UPDATE pause_content c SET digest = o.digest, document = o.document, seal = o.seal FROM pause_content o"
        " WHERE c.pause_id = %(to)s AND o.pause_id = %(from)s",
        given,
    )
    desk.conn.execute("UPDATE run_event SET detail = (SELECT digest FROM pause_content WHERE pause_id = %(to)s)"
                      " WHERE event = 'open' AND entity_id = %(to)s::text", given)  # fmt: skip
    rewrite(desk, second)
    assert approves(desk, second) == (not keys)
    desk.work()
    assert (desk.paid("PO-1"), desk.paid("PO-2")) == ([APPROVED], [])


def test_an_altered_policy_allows_nothing(desks: Desks, shop: Shop, keys: Keys) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = desk.launch()
    desk.conn.execute("UPDATE policy_version SET document = replace(document, '1000.00', '50000.00')")
    desk.work()
    assert "was altered after it was applied" in desk.error(run_id)
    assert desk.paid() == []
