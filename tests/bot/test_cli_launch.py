"""`placet launch`: an orders file becomes runs row by row, once; a dry run says what each would need and writes nothing."""

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from bot.commands.terminal import watched
from engine.models import RunRecord
from engine.state import ledger, runs
from engine.state.ledger import Begun, Spend
from tests import database, rows
from tests.bot.command_line import EXAMPLES, NOWHERE, placet, untouched

ORDERS = str(EXAMPLES / "orders.csv")
HEADER = "order_ref,supplier_id,item,quantity,amount,currency,payment_method"


def csv(folder: Path, *rows: str) -> str:
    file = folder / "orders.csv"
    file.write_text("\n".join([HEADER, *rows]), encoding="utf-8")
    return str(file)


def launched(conn: Any) -> dict[str | None, RunRecord]:
    """The runs there are, by launch key."""
    return {run.launch_key: runs.get(conn, run.id) for run in runs.listed(conn, limit=200)}


def test_every_row_of_a_file_becomes_a_run_for_its_requester(conn: Any, db_url: str) -> None:
    said = placet(db_url, "launch", "procurement", "--orders", ORDERS, "--for", "priya")
    assert (said.code, said.err) == (0, "")
    assert "9 launched, 0 unchanged, 0 refused." in said.out
    found = launched(conn)
    assert len(found) == 9
    run = found["procurement:po-2026-0193"]
    assert (run.status, run.on_behalf_of, run.scopes) == ("queued", "priya", ["payments:write"])
    assert "amount: 38000.00" in run.input


def test_a_file_launched_twice_launches_nothing_twice(conn: Any, db_url: str) -> None:
    placet(db_url, "launch", "procurement", "--orders", ORDERS, "--for", "priya")
    with untouched(conn):
        said = placet(db_url, "launch", "procurement", "--orders", ORDERS, "--for", "priya")
    assert said.code == 0
    assert "0 launched, 9 unchanged, 0 refused." in said.out
    assert "unchanged: run_" in said.out


def test_another_order_under_a_reference_that_was_launched_is_refused(conn: Any, db_url: str, tmp_path: Path) -> None:
    placet(
        db_url,
        "launch",
        "procurement",
        "--orders",
        csv(tmp_path, "PO-1,sup_412,pumps,1,100.00,EUR,pm_1"),
        "--for",
        "priya",
    )
    with untouched(conn):
        file = csv(tmp_path, "PO-1,sup_412,pumps,1,900.00,EUR,pm_1")
        said = placet(db_url, "launch", "procurement", "--orders", file, "--for", "priya")
    assert said.code == 2
    assert "refused: order_ref: run_" in said.out
    assert "was launched for this reference with other contents" in said.out
    assert "The refused rows were not launched; and there were no others." in said.err


def test_what_cannot_be_read_is_refused_with_line_and_field_and_the_rest_is_launched(
    conn: Any, db_url: str, tmp_path: Path
) -> None:
    file = csv(
        tmp_path,
        "PO-1,sup_412,pumps,1,100.00,eur,pm_1",
        "PO-2,sup_412,pumps,1,100.00,EURO,pm_1",
        'PO-3,sup_412,pumps,1,"17,000",EUR,pm_1',
        "PO-4,,pumps,1,100.00,EUR,pm_1",
        "PO-5,sup_412,pumps,many,100.00,EUR,pm_1",
        "PO-6,sup_412",
        "PO-9,sup_412,valves,1,250.00,EUR,pm_1",
        "PO-7,sup_412,pumps,1,500,JPY,pm_1",
        "PO-8,sup_412,pumps,1,500.50,JPY,pm_1",
        ",sup_412,pumps,1,100.00,EUR,pm_1",
    )
    said = placet(db_url, "launch", "procurement", "--orders", file, "--for", "priya")
    assert said.code == 2
    lines = said.out.splitlines()
    for expected in (
        "2 PO-1 launched run_",
        "3 refused: currency: 'EURO' is no current ISO 4217 code",
        "4 refused: amount: '17,000' cannot be read with certainty",
        "5 refused: supplier_id: it is missing.",
        "6 refused: quantity: it is no whole number",
        "7 refused: The header names 7 values and the line has 2",
        "8 PO-9 launched run_",
        "9 PO-7 launched run_",
        "10 refused: amount: '500.50' is finer than JPY can be",
        "11 refused: order_ref: it is missing.",
        "3 launched, 0 unchanged, 7 refused.",
    ):
        assert any(line.startswith(expected) for line in lines), (expected, said.out)
    assert "The refused rows were not launched; all others were." in said.err
    found = launched(conn)
    assert set(found) == {"procurement:po-1", "procurement:po-7", "procurement:po-9"}
    assert "currency: EUR" in found["procurement:po-1"].input


