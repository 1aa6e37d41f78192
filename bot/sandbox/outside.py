"""The outside world as one process on loopback: the Slack workspace with its page, the payment provider, the suppliers, the model.

Everything in it is kept in journals under a folder, so that it is there again after any end. `python -m bot.sandbox.outside` takes
its settings from the environment that house.py gives it.
"""

import csv
import fcntl
import os
import socket
from pathlib import Path
from typing import Final

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route

from bot.sandbox.buyer import buyer
from bot.sandbox.journal import Journal
from bot.sandbox.model import Script, model_app
from bot.sandbox.provider import Provider, provider_app
from bot.sandbox.seed import Command, Shortcut
from bot.sandbox.suppliers import Suppliers, suppliers_app
from bot.sandbox.workspace_app import workspace_app

SIGNING_SECRET: Final = "8f742231b10e8888abcd99yyyzzz85a5"  # noqa: S105  of the local workspace alone
BOT_TOKEN: Final = "xoxb-local-workspace"  # noqa: S105
PROVIDER_KEY: Final = "sk_test_placet"
COMMANDS: Final = (
    Command(
        command="/approvals",
        description="What waits for a decision, and the runs behind it",
        usage_hint="[mine | all | role NAME | asked | show PAUSE | runs | run RUN | launch AGENT TASK | pause RUN | resume RUN | cancel RUN | away NAME TIME | back | halt WHY | resume-effects | help]",
    ),
)


SHORTCUTS: Final = (Shortcut(name="What happened here?", callback_id="placet:what_happened"),)


def outside_app(folder: Path, app_url: str, orders: Path, script: Script = buyer) -> Starlette:
    """All of it as one application; `app_url` is where the workspace delivers clicks, `orders` names the suppliers, `script` is the model."""
    folder.mkdir(parents=True, exist_ok=True)
    with orders.open(encoding="utf-8", newline="") as file:
        names = {row["supplier_id"]: row["supplier"] for row in csv.DictReader(file)}
    app = workspace_app(
        journal=folder / "slack.jsonl",
        app_url=app_url,
        signing_secret=SIGNING_SECRET,
        bot_token=BOT_TOKEN,
        commands=COMMANDS,
        shortcuts=SHORTCUTS,
    )
    app.router.routes[:0] = [
        Mount("/stripe", provider_app(Provider(Journal(folder / "provider.jsonl")))),
        Mount("/suppliers", suppliers_app(Suppliers(Journal(folder / "suppliers.jsonl"), names=names))),
        Mount("/anthropic", model_app(script)),
        Route("/_ready", _ready),
    ]
    return app


def _ready(_request: Request) -> JSONResponse:
    return JSONResponse({"ready": True})


def main(script: Script = buyer) -> None:
    """Serve it until told to stop; an earlier one on the same folder, whose demo was killed, is waited for until it is gone."""
    given = os.environ
    folder = Path(given["OUTSIDE_FOLDER"])
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two would write the same journals, and neither know what the other did
        serve(outside_app(folder, given["OUTSIDE_APP_URL"], Path(given["OUTSIDE_ORDERS"]), script))


def serve(app: Starlette) -> None:
    """Serve it on the listening socket that the demo handed to this process."""
    with socket.socket(fileno=int(os.environ["OUTSIDE_SOCKET"])) as page:
        uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)).run(sockets=[page])


if __name__ == "__main__":
    main()
