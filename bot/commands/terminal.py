"""What every command shares: how it writes to a terminal, reads a file, reaches the database, and knows a person.

The one rule: text that is not our own is shown with its hidden characters visible, so that nothing in a file or a name can move
the cursor, recolour a line or look like another one.
"""

import getpass
import socket
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from enum import IntEnum
from pathlib import Path
from typing import Annotated, Final, TypeVar

import typer
from rich import box
from rich.console import Console
from rich.progress import Progress, TextColumn
from rich.table import Table
from rich.text import Text

from bot.cards.parts import clock
from bot.cards.seen import one_line, seen, seen_line
from engine import settings
from engine.errors import BadInput
from engine.rules import people as people_rules
from engine.rules import people_sheet
from engine.rules.people import People, Person
from engine.state import db, people

T = TypeVar("T")

SURFACE: Final = "cli"
"""As the record has it, where a command did something."""

_UNSEEN_WIDTH: Final = 200
"""Columns when nobody looks: a pipe or a file has no width, and nothing is cut for it."""


def from_here() -> str:
    """The surface with who is at which machine, as its own system has it: for the record of what changes what others may do."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a container may have no name for its user
        user = "?"
    return f"{SURFACE}:{user}@{socket.gethostname()}"


class Exit(IntEnum):
    """How a command ends, for scripts: done; no way to do it now; asked wrongly; lost or refused; a person must look."""

    DONE = 0
    OUTAGE = 1
    BAD_INPUT = 2
    LOST = 3
    ALARM = 4


As = Annotated[str, typer.Option("--as", metavar="PERSON", help="Who does this: an id, as `placet people` lists them.")]


def plain(text: str) -> str:
    """Text from outside, on one line, with whatever is hidden in it made visible."""
    return seen_line(text).text


def plain_joined(text: str) -> str:
    """Text that people, agents or providers wrote, its lines joined on one."""
    return one_line(text)


def plain_lines(text: str) -> str:
    """The same for text of several lines."""
    return seen(text).text


def say(*sentences: str) -> None:
    """Write sentences, each on a line of its own, whole: the terminal wraps them if it must."""
    for sentence in sentences:
        _console().print(Text(sentence), soft_wrap=True)


def say_data(text: str) -> None:
    """Write something for a program to read, byte for byte."""
    typer.echo(text)


def complain(*sentences: str) -> None:
    """The same on stderr."""
    for sentence in sentences:
        _console(stderr=True).print(Text(sentence), soft_wrap=True)


def table(*columns: str, title: str | None = None) -> Table:
    """A table whose cells wrap and are never cut."""
    made = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold", pad_edge=False)
    for column in columns:
        made.add_column(column, overflow="fold")
    return made


def show(made: Table) -> None:
    """Write a table."""
    _console().print(made)


def heading(text: str) -> None:
    """Write the name of a part."""
    _console().print(Text(f"\n{text}", style="bold"))


def facts(*pairs: tuple[str, str]) -> None:
    """Write names and values, one pair a line; pairs without a value are left out."""
    made = Table.grid(padding=(0, 2))
    made.add_column(style="dim", no_wrap=True)
    made.add_column(overflow="fold")
    for name, value in pairs:
        if value:
            made.add_row(Text(name), Text(value))
    _console().print(made)


def several(number: int, what: str) -> str:
    """A number of things: "1 rule", "2 rules"."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def when(at: datetime | None) -> str:
    """A time as people read it, in UTC; nothing for none."""
    return clock(at) if at else ""


def _console(*, stderr: bool = False) -> Console:
    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = _UNSEEN_WIDTH
    return console


def watched(things: Iterable[T], what: str, *, after_s: float = 1.0, console: Console | None = None) -> Iterator[T]:
    """The things, with a count of them on stderr once it takes longer than `after_s`, if somebody looks at it."""
    began = time.monotonic()
    columns = (TextColumn("{task.description}"), TextColumn("{task.completed:,.0f}"))
    shown = Progress(*columns, console=console or _console(stderr=True), transient=True)
    task = shown.add_task(what, total=None)
    try:
        for count, thing in enumerate(things, 1):
            if shown.console.is_terminal and not shown.live.is_started and time.monotonic() - began >= after_s:
                shown.start()
            shown.update(task, completed=count)
            yield thing
    finally:
        shown.stop()


def read_text(path: Path, most: int | None = None) -> str:
    """A whole file as text, of `most` bytes at most; None: any size.

    Raises BadInput naming it: not there, not a file, not ours to read, too large, empty, or not UTF-8.
    """
    name = plain(str(path))
    try:
        if most is not None and path.stat().st_size > most:
            raise BadInput(name, f"it is larger than {most // 1_000_000} MB, the most that is taken. Split it.")
        data = path.read_bytes()
        text = data.decode()
    except FileNotFoundError:
        raise BadInput(name, "there is no such file. Check the path.") from None
    except IsADirectoryError:
        raise BadInput(name, "it is a folder. Give the file in it.") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadInput(name, f"line {line} is not UTF-8. Save the file as UTF-8 and give it again.") from None
    except OSError as error:
        raise BadInput(name, f"it cannot be read ({error.strerror}).") from None
    if not text.strip():
        raise BadInput(name, "it is empty. Was the right file chosen?")
    return text


def read_people(path: Path) -> People:
    """People as a file has them, CSV if it is called so, else TOML. Raises BadInput, or DocumentFaults with all that is wrong in it."""
    parse = people_sheet.parse if is_sheet(path) else people_rules.parse
    return parse(read_text(path))


def is_sheet(path: Path) -> bool:
    """Whether a file is CSV, by its name."""
    return path.suffix.lower() == ".csv"


@contextmanager
def database() -> Iterator[db.Conn]:
    """A connection to the database that DATABASE_URL names, with the keys of PLACET_SEAL_KEY. Raises Misconfigured without a database."""
    with db.connect(settings.database_url(), keys=settings.seal_keys()) as conn:
        yield conn


def known(everybody: People, person_id: str, field: str) -> Person:
    """The active person with this id. Raises BadInput naming the field."""
    found = everybody.get(person_id)
    if found is None:
        raise BadInput(field, f"nobody has the id {plain(person_id)!r}. `placet people` lists everybody.")
    if not found.active:
        raise BadInput(field, f"{plain(found.name)} ({found.id}) is no longer active.")
    return found


def actor(conn: db.Conn, person_id: str) -> Person:
    """Who does something, by --as. Raises BadInput for nobody, or somebody who has left."""
    return known(people.everybody(conn), person_id, "--as")
