"""Asking again for what lapsed, as its requester does it: one press on their card, or a command; and what everybody reads of it."""

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from bot import main
from bot.cards import again as phrases
from bot.cards import history, ids
from bot.cards.blocks import button_of
from bot.cards.ids import screen_id
from bot.sandbox.buyer import buyer
from engine.models import AskedAgain, NotAskedAgain
from engine.state import again, events, pauses, runs
from tests import database, rows, world
from tests.bot.command_line import placet
from tests.bot.house import Home, living, send, settings
from tests.bot.office import Json, Office, actions_of, text_of

RUN = UUID("01890a5d-ac96-774b-bcce-b3020b77aa01")
PAUSE = UUID("01890a5d-ac96-774b-bcce-b3020a5d21ab")


def offered(office: Office, channel: str = "D0PRIYA") -> Json | None:
    """A card there on which it can be asked again."""
    return next((m for m in office.messages(channel) if ids.ACTION_ASK_AGAIN in actions_of(m)), None)


def test_what_expired_is_asked_again_with_one_press(office: Office, db_url: str, conn: Any, tmp_path: Path) -> None:
    """U10: the whole of it, from silence to the payment at the price of now."""
    database.apply_policy(conn)
    with world.world(tmp_path, buyer) as outside:
        given = settings(office, db_url, anthropic_base_url=f"{outside.address}/anthropic")
        with living(office, given, main.PARTS) as home:
            old = _launched(home, conn)
            home.card()
            conn.execute("UPDATE run_pause SET fire_at = clock_timestamp()")
            lapsed = office.await_(lambda: offered(office))
            assert "Nobody answered in time" in text_of(lapsed["blocks"])
            office.await_(lambda: runs.get(conn, old).status == "done", 20)
            outside.suppliers.move({"order_ref": "PO-1", "factor": "1.05"})

            assert office.press("U0PRIYA", lapsed, ids.ACTION_ASK_AGAIN) == {"ok": True}
            card = office.await_(lambda: _waiting(office), 20)
            text = text_of(card["blocks"])
            assert "Asked again: for Priya Nair, since nobody had answered in time." in text
            assert "Was EUR 5,000.00, now EUR 5,250.00." in text
            [pause_id] = runs.get(conn, old).pauses
            new = pauses.get(conn, pause_id).again_run
            assert new is not None
            office.await_(lambda: offered(office) is None)
            for channel in ("D0PRIYA", "C0BUY"):
                [first, *_] = [m for m in office.messages(channel) if m["metadata"]]
                assert "Expired, asked again" in text_of(first["blocks"])
                assert f"Asked again in {screen_id('run', new)}." in text_of(first["blocks"])

            office.press("U0MARTA", card, ids.ACTION_APPROVE)
            office.await_(lambda: runs.get(conn, new).status == "done", 20)
            assert [payment["amount"] for payment in outside.payments("PO-1")] == [525_000]
            for run_id in (old, new):
                assert isinstance(events.verify(conn, run_id), events.Verified)


def _launched(home: Home, conn: Any) -> UUID:
    what = home.house.agents["procurement"].launch(input=world.order(amount="5000.00"), on_behalf_of="priya")
    return runs.launch(conn, what, actor="priya", surface="tests")[0]


def _waiting(office: Office) -> Json | None:
    return next((m for m in office.messages("C0BUY") if ids.ACTION_APPROVE in actions_of(m)), None)


def test_a_second_press_is_told_where_it_is_asked(home: Home, conn: Any) -> None:
    [pause_id] = rows.lapsed(conn)
    card = _shown(home)
    home.office.press("U0PRIYA", card, ids.ACTION_ASK_AGAIN)
    home.office.press("U0PRIYA", card, ids.ACTION_ASK_AGAIN)
    new = home.pause(pause_id).again_run
    assert new is not None
    told = home.private("U0PRIYA", "D0PRIYA")
    assert told == f"It was asked again already, in {screen_id('run', new)}, where it goes on. Nothing was added."
    assert len(runs.listed(conn)) == 2


def test_what_is_pressed_on_a_list_is_answered_there(home: Home, conn: Any) -> None:
    [pause_id] = rows.lapsed(conn)
    shown = home.office.command("U0PRIYA", f"show {screen_id('pause', pause_id)}")
    home.office.press("U0PRIYA", shown, ids.ACTION_ASK_AGAIN)
    new = home.pause(pause_id).again_run
    assert new is not None
    said = home.office.await_(lambda: [t for t in home.office.private("U0PRIYA", "C0OPS") if "Asked again, in" in t])
    assert said == [phrases.said(AskedAgain(pause_id=pause_id, again_run=new, new=True))]


