"""What one turn asks of somebody, decided in one form: all of it is shown, and what is decided is exactly what was shown."""

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from bot.cards import blocks, ids, together
from engine.models import Actor, Confirmation, Line, Pause
from engine.rules.digest import canonical
from engine.state import events, pauses
from tests import rows
from tests.bot.asked import ENV, content, pause
from tests.bot.house import Home
from tests.bot.office import actions_of, at_once, text_of
from tests.bot.painted import ATTACKS, opened, pressed, read, taken

Json = dict[str, Any]
MARTA = Actor(
    id="marta", name="Marta Keller", active=True, team="T0ACME", slack_user="U0MARTA", refusal=None, checked_s_ago=1.0,
    roles=("finance-approver",),
)  # fmt: skip
FINANCE = "role:finance-approver"


# -------------------------------------------------------------------------------------------------------- what is shown


def turn(*asked: Pause) -> list[Pause]:
    """These as the calls of one turn that wait together."""
    return [
        replace(one, id=uuid4(), n=n, nth=n + 1, of_turn=len(asked), together=len(asked)) for n, one in enumerate(asked)
    ]


def form(asked: list[Pause], total: int | None = None, viewer: Actor = MARTA, **more: Any) -> Json:
    view = together.together_view(asked, ENV, viewer=viewer, total=total or len(asked), **more)
    opened(view)
    return view


def shown(view: Json) -> list[UUID]:
    several = ids.decode_several(view.get("private_metadata"))
    return [button.about for button in several.buttons] if several else []


def test_a_card_says_which_of_its_turn_it_is_and_offers_all_that_waits() -> None:
    [_, two, _] = turn(pause(), pause(), pause())
    card = blocks.card(two, kind="approver", level=0, env=ENV)
    taken(card)
    assert "2 of 3 of this turn" in read(card.blocks)
    assert pressed(card.blocks) == ["Approve", "Deny", "Ask Priya Nair …", "Details", "Decide all 3 …"]
    alone = blocks.card(replace(two, together=1), kind="approver", level=0, env=ENV)
    assert pressed(alone.blocks) == ["Approve", "Deny", "Ask Priya Nair …", "Details"]
    other = blocks.card(two, kind="approver", level=1, env=ENV)
    assert ids.ACTION_TOGETHER not in str(other.blocks)


def test_each_stands_in_it_whole() -> None:
    three = turn(*(pause(content(summary=f"Pay number {n}", arguments={"order_ref": f"PO-{n}"})) for n in range(3)))
    text = read(form(three)["blocks"])
    for one in three:
        assert one.content is not None
        action = canonical({"tool": one.content.tool, "arguments": dict(one.content.arguments)})
        for fact in (one.content.summary, action, one.digest, str(one.id), one.content.explanation, "2 % either way"):
            assert fact in text
    assert "none of its calls is done" in text


def test_what_does_not_fit_comes_after_and_is_not_decided_with_it() -> None:
    many = turn(*(pause() for _ in range(12)))
    first = form(many, total=15)
    assert 4 <= len(shown(first)) < 12
    assert shown(first) == [one.id for one in many[: len(shown(first))]]
    assert f"{15 - len(shown(first))} more of it wait for you" in read(first["blocks"])
    assert f"Approve all {len(shown(first))}" in read(first["blocks"])
    for hidden in many[len(shown(first)) :]:
        assert str(hidden.id) not in read(first["blocks"])


@pytest.mark.parametrize("size", [1_000, 2_000])  # in all less than is looked at whole, and more
def test_what_is_too_long_for_any_page_is_left_to_its_card(size: int) -> None:
    long = pause(content(lines=tuple(Line(label=f"L{n}", value="x" * size) for n in range(200))))
    [one, two, three] = turn(pause(), long, pause())
    view = form([one, two, three])
    assert shown(view) == [one.id, three.id]
    assert f"2 of 3 of this turn ({ids.screen_id('pause', two.id)}): It is too long" in read(view["blocks"])
    assert "submit" not in form(turn(long, long))


