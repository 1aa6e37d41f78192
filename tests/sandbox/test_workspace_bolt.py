"""A real Bolt app lives in the local workspace as it would in Slack: asked, answered, and none the wiser."""

from collections.abc import Iterator
from typing import Any

import pytest
from slack_bolt import Ack, App, Respond
from slack_sdk import WebClient

from tests.sandbox.conftest import SECRET, TOKEN, Slack
from tests.sandbox.test_workspace_gestures import CARD, REASON, TYPED, open_views, posted, press

Json = dict[str, Any]


@pytest.fixture
def office(slack: Slack) -> Iterator[Slack]:
    """The workspace with a Bolt app that asks for a reason on a click and says what it was told."""
    client = WebClient(base_url=f"{slack.url}/slack/api/", token=TOKEN, retry_handlers=[])
    app = App(client=client, signing_secret=SECRET, process_before_response=True)

    @app.action("approve")
    def ask(ack: Ack, body: Json, client: WebClient) -> None:
        ack()
        client.views_open(trigger_id=body["trigger_id"], view=REASON)

    @app.action("more")
    def tell(ack: Ack, respond: Respond, action: Json) -> None:
        ack()
        respond(text=f"You picked {action['selected_option']['value']}.", replace_original=False)

    @app.view("deny")
    def take(ack: Ack, view: Json, client: WebClient) -> None:
        reason = view["state"]["values"]["reason"]["text"]["value"]
        if reason == "no":
            ack(response_action="errors", errors={"reason": "Say more."})
            return
        ack()
        client.chat_postMessage(channel="C0BUY", text=f"Denied: {reason}")

    @app.view_closed("deny")
    def shut(ack: Ack) -> None:
        ack()

    @app.command("/approvals")
    def listing(ack: Ack, command: Json) -> None:
        ack(text=f"For {command['user_id']}: {command['text']}", blocks=CARD)

    @app.event("app_home_opened")
    def home(event: Json, client: WebClient) -> None:
        client.views_publish(user_id=event["user"], view={"type": "home", "blocks": CARD})

    slack.app.bolt = app
    yield slack
    slack.app.bolt = None


def test_a_click_opens_a_modal_whose_reason_comes_back(office: Slack) -> None:
    assert press(office, "U0MARTA", posted(office)) == {"ok": True}
    (view,) = open_views(office)
    short = {"reason": {"text": {"type": "plain_text_input", "value": "no"}}}
    assert office.act("submit", "U0MARTA", view_id=view["id"], values=short) == {
        "ok": False,
        "errors": {"reason": "Say more."},
    }
    assert office.act("submit", "U0MARTA", view_id=view["id"], values=TYPED) == {"ok": True}
    assert office.messages("C0BUY")[-1]["text"] == "Denied: too dear"


def test_an_answer_by_response_url_is_for_the_clicker(office: Slack) -> None:
    assert press(office, "U0JONAS", posted(office), "more", selected_option={"value": "run"}) == {"ok": True}
    said = office.messages("C0BUY")[-1]
    assert (said["text"], said["only_for"]) == ("You picked run.", "U0JONAS")


def test_a_command_is_answered_with_blocks(office: Slack) -> None:
    assert office.act("command", "U0MARTA", channel="C0OPS", text="/approvals mine") == {"ok": True}
    (said,) = office.messages("C0OPS")
    assert (said["text"], len(said["blocks"])) == ("For U0MARTA: mine", 2)


def test_the_home_tab_is_published_when_it_is_opened(office: Slack) -> None:
    before = office.read("/slack/messages")["revision"]
    office.act("home", "U0MARTA")
    while office.read("/page/state", **{"as": "U0MARTA"})["home"] is None:
        before = office.read("/slack/messages", since=str(before), within="5")["revision"]
    assert office.read("/page/state", **{"as": "U0MARTA"})["home"]["type"] == "home"


def test_closing_the_modal_is_taken_by_the_app(office: Slack) -> None:
    press(office, "U0MARTA", posted(office))
    assert office.act("close", "U0MARTA", view_id=open_views(office)[0]["id"]) == {"ok": True}
    assert open_views(office) == []
