"""`placet runs`, `show`, `pause`, `resume` and `cancel`: what there is, whole, and an operator's hand on it."""

import json
from typing import Any
from uuid import UUID

import pytest

from bot.cards.ids import screen_id
from bot.cards.outcomes import told
from engine.record import record
from engine.state import pauses, runs
from tests import rows
from tests.bot.command_line import placet, untouched


def name(run_id: UUID) -> str:
    return screen_id("run", run_id)


def status(conn: Any, run_id: UUID) -> str:
    return runs.get(conn, run_id).status


def test_runs_are_listed_newest_first_and_by_status_and_person(conn: Any, db_url: str) -> None:
    assert placet(db_url, "runs").out == "There are no runs yet."
    first, second = rows.launched(conn), rows.launched(conn, on_behalf_of="ines", launch_key="procurement:PO-7")
    said = placet(db_url, "runs")
    assert said.code == 0
    assert said.out.index(name(second)) < said.out.index(name(first))
    assert f"{name(second)} procurement Ines" in said.out
    assert "procurement:PO-7" in said.out
    assert name(first) not in placet(db_url, "runs", "--for", "ines").out
    assert placet(db_url, "runs", "--status", "done").out == "There are no such runs."
    assert "1 of 2; --limit shows more." in placet(db_url, "runs", "--limit", "1").out


def test_what_came_of_a_run_is_how_its_last_request_ended_or_what_it_said(conn: Any, db_url: str) -> None:
    _, (pause_id,), _ = rows.doubted(conn)
    assert f"in doubt: a person must look {told(pauses.get(conn, pause_id)).head}" in placet(db_url, "runs").out
    (denied,) = rows.waiting(conn)
    assert "waiting for a decision Waiting for an answer" in placet(db_url, "runs").out
    pauses.deny(conn, denied, "marta", surface="tests")
    assert "about to go on Denied" in placet(db_url, "runs", "--status", "queued").out


def test_a_run_that_nobody_takes_says_what_is_missing(conn: Any, db_url: str) -> None:
    run_id = rows.launched(conn)
    for command in (("runs",), ("show", name(run_id))):
        assert "in line" not in placet(db_url, *command).out.lower()
    conn.execute("UPDATE run SET queued_at = queued_at - interval '31 s'")
    missing = "No worker that knows the agent procurement has taken it; start placet serve with PLACET_AGENTS naming its module."
    assert f"In line for more than 30 seconds: {name(run_id)}. {missing}" in placet(db_url, "runs").out
    assert f"It has been in line for more than 30 seconds. {missing}" in placet(db_url, "show", name(run_id)).out
    rows.claimed(conn, run_id)
    assert missing not in placet(db_url, "runs").out


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["--status", "asleep"], "--status: 'asleep' is none. Write one of live, queued"),
        (["--for", "nobody"], "--for: nobody has the id 'nobody'."),
        (["--limit", "many"], "Invalid value for '--limit'"),
    ],
)
def test_a_list_asked_for_wrongly_is_refused(args: list[str], sentence: str, conn: Any, db_url: str) -> None:
    with untouched(conn):
        said = placet(db_url, "runs", *args)
    assert (said.code, sentence in said.err) == (2, True)


def test_a_run_is_shown_with_turns_requests_effects_and_record(conn: Any, db_url: str) -> None:
    claim, (pause_id,), _ = rows.doubted(conn)
    with untouched(conn):
        said = placet(db_url, "show", name(claim.id))
    assert said.code == 0
    for part in (
        f"{name(claim.id)}: in doubt",
        "for Priya Nair (priya)",
        "What it was asked\nBuy this order.",
        "1 I will pay.",
        f"{screen_id('pause', pause_id)} EUR 38,000.00 to Nordholz Industrial (sup_412) Approved by Marta Keller",
        "charge_supplier in doubt 1",
        f"{screen_id('pause', pause_id)}: waiting → approved approve marta, tests",
    ):
        assert part in said.out, said.out


def test_a_run_as_json_holds_all_of_it(conn: Any, db_url: str) -> None:
    claim, (pause_id,), _ = rows.doubted(conn)
    shown = json.loads(placet(db_url, "show", name(claim.id), "--json").out)
    assert (shown["id"], shown["status"]) == (str(claim.id), "in_doubt")
    assert [pause["pause_id"] for pause in shown["pauses"]] == [str(pause_id)]
    assert [effect["status"] for effect in shown["effects"]] == ["in_doubt"]
    assert [event["event"] for event in shown["events"]][:2] == ["launch", "claim"]


def test_a_request_as_json_is_the_record_that_an_auditor_reads(conn: Any, db_url: str) -> None:
    (pause_id,) = rows.waiting(conn)
    shown = json.loads(placet(db_url, "show", screen_id("pause", pause_id), "--json").out)
    assert shown == record(pauses.get(conn, pause_id))
    assert shown["proposed_action"]["arguments"]["amount"] == {"amount": "38000.00", "currency": "EUR"}
    assert shown["authorisation"]["on_behalf_of"] == "priya"
    assert shown["decision"] is None