@pytest.mark.parametrize("words", ATTACKS)
def test_it_opens_whatever_is_in_it(words: str) -> None:
    asked = content(title=words, summary=words, explanation=words, lines=(Line(label=words, value=words),) * 3,
                    confirm=Confirmation(of="payment_method", typed="4417"))  # fmt: skip
    form(turn(*(pause(asked, reason=words) for _ in range(8))), total=30, channel="C0BUY")


def test_what_this_person_may_not_decide_is_named_and_not_offered() -> None:
    altered, voted, one, two = turn(
        pause(None), pause(voters=("marta",), votes_left=1, approver=FINANCE), pause(approver=FINANCE), pause(approver=FINANCE)
    )  # fmt: skip
    view = form([altered, voted, one, two])
    assert shown(view) == [one.id, two.id]
    text = read(view["blocks"])
    assert "1 of 4 of this turn" in text
    assert "was altered after it was stored" in text
    assert "Your approval of it is counted already" in text


def test_what_a_form_carries_fits_into_what_slack_keeps_of_it() -> None:
    several = ids.Several(
        tuple(ids.Button("e" * 100, uuid4(), "0" * 8) for _ in range(ids.MOST_TOGETHER)), "C0123456789ABCDEF"
    )
    assert len(ids.encode_several(several)) <= 3_000
    assert ids.decode_several(ids.encode_several(several)) == several
    for odd in (None, "", "C0BUY .test", ids.encode_several(several)[:-101], 7):
        assert ids.decode_several(odd) is None


# -------------------------------------------------------------------------------------------------------- what is decided


def choice(value: str | None) -> Json:
    return {"type": "radio_buttons", "selected_option": {"value": value} if value else None}


def filled(
    overall: str | None, each: dict[UUID, str] | None = None, *, reason: str = "", typed: dict[UUID, str] | None = None
) -> Json:
    return {
        ids.BLOCK_ALL: {ids.ACTION_CHOICE: choice(overall)},
        ids.BLOCK_REASON: {ids.ACTION_REASON: {"type": "plain_text_input", "value": reason or None}},
        **{ids.block_of("one", one): {ids.ACTION_CHOICE: choice(value)} for one, value in (each or {}).items()},
        **{ids.block_of("typed", one): {ids.ACTION_TYPED: {"type": "plain_text_input", "value": value}} for one, value in (typed or {}).items()},
    }  # fmt: skip


def open_form(home: Home, user: str = "U0MARTA") -> Json:
    home.house.bell.ring()
    card = home.office.await_(
        lambda: next((m for m in home.office.messages("C0BUY") if ids.ACTION_TOGETHER in actions_of(m)), None)
    )
    home.office.press(user, card, ids.ACTION_TOGETHER)
    [view] = home.office.views(user)
    return view


def submit(home: Home, view: Json, values: Json, user: str = "U0MARTA") -> Json:
    """What stands in the window afterwards."""
    home.office.act("submit", user, view_id=view["id"], values=values)
    return home.office.views(user)[-1]


def stand(home: Home, pause_ids: list[UUID]) -> list[str]:
    return [home.pause(one).status for one in pause_ids]


def refused(conn: Any, pause_id: UUID) -> list[tuple[str, str, str | None]]:
    run_id = pauses.get(conn, pause_id).run_id
    return [(e.actor, e.event, e.detail) for e in events.of_run(conn, run_id) if e.to_status is None]


def test_all_are_approved_and_the_window_says_which(home: Home, conn: Any) -> None:
    three = rows.waiting(conn, 3)
    after = submit(home, open_form(home), filled("approve"))
    assert stand(home, three) == ["approved"] * 3
    assert {vote.surface for one in three for vote in home.pause(one).votes} == {"slack:form"}
    text = text_of(after)
    assert together.DECIDED in text
    for nth, one in enumerate(three, start=1):
        assert f"{nth} of 3 of this turn ({ids.screen_id('pause', one)}): Approved. The agent goes on." in text
    home.calm()
    assert not any(ids.ACTION_TOGETHER in actions_of(m) for m in home.office.messages("C0BUY"))


