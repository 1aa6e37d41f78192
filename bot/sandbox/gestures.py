"""What a person does in Slack (click, command, submit, close, open the Home tab) and what they then see.

Each gesture is delivered to the app and answered with a result for the page: done, the errors of a form, or the warning
that Slack shows. Whoever is not in a channel, or left, can do nothing there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.cards.limits import check_blocks, check_view
from bot.sandbox import payloads
from bot.sandbox.answers import Answer, NoAnswer
from bot.sandbox.app_link import AppLink
from bot.sandbox.methods_chat import with_block_ids
from bot.sandbox.methods_views import put_on_top, replace_view
from bot.sandbox.payloads import Press
from bot.sandbox.seed import Command, Shortcut
from bot.sandbox.shown import Message, View
from bot.sandbox.workspace import Workspace

Json = dict[str, Any]

DONE: Json = {"ok": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gestures:
    """The hands of all the people of one workspace; `base_url` of a call is where the page was reached."""

    ws: Workspace
    link: AppLink
    commands: Sequence[Command]
    shortcuts: Sequence[Shortcut] = ()

    async def click_message(self, user: str, channel: str, ts: str, press: Press, base_url: str) -> Json:
        """Use an element of a message. What an edit took away under the finger can still be clicked, as in Slack."""
        message = self.ws.find(channel, ts)
        if message is None or message not in self.ws.read(channel, user) or not self._may_act(user, channel):
            return _warning("This message is no longer there, so nothing was sent. Look at the channel again.")
        for body in (message.body, *reversed(message.past)):
            if action := payloads.action_of(self.ws, body.get("blocks") or [], press):
                url = self._response_url(user, channel, ts, base_url)
                payload = payloads.message_click(self.ws, user, message, action, url)
                return _clicked(await self.link.interaction("click", payload))
        return _warning("This message has no such button, so nothing was sent. Reload the page.")

    async def shortcut(self, user: str, channel: str, ts: str, callback_id: str, base_url: str) -> Json:
        """Choose a shortcut of the app from a message's menu."""
        message = self.ws.find(channel, ts)
        if message is None or message not in self.ws.read(channel, user) or not self._may_act(user, channel):
            return _warning("This message is no longer there, so nothing was sent. Look at the channel again.")
        if callback_id not in {offered.callback_id for offered in self.shortcuts} or message.only_for is not None:
            return _warning("This message has no such shortcut, so nothing was sent. Reload the page.")
        url = self._response_url(user, channel, ts, base_url)
        payload = payloads.message_shortcut(self.ws, user, message, callback_id, url)
        return _clicked(await self.link.interaction("click", payload))

    async def click_view(self, user: str, view_id: str, press: Press, values: Json) -> Json:
        """Use an element of one's open modal or Home tab."""
        view = self._own_view(user, view_id)
        action = view and payloads.action_of(self.ws, view.body["blocks"], press)
        if view is None or not action:
            return _warning("This window is no longer there, so nothing was sent. Reload the page.")
        return _clicked(await self.link.interaction("click", payloads.view_click(self.ws, view, action, values)))

    async def command(self, user: str, channel: str, line: str, base_url: str) -> Json:
        """Type a slash command; its answer appears in the channel, for this person alone unless it says otherwise."""
        command, _, text = line.strip().partition(" ")
        known = any(command == offered.command for offered in self.commands)
        if not known or self.ws.people[user].team_id not in self.ws.seed.ours:
            return _warning(f"{command} is not a valid command. Commands of an app work only for its own workspace.")
        if not self._may_act(user, channel):
            return _warning(f"You are not in this channel, so {command} was not sent. Open a channel you are in.")
        url = self._response_url(user, channel, "", base_url)
        fields = payloads.slash_command(
            self.ws, user, channel=channel, command=command, text=text.strip(), response_url=url
        )
        answer = await self.link.command(fields)
        if isinstance(answer, NoAnswer):
            return _warning(f'{command} failed with the error "operation_timeout": {answer.reason}. Try again.')
        if answer.status != 200:
            return _warning(
                f'{command} failed with the error "dispatch_failed": the app answered HTTP {answer.status}. '
                "Look at the app's log, then try again."
            )
        return self._say(user, channel, command, answer)

    async def submit(self, user: str, view_id: str, values: Json) -> Json:
        """Press the submit button of one's topmost modal."""
        view = self._own_view(user, view_id)
        if view is None or view.body["type"] != "modal":
            return _warning("This window is no longer there, so nothing was sent. Reload the page.")
        if missing := _missing(view, values):
            return {"ok": False, "errors": missing}
        if view.errors is not None:
            view = replace(view, errors=None)
            self.ws.show(view)
        answer = await self.link.interaction("submit", payloads.view_submission(self.ws, view, values))
        if isinstance(answer, NoAnswer) or answer.status != 200:
            reason = answer.reason if isinstance(answer, NoAnswer) else f"the app answered HTTP {answer.status}"
            return _warning(
                f"We had some trouble connecting: {reason}. It may have arrived: look before you try again."
            )
        return self._respond(view, answer)

    async def close(self, user: str, view_id: str) -> Json:
        """Close one's modal by its close button; the app hears of it only if the modal says so."""
        view = self._own_view(user, view_id)
        if view is None or view.body["type"] != "modal":
            return DONE
        is_cleared = bool(view.body.get("clear_on_close"))
        gone = self.ws.stack(user) if is_cleared else [view]
        for closed in reversed(gone):
            self.ws.close(closed)
        if view.body.get("notify_on_close"):
            await self.link.interaction("close", payloads.view_closed(self.ws, view, is_cleared=is_cleared))
        return DONE

    def open_home(self, user: str) -> Json:
        """Look at the app's Home tab."""
        if not self.ws.people[user].deleted and self.ws.people[user].team_id in self.ws.seed.ours:
            self.link.event(payloads.home_opened(self.ws, user))
        return DONE

    def _may_act(self, user: str, channel: str) -> bool:
        archived = channel in self.ws.channels and self.ws.channels[channel].is_archived
        return user in self.ws.members(channel) and not self.ws.people[user].deleted and not archived

    def _own_view(self, user: str, view_id: str) -> View | None:
        view = self.ws.view(view_id)
        return view if view is not None and view.owner == user and not self.ws.people[user].deleted else None

    def _response_url(self, user: str, channel: str, ts: str, base_url: str) -> str:
        return f"{base_url.rstrip('/')}/slack/response/{self.ws.tickets.give_response(user, channel, ts)}"

    def _say(self, user: str, channel: str, command: str, answer: Answer) -> Json:
        """Show what the app answered to a command in its acknowledgement."""
        said = answer.json() if answer.content_type == "application/json" else {"text": answer.body}
        if said is None or (said.get("blocks") and check_blocks(said["blocks"])):
            return _warning(f'{command} failed with the error "invalid_command_response". Look at the app\'s log.')
        if said.get("text") or said.get("blocks"):
            say(self.ws, said, user, channel)
        return DONE

    def _respond(self, view: View, answer: Answer) -> Json:
        """Do to the modal what the app answered to its submission; an empty answer closes it."""
        trouble = _warning("We had some trouble connecting: the app's answer is not one. Look at the app's log.")
        said: Mapping[str, Any] | None = answer.json() if answer.body.strip() else {}
        if said is None:
            return trouble
        stack = self.ws.stack(view.owner)
        match said:
            case {"response_action": "errors", "errors": dict(errors)}:
                names = {block.get("block_id") for block in view.body["blocks"]}
                if not errors or not errors.keys() <= names:
                    return trouble
                self.ws.show(replace(view, errors=errors))
                return {"ok": False, "errors": errors}
            case {"response_action": "update" | "push" as how, "view": dict(body)}:
                if body.get("type") != "modal" or check_view(body):
                    return trouble
                if how == "update":
                    replace_view(self.ws, view, body)
                else:
                    put_on_top(self.ws, view.owner, body)
            case {"response_action": "clear"}:
                for closed in reversed(stack):
                    self.ws.close(closed)
            case {"response_action": _}:
                return trouble
            case _:
                self.ws.close(view)
        return DONE


