"""`placet demo`: the whole of Placet on this machine, with no account and no key, to click through or, with --auto, to watch.

It starts the house, brings the database up to date, puts the example's people and policy in force, and launches the example's orders.
Started again on the same folder it goes on where it was.
"""

import csv
import hashlib
import re
import signal
import threading
import time
import webbrowser
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Final
from uuid import UUID

import httpx
from rich.console import Console
from rich.markup import escape

from bot.cards.ids import screen_id
from bot.cards.outcomes import told
from bot.cards.phrases import span
from bot.sandbox import story
from bot.sandbox.house import EXAMPLE, CannotStart, House, clear, house
from engine.models import ENDED, RunLine
from engine.rules import people as people_rules
from engine.state import db, pauses, people, policies, runs

FOLDER: Final = Path(".placet/demo")
REQUESTER: Final = "priya"

ANSWER_S: Final = 15 * 60
"""For so long a request waits where people click through the demo: time to read, to try the command line, and to be interrupted."""
STEP_S: Final = 5 * 60
"""For so long it waits with whom it goes to next."""

_ROLES: Final = (
    ("Marta", "U0MARTA", "C0BUY", "approves payments"),
    ("Priya", "U0PRIYA", "D0PRIYA", "asked for the orders, and can withdraw them"),
    ("Otto", "U0OTTO", "D0OTTO", "Marta's manager: asked when Marta does not answer"),
    ("Ines", "U0INES", "C0BUY", "may answer payments up to EUR 10,000, as Marta may"),
    ("Jonas", "U0JONAS", "C0BUY", "a colleague who may not decide"),
    ("Gero", "U0GUEST", "C0BUY", "an outside guest who may not decide"),
)


def run(
    *, auto: bool, fresh: bool = False, folder: Path | None = None, port: int | None = None, open_browser: bool = False
) -> int:
    """Run the demo; its exit code. With `auto`: 0 only if every line of the story is as it must be. Blocks until ^C or the story's end."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=160)  # a log has no edge
    where = folder or (Path(f"{FOLDER}-auto") if auto else FOLDER)
    answer_s, step_s = (story.ANSWER_S, story.STEP_S) if auto else (ANSWER_S, STEP_S)
    try:
        if fresh or (auto and folder is None):
            clear(where)
        with (
            _stopping(),
            house(where.resolve(), port=port, env={}, say=lambda text: console.print(f"  {text} ...")) as home,
        ):
            launched = _open(home, console, answer_s=answer_s, step_s=step_s)
            if auto:
                return story.play(home, launched, partial(launch_order, home), console, resumed=home.resumed)
            _invite(home, launched, console, open_browser=open_browser)
            _watch(home, launched, console)
    except CannotStart as error:
        console.print(f"[red]The demo cannot start.[/red] {escape(str(error))}", highlight=False, soft_wrap=True)
        return 1
    except KeyboardInterrupt:
        console.print(
            f"\nStopped. What happened is kept in {escape(str(where))}; placet demo goes on from there, placet demo --fresh begins anew."
        )
        return 130 if auto else 0
    return 0


def _open(home: House, console: Console, *, answer_s: int, step_s: int) -> dict[str, str]:
    """Bring everything up; the runs' ids by order."""
    began = time.monotonic()
    db.migrate(home.database_url)
    everybody = people_rules.parse((EXAMPLE / "people.toml").read_text("utf-8"))
    with db.connect(home.database_url) as conn:
        people.load(conn, everybody, actor="demo", surface="demo")
        policies.apply(conn, demo_policy(answer_s=answer_s, step_s=step_s), everybody, actor="demo", surface="demo")
    console.print("  Starting the Slack workspace, the payment provider, the suppliers and the model ...")
    home.start_outside()
    console.print("  Starting the bot: web, worker and sweep ...")
    home.start_bot()
    launched = launch_orders(home)
    with db.connect(home.database_url) as conn:
        live = len(launched) - _settled(conn, launched)
    stands = f"{live} of {len(launched)} orders are under way for Priya." if live else all_settled(len(launched))
    console.print(f"  {stands} Ready after {time.monotonic() - began:.1f} s.\n", highlight=False)
    return launched


def _settled(conn: db.Conn, launched: Mapping[str, str]) -> int:
    """How many of the orders have ended."""
    return sum(runs.get(conn, UUID(run_id)).status in ENDED for run_id in launched.values())


def all_settled(orders: int) -> str:
    """That nothing is left to do."""
    return f"All {orders} orders are settled, and nothing waits any more."