def test_rows_that_share_a_reference_are_all_refused_each_naming_another(
    conn: Any, db_url: str, tmp_path: Path
) -> None:
    file = csv(
        tmp_path,
        "DUP,sup_412,pumps,1,100.00,EUR,pm_1",
        "PO-1,sup_412,pumps,1,100.00,EUR,pm_1",
        " dup ,sup_412,pumps,1,900.00,EUR,pm_1",
        "PO-2,sup_412,pumps,1,100.00,EUR,pm_1",
        "po-2,sup_412,pumps,1,100.00,EUR,pm_1",
        "Po-2,sup_412,pumps,1,100.00,EUR,pm_1",
    )
    said = placet(db_url, "launch", "procurement", "--orders", file, "--for", "priya")
    assert said.code == 2
    lines = said.out.splitlines()
    for expected in (
        "2 refused: order_ref: DUP stands on line 4 too, and which of them is meant cannot be known.",
        "4 refused: order_ref: dup stands on line 2 too, and which",
        "5 refused: order_ref: PO-2 stands on line 6 and 1 more too",
        "7 refused: order_ref: Po-2 stands on line 5 and 1 more too",
        "1 launched, 0 unchanged, 5 refused.",
    ):
        assert any(line.startswith(expected) for line in lines), (expected, said.out)
    assert set(launched(conn)) == {"procurement:po-1"}


def test_the_readable_twin_of_a_row_that_cannot_be_read_is_refused_too(conn: Any, db_url: str, tmp_path: Path) -> None:
    file = csv(
        tmp_path,
        "PO-1,sup_412,pumps,1,one,EUR,pm_1",
        "po-1,sup_412,pumps,1,100.00,EUR,pm_1",
        ",sup_412,pumps,1,1.00,EUR,",
    )
    said = placet(db_url, "launch", "procurement", "--orders", file, "--for", "priya")
    assert "3 refused: order_ref: po-1 stands on line 2 too, and which" in said.out
    assert launched(conn) == {}


def test_an_order_written_otherwise_in_another_file_is_launched_once(conn: Any, db_url: str, tmp_path: Path) -> None:
    for ref in ("PO-1", "po-1", " Po-1 "):
        file = csv(tmp_path, f"{ref},sup_412,pumps,1,100.00,EUR,pm_1")
        said = placet(db_url, "launch", "procurement", "--orders", file, "--for", "priya")
        assert ("1 launched" in said.out) == (ref == "PO-1")
    assert "That one stands" in said.out
    assert len(launched(conn)) == 1


def test_what_the_release_before_launched_is_not_launched_anew(conn: Any, db_url: str, tmp_path: Path) -> None:
    file = csv(tmp_path, "PO 1,sup_412,pumps,1,100.00,EUR,pm_1", "Straße,sup_412,pumps,1,100.00,EUR,pm_1")
    placet(db_url, "launch", "procurement", "--orders", file, "--for", "priya")
    conn.execute("UPDATE run SET launch_key = 'procurement:PO  1' WHERE launch_key = 'procurement:po 1'")
    said = placet(db_url, "launch", "procurement", "--orders", file, "--for", "priya")
    assert "0 launched, 2 unchanged, 0 refused." in said.out
    assert len(launched(conn)) == 2


