"""The outside world of a dense chaos, as one process: the sandbox's, with a Slack that remembers of its messages only what is asked at the end.

A hundred thousand decisions leave two hundred thousand cards. Kept whole, with all they ever said, they would not fit; so each is read
when it is written, and what is kept is which request it shows, which buttons it has, and whose decisions it has ever told of.
"""

import json
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Mount, Route

from bot.sandbox import buyer, outside
from bot.sandbox.arguments import Args
from bot.sandbox.control_api import control_routes
from bot.sandbox.histories import blocks
from bot.sandbox.journal import Journal
from bot.sandbox.model import Reply, ask, first_text, model_app, say
from bot.sandbox.provider import Provider, provider_app
from bot.sandbox.seed import acme
from bot.sandbox.slack_api import ALL_SCOPES, SlackApi
from bot.sandbox.slack_faults import SlackFault, SlackFaults
from bot.sandbox.suppliers import Suppliers, suppliers_app
from bot.sandbox.wire import Refused
from bot.sandbox.workspace import Workspace
from bot.sandbox.workspace_app import _refused
from tests.chaos import bulk
from tests.chaos.seen import Seen, read

Json = dict[str, Any]
SUPPLIER = "sup_412"


class Unwritten:
    """A journal that keeps nothing: the outside world outlives a chaos."""

    def replay(self) -> Iterator[Json]:
        """Nothing happened before."""
        return iter(())

    def append(self, event: Mapping[str, Any]) -> None:
        """Forget it."""


class Board(Workspace):
    """A workspace whose messages are read as they are written, and not kept."""

    def __init__(self) -> None:
        self.seen: dict[tuple[str, str], Seen] = {}
        super().__init__(acme(), Unwritten(), time.time)  # type: ignore[arg-type]

    def _apply_to_talk(self, event: Json) -> None:
        super()._apply_to_talk(event)
        where = event["channel"], event["ts"]
        message = self.messages[where]
        if event["kind"] == "posted" and message.only_for is not None:
            message.deleted = True  # nobody asks for it again
        elif now := read(message.channel, message.ts, message.body):
            before = self.seen.get(where)
            self.seen[where] = now if before is None else now.after(before)
        message.body = {name: message.body[name] for name in ("metadata", "thread_ts") if name in message.body}
        message.past.clear()


class Unheard(SlackApi):
    """Slack's Web API without a log of its calls."""

    def _note(self, method: str, args: Args, answer: Json | None, fault: SlackFault | None) -> None:
        """Forget it."""


def script(request: Mapping[str, Any]) -> Reply:
    """What the model says: of a list, all of it at once; of an order, what the buyer of the example says."""
    lines = bulk.LINE.findall(first_text(request))
    if not lines:
        return buyer.buyer(request)
    results = [block for message in request["messages"] for block in blocks(message) if block["type"] == "tool_result"]
    if results:
        failed = sum(bool(block.get("is_error")) for block in results)
        return say(f"{len(results) - failed} of {len(results)} were paid.")
    return ask(*(("pay", {"supplier_id": SUPPLIER, "order_ref": ref, "amount": {"amount": amount, "currency": currency},
                          "why": "It is on the list."}) for ref, amount, currency in lines))  # fmt: skip


def outside_app(folder: Path) -> Starlette:
    """All of it as one application."""
    folder.mkdir(parents=True, exist_ok=True)
    board, faults = Board(), SlackFaults()
    api = Unheard(board, faults, outside.BOT_TOKEN, ALL_SCOPES)

    def seen(_request: Request) -> StreamingResponse:
        """A line for each message that shows a request."""
        return StreamingResponse(f"{json.dumps(one.to_document())}\n" for one in list(board.seen.values()))

    return Starlette(
        routes=[
            *api.routes(),
            *control_routes(board, api, faults),
            Route("/slack/seen", seen),
            Mount("/stripe", provider_app(Provider(Journal(folder / "provider.jsonl")))),
            Mount("/suppliers", suppliers_app(Suppliers(Journal(folder / "suppliers.jsonl"), names={}))),
            Mount("/anthropic", model_app(script)),
            Route("/_ready", outside._ready),
        ],
        exception_handlers={Refused: _refused},
    )


def main() -> None:
    """Serve it until told to stop."""
    outside.serve(outside_app(Path(os.environ["OUTSIDE_FOLDER"])))


if __name__ == "__main__":
    main()
