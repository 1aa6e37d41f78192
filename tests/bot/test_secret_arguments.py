"""What a tool's author declared secret is done with, and shown to nobody: not by its agent's words, its provider's, or those of who approved it."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal
from uuid import UUID

import pytest

from bot.cards import ids
from bot.cards.ids import screen_id
from bot.sandbox.model import QueueScript, ask, say
from engine import Agent, Effect, Money
from engine.errors import ProviderRefused
from engine.models import Decided
from engine.rules.secrecy import mark
from engine.state import pauses, runs
from tests import database, rows, world
from tests.bot.command_line import placet
from tests.bot.house import API_TOKEN, Home
from tests.bot.office import actions_of, text_of
from tests.engine.workers.desk import Hours

TOKEN = 'the "hüßsche" key\tof 4711 \\ <!channel>'  # no shape that would give it away
AS_WRITTEN = {TOKEN, *(json.dumps(json.dumps(TOKEN, ensure_ascii=a)[1:-1], ensure_ascii=b)[1:-1] for a in (False, True) for b in (False, True)),
              *(json.dumps(TOKEN, ensure_ascii=a)[1:-1] for a in (False, True)), "hüßsche", "h\\u00fc\\u00dfsche", "4711 "}  # fmt: skip
"""The token as it stands in text, in JSON, and in JSON within JSON; and parts that no mark has."""

Came = Literal["paid", "refused", "lost"]


class Vault:
    """An agent whose provider takes a token of its own with each payment. `came`: how the next call ends; `given`: the tokens that came."""

    def __init__(self) -> None:
        self.came: Came = "paid"
        self.given: list[str] = []
        self.agent = Agent("vault", model="claude-sonnet-5", system="Pay.")

        @self.agent.tool(
            action="payment",
            amount="amount",
            payee="supplier_id",
            secret=["token"],
            scopes=["payments:write"],
            timeout="1s",
        )
        def pay(effect: Effect, supplier_id: str, amount: Money, token: str, note: str = "") -> dict[str, object]:
            """Pay with a token."""
            self.given.append(token)
            match self.came:
                case "paid":
                    return {"id": "tr_1", "with": [f"token {token}"], token: 1}
                case "refused":
                    raise ProviderRefused(f"The token {token} is used up.")
            raise TimeoutError(f"no answer to {token}")

        @pay.summary
        def _(supplier_id: str, amount: Money, note: str) -> str:
            return f"Pay {amount} to {supplier_id}: {note}"

        @pay.find
        def _(token: str) -> dict[str, object] | None:
            raise LookupError(f"{token} cannot be looked up")


@pytest.fixture
def vault() -> Vault:
    return Vault()


Run = Callable[..., UUID]


@pytest.fixture
def run(home: Home, conn: Any, tmp_path: Path, vault: Vault) -> Run:
    """Launches a run of that agent and takes it as far as it goes: what it pays, how that is answered, how its call ends."""
    database.apply_policy(conn)

    def go(answer: str | None, came: Came = "paid", amount: str = "38000.00") -> UUID:
        money = {"amount": amount, "currency": "EUR"}
        call = (
            "pay",
            {
                "supplier_id": "sup_412",
                "amount": money,
                "token": TOKEN,
                "note": f"with {TOKEN}",
                "why": f"{TOKEN} is there.",
            },
        )
        twice = ("pay", {"supplier_id": "sup_412", "amount": "nothing", "token": TOKEN, "why": "Again."})
        script = QueueScript(
            [ask(call, twice, saying=f"I pay with {TOKEN}."), say(f"Paid with {TOKEN}."), say("Done.")]
        )
        with world.world(tmp_path, script) as outside:
            means = replace(world.means(home.house.pool, outside, {"vault": vault.agent}), stop=Hours(conn))
            what = vault.agent.launch(input=f"Pay with {TOKEN}.", on_behalf_of="priya")
            run_id, _ = runs.launch(conn, what, actor="priya", surface="tests")
            vault.came = came
            world.work(means)
            for pause_id in runs.get(conn, run_id).pauses if answer else ():
                act = {"approve": pauses.approve, "deny": pauses.deny}[str(answer)]
                more = {"reason": f"No: {TOKEN}"} if answer == "deny" else {}
                assert isinstance(act(conn, pause_id, "marta", surface="tests", **more), Decided)
            if answer:
                world.work(means)
            return run_id

    return go


def told(home: Home, conn: Any, db_url: str, tmp_path: Path) -> dict[str, str]:
    """All that people are told of what there is, by the place where they read it."""
    places = dict[str, str]()
    for one in runs.listed(conn):
        name = screen_id("run", one.id)
        places |= {f"placet show {name} {a}": _cli(db_url, "show", name, *a) for a in ((), ("--json",))}
        places[f"GET /agent/runs/{name}"] = _got(home, f"/agent/runs/{name}")
        for pause_id in runs.get(conn, one.id).pauses:
            places |= _request(home, db_url, screen_id("pause", pause_id))
    places |= {f"placet {args}": _cli(db_url, *args) for args in (("runs",), ("pending",), ("decisions",), ("doubt",))}
    places |= {
        f"audit export {kind}": _exported(db_url, tmp_path / f"export.{kind}", kind) for kind in ("jsonl", "csv")
    }
    places["GET lists"] = _got(home, "/agent/runs") + _got(home, "/approvals")
    return places | _slack(home, conn)


def _request(home: Home, db_url: str, pause: str) -> dict[str, str]:
    """One request, wherever it is read."""
    places = {f"placet show {pause} {a}": _cli(db_url, "show", pause, *a) for a in ((), ("--json",))}
    places[f"GET /approvals/{pause}"] = _got(home, f"/approvals/{pause}")
    for user in ("U0MARTA", "U0PRIYA"):
        shown = home.office.command(user, f"show {pause}")
        places[f"show {pause} ({user})"] = json.dumps(shown, ensure_ascii=False)
        if ids.ACTION_DETAILS in actions_of(shown):
            home.office.press(user, shown, ids.ACTION_DETAILS)
            places[f"Details {pause} ({user})"] = json.dumps(home.office.views(user), ensure_ascii=False)
            for view in home.office.views(user):
                home.office.act("close", user, view_id=view["id"])
    return places


def _slack(home: Home, conn: Any) -> dict[str, str]:
    """Everything that Slack was ever sent, lists and the Home tab included."""
    for user in ("U0MARTA", "U0PRIYA", "U0INES"):
        home.office.act("home", user)
        for text in ("", "all", "asked", "runs", *(f"run {screen_id('run', one.id)}" for one in runs.listed(conn))):
            home.office.command(user, text)
        home.office.await_(partial(home.office.home, user))
    home.calm()
    return {
        "Slack": json.dumps([home.office.read("/slack/calls"), home.office.read("/slack/messages")], ensure_ascii=False)
    }


def _exported(db_url: str, out: Path, kind: str) -> str:
    """The record as it is given out, without what people wrote: the chain covers that, word for word."""
    _cli(db_url, "audit", "export", str(out), "--format", kind)
    return "\n".join(line for line in out.read_text().splitlines() if '"deny"' not in line and ",deny," not in line)


def _cli(db_url: str, *args: str) -> str:
    said = placet(db_url, *args)
    assert said.code in (0, 4), said.err
    return said.out + said.err


def _got(home: Home, path: str) -> str:
    answer = home.http.get(path, headers={"Authorization": f"Bearer {API_TOKEN}"})
    assert answer.status_code == 200, answer.text
    return answer.text


def leaks(places: dict[str, str]) -> dict[str, str]:
    found = {place: next((w for w in AS_WRITTEN if w in text), None) for place, text in places.items()}
    return {
        place: f"…{places[place][max(0, places[place].index(w) - 90) : places[place].index(w) + 30]}…"
        for place, w in found.items()
        if w
    }


def test_nobody_reads_it_anywhere_and_the_tool_is_given_it(  # noqa: PLR0917  one for each place
    home: Home, run: Run, vault: Vault, conn: Any, db_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    held = [
        run(None),
        run("approve"),
        run("approve", "refused"),
        run("deny"),
        run("approve", "lost"),
        run("deny", amount="20000.00"),
    ]
    allowed = run(None, "lost", "640.00")
    assert [runs.get(conn, one).status for one in held] == [
        "awaiting_approval",
        "done",
        "done",
        "done",
        "in_doubt",
        "done",
    ]
    assert runs.get(conn, allowed).status == "in_doubt"
    assert set(vault.given) == {TOKEN}
    assert len(vault.given) == 4
    home.calm()
    places = told(home, conn, db_url, tmp_path) | {"the log": caplog.text}
    assert leaks(places) == {}
    for place, text in places.items():
        if place.startswith(("Details", "show pause", "placet show pause", "GET /approvals/")):
            assert mark(TOKEN) in text, place


def test_a_loser_is_told_the_reason_without_it(home: Home, run: Run, conn: Any) -> None:
    run(None)
    card = home.card("C0BUY")
    run_id = runs.listed(conn)[0].id
    [pause_id] = runs.get(conn, run_id).pauses
    pauses.deny(conn, pause_id, "marta", surface="tests", reason=f"It is {TOKEN}")
    home.office.press("U0MARTA", card, ids.ACTION_APPROVE)
    said = home.private("U0MARTA")
    assert "Already denied by Marta Keller" in said
    assert "It is ⟨secret, hidden" in said
    painted = home.office.await_(
        lambda: next((m for m in home.office.messages("C0BUY") if "Denied by" in text_of(m)), None)
    )
    assert leaks({"card": json.dumps(painted["blocks"], ensure_ascii=False), "answer": said}) == {}


def test_whoever_asks_for_it_in_so_many_words_is_given_it(run: Run, conn: Any, db_url: str, tmp_path: Path) -> None:
    run_id = run("approve")
    pause = screen_id("pause", runs.get(conn, run_id).pauses[0])
    shown = json.loads(placet(db_url, "show", pause, "--json", "--secrets").out)
    assert shown["proposed_action"]["arguments"]["token"] == TOKEN
    for args in (("show", pause, "--secrets"), ("show", screen_id("run", run_id), "--json", "--secrets")):
        assert placet(db_url, *args).code == 2
    masked, whole = tmp_path / "masked.jsonl", tmp_path / "whole.jsonl"
    assert placet(db_url, "audit", "export", str(masked)).code == 0
    assert placet(db_url, "audit", "export", str(whole), "--secrets").code == 0
    left_out = "1 request holds a secret, so its text is not in the export and could not be compared"
    assert (
        left_out in placet(None, "audit", "check", str(masked)).out,
        left_out in placet(None, "audit", "check", str(whole)).out,
    ) == (True, False)
    broken = tmp_path / "broken.jsonl"
    broken.write_text(whole.read_text().replace("4711", "4712"))
    assert placet(None, "audit", "check", str(broken)).code == 4


def test_what_was_cut_off_before_it_was_a_call_is_hidden_whole(conn: Any) -> None:
    claim = rows.claimed(conn)
    cut = {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "toolu_x", "name": "pay", "input": {"token": TOKEN, "n": 1}}],
    }
    runs.fail(conn, claim, "It was cut off.", runs.LastWords(messages=(cut,)))
    [block] = runs.get(conn, claim.id).messages[-1]["content"]
    assert block["input"] == {"token": "⟨secret, hidden⟩", "n": "⟨secret, hidden⟩"}
    assert runs.in_clear(conn, claim.id).messages[-1]["content"] == cut["content"]


def test_the_same_launch_is_the_same_though_its_task_holds_a_secret(home: Home, run: Run, conn: Any) -> None:
    """The task is compared as it is stored, not as it is shown."""
    run_id = run("approve")
    assert runs.in_clear(conn, run_id).input == f"Pay with {TOKEN}."
    assert TOKEN not in runs.get(conn, run_id).input


def test_an_altered_request_tells_it_to_nobody_either(run: Run, conn: Any, db_url: str) -> None:
    run_id = run("approve")
    pause_id = runs.get(conn, run_id).pauses[0]
    conn.execute(
        "UPDATE pause_content SET document = replace(document, 'sup_412', 'sup_413') WHERE pause_id = %s", (pause_id,)
    )
    pause = screen_id("pause", pause_id)
    assert leaks({f"{args}": _cli(db_url, "show", pause, *args) for args in ((), ("--json",))}) == {}


def test_a_tool_that_changed_what_is_secret_is_asked_again() -> None:
    def version(secret: list[str]) -> str:
        mine = Agent("a", model="m", system="s")

        @mine.tool(action="payment", secret=secret)
        def pay(effect: Effect, token: str) -> str:
            """Pay."""
            return token

        return pay.version

    assert version(["token"]) != version([])
