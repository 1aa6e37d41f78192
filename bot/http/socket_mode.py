"""Slack's deliveries over a WebSocket that this process opens: for who has no address that Slack can reach.

Source: docs.slack.dev/apis/events-api/using-socket-mode. The one rule: a socket that gives no sign of life is none. It is given up and another
is opened, and until that stands this process is not ready. A delivery is answered over the socket it came by, or not at all: then Slack tells
who clicked that it was not taken, and what the click decided stands in the rows all the same.
"""

import json
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future, wait
from typing import Any, Final

from slack_bolt import App, BoltRequest
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from bot.delivery.answers import Failure, Refused
from bot.http.slack import unlike_slack
from engine.errors import Misconfigured
from engine.settings import VARIABLES

Json = dict[str, Any]
log = logging.getLogger(__name__)

OPENED_WITHIN_S: Final = 10
SIGN_OF_LIFE_S: Final = 8
"""How often a socket is asked for one, and how long it has for it: a dead one is given up after twice that at most."""
WAITS_S: Final = (1.0, 5.0, 20.0, 60.0)
"""Between one vain try to open a socket and the next: Slack takes one a minute, and more in bursts."""
STEADY_S: Final = 60.0
"""A socket that stood for so long was no vain try."""
LEAVING_S: Final = 20.0
"""How long a socket that Slack wants replaced is still listened to, so that nothing falls between it and the next."""
ANSWERED_WITHIN_S: Final = 3.0
"""For so long Slack waits for an answer."""
_LOOK_S: Final = 0.2
"""How often it is looked whether a socket is to be left."""
_LARGEST: Final = 4 * 1024 * 1024
_MISTAKES: Final = frozenset(
    {"invalid_auth", "not_authed", "not_allowed_token_type", "account_inactive", "token_revoked", "missing_scope"}
)


class SocketMode:
    """Keeps one socket to Slack open. `opens` asks Slack where; `threads` are those in which Bolt answers."""

    def __init__(self, app: App, opens: Callable[[], str | Failure], threads: Executor) -> None:
        self._app, self._opens, self._threads = app, opens, threads
        self._told_to_stop = threading.Event()
        self._lines: list[_Line] = []
        self._under_way: set[Future[None]] = set()
        self._deaf: str | None = "it has not been opened yet"
        self._keeper = threading.Thread(target=self._keep, name="slack-sockets")

    def start(self) -> None:
        """Open it, and keep one open from then on. Raises Misconfigured if Slack takes the token for none; any other fault is waited out."""
        found = self._opens()
        if isinstance(found, Refused) and found.error in _MISTAKES:
            name, what = VARIABLES["slack_app_token"].name, VARIABLES["slack_app_token"].what
            raise Misconfigured([f"Slack does not take {name} ({found.error}). Set it to {what}."])
        self._first = found
        self._keeper.start()

    def stop(self) -> None:
        """Close it, when what came before is answered. What comes meanwhile is not taken, and Slack tells who clicked."""
        self._told_to_stop.set()
        wait(list(self._under_way), timeout=ANSWERED_WITHIN_S)
        while self._keeper.is_alive():  # it may be opening another just now
            for line in list(self._lines):
                line.leave_soon()
                line.wait()
            self._keeper.join(_LOOK_S)

    def unready(self) -> str | None:
        """Why nothing that people do in Slack comes here; None: it does."""
        return (
            None if self._deaf is None else f"Slack's deliveries do not come here: there is no socket ({self._deaf})."
        )

    def _keep(self) -> None:
        vain, found = 0, self._first
        while not self._told_to_stop.is_set():
            if isinstance(found, str):
                vain = 0 if self._stood(found) else vain + 1
            else:
                vain += 1
                self._is_deaf(f"Slack gives no address for one: {found.error}")
            if vain:
                self._told_to_stop.wait(WAITS_S[min(vain, len(WAITS_S)) - 1])
            if not self._told_to_stop.is_set():
                found = self._opens()

    def _stood(self, address: str) -> bool:
        """Open a socket there, and wait until another is needed; whether it was of use."""
        began, line = time.monotonic(), _Line(address, self._take, self._ended)
        self._lines.append(line)
        line.start()
        line.over.wait()
        return line.leaving or time.monotonic() - began > STEADY_S

    def _is_deaf(self, why: str) -> None:
        self._deaf = why
        log.error("%s Another try follows.", self.unready())

    def _ended(self, line: "_Line", why: str) -> None:
        self._lines.remove(line)
        if not self._lines and not self._told_to_stop.is_set():
            self._is_deaf(why)

    def _take(self, line: "_Line", message: Json) -> None:
        match message.get("type"):
            case "hello":
                self._deaf = None
                _say_hello(message.get("num_connections"))
            case "disconnect":
                _told_to_go(line, str(message.get("reason")))
            case _ if "envelope_id" in message and not self._told_to_stop.is_set():
                self._under_way.add(answer := self._threads.submit(self._answer, line, message))
                answer.add_done_callback(self._under_way.discard)

    def _answer(self, line: "_Line", envelope: Json) -> None:
        try:
            answer = self._answered(envelope)
            if answer is not None:
                line.send(answer)
        except WebSocketException:
            log.warning("an answer to Slack could not be sent: its socket is gone. What was decided stands.")
        except Exception:
            log.exception("a delivery of Slack's failed")

    def _answered(self, envelope: Json) -> Json | None:
        """What to answer; None: nothing, and Slack tells who clicked that it was not taken."""
        payload = envelope.get("payload")
        read = BoltRequest(
            mode="socket_mode", body=payload if isinstance(payload, dict) else {}, headers=_headers(envelope)
        )
        if odd := unlike_slack(read.body) if read.body else "payload":
            log.error("delivered by Slack, and not what Slack sends: %s. Nothing was done.", odd)
            return None
        answer = self._app.dispatch(read)
        if answer.status != 200:
            log.error("a delivery of Slack's was answered %s, and is not acknowledged", answer.status)
            return None
        said = answer.body
        is_json = (answer.first_headers().get("content-type") or "").startswith("application/json")
        payload = {"payload": json.loads(said) if is_json else {"text": said}} if said else {}
        return {"envelope_id": envelope["envelope_id"], **payload}