def test_a_dry_run_says_what_each_row_would_need_and_writes_nothing(conn: Any, db_url: str, tmp_path: Path) -> None:
    database.apply_policy(conn)
    file = csv(
        tmp_path,
        "PO-1,sup_118,paper,1,1000.00,EUR,pm_1",
        "PO-2,sup_118,paper,1,1000.01,EUR,pm_1",
        "PO-3,sup_412,pumps,1,38000.00,EUR,pm_1",
        "PO-4,sup_412,pumps,1,1.00,USD,pm_1",
        "PO-5,sup_412,pumps,1,one,EUR,pm_1",
    )
    with untouched(conn):
        said = placet(db_url, "launch", "procurement", "--orders", file, "--for", "priya", "--dry-run")
    assert said.code == 2
    lines = said.out.splitlines()
    assert "2 PO-1 sup_118 EUR 1,000.00 done without asking small payment" in lines
    assert "3 PO-2 sup_118 EUR 1,000.01 asks whoever has the role finance-approver; 4 hours to answer payment" in lines
    assert "4 PO-3 sup_412 EUR 38,000.00 asks Marta Keller; 4 hours to answer large payment" in lines
    assert (
        "5 PO-4 sup_412 USD 1.00 asks whoever has the role finance-approver; 4 hours to answer foreign payment" in lines
    )
    assert any(line.startswith("6 refused: amount: 'one' cannot be read with certainty") for line in lines)
    assert (
        "By fin-approvals-v4, for Priya Nair: 1 without asking, 3 with somebody's yes, 0 not allowed, 1 refused as unreadable. "
        "Nothing was written."
    ) in lines


def test_a_dry_run_asks_the_approvers_manager_when_the_approver_is_who_asks(
    conn: Any, db_url: str, tmp_path: Path
) -> None:
    database.apply_policy(conn)
    file = csv(tmp_path, "PO-3,sup_412,pumps,1,38000.00,EUR,pm_1")
    with untouched(conn):
        said = placet(db_url, "launch", "procurement", "--orders", file, "--for", "marta", "--dry-run")
    assert said.code == 0
    assert "3 PO-3" not in said.out
    assert "2 PO-3 sup_412 EUR 38,000.00 asks Otto Brandt; 4 hours to answer large payment" in said.out


def test_a_dry_run_says_why_what_no_rule_names_is_forbidden(conn: Any, db_url: str, tmp_path: Path) -> None:
    only_euros = (EXAMPLES / "policy.toml").read_text().replace('currency = "any other"', 'currency = "CHF"')
    database.apply_policy(conn, only_euros)
    file = csv(tmp_path, "PO-4,sup_412,pumps,1,1.00,USD,pm_1")
    with untouched(conn):
        said = placet(db_url, "launch", "procurement", "--orders", file, "--for", "priya", "--dry-run")
    assert said.code == 0
    assert 'forbidden: No rule of fin-approvals-v4 names "payment" in USD' in said.out
    assert "1 not allowed" in said.out


def test_a_dry_run_without_a_policy_says_so(conn: Any, db_url: str) -> None:
    with untouched(conn):
        said = placet(db_url, "launch", "procurement", "--orders", ORDERS, "--for", "priya", "--dry-run")
    assert said.code == 2
    assert "No policy is in force. Write one and apply it: placet policy apply policy.toml" in said.err


def test_a_dry_run_counts_what_has_nothing_to_be_typed_as_not_allowed(conn: Any, db_url: str, tmp_path: Path) -> None:
    policy = (EXAMPLES / "policy.toml").read_text()
    database.apply_policy(conn, policy.replace('finally = "deny"', 'finally = "deny"\nconfirm = "item"'))
    file = csv(tmp_path, "PO-1,sup_118,---,1,38000.00,EUR,pm_1", "PO-2,sup_118,paper,1,38000.00,EUR,pm_1")
    with untouched(conn):
        said = placet(db_url, "launch", "procurement", "--orders", file, "--for", "priya", "--dry-run")
    refused = "refused: the approver types the item, and this order has none"
    assert f"2 PO-1 sup_118 EUR 38,000.00 {refused} large payment" in said.out
    assert "0 without asking, 1 with somebody's yes, 1 not allowed, 0 refused as unreadable." in said.out


