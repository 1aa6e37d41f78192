"""/approvals says what waits, shows one request or run, and does what may be done with a run; to who typed it alone."""

import re
from typing import Any
from uuid import UUID

import pytest

from bot.cards import ids
from bot.listeners.commands import SUBCOMMANDS
from engine.models import Line
from engine.state import db, events, halts, pauses, runs
from tests import rows
from tests.bot.house import Home
from tests.bot.office import actions_of, text_of


@pytest.fixture
def pause_id(conn: Any) -> UUID:
    [asked] = rows.waiting(conn)
    return asked


def named(pause_id: UUID) -> str:
    return ids.screen_id("pause", pause_id)


def run_of(conn: Any, pause_id: UUID) -> UUID:
    return pauses.get(conn, pause_id).run_id


def test_what_waits_for_me_has_buttons_that_decide(home: Home, pause_id: UUID) -> None:
    for text in ("", "mine"):
        listed = home.office.command("U0MARTA", text)
        assert listed["only_for"] == "U0MARTA"
        assert named(pause_id) in text_of(listed)
        assert actions_of(listed) == [ids.ACTION_APPROVE, ids.ACTION_DENY, ids.ACTION_DETAILS]
    assert home.office.press("U0MARTA", listed, ids.ACTION_APPROVE) == {"ok": True}
    assert home.pause(pause_id).votes[0].surface == "slack:list"
    assert home.private("U0MARTA", "C0OPS", nth=3) == "Approved. The agent goes on."


def test_what_the_card_would_warn_of_is_not_decided_in_a_list(home: Home, conn: Any) -> None:
    rows.waiting(conn, lines=(Line(label="IBAN", value="DE12\u200b3400"),))
    assert actions_of(home.office.command("U0MARTA", "mine")) == [ids.ACTION_DETAILS]
    shown = home.office.command("U0MARTA", "all")
    assert actions_of(shown) == [ids.ACTION_DETAILS]


def test_lists_are_for_all_a_role_or_what_was_asked_for_me(home: Home, conn: Any, pause_id: UUID) -> None:
    [for_role] = rows.waiting(conn, approver="role:finance-approver")
    everything = text_of(home.office.command("U0JONAS", "all"))
    assert named(pause_id) in everything
    assert named(for_role) in everything
    assert "Nothing waits." in text_of(home.office.command("U0JONAS"))
    of_role = text_of(home.office.command("U0JONAS", "role finance-approver"))
    assert named(for_role) in of_role
    assert named(pause_id) not in of_role
    asked = home.office.command("U0PRIYA", "asked")
    assert named(pause_id) in text_of(asked)
    assert ids.ACTION_WITHDRAW in actions_of(asked)
    assert "Nothing more." in text_of(home.office.command("U0JONAS", "all 2"))
    assert "is no page" in text_of(home.office.command("U0JONAS", "all two"))


def test_what_is_typed_may_be_any_characters_and_any_number_of_digits(home: Home) -> None:
    assert "is no page" in text_of(home.office.command("U0JONAS", f"all {'9' * 2900}"))
    for text in ("role \x00", "all \x00", "launch procurement Buy\x00pumps"):
        assert "a character which cannot be stored" in text_of(home.office.command("U0JONAS", text))


def test_a_role_that_nobody_holds_is_said_with_those_there_are(home: Home, pause_id: UUID) -> None:
    said = text_of(home.office.command("U0JONAS", "role finance_aprover"))
    assert "Nobody holds the role finance_aprover. The roles that somebody holds: finance-approver, " in said
    assert named(pause_id) not in said
    assert "Which role? Write /approvals role NAME. The roles" in text_of(home.office.command("U0JONAS", "role"))


def test_one_request_is_shown_whole_with_the_buttons_of_who_looks(home: Home, pause_id: UUID) -> None:
    shown = home.office.command("U0MARTA", f"show {named(pause_id)}")
    assert "EUR 38,000.00 to Nordholz Industrial" in text_of(shown)
    assert ids.ACTION_APPROVE in actions_of(shown)
    assert ids.ACTION_APPROVE not in actions_of(home.office.command("U0JONAS", f"show {pause_id}"))
    assert actions_of(home.office.command("U0PRIYA", f"show {pause_id}")) == [ids.ACTION_WITHDRAW]


