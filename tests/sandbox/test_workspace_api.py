"""The Web API of the local workspace, asked by Slack's own client: it answers and refuses as Slack does."""

from pathlib import Path
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError

from bot.sandbox.methods_chat import with_block_ids
from tests.sandbox.conftest import Clock, Slack, running_slack

Json = dict[str, Any]


def section(text: str = "hello") -> Json:
    return {"type": "section", "block_id": "s", "text": {"type": "mrkdwn", "text": text}}


def refusal(call: Any, **arguments: Any) -> str:
    with pytest.raises(SlackApiError) as caught:
        call(**arguments)
    assert caught.value.response.status_code == 200
    return str(caught.value.response["error"])


def test_a_token_says_which_app_it_belongs_to(slack: Slack) -> None:
    who = slack.web.auth_test()
    assert (who["team_id"], who["user_id"], who["bot_id"]) == ("T0ACME", "U0PLACET", "B0PLACET")
    assert "chat:write" in who.headers["x-oauth-scopes"]


def test_a_wrong_token_and_none_are_told_apart(slack: Slack) -> None:
    assert refusal(slack.client("xoxb-wrong").auth_test) == "invalid_auth"
    assert slack.do("/slack/api/auth.test") == {"ok": False, "error": "not_authed"}


def test_a_method_that_is_not_there_is_unknown(slack: Slack) -> None:
    assert refusal(slack.web.api_call, api_method="chat.postMassage") == "unknown_method"


def test_a_scope_that_was_not_granted_is_named(tmp_path: Path) -> None:
    with running_slack(tmp_path / "j", scopes=frozenset({"chat:write"})) as slack:
        with pytest.raises(SlackApiError) as caught:
            slack.web.users_info(user="U0MARTA")
        assert (caught.value.response["error"], caught.value.response["needed"]) == ("missing_scope", "users:read")


def test_a_body_that_is_not_json_is_refused(slack: Slack) -> None:
    headers = {"Authorization": "Bearer xoxb-local", "Content-Type": "application/json"}
    assert slack.http.post("/slack/api/auth.test", content="{", headers=headers).json()["error"] == "invalid_json"
    assert slack.http.post("/slack/api/auth.test", content="[]", headers=headers).json()["error"] == "json_not_object"


def test_a_post_is_read_back_as_slack_writes_it(slack: Slack) -> None:
    posted = slack.web.chat_postMessage(channel="C0BUY", text="a < b & c", blocks=[section("<@U0MARTA> 1 < 2")])
    message = slack.web.conversations_history(channel="C0BUY")["messages"][0]
    assert posted["channel"] == "C0BUY"
    assert message["ts"] == posted["ts"]
    assert message["text"] == "a &lt; b &amp; c"
    assert message["blocks"][0]["text"]["text"] == "<@U0MARTA> 1 &lt; 2"
    assert (message["user"], message["bot_id"], message["app_id"]) == ("U0PLACET", "B0PLACET", "A0PLACET")


def test_echoing_what_was_read_makes_plain_text_no_longer_a_second_time(slack: Slack) -> None:
    posted = slack.web.chat_postMessage(channel="C0BUY", text="a & b")
    again = slack.web.chat_update(channel="C0BUY", ts=posted["ts"], text=posted["message"]["text"])
    assert again["text"] == "a &amp; b"


def test_no_two_messages_share_a_timestamp_even_when_the_clock_stands(tmp_path: Path) -> None:
    with running_slack(tmp_path / "j", clock=Clock(1_800_000_000.0)) as slack:
        stamps = [slack.web.chat_postMessage(channel="C0BUY", text="x")["ts"] for _ in range(5)]
    assert stamps == sorted(set(stamps))


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"channel": "C0NONE", "text": "x"}, "channel_not_found"),
        ({"channel": "D0MARTA", "text": "x"}, "channel_not_found"),
        ({"channel": "U0LEFT", "text": "x"}, "channel_not_found"),
        ({"channel": "C0BUY"}, "no_text"),
        ({"channel": "C0BUY", "text": "x", "blocks": "{"}, "invalid_blocks_format"),
        ({"channel": "C0BUY", "text": "x", "blocks": [section("")]}, "invalid_blocks"),
        (
            {"channel": "C0BUY", "text": "x", "blocks": [section("x" * 2999) | {"block_id": str(n)} for n in range(5)]},
            "msg_blocks_too_long",
        ),
        ({"channel": "C0BUY", "text": "x", "metadata": {"event_type": "t"}}, "invalid_metadata_format"),
        ({"channel": "C0BUY", "text": "x", "thread_ts": "1.000000"}, "cannot_reply_to_message"),
    ],
)
def test_a_post_slack_would_refuse_is_refused_by_its_name(slack: Slack, arguments: Json, error: str) -> None:
    assert refusal(slack.web.api_call, api_method="chat.postMessage", json=arguments) == error
    assert slack.messages("C0BUY") == []


