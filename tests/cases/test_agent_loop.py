"""The agent's loop: whatever crashed or was left empty, the next request is one that the vendor takes."""

import json

import pytest

from bot.sandbox.model import ask, say
from engine.models import Decided
from engine.state import pauses, runs
from tests import rows
from tests.engine.workers.conftest import Desks
from tests.engine.workers.shop import Shop, look, pay


class Killed(BaseException):
    """Not caught by anything, as a killed process catches nothing."""


def test_after_a_crash_between_two_calls_each_is_answered_exactly_once(desks: Desks, shop: Shop) -> None:
    """G1: parallel calls; the worker is lost after the result of the first."""
    desk = desks(ask(look(), pay(), saying="Both at once."), say("Done."), agent=shop.agent)
    run_id = desk.start()
    desk.approve(run_id)

    def die() -> None:
        raise Killed

    shop.during["pay"] = die
    with pytest.raises(Killed):
        desk.work()
    shop.during.clear()
    assert [bool(call.result) for call in runs.load(desk.conn, run_id).calls] == [True, False]
    rows.lose_lease(desk.conn, run_id)
    desk.work()

    assert desk.run(run_id).status == "done"
    assert shop.diary == ["look A", "pay PO-1", "pay PO-1"]
    assert desk.paid() == [3_800_000]
    sent = desk.asked[-1]["messages"]
    asked = [block["id"] for block in sent[-2]["content"] if block["type"] == "tool_use"]
    assert [message["role"] for message in sent] == ["user", "assistant", "user"]
    assert [(block["type"], block["tool_use_id"]) for block in sent[-1]["content"]] == [
        ("tool_result", call) for call in asked
    ]


def test_a_comment_of_blanks_is_no_comment(desks: Desks, shop: Shop) -> None:
    """G9: the approver's words are "   ", with a yes and with a no."""
    desk = desks(ask(pay()), ask(pay("PO-2")), say("Done."), agent=shop.agent)
    run_id = desk.start()
    assert isinstance(pauses.deny(desk.conn, desk.pause(run_id).id, "marta", surface="tests", reason="   "), Decided)
    desk.work()
    yes = pauses.approve(desk.conn, desk.pause(run_id).id, "marta", surface="tests", reason=" \n ")
    assert isinstance(yes, Decided)
    desk.work()
    assert desk.run(run_id).status == "done"
    assert [pause.reason for pause in desk.pauses(run_id)] == [None, None]
    assert "They said" not in desk.texts(run_id)[0]


def test_a_run_that_was_stored_with_an_empty_text_goes_on_and_keeps_its_record(desks: Desks, shop: Shop) -> None:
    """G9: rows of an earlier version hold what the vendor refuses."""
    desk = desks(ask(look(), pay()), say("Done."), agent=shop.agent)
    run_id = desk.start()
    empty, blank = {"type": "text", "text": ""}, {"type": "text", "text": " "}
    poisoned = [empty, *desk.run(run_id).messages[-1]["content"], blank]
    desk.conn.execute("UPDATE run_message SET content = %s WHERE role = 'assistant'", (json.dumps(poisoned),))
    desk.approve(run_id)
    desk.work()
    assert desk.run(run_id).status == "done"
    assert [block["type"] for block in desk.asked[-1]["messages"][1]["content"]] == ["tool_use", "tool_use"]
    assert desk.run(run_id).messages[1]["content"] == poisoned