def test_all_are_denied_with_one_reason_and_each_is_a_denial(home: Home, conn: Any) -> None:
    three = rows.waiting(conn, 3)
    after = submit(home, open_form(home), filled("deny", reason="Not this year."))
    assert [(p.status, p.decided_by, p.reason) for p in map(home.pause, three)] == [
        ("denied", "marta", "Not this year.")
    ] * 3
    assert text_of(after).count("Denied. Nothing is done") == 3


def test_what_is_chosen_for_each_is_decided_and_the_rest_waits(home: Home, conn: Any) -> None:
    three = rows.waiting(conn, 3)
    after = submit(home, open_form(home), filled("each", {three[0]: "approve", three[1]: "leave", three[2]: "approve"}))
    assert stand(home, three) == ["approved", "waiting", "approved"]
    assert "2 of 3 of this turn" in text_of(after)
    assert "It waits for you as before." in text_of(after)
    home.calm()
    [left] = [m for m in home.office.messages("C0BUY") if ids.ACTION_APPROVE in actions_of(m)]
    assert ids.ACTION_TOGETHER not in actions_of(left)


def test_a_denial_among_them_counts_alone_and_calls_off_the_others(home: Home, conn: Any) -> None:
    three = rows.waiting(conn, 3)
    view = open_form(home)
    assert "an approval that you choose beside it is not counted" in text_of(view)
    after = submit(home, view, filled("each", {three[0]: "approve", three[1]: "deny", three[2]: "approve"}))
    assert stand(home, three) == ["cancelled", "denied", "cancelled"]
    assert [v.verdict for one in three for v in home.pause(one).votes] == ["deny"]
    assert "another call of the same turn was denied" in text_of(after)


@pytest.mark.parametrize(
    ("values", "block", "says"),
    [
        (filled("each"), ids.BLOCK_ALL, together.NOTHING_CHOSEN),
        (filled("deny", reason="x" * 1_001), ids.BLOCK_REASON, "1,000 characters"),
    ],
)
def test_a_form_that_says_nothing_or_too_much_decides_nothing(
    home: Home, conn: Any, values: Json, block: str, says: str
) -> None:
    two = rows.waiting(conn, 2)
    after = submit(home, open_form(home), values)
    assert says in after["errors"][block]
    assert stand(home, two) == ["waiting", "waiting"]


def test_a_yes_to_all_beside_a_no_to_one_is_asked_again(home: Home, conn: Any) -> None:
    two = rows.waiting(conn, 2)
    after = submit(home, open_form(home), filled("approve", {two[1]: "deny"}))
    assert after["errors"] == {ids.BLOCK_ALL: together.OTHERWISE_CHOSEN}
    assert stand(home, two) == ["waiting", "waiting"]


def test_what_is_typed_is_looked_at_for_each(home: Home, conn: Any) -> None:
    need = replace(rows.NEED, confirm="payment_method")
    two = rows.waiting(conn, 2, need=need, confirm=Confirmation(of="payment_method", typed="4417"))
    view = open_form(home)
    after = submit(home, view, filled("approve", typed={two[0]: "4417", two[1]: "4471"}))
    assert list(after["errors"]) == [ids.block_of("typed", two[1])]
    assert stand(home, two) == ["waiting", "waiting"]
    assert ("marta", "approve", "unconfirmed") in refused(conn, two[1])
    submit(home, after, filled("approve", typed={two[0]: "4417", two[1]: "44 17"}))
    assert stand(home, two) == ["approved", "approved"]


def test_pages_come_one_after_the_other_and_each_decides_its_own(home: Home, conn: Any) -> None:
    many = rows.waiting(conn, 9)
    view = open_form(home)
    first = shown(view)
    assert first == many[: len(first)]
    view = submit(home, view, filled("approve"))
    assert together.DECIDED in text_of(view)
    assert stand(home, many) == ["approved"] * len(first) + ["waiting"] * (9 - len(first))
    assert shown(view) == many[len(first) :]
    view = submit(home, view, filled("approve"))
    assert stand(home, many) == ["approved"] * 9
    assert shown(view) == []