def test_a_dry_run_counts_what_goes_to_one_payee_together_with_what_is_on_record(
    conn: Any, db_url: str, tmp_path: Path
) -> None:
    database.apply_policy(conn, (EXAMPLES / "policy.toml").read_text() + '\n[spend_window]\npayment = "1d"\n')
    claim = rows.claimed(conn)
    rows.replied(conn, claim)
    paid = Spend(action="payment", payee="sup_412", currency="EUR", minor=70_000, window_s=86_400, up_to=None)
    assert isinstance(ledger.begin(conn, claim, replace(rows.intent(claim.id, None), spend=paid), lease_s=60), Begun)
    file = csv(
        tmp_path,
        "PO-1,sup_412,pumps,1,300.00,EUR,pm_1",
        "PO-2,SUP_412,pumps,1,0.01,EUR,pm_1",
        "PO-3,sup_118,paper,1,999.00,EUR,pm_1",
        "PO-4,sup_118,paper,1,999.00,EUR,pm_1",
    )
    with untouched(conn):
        said = placet(db_url, "launch", "procurement", "--orders", file, "--for", "priya", "--dry-run")
    lines = said.out.splitlines()
    asks = "asks whoever has the role finance-approver; 4 hours to answer payment"
    assert lines[2:6] == [
        "2 PO-1 sup_412 EUR 300.00 done without asking small payment",
        f"3 PO-2 SUP_412 EUR 0.01 {asks}",
        "4 PO-3 sup_118 EUR 999.00 done without asking small payment",
        f"5 PO-4 sup_118 EUR 999.00 {asks}",
    ]
    assert (
        "Of payment, what goes to one payee within 1 day counts together: each row was judged with what is on record and with the rows "
        "before it, as if those were done."
    ) in lines


def test_json_lines_are_read_exactly_and_hidden_characters_are_shown(conn: Any, db_url: str, tmp_path: Path) -> None:
    file = tmp_path / "orders.jsonl"
    row = {"order_ref": "PO-\x1b[2J1", "supplier_id": "sup_\u202e412", "amount": 7.10, "currency": "kwd"}
    file.write_text(f"\n{json.dumps(row)}\n[1]\n", encoding="utf-8")
    database.apply_policy(conn)
    said = placet(db_url, "launch", "procurement", "--orders", str(file), "--for", "priya", "--dry-run")
    assert said.code == 2
    assert "\x1b" not in said.out
    assert "2 PO-\\u{1B}[2J1 sup_\\u{202E}412 KWD 7.100 asks whoever" in said.out
    assert "3 refused: It is no JSON object" in said.out


def test_words_become_one_run(conn: Any, db_url: str) -> None:
    said = placet(db_url, "launch", "procurement", "--input", "Buy a chair.", "--for", "priya")
    assert said.code == 0
    assert said.out.startswith("Launched run_")
    assert "It waits for a worker that has the agent procurement." in said.out
    assert [(run.input, run.on_behalf_of) for run in launched(conn).values()] == [("Buy a chair.", "priya")]


def test_whoever_asks_without_the_authority_is_warned(db_url: str) -> None:
    said = placet(db_url, "launch", "procurement", "--input", "Buy a chair.", "--for", "jonas")
    assert said.code == 0
    assert "Jonas Weber does not hold payments:write" in said.err


BAD = {
    "unknown person": (["--orders", ORDERS, "--for", "nobody"], "--for: nobody has the id 'nobody'."),
    "somebody who left": (["--orders", ORDERS, "--for", "lena"], "is no longer active."),
    "neither": (["--for", "priya"], "--orders: give either a file of orders, or --input with words."),
    "both": (["--orders", ORDERS, "--input", "x", "--for", "priya"], "give either a file of orders, or --input"),
    "no words": (["--input", "  ", "--for", "priya"], "--input: it is empty."),
    "dry words": (
        ["--input", "x", "--for", "priya", "--dry-run"],
        "--dry-run: what an agent makes of words is not known",
    ),
    "no file": (["--orders", "nowhere.csv", "--for", "priya"], "nowhere.csv: there is no such file. Check the path."),
    "no orders": (
        ["--orders", "orders.xlsx", "--for", "priya"],
        "orders.xlsx: its name must end in .csv, or in .jsonl",
    ),
    "no module": (
        ["--orders", ORDERS, "--for", "priya", "--agents", "no.such"],
        "no.such cannot be imported: No module named 'no'.",
    ),
    "no agent there": (["--orders", ORDERS, "--for", "priya", "--agents", "json"], "json holds no Agent."),
    "no agents": (["--orders", ORDERS, "--for", "priya", "--agents", ","], "No agents are named. Set PLACET_AGENTS"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_with_a_sentence_and_writes_nothing(case: str, conn: Any, db_url: str) -> None:
    args, sentence = BAD[case]
    with untouched(conn):
        said = placet(db_url, "launch", "procurement", *args)
    assert said.code == 2, said
    assert sentence in said.err
    assert "Traceback" not in said.err


def test_an_agent_that_is_not_there_is_named_with_those_that_are(conn: Any, db_url: str) -> None:
    with untouched(conn):
        said = placet(db_url, "launch", "procurment", "--orders", ORDERS, "--for", "priya")
    assert (said.code, said.err) == (
        2,
        "Refused, and nothing was changed. AGENT: there is no agent 'procurment'. There are: procurement.",
    )


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "it is empty. Was the right file chosen?"),
        (b"order_ref,amount\nPO-1,caf\xe9\n", "line 2 is not UTF-8. Save the file as UTF-8"),
        ("order_ref,amount\n".encode("utf-16"), "line 1 is not UTF-8."),
    ],
    ids=["empty", "latin", "utf-16"],
)
def test_a_file_that_is_no_text_is_refused(
    content: bytes, sentence: str, conn: Any, db_url: str, tmp_path: Path
) -> None:
    file = tmp_path / "orders.csv"
    file.write_bytes(content)
    with untouched(conn):
        said = placet(db_url, "launch", "procurement", "--orders", str(file), "--for", "priya")
    assert said.code == 2
    assert sentence in said.err


