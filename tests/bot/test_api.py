"""The HTTP API over a real socket: launch, stop, go on, withdraw and read; every mistake has one shape, and nothing here approves."""

import json
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import httpx
import pytest

from bot.cards import ids
from bot.http.limits import BYTES, DEPTH, depth
from bot.sandbox.app_link import signature
from engine.state import db, events, pauses, runs
from engine.workers.sweep import Sweeper
from tests import rows
from tests.bot.command_line import untouched
from tests.bot.house import API_TOKEN, Home
from tests.bot.office import SECRET

Json = dict[str, Any]
JSON = {"Content-Type": "application/json"}
LAUNCH: Json = {"agent": "procurement", "input": "Buy 40 pumps.", "for": "priya"}


@pytest.fixture
def api(home: Home) -> Iterator[httpx.Client]:
    with httpx.Client(
        base_url=home.url, headers={"Authorization": f"Bearer {API_TOKEN}"}, timeout=10, verify=False
    ) as client:
        yield client


@pytest.fixture
def pause_id(conn: Any) -> UUID:
    [asked] = rows.waiting(conn)
    return asked


def refused(answer: httpx.Response) -> tuple[int, str, str | None]:
    body = answer.json()
    assert body.keys() <= {"error", "field", "what_stands"}
    assert body["error"].endswith((".", "?"))
    return answer.status_code, body.get("field") or body.get("what_stands") or "", body["error"]


# --------------------------------------------------------------------------------------------------------------- who may


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {API_TOKEN}"}])
def test_without_the_token_nothing_is_done_or_shown(home: Home, conn: Any, headers: dict[str, str]) -> None:
    for method, path in (
        ("POST", "/agent/launch"),
        ("POST", "/agent/pause"),
        ("POST", "/agent/resume"),
        ("POST", "/agent/cancel"),
        ("GET", "/agent/runs"),
        ("GET", "/agent/runs/run_abcdef"),
        ("GET", "/approvals"),
        ("GET", "/approvals/pause_abcdef"),
    ):
        answer = home.http.request(method, path, headers=headers, json=LAUNCH if method == "POST" else None)
        assert answer.status_code == 401, path
        assert answer.headers["www-authenticate"] == "Bearer"
        assert "PLACET_API_TOKEN" in answer.json()["error"]
    assert home.http.get(f"/agent/runs?token={API_TOKEN}").status_code == 401
    assert runs.listed(conn) == []


def test_no_path_of_the_api_decides(api: httpx.Client, pause_id: UUID) -> None:
    paths = api.get("/openapi.json").json()["paths"]
    assert not [path for path in paths if "approve" in path.removeprefix("/approvals") or "deny" in path]
    assert {method for path, methods in paths.items() if path.startswith("/approvals") for method in methods} == {"get"}


# ---------------------------------------------------------------------------------------------------------------- launch


def test_a_launch_names_its_run_and_a_second_one_with_its_key_launches_nothing(api: httpx.Client, conn: Any) -> None:
    first = api.post("/agent/launch", json=LAUNCH | {"launch_key": "PO-1"})
    assert first.status_code == 201
    again = api.post("/agent/launch", json=LAUNCH | {"launch_key": "PO-1"})
    assert again.status_code == 200
    assert (again.json()["run_id"], again.json()["new"]) == (first.json()["run_id"], False)
    [run] = runs.listed(conn)
    assert (str(run.id), run.on_behalf_of, run.status) == (first.json()["run_id"], "priya", "queued")
    assert first.json()["run"] == ids.screen_id("run", run.id)
    assert events.of_run(conn, run.id)[0].actor == "api"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"agent": "procurement", "input": "x"}, "for"),
        (LAUNCH | {"for": "nobody"}, "for"),
        (LAUNCH | {"for": "lena"}, "for"),  # she has left
        (LAUNCH | {"agent": "gardener"}, "agent"),
        (LAUNCH | {"agent": 7}, "agent"),
        (LAUNCH | {"input": " "}, "input"),
        (LAUNCH | {"input": "a\x00b"}, "input"),
        (LAUNCH | {"input": "x" * 100_001}, "input"),
        (LAUNCH | {"launch_key": ""}, "launch_key"),
        (LAUNCH | {"launch_key": "\ud800"}, "launch_key"),
        (LAUNCH | {"for": "\ud800"}, "for"),
        (LAUNCH | {"input": "Buy \udfff"}, "input"),
        (LAUNCH | {"approve": True}, "approve"),
        ([LAUNCH], "body"),
    ],
)
def test_a_launch_that_cannot_be_read_is_refused_whole_and_the_field_is_named(
    api: httpx.Client, conn: Any, body: Any, field: str
) -> None:
    status, named, error = refused(api.post("/agent/launch", content=json.dumps(body), headers=JSON))
    assert (status, named) == (422, field)
    assert error is not None
    assert error.startswith(f"{field}: ")
    assert runs.listed(conn) == []