def test_invalid_blocks_say_where(slack: Slack) -> None:
    with pytest.raises(SlackApiError) as caught:
        slack.web.chat_postMessage(channel="C0BUY", text="x", blocks=[section("x" * 3001)])
    assert caught.value.response["errors"] == ["must be less than 3001 characters [json-pointer:/blocks/0/text/text]"]


def test_a_channel_that_was_left_or_archived_takes_no_post(slack: Slack) -> None:
    posted = slack.web.chat_postMessage(channel="C0OPS", text="x")
    slack.do("/slack/change", channel="C0OPS", set={"is_archived": True})
    assert refusal(slack.web.chat_postMessage, channel="C0OPS", text="x") == "is_archived"
    assert refusal(slack.web.chat_update, channel="C0OPS", ts=posted["ts"], text="y") == "is_inactive"
    slack.do("/slack/change", channel="C0BUY", set={"members": ["U0MARTA"]})
    assert refusal(slack.web.chat_postMessage, channel="#purchasing", text="x") == "not_in_channel"
    assert refusal(slack.web.conversations_history, channel="C0BUY") == "not_in_channel"


def test_a_text_of_more_than_forty_thousand_is_cut(slack: Slack) -> None:
    slack.web.chat_postMessage(channel="C0BUY", text="x" * 40_001)
    assert len(slack.messages("C0BUY")[0]["text"]) == 40_000


def test_an_edit_keeps_and_removes_blocks_as_slack_does(slack: Slack) -> None:
    metadata = {"event_type": "pause", "event_payload": {"id": "p1"}}
    ts = slack.web.chat_postMessage(channel="C0BUY", text="one", blocks=[section()], metadata=metadata)["ts"]
    slack.web.chat_update(channel="C0BUY", ts=ts, text="two", blocks=[section("new")])
    with_blocks = slack.web.conversations_history(channel="C0BUY", include_all_metadata=True)["messages"][0]
    assert "edited" not in with_blocks
    assert with_blocks["metadata"] == metadata
    slack.web.chat_update(channel="C0BUY", ts=ts, text="three")
    text_only = slack.web.conversations_history(channel="C0BUY")["messages"][0]
    assert "blocks" not in text_only
    assert "metadata" not in text_only
    assert text_only["edited"]["user"] == "U0PLACET"
    assert [past["text"] for past in slack.messages("C0BUY")[0]["past"]] == ["one", "two"]


def test_an_edit_of_what_is_not_ours_or_not_there_is_refused(slack: Slack) -> None:
    slack.act("message", "U0MARTA", channel="C0BUY", text="mine")
    ts = slack.messages("C0BUY")[0]["ts"]
    assert refusal(slack.web.chat_update, channel="C0BUY", ts=ts, text="x") == "cant_update_message"
    assert refusal(slack.web.chat_delete, channel="C0BUY", ts=ts) == "cant_delete_message"
    assert refusal(slack.web.chat_update, channel="C0BUY", ts="1.000000", text="x") == "message_not_found"
    assert refusal(slack.web.chat_update, channel="U0MARTA", ts=ts, text="x") == "channel_not_found"
    posted = slack.web.chat_postMessage(channel="C0BUY", text="x")["ts"]
    assert refusal(slack.web.api_call, api_method="chat.update", json={"channel": "C0BUY", "ts": posted}) == "no_text"
    assert refusal(slack.web.chat_update, channel="C0BUY", ts=posted, text="x" * 4001) == "msg_too_long"
    slack.web.chat_delete(channel="C0BUY", ts=posted)
    assert refusal(slack.web.chat_update, channel="C0BUY", ts=posted, text="x") == "message_not_found"


def test_a_private_answer_reaches_one_member_and_cannot_be_edited(slack: Slack) -> None:
    ts = slack.web.chat_postEphemeral(channel="C0BUY", user="U0JONAS", text="not yours")["message_ts"]
    seen = slack.read("/page/messages", **{"as": "U0JONAS", "channel": "C0BUY"})["messages"]
    assert [(m["text"], m["ephemeral"]) for m in seen] == [("not yours", True)]
    assert slack.read("/page/messages", **{"as": "U0MARTA", "channel": "C0BUY"})["messages"] == []
    assert slack.web.conversations_history(channel="C0BUY")["messages"] == []
    assert refusal(slack.web.chat_update, channel="C0BUY", ts=ts, text="x") == "message_not_found"
    assert refusal(slack.web.chat_postEphemeral, channel="C0OPS", user="U0GUEST", text="x") == "user_not_in_channel"