def test_a_file_of_too_many_rows_or_bytes_is_refused_with_the_bound(conn: Any, db_url: str, tmp_path: Path) -> None:
    row = "PO-1,sup_412,pumps,1,100.00,EUR,pm_1"
    many = csv(tmp_path, *[row] * 20_001)
    with untouched(conn):
        said = placet(db_url, "launch", "procurement", "--orders", many, "--for", "priya", "--dry-run")
    assert (said.code, said.out) == (2, "")
    assert "orders.csv: it has more than 20,000 rows, the most that are taken. Split it." in said.err
    large = csv(tmp_path, row, "x" * 20_000_000)
    with untouched(conn):
        said = placet(db_url, "launch", "procurement", "--orders", large, "--for", "priya")
    assert (said.code, said.out) == (2, "")
    assert "orders.csv: it is larger than 20 MB, the most that is taken. Split it." in said.err


def test_a_long_file_is_shown_in_several_tables_and_no_row_is_left_out(conn: Any, db_url: str, tmp_path: Path) -> None:
    database.apply_policy(conn)
    file = csv(tmp_path, *(f"PO-{n},sup_412,pumps,1,100.00,EUR,pm_1" for n in range(1001)))
    said = placet(db_url, "launch", "procurement", "--orders", file, "--for", "priya", "--dry-run")
    assert [line.split()[1] for line in said.out.splitlines() if " PO-" in line] == [f"PO-{n}" for n in range(1001)]
    assert said.out.count("what it would need") == 3
    assert "1001 without asking" in said.out


def test_what_takes_long_is_counted_where_somebody_looks_and_nowhere_else() -> None:
    seen, piped, soon = io.StringIO(), io.StringIO(), io.StringIO()
    assert list(watched("abc", "Rows:", after_s=0, console=Console(file=seen, force_terminal=True))) == ["a", "b", "c"]
    assert list(watched("abc", "Rows:", after_s=0, console=Console(file=piped, force_terminal=False))) == [
        "a",
        "b",
        "c",
    ]
    assert list(watched("abc", "Rows:", after_s=60, console=Console(file=soon, force_terminal=True))) == ["a", "b", "c"]
    assert "Rows: 3" in seen.getvalue()
    assert (piped.getvalue().strip(), soon.getvalue().strip()) == ("", "")


def test_a_folder_is_no_file(conn: Any, db_url: str, tmp_path: Path) -> None:
    folder = tmp_path / "orders.csv"
    folder.mkdir()
    with untouched(conn):
        said = placet(db_url, "launch", "procurement", "--orders", str(folder), "--for", "priya")
    assert (said.code, "it is a folder. Give the file in it." in said.err) == (2, True)


def test_a_database_that_is_away_is_said_without_its_password() -> None:
    said = placet(NOWHERE.replace("@", ":secret@"), "launch", "procurement", "--input", "x", "--for", "priya")
    assert said.code == 1
    assert "The database cannot be reached" in said.err
    assert "Check that PostgreSQL runs and that DATABASE_URL names it" in said.err
    assert "secret" not in said.err
    assert "Traceback" not in said.err