def demo_policy(*, answer_s: int, step_s: int) -> str:
    """The example's policy with shorter times, under a name of its own: nobody waits four hours to see what happens then."""
    text = (EXAMPLE / "policy.toml").read_text("utf-8")
    text = re.sub(r"^answer_within = .*$", f'answer_within = "{answer_s}s"', text, flags=re.MULTILINE)
    text = re.sub(r'answer_within = "4h" \}', f'answer_within = "{step_s}s" }}', text)
    mark = hashlib.sha256(text.encode()).hexdigest()[:6]
    return re.sub(r'^version = "(.*)"$', rf'version = "\1-demo-{mark}"', text, flags=re.MULTILINE)


def launch_orders(home: House) -> dict[str, str]:
    """Launch every order of the example over the HTTP API; launched before, it is the same run. Run ids by order."""
    return {ref: launch_order(home, ref) for ref in _orders()}


def launch_order(home: House, ref: str, nth: int = 1) -> str:
    """Launch one, for the nth time; the run's id, which is the same when that is done again."""
    from examples.procurement.agent import agent  # noqa: PLC0415  an agent is loaded when it is needed

    key = f"{agent.name}:{ref}" + (f":{nth}" if nth > 1 else "")
    asked = {"agent": agent.name, "input": _orders()[ref], "for": REQUESTER, "launch_key": key}
    bearer = {"Authorization": f"Bearer {home.token}"}
    answer = httpx.post(f"{home.bot_url}/agent/launch", json=asked, headers=bearer, timeout=10).raise_for_status()
    return str(answer.json()["run_id"])


@cache
def _orders() -> Mapping[str, str]:
    """The example's orders as their runs start from them, by number."""
    from examples.procurement.agent import agent  # noqa: PLC0415  as above

    with (EXAMPLE / "orders.csv").open(encoding="utf-8", newline="") as file:
        return {order.ref: order.text for order in map(agent.read_order, csv.DictReader(file))}


def _invite(home: House, launched: Mapping[str, str], console: Console, *, open_browser: bool) -> None:
    def line(text: str) -> None:
        console.print(text, highlight=False, soft_wrap=True)

    with db.connect(home.database_url) as conn:
        ended = _settled(conn, launched)
    if home.resumed:
        line(
            f"It goes on where it was: {ended} of {len(launched)} orders are settled. placet demo --fresh begins anew.\n"
        )
    line("[bold]Act as each of these people, in a browser window each:[/bold]")
    for name, user, channel, what in _ROLES:
        line(f"  {name:6} {home.page_url}/?as={user}&channel={channel}   {what}")
    line("\n[bold]For the command line and the HTTP API, in another terminal:[/bold]")
    line(f"  export DATABASE_URL='{home.database_url}' PLACET_AGENTS=examples.procurement.agent")
    line(
        f"  export PLACET_URL={home.bot_url} PLACET_API_TOKEN={home.token}   # the API is described at {home.bot_url}/docs"
    )
    if ended < len(launched):
        line(
            "\nA small order is paid without asking. Approve, deny or withdraw the others; a large payment that nobody answers goes to Otto "
            f"after {span(ANSWER_S)}, and counts as not approved after {span(STEP_S)} more."
        )
    line("\n^C stops everything; what happened is kept.\n")
    if open_browser:
        webbrowser.open(f"{home.page_url}/?as=U0MARTA&channel=C0BUY")


def _watch(home: House, launched: Mapping[str, str], console: Console) -> None:
    """Say what becomes of the orders, that all are settled when they are, and bring up again what falls over, until ^C."""
    names = {run_id: ref for ref, run_id in launched.items()}
    seen: dict[str, str] = {}
    told_so = False
    with db.connect(home.database_url) as conn:
        while True:
            for line in reversed(runs.listed(conn, limit=100)):
                ref, now = names.get(str(line.id), screen_id("run", line.id)), _what_holds(conn, line)
                if seen.get(ref) != now:
                    seen[ref] = now
                    console.print(f"  {ref}  {now}", highlight=False, markup=False, soft_wrap=True)
            if not told_so and _settled(conn, launched) == len(launched):
                told_so = True
                anew = "To begin anew: ^C, then placet demo --fresh"
                console.print(f"\n  {all_settled(len(launched))} {anew}\n", highlight=False, soft_wrap=True)
            match home.fallen():
                case "bot":
                    console.print(
                        f"[yellow]  The bot ended by itself; it is started again. Its log: {home.log('bot')}[/yellow]"
                    )
                    home.start_bot()
                case "outside":
                    console.print(
                        f"[yellow]  The outside world ended; it is started again. Its log: {home.log('outside')}[/yellow]"
                    )
                    home.start_outside()
            time.sleep(0.5)


def _what_holds(conn: db.Conn, line: RunLine) -> str:
    """Where a run stands, in the words of its newest request if it has one."""
    if line.last_pause is not None:
        return told(pauses.get(conn, line.last_pause)).text
    return "done without asking" if line.status == "done" else line.status.replace("_", " ")


@contextmanager
def _stopping() -> Iterator[None]:
    """SIGTERM ends the demo as ^C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
