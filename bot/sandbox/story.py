"""`placet demo --auto`: the story, played without a browser by people who click in the local workspace, and checked at its end.

Nothing in the table is written in by hand: what happened is read from the rows, what was paid is counted at the provider, and a line is
right only if both are as the story says. The hours are real, only short.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, Final
from uuid import UUID

from rich import box
from rich.console import Console
from rich.table import Table

from bot.cards.ids import ACTION_WITHDRAW
from bot.sandbox import acts
from bot.sandbox.acts import ENDED, PRIYA, Missed, Stage
from bot.sandbox.house import House
from bot.sandbox.player import NotSeen, Player
from engine.models import Pause, RunRecord
from engine.rules.money import Money, format_money
from engine.state import db, events, ledger, pauses, people, runs

ANSWER_S: Final = 30
"""How long an approver has in the story, in seconds; long enough for a slow machine to click in time."""

STEP_S: Final = 15
"""How long the manager has."""

Order = Callable[[str, int], str]
"""Order something for the nth time, by its number; the run's id, which is the same when it is said again."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What became of one order, by the rows and by the provider."""

    run: RunRecord
    pauses: tuple[Pause, ...]
    paid: tuple[Mapping[str, Any], ...]
    set_aside: bool
    told: str
    attempts: int
    intact: bool


@dataclass(frozen=True, slots=True)
class Line:
    """One order of the story: what people do, how it must end, and in what words."""

    ref: str
    title: str
    act: Callable[[acts.Stage, str], None]
    statuses: tuple[str, ...]
    by: tuple[str | None, ...]
    paid_minor: int | None
    also: Callable[[Facts], bool] = lambda _facts: True
    before_again: Callable[[acts.Stage, str], None] = acts.nothing
    """What has to be put right before it can be ordered again, where its hour passed while the demo was stopped."""


STORY: Final = (
    Line("PO-2026-0187", "under the limit: paid without asking", acts.nothing, (), (), 64_000),
    Line("PO-2026-0193", "over the limit: approved, then paid", acts.approve, ("executed",), ("marta",), 3_800_000),
    Line("PO-2026-0194", "denied with a reason; the agent goes on", acts.deny, ("denied",), ("marta",), None,
         lambda f: "Ask me again in autumn" in f.told and not f.set_aside),
    Line("PO-2026-0195", "raced by two people: one winner", acts.race, ("executed",), ("marta|ines",), 720_000),
    Line("PO-2026-0196", "nobody answers: escalated to the manager, approved there", acts.escalate_and_approve, ("executed",), ("otto",), 2_200_000,
         lambda f: f.pauses[0].level == 1),
    Line("PO-2026-0197", "nobody answers to the end: denied by the clock, released, told", acts.nothing, ("expired",), (None,), None,
         lambda f: f.pauses[0].level == 1 and "Nobody answered" in f.told and not f.set_aside),
    Line("PO-2026-0198", "the quote moved: asked again with was and now", acts.quote_moves, ("superseded", "executed"), ("marta", "marta"), 1_575_000,
         before_again=acts.price_as_listed),
    Line("PO-2026-0199", "withdrawn by the requester", acts.withdraw, ("cancelled",), ("priya",), None, lambda f: not f.set_aside),
    Line("PO-2026-0200", "killed between the provider's yes and our record", acts.crash, ("executed",), ("marta",), 4_125_000,
         lambda f: f.attempts == 1),
)  # fmt: skip


def play(home: House, launched: Mapping[str, str], order: Order, console: Console, *, resumed: bool) -> int:
    """Play it and print what happened; 0 only if every line is as it must be. `resumed`: the demo was stopped before the story's end."""

    def say(text: str) -> None:
        console.print(f"  {text}", highlight=False, soft_wrap=True)

    with Player(home.page_url, patience_s=ANSWER_S + STEP_S + 60) as player, db.connect(home.database_url) as conn:
        stage = Stage(home=home, player=player, conn=conn, say=say, runs=dict(launched), resumed=resumed)
        failures = _act(stage, order)
        facts = {line.ref: _settled(conn, player, line.ref, UUID(stage.runs[line.ref])) for line in STORY}
        names = people.names(conn, ["marta", "ines", "otto", "priya"])
    right = {line.ref: line.ref not in failures and _as_told(line, facts[line.ref]) for line in STORY}
    console.print()
    console.print(_table(facts, names, right))
    for ref, why in failures.items():
        console.print(f"[red]{ref}: {why}[/red]", highlight=False)
    if all(right.values()):
        console.print("Every line is as the story says.")
        return 0
    console.print("[red]Not as the story says.[/red] The logs are in " + str(home.folder / "logs"))
    return 1


