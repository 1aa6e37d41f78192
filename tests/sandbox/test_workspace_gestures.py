"""What people do in the local workspace reaches the app signed and shaped as Slack does it, and comes back to the page."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.webhook import WebhookClient

from tests.sandbox.conftest import Clock, Heard, Slack, running_slack

Json = dict[str, Any]


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


CARD: list[Json] = [
    {"type": "section", "block_id": "what", "text": {"type": "mrkdwn", "text": "Pay 1 &lt; 2?"}},
    {
        "type": "actions",
        "block_id": "answer",
        "elements": [
            {"type": "button", "action_id": "approve", "text": plain("Approve"), "value": "p1", "style": "primary"},
            {
                "type": "overflow",
                "action_id": "more",
                "options": [{"text": plain("Details"), "value": "details"}, {"text": plain("Run"), "value": "run"}],
            },
        ],
    },
]
REASON: Json = {
    "type": "modal",
    "callback_id": "deny",
    "private_metadata": "p1",
    "title": plain("Deny"),
    "submit": plain("Deny"),
    "notify_on_close": True,
    "blocks": [
        {
            "type": "input",
            "block_id": "reason",
            "label": plain("Why?"),
            "element": {"type": "plain_text_input", "action_id": "text"},
        },
        {
            "type": "actions",
            "block_id": "more",
            "elements": [{"type": "button", "action_id": "example", "text": plain("Example"), "value": "e1"}],
        },
    ],
}
TYPED: Json = {"reason": {"text": {"type": "plain_text_input", "value": "too dear"}}}


def posted(slack: Slack, channel: str = "C0BUY", **parts: Any) -> str:
    return str(slack.web.chat_postMessage(channel=channel, text="Pay?", blocks=CARD, **parts)["ts"])


def press(slack: Slack, user: str, ts: str, action: str = "approve", **more: Any) -> Json:
    return slack.act("click", user, channel="C0BUY", ts=ts, block_id="answer", action_id=action, **more)


def heard_press(slack: Slack, user: str = "U0MARTA") -> Heard:
    assert press(slack, user, posted(slack)) == {"ok": True}
    return slack.app.next()


def with_modal(slack: Slack, **changes: Any) -> str:
    """A modal opened by a click of Marta's; its id."""
    trigger = heard_press(slack).payload["trigger_id"]
    return str(slack.web.views_open(trigger_id=trigger, view=REASON | changes)["view"]["id"])


def open_views(slack: Slack, user: str = "U0MARTA") -> list[Json]:
    return list(slack.read("/page/state", **{"as": user})["views"])


def refusal(call: Any, **arguments: Any) -> str:
    with pytest.raises(SlackApiError) as caught:
        call(**arguments)
    return str(caught.value.response["error"])


def test_a_click_arrives_signed_and_in_slacks_own_shape(slack: Slack) -> None:
    metadata = {"event_type": "pause", "event_payload": {"id": "p1"}}
    ts = posted(slack, metadata=metadata)
    assert press(slack, "U0MARTA", ts) == {"ok": True}
    heard = slack.app.next()
    click = heard.payload
    assert heard.signed
    assert click["type"] == "block_actions"
    assert click["user"] == {"id": "U0MARTA", "username": "marta", "name": "marta", "team_id": "T0ACME"}
    assert (click["team"]["id"], click["enterprise"], click["channel"]["name"]) == ("T0ACME", None, "purchasing")
    assert click["container"] == {"type": "message", "message_ts": ts, "channel_id": "C0BUY", "is_ephemeral": False}
    (action,) = click["actions"]
    assert (action["action_id"], action["block_id"], action["value"], action["type"]) == (
        "approve",
        "answer",
        "p1",
        "button",
    )
    assert action["action_ts"]
    assert click["message"]["blocks"][0]["text"]["text"] == "Pay 1 &lt; 2?"
    assert click["message"]["metadata"] == metadata
    assert click["state"] == {"values": {}}


def test_an_outsider_shows_by_their_team_alone(slack: Slack) -> None:
    click = heard_press(slack, "U0GUEST").payload
    assert (click["user"]["team_id"], click["team"]["id"]) == ("T0OTHER", "T0ACME")


