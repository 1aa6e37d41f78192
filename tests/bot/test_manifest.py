"""The Slack app's manifest says what the code does: every command, event and scope, and nothing besides."""

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from bot.cards import ids
from bot.cli import app
from bot.http.slack import PATH
from bot.listeners import commands
from bot.listeners.typed import COMMAND
from bot.sandbox.outside import COMMANDS, SHORTCUTS
from bot.sandbox.slack_api import METHODS
from tests.bot.command_line import placet

Json = dict[str, Any]

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT.parent / "shared" / "data" / "slack-manifest"
MANIFEST: Json = yaml.safe_load((ROOT / "manifest.yml").read_text("utf-8"))


def test_every_command_has_its_listener_and_the_reverse() -> None:
    assert [c["command"] for c in MANIFEST["features"]["slash_commands"]] == [COMMAND]
    hint = MANIFEST["features"]["slash_commands"][0]["usage_hint"]
    assert re.findall(r"[a-z-]+", hint) == list(commands.SUBCOMMANDS)


def test_every_shortcut_has_its_listener_and_the_reverse() -> None:
    offered = [(s["name"], s["callback_id"], s["type"]) for s in MANIFEST["features"]["shortcuts"]]
    assert offered == [(s.name, s.callback_id, "message") for s in SHORTCUTS]
    assert [callback for _, callback, _ in offered] == [ids.SHORTCUT_WHAT_HAPPENED]


def test_the_local_workspace_offers_the_commands_of_the_manifest() -> None:
    offered = [(c.command, c.description, c.usage_hint) for c in COMMANDS]
    described = [(c["command"], c["description"], c["usage_hint"]) for c in MANIFEST["features"]["slash_commands"]]
    assert offered == described


def test_every_event_has_its_listener_and_the_reverse() -> None:
    heard = set(_calls_of("bot/listeners", "event"))
    assert set(MANIFEST["settings"]["event_subscriptions"]["bot_events"]) == heard


def test_the_scopes_are_those_that_the_methods_we_call_take() -> None:
    source = (ROOT / "bot/delivery/web.py").read_text("utf-8")
    called = {text for text in re.findall(r'"([a-z]+(?:\.[a-zA-Z]+)+)"', source) if text in METHODS}
    assert {"chat.postMessage", "chat.update", "views.open", "users.info", "usergroups.users.list"} <= called
    needed = {METHODS[method][1] for method in called} - {""}
    scopes = MANIFEST["oauth_config"]["scopes"]
    assert set(scopes["bot"]) == needed - {"channels:history"} | {"commands"}
    assert set(scopes["bot_optional"]) == {"channels:history", "groups:history", "im:history"}


def test_everything_is_delivered_to_our_one_door() -> None:
    urls = {
        MANIFEST["settings"]["event_subscriptions"]["request_url"],
        MANIFEST["settings"]["interactivity"]["request_url"],
        *(command["url"] for command in MANIFEST["features"]["slash_commands"]),
    }
    assert urls == {f"https://placet.example.com{PATH}"}
    assert MANIFEST["settings"]["interactivity"]["is_enabled"] is True


def printed(*words: str) -> Json:
    """What the command prints, to the letter."""
    said = CliRunner().invoke(app, ["manifest", *words])
    assert said.exit_code == 0, said.output
    shown: Json = yaml.safe_load(said.output)
    return shown


def test_for_slack_over_http_it_has_ones_own_address() -> None:
    shown = printed("--url", "https://placet.acme.test/")
    assert json.dumps(shown).count("https://placet.acme.test/slack/events") == 3
    assert json.loads(json.dumps(shown).replace("placet.acme.test", "placet.example.com")) == MANIFEST


def test_for_sockets_it_has_no_address_and_is_else_the_same() -> None:
    shown = printed("--socket")
    assert shown["settings"].pop("socket_mode_enabled") is True
    expected: Json = json.loads(json.dumps(MANIFEST))
    assert expected["settings"].pop("socket_mode_enabled") is False
    del expected["settings"]["event_subscriptions"]["request_url"], expected["settings"]["interactivity"]["request_url"]
    for command in expected["features"]["slash_commands"]:
        del command["url"]
    assert shown == expected


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--socket", "--url", "https://a.example"),
        ("--url", "http://a.example"),
        ("--url", "https://a.example/slack"),
    ],
)
def test_it_says_what_it_needs_to_know(words: tuple[str, ...]) -> None:
    said = placet(None, "manifest", *words)
    assert (said.code, "--url" in said.err) == (2, True)


def test_people_can_be_written_to_and_have_a_home_tab() -> None:
    home = MANIFEST["features"]["app_home"]
    assert (home["messages_tab_enabled"], home["home_tab_enabled"]) == (True, True)


@pytest.mark.skipif(
    not SCHEMAS.is_dir(), reason=f"SLACK'S MANIFEST SCHEMAS ARE NOT AT {SCHEMAS}: not checked against them"
)
@pytest.mark.parametrize("version", ["1.0.0", "2.0.0"])
def test_slacks_own_schema_takes_it(version: str) -> None:
    schema = json.loads((SCHEMAS / f"manifest.schema.{version}.json").read_text("utf-8"))
    assert faults(MANIFEST, schema, schema) == []
    assert faults(printed("--socket"), schema, schema) == []
    wrong = json.loads(json.dumps(MANIFEST))
    wrong["features"]["slash_commands"][0]["command"] = "approvals"
    wrong["display_information"]["name"] = "x" * 36
    wrong["settings"]["of_tomorrow"] = True
    assert len(faults(wrong, schema, schema)) == 3


def faults(value: Any, rule: Json, root: Json, at: str = "") -> list[str]:
    """What a JSON Schema (the part of draft 7 that these use) finds wrong."""
    if "$ref" in rule:
        target: Any = root
        for step in rule["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        return faults(value, target, root, at)
    if "anyOf" in rule and all(faults(value, one, root, at) for one in rule["anyOf"]):
        return [f"{at}: none of anyOf"]
    kind = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int}.get(rule.get("type", ""))
    if kind and not isinstance(value, kind):
        return [f"{at}: is no {rule['type']}"]
    if "enum" in rule and value not in rule["enum"]:
        return [f"{at}: is none of {rule['enum']}"]
    return _inside(value, rule, root, at)


def _inside(value: Any, rule: Json, root: Json, at: str) -> list[str]:
    match value:
        case str():
            fits = len(value) <= rule.get("maxLength", len(value)) and re.search(rule.get("pattern", ""), value)
            return [] if fits else [f"{at}: too long, or not of the pattern"]
        case list():
            found = [f"{at}: too many"] if len(value) > rule.get("maxItems", len(value)) else []
            return found + [
                f for n, item in enumerate(value) for f in faults(item, rule.get("items", {}), root, f"{at}/{n}")
            ]
        case dict():
            known = rule.get("properties", {})
            found = [f"{at}: lacks {name}" for name in rule.get("required", ()) if name not in value]
            if rule.get("additionalProperties") is False:
                found += [f"{at}: unknown {name}" for name in value.keys() - known.keys()]
            return found + [
                f
                for name in value.keys() & known.keys()
                for f in faults(value[name], known[name], root, f"{at}/{name}")
            ]
    return []


def _calls_of(folder: str, method: str) -> list[str]:
    """The first argument of every `app.<method>("...")` in these files."""
    return [
        node.args[0].value
        for file in (ROOT / folder).glob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == method
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    ]
