"""How our token stands with Slack: noted at every answer, and asked again while it is refused. Whoever carries says it once.

While Slack does not take it nothing is carried, since nothing would be taken: all of it stays due, and goes on when it is taken again.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import Final

from bot.delivery.answers import NOT_TAKEN

log = logging.getLogger(__name__)

ASKED_EVERY_S: Final = 15.0
"""How often Slack is asked whether it takes the token again."""

_ANEW: Final = "Install it again (api.slack.com/apps, Install App), put its bot token into SLACK_BOT_TOKEN, and start Placet again."
_WHY: Final[Mapping[str, str]] = {
    "account_inactive": f"The app was removed from the workspace, or the workspace is gone. {_ANEW}",
    "token_revoked": f"The token was revoked. {_ANEW}",
    "token_expired": "The token expired, so token rotation is on for the app, and Placet keeps one token. Rotation cannot be switched off: make the "
    "app anew from manifest.yml, put its bot token into SLACK_BOT_TOKEN and its signing secret into SLACK_SIGNING_SECRET, and start Placet again.",
}
_UNKNOWN: Final = "It is no token of an app. Copy the bot token anew (api.slack.com/apps, OAuth & Permissions), and start Placet again."

_KEPT: Final = "What is decided, due or to be shown is kept, and goes on then."


def what_to_do(error: str) -> str:
    """Why Slack does not take a token, and what an operator does about it."""
    return f"Slack does not take SLACK_BOT_TOKEN ({error}). {_WHY.get(error, _UNKNOWN)}"


class Standing:
    """Of one token. `asks` asks Slack about it, whose answer is heard here as any other. Safe to use from several threads."""

    def __init__(self, asks: Callable[[], object]) -> None:
        self._asks = asks
        self._refused: str | None = None
        self._told: str | None = None
        self._ask_at = 0.0
        self._lock = threading.Lock()

    def heard(self, error: str | None) -> None:
        """Slack answered a call with this error, or with what was asked for (None): with any but a few it has taken the token."""
        refused = error if error in NOT_TAKEN else None
        with self._lock:
            before, self._refused = self._refused, refused
            if refused is not None and before is None:
                self._ask_at = time.monotonic() + ASKED_EVERY_S

    def why_not(self) -> str | None:
        """Why nothing can be shown or said, and what to do; None: Slack takes the token, as far as it has told this process."""
        return None if self._refused is None else what_to_do(self._refused)

    def is_taken(self) -> bool:
        """Whether it is of use to carry anything to Slack; an alarm when it is no more, and asked now and then while it is not."""
        with self._lock:
            asks = self._refused is not None and time.monotonic() >= self._ask_at
            if asks:
                self._ask_at = time.monotonic() + ASKED_EVERY_S
        if asks:
            self._asks()
        with self._lock:
            refused, told = self._refused, self._told
            self._told = refused
        if refused is not None and refused != told:
            log.error("NOBODY CAN BE ASKED OR TOLD ANYTHING IN SLACK: %s %s", what_to_do(refused), _KEPT)
        elif refused is None and told is not None:
            log.warning("Slack takes the token again: what waited is shown and said now")
        return refused is None