def test_a_menu_sends_the_option_that_was_picked(slack: Slack) -> None:
    assert press(slack, "U0MARTA", posted(slack), "more", selected_option={"value": "run"}) == {"ok": True}
    assert slack.app.next().payload["actions"][0]["selected_option"] == {"text": plain("Run"), "value": "run"}


def test_a_button_that_an_edit_took_away_can_still_be_clicked(slack: Slack) -> None:
    ts = posted(slack)
    slack.web.chat_update(channel="C0BUY", ts=ts, text="Approved")
    assert press(slack, "U0MARTA", ts) == {"ok": True}
    click = slack.app.next().payload
    assert (click["actions"][0]["value"], click["message"]["text"]) == ("p1", "Approved")


def test_nothing_is_sent_for_a_button_that_never_was_or_a_person_who_is_not_there(slack: Slack) -> None:
    ts = posted(slack, "C0OPS")
    gone = posted(slack)
    slack.web.chat_delete(channel="C0BUY", ts=gone)
    assert "no longer there" in press(slack, "U0MARTA", gone)["warning"]
    for user, action in (("U0MARTA", "unknown"), ("U0GUEST", "approve"), ("U0LEFT", "approve")):
        assert not slack.act("click", user, channel="C0OPS", ts=ts, block_id="answer", action_id=action)["ok"]
    assert slack.app.heard.empty()


def test_an_app_that_does_not_answer_in_time_leaves_a_warning(hasty: Slack) -> None:
    hasty.app.will_hang()
    assert "0.2 seconds passed" in press(hasty, "U0MARTA", posted(hasty))["warning"]
    hasty.app.will_hang()
    assert "operation_timeout" in hasty.act("command", "U0MARTA", channel="C0BUY", text="/approvals")["warning"]
    hasty.app.released.put(None)
    hasty.app.released.put(None)


def test_an_app_that_answers_badly_leaves_a_warning(slack: Slack) -> None:
    slack.app.will_fail(404)
    assert "HTTP 404" in press(slack, "U0MARTA", posted(slack))["warning"]


def test_a_trigger_opens_one_modal(slack: Slack) -> None:
    trigger = heard_press(slack).payload["trigger_id"]
    view = slack.web.views_open(trigger_id=trigger, view=REASON)["view"]
    assert [v["id"] for v in open_views(slack)] == [view["id"]]
    assert refusal(slack.web.views_open, trigger_id=trigger, view=REASON) == "exchanged_trigger_id"
    assert refusal(slack.web.views_open, trigger_id="1.x", view=REASON) == "invalid_trigger_id"


def test_a_trigger_is_good_for_three_seconds(tmp_path: Path) -> None:
    clock = Clock(1_800_000_000.0)
    with running_slack(tmp_path / "j", clock=clock) as slack:
        trigger = heard_press(slack).payload["trigger_id"]
        clock.now += 3.01
        assert refusal(slack.web.views_open, trigger_id=trigger, view=REASON) == "expired_trigger_id"


def test_a_modal_that_breaks_the_rules_does_not_cost_the_trigger(slack: Slack) -> None:
    trigger = heard_press(slack).payload["trigger_id"]
    broken = {name: part for name, part in REASON.items() if name != "submit"}
    assert refusal(slack.web.views_open, trigger_id=trigger, view=broken) == "invalid_arguments"
    assert slack.web.views_open(trigger_id=trigger, view=REASON)["ok"]


def test_a_modal_is_three_deep_at_most_and_its_names_are_unique(slack: Slack) -> None:
    with_modal(slack, external_id="deny-p1")
    assert (
        refusal(
            slack.web.views_push,
            trigger_id=heard_press(slack).payload["trigger_id"],
            view=REASON | {"external_id": "deny-p1"},
        )
        == "duplicate_external_id"
    )
    for _ in range(2):
        slack.web.views_push(trigger_id=heard_press(slack).payload["trigger_id"], view=REASON)
    assert (
        refusal(slack.web.views_push, trigger_id=heard_press(slack).payload["trigger_id"], view=REASON)
        == "push_limit_reached"
    )
    bottom, middle, top = open_views(slack)
    assert slack.act("close", "U0MARTA", view_id=top["id"]) == {"ok": True}
    assert [v["id"] for v in open_views(slack)] == [bottom["id"], middle["id"]]