def test_a_direct_message_goes_to_the_conversation_that_was_opened(slack: Slack) -> None:
    opened = slack.web.conversations_open(users="U0MARTA")["channel"]["id"]
    assert slack.web.chat_postMessage(channel=opened, text="x")["channel"] == opened
    assert slack.web.chat_postMessage(channel="U0MARTA", text="y")["channel"] == opened
    assert refusal(slack.web.conversations_open, users="U0NOBODY") == "user_not_found"
    assert refusal(slack.web.conversations_open, users="U0LEFT") == "user_disabled"
    assert slack.read("/page/state", **{"as": "U0MARTA"})["channels"][-1] == {
        "id": opened,
        "name": "Placet",
        "kind": "im",
        "with": "U0PLACET",
        "unread": 2,
    }


def test_people_are_described_with_the_flags_slack_has(slack: Slack) -> None:
    marta = slack.web.users_info(user="U0MARTA")["user"]
    assert (marta["team_id"], marta["tz"], marta["deleted"], marta["is_restricted"]) == (
        "T0ACME",
        "Europe/Berlin",
        False,
        False,
    )
    assert "fields" not in marta["profile"]
    guest = slack.web.users_info(user="U0GUEST")["user"]
    assert (guest["team_id"], guest["is_stranger"], "email" in guest["profile"]) == ("T0OTHER", True, False)
    assert slack.web.users_info(user="U0LEFT")["user"]["deleted"] is True
    assert slack.web.users_info(user="U0PLACET")["user"]["is_bot"] is True
    assert refusal(slack.web.users_info, user="U0NOBODY") == "user_not_found"
    slack.do("/slack/change", user="U0MARTA", set={"deleted": True})
    assert slack.web.users_info(user="U0MARTA")["user"]["deleted"] is True


def test_managers_are_found_through_the_protected_profile_field(slack: Slack) -> None:
    (field,) = slack.web.team_profile_get()["profile"]["fields"]
    assert (field["type"], field["options"]["is_protected"]) == ("user", True)
    assert slack.web.users_profile_get(user="U0MARTA")["profile"]["fields"][field["id"]]["value"] == "U0OTTO"
    assert slack.web.users_profile_get(user="U0INES")["profile"]["fields"] == {}


def test_groups_and_lists_come_in_pages_and_differ_about_those_who_left(slack: Slack) -> None:
    (finance, _) = slack.web.usergroups_list()["usergroups"]
    assert "U0LEFT" in slack.web.usergroups_users_list(usergroup=finance["id"])["users"]
    assert refusal(slack.web.usergroups_users_list, usergroup="S0NONE") == "no_such_subteam"
    pages = [page["members"] for page in slack.web.users_list(limit=3)]
    assert [len(page) for page in pages] == [3, 3, 1]
    assert "U0GUEST" in slack.web.conversations_members(channel="C0BUY")["members"]
    slack.do("/slack/change", user="U0JONAS", set={"deleted": True})
    assert "U0JONAS" not in slack.web.conversations_members(channel="C0BUY")["members"]


@pytest.mark.parametrize("cursor", ["at:0", "at:7", "at:99", "at:-1", "3", "dXNlcg=="])
def test_a_cursor_that_was_never_given_out_is_refused(slack: Slack, cursor: str) -> None:
    assert refusal(slack.web.users_list, limit=3, cursor=cursor) == "invalid_cursor"
    assert refusal(slack.web.users_list, limit=-1) == "invalid_limit"


def test_groups_change_and_a_disabled_one_is_only_listed_to_whom_asks(slack: Slack) -> None:
    slack.do("/slack/change", group="S0OPS", set={"members": ["U0JONAS"], "handle": "ops"})
    assert slack.web.usergroups_users_list(usergroup="S0OPS")["users"] == ["U0JONAS"]
    slack.do("/slack/change", group="S0OPS", set={"is_disabled": True})
    assert [one["handle"] for one in slack.web.usergroups_list()["usergroups"]] == ["finance"]
    assert refusal(slack.web.usergroups_users_list, usergroup="S0OPS") == "no_such_subteam"
    [_, ops] = slack.web.usergroups_list(include_disabled=True, include_users=True)["usergroups"]
    assert (ops["handle"], ops["users"], ops["date_delete"] > 0) == ("ops", ["U0JONAS"], True)
    assert slack.web.usergroups_users_list(usergroup="S0OPS", include_disabled=True)["users"] == ["U0JONAS"]