# ---------------------------------------------------------------------------------------------------- meanwhile, and who


def test_what_somebody_else_decided_meanwhile_is_named_and_nothing_is_decided(home: Home, conn: Any) -> None:
    three = rows.waiting(conn, 3, approver=FINANCE)
    view = open_form(home)
    pauses.approve(conn, three[1], "ines", surface="tests")
    after = submit(home, view, filled("approve"))
    assert stand(home, three) == ["waiting", "approved", "waiting"]
    text = text_of(after)
    assert together.NOT_DECIDED in text
    assert f"2 of 3 of this turn ({ids.screen_id('pause', three[1])}): Already approved by Ines" in text
    assert refused(conn, three[0]) == [("marta", "approve", why) for why in ("kept", "settled", "kept")]
    assert shown(after) == [three[0], three[2]]
    submit(home, after, filled("approve"))
    assert stand(home, three) == ["approved"] * 3
    assert [home.pause(one).decided_by for one in three] == ["marta", "ines", "marta"]


def test_what_was_called_off_meanwhile_leaves_nothing_to_decide(home: Home, conn: Any) -> None:
    three = rows.waiting(conn, 3)
    view = open_form(home)
    pauses.withdraw(conn, three[0], "priya", surface="tests")
    after = submit(home, view, filled("deny"))
    assert stand(home, three) == ["cancelled"] * 3
    assert text_of(after).count("Already withdrawn by Priya Nair") == 3
    assert shown(after) == []


@pytest.mark.parametrize("verdict", ["approve", "deny"])
def test_of_two_who_submit_at_once_one_decides_and_the_other_hears_who(home: Home, conn: Any, verdict: str) -> None:
    three = rows.waiting(conn, 3, approver=FINANCE)
    forms = {user: open_form(home, user) for user in ("U0MARTA", "U0INES")}
    afters = at_once(
        *(lambda user=user, view=view: submit(home, view, filled(verdict), user) for user, view in forms.items())
    )
    winners = {home.pause(one).decided_by for one in three}
    assert len(winners) == 1
    assert sorted(together.NOT_DECIDED in text_of(after) for after in afters) == [False, True]
    [lost] = [text_of(after) for after in afters if together.NOT_DECIDED in text_of(after)]
    [winner] = winners
    settled = "approved" if verdict == "approve" else "denied"
    assert lost.count(f"Already {settled} by {'Marta Keller' if winner == 'marta' else 'Ines'}") == 3


@pytest.mark.parametrize("due", [0, 1, 2])
def test_what_is_due_is_settled_first_and_then_told(home: Home, conn: Any, due: int) -> None:
    three = rows.waiting(conn, 3)
    view = open_form(home)
    rows.make_due(conn, three[due])
    after = submit(home, view, filled("approve"))
    left = [one for one in three if one != three[due]]
    assert [home.pause(one).approver for one in three if one not in left] == ["person:otto"]
    assert stand(home, three) == ["waiting"] * 3
    assert "is with Otto" in text_of(after)
    assert shown(after) == left


def test_what_expired_took_its_siblings_along_and_that_is_told(home: Home, conn: Any) -> None:
    need = replace(rows.NEED, on_expiry="deny", steps=())
    two = rows.waiting(conn, 2, need=need)
    view = open_form(home)
    rows.make_due(conn, two[0])
    after = submit(home, view, filled("approve"))
    assert stand(home, two) == ["expired", "cancelled"]
    assert "Expired" in text_of(after)
    assert shown(after) == []


def test_who_may_not_decide_them_is_told_so_and_no_form_opens(home: Home, conn: Any) -> None:
    rows.waiting(conn, 2)
    home.house.bell.ring()
    card = home.office.await_(
        lambda: next((m for m in home.office.messages("C0BUY") if ids.ACTION_TOGETHER in actions_of(m)), None)
    )
    home.office.press("U0JONAS", card, ids.ACTION_TOGETHER)
    assert "It is for Marta Keller to decide" in home.private("U0JONAS")
    assert home.office.views("U0JONAS") == []