def test_an_edit_of_a_modal_that_changed_since_is_refused(slack: Slack) -> None:
    name = with_modal(slack, external_id="deny-p1")
    stale = open_views(slack)[0]["hash"]
    slack.web.views_update(external_id="deny-p1", view=REASON | {"title": plain("Deny it")}, hash=stale)
    assert refusal(slack.web.views_update, view_id=name, view=REASON, hash=stale) == "hash_conflict"
    assert refusal(slack.web.views_update, view_id="V0NONE", view=REASON) == "not_found"
    assert open_views(slack)[0]["title"]["text"] == "Deny it"


def test_a_submitted_modal_arrives_with_what_was_typed_and_closes(slack: Slack) -> None:
    name = with_modal(slack)
    assert slack.act("submit", "U0MARTA", view_id=name, values=TYPED) == {"ok": True}
    heard = slack.app.next()
    assert heard.signed
    assert heard.payload["type"] == "view_submission"
    view = heard.payload["view"]
    assert view["state"]["values"]["reason"]["text"]["value"] == "too dear"
    assert (view["id"], view["private_metadata"], view["callback_id"]) == (name, "p1", "deny")
    assert open_views(slack) == []


def test_a_form_with_a_required_field_empty_is_not_sent(slack: Slack) -> None:
    name = with_modal(slack)
    answer = slack.act("submit", "U0MARTA", view_id=name, values={})
    assert answer == {"ok": False, "errors": {"reason": "Please complete this required field."}}
    assert slack.app.heard.empty()


def test_errors_stay_beside_their_field_until_the_next_try(slack: Slack) -> None:
    name = with_modal(slack)
    slack.app.will_answer({"response_action": "errors", "errors": {"reason": "Already approved by Ines."}})
    answer = slack.act("submit", "U0MARTA", view_id=name, values=TYPED)
    assert answer == {"ok": False, "errors": {"reason": "Already approved by Ines."}}
    assert open_views(slack)[0]["errors"] == {"reason": "Already approved by Ines."}
    slack.app.will_fail(500)
    assert "warning" in slack.act("submit", "U0MARTA", view_id=name, values=TYPED)
    assert open_views(slack)[0]["errors"] is None


def test_an_answer_may_replace_stack_or_clear_the_modals(slack: Slack) -> None:
    name = with_modal(slack)
    for action, titles in (("push", ["Deny", "Next"]), ("update", ["Deny", "Next"]), ("clear", [])):
        slack.app.will_answer({"response_action": action, "view": REASON | {"title": plain("Next")}})
        assert slack.act("submit", "U0MARTA", view_id=name, values=TYPED) == {"ok": True}
        assert [v["title"]["text"] for v in open_views(slack)] == titles
        name = open_views(slack)[-1]["id"] if titles else name


@pytest.mark.parametrize(
    "answer",
    [
        {"response_action": "errors", "errors": {"no_such_block": "x"}},
        {"response_action": "update", "view": {"type": "modal", "blocks": []}},
        {"response_action": "explode"},
    ],
)
def test_an_answer_that_is_none_keeps_the_modal_and_warns(slack: Slack, answer: Json) -> None:
    name = with_modal(slack)
    slack.app.will_answer(answer)
    assert "trouble connecting" in slack.act("submit", "U0MARTA", view_id=name, values=TYPED)["warning"]
    assert [v["id"] for v in open_views(slack)] == [name]


def test_a_submit_the_app_did_not_take_keeps_the_modal_and_warns(slack: Slack) -> None:
    name = with_modal(slack)
    slack.app.will_fail(500)
    assert "HTTP 500" in slack.act("submit", "U0MARTA", view_id=name, values=TYPED)["warning"]
    assert [v["id"] for v in open_views(slack)] == [name]


