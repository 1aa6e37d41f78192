"""Slack as unkind as it can be: each fault by name, how it is brought about, how it ends, and what of it people cannot be spared.

Source of the list: the fault script of the local workspace. What lasts (a revoked token, an archived channel) is a state of the workspace;
what passes is met by every call or delivery of the first try.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from tests.bot.office import Json, Office

METHODS: Final = ("chat.postMessage", "chat.update", "chat.postEphemeral", "conversations.open")
"""What delivery calls."""
ALWAYS: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One way of going wrong. `happens` brings it about, `ends` takes it away; without one it stays as it is, for good.

    `hits`: calls of delivery, the deliveries of what people do, or the places where cards stand. `unsure`: what was said for one person alone
    may be said twice, since nobody can look whether it arrived. `hidden`: nothing can be shown in the channel any more.
    """

    happens: Callable[[Office], None]
    ends: Callable[[Office], None] | None = None
    hits: Literal["calls", "deliveries", "places"] = "calls"
    unsure: bool = False
    hidden: bool = False
    over_sockets: bool = False
    unheard: bool = False
    """Whether Slack, and not we, answers who clicks: it warns them that it was not taken, or not in time."""
    pressed_again: bool = False
    """Whether who clicks is told that it was not taken, by Slack or by us, and presses again."""
    unnoticed: frozenset[str] = frozenset()
    """The flows in which nothing happens by which we could learn of it: what was deleted by hand is missed at the next edit."""


def calls(
    kind: str, methods: tuple[str, ...] = METHODS, *, unsure: bool = False, pressed_again: bool = False, **more: Any
) -> Fault:
    """Every first call of these methods goes wrong like this."""
    return Fault(
        happens=lambda office: office.faults(*({"on": one, "kind": kind, "times": ALWAYS, **more} for one in methods)),
        ends=lambda office: office.faults(),
        unsure=unsure,
        pressed_again=pressed_again,
    )


def app(pressed_again: bool = True, *, lasts: bool = False, **change: Any) -> Fault:
    """Slack takes our app like this, until an operator mends it; or for good."""
    before: Json = {"refused": None, "lost_scopes": [], "messages_tab": True, "edit_window_s": None}
    return Fault(
        happens=lambda office: office.change(app="A0PLACET", set=change),
        ends=None
        if lasts
        else lambda office: office.change(app="A0PLACET", set={name: before[name] for name in change}),
        pressed_again=pressed_again,
    )


def delivery(
    kind: str, *, unheard: bool = False, pressed_again: bool = False, over_sockets: bool = False, **more: Any
) -> Fault:
    """What people do reaches us like this."""
    return Fault(
        happens=lambda office: office.faults({"on": "click", "kind": kind, "times": ALWAYS, **more}, {"on": "submit", "kind": kind, "times": ALWAYS, **more}),
        ends=lambda office: office.faults(),
        hits="deliveries",
        unheard=unheard,
        pressed_again=pressed_again,
        over_sockets=over_sockets,
    )  # fmt: skip


def place(*, hidden: bool, **changes: Json) -> Fault:
    """A channel or a person is like this from now on."""

    def happens(office: Office) -> None:
        for name, change in changes.items():
            office.change(**{"channel" if name.startswith("C0") else "user": name, "set": change})

    return Fault(happens=happens, hits="places", hidden=hidden)


def deleted(office: Office) -> None:
    """Somebody deletes all that we wrote in the channel."""
    for message in office.messages("C0BUY"):
        if message["only_for"] is None:
            office.http.post(
                "/slack/api/chat.delete",
                json={"channel": "C0BUY", "ts": message["ts"]},
                headers={"Authorization": "Bearer xoxb-local-token"},
            )


WITHOUT_US: Final = ["U0PRIYA", "U0MARTA", "U0OTTO", "U0INES", "U0JONAS"]
FAULTS: Final[Mapping[str, Fault]] = {
    "none": calls("slow", seconds=0),
    "429 with Retry-After": calls("rate_limited", seconds=1),
    "429 for all methods": calls("rate_limited", ("*",), seconds=1, pressed_again=True),
    "ok: false, ratelimited": calls("error", error="ratelimited"),
    "taken, then the answer lost": calls("drop", unsure=True),
    "lost before it was taken": calls("drop", stored=False),
    "500, taken": calls("status", status=500, stored=True, unsure=True),
    "502, taken": calls("status", status=502, stored=True, unsure=True),
    "503, not taken": calls("status", status=503),
    "504, taken": calls("status", status=504, stored=True, unsure=True),
    "HTML with 200, taken": calls("html", stored=True, unsure=True),
    "internal_error, taken": calls("error", error="internal_error", stored=True, unsure=True),
    "slower than we wait": calls("slow", seconds=0.6, times=2, unsure=True),
    "a click twice": delivery("duplicate"),
    "a click after its warning": delivery("late", unheard=True, pressed_again=True, seconds=0.4),
    "a click lost": delivery("lost", unheard=True, pressed_again=True),
    "disconnect: warning": delivery("disconnect", over_sockets=True, error="warning"),
    "disconnect: refresh_requested": delivery("disconnect", over_sockets=True, error="refresh_requested"),
    "disconnect: too_many_websockets": delivery(
        "disconnect", over_sockets=True, unheard=True, pressed_again=True, error="too_many_websockets"
    ),
    "message_not_found: deleted": Fault(happens=deleted, hits="places", unnoticed=frozenset({"tried in vain"})),
    "cant_update_message": calls("error", ("chat.update",), error="cant_update_message"),
    "edit_window_closed": app(lasts=True, edit_window_s=0, pressed_again=False),
    "msg_too_long": calls("error", ("chat.update",), error="msg_too_long"),
    "is_archived": place(hidden=True, C0BUY={"is_archived": True}),
    "not_in_channel": place(hidden=True, C0BUY={"members": WITHOUT_US}),
    "channel_not_found": place(hidden=True, C0BUY={"members": WITHOUT_US, "is_private": True}),
    "archived, and no DM": place(hidden=True, C0BUY={"is_archived": True}, U0MARTA={"deleted": True}),
    "messages_tab_disabled": app(messages_tab=False),
    "account_inactive": app(refused="account_inactive"),
    "token_revoked": app(refused="token_revoked"),
    "token_expired": app(refused="token_expired"),
    "missing_scope": app(lost_scopes=["chat:write", "im:write"]),
}