def say(ws: Workspace, said: Mapping[str, Any], user: str, channel: str) -> Message:
    """Post what an app says through an acknowledgement or a response URL: to this person alone, unless in_channel."""
    body = {name: said[name] for name in ("text", "blocks", "thread_ts") if said.get(name)}
    if "blocks" in body:
        body["blocks"] = with_block_ids(body["blocks"])
    alone = None if said.get("response_type") == "in_channel" else user
    return ws.post(channel, ws.seed.app.bot_user, body, only_for=alone)


def _missing(view: View, values: Json) -> dict[str, str]:
    """The inputs that must be filled in and are not: Slack does not send such a form."""
    empty: dict[str, str] = {}
    for block in view.body["blocks"]:
        if block["type"] != "input" or block.get("optional"):
            continue
        given = values.get(block["block_id"], {}).get(block["element"].get("action_id"), {})
        if not any(value for name, value in given.items() if name != "type"):
            empty[block["block_id"]] = "Please complete this required field."
    return empty


def _clicked(answer: Answer | NoAnswer) -> Json:
    match answer:
        case NoAnswer(reason):
            return _warning(f"The app did not take your click: {reason}. Look at the message, then press again.")
        case Answer(status=200):
            return DONE
        case Answer(status):
            return _warning(
                f"The app did not take your click: it answered HTTP {status}. Look at its log, press again."
            )


def _warning(text: str) -> Json:
    return {"ok": False, "warning": text}