class _Line:
    """One socket, in a thread of its own. `over` is set when another is needed; `leaving`: because Slack asked for one.

    `take` has each message that comes, `ended` is told in the end why it is over.
    """

    def __init__(
        self, address: str, take: Callable[["_Line", Json], None], ended: Callable[["_Line", str], None]
    ) -> None:
        self._address, self._take, self._ended = address, take, ended
        self._thread = threading.Thread(target=self._live, name="slack-socket", daemon=True)
        self._socket: ClientConnection | None = None
        self._leaves_at: float | None = None
        self.over = threading.Event()
        self.leaving = False

    def start(self) -> None:
        """Open it, and hear what comes until it is closed."""
        self._thread.start()

    def send(self, message: Json) -> None:
        """Raises WebSocketException if it is closed."""
        assert self._socket is not None, "only what came over it is answered"
        self._socket.send(json.dumps(message))

    def leave(self) -> None:
        """Go on hearing for a while, and have another opened."""
        self.leaving, self._leaves_at = True, time.monotonic() + LEAVING_S
        self.over.set()

    def leave_soon(self) -> None:
        """Close it within a moment; it was of no use."""
        self._leaves_at = time.monotonic()

    def wait(self) -> None:
        """Wait until it is closed."""
        self._thread.join()

    def _live(self) -> None:
        why = "it was closed"
        try:
            with connect(
                self._address, open_timeout=OPENED_WITHIN_S, ping_interval=SIGN_OF_LIFE_S, ping_timeout=SIGN_OF_LIFE_S, close_timeout=1,
                max_size=_LARGEST, user_agent_header=None,
            ) as socket:  # fmt: skip
                self._socket = socket
                self._hear(socket)
        except (OSError, WebSocketException) as error:
            why = str(error) or type(error).__name__
        finally:
            self._ended(self, why)
            self.over.set()

    def _hear(self, socket: ClientConnection) -> None:
        while self._leaves_at is None or time.monotonic() < self._leaves_at:
            try:
                raw = socket.recv(timeout=_LOOK_S)
            except TimeoutError:
                continue
            self._take(self, _read(raw))


def _read(raw: str | bytes) -> Json:
    """What came over a socket; nothing, said in the log, if it is no JSON object."""
    try:
        message = json.loads(raw)
    except ValueError:
        message = None
    if isinstance(message, dict):
        return message
    log.error("Slack sent something over the socket that is no JSON object: %.100r", raw)
    return {}


def _headers(envelope: Mapping[str, Any]) -> dict[str, str | Sequence[str]]:
    """Which try this is, where Slack would say so over HTTP."""
    number, reason = envelope.get("retry_attempt"), envelope.get("retry_reason")
    return {"x-slack-retry-num": str(number), "x-slack-retry-reason": str(reason)} if number else {}


def _told_to_go(line: _Line, reason: str) -> None:
    """Slack wants a socket replaced, or wants none of ours: socket mode was switched off (link_disabled), or there are ten already."""
    if reason in {"warning", "refresh_requested"}:
        log.info("Slack wants a socket replaced: %s", reason)
        line.leave()
    else:
        log.error("Slack takes no socket of ours: %s", reason)
        line.leave_soon()


def _say_hello(connections: object) -> None:
    if isinstance(connections, int) and connections > 1:
        log.warning(
            "a socket to Slack stands, and Slack counts %d of this app: what people do goes to any of them. That is right only if each is "
            "a process of this database.", connections,
        )  # fmt: skip
    else:
        log.info("a socket to Slack stands")