def test_an_id_that_nobody_has_and_one_that_is_none_are_answered(home: Home) -> None:
    assert "No pause has an id ending in abcdef" in text_of(home.office.command("U0MARTA", "show pause_abcdef"))
    assert "is no id" in text_of(home.office.command("U0MARTA", "show me"))
    assert "No run has an id ending in abcdef" in text_of(home.office.command("U0MARTA", "show run_abcdef"))


def test_a_run_is_held_once_and_goes_on_once(home: Home, conn: Any, pause_id: UUID) -> None:
    run = ids.screen_id("run", run_of(conn, pause_id))
    assert f"{run} is" in text_of(home.office.command("U0OTTO", f"pause {run}"))
    assert runs.get(conn, run_of(conn, pause_id)).hold
    assert "it is being paused already" in text_of(home.office.command("U0OTTO", f"pause {run}"))
    assert f"{run} is awaiting approval now." in text_of(home.office.command("U0OTTO", f"resume {run}"))
    assert "nobody has paused it" in text_of(home.office.command("U0OTTO", f"resume {run}"))
    assert home.pause(pause_id).status == "waiting"  # a resume approves nothing


def test_only_its_requester_and_operators_move_a_run(home: Home, conn: Any, pause_id: UUID) -> None:
    run = ids.screen_id("run", run_of(conn, pause_id))
    assert "is Priya Nair's. Only they and people with the role operator" in text_of(
        home.office.command("U0JONAS", f"cancel {run}")
    )
    assert home.pause(pause_id).status == "waiting"
    assert f"{run} is cancelled now." in text_of(home.office.command("U0PRIYA", f"cancel {run}"))
    assert (home.pause(pause_id).status, home.pause(pause_id).decided_by) == ("cancelled", "priya")
    assert "it has ended" in text_of(home.office.command("U0PRIYA", f"cancel {run}"))


@pytest.mark.parametrize("verb", ["pause", "resume", "cancel", "show"])
def test_the_run_of_the_system_is_not_to_be_had_by_typing(home: Home, conn: Any, verb: str) -> None:
    before = events.of_run(conn, db.SYSTEM_RUN)
    assert "No run has an id ending in 000000" in text_of(home.office.command("U0OTTO", f"{verb} run_000000"))
    assert events.of_run(conn, db.SYSTEM_RUN) == before


@pytest.mark.parametrize("words", ["help", "run_5d21ab", "pause run_5d21ab", "Resume", "effect_5d21ab"])
def test_what_names_a_run_or_a_subcommand_halts_nothing(home: Home, conn: Any, words: str) -> None:
    said = text_of(home.office.command("U0OTTO", f"halt {words}"))
    assert "Nothing was halted" in said
    assert "/approvals pause and its id" in said
    assert halts.standing(conn) is None


def test_a_reason_may_name_a_run(home: Home, conn: Any) -> None:
    assert "Nothing more is carried out" in text_of(home.office.command("U0OTTO", "halt run_5d21ab pays twice"))
    said = text_of(home.office.command("U0OTTO", "resume-effects run_5d21ab"))
    assert "Nothing was changed" in said
    assert halts.standing(conn) is not None


def test_a_run_that_waits_and_is_held_is_said_to_be_held(home: Home, conn: Any) -> None:
    rows.waiting(conn)
    [line] = runs.listed(conn)
    said = text_of(home.office.command("U0OTTO", f"pause {ids.screen_id('run', line.id)}"))
    assert "is awaiting approval now. It is held" in said


@pytest.mark.parametrize("digits", [1, 5])
def test_a_run_is_not_cancelled_by_fewer_digits_than_are_shown(home: Home, conn: Any, digits: int) -> None:
    rows.waiting(conn)
    [line] = runs.listed(conn)
    for verb in ("cancel", "pause", "run"):
        said = text_of(home.office.command("U0OTTO", f"{verb} {line.id.hex[-digits:]}"))
        assert "at least its last 6 hex digits" in said
    assert runs.get(conn, line.id).status == "awaiting_approval"


def test_operators_and_nobody_else_halt_all_actions_and_let_them_go_on(home: Home) -> None:
    told = "Only people with the role operator may do that. Nothing was changed."
    assert told in text_of(home.office.command("U0MARTA", "halt Odd payments."))
    assert "Nothing more is carried out" in text_of(home.office.command("U0OTTO", "halt Odd *payments*."))
    again = text_of(home.office.command("U0OTTO", "halt"))
    assert re.search(r"Actions are halted already, by Otto Brandt, since .+ UTC\. Why: Odd \*payments\*\.", again)
    assert told in text_of(home.office.command("U0MARTA", "resume-effects"))
    assert "Actions go on." in text_of(home.office.command("U0OTTO", "resume-effects"))
    assert "Actions are not halted." in text_of(home.office.command("U0OTTO", "resume-effects"))