def test_closing_a_modal_is_told_only_when_it_asks_to_know(slack: Slack) -> None:
    name = with_modal(slack)
    slack.act("close", "U0MARTA", view_id=name)
    heard = slack.app.next().payload
    assert (heard["type"], heard["view"]["id"], heard["is_cleared"]) == ("view_closed", name, False)
    slack.act("close", "U0MARTA", view_id=with_modal(slack, notify_on_close=False))
    assert slack.app.heard.empty()


def test_a_click_in_a_modal_carries_the_view_and_no_channel(slack: Slack) -> None:
    name = with_modal(slack)
    clicked = slack.act("click", "U0MARTA", view_id=name, block_id="more", action_id="example", values=TYPED)
    assert clicked == {"ok": True}
    click = slack.app.next().payload
    assert click["container"] == {"type": "view", "view_id": name}
    assert click["view"]["state"]["values"] == TYPED
    assert not click.keys() & {"channel", "message", "response_url"}


def test_nobody_uses_a_modal_of_someone_else(slack: Slack) -> None:
    name = with_modal(slack)
    assert not slack.act("click", "U0INES", view_id=name, block_id="more", action_id="example")["ok"]
    assert not slack.act("submit", "U0INES", view_id=name, values=TYPED)["ok"]
    slack.act("close", "U0INES", view_id=name)
    assert [v["id"] for v in open_views(slack)] == [name]


def test_a_command_arrives_as_a_form_and_its_answer_is_for_the_asker(slack: Slack) -> None:
    slack.app.will_answer({"response_type": "ephemeral", "text": "Nothing waits."})
    assert slack.act("command", "U0MARTA", channel="C0BUY", text="/approvals mine & all") == {"ok": True}
    heard = slack.app.next()
    assert heard.signed
    fields = heard.payload
    assert (fields["command"], fields["text"], fields["user_id"], fields["channel_name"]) == (
        "/approvals",
        "mine & all",
        "U0MARTA",
        "purchasing",
    )
    (said,) = slack.messages("C0BUY")
    assert (said["text"], said["only_for"]) == ("Nothing waits.", "U0MARTA")


def test_a_command_that_fails_says_so_as_slack_does(slack: Slack) -> None:
    slack.app.will_fail(500)
    assert "dispatch_failed" in slack.act("command", "U0MARTA", channel="C0BUY", text="/approvals")["warning"]
    assert "not a valid command" in slack.act("command", "U0MARTA", channel="C0BUY", text="/nothing")["warning"]
    assert "not a valid command" in slack.act("command", "U0GUEST", channel="C0BUY", text="/approvals")["warning"]


def test_a_response_url_speaks_privately_and_changes_what_was_clicked(slack: Slack) -> None:
    click = heard_press(slack).payload
    url = WebhookClient(click["response_url"])
    assert url.send(text="Only for you").status_code == 200
    assert url.send(text="Decided", replace_original=True).status_code == 200
    card, private = slack.messages("C0BUY")
    assert (card["text"], card["blocks"]) == ("Decided", [])
    assert (private["text"], private["only_for"]) == ("Only for you", "U0MARTA")
    assert url.send(delete_original=True).status_code == 200
    assert slack.messages("C0BUY")[0]["deleted"]


def test_a_response_url_is_the_way_to_change_a_private_message(slack: Slack) -> None:
    ts = slack.web.chat_postEphemeral(channel="C0BUY", user="U0MARTA", text="Look", blocks=CARD)["message_ts"]
    assert press(slack, "U0MARTA", ts) == {"ok": True}
    click = slack.app.next().payload
    assert click["container"]["is_ephemeral"]
    assert WebhookClient(click["response_url"]).send(text="Seen", replace_original=True).status_code == 200
    assert slack.messages("C0BUY")[0]["text"] == "Seen"


def test_a_response_url_works_five_times_within_thirty_minutes(tmp_path: Path) -> None:
    clock = Clock(1_800_000_000.0)
    with running_slack(tmp_path / "j", clock=clock) as slack:
        five = WebhookClient(heard_press(slack).payload["response_url"])
        assert [five.send(text="x").status_code for _ in range(6)] == [200] * 5 + [404]
        late = WebhookClient(heard_press(slack).payload["response_url"])
        clock.now += 30 * 60 + 1
        assert json.loads(late.send(text="x").body)["error"] == "expired_url"