def test_a_stranger_is_told_whose_it_is_and_it_is_on_record(home: Home, conn: Any) -> None:
    [pause_id] = rows.lapsed(conn)
    send(home, ids.ACTION_ASK_AGAIN, ids.encode(button_of(home.pause(pause_id), "test")))
    told = home.private("U0MARTA", "C0OPS")
    assert told == "Not asked again. Only the person it was asked for may ask for it again."
    assert len(runs.listed(conn)) == 1
    last = events.of_run(conn, home.pause(pause_id).run_id)[-1]
    assert (last.event, last.to_status, last.actor, last.surface, last.detail) == (
        "ask_again", None, "marta", "slack:card", "not_requester",
    )  # fmt: skip


def test_while_the_run_goes_on_its_requester_is_told_what_to_do(home: Home, conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    pauses.withdraw(conn, pause_id, "priya", surface="tests")
    home.office.press("U0PRIYA", _shown(home), ids.ACTION_ASK_AGAIN)
    run = screen_id("run", home.pause(pause_id).run_id)
    assert home.private("U0PRIYA", "D0PRIYA") == (
        f"Not asked again. {run} works at it and has not ended. Ask again when it has; cancelling {run} ends it at once."
    )
    assert offered(home.office) is not None


def _shown(home: Home) -> Json:
    home.house.bell.ring()
    return home.office.await_(lambda: offered(home.office))


def test_details_and_show_lead_from_each_to_the_other(conn: Any, db_url: str) -> None:
    [pause_id] = rows.lapsed(conn)
    assert isinstance(again.ask(conn, pause_id, "marta", surface="slack:card"), NotAskedAgain)
    outcome = again.ask(conn, pause_id, "priya", surface="slack:card")
    assert isinstance(outcome, AskedAgain)
    old, new = screen_id("run", pauses.get(conn, pause_id).run_id), screen_id("run", outcome.again_run)
    told = text_of(history.history(pauses.get(conn, pause_id), events.of_pause(conn, pause_id)))
    assert "Marta Keller (marta) tried in vain to ask again: only the requester may" in told
    assert f"Priya Nair (priya) asked for it again (slack:card): {new}" in told
    shown = placet(db_url, "show", screen_id("pause", pause_id)).out
    assert f"asked again in {new}" in shown
    assert f"Asked again in {new}." in placet(db_url, "show", old).out.replace("\n", " ")
    assert f"asks again {screen_id('pause', pause_id)} of {old}" in placet(db_url, "show", new).out
    assert f'"again_run": "{outcome.again_run}"' in placet(db_url, "show", screen_id("pause", pause_id), "--json").out


def test_the_command_asks_again_once_and_for_nobody_else(conn: Any, db_url: str) -> None:
    [pause_id] = rows.lapsed(conn)
    name = screen_id("pause", pause_id)
    said = placet(db_url, "again", name, "--as", "otto")
    assert (said.code, said.err) == (3, "Not asked again. Only the person it was asked for may ask for it again.")
    said = placet(db_url, "again", name, "--as", "priya")
    new = pauses.get(conn, pause_id).again_run
    assert new is not None
    assert (said.code, said.out.split(":")[0]) == (0, f"Asked again, in {screen_id('run', new)}")
    said = placet(db_url, "again", name, "--as", "priya")
    assert (said.code, "was asked again already" in said.out) == (0, True)
    assert events.of_run(conn, new)[0].surface == "cli"


def _not(why: Any, status: Any = "cancelled", other: UUID | None = None) -> str:
    return phrases.said(NotAskedAgain(pause_id=PAUSE, run_id=RUN, status=status, why=why, other=other))


@pytest.mark.parametrize(
    ("sentence", "says"),
    [
        (_not("not_lapsed", "waiting"), "It still waits"),
        (_not("not_lapsed", "approved"), "its card shows"),
        (_not("not_lapsed", "executed"), "It was done."),
        (_not("not_lapsed", "failed"), "without success"),
        (_not("not_lapsed", "denied"), "It was denied, and that holds."),
        (_not("not_lapsed", "superseded"), "Another request took its place"),
        (_not("not_lapsed"), "It fell with what was denied"),
        (_not("begun"), "Something of the same turn was carried out"),
        (_not("broken"), "pause_5d21ab was altered"),
        (_not("live", other=PAUSE), "pause_5d21ab asks for the same in run_77aa01"),
        (_not("done", other=PAUSE), "The same was done since, as effect_5d21ab"),
        (_not("refused", other=PAUSE), "The same was refused since, in pause_5d21ab"),
    ],
)
def test_whoever_is_not_served_reads_why_and_what_to_do(sentence: str, says: str) -> None:
    assert sentence.startswith("Not asked again. ")
    assert says in sentence
