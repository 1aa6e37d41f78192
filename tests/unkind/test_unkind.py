"""Every fault of Slack, in every flow: in the end the row and every card agree, none stands twice, no decision is lost, and nobody who
clicks is left without an answer in time. What nobody could see is shown elsewhere, or goes on at once.

Time is not waited for but put forward, and the matrix is printed at the end.
"""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

import pytest

from bot.cards import blocks, ids
from bot.delivery import rounds, web
from bot.main import House, assemble
from bot.sandbox.seed import acme
from engine.models import Pause
from engine.state import cards, pauses, people
from tests import rows
from tests.bot.house import settings
from tests.bot.office import APP_TOKEN, Json, Office, actions_of, open_office, text_of
from tests.sandbox.loopback import serving
from tests.unkind.faults import FAULTS, Fault
from tests.unkind.flows import FLOWS, Flow, Scene, named_by
from tests.unkind.printed import CameTo

WITHIN_S: Final = 3.0
ROUNDS: Final = 8
SOCKET: Final = {"slack_app_token": APP_TOKEN, "slack_signing_secret": None}
OPEN: Final = {ids.ACTION_APPROVE, ids.ACTION_DENY, ids.ACTION_RETRY, ids.ACTION_STOP, ids.ACTION_HAPPENED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A workspace, and the bot in it, whose delivery goes when it is told to."""

    office: Office
    house: House

    def reset(self, conn: Any) -> None:
        """The workspace as it was at first, and everybody checked just now."""
        ws, seed = self.office.workspace.state.workspace, acme()
        ws.messages.clear()
        ws.modals.clear()
        ws.app, ws.people = seed.app, {one.id: one for one in seed.people}
        ws.channels = {one.id: one for one in seed.channels}
        self.office.faults()
        for user in ("U0PRIYA", "U0MARTA", "U0OTTO", "U0INES", "U0JONAS"):
            people.checked(conn, "T0ACME", user, None)

    def carry(self) -> None:
        """Say and paint what is due, as a process that has just begun."""
        courier = replace(self.house.courier, slack=self.office.slack)
        while rounds.carry(courier):
            pass

    def carry_all(self, conn: Any) -> None:
        """Until nothing is left, each time after whatever was put off."""
        for _ in range(ROUNDS):
            conn.execute("UPDATE card SET painter_until = NULL, not_before = NULL WHERE tries > 0 AND due")
            conn.execute("UPDATE notice SET sender_until = NULL, not_before = NULL WHERE state = 'due' AND tries > 0")
            self.carry()
            if not cards.undelivered(conn):
                return
        raise AssertionError(f"not delivered after {ROUNDS} rounds")


@contextmanager
def stage(office: Office, db_url: str, **changes: Any) -> Iterator[Stage]:
    house = assemble(settings(office, db_url, **changes))
    try:
        if house.sockets:
            house.sockets.start()
            office.deliver_over_sockets()
        with serving(house.web) as url:
            if not house.sockets:
                office.deliver_to(f"{url}/slack/events")
            yield Stage(office=office, house=house)
    finally:
        if house.sockets:
            house.sockets.stop()
        house.close()


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    with open_office(tmp_path_factory.mktemp("unkind") / "slack.jsonl") as running:
        yield running


@pytest.fixture(scope="module")
def over_http(office: Office, migrated: str) -> Iterator[Stage]:
    with stage(office, migrated) as made:
        yield made


@pytest.fixture
def over_sockets(office: Office, migrated: str) -> Iterator[Stage]:
    link = office.workspace.state.link
    before = link.url
    with stage(office, migrated, **SOCKET) as made:
        office.await_(lambda: office.workspace.state.sockets.open or None)
        yield made
    link.url = before


@pytest.mark.parametrize("name", FAULTS)
def test_whatever_slack_does_rows_and_cards_agree_in_the_end(
    name: str, conn: Any, office: Office, request: pytest.FixtureRequest, unkind: CameTo
) -> None:
    fault = FAULTS[name]
    caplog: pytest.LogCaptureFixture = request.getfixturevalue("caplog")
    if name == "slower than we wait":
        request.getfixturevalue("monkeypatch").setattr(web, "PATIENCE_S", 0.5)
    on: Stage = request.getfixturevalue("over_sockets" if fault.over_sockets else "over_http")
    played = {flow: one for flow, one in FLOWS.items() if one.by_click or fault.hits != "deliveries"}
    on.reset(conn)
    scenes = {flow: one.given(conn, office, on.house) for flow, one in played.items() if flow != "asked"}
    on.carry_all(conn)
    if "asked" in played:
        scenes["asked"] = played["asked"].given(conn, office, on.house)
    wrong = _happen(on, conn, fault, {flow: (played[flow], scene) for flow, scene in scenes.items()})
    on.carry_all(conn)
    messages = [m for m in office.read("/slack/messages")["messages"] if not m["deleted"]]
    for flow, scene in scenes.items():
        wrong[flow] += _disagreements(scene, played[flow], fault, messages) if flow not in fault.unnoticed else []
    unkind(name, {flow: "; ".join(found) or f"{scenes[flow].status}" for flow, found in wrong.items()})
    assert {flow: found for flow, found in wrong.items() if found} == {}
    for alarm in ALARMS.get(name, ()):
        assert alarm in caplog.text
    rows.consistent(conn)


TOKEN: Final = "NOBODY CAN BE ASKED OR TOLD ANYTHING IN SLACK"
ELSEWHERE: Final = "it goes to person:marta by DM"
ALARMS: Final = {
    **dict.fromkeys(("account_inactive", "token_revoked", "token_expired"), (TOKEN,)),
    **dict.fromkeys(("is_archived", "not_in_channel", "channel_not_found"), (ELSEWHERE,)),
    "archived, and no DM": ("NOBODY CAN SEE IT", "since nobody could be shown"),
    **{
        name: (f"waits until an operator mends this (placet doctor says how): {name}",)
        for name in ("messages_tab_disabled", "missing_scope")
    },
}


def _happen(on: Stage, conn: Any, fault: Fault, scenes: dict[str, tuple[Flow, Scene]]) -> dict[str, list[str]]:
    """What happens, under the fault, and the first try to show it; then the fault ends, and who was not heard presses again."""
    found: dict[str, list[str]] = {flow: [] for flow in scenes}
    clicks = {flow: two for flow, two in scenes.items() if two[0].by_click}
    if fault.hits == "places":  # nobody clicks in a channel that is closed to them: it happened just before
        _press(clicks, found, must=True)
    link = on.office.workspace.state.link
    patience, link._patience = link._patience, 0.2 if fault.unheard and not fault.over_sockets else link._patience
    fault.happens(on.office)
    try:
        if fault.hits != "places":
            _press(clicks, found, must=not fault.unheard)
        for flow, (one, scene) in scenes.items():
            if flow not in clicks:
                one.happens(scene)
        on.carry()
    finally:
        link._patience = patience
    if fault.ends:
        fault.ends(on.office)
    until = time.monotonic() + 10
    while (unheard := _unheard(on, clicks)) and time.monotonic() < until:
        if not fault.pressed_again:
            break
        _press(unheard, found, must=False)
    return found


def _unheard(on: Stage, clicks: dict[str, tuple[Flow, Scene]]) -> dict[str, tuple[Flow, Scene]]:
    """Of those who clicked, who neither came to the end of it nor was told anything in private."""
    on.carry()
    told = len(on.office.private("U0JONAS")) + len(on.office.messages("D0JONAS"))
    return {
        flow: (one, scene)
        for flow, (one, scene) in clicks.items()
        if scene.status not in one.ends or (one.private and not told)
    }


def _press(clicks: dict[str, tuple[Flow, Scene]], found: dict[str, list[str]], *, must: bool) -> None:
    for flow, (one, scene) in clicks.items():
        began = time.monotonic()
        said = one.happens(scene)
        took = time.monotonic() - began
        if took > 2 * WITHIN_S:
            found[flow].append(f"a click took {took:.1f} s")
        if must and said != {"ok": True}:
            found[flow].append(f"a click was answered {said}")


# ------------------------------------------------------------------------------------------------------- what must hold


def _disagreements(scene: Scene, flow: Flow, fault: Fault, messages: list[Json]) -> list[str]:
    """What of the row, its cards and what was said is not as it must be."""
    found = []
    now = pauses.get(scene.conn, scene.pause_id)
    if now.status not in flow.ends and not (now.unseen and fault.hidden):
        found.append(f"the row is {now.status}")
    theirs = [m for m in messages if scene.about & set(named_by(m))]
    shown = cards.of_effect(scene.conn, scene.effect_id) if scene.effect_id else []
    if shown and not any(c.state == "live" and c.wanted == c.painted for c in shown):
        found.append("nobody can see what is in doubt")
    for one in filter(None, (scene.pause_id, scene.new_id)):
        pause, of_pause = pauses.get(scene.conn, one), cards.of_pause(scene.conn, one)
        found += filter(None, (_untrue(card, pause, theirs) for card in of_pause))
        if pause.status == "waiting" and not _can_be_seen(pause, of_pause):
            found.append("nobody can see what waits")
        shown += of_pause
    known = {(c.channel, c.ts) for c in shown if c.state == "live"}
    for message in theirs:
        closed = fault.hidden and message["channel"] == "C0BUY"
        if not closed and (message["channel"], message["ts"]) not in known and OPEN & set(actions_of(message)):
            found.append(f"buttons stand on a message that no card knows, in {message['channel']}")
    return found + _twice(flow, fault, theirs, messages)


def _untrue(card: cards.Shown, pause: Pause, messages: list[Json]) -> str | None:
    """What is wrong with a card; None: it shows its pause, or is gone for a reason."""
    if card.state == "gone":
        return None if card.error else f"the card for {card.dest} is gone without a reason"
    if card.wanted != card.painted or card.ts is None:
        return f"the card for {card.dest} shows {card.painted} of {card.wanted}"
    message = next((m for m in messages if (m["channel"], m["ts"]) == (card.channel, card.ts)), None)
    if message is None:
        return f"the card for {card.dest} is not there"
    kind: Any = card.kind
    wanted = blocks.card(pause, kind=kind, level=card.level, env="test", dest=card.dest)
    if message["blocks"] and (actions_of(message), text_of(message["blocks"])) != (
        actions_of({"blocks": wanted.blocks}),
        text_of(wanted.blocks),
    ):
        return f"the card for {card.dest} does not show its pause: {text_of(message['blocks'])[:80]!r}"
    if not message["blocks"] and message["text"][:40] != wanted.text[:40]:
        return f"the short card for {card.dest} does not show its pause"
    return None


def _can_be_seen(pause: Pause, shown: list[cards.Shown]) -> bool:
    return any(c.kind == "approver" and c.level == pause.level and c.state == "live" and c.ts for c in shown)


def _twice(flow: Flow, fault: Fault, theirs: list[Json], messages: list[Json]) -> list[str]:
    """What stands there more than once."""
    marks = Counter(
        (
            m["channel"],
            *named_by(m),
            str(m["metadata"]["event_payload"].get("kind")),
            str(m["metadata"]["event_payload"].get("level")),
        )
        for m in theirs
    )
    found = [f"{count} times in {mark[0]}" for mark, count in marks.items() if count > 1]
    if flow.private:
        said = [m for m in messages if m["only_for"] == "U0JONAS" or m["channel"] == "D0JONAS"]
        most = 2 if fault.unsure or fault.pressed_again or fault is FAULTS["a click twice"] else 1
        if not 1 <= len(said) <= most:
            found.append(f"a private answer was given {len(said)} times")
    return found
