"""The local workspace goes wrong as it is told, comes back from a crash as it was, and refuses a bad script whole."""

import json
import os
import signal
import subprocess
import sys
import urllib.error
from concurrent.futures import ThreadPoolExecutor
from http.client import RemoteDisconnected
from pathlib import Path
from typing import Any

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackRequestError

from bot.sandbox.journal import Journal, JournalBroken
from tests.sandbox.conftest import TOKEN, Slack, running_slack
from tests.sandbox.test_workspace_gestures import CARD, REASON, heard_press, open_views, posted, press


def post(slack: Slack) -> Any:
    return slack.web.chat_postMessage(channel="C0BUY", text="x")


def test_too_many_requests_says_when_to_come_back(slack: Slack) -> None:
    slack.fault("chat.postMessage", "rate_limited", seconds=7)
    with pytest.raises(SlackApiError) as caught:
        post(slack)
    assert (caught.value.response.status_code, caught.value.response.headers["Retry-After"]) == (429, "7")
    assert post(slack)["ok"]
    assert len(slack.messages("C0BUY")) == 1


def test_a_lost_answer_leaves_the_message_there(slack: Slack) -> None:
    slack.fault("chat.postMessage", "drop")
    with pytest.raises((RemoteDisconnected, ConnectionResetError, urllib.error.URLError)):
        post(slack)
    assert len(slack.messages("C0BUY")) == 1
    call = slack.read("/slack/calls")["calls"][-1]
    assert (call["carried_out"], call["ok"], call["fault"]) == (True, False, "drop")


def test_a_client_with_the_default_retries_posts_twice_over_a_lost_answer(slack: Slack) -> None:
    slack.fault("chat.postMessage", "drop")
    WebClient(token=TOKEN, base_url=f"{slack.url}/slack/api/").chat_postMessage(channel="C0BUY", text="x")
    assert len(slack.messages("C0BUY")) == 2


def test_a_request_may_be_lost_before_it_counts(slack: Slack) -> None:
    slack.fault("chat.postMessage", "drop", stored=False)
    with pytest.raises((RemoteDisconnected, ConnectionResetError, urllib.error.URLError)):
        post(slack)
    assert slack.messages("C0BUY") == []


@pytest.mark.parametrize("status", [500, 502, 504])
def test_an_upstream_error_is_no_json(slack: Slack, status: int) -> None:
    slack.fault("*", "status", status=status, times=2)
    for _ in range(2):
        with pytest.raises(SlackApiError) as caught:
            post(slack)
        assert caught.value.response.status_code == status
    assert slack.messages("C0BUY") == []


def test_a_page_of_html_comes_with_200(slack: Slack) -> None:
    slack.fault("chat.postMessage", "html", stored=True)
    with pytest.raises((SlackApiError, SlackRequestError)):
        post(slack)
    assert len(slack.messages("C0BUY")) == 1


def test_any_error_slack_knows_can_be_named(slack: Slack) -> None:
    slack.fault("chat.update", "error", error="edit_window_closed")
    with pytest.raises(SlackApiError) as caught:
        slack.web.chat_update(channel="C0BUY", ts=posted(slack), text="x")
    assert caught.value.response["error"] == "edit_window_closed"


def test_a_slow_answer_comes_after_the_caller_gave_up(slack: Slack) -> None:
    slack.fault("chat.postMessage", "slow", seconds=0.3)
    hasty = WebClient(token=TOKEN, base_url=f"{slack.url}/slack/api/", retry_handlers=[], timeout=0.1)  # type: ignore[arg-type]
    with pytest.raises((TimeoutError, urllib.error.URLError)):
        hasty.chat_postMessage(channel="C0BUY", text="x")
    assert len(slack.messages("C0BUY")) == 1


def test_a_click_can_arrive_twice(slack: Slack) -> None:
    slack.fault("click", "duplicate")
    assert press(slack, "U0MARTA", posted(slack)) == {"ok": True}
    assert slack.app.next().payload == slack.app.next().payload


def test_a_click_can_be_lost(hasty: Slack) -> None:
    hasty.fault("click", "lost")
    assert "0.2 seconds passed" in press(hasty, "U0MARTA", posted(hasty))["warning"]
    assert hasty.app.heard.empty()


def test_a_click_can_arrive_after_its_person_was_warned(hasty: Slack) -> None:
    hasty.fault("click", "late", seconds=0.4)
    assert "0.2 seconds passed" in press(hasty, "U0MARTA", posted(hasty))["warning"]
    assert hasty.app.next().payload["type"] == "block_actions"


