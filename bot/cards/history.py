"""What happened to a request, from being asked to its end, with the attempts that were refused: a line each, in the order of the record.

Proposed, shown, approved and done are four things on record; here they stand one below the other.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from bot.cards.ids import screen_id
from bot.cards.parts import Block, Moment, cut, flat, small, strong
from bot.cards.phrases import answering, named
from bot.cards.seen import one_line, seen_line
from engine.models import Passage, Pause
from engine.rules import inquiries

_DID: Final[Mapping[str, str]] = {
    "pause open": "asked",
    "pause vote": "approved, as one of several",
    "pause ask_back": "asked the requester",
    "pause reply": "answered",
    "pause approve": "approved",
    "pause deny": "denied",
    "pause answer": "answered",
    "pause escalate": "sent it on, since nobody answered in time or nobody could see it",
    "pause expire": "ended it, since nobody answered",
    "pause cancel": "withdrew it",
    "pause supersede": "asked anew in its place",
    "pause void": "ended it: its authority or its time was gone",
    "pause ask_again": "asked for it again",
    "pause execute": "recorded that it was done",
    "pause fail": "recorded that it was not done",
    "effect attempt": "began to do it",
    "effect repeat": "called again with the same key",
    "effect reattempt": "called anew, since nothing had happened",
    "effect succeed": "had the provider's receipt",
    "effect fail": "had the provider's no",
    "effect doubt": "could not tell whether it happened",
    "effect resolve": "said that it happened",
    "effect retry": "said that it did not happen, and may be tried again",
    "effect abandon": "stopped it, without knowing whether it happened",
}
"""What somebody did, as it follows their name; by what moved and how."""

_IN_VAIN: Final[Mapping[str, str]] = {
    "own": "it is their own request",
    "not_yours": "it is for somebody else to decide",
    "not_requester": "only the requester may",
    "voted": "their answer counted already",
    "question": "it asks for an answer, and not for a yes",
    "no_question": "it asks for a yes, and not for an answer",
    "settled": "it was settled already",
    "due": "its time was up",
    "stale": "the card showed another content",
    "unconfirmed": "what must be typed was not",
    "broken": "the request was altered after it was stored",
    "keyless": "its seal could not be made",
    "open": "it was being carried out",
    "not_to_reply": "the inquiry was for the requester",
    "no_inquiry": "there was no such inquiry",
    "asked": "they had asked just that",
    "replied": "that inquiry had its answer already",
    "blank": "nothing was written",
    "again": "it was tried again since they were asked",
    "stranger": "they belong to another workspace",
    "guest": "guests may not decide",
    "deactivated": "their account is deactivated",
    "bot": "only people decide",
    "unknown": "they are not in people.toml",
    "unchecked": "Slack did not say who they are",
    "not_lapsed": "it had not lapsed",
    "begun": "something of the same turn was carried out",
    "live": "a run that works at it had not ended",
    "done": "the same was done since",
    "refused": "the same was refused since",
    "already": "it was asked again already",
    "kept": "another that was to be decided with it had moved",
}
"""Why an attempt was refused."""
_ANSWERS: Final = frozenset({"vote", "approve", "deny", "answer"})
_WORDED: Final = frozenset({"deny", "answer", "cancel", "abandon", "ask_back", "reply"})
"""What people give words with."""
_NOBODY: Final = frozenset({"system", ""})
_DETAIL: Final = 300


def history(pause: Pause, passages: Sequence[Passage]) -> list[Block]:
    """A heading and the lines of this request; nothing if there are none."""
    return [*strong("What happened"), *flat(_line(pause, one) for one in passages)] if passages else []


def _line(pause: Pause, one: Passage) -> list[Block]:
    answered = one.event in _ANSWERS and not one.refused
    name = answering(pause, one.name, one.actor) if answered else named(one.name or one.actor, one.actor)
    who = "Placet" if one.actor in _NOBODY else name
    what = _DID.get(f"{one.entity} {one.event}", f"{one.event} ({one.entity})")
    if one.refused:
        why = _IN_VAIN.get(one.detail or "", one.detail or "refused")
        return small(
            Moment("{}", one.at), f"{who} tried in vain to {one.event.replace('_', ' ')}: {seen_line(why).text}"
        )
    return small(Moment("{}", one.at), f"{who} {what} ({seen_line(one.surface).text}){_said(pause, one)}")


def _said(pause: Pause, one: Passage) -> str:
    """The reason or the words that a person gave, or the run that asks again; what else machines note beside their moves is not for people."""
    if one.event == "ask_again" and one.detail:
        return f": {screen_id('run', one.detail)}"
    if one.event not in _WORDED or not (one.detail and one.detail.strip()):
        return ""
    said = inquiries.words(one.detail) if one.event == "reply" else one.detail
    words = pause.content.readable(said) if pause.content else said
    return f": “{cut(one_line(words), _DETAIL)}”"
