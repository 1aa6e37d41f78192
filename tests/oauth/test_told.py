"""The whole process with an identity server: who is told what, how often, and that no token is anywhere when all is over."""

import json
import logging
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

from bot import main
from bot.cards import ids
from bot.sandbox.buyer import buyer
from engine.errors import Misconfigured
from engine.models import Pause
from engine.state import pauses, runs
from tests import database, world
from tests.bot.house import API_TOKEN, Home, living, settings
from tests.bot.office import Json, Office, open_office, text_of
from tests.oauth.identity import CLIENT, Identity
from tests.oauth.provider import Guarded
from tests.sql.test_schema import _pg_dump

AGENTS = ("tests.oauth.agent",)


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    with open_office(tmp_path / "slack.jsonl") as running:
        yield running


@dataclass(frozen=True)
class Place:
    """The process, its workspace, and the world it works in."""

    home: Home
    outside: world.World
    guarded: Guarded
    conn: Any

    def asked(self, ref: str) -> tuple[UUID, Json]:
        """A run that waits for Marta, and her card."""
        run_id, office = self.launch(ref), self.home.office
        card = office.await_(lambda: next((m for m in office.messages("D0MARTA") if ref in text_of(m)), None), 20)
        return run_id, card

    def launch(self, ref: str, amount: str = "38000.00") -> UUID:
        body = {"agent": "procurement", "input": world.order(ref, amount), "for": "priya", "launch_key": ref}
        launched = self.home.http.post("/agent/launch", json=body, headers={"Authorization": f"Bearer {API_TOKEN}"})
        return UUID(launched.json()["run_id"])

    def approve(self, card: Json) -> None:
        assert self.home.office.press("U0MARTA", card, ids.ACTION_APPROVE) == {"ok": True}

    def told(self, channel: str, *words: str) -> list[str]:
        """The messages there that hold all of these words, once there is one and everything is delivered."""

        def found() -> list[str]:
            texts = [text_of(message) for message in self.home.office.messages(channel)]
            return [text for text in texts if all(one in text for one in words)]

        self.home.office.await_(found, 20)
        self.home.calm()
        return found()

    def pause(self, run_id: UUID) -> Pause:
        return pauses.get(self.conn, runs.get(self.conn, run_id).pauses[-1])


@pytest.fixture
def at(office: Office, db_url: str, conn: Any, tmp_path: Path, identity: Identity) -> Iterator[Place]:
    database.apply_policy(conn)
    key = tmp_path / "key.json"
    key.write_text(json.dumps(identity.key.as_dict(private=True)))
    guarded = Guarded(identity=identity)
    with world.world(tmp_path, buyer, guarded.before) as outside:
        given = settings(
            office, db_url, anthropic_base_url=f"{outside.address}/anthropic", workers=4, agents=AGENTS,
            oauth_issuer=identity.issuer, oauth_client_id=CLIENT, oauth_key_file=str(key),
        )  # fmt: skip
        with living(office, given, main.PARTS) as home:
            yield Place(home, outside, guarded, conn)


WITHDRAWN = (
    "The identity server does not grant this: the consent is missing, was withdrawn or has run out (invalid_grant: grant request "
    "is invalid). Nothing was done. Have it given there, then launch again."
)


def test_a_withdrawn_consent_is_told_once_to_who_asked_and_once_to_who_approved(at: Place, identity: Identity) -> None:
    identity.grant("payments:write")
    run_id, card = at.asked("PO-1")
    identity.withdraw()
    at.approve(card)
    [approver] = at.told("D0MARTA", WITHDRAWN)
    assert f"Approved by Marta Keller (marta), but not carried out: {WITHDRAWN}" in approver
    copy, ended = at.told("D0PRIYA", WITHDRAWN)
    assert f"Approved by Marta Keller (marta), but not carried out: {WITHDRAWN}" in copy
    assert f"The procurement agent could not go on. {WITHDRAWN}" in ended
    pause = at.pause(run_id)
    assert (pause.status, pause.reason, pause.effect_status) == ("voided", WITHDRAWN, None)
    assert at.outside.payments("PO-1") == []


def test_many_payments_at_once_for_one_person_take_no_token_from_each_other(at: Place, identity: Identity) -> None:
    identity.grant("payments:write")
    refs = [f"PO-{n}" for n in range(8)]
    for ref in refs:
        at.launch(ref, "640.00")
    at.home.office.await_(lambda: all(at.outside.payments(ref) for ref in refs), 40)
    assert [len(at.outside.payments(ref)) for ref in refs] == [1] * len(refs)
    assert all(told["active"] for told in at.guarded.told)
    assert len(at.guarded.told) == len(refs)


def dumped(url: str) -> str:
    """Everything that is in the database, as text."""
    conninfo = psycopg.conninfo.conninfo_to_dict(url)
    ran = subprocess.run(
        [_pg_dump(), "--inserts", f"--dbname={psycopg.conninfo.make_conninfo('', **conninfo)}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return ran.stdout


def test_no_token_is_in_any_row_log_line_message_or_card(
    at: Place, identity: Identity, db_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    logging.getLogger("stripe").setLevel(
        logging.WARNING
    )  # as in production: below, the SDK repeats what the provider says
    marta, done = "D0MARTA", "Approved by Marta Keller (marta), and done."
    identity.grant("payments:write")
    at.approve(at.asked("PO-1")[1])
    at.told(marta, done, "PO-1")
    identity.plan("issue", audience="https://books.example")
    at.approve(at.asked("PO-2")[1])
    at.told(marta, "The identity server gave a token for another audience. Nothing was done.")
    identity.control("clear")
    at.guarded.refuses = True  # and says back what it refuses
    at.approve(at.asked("PO-3")[1])
    at.told(marta, "The token [credential] is not for this.")
    at.guarded.refuses = False
    identity.plan("down", times=3, path="/token")
    at.approve(at.asked("PO-4")[1])
    at.told(marta, done, "PO-4")
    _, card = at.asked("PO-5")
    identity.withdraw()
    at.approve(card)
    at.told(marta, WITHDRAWN)
    rows = dumped(db_url)
    said = json.dumps(at.home.office.read("/slack/messages")) + json.dumps(at.home.office.read("/slack/calls"))
    journals = "".join(path.read_text() for path in tmp_path.glob("*.jsonl"))
    for where, part in (("rows", rows), ("messages", said), ("journals", journals)):
        assert "PO-5" in part, where
    assert "stands still, with a call not done" in caplog.text
    tokens = identity.tokens()
    assert len(tokens) > 30
    assert len(identity.opaque()) > 4
    everything = f"{rows}{said}{journals}{caplog.text}"
    assert [one for one in tokens if one in everything or one.rpartition(".")[2] in everything] == []
    assert str(identity.key.as_dict(private=True)["d"]) not in everything
    assert identity.live() == []


def test_a_tool_with_an_audience_and_no_identity_server_is_in_the_one_report(office: Office, db_url: str) -> None:
    given = settings(office, db_url, agents=AGENTS, slack_bot_token="xoxb-wrong-token")
    with pytest.raises(Misconfigured) as caught:
        main.assemble(given, works=True)
    [token, server] = sorted(caught.value.faults, key=lambda fault: "OAUTH" in fault)
    assert "SLACK_BOT_TOKEN" in token
    assert server.startswith("PLACET_OAUTH_ISSUER is not set. Set it to the address of your identity server")
    assert server.endswith(
        ": procurement.charge_supplier names an audience, and cannot do what is approved without it."
    )
