"""The README keeps its promises: its commands exist, its diagram is the list of legal moves, its code runs, its files are there."""

import re
import shlex
import textwrap
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bot.cli import app
from engine.rules import people, policy_file
from engine.settings import Settings
from engine.tool import Effect
from engine.tools import Agent
from tests.bench import paper
from tests.bot.command_line import placet
from tests.world import world

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return [
        textwrap.dedent(found)
        for found in re.findall(rf"^ *```{language}\n(.*?)^ *```", README, re.DOTALL | re.MULTILINE)
    ]


def commands() -> list[list[str]]:
    """Every call of placet in a shell block, split into words."""
    found = []
    for line in "\n".join(blocks("sh")).splitlines():
        for part in re.split(r"&&|\$\(", line):
            words = shlex.split(part, comments=True)
            if words and words[0].rpartition("/")[2] == "placet":
                found.append(words[1:])
    return found


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_exists_with_its_options(words: list[str]) -> None:
    options = [word for word in words if word.startswith("--")]
    path = [word for word in words if re.fullmatch("[a-z]+", word)]
    result = CliRunner().invoke(app, [path[0], "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
    assert result.exit_code == 0
    if path[0] in ("people", "policy", "audit"):
        assert path[1] in result.output
        result = CliRunner().invoke(app, [*path[:2], "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
        assert result.exit_code == 0
    assert [option for option in options if option not in result.output] == []


def test_the_policy_in_the_readme_can_be_put_in_force() -> None:
    [text, _] = blocks("toml")
    policy = policy_file.check(
        text, people.parse((ROOT / "examples" / "procurement" / "people.toml").read_text("utf-8"))
    )
    needs = {rule.name: rule.need for rule in policy.rules}
    asked = needs["payment"]
    assert needs["questions"].is_question
    assert asked.calendar is not None
    assert (policy.windows, asked.confirm, asked.in_business_hours) == ({"payment": 86_400}, "payment_method", True)


def test_the_action_and_the_cases_in_the_readme_work_with_its_policy(tmp_path: Path) -> None:
    policy, cases = blocks("toml")
    [action] = blocks("json")
    for name, text in (("policy.toml", policy), ("cases.toml", cases), ("action.json", action)):
        (tmp_path / name).write_text(text)
    given = (
        "--policy",
        f"{tmp_path / 'policy.toml'}",
        "--people",
        str(ROOT / "examples" / "procurement" / "people.toml"),
    )
    explained = placet(None, "policy", "explain", f"{tmp_path / 'action.json'}", *given)
    assert (explained.code, "what it needs asks whoever has the role finance-approver" in explained.out) == (
        0,
        True,
    )
    tried = placet(None, "policy", "test", f"{tmp_path / 'cases.toml'}", *given)
    assert (tried.code, "The one case is as expected." in tried.out) == (0, True)


def test_the_two_commands_are_the_ones_that_ci_runs() -> None:
    [first, second] = [line for line in "\n".join(blocks("sh")).splitlines() if line.startswith("python3 -m venv")]
    assert first.endswith("placet demo")
    ci = (ROOT / ".ci" / "run").read_text("utf-8")
    for step in second.split(" && "):
        assert step in ci


def test_the_diagram_is_the_list_of_legal_moves_of_a_request() -> None:
    [diagram] = blocks("mermaid")
    drawn = {
        (a.replace("[*]", "new"), event, b)
        for a, b, event in re.findall(r"^ *(\S+) --> (\S+): (\S+)$", diagram, re.MULTILINE)
    }
    text = (ROOT / "sql" / "transitions.sql").read_text("utf-8")
    listed = {(a, event, b) for a, event, b in re.findall(r"\('pause', *'(\w+)', *'(\w+)', *'(\w+)'", text)}
    assert drawn == listed


def test_the_table_names_every_folder_of_the_house_and_no_other() -> None:
    named = set(re.findall(r"^\| `([a-z/]+)/` \|", README, re.MULTILINE))
    there = {"sql", "examples/procurement"} | {
        f"{top}/{folder.name}"
        for top in ("engine", "bot")
        for folder in (ROOT / top).iterdir()
        if (folder / "__init__.py").exists()
    }
    assert named == there


def test_the_agent_in_the_readme_is_taken_as_it_stands() -> None:
    [code] = blocks("python")
    given: dict[str, Any] = {}
    exec(compile(code, "README.md", "exec"), given)
    agent = given["agent"]
    assert isinstance(agent, Agent)
    charge = agent.tools["charge_supplier"]
    assert set(charge.companions) == {"summary", "quote", "find"}


def test_the_agent_in_the_readme_pays(tmp_path: Path) -> None:
    [code] = blocks("python")
    given: dict[str, Any] = {}
    exec(compile(code, "README.md", "exec"), given)
    charge = given["agent"].tools["charge_supplier"]
    asked = {
        "supplier_id": "sup_412",
        "amount": {"amount": "12.00", "currency": "EUR"},
        "order_ref": "PO-1",
        "why": "It was ordered.",
    }
    bound = charge.bind(asked)
    assert charge.summarise(bound) == "Pay EUR 12.00 to Nordholz Industrial, order PO-1."
    effect = Effect(
        attempt_key="key-1",
        effect_key="run:1:0",
        metadata={"effect_key": "run:1:0"},
        credential="sk_test_placet",
        since=60,
        timeout_s=10,
    )
    with world(tmp_path) as outside:
        receipt = charge.run(bound, effect)
        assert [p["id"] for p in outside.payments("PO-1")] == [receipt["payment_id"]]
        assert charge.companion("find", effect=effect, **bound.values) == receipt


def test_the_environment_it_names_is_what_the_settings_need() -> None:
    exported = set(re.findall(r"\b([A-Z][A-Z_]+)=", "\n".join(blocks("sh"))))
    values = dict.fromkeys(exported, "")
    values |= {
        "DATABASE_URL": "postgresql://placet@localhost/placet", "SLACK_BOT_TOKEN": "xoxb-1234567890", "SLACK_SIGNING_SECRET": "0" * 32,
        "ANTHROPIC_API_KEY": "sk-ant-123456", "PLACET_API_TOKEN": "0" * 64, "PLACET_AGENTS": "examples.procurement.agent",
    }  # fmt: skip
    assert Settings.from_env(values).agents == ("examples.procurement.agent",)


def test_every_file_it_points_to_is_there() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_table_of_trials_names_folders_and_commands_that_are_there() -> None:
    [table] = re.findall(r"^## How it is tried\n(.*?)^## ", README, re.DOTALL | re.MULTILINE)
    rows = re.findall(r"^\| (.+) \| `(tests/\w+)` \| (.*) ?\|$", table, re.MULTILINE)
    assert len(rows) == 12
    for _, folder, command in rows:
        assert (ROOT / folder / "__init__.py").exists()
        if module := re.search(r"python -m (tests[.\w]+)", command):
            path = ROOT / module[1].replace(".", "/")
            assert (path / "__main__.py").exists() or path.with_suffix(".py").exists()
        for variable in re.findall(r"(PLACET_\w+)=", command):
            assert any(variable in file.read_text("utf-8") for file in (ROOT / folder).glob("*.py")), variable


def test_what_it_costs_says_of_every_figure_whether_it_reached_its_bar() -> None:
    _, table, _ = README.split(paper.MARK)
    head, _, *rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in table.strip().splitlines()]
    assert head == tuple(name.strip() for name in paper.HEAD)
    assert len(rows) > 30
    for what, figure, bar, said, _ in rows:
        value = float(figure.split()[0])
        held = (
            {"≥": lambda v, b: v >= b, "≤": lambda v, b: v <= b}[bar[0]](value, float(bar.split()[1])) if bar else None
        )
        assert said == {True: "met", False: "MISSED", None: ""}[held], what
