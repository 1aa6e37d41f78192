"""What happens to a request, flow by flow: what was before, what happens, and how the row must end. By the engine's verbs and people's clicks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from bot.cards import ids
from bot.main import House
from engine.models import Claim, NewCard
from engine.state import cards, ledger, pauses, runs
from tests import rows
from tests.bot.office import Json, Office, actions_of

TO_DENY: Final = replace(rows.NEED, on_expiry="deny", steps=())
DOUBTFUL: Final = {"text": "paid", "is_error": False}


@dataclass(slots=True, kw_only=True)
class Scene:
    """One request under one flow. `told` is what Slack said to each press."""

    conn: Any
    office: Office
    house: House
    pause_id: UUID
    claim: Claim | None = None
    attempt_id: UUID | None = None
    effect_id: UUID | None = None
    new_id: UUID | None = None

    @property
    def status(self) -> str:
        return pauses.get(self.conn, self.pause_id).status

    @property
    def about(self) -> set[str]:
        """Of what its cards are: the request, the one that took its place, and the effect."""
        return {str(one) for one in (self.pause_id, self.new_id, self.effect_id) if one}

    def message(self, channel: str, action: str) -> Json:
        """The newest message there about this request, or the doubt, that has this button or had it."""
        theirs = [m for m in self.office.messages(channel) if self.about & set(named_by(m))]
        return next(m for m in reversed(theirs) if any(action in actions_of(body) for body in (m, *m["past"])))

    def press(self, user: str, channel: str, action: str) -> Json:
        """Click, and be answered by us or by Slack."""
        return self.office.press(user, self.message(channel, action), action)


def named_by(message: Json) -> list[str]:
    """What the metadata of a message says it is about."""
    payload = (message["metadata"] or {}).get("event_payload") or {}
    return [str(payload[name]) for name in ("pause_id", "effect_id") if name in payload]


Given = Callable[[Any, Office, House], Scene]
Happens = Callable[[Scene], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """`given` makes the request, `happens` is what goes on under the fault, `ends` the statuses that the row may come to.

    `by_click`: it happens by something that a person does in Slack. `private`: something is said to one person alone.
    """

    given: Given
    happens: Happens
    ends: tuple[str, ...]
    by_click: bool = False
    private: bool = False


def asked(conn: Any, office: Office, house: House, **changes: Any) -> Scene:
    [pause_id] = rows.waiting(conn, **changes)
    return Scene(conn=conn, office=office, house=house, pause_id=pause_id)


def to_be_denied(conn: Any, office: Office, house: House) -> Scene:
    return asked(conn, office, house, need=TO_DENY)


def for_later(conn: Any, office: Office, house: House) -> Scene:
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    return asked(
        conn, office, house, cards=(NewCard(kind="approver", dest="channel:C0BUY", not_before=tomorrow), rows.SHOWN[1])
    )


def approved(conn: Any, office: Office, house: House) -> Scene:
    claim, [pause_id] = rows.approved(conn)
    return Scene(conn=conn, office=office, house=house, pause_id=pause_id, claim=claim)


def under_way(conn: Any, office: Office, house: House) -> Scene:
    claim, [pause_id], begun = rows.begun(conn)
    return Scene(
        conn=conn, office=office, house=house, pause_id=pause_id, claim=claim, attempt_id=begun.attempt_id, effect_id=begun.effect_id
    )  # fmt: skip


def doubted(conn: Any, office: Office, house: House) -> Scene:
    scene = under_way(conn, office, house)
    lost(scene)
    return scene


def nothing(_scene: Scene) -> None:
    """It was only asked."""


def approve(scene: Scene) -> Json:
    return scene.press("U0MARTA", "C0BUY", ids.ACTION_APPROVE)


def deny(scene: Scene) -> Json:
    """Press Deny, and submit the form that opens; what Slack said if none did."""
    said = scene.press("U0MARTA", "C0BUY", ids.ACTION_DENY)
    about = ids.encode(ids.Button("test", scene.pause_id, pauses.get(scene.conn, scene.pause_id).digest[: ids.SHOWN]))
    forms = [
        v
        for v in scene.office.views("U0MARTA")
        if v["callback_id"] == ids.CALLBACK_DENY and about in v["private_metadata"]
    ]
    if not forms:
        return said
    reason = {ids.BLOCK_REASON: {ids.ACTION_REASON: {"type": "plain_text_input", "value": "Too dear."}}}
    return scene.office.act("submit", "U0MARTA", view_id=forms[-1]["id"], values=reason)


def withdraw(scene: Scene) -> Json:
    return scene.press("U0PRIYA", "D0PRIYA", ids.ACTION_WITHDRAW)


def tries_in_vain(scene: Scene) -> Json:
    return scene.press("U0JONAS", "C0BUY", ids.ACTION_APPROVE)


def stop(scene: Scene) -> Json:
    return scene.press("U0MARTA", "D0MARTA", ids.ACTION_STOP)


def hour(scene: Scene) -> None:
    """Its time is up, and a sweep comes by."""
    rows.make_due(scene.conn, scene.pause_id)
    assert scene.house.sweeper.run()


def the_hour_of_the_digest(scene: Scene) -> None:
    scene.conn.execute(
        "UPDATE card SET not_before = clock_timestamp() WHERE pause_id = %s AND not_before IS NOT NULL", (scene.pause_id,)
    )  # fmt: skip


def moved(scene: Scene) -> None:
    """The price moved: it is asked anew."""
    assert scene.claim is not None
    new = rows.asked(scene.conn, scene.claim)
    runs.ask(scene.conn, scene.claim, [new], superseded=[scene.pause_id], reason="The price moved.")
    scene.new_id = new.id


def void(scene: Scene) -> None:
    assert scene.claim is not None
    runs.void(scene.conn, scene.claim, [scene.pause_id], "Priya may no longer do payments:write.")


def done(scene: Scene) -> None:
    assert scene.attempt_id is not None
    receipt = {"result": {"payment_id": "pi_1"}}
    ledger.settle(scene.conn, scene.attempt_id, "succeed", receipt=receipt, result=rows.PAID)


def lost(scene: Scene) -> None:
    """The provider's answer is lost: it is in doubt, and asked of who may say."""
    assert scene.attempt_id is not None
    ledger.settle(scene.conn, scene.attempt_id, "doubt", error="no answer", ask=["person:marta", "person:ines"])


