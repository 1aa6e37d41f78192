"""What Slack hands out for a short while: trigger ids that open one modal, and response URLs.

Kept in memory only: a restart of the workspace ends them, as time would have.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import uuid4

from bot.sandbox.arguments import ApiError

TRIGGER_SECONDS = 3.0
RESPONSE_SECONDS, RESPONSE_USES = 30 * 60.0, 5
KEPT = 4096  # an older ticket is forgotten; that many clicks within 30 minutes is no person


@dataclass(slots=True, kw_only=True)
class Ticket:
    """A thing handed out at `given` for one person in one place, and how often it was used."""

    user: str
    given: float
    channel: str = ""
    """Empty: it came from a modal or a Home tab."""
    ts: str = ""
    """The message that was clicked; empty: there was none."""
    used: int = 0


@dataclass(slots=True, kw_only=True)
class Tickets:
    """All that is handed out by one workspace, judged by its clock (seconds)."""

    clock: Callable[[], float]
    _triggers: dict[str, Ticket] = field(default_factory=dict)
    _responses: dict[str, Ticket] = field(default_factory=dict)

    def give_trigger(self, user: str) -> str:
        """A trigger id: for one modal, within three seconds from now."""
        name = f"{int(self.clock() * 1000)}.{uuid4().hex}"
        return _keep(self._triggers, name, Ticket(user=user, given=self.clock()))

    def give_response(self, user: str, channel: str, ts: str) -> str:
        """The last part of a response URL: five uses, within thirty minutes from now."""
        return _keep(self._responses, uuid4().hex, Ticket(user=user, given=self.clock(), channel=channel, ts=ts))

    def use_trigger(self, name: str) -> str:
        """Spend a trigger id and say whose it was.

        Raises `ApiError`: `invalid_trigger_id`, `exchanged_trigger_id` or `expired_trigger_id`.
        """
        ticket = self._triggers.get(name)
        if ticket is None:
            raise ApiError("invalid_trigger_id")
        if ticket.used:
            raise ApiError("exchanged_trigger_id")
        if self.clock() - ticket.given > TRIGGER_SECONDS:
            raise ApiError("expired_trigger_id")
        ticket.used += 1
        return ticket.user

    def use_response(self, name: str) -> Ticket:
        """Use a response URL once more.

        Raises `ApiError`: `invalid_url`, `used_url` or `expired_url`.
        """
        ticket = self._responses.get(name)
        if ticket is None:
            raise ApiError("invalid_url")
        if ticket.used >= RESPONSE_USES:
            raise ApiError("used_url")
        if self.clock() - ticket.given > RESPONSE_SECONDS:
            raise ApiError("expired_url")
        ticket.used += 1
        return ticket


def _keep(shelf: dict[str, Ticket], name: str, ticket: Ticket) -> str:
    shelf[name] = ticket
    if len(shelf) > KEPT:
        del shelf[next(iter(shelf))]
    return name
