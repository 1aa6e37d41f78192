"""Data: what PostgreSQL cannot hold is kept visibly and nothing else is changed; what is no number never becomes a price."""

import logging
from typing import Any

import pytest

from bot.cards import ids
from bot.sandbox.model import ask, say
from engine import Effect, Money, Quote
from tests import rows
from tests.bot.house import Home
from tests.engine.workers.conftest import Desks
from tests.engine.workers.shop import Shop

LITERAL = "the literal text \\u0000 in a log"


def test_a_nul_from_a_document_costs_neither_the_run_nor_anybodys_words(
    desks: Desks, shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    """X1: NUL in a value and in a key of a result; the six characters that only look like one are left alone."""

    @shop.agent.tool
    def read_docx(name: str) -> dict[str, str]:
        """Read a document."""
        return {"ok\0": "ok\0", "note": name}

    desk = desks(ask(("read_docx", {"name": LITERAL})), say("Done."), agent=shop.agent)
    with caplog.at_level(logging.DEBUG, "engine"):
        run_id = desk.start()
    assert desk.run(run_id).status == "done"
    [text] = desk.texts(run_id)
    assert text == '{"ok\ufffd": "ok\ufffd", "note": "the literal text \\\\u0000 in a log"}'
    assert desk.run(run_id).messages[1]["content"][0]["input"] == {"name": LITERAL}
    assert "sk_test_placet" not in caplog.text


def test_a_nul_in_an_approvers_comment_is_shown_and_the_decision_stands(home: Home, conn: Any) -> None:
    """X1: pasted into the form of a denial."""
    [pause_id] = rows.waiting(conn)
    home.office.press("U0MARTA", home.card(), ids.ACTION_DENY)
    [form] = home.office.views("U0MARTA")
    typed = {ids.BLOCK_REASON: {ids.ACTION_REASON: {"type": "plain_text_input", "value": f"no\0pe, {LITERAL}"}}}
    home.office.act("submit", "U0MARTA", view_id=form["id"], values=typed)
    pause = home.pause(pause_id)
    assert (pause.status, pause.reason) == ("denied", f"no\ufffdpe, {LITERAL}")


@pytest.mark.parametrize("price", ["NaN", "Infinity", "1e999"])
def test_a_price_that_is_no_number_is_never_compared(desks: Desks, shop: Shop, price: str) -> None:
    """X3: a supplier's quote says NaN; nobody is asked, the model is told, and the run is saved."""

    @shop.agent.tool(action="payment", amount="amount", no_find="Nothing is bought.")
    def buy(effect: Effect, amount: Money) -> str:
        """Buy."""
        return "bought"

    @buy.quote
    def _() -> Quote:
        return Quote(price=Money.from_document({"amount": float(price), "currency": "EUR"}))

    call = ("buy", {"amount": {"amount": "38000.00", "currency": "EUR"}, "why": "Cheap."})
    desk = desks(ask(call), say("Done."), agent=shop.agent)
    run_id = desk.start()
    assert desk.run(run_id).status == "done"
    assert "The present price cannot be had, so nobody was asked" in desk.texts(run_id)[0]
    assert desk.pauses(run_id) == []