def test_opening_the_home_tab_is_an_event_and_publishing_fills_it(slack: Slack) -> None:
    assert slack.act("home", "U0MARTA") == {"ok": True}
    heard = slack.app.next()
    assert heard.signed
    assert (heard.payload["type"], heard.payload["team_id"]) == ("event_callback", "T0ACME")
    event = heard.payload["event"]
    assert (event["type"], event["user"], event["tab"]) == ("app_home_opened", "U0MARTA", "home")
    slack.web.views_publish(user_id="U0MARTA", view={"type": "home", "blocks": CARD})
    home = slack.read("/page/state", **{"as": "U0MARTA"})["home"]
    assert [block["block_id"] for block in home["blocks"]] == ["what", "answer"]
    assert (
        refusal(slack.web.views_publish, user_id="U0MARTA", view={"type": "home", "blocks": []}, hash="old")
        == "hash_conflict"
    )


def test_an_event_that_was_not_taken_comes_again_and_says_so(slack: Slack) -> None:
    slack.app.will_fail(500)
    slack.act("home", "U0MARTA")
    first, again = slack.app.next(), slack.app.next()
    assert first.payload["event_id"] == again.payload["event_id"]
    assert (again.headers["x-slack-retry-num"], again.headers["x-slack-retry-reason"]) == ("1", "http_error")


def test_unread_counts_what_others_said_until_it_is_read(slack: Slack) -> None:
    slack.act("message", "U0JONAS", channel="C0BUY", text="1 < 2 <!channel>")
    posted(slack)

    def unread(user: str) -> int:
        channels = slack.read("/page/state", **{"as": user})["channels"]
        return int(next(c["unread"] for c in channels if c["id"] == "C0BUY"))

    assert (unread("U0MARTA"), unread("U0JONAS")) == (2, 1)
    seen = slack.read("/page/messages", **{"as": "U0MARTA", "channel": "C0BUY"})["messages"]
    assert [m["text"] for m in seen] == ["1 &lt; 2 &lt;!channel&gt;", "Pay?"]
    assert unread("U0MARTA") == 0


def test_a_window_is_told_when_something_it_can_see_changed(slack: Slack) -> None:
    with httpx.stream("GET", f"{slack.url}/page/stream", params={"as": "U0GUEST"}, timeout=5) as stream:
        lines = (line for line in stream.iter_lines() if line.startswith("data: "))
        before = json.loads(next(lines)[6:])["revision"]
        posted(slack, "C0OPS")
        slack.web.chat_postEphemeral(channel="C0BUY", user="U0MARTA", text="not for guests")
        posted(slack, "C0BUY")
        assert json.loads(next(lines)[6:])["revision"] == before + 3


def test_bad_input_of_the_page_is_refused_with_the_field_named(slack: Slack) -> None:
    assert slack.act("click", "U0NOBODY", block_id="b", action_id="a", channel="C0BUY", ts="1")["error"].startswith(
        "as:"
    )
    assert slack.act("click", "U0MARTA", block_id="b", action_id="a", channel="C0BUY")["error"].startswith("ts:")
    assert slack.act("message", "U0GUEST", channel="C0OPS", text="x")["error"].startswith("channel:")
    assert slack.http.post("/page/home", content='{"as": "U0MARTA"}').status_code == 415
    assert slack.http.post("/slack/change", content='{"user": "U0MARTA", "set": {"deleted": true}}').status_code == 415
    assert slack.http.get("/page/people", headers={"Host": "elsewhere.example"}).status_code == 400


def test_the_page_offers_everyone_but_the_bot(slack: Slack) -> None:
    people = slack.read("/page/people")
    assert [person["id"] for person in people["people"] if person["is_guest"]] == ["U0GUEST"]
    assert [person["id"] for person in people["people"] if person["deleted"]] == ["U0LEFT"]
    assert people["bot"]["id"] == "U0PLACET"
    assert people["commands"][0]["command"] == "/approvals"