def test_a_profile_field_says_who_may_fill_it_in_and_nothing_where_everybody_may(slack: Slack) -> None:
    def options() -> Any:
        return slack.web.team_profile_get()["profile"]["fields"][0]["options"]

    assert options() == {"is_protected": True}
    slack.do("/slack/change", field="Xf0MANAGER", set={"is_protected": False})
    assert options() is None
    slack.do("/slack/change", field="Xf0MANAGER", set={"is_scim": True, "label": "Boss"})
    assert options() == {"is_scim": True}
    assert slack.web.team_profile_get()["profile"]["fields"][0]["label"] == "Boss"


def test_what_changed_is_so_after_a_restart_too(tmp_path: Path) -> None:
    with running_slack(tmp_path / "j") as slack:
        slack.do("/slack/change", group="S0OPS", set={"members": ["U0JONAS"]})
        slack.do("/slack/change", field="Xf0MANAGER", set={"is_protected": False})
        slack.do("/slack/change", user="U0MARTA", set={"manager": "U0INES"})
    with running_slack(tmp_path / "j") as slack:
        assert slack.web.usergroups_users_list(usergroup="S0OPS")["users"] == ["U0JONAS"]
        assert slack.web.team_profile_get()["profile"]["fields"][0]["options"] is None
        assert slack.web.users_profile_get(user="U0MARTA")["profile"]["fields"]["Xf0MANAGER"]["value"] == "U0INES"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"set": {}}, "user: name one `user`, `channel`, `group`, `app` or `field`, and what to `set`."),
        ({"group": "S0NONE", "set": {}}, "group: there is no 'S0NONE' here."),
        ({"field": "Xf0NONE", "set": {}}, "field: there is no 'Xf0NONE' here."),
        (
            {"group": "S0OPS", "set": {"users": []}},
            "users: it is unknown here; known are handle, is_disabled, members.",
        ),
    ],
)
def test_a_change_of_what_is_not_there_is_refused(slack: Slack, change: Json, told: str) -> None:
    assert slack.do("/slack/change", **change) == {"ok": False, "error": told}


def test_a_channel_says_whether_it_is_shared_and_whether_we_are_in(slack: Slack) -> None:
    bought = slack.web.conversations_info(channel="C0BUY")["channel"]
    assert (bought["is_member"], bought["is_ext_shared"], bought["shared_team_ids"]) == (
        True,
        True,
        ["T0ACME", "T0OTHER"],
    )
    assert [c["id"] for c in slack.web.conversations_list()["channels"]] == ["C0BUY", "C0OPS"]
    assert refusal(slack.web.conversations_info, channel="C0NONE") == "channel_not_found"


def test_history_is_newest_first_and_leaves_replies_to_the_thread(slack: Slack) -> None:
    first = slack.web.chat_postMessage(channel="C0BUY", text="first")["ts"]
    slack.web.chat_postMessage(channel="C0BUY", text="reply", thread_ts=first)
    second = slack.web.chat_postMessage(channel="C0BUY", text="second")["ts"]
    assert [m["text"] for m in slack.web.conversations_history(channel="C0BUY")["messages"]] == ["second", "first"]
    since = slack.web.conversations_history(channel="C0BUY", oldest=first)["messages"]
    assert [m["ts"] for m in since] == [second]
    both = slack.web.conversations_history(channel="C0BUY", oldest=first, inclusive=True)["messages"]
    assert [m["ts"] for m in both] == [second, first]
    assert [m["text"] for m in slack.web.conversations_replies(channel="C0BUY", ts=first)["messages"]] == [
        "first",
        "reply",
    ]


def test_blocks_are_validated_for_anyone_without_a_token(slack: Slack) -> None:
    public = slack.client("")
    assert public.api_call("blocks.validate", json={"blocks": [section()]})["ok"]
    with pytest.raises(SlackApiError) as caught:
        public.api_call("blocks.validate", json={"blocks": [section("")]})
    assert caught.value.response["errors"][0]["pointer"] == "/blocks/0/text/text"


def test_every_call_is_on_the_log_with_what_came_of_it(slack: Slack) -> None:
    slack.web.chat_postMessage(channel="C0BUY", text="x")
    refusal(slack.web.chat_postMessage, channel="C0NONE", text="x")
    calls = slack.read("/slack/calls")["calls"]
    assert [(c["method"], c["ok"], c["error"]) for c in calls] == [
        ("chat.postMessage", True, None),
        ("chat.postMessage", False, "channel_not_found"),
    ]
    assert "token" not in calls[0]["args"]


def test_no_name_is_made_up_twice_in_a_message() -> None:
    given = {"block_id": "mine", "type": "divider"}
    blocks = with_block_ids([given, *({"type": "divider"} for _ in range(5_000))])
    assert blocks[0] == given
    assert len({block["block_id"] for block in blocks}) == len(blocks)