def test_a_halt_stands_before_what_waits_and_what_runs_and_after_a_yes(home: Home, conn: Any, pause_id: UUID) -> None:
    stopped = "Otto Brandt has stopped all actions since "
    for text in ("mine", "all", "runs"):
        assert stopped not in text_of(home.office.command("U0MARTA", text))
    home.office.command("U0OTTO", "halt Odd *payments*.")
    for text in ("all", "asked", "runs", "mine"):
        listed = home.office.command("U0MARTA", text)
        assert re.search(rf"{stopped}.+ UTC: Odd \*payments\*\.", text_of(listed))
    home.office.press("U0MARTA", listed, ids.ACTION_APPROVE)
    said = home.office.await_(
        lambda: next((one for one in home.office.private("U0MARTA", "C0OPS") if one.startswith("Approved.")), None)
    )
    assert said.startswith(f"Approved. Nothing is done yet: {stopped}")


def test_a_run_is_launched_for_who_types_it_and_shown(home: Home, conn: Any) -> None:
    said = text_of(home.office.command("U0JONAS", "launch procurement Buy <!channel> 3 chairs"))
    assert "has begun" in said
    [run] = runs.listed(conn)
    assert (run.on_behalf_of, run.status) == ("jonas", "queued")
    assert runs.get(conn, run.id).input == "Buy <!channel> 3 chairs"
    number = ids.screen_id("run", run.id)
    assert number in text_of(home.office.command("U0JONAS", "runs"))
    shown = text_of(home.office.command("U0JONAS", f"run {number}"))
    assert "Buy <!channel> 3 chairs" in shown
    assert f"{number}: queued" in shown


def test_the_list_of_runs_says_what_each_is_about(home: Home, conn: Any, pause_id: UUID) -> None:
    rows.launched(conn, input="Buy chairs.\nsupplier_id: sup_118", launch_key="procurement:po-7")
    said = text_of(home.office.command("U0JONAS", "runs"))
    assert "EUR 38,000.00 to Nordholz Industrial (sup_412)" in said
    assert "Buy chairs. · supplier_id: sup_118" in said
    for text in ("show PO-7", "run PO-7"):
        assert "Buy chairs." in text_of(home.office.command("U0JONAS", text))


def test_a_task_longer_than_the_api_takes_is_refused_with_the_bound(home: Home, conn: Any) -> None:
    said = text_of(home.office.command("U0JONAS", f"launch procurement {'x' * 100_001}"))
    assert "The task is 100,001 characters long, and at most 100,000 are taken." in said
    assert runs.listed(conn) == []


def test_a_launch_names_what_it_lacks(home: Home, conn: Any) -> None:
    assert "There is no agent gardener. There are: procurement." in text_of(
        home.office.command("U0JONAS", "launch gardener x")
    )
    assert "What should it do?" in text_of(home.office.command("U0JONAS", "launch procurement"))
    assert runs.listed(conn) == []


def test_help_and_an_unknown_word_say_what_there_is(home: Home) -> None:
    for text in ("help", "make-me-a-sandwich"):
        said = text_of(home.office.command("U0JONAS", text))
        for one in SUBCOMMANDS.values():
            assert f"/approvals {one.usage}: {one.meaning}" in said
    assert "There is no /approvals make-me-a-sandwich" in said


def test_who_is_not_known_gets_no_list(home: Home, conn: Any, pause_id: UUID) -> None:
    conn.execute("DELETE FROM identity WHERE slack_user = 'U0JONAS'")
    said = text_of(home.office.command("U0JONAS", "all"))
    assert "Placet does not know who you are" in said
    assert named(pause_id) not in said


def test_a_guest_gets_a_refusal_and_no_list(home: Home, pause_id: UUID) -> None:
    home.office.change(user="U0JONAS", set={"is_restricted": True})
    for text in ("all", "role finance-approver", "runs", f"show {named(pause_id)}"):
        said = text_of(home.office.command("U0JONAS", text))
        assert "You are a guest in this workspace, and only full members may decide." in said
        assert "Nordholz" not in said


def test_a_database_that_is_away_is_told(home: Home) -> None:
    home.house.pool.close()
    assert "This was not recorded" in text_of(home.office.command("U0MARTA", "all"))
