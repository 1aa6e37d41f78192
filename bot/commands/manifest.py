"""`placet manifest`: the Slack app to paste at api.slack.com/apps, for an app that Slack reaches over HTTP or that opens sockets itself.

There is one source, manifest.yml; what is printed is that file, comments and all, with the one difference that there is.
"""

import re
from pathlib import Path
from typing import Annotated, Final

import typer

from bot.commands.terminal import say
from engine.errors import BadInput

app = typer.Typer()

PLACEHOLDER: Final = "https://placet.example.com"
_ADDRESS: Final = re.compile(r"https://[A-Za-z0-9.-]+(:[0-9]{1,5})?")
_PLACES: Final = (Path(__file__).parents[2] / "manifest.yml", Path(__file__).parents[1] / "manifest.yml")
"""In a checkout, and in a wheel."""


@app.command()
def manifest(
    url: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Where Slack reaches you: https://placet.your-company.com.")
    ] = None,
    socket: Annotated[
        bool, typer.Option("--socket", help="Slack cannot reach you: sockets are opened from here.")
    ] = False,
) -> None:
    """Print the manifest of the Slack app: paste it at api.slack.com/apps, under Create New App, From a manifest."""
    if (url is None) != socket:
        raise BadInput(
            "--url", "say either where Slack reaches you, as in --url https://placet.your-company.com, or --socket."
        )
    source = next(place for place in _PLACES if place.is_file()).read_text("utf-8")
    say(over_sockets(source) if url is None else over_http(source, url))


def over_http(source: str, url: str) -> str:
    """The manifest with this address. Raises BadInput if it is none."""
    if not _ADDRESS.fullmatch(address := url.rstrip("/")):
        raise BadInput("--url", "it is no address that Slack can reach. Write https:// and a name, without a path.")
    return source.replace(PLACEHOLDER, address)


def over_sockets(source: str) -> str:
    """The manifest without addresses, and with Socket Mode on."""
    lines = [line for line in source.splitlines(keepends=True) if f": {PLACEHOLDER}" not in line]
    return "".join(lines).replace("socket_mode_enabled: false", "socket_mode_enabled: true")
