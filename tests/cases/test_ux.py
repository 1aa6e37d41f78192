"""What people see: buttons are gone at once, the work is said to be under way, and its end is said too."""

from pathlib import Path
from typing import Any

from bot import main
from bot.cards import ids
from bot.sandbox.model import QueueScript, ask, say
from tests import database, world
from tests.bot.house import API_TOKEN, living, settings
from tests.bot.office import Office, actions_of, is_card, text_of
from tests.cases.patient import gates

DECIDE = {ids.ACTION_APPROVE, ids.ACTION_DENY}


def test_while_the_work_goes_on_the_card_says_so_and_has_no_buttons(
    office: Office, db_url: str, conn: Any, tmp_path: Path
) -> None:
    """U1: a tool that takes its time."""
    database.apply_policy(conn)
    price = {"amount": "38000.00", "currency": "EUR"}
    script = QueueScript([ask(("pay", {"at": "till", "amount": price, "why": "Cheap."})), say("Done.")])
    with gates("till") as [till], world.world(tmp_path, script) as outside:
        given = settings(
            office, db_url, anthropic_base_url=f"{outside.address}/anthropic", agents=("tests.cases.patient",)
        )
        with living(office, given, main.PARTS) as home:
            what = {"agent": "patient", "input": "Pay.", "for": "priya"}
            home.http.post("/agent/launch", json=what, headers={"Authorization": f"Bearer {API_TOKEN}"})
            office.press("U0MARTA", home.card(), ids.ACTION_APPROVE)
            working = office.await_(
                lambda: next((m for m in _cards(office) if DECIDE.isdisjoint(actions_of(m))), None), 2
            )
            assert till.reached.wait(10)
            assert "Approved by Marta Keller (marta), working on it." in text_of(working["blocks"])
            till.opened.set()
            office.await_(lambda: "and done." in text_of([m["blocks"] for m in _cards(office)]))
            assert "paid-till" in text_of([m["blocks"] for m in _cards(office)])


def _cards(office: Office) -> list[Any]:
    return [m for m in office.messages("C0BUY") if is_card(m)]