def reminded(scene: Scene) -> None:
    run_id = pauses.get(scene.conn, scene.pause_id).run_id
    cards.notify(
        scene.conn, run_id, kind="reminder", dest="channel:C0BUY", pause_id=scene.pause_id, detail={"level": 0}
    )


FLOWS: Final[Mapping[str, Flow]] = {
    "asked": Flow(given=asked, happens=nothing, ends=("waiting",)),
    "approved": Flow(given=asked, happens=approve, ends=("approved",), by_click=True),
    "denied with a reason": Flow(given=asked, happens=deny, ends=("denied",), by_click=True),
    "escalated by DM": Flow(given=asked, happens=hour, ends=("waiting",)),
    "expired": Flow(given=to_be_denied, happens=hour, ends=("expired",)),
    "withdrawn": Flow(given=asked, happens=withdraw, ends=("cancelled",), by_click=True),
    "asked again": Flow(given=approved, happens=moved, ends=("superseded",)),
    "voided": Flow(given=approved, happens=void, ends=("voided",)),
    "executed": Flow(given=under_way, happens=done, ends=("executed",)),
    "in doubt": Flow(given=under_way, happens=lost, ends=("approved",)),
    "doubt answered": Flow(given=doubted, happens=stop, ends=("failed",), by_click=True),
    "reminded": Flow(given=asked, happens=reminded, ends=("waiting",)),
    "in a digest": Flow(given=for_later, happens=the_hour_of_the_digest, ends=("waiting",)),
    "tried in vain": Flow(given=asked, happens=tries_in_vain, ends=("waiting",), by_click=True, private=True),
}
