"""What looks like a secret is hidden wherever people read, and in the log; what does not stays as it is."""

import logging
import sys

import pytest

from bot import main
from bot.cards import blocks
from bot.cards.secrets import without_secrets
from bot.cards.seen import SECRET, seen, seen_line
from engine.models import Line
from tests.bot.asked import ENV, content, pause
from tests.bot.painted import read

# Put together here, so that no scanner takes this file for a leak.
BODY = "A1b2C3d4E5f6G7h8J9k0" * 2
SECRETS = {
    "slack": f"xoxb-{BODY}",
    "slack app": f"xapp-1-{BODY}",
    "anthropic": f"sk-ant-api03-{BODY}",
    "stripe": f"sk_live_{BODY}",
    "stripe client secret": f"pi_3PabcdEFGHijklmn_secret_{BODY}",
    "github": f"ghp_{BODY}",
    "aws": "AKIA" + "ABCDEFGH12345678",
    "google": "AIza" + BODY[:35],
    "jwt": f"eyJ{BODY}.eyJ{BODY}.{BODY}",
    "bearer": f"Authorization: Bearer {BODY}",
    "private key": f"-----BEGIN PRIVATE KEY-----\n{BODY}\n{BODY}\n-----END PRIVATE KEY-----",
}


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_hidden_and_said_to_be(name: str) -> None:
    shown = seen(f"Use {SECRETS[name]} for it.")
    assert BODY[:16] not in shown.text
    assert "ABCDEFGH1234" not in shown.text
    assert shown.text.startswith("Use ")
    assert shown.text.endswith(" for it.")
    assert SECRET in shown.warnings
    assert seen_line(SECRETS[name].replace("\n", " ")).warnings


@pytest.mark.parametrize(
    "text",
    [
        "sk-1 of sk-2", "The bearer of good news", "PO-2026-0193", "pi_3PabcdEFGHijklmn", "req_01HXABCDEFGHJKMNPQRSTV", "eyJ is how a JWT begins",
        "DE89 3704 0044 0532 0130 00", "task-force-one and risk-averse people", "https://acme.example/orders?ref=ghp_none", "xox-and-ox",
        "01890a5d-ac96-774b-bcce-b302099a8057", "9f3ca1d2" * 8,
    ],
)  # fmt: skip
def test_what_is_none_stays_as_it_is(text: str) -> None:
    assert without_secrets(text) == text


def test_a_card_and_its_notification_hide_it_and_warn() -> None:
    key = SECRETS["stripe"]
    asked = pause(content(summary=f"Pay with {key}", lines=(Line(label="Note", value=key),), explanation=key))
    card = blocks.card(asked, kind="approver", level=0, env=ENV)
    assert key not in f"{card.payload()}"
    assert "The summary: It holds what looks like a secret, which is hidden here." in read(card.blocks)


def test_the_log_hides_it_in_messages_and_tracebacks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    monkeypatch.setattr(root, "level", root.level)
    main.log_plainly()
    monkeypatch.setattr(root.handlers[0], "stream", sys.stderr)
    log = logging.getLogger("placet.test")
    log.warning("the provider said %s", SECRETS["stripe"])
    try:
        int(SECRETS["github"])
    except ValueError:
        log.exception("it failed")
    said = capsys.readouterr().err
    assert (BODY in said, "sk_live_⟨secret, hidden⟩" in said, "ghp_⟨secret, hidden⟩" in said) == (False, True, True)
