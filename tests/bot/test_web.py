"""Whatever Slack does, the caller gets a value that says whether it was done; nothing is sent twice, nothing is raised."""

import pytest

from bot.cards import parts
from bot.delivery.answers import Answered, Refused, Sent, Unclear
from bot.delivery.web import Slack
from tests.bot.office import TOKEN, Office

ASK = parts.Message(text="Approve a payment?", blocks=parts.paragraph("EUR 38,000.00 to Nordholz"))


def test_a_post_answers_with_the_address_that_slack_gave_it(office: Office) -> None:
    sent = office.slack.post("C0BUY", ASK)
    assert isinstance(sent, Sent)
    [message] = office.messages("C0BUY")
    assert (sent.channel, sent.ts) == ("C0BUY", message["ts"])
    [call] = office.calls("chat.postMessage")
    assert (call["args"]["unfurl_links"], call["args"]["unfurl_media"]) == (False, False)


def test_an_edit_takes_the_place_of_what_was_there(office: Office) -> None:
    slack = office.slack
    sent = slack.post("C0BUY", ASK)
    assert isinstance(sent, Sent)
    assert slack.update(sent.channel, sent.ts, parts.answer("Approved.")) == sent
    assert office.messages("C0BUY")[0]["text"] == "Approved."


@pytest.mark.parametrize("error", ["is_archived", "not_in_channel", "channel_not_found", "invalid_blocks"])
def test_what_slack_will_never_take_is_refused_for_good(office: Office, error: str) -> None:
    office.fault("chat.postMessage", "error", error=error)
    assert office.slack.post("C0BUY", ASK) == Refused(error=error, permanent=True)
    assert office.messages("C0BUY") == []


@pytest.mark.parametrize(
    "error", ["token_revoked", "account_inactive", "missing_scope", "messages_tab_disabled", "some_error_of_tomorrow"]
)
def test_what_an_operator_can_mend_is_refused_for_now(office: Office, error: str) -> None:
    office.fault("chat.postMessage", "error", error=error)
    assert office.slack.post("C0BUY", ASK) == Refused(error=error, permanent=False)


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("drop", {}),
        ("status", {"status": 500, "stored": True}),
        ("status", {"status": 502, "stored": True}),
        ("html", {"stored": True}),
        ("error", {"error": "internal_error", "stored": True}),
    ],
)
def test_a_lost_or_senseless_answer_leaves_it_open_and_nothing_is_sent_again(
    office: Office, kind: str, more: dict[str, object]
) -> None:
    office.fault("chat.postMessage", kind, **more)
    assert isinstance(office.slack.post("C0BUY", ASK), Unclear)
    assert len(office.calls("chat.postMessage")) == 1
    assert len(office.messages("C0BUY")) == 1  # it was posted all the same


def test_an_answer_that_does_not_come_in_time_leaves_it_open(office: Office) -> None:
    office.fault("users.info", "slow", seconds=1.5)
    assert isinstance(office.slack.users_info("U0MARTA"), Unclear)


def test_nobody_listening_is_no_exception() -> None:
    assert isinstance(Slack(TOKEN, "http://127.0.0.1:9/").post("C0BUY", ASK), Unclear)


def test_a_limited_method_is_left_alone_until_its_time_and_the_others_go_on(office: Office) -> None:
    slack = office.slack
    office.fault("chat.postMessage", "rate_limited", seconds=7)
    assert slack.post("C0BUY", ASK) == Refused(error="ratelimited", permanent=False, retry_after_s=7.0)
    again = slack.post("C0OPS", ASK)
    assert isinstance(again, Refused)
    assert again.retry_after_s is not None
    assert 0 < again.retry_after_s <= 7
    assert len(office.calls("chat.postMessage")) == 1
    assert isinstance(slack.post_ephemeral("C0BUY", "U0MARTA", ASK), Sent)


def test_what_slack_would_refuse_is_not_sent(office: Office) -> None:
    long = parts.Message(text="x", blocks=[{"type": "section", "text": parts.plain("x" * 3001)}])
    assert office.slack.post("C0BUY", long) == Refused(error="invalid_blocks", permanent=True)
    assert office.slack.update("C0BUY", "1.2", long) == Refused(error="invalid_blocks", permanent=True)
    assert office.read("/slack/calls")["calls"] == []


def test_a_direct_conversation_is_opened_by_the_persons_id(office: Office) -> None:
    assert office.slack.open_dm("U0MARTA") == "D0MARTA"
    assert office.slack.open_dm("U0LEFT") == Refused(error="user_disabled", permanent=True)


def test_a_modal_opens_only_by_a_fresh_trigger(office: Office) -> None:
    view = {"type": "modal", "title": parts.plain("Details"), "blocks": parts.paragraph("All of it")}
    assert office.slack.views_open("1.stale", view) == Refused(error="invalid_trigger_id", permanent=True)


def test_a_person_and_the_token_are_looked_up(office: Office) -> None:
    found = office.slack.users_info("U0GUEST")
    assert isinstance(found, Answered)
    assert found.data["user"]["is_stranger"] is True
    ours = office.slack.auth_test()
    assert isinstance(ours, Answered)
    assert ours.data["team_id"] == "T0ACME"
