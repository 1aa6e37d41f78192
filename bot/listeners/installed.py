"""The app was removed, or its token revoked: Slack says so once, and is asked at once whether it takes the token still.

An event is no proof: it may be about another token, or come late. What Slack answers then is what /readyz and the log say.
"""

import logging
from typing import Any

from slack_bolt import Ack, App

from bot.listeners.desk import Desk

log = logging.getLogger(__name__)
Json = dict[str, Any]


def register(app: App, desk: Desk) -> None:
    """Listen to both."""

    def gone(ack: Ack, event: Json) -> None:
        ack()
        log.warning("Slack says of our app: %s", event["type"])
        desk.afterwards(desk.courier.slack.auth_test)

    app.event("app_uninstalled")(gone)
    app.event("tokens_revoked")(gone)