def _act(stage: Stage, order: Order) -> dict[str, str]:
    """All acts at once, each in a thread; what failed, by order."""
    failures: dict[str, str] = {}

    def act(line: Line) -> None:
        try:
            for nth in count(2):
                try:
                    line.act(stage, line.ref)
                except Missed:
                    _order_again(stage, line, nth, order)
                else:
                    return
        except Exception as error:  # noqa: BLE001  said in the table, and the story goes on
            failures[line.ref] = str(error)

    threads = {line: threading.Thread(target=act, args=(line,)) for line in STORY}
    for thread in threads.values():
        thread.start()
    quick = [thread for line, thread in threads.items() if line.act not in (acts.crash, acts.escalate_and_approve)]
    for thread in quick:
        thread.join()
    stage.others_done.set()
    for thread in threads.values():
        thread.join()
    return failures


def _order_again(stage: Stage, line: Line, nth: int, order: Order) -> None:
    """Wait until nothing of the run before is left to be answered, and launch the next, unless that was done before the demo was stopped."""
    stage.player.until(f"{line.ref} comes to its end", lambda: _ended(stage.conn, stage.runs[line.ref]))
    everything = [runs.get(stage.conn, one.id) for one in runs.listed(stage.conn, limit=100)]
    if sum(f"order_ref: {line.ref}" in run.input for run in everything) < nth:
        line.before_again(stage, line.ref)
        stage.say(f"{line.ref}: its hour passed while the demo was stopped, so it is ordered again")
    stage.runs[line.ref] = order(line.ref, nth)


def _ended(conn: db.Conn, run_id: str) -> RunRecord | None:
    run = runs.get(conn, UUID(run_id))
    return run if run.status in ENDED else None


def _settled(conn: db.Conn, player: Player, ref: str, run_id: UUID) -> Facts:
    """Wait until the run has ended and its requester was told, and read what became of it."""
    try:
        run = player.until(f"{ref} comes to its end", lambda: _ended(conn, str(run_id)))
        told = player.until(f"Priya is told of {ref}", lambda: _told(player, ref, run))
    except NotSeen:
        run, told = runs.get(conn, run_id), ""
    made = player.get("/stripe/_payments")["payments"]
    held = player.get("/suppliers/allocations")["allocations"]
    return Facts(
        run=run,
        pauses=tuple(pauses.get(conn, pause_id) for pause_id in run.pauses),
        paid=tuple(p for p in made if p["metadata"].get("order_ref") == ref and p["status"] == "succeeded"),
        set_aside=any(a["order_ref"] == ref for a in held),
        told=told,
        attempts=sum(e.attempts for e in ledger.of_run(conn, run_id) if e.tool == "charge_supplier"),
        intact=isinstance(events.verify(conn, run_id), events.Verified),
    )


def _told(player: Player, ref: str, run: RunRecord) -> str | None:
    """What the DM to the requester says of the ended run."""
    start = (run.result or run.error or "")[:40]
    for seen in player.messages(PRIYA, "D0PRIYA"):
        if ref in seen.words and start in seen.words and seen.button(ACTION_WITHDRAW) is None:
            return seen.words
    return None


def _as_told(line: Line, facts: Facts) -> bool:
    statuses = tuple(pause.status for pause in facts.pauses)
    by = tuple(pause.decided_by for pause in facts.pauses)
    expected = [] if line.paid_minor is None else [line.paid_minor]
    return (
        facts.run.status == "done"
        and statuses == line.statuses
        and len(by) == len(line.by)
        and all(who in wanted.split("|") if wanted else who is None for who, wanted in zip(by, line.by, strict=True))
        and [p["amount"] for p in facts.paid] == expected
        and facts.intact
        and line.also(facts)
    )


def _table(facts: Mapping[str, Facts], names: Mapping[str, str], right: Mapping[str, bool]) -> Table:
    table = Table(title="What became of nine orders", title_justify="left", box=box.SIMPLE_HEAD)
    for column in ("order", "what happened", "the request", "who", "payments at the provider", ""):
        table.add_column(column, no_wrap=column == "order")
    for line in STORY:
        found = facts[line.ref]
        who = ", ".join(names.get(p.decided_by or "", p.decided_by or "nobody") for p in found.pauses) or "not asked"
        paid = ", ".join(format_money(Money(p["amount"], p["currency"].upper())) for p in found.paid)
        table.add_row(
            line.ref, line.title, " -> ".join(p.status for p in found.pauses) or "allowed by policy", who,
            f"{len(found.paid)}: {paid}" if paid else "none", "as it must be" if right[line.ref] else "[red]WRONG[/red]",
        )  # fmt: skip
    return table