def test_who_lost_the_role_meanwhile_decides_nothing_and_is_on_record(home: Home, conn: Any) -> None:
    two = rows.waiting(conn, 2, approver=FINANCE)
    view = open_form(home)
    rows.take_role(conn, "marta", "finance-approver")
    after = submit(home, view, filled("approve"))
    assert stand(home, two) == ["waiting", "waiting"]
    assert "It is for one person with the role" in text_of(after) or "to decide, until" in text_of(after)
    assert refused(conn, two[0]) == [("marta", "approve", "not_yours")] * 2
    assert shown(after) == []


def test_a_button_of_a_card_that_waits_alone_by_now_says_so(home: Home, conn: Any) -> None:
    two = rows.waiting(conn, 2)
    home.house.bell.ring()
    home.calm()
    cards = [m for m in home.office.messages("C0BUY") if ids.ACTION_TOGETHER in actions_of(m)]
    pauses.approve(conn, two[0], "marta", surface="tests")
    [of_two] = [m for m in cards if f"{ids.screen_id('pause', two[1])}" in text_of(m)]
    home.office.press("U0MARTA", of_two, ids.ACTION_TOGETHER)
    assert "Nothing else of this turn waits with you" in home.private("U0MARTA")


def test_a_form_of_another_environment_decides_nothing(home: Home, conn: Any) -> None:
    two = rows.waiting(conn, 2)
    view = open_form(home)
    foreign = ids.Several(tuple(ids.Button("prod", one, home.pause(one).digest[:8]) for one in two), "C0BUY")
    changed = {name: view[name] for name in ("type", "title", "callback_id", "submit", "close", "blocks")}
    home.office.slack.views_update(view["id"], {**changed, "private_metadata": ids.encode_several(foreign)})
    after = submit(home, view, filled("approve"))
    assert "This card belongs to “prod”" in after["errors"][ids.BLOCK_ALL]
    assert stand(home, two) == ["waiting", "waiting"]


@pytest.mark.parametrize("verdict", ["approve", "deny"])
def test_a_form_that_is_delivered_twice_says_what_was_decided_and_decides_once(
    home: Home, conn: Any, verdict: str
) -> None:
    three = rows.waiting(conn, 3)
    view = open_form(home)
    home.office.faults({"on": "submit", "kind": "duplicate"})
    after = submit(home, view, filled(verdict))
    home.calm()
    assert {home.pause(one).decided_by for one in three} == {"marta"}
    assert [len(home.pause(one).votes) for one in three] == [1, 1, 1]
    assert together.DECIDED in text_of(after)
    again = home.office.views("U0MARTA")[-1]
    assert together.NOT_DECIDED not in text_of(again)


def test_who_may_not_is_told_and_each_request_says_who_tried(home: Home, conn: Any) -> None:
    two = rows.waiting(conn, 2)
    view = open_form(home)
    conn.execute("UPDATE person SET active = false WHERE id = 'marta'")
    home.office.act("submit", "U0MARTA", view_id=view["id"], values=filled("deny"))
    assert refused(conn, two[0]) == [("T0ACME:U0MARTA", "deny", "deactivated")] * 2
    assert stand(home, two) == ["waiting"] * 2


def test_the_form_that_is_not_opened_is_on_record(home: Home, conn: Any) -> None:
    two = rows.waiting(conn, 2)
    home.house.bell.ring()
    card = home.office.await_(
        lambda: next((m for m in home.office.messages("C0BUY") if ids.ACTION_TOGETHER in actions_of(m)), None)
    )
    home.office.press("U0JONAS", card, ids.ACTION_TOGETHER)
    assert home.office.views("U0JONAS") == []
    assert "Marta Keller" in home.private("U0JONAS")
    assert refused(conn, two[0]) == [("jonas", "approve", "not_yours")]