def test_a_test_can_wait_for_news_in_place_of_asking_again_and_again(slack: Slack) -> None:
    seen = slack.read("/slack/messages")["revision"]
    with ThreadPoolExecutor() as pool:
        news = pool.submit(slack.read, "/slack/messages", since=str(seen), within="5")
        posted(slack)
        assert [message["text"] for message in news.result()["messages"]] == ["Pay?"]
    now = news.result()["revision"]
    assert slack.read("/slack/messages", since=str(now), within="0.01")["revision"] == now


@pytest.mark.parametrize(
    ("fault", "field"),
    [
        ({"kind": "drop"}, "on"),
        ({"on": "chat.update", "kind": "duplicate"}, "kind"),
        ({"on": "click", "kind": "rate_limited"}, "kind"),
        ({"on": "chat.update", "kind": "drop", "times": 0}, "times"),
        ({"on": "chat.update", "kind": "drop", "times": True}, "times"),
        ({"on": "chat.update", "kind": "drop", "when": "now"}, "when"),
    ],
)
def test_a_bad_script_is_refused_whole(slack: Slack, fault: dict[str, Any], field: str) -> None:
    slack.fault("chat.postMessage", "drop")
    good = {"on": "chat.update", "kind": "drop"}
    answer = slack.http.post("/slack/faults", json={"faults": [good, fault]})
    assert (answer.status_code, answer.json()["error"].split(":")[0]) == (400, field)
    assert [planned["on"] for planned in slack.read("/slack/faults")["faults"]] == ["chat.postMessage"]


def test_a_workspace_that_starts_again_is_as_it_was(tmp_path: Path) -> None:
    journal = tmp_path / "slack.jsonl"
    windows = ("/page/state", "/slack/messages")
    with running_slack(journal) as slack:
        ts = posted(slack)
        slack.web.chat_update(channel="C0BUY", ts=ts, text="Decided", blocks=CARD[:1])
        slack.web.chat_postEphemeral(channel="C0BUY", user="U0MARTA", text="Only you")
        slack.web.chat_postMessage(channel="U0MARTA", text="Direct")
        slack.web.chat_delete(channel="C0BUY", ts=posted(slack))
        slack.web.views_open(trigger_id=heard_press(slack).payload["trigger_id"], view=REASON)
        slack.web.views_publish(user_id="U0MARTA", view={"type": "home", "blocks": CARD})
        slack.read("/page/messages", **{"as": "U0MARTA", "channel": "C0BUY"})
        slack.do("/slack/change", user="U0JONAS", set={"deleted": True})
        slack.do("/slack/change", channel="C0OPS", set={"is_archived": True, "members": ["U0MARTA"]})
        before = [slack.read(window, **{"as": "U0MARTA"}) for window in windows]
    with running_slack(journal) as slack:
        assert [slack.read(window, **{"as": "U0MARTA"}) for window in windows] == before
        assert slack.web.users_info(user="U0JONAS")["user"]["deleted"]
        assert len(open_views(slack)) == 1
        assert press(slack, "U0MARTA", ts) == {"ok": True}


APPENDS_FOREVER = """
import sys
from pathlib import Path
from bot.sandbox.journal import Journal
journal = Journal(Path(sys.argv[1]))
number = 0
while True:
    journal.append({"number": number, "filler": "x" * 5000})
    print(number, flush=True)
    number += 1
"""


def test_what_was_appended_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    command = [sys.executable, "-c", APPENDS_FOREVER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        confirmed = [next(writer.stdout) for _ in range(50)]
        os.kill(writer.pid, signal.SIGKILL)
        confirmed += list(writer.stdout)
    numbers = [event["number"] for event in Journal(path).replay()]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) >= int(confirmed[-1])


def test_a_line_that_a_crash_cut_short_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.write_text('{"number":1}\n{"number":2}\n{"num')
    journal = Journal(path)
    journal.append({"number": 3})
    assert [event["number"] for event in journal.replay()] == [1, 2, 3]


def test_a_journal_that_no_crash_could_have_left_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.write_text(json.dumps({"number": 1}) + "\nnonsense\n" + json.dumps({"number": 2}) + "\n")
    with pytest.raises(JournalBroken, match="line 2"):
        list(Journal(path).replay())