def test_a_request_is_laid_out_for_reading(conn: Any, db_url: str) -> None:
    (pause_id,) = rows.waiting(conn, explanation="Only supplier\x1b[31m with stock.")
    with untouched(conn):
        said = placet(db_url, "show", screen_id("pause", pause_id))
    assert said.code == 0
    for part in (
        "Waiting for an answer",
        "EUR 38,000.00 to Nordholz Industrial (sup_412)",
        "Only supplier\\u{1B}[31m with stock.",
        "asked by the procurement agent, acting as agent:procurement",
        "rule “large payment”, fin-approvals-v4",
        "if nobody answers after 4 hours it goes to the manager of the approver; after 5 hours it counts as not approved",
    ):
        assert part in said.out, said.out


def test_what_was_written_in_several_lines_is_told_on_one_in_every_table(conn: Any, db_url: str) -> None:
    [pause_id] = rows.waiting(conn, summary="EUR 1.00\nto Nordholz")
    pauses.deny(conn, pause_id, "marta", surface="tests", reason="Too dear.\nAsk again.")
    conn.execute("UPDATE run_content SET error = %s", ("It ended.\nAsk an operator.",))
    run = screen_id("run", pauses.get(conn, pause_id).run_id)
    listed, said = placet(db_url, "runs"), placet(db_url, "show", run)
    assert "\\u{A}" not in listed.out + said.out
    assert "It ended. · Ask an operator." in listed.out
    assert "EUR 1.00 · to Nordholz" in said.out
    assert "Too dear. · Ask again." in said.out


@pytest.mark.parametrize("written", ["PO-2026-0193", "po-2026-0193", "procurement:po-2026-0193"])
def test_a_run_is_found_by_its_order(written: str, conn: Any, db_url: str) -> None:
    run_id = rows.launched(conn, launch_key="procurement:po-2026-0193")
    rows.launched(conn, launch_key="gardener:po-2026-0194")
    assert placet(db_url, "show", written).out.startswith(f"{screen_id('run', run_id)}: queued")
    assert placet(db_url, "pause", written, "--as", "otto").out.startswith(f"{screen_id('run', run_id)} is paused.")
    assert "PO-2026-0195" in placet(db_url, "show", "PO-2026-0195").err


def test_an_order_that_two_agents_were_given_is_asked_about(conn: Any, db_url: str) -> None:
    for agent in ("procurement", "gardener"):
        rows.launched(conn, agent=agent, launch_key=f"{agent}:po-1")
    said = placet(db_url, "show", "PO-1")
    assert (said.code, "several agents were given 'PO-1'. Write AGENT:ORDER" in said.err) == (2, True)
    assert placet(db_url, "show", "gardener:po-1").code == 0


def test_of_a_decided_request_the_outcome_is_said_first_and_its_title_is_what_was_asked(conn: Any, db_url: str) -> None:
    (pause_id,) = rows.waiting(conn)
    assert "\nApprove a payment?\n" in placet(db_url, "show", screen_id("pause", pause_id)).out
    pauses.deny(conn, pause_id, "marta", surface="tests")
    lines = placet(db_url, "show", screen_id("pause", pause_id)).out.splitlines()
    assert lines[0] == f"{screen_id('pause', pause_id)}: Denied"
    assert lines[1].startswith("Denied by Marta Keller (marta).")
    assert lines[2] == "Asked: Approve a payment?"


def test_an_altered_request_shows_nothing_of_what_it_holds(conn: Any, db_url: str) -> None:
    (pause_id,) = rows.waiting(conn)
    rows.alter_document(conn, pause_id)
    said = placet(db_url, "show", screen_id("pause", pause_id))
    assert "was altered after it was stored" in said.out
    assert "Nordholz" not in said.out
    assert json.loads(placet(db_url, "show", screen_id("pause", pause_id), "--json").out)["intact"] is False


def test_digits_alone_are_enough(conn: Any, db_url: str) -> None:
    (pause_id,) = rows.waiting(conn)
    run_id = pauses.get(conn, pause_id).run_id
    assert placet(db_url, "show", run_id.hex[-8:]).out.startswith(name(run_id))
    assert placet(db_url, "show", str(pause_id)).out.startswith(screen_id("pause", pause_id))


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("run_0a0a0a", "No run has an id ending in 0a0a0a."),
        (
            "pause_0a0a0a",
            "No pause has an id ending in 0a0a0a. Check the id; `placet pending` lists what waits.",
        ),
        ("0a0a0a", "No run and no request has an id ending in 0a0a0a."),
        ("run_000000", "No run has an id ending in 000000."),  # that of the system
        ("the last one", "'the last one' is no id."),
        ("", "'' is no id."),
    ],
)
def test_what_is_not_there_is_not_shown(asked: str, sentence: str, conn: Any, db_url: str) -> None:
    rows.waiting(conn)
    with untouched(conn):
        said = placet(db_url, "show", asked)
    assert (said.code, sentence in said.err) == (2, True), said