@pytest.mark.parametrize(
    ("other", "named"),
    [({"input": "Buy 41 pumps."}, "another input"), ({"for": "otto"}, "another for")],
)
def test_a_launch_key_that_began_something_else_is_refused_with_what_stands(
    api: httpx.Client, conn: Any, other: Json, named: str
) -> None:
    first = api.post("/agent/launch", json=LAUNCH | {"launch_key": "PO-1"}).json()
    status, stands, error = refused(api.post("/agent/launch", json=LAUNCH | {"launch_key": "PO-1"} | other))
    assert (status, stands) == (409, f"{first['run']}, queued")
    assert error is not None
    assert error.startswith(f"{first['run']} was launched with this launch_key and {named}. ")
    assert len(runs.listed(conn)) == 1


@pytest.mark.parametrize("content", [b"", b"{", b"nonsense", b'{"agent": NaN}'])
def test_what_is_no_json_is_refused(api: httpx.Client, content: bytes) -> None:
    answer = api.post("/agent/launch", content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["field"]


@pytest.mark.parametrize(
    ("content", "kind", "says"),
    [
        (b'{"agent": ', "application/json", "body: it is no JSON from character 10 on. Send one JSON object."),
        (b'{"agent": "\xff"}', "application/json", "body: it is not UTF-8. Send it as UTF-8."),
        (
            b'{"agent": ' + b"7" * 5000 + b"}",
            "application/json",
            "body: it holds a number of thousands of digits. Send no such number.",
        ),
        (
            json.dumps(LAUNCH).encode(),
            "text/plain",
            "body: it is no JSON object. Send one, with the header Content-Type: application/json.",
        ),
        (b"[]", "application/json", "body: it is no JSON object. Send one, with the header Content-Type: application/json."),
        (b"", "application/json", "body: it is no JSON object. Send one, with the header Content-Type: application/json."),
    ],
)  # fmt: skip
def test_a_body_that_cannot_be_read_is_told_why_and_what_to_send(
    api: httpx.Client, conn: Any, content: bytes, kind: str, says: str
) -> None:
    answer = api.post("/agent/launch", content=content, headers={"Content-Type": kind})
    assert refused(answer) == (422, "body", says)
    assert runs.listed(conn) == []


@pytest.mark.parametrize(
    ("method", "path", "status", "says"),
    [
        ("GET", "/nowhere", 404, "There is nothing at this address. GET /docs says what there is."),
        ("DELETE", "/agent/launch", 405, "This address takes POST and not DELETE. GET /docs says what there is."),
        ("POST", "/agent/runs", 405, "This address takes GET and not POST. GET /docs says what there is."),
    ],
)
def test_an_address_that_is_none_is_told_where_to_look(
    api: httpx.Client, method: str, path: str, status: int, says: str
) -> None:
    assert refused(api.request(method, path)) == (status, "", says)


def test_what_is_too_large_or_too_deep_is_refused_before_it_is_read(api: httpx.Client) -> None:
    large = api.post("/agent/launch", content=b'{"input": "' + b"x" * BYTES + b'"}')
    assert (large.status_code, large.json()["error"]) == (413, "The body is larger than 256 KB. Send less.")
    deep = b"[" * 100_000 + b"]" * 100_000
    answer = api.post("/agent/launch", content=deep, headers={"Content-Type": "application/json"})
    assert refused(answer)[:2] == (422, "body")


@pytest.mark.parametrize(
    "headers",
    [
        [("content-type", "application/JSON")],
        [("CONTENT-TYPE", "Application/Json; charset=utf-8")],
        [("Content-Type", "application/vnd.x+JSON")],
        [("Content-Type", "application/json"), ("Content-Type", "text/plain")],
        [("Content-Type", "text/plain"), ("Content-Type", "application/json")],
    ],
)
def test_no_spelling_of_json_passes_the_limit_of_depth(api: httpx.Client, headers: list[tuple[str, str]]) -> None:
    deep = b"[" * (DEPTH + 1) + b"]" * (DEPTH + 1)
    says = "body: it is nested more than 32 levels deep. Flatten it."
    assert refused(api.post("/agent/launch", content=deep, headers=headers)) == (422, "body", says)


def test_the_depth_is_that_of_brackets_outside_of_strings() -> None:
    assert depth(b'{"a": [1, {"b": "[[[[\\"[["}]}') == 3
    assert depth(b"[" * DEPTH + b"]" * DEPTH) == DEPTH


# ------------------------------------------------------------------------------------------------------------- operators


def test_a_run_is_held_and_goes_on_and_a_second_resume_says_what_stands(
    api: httpx.Client, conn: Any, pause_id: UUID
) -> None:
    run_id = pauses.get(conn, pause_id).run_id
    body = {"run_id": ids.screen_id("run", run_id)}
    assert api.post("/agent/pause", json=body).json() == {
        "run_id": str(run_id),
        "run": ids.screen_id("run", run_id),
        "status": "awaiting_approval",
    }
    assert refused(api.post("/agent/pause", json=body))[:2] == (409, "awaiting_approval")
    assert api.post("/agent/resume", json={"run_id": str(run_id)}).json()["status"] == "awaiting_approval"
    assert refused(api.post("/agent/resume", json=body))[:2] == (409, "awaiting_approval")
    assert pauses.get(conn, pause_id).status == "waiting"


def test_a_queued_run_is_paused_resumed_and_withdrawn(api: httpx.Client, conn: Any) -> None:
    body = {"run_id": api.post("/agent/launch", json=LAUNCH).json()["run_id"]}
    assert api.post("/agent/pause", json=body).json()["status"] == "paused"
    assert api.post("/agent/resume", json=body).json()["status"] == "queued"
    assert api.post("/agent/cancel", json=body).json()["status"] == "cancelled"
    for path in ("/agent/pause", "/agent/resume", "/agent/cancel"):
        assert refused(api.post(path, json=body))[:2] == (409, "cancelled")


@pytest.mark.parametrize("path", ["/agent/pause", "/agent/resume", "/agent/cancel"])
def test_a_run_that_is_none_is_refused(api: httpx.Client, path: str) -> None:
    assert refused(api.post(path, json={"run_id": "run_abcdef"}))[0] == 404
    assert refused(api.post(path, json={"run_id": "me!"}))[:2] == (422, "id")
    assert refused(api.post(path, json={}))[:2] == (422, "run_id")
    assert refused(api.post(path, json={"run_id": "run_abcdef", "force": True}))[:2] == (422, "force")


@pytest.mark.parametrize("run_id", [str(db.SYSTEM_RUN), "run_000000"])
def test_the_run_of_the_system_is_not_to_be_had(api: httpx.Client, conn: Any, run_id: str) -> None:
    with untouched(conn):
        for path in ("/agent/pause", "/agent/resume", "/agent/cancel"):
            assert refused(api.post(path, json={"run_id": run_id}))[0] == 404
        assert refused(api.get(f"/agent/runs/{run_id}"))[0] == 404
    assert isinstance(events.verify(conn, db.SYSTEM_RUN), events.Verified)


# --------------------------------------------------------------------------------------------------------------- reading


def test_runs_are_listed_and_shown(api: httpx.Client, conn: Any, pause_id: UUID) -> None:
    run_id = pauses.get(conn, pause_id).run_id
    listed = api.get("/agent/runs", params={"status": "live", "for": "priya"}).json()
    assert listed["total"] == 1
    assert (listed["runs"][0]["id"], listed["runs"][0]["waiting_pauses"]) == (str(run_id), 1)
    assert api.get("/agent/runs", params={"for": "otto"}).json() == {"total": 0, "runs": []}
    shown = api.get(f"/agent/runs/{ids.screen_id('run', run_id)}").json()
    assert (shown["status"], shown["pauses"]) == ("awaiting_approval", [str(pause_id)])
    assert refused(api.get("/agent/runs", params={"status": "asleep"}))[:2] == (422, "status")
    assert refused(api.get("/agent/runs", params={"limit": "0"}))[:2] == (422, "limit")
    assert refused(api.get("/agent/runs/run_abcdef"))[0] == 404


def test_what_waits_is_listed_by_whom_it_waits_for(api: httpx.Client, pause_id: UUID) -> None:
    assert api.get("/approvals").json()["approvals"][0]["id"] == str(pause_id)
    assert api.get("/approvals", params={"person": "marta"}).json()["total"] == 1
    assert api.get("/approvals", params={"role": "finance-approver"}).json()["total"] == 0
    assert api.get("/approvals", params={"for": "priya"}).json()["total"] == 1
    past = api.get("/approvals", params={"person": "marta", "offset": 7}).json()
    assert (past["total"], past["approvals"]) == (1, [])
    past = api.get("/agent/runs", params={"for": "priya", "offset": 7}).json()
    assert (past["total"], past["runs"]) == (1, [])
    assert api.get("/agent/runs", params={"for": "otto", "offset": 7}).json() == {"total": 0, "runs": []}


@pytest.mark.parametrize(
    ("path", "field"),
    [("/agent/runs", "for"), ("/approvals", "person"), ("/approvals", "role"), ("/approvals", "for")],
)
def test_a_filter_that_no_database_takes_is_refused(api: httpx.Client, path: str, field: str) -> None:
    assert refused(api.get(path, params={field: "\x00"}))[:2] == (422, field)


def test_a_request_is_one_record_that_says_all(api: httpx.Client, conn: Any, pause_id: UUID) -> None:
    before = api.get(f"/approvals/{ids.screen_id('pause', pause_id)}").json()
    pause = pauses.get(conn, pause_id)
    assert before["proposed_action"] == {
        "tool": "charge_supplier",
        "arguments": {
            "supplier_id": "sup_412",
            "amount": {"amount": "38000.00", "currency": "EUR"},
            "order_ref": "PO-0",
        },
    }
    assert before["authorisation"]["policy_version"] == "fin-approvals-v4"
    assert before["on_expiry"] == "escalate"
    assert (before["digest"], before["intact"], before["decision"]) == (pause.digest, True, None)
    for name in ("run_id", "step", "status", "summary", "explanation", "created_at", "fire_at", "effect_key"):
        assert before[name] is not None
    pauses.approve(conn, pause_id, "marta", surface="tests", reason="Fine.")
    after = api.get(f"/approvals/{pause_id}").json()
    assert (after["status"], after["decision"]["by"], after["decision"]["reason"]) == ("approved", "marta", "Fine.")
    assert after["votes"][0]["surface"] == "tests"
    assert after["execute_by"] is not None
    assert refused(api.get("/approvals/pause_abcdef"))[0] == 404


@pytest.mark.parametrize("how", ["deny", "withdraw", "withdraw_approved", "expire"])
def test_what_may_not_be_done_has_no_time_to_be_done_by(
    api: httpx.Client, conn: Any, pool: db.Pool, pause_id: UUID, how: str
) -> None:
    match how:
        case "deny":
            pauses.deny(conn, pause_id, "marta", surface="tests")
        case "expire":
            for _ in range(2):
                rows.make_due(conn, pause_id)
                Sweeper(pool).run()
        case _:
            if how == "withdraw_approved":
                pauses.approve(conn, pause_id, "marta", surface="tests")
            pauses.withdraw(conn, pause_id, "priya", surface="tests")
    after = api.get(f"/approvals/{pause_id}").json()
    assert after["decision"]["status"] in ("denied", "cancelled", "expired")
    assert after["execute_by"] is None


def test_an_altered_request_is_shown_as_altered(api: httpx.Client, conn: Any, pause_id: UUID) -> None:
    conn.execute("UPDATE pause_content SET document = replace(document, 'Nordholz', 'Nordholtz')")
    shown = api.get(f"/approvals/{pause_id}").json()
    assert (shown["intact"], shown["proposed_action"]) == (False, None)
    assert "Nordholtz" in shown["document"]


def test_the_page_of_documentation_describes_it_with_examples(api: httpx.Client) -> None:
    assert api.get("/docs").status_code == 200
    described = api.get("/openapi.json").json()
    assert described["components"]["schemas"]["Launch"]["examples"][0]["for"] == "priya"
    assert "409" in described["paths"]["/agent/resume"]["post"]["responses"]


# ---------------------------------------------------------------------------------------------------------------- health


def test_a_database_that_only_reads_is_not_healthy_and_is_an_alarm(
    home: Home, conn: Any, caplog: pytest.LogCaptureFixture
) -> None:
    assert home.http.get("/healthz").json() == {"ok": True, "why_not": None}
    assert home.http.get("/readyz").status_code == 200
    conn.execute("ALTER DATABASE placet SET default_transaction_read_only = on")
    try:
        home.house.pool.drain()
        answer = home.http.get("/healthz")
    finally:
        conn.execute("ALTER DATABASE placet RESET default_transaction_read_only")
    assert answer.status_code == 503
    assert "only reads" in answer.json()["why_not"]
    assert any("only reads" in record.getMessage() for record in caplog.records)
    home.house.pool.drain()  # one that is being made meanwhile may still only read; it is let go when it is met
    assert home.office.await_(lambda: home.http.get("/healthz").status_code == 200 or None)


def test_a_database_that_is_away_is_said_and_whether_to_try_again(home: Home, api: httpx.Client) -> None:
    home.house.pool.close()
    status, _, error = refused(api.post("/agent/launch", json=LAUNCH))
    assert status == 503
    assert error is not None
    assert "Nothing was recorded" in error
    assert home.http.get("/readyz").status_code == 503


def test_an_older_schema_is_not_ready(home: Home, conn: Any) -> None:
    with conn.transaction(force_rollback=True):
        pass
    [(name,)] = conn.execute("SELECT max(name) FROM migration").fetchall()
    conn.execute("UPDATE migration SET name = '0000' WHERE name = %s", (name,))
    try:
        answer = home.http.get("/readyz")
    finally:
        conn.execute("UPDATE migration SET name = %s WHERE name = '0000'", (name,))
    assert answer.status_code == 503
    assert "placet migrate" in answer.json()["why_not"]


# ------------------------------------------------------------------------------------------------------------ Slack's door


def knock(
    home: Home, body: bytes, *, stamp: str | None = None, secret: str = SECRET, kind: str = "form"
) -> httpx.Response:
    at = stamp if stamp is not None else str(int(time.time()))
    headers = {
        "Content-Type": {"form": "application/x-www-form-urlencoded", "json": "application/json"}[kind],
        "X-Slack-Request-Timestamp": at,
        "X-Slack-Signature": signature(secret, at, body),
    }
    return home.http.post("/slack/events", content=body, headers=headers)


def click(pause_id: UUID, digest: str, **changed: Any) -> bytes:
    value = ids.encode(ids.Button("test", pause_id, digest[: ids.SHOWN]))
    payload = {
        "type": "block_actions",
        "user": {"id": "U0MARTA", "team_id": "T0ACME"},
        "team": {"id": "T0ACME"},
        "enterprise": None,
        "trigger_id": "1.2",
        "container": {"type": "message", "message_ts": "1.2", "channel_id": "C0BUY"},
        "channel": {"id": "C0BUY"},
        "actions": [{"action_id": ids.ACTION_APPROVE, "block_id": "b", "value": value, "type": "button"}],
    }
    return urlencode({"payload": json.dumps(payload | changed)}).encode()


@pytest.mark.parametrize(
    "how",
    [
        {"secret": "another secret"},
        {"seconds_off": -301},
        {"seconds_off": 400},
        {"stamp": "yesterday"},
        {"stamp": "1" * 5000},
        {"stamp": ""},
    ],
)
def test_what_slack_did_not_sign_just_now_is_refused_and_nothing_is_written(
    home: Home, conn: Any, pause_id: UUID, how: dict[str, Any]
) -> None:
    if "seconds_off" in how:
        how = {"stamp": str(int(time.time()) + how["seconds_off"])}
    pause = pauses.get(conn, pause_id)
    before = len(events.of_run(conn, pause.run_id))
    assert knock(home, click(pause_id, pause.digest), **how).status_code == 401
    assert pauses.get(conn, pause_id) == pause
    assert len(events.of_run(conn, pause.run_id)) == before


@pytest.mark.parametrize("signature_", [b"v0=\xe9", b"", b"v0=" + b"0" * 64])
def test_a_signature_that_is_none_is_refused_without_a_fault(home: Home, signature_: bytes) -> None:
    headers = [(b"X-Slack-Request-Timestamp", str(int(time.time())).encode()), (b"X-Slack-Signature", signature_)]
    assert home.http.post("/slack/events", content=b"payload={}", headers=headers).status_code == 401


def test_a_delivery_that_is_too_large_is_refused_unread_and_nothing_is_written(
    home: Home, conn: Any, pause_id: UUID
) -> None:
    pause = pauses.get(conn, pause_id)
    large = click(pause_id, pause.digest, message={"text": "x" * BYTES})
    assert knock(home, large).status_code == 413
    assert pauses.get(conn, pause_id) == pause


def test_the_same_request_sent_twice_decides_once(home: Home, conn: Any, pause_id: UUID) -> None:
    body = click(pause_id, pauses.get(conn, pause_id).digest)
    assert knock(home, body).status_code == 200
    assert knock(home, body).status_code == 200
    assert len(pauses.get(conn, pause_id).votes) == 1


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"{", "json"),
        (b"[1]", "json"),
        (b"[" * 9000, "json"),
        (b"\xff\xfe", "form"),
        (b"payload={", "form"),
        (b"payload=[1]", "form"),
    ],
)
def test_a_signed_body_that_cannot_be_read_is_refused_without_a_fault(home: Home, body: bytes, kind: str) -> None:
    assert 400 <= knock(home, body, kind=kind).status_code < 500


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"actions": []}, "actions.0.action_id"),
        ({"actions": [None]}, "actions.0.action_id"),
        ({"user": None}, "user.id"),
        ({"trigger_id": None}, "trigger_id"),
        ({"channel": "C0BUY"}, "channel"),
        ({"type": "view_submission"}, "view.id"),
    ],
)
def test_a_signed_click_that_slack_would_not_send_is_refused_and_the_field_is_named(
    home: Home, conn: Any, pause_id: UUID, changed: Json, field: str
) -> None:
    answer = knock(home, click(pause_id, pauses.get(conn, pause_id).digest, **changed))
    assert refused(answer)[0] in {400, 422}
    assert answer.json().get("field", field) == field
    assert pauses.get(conn, pause_id).status == "waiting"


def test_slack_finds_the_door_when_it_is_set_up(home: Home) -> None:
    body = json.dumps({"type": "url_verification", "challenge": "abc"}).encode()
    assert knock(home, body, kind="json").json() == {"challenge": "abc"}
