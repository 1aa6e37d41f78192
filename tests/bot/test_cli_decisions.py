"""`placet pending`, `approve`, `deny`, `withdraw`, `doubt` and `resolve`: judged as a click is, told in the same words."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from bot.cards.ids import screen_id
from engine.models import Confirmation
from engine.state import db, halts, ledger, pauses, runs
from tests import rows
from tests.bot.command_line import placet, untouched


def name(pause_id: UUID) -> str:
    return screen_id("pause", pause_id)


def effect_of(conn: Any, run_id: UUID) -> str:
    return screen_id("effect", ledger.of_run(conn, run_id)[0].id)


def test_what_waits_is_listed_with_whom_and_until_when(conn: Any, db_url: str) -> None:
    (pause_id,) = rows.waiting(conn)
    said = placet(db_url, "pending")
    assert said.code == 0
    assert f"{name(pause_id)} EUR 38,000.00 to Nordholz Industrial (sup_412) Priya Nair Marta Keller" in said.out
    assert name(pause_id) in placet(db_url, "pending", "--mine", "marta").out
    assert placet(db_url, "pending", "--mine", "otto").out == "Nothing waits for a decision."


def test_one_that_was_put_aside_is_marked_and_what_to_do_is_said(conn: Any, db_url: str) -> None:
    stuck, _ = rows.waiting(conn, 2)
    pauses.mark_stuck(conn, stuck)
    said = placet(db_url, "pending")
    assert said.out.count("put aside") == 1
    assert f"could not be settled: {name(stuck)}. The log of the sweep says why." in said.err


def test_an_altered_request_is_listed_without_its_words(conn: Any, db_url: str) -> None:
    (pause_id,) = rows.waiting(conn)
    rows.alter_document(conn, pause_id)
    said = placet(db_url, "pending")
    assert "This request was altered after it was stored." in said.out
    assert "3,800.00" not in said.out


def test_a_yes_says_what_was_approved_and_the_run_goes_on(conn: Any, db_url: str) -> None:
    (pause_id,) = rows.waiting(conn)
    said = placet(db_url, "approve", name(pause_id), "--as", "marta", "--reason", "as agreed")
    assert (said.code, said.err) == (0, "")
    assert said.out == f"{name(pause_id)}: EUR 38,000.00 to Nordholz Industrial (sup_412)\nApproved. The agent goes on."
    pause = pauses.get(conn, pause_id)
    assert (pause.status, pause.decided_by, pause.votes[0].surface) == ("approved", "marta", "cli")
    assert runs.get(conn, pause.run_id).status == "queued"


@pytest.mark.parametrize("command", ["pending", "runs", "doubt"])
def test_a_halt_stands_before_every_list(command: str, conn: Any, db_url: str) -> None:
    assert "stopped" not in placet(db_url, command).out
    halts.halt(conn, actor="otto", surface="tests", reason="Odd payments.")
    for asks in (False, True):
        if asks:
            rows.waiting(conn)
        first = placet(db_url, command).out.splitlines()[0]
        assert first.startswith("Otto Brandt has stopped all actions since ")
        assert first.endswith(" UTC: Odd payments. To let them go on: placet resume-effects --as PERSON")


def test_a_yes_during_a_halt_does_not_say_that_the_agent_goes_on(conn: Any, db_url: str) -> None:
    first, second = rows.waiting(conn, 2)
    halts.halt(conn, actor="otto", surface="tests")
    said = placet(db_url, "approve", name(first), "--as", "marta").out
    assert said.endswith("Another request of the same turn still waits; the agent goes on when all are answered.")
    said = placet(db_url, "approve", name(second), "--as", "marta").out
    assert "Approved. Nothing is done yet: Otto Brandt has stopped all actions since " in said
    assert said.endswith("When they go on, it is checked again, and carried out if it still holds.")
    assert "agent goes on" not in said


def test_the_second_is_told_who_was_quicker(conn: Any, db_url: str) -> None:
    (pause_id,) = rows.waiting(conn)
    placet(db_url, "approve", name(pause_id), "--as", "marta")
    said = placet(db_url, "deny", name(pause_id), "--as", "marta")
    assert said.code == 3
    assert said.err.startswith("Already approved by Marta Keller, ")
    assert pauses.get(conn, pause_id).status == "approved"


def test_a_no_carries_its_reason(conn: Any, db_url: str) -> None:
    (pause_id,) = rows.waiting(conn)
    said = placet(db_url, "deny", str(pause_id), "--as", "marta", "--reason", "too dear")
    assert said.code == 0
    assert "Denied. Nothing is done, and the agent is told." in said.out
    assert pauses.get(conn, pause_id).reason == "too dear"


def test_one_of_two_approvals_is_counted(conn: Any, db_url: str) -> None:
    (pause_id,) = rows.waiting(conn, approver="role:finance-approver", need=rows.QUORUM)
    said = placet(db_url, "approve", name(pause_id), "--as", "marta")
    assert said.code == 0
    assert "Counted. 1 more approval needed" in said.out
    assert placet(db_url, "approve", name(pause_id), "--as", "marta").code == 3
    assert placet(db_url, "approve", name(pause_id), "--as", "ines").code == 0
    assert pauses.get(conn, pause_id).status == "approved"


@pytest.mark.parametrize(
    ("command", "person", "sentence"),
    [
        ("approve", "priya", "You asked for this, so somebody else must decide: Marta Keller"),
        ("approve", "jonas", "It is for Marta Keller to decide"),
        ("deny", "otto", "It is for Marta Keller to decide"),
        ("withdraw", "marta", "Only the person it was asked for may withdraw it."),
    ],
)
def test_whoever_may_not_is_told_who_may(command: str, person: str, sentence: str, conn: Any, db_url: str) -> None:
    (pause_id,) = rows.waiting(conn)
    said = placet(db_url, command, name(pause_id), "--as", person)
    assert said.code == 3
    assert sentence in said.err
    assert pauses.get(conn, pause_id).status == "waiting"


def test_the_requester_takes_a_request_back(conn: Any, db_url: str) -> None:
    (pause_id,) = rows.waiting(conn)
    said = placet(db_url, "withdraw", name(pause_id), "--as", "priya")
    assert said.code == 0
    assert "Withdrawn." in said.out
    assert pauses.get(conn, pause_id).status == "cancelled"


def test_a_yes_after_its_time_settles_it_and_says_with_whom_it_is_now(conn: Any, db_url: str) -> None:
    (pause_id,) = rows.waiting(conn)
    rows.make_due(conn, pause_id)
    said = placet(db_url, "approve", name(pause_id), "--as", "marta")
    assert said.code == 3
    assert "Nobody answered in time, so it is with Otto Brandt now" in said.err
    pause = pauses.get(conn, pause_id)
    assert (pause.status, pause.approver, pause.level) == ("waiting", "person:otto", 1)


def test_nothing_is_decided_on_an_altered_request(conn: Any, db_url: str) -> None:
    (pause_id,) = rows.waiting(conn)
    rows.alter_document(conn, pause_id)
    said = placet(db_url, "approve", name(pause_id), "--as", "marta")
    assert said.code == 3
    assert f"{name(pause_id)} was altered after it was stored" in said.err
    assert pauses.get(conn, pause_id).status == "waiting"


@pytest.mark.parametrize(("given", "code"), [([], 3), (["--confirm", "4418"], 3), (["--confirm", "44 17"], 0)])
def test_what_must_be_typed_is_named_with_how_it_is_given(given: list[str], code: int, conn: Any, db_url: str) -> None:
    need = replace(rows.NEED, confirm="payment_method")
    [pause_id] = rows.waiting(conn, need=need, confirm=Confirmation(of="payment_method", typed="4417"))
    what = "the last 4 letters or digits of the payment method"
    assert f"to be typed {what}\n" in placet(db_url, "show", name(pause_id)).out
    said = placet(db_url, "approve", name(pause_id), "--as", "marta", *given)
    told = f"Nothing was recorded: type {what} as in the request to approve it. Here: --confirm WHAT_IS_TYPED"
    assert (said.code, said.err) == (code, told if code else "")
    assert pauses.get(conn, pause_id).status == ("waiting" if code else "approved")


BAD = {
    "unknown request": (["pause_0a0a0a", "--as", "marta"], "No pause has an id ending in 0a0a0a."),
    "no id": (
        ["nonsense", "--as", "marta"],
        "id: 'nonsense' is no id. Write pause_ and at least its last 6 hex digits.",
    ),
    "nobody": (["pause_0a0a0a", "--as", "nobody"], "--as: nobody has the id 'nobody'."),
    "somebody who left": (["pause_0a0a0a", "--as", "lena"], "is no longer active."),
    "an essay": (["pause_0a0a0a", "--as", "marta", "--reason", "x" * 1001], "--reason: This is too long to keep"),
}


@pytest.mark.parametrize("command", ["approve", "deny", "withdraw"])
@pytest.mark.parametrize("case", BAD)
def test_bad_input_decides_nothing(command: str, case: str, conn: Any, db_url: str) -> None:
    rows.waiting(conn)
    args, sentence = BAD[case]
    with untouched(conn):
        said = placet(db_url, command, *args)
    assert said.code == 2
    assert sentence in said.err


def test_a_list_for_nobody_is_refused(conn: Any, db_url: str) -> None:
    with untouched(conn):
        said = placet(db_url, "pending", "--mine", "nobody")
    assert (said.code, "--mine: nobody has the id 'nobody'." in said.err) == (2, True)
    assert placet(db_url, "pending", "--limit", "0").code == 2


# ---------------------------------------------------------------------------------------------------------------- doubts


def test_nothing_in_doubt_is_quiet_and_a_doubt_is_an_alarm(conn: Any, db_url: str) -> None:
    assert placet(db_url, "doubt").code == 0
    claim, _, _ = rows.doubted(conn)
    said = placet(db_url, "doubt")
    assert said.code == 4
    row = "charge_supplier, Amount EUR 38,000.00, Order PO-0 no answer 1, "
    assert f"{effect_of(conn, claim.id)} {screen_id('run', claim.id)} {row}" in said.out
    assert "1 in doubt. Look at the provider whether it happened" in said.err


@pytest.mark.parametrize(
    ("answer", "sentence", "stands"),
    [
        (["happened", "--reference", "pi_3P0"], "on record as done, with your reference", ("done", "queued")),
        (["retry"], "It is looked up once more, and if it is not there it is tried again", ("attempted", "queued")),
        (["stop"], "The run ends here.", ("abandoned", "error")),
    ],
    ids=["happened", "retry", "stop"],
)
def test_a_person_says_what_became_of_it(
    answer: list[str], sentence: str, stands: tuple[str, str], conn: Any, db_url: str
) -> None:
    claim, _, _ = rows.doubted(conn)
    said = placet(db_url, "resolve", effect_of(conn, claim.id), *answer, "--as", "ines")
    assert said.code == 0
    assert sentence in said.out
    assert ", attempt 1 of " in said.out
    assert (ledger.of_run(conn, claim.id)[0].status, runs.get(conn, claim.id).status) == stands
    assert placet(db_url, "doubt").code == 0


@pytest.mark.parametrize(
    ("person", "sentence"),
    [
        ("priya", "You asked for it, so somebody else must say what became of it."),
        ("otto", "It is for somebody with the role finance-approver to say."),
    ],
)
def test_a_doubt_is_not_for_everybody_to_resolve(person: str, sentence: str, conn: Any, db_url: str) -> None:
    claim, _, _ = rows.doubted(conn)
    said = placet(db_url, "resolve", effect_of(conn, claim.id), "retry", "--as", person)
    assert said.code == 3
    assert sentence in said.err
    assert ledger.of_run(conn, claim.id)[0].status == "in_doubt"


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["happened"], "--reference: it is missing."),
        (["happened", "--reference", " "], "--reference: it is missing."),
        (["stop", "--reference", "pi_1"], "--reference: there is none for stop"),
        (["perhaps"], "'perhaps' is not one of"),
    ],
)
def test_a_wrong_answer_resolves_nothing(args: list[str], sentence: str, conn: Any, db_url: str) -> None:
    claim, _, _ = rows.doubted(conn)
    with untouched(conn):
        said = placet(db_url, "resolve", effect_of(conn, claim.id), *args, "--as", "ines")
    assert said.code == 2
    assert sentence in said.err


@pytest.mark.parametrize(
    ("first", "told"),
    [
        (["happened", "--reference", "pi_3P0"], "Ines Alonso said that it happened, reference pi_3P0, "),
        (["retry"], "Ines Alonso said that it did not, and that it may be tried again, "),
        (["stop"], "Ines Alonso ended the run without knowing whether it happened, "),
    ],
    ids=["happened", "retry", "stop"],
)
def test_whoever_says_it_second_hears_who_settled_a_doubt_and_how(
    first: list[str], told: str, conn: Any, db_url: str
) -> None:
    claim, _, _ = rows.doubted(conn)
    effect = effect_of(conn, claim.id)
    placet(db_url, "resolve", effect, *first, "--as", "ines")
    with untouched(conn):
        said = placet(db_url, "resolve", effect, "stop", "--as", "marta")
    assert said.code == 3
    assert f"{effect} is settled already: {told}" in said.err
    assert said.err.endswith(f"Nothing was changed. The whole of it: placet show {screen_id('run', claim.id)}")


def test_whoever_comes_after_the_providers_late_answer_hears_of_it(conn: Any, db_url: str) -> None:
    claim, _, begun = rows.doubted(conn)
    effect = effect_of(conn, claim.id)
    ledger.settle(
        conn, begun.attempt_id, "succeed", receipt={"id": "pi_1"}, result={"text": "Paid.", "is_error": False}
    )
    said = placet(db_url, "resolve", effect, "retry", "--as", "marta")
    assert said.code == 3
    assert f"{effect} is settled already: the provider's answer came late: it happened, " in said.err
    assert "Nothing was changed." in said.err


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (["happened", "--reference", "pi_3P0"], "The run was withdrawn meanwhile, so it ends here."),
        (["retry"], "is not tried again: the run was withdrawn meanwhile, so it ends here."),
    ],
    ids=["happened", "retry"],
)
def test_a_doubt_of_a_withdrawn_run_ends_it_and_says_so(
    answer: list[str], sentence: str, conn: Any, db_url: str
) -> None:
    claim, _, _ = rows.doubted(conn)
    assert runs.cancel(conn, claim.id, actor="priya", person="priya", surface="cli") == "cancelling"
    said = placet(db_url, "resolve", effect_of(conn, claim.id), *answer, "--as", "ines")
    assert said.code == 0
    assert sentence in said.out
    assert runs.get(conn, claim.id).status == "cancelled"


def test_an_effect_that_is_not_in_doubt_is_not_found(conn: Any, db_url: str) -> None:
    with untouched(conn):
        said = placet(db_url, "resolve", screen_id("effect", db.new_id()), "retry", "--as", "ines")
    assert said.code == 2
    assert "No effect in doubt has an id ending in" in said.err
    assert "`placet doubt` lists those there are." in said.err