def test_an_operator_pauses_and_resumes_a_run_and_a_second_resume_is_told(conn: Any, db_url: str) -> None:
    run_id = rows.launched(conn)
    rows.claimed(conn, run_id)
    said = placet(db_url, "pause", name(run_id), "--as", "otto")
    assert said.code == 0
    assert "is pausing: it stops after the step it is in" in said.out
    assert placet(db_url, "pause", name(run_id), "--as", "otto").code == 3
    assert placet(db_url, "resume", name(run_id), "--as", "priya").code == 0
    again = placet(db_url, "resume", name(run_id), "--as", "priya")
    assert again.code == 3
    assert "The run cannot be resumed: nobody has paused it. It is running." in again.err


def test_a_run_that_waits_is_paused_when_that_is_decided(conn: Any, db_url: str) -> None:
    (pause_id,) = rows.waiting(conn)
    run_id = pauses.get(conn, pause_id).run_id
    assert (
        "will be paused when what it waits for is decided" in placet(db_url, "pause", name(run_id), "--as", "otto").out
    )
    assert "it still waits for a decision" in placet(db_url, "resume", name(run_id), "--as", "otto").out
    assert pauses.get(conn, pause_id).status == "waiting"


def test_a_run_is_withdrawn_with_what_it_asks(conn: Any, db_url: str) -> None:
    (pause_id,) = rows.waiting(conn)
    run_id = pauses.get(conn, pause_id).run_id
    said = placet(db_url, "cancel", name(run_id), "--as", "priya")
    assert (said.code, said.out) == (0, f"{name(run_id)} is withdrawn, and nothing more is done.")
    assert (status(conn, run_id), pauses.get(conn, pause_id).status) == ("cancelled", "cancelled")
    assert placet(db_url, "cancel", name(run_id), "--as", "priya").code == 3


def test_a_run_with_an_action_under_way_is_withdrawn_after_it(conn: Any, db_url: str) -> None:
    claim, _, _ = rows.begun(conn)
    said = placet(db_url, "cancel", name(claim.id), "--as", "otto")
    assert said.code == 0
    assert "is being withdrawn: an action of it is under way" in said.out
    assert status(conn, claim.id) == "running"


@pytest.mark.parametrize("command", ["pause", "resume", "cancel"])
def test_somebody_elses_run_is_not_moved(command: str, conn: Any, db_url: str) -> None:
    run_id = rows.launched(conn)
    with untouched(conn):
        said = placet(db_url, command, name(run_id), "--as", "jonas")
    assert said.code == 3
    assert (
        f"{name(run_id)} was launched for priya. Only they and people with the role operator may do that." in said.err
    )


@pytest.mark.parametrize("command", ["pause", "resume", "cancel"])
@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["run_0a0a0a", "--as", "otto"], "No run has an id ending in 0a0a0a."),
        (["run_000000", "--as", "otto"], "No run has an id ending in 000000."),  # that of the system
        (["nonsense", "--as", "otto"], "'nonsense' is no id."),
        (["run_0a0a0a", "--as", "nobody"], "--as: nobody has the id 'nobody'."),
        (["run_0a0a0a"], "Missing option '--as'"),
    ],
)
def test_bad_input_moves_nothing(command: str, args: list[str], sentence: str, conn: Any, db_url: str) -> None:
    rows.launched(conn)
    with untouched(conn):
        said = placet(db_url, command, *args)
    assert (said.code, sentence in said.err) == (2, True), said


def test_the_systems_own_record_is_missed_whatever_is_left(conn: Any, db_url: str) -> None:
    with conn.transaction():
        conn.execute("SET LOCAL session_replication_role = replica")
        conn.execute("DELETE FROM run_event")
        conn.execute("DELETE FROM run")
    said = placet(db_url, "audit", "verify")
    assert (said.code, said.out) == (4, ""), said
    assert "The system's own record is gone" in said.err
    halted = placet(db_url, "halt", "--as", "otto")
    assert halted.code == 1
    assert halted.err == (
        "The system's own record is missing from this database, so nothing was done: somebody removed it. "
        "`placet audit verify` tells what else was altered; the way back is a backup from before."
    )


def test_an_operator_halts_all_actions_and_lets_them_go_on(conn: Any, db_url: str) -> None:
    with untouched(conn):
        assert placet(db_url, "halt").code == 2
    refused = placet(db_url, "halt", "--as", "marta")
    assert (refused.code, refused.err) == (3, "Only people with the role operator may do that. Nothing was changed.")
    halted = placet(db_url, "halt", "--as", "otto", "--reason", "Odd payments.")
    assert halted.code == 0
    assert halted.out.endswith("To let it go on: placet resume-effects --as PERSON")
    again = placet(db_url, "halt", "--as", "otto")
    assert again.code == 3
    assert "halted already, by Otto Brandt" in again.err
    assert "Why: Odd payments." in again.err
    assert placet(db_url, "resume-effects", "--as", "otto").code == 0
    lifted = placet(db_url, "resume-effects", "--as", "otto")
    assert (lifted.code, lifted.err) == (3, "Actions are not halted. Nothing was changed.")
