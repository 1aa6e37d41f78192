"""What is said to the one person who clicked, in sentences: every outcome, and everybody who may not decide.

Each says what happened, why, and what to do next. The one rule: an expected loss is told with its who, what and when,
and a time-out is never told as a person's refusal. The sentences are plain text; whoever sends them uses
`parts.answer`, where nothing in a name or a reason can be read as a mention. What cards say is in outcomes.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal, assert_never

from bot.cards.ids import screen_id
from bot.cards.parts import clock, cut
from bot.cards.seen import one_line, seen_line
from engine.models import (
    AlreadySettled,
    AskOutcome,
    Blank,
    Broken,
    Confirmation,
    Decided,
    Due,
    Halt,
    InquiryMade,
    InquiryReplied,
    NoInquiry,
    NotYours,
    Outcome,
    Pause,
    RunStatus,
    Standing,
    Unconfirmed,
    Voted,
)
from engine.rules import confirmations

NameOf = Callable[[str], str]
"""From a person's id ("marta") to their name."""

Refusal = Literal["stranger", "guest", "deactivated", "bot", "unknown"]

REFUSED: Mapping[Refusal, str] = {
    "stranger": "You belong to another workspace, and only members of this one may decide. Nothing was changed.",
    "guest": "You are a guest in this workspace, and only full members may decide. Nothing was changed.",
    "deactivated": "Your account is deactivated, so you may not decide. Nothing was changed.",
    "bot": "Only people decide here, and this account is a bot. Nothing was changed.",
    "unknown": "Placet does not know who you are, so you may not decide. Nothing was changed. "
    "Ask an operator to add your Slack account to people.toml.",
}
"""Why somebody may not decide anything at all."""

NOT_CHECKED = "Placet could not check with Slack who you are, so nothing was changed. Please try again in a minute."
UNKNOWN_CARD = (
    "Placet knows no request for this card, so nothing was changed. It may come from an earlier installation; "
    "/approvals shows what waits for you now."
)
UNKNOWN_ACTION = (
    "Placet does not know this button, so nothing was changed. It may come from another version; "
    "/approvals shows what waits for you now."
)
NOT_CONFIRMED = "Placet could not confirm this in time. The card will show what holds; look at it before you try again."
NOT_RECORDED = "This was not recorded, and nothing was changed: the database cannot be reached. Please press again."
_AGAIN = "Nothing is done; whoever still wants it can ask again."
NOT_AWAY: Mapping[str, str] = {
    "not_yours": "Only the person who is away, or somebody with the role operator, may say so. Nothing was changed.",
    "unknown": "One of the two is not here any more. Nothing was changed.",
    "overlaps": "Another absence stands for that time already. Nothing was changed; end that one first.",
    "past": "That time is over already. Nothing was changed.",
    "backwards": "It would end before it begins. Nothing was changed; write a later end.",
    "far": "An absence ends at most 366 days from now. Nothing was changed; write an earlier end.",
    "not_away": "Nobody is away there. Nothing was changed.",
}
"""Why an absence was not put on record, or not ended."""

UNCONFIRMED = "Nothing was recorded: what must be typed to approve it was not, or is another. Type it as it stands in the request."
NO_WORDS = "Nothing was written, so nothing was sent. Write it, and send it again."
_NOT_SO: Mapping[str, str] = {
    "not_requester": "Only the person it was asked for may withdraw it. Nothing was changed.",
    "not_to_reply": "Only the person it was asked for may answer what is asked about it. Nothing was changed.",
    "question": "It asks for an answer, and can be neither approved nor denied. Nothing was recorded; answer it on its card, or with placet reply.",
    "no_question": "It asks for a yes or a no, and takes no other answer. Nothing was recorded; decide on its card.",
}
"""Why something cannot be done to a request by anybody who tries it so."""
LONG_REASON = "This is too long to keep; please say it in 1,000 characters."


def is_away(name: str, delegate: str, starts_at: datetime, ends_at: datetime) -> str:
    """What holds once somebody is away."""
    times = f"from {clock(starts_at)} to {clock(ends_at)}"
    return f"{person(name)} is away {times}. {person(delegate)} may answer what is asked of them by name, but no request of their own."


def is_back(name: str, ends_at: datetime, next_at: datetime | None) -> str:
    """What holds once somebody is here again, who was to be away until `ends_at`; when the next absence begins, if one is planned."""
    until = f"The absence until {clock(ends_at)} is over now."
    return f"{person(name)} is back: what is asked of them is theirs alone again. {until}{_planned(next_at)}"


def is_not_going(name: str, delegate: str, starts_at: datetime, ends_at: datetime, next_at: datetime | None) -> str:
    """What holds once an absence that had not begun was taken back."""
    times = f"from {clock(starts_at)} to {clock(ends_at)}"
    return f"{person(name)} is not away now. The absence {times}, with {person(delegate)} to answer, was taken back.{_planned(next_at)}"


def _planned(next_at: datetime | None) -> str:
    return f" The one from {clock(next_at)} stands; say so once more to take it back." if next_at else ""


def other_environment(theirs: str, ours: str) -> str:
    """For a card that another environment on the same workspace posted."""
    return (
        f"This card belongs to “{person(theirs)}”, and this is “{person(ours)}”. Nothing was changed; decide it there."
    )


def came(level: int, voters: Sequence[str], *, unseen: bool = False) -> str:
    """How a request came to those who are asked now, to go on with "is": `voters` approved it before; `unseen`: nobody could be shown it."""
    if not level:
        return "It"
    if unseen:
        return "Nobody who was asked before could be shown it, so it"
    return "It needs another approval, and" if voters else "Nobody answered in time, so it"


def person(name: str) -> str:
    """A name as it may stand in a sentence: on one line, nothing hidden in it, at most 100 characters."""
    return cut(seen_line(name).text, 100)


def named(name: str | None, key: str) -> str:
    """A person by name, and by the id that stays when the name changes."""
    return person(key) if name in {None, key} else f"{person(name or key)} ({person(key)})"


def answering(pause: Pause, name: str | None, key: str) -> str:
    """Who answered a request, by name and id, and for whom, if that person was away."""
    absent = pause.voted_for(key)
    return named(name, key) + (f", for {person(pause.approver_name or absent)} (away)" if absent else "")


def approver_name(approver: str, name: str | None = None) -> str:
    """Whom a pause asks: "Marta Keller", or "whoever has the role finance-approver"."""
    kind, _, key = approver.partition(":")
    return f"whoever has the role {person(key)}" if kind == "role" else person(name or key)


def ago(past: timedelta) -> str:
    """How long ago: "just now", "0.3 s ago", "2 seconds ago", "3 days ago". Never in the future, never rounded up."""
    seconds = max(past.total_seconds(), 0.0)
    if seconds < 1:
        tenths = int(seconds * 10)
        return f"0.{tenths} s ago" if tenths else "just now"
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= length:
            return f"{_count(int(seconds // length), unit)} ago"
    return f"{_count(int(seconds), 'second')} ago"


def span(seconds: int) -> str:
    """A length of time exactly, in the largest unit that allows it: "3 days", "90 minutes"."""
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= length and seconds % length == 0:
            return _count(seconds // length, unit)
    return _count(seconds, "second")


def unconfirmed(confirm: Confirmation | None) -> str:
    """What is missing to approve it, by name; None: it is not known what that is."""
    if confirm is None:
        return UNCONFIRMED
    return f"Nothing was recorded: type {cut(confirmations.what(confirm), 150)} as in the request to approve it."


def said(outcome: Outcome | AskOutcome, name_of: NameOf, halt: Halt | None = None) -> str:
    """What the person who tried is told, winner and loser alike; `halt` is what stops every action now, None if nothing does."""
    now = outcome.now
    match outcome:
        case Decided():
            return _decided(now, halt)
        case Voted():
            return f"Counted. {_count(now.votes_left, 'more approval')} needed, by {clock(now.fire_at)}."
        case AlreadySettled():
            return _settled(now, name_of)
        case NotYours():
            return _not_yours(outcome, name_of)
        case Due() | Broken() | Unconfirmed():
            return _not_recorded(outcome)
        case InquiryMade() | InquiryReplied() | NoInquiry() | Blank():
            return _asked_back(outcome)
        case _:
            assert_never(outcome)


def _asked_back(outcome: InquiryMade | InquiryReplied | NoInquiry | Blank) -> str:
    match outcome:
        case InquiryMade(now=now):
            return f"Asked, as inquiry {outcome.n}. The requester is told, and the answer will stand on the card. It still waits, until {clock(now.fire_at)}."
        case InquiryReplied():
            return "Answered. Whoever decides is told, and it stands on the card."
        case NoInquiry(why="asked"):
            return "You have asked just that, and it is on record. The card shows the answer when it comes. Nothing more was sent."
        case NoInquiry(why="replied"):
            return "This inquiry is answered already, and the answer stays as it is. Nothing was changed."
        case NoInquiry():
            return "There is no such inquiry to this request. Nothing was changed; Details shows what was asked."
        case Blank():
            return NO_WORDS
        case _:
            assert_never(outcome)


def _not_recorded(outcome: Due | Broken | Unconfirmed) -> str:
    if isinstance(outcome, Due):
        now = outcome.now  # a time to come is not the one that ran out
        ran_out = f"Its time ran out at {clock(now.fire_at)}" if now.fire_at <= now.at else "Its time ran out"
        return f"{ran_out}, so nothing was recorded. The card shows what follows from that."
    return UNCONFIRMED if isinstance(outcome, Unconfirmed) else _broken(outcome)


def _decided(now: Standing, halt: Halt | None) -> str:
    if now.status == "answered":
        return f"Answered. The agent is told. {_next(now.run_status)}"
    if now.status == "denied":
        return f"Denied. Nothing is done, and the agent is told. {_next(now.run_status)}"
    if now.status == "cancelled":
        return f"Withdrawn. Nothing is done, and the agent is told. {_next(now.run_status)}"
    if halt and now.run_status in {"queued", "running", "awaiting_child"}:
        by = f"{person(halt.name)} has stopped all actions since {clock(halt.halted_at)}"
        return f"Approved. Nothing is done yet: {by}. When they go on, it is checked again, and carried out if it still holds."
    return f"Approved. {_next(now.run_status)}"


def _next(run: RunStatus) -> str:
    match run:
        case "awaiting_approval":
            return "Another request of the same turn still waits; the agent goes on when all are answered."
        case "paused":
            return "An operator holds the run; it goes on when it is resumed."
        case "done" | "error" | "cancelled":
            return "Its run has ended."
        case "in_doubt":
            return "The run waits until somebody says what came of an earlier action."
        case "queued" | "running" | "awaiting_child":
            return "The agent goes on."
        case _:
            assert_never(run)


def _settled(now: Standing, name_of: NameOf) -> str:  # noqa: C901  a case for each status
    """Who was quicker, or what, and how long ago."""
    when = ago(now.at - now.decided_at) if now.decided_at else "just now"
    by = _by(now, name_of)
    because = f": {cut(one_line(now.reason).rstrip('.'), 300)}" if now.reason else ""
    match now.status:
        case "approved" | "failed" if now.effect_status in {"in_doubt", "abandoned"}:
            known = "and tried; nobody knows" + (" yet" if now.effect_status == "in_doubt" else "")
            text = f"Already approved by {by}, {known} whether it happened. The card shows what comes of it."
        case "approved":
            text = f"Already approved by {by}, {when}. The card shows what comes of it."
        case "executed" | "failed":
            end = "carried out" if now.status == "executed" else "tried, without success"
            text = f"Already approved by {by}, and {end}. The card shows what came of it."
        case "denied":
            text = f"Already denied by {by}, {when}{because}. Nothing is done."
        case "answered":
            text = f"Already answered by {by}, {when}{because}. That answer stands."
        case "expired":
            text = f"Expired {when}: nobody had answered by {clock(now.fire_at)}. {_AGAIN}"
        case "cancelled":
            how = f"withdrawn by {by}" if now.decided_by else "called off"
            text = f"Already {how}, {when}{because}. Nothing is done."
        case "superseded":
            text = f"Replaced by a new request, {when}{because}. Please decide on the new card."
        case "voided":
            text = f"No longer valid, {when}{because}. {_AGAIN}"
        case "waiting":
            text = f"It still waits for {approver_name(now.approver, _name(now, name_of))}. Please try again."
        case _:
            assert_never(now.status)
    return text


def _by(now: Standing, name_of: NameOf) -> str:
    """Who decided, and for whom: only somebody standing in answers what another person is asked by name."""
    if not now.decided_by:
        return "the system"
    kind, _, asked = now.approver.partition(":")
    stood_in = kind == "person" and asked != now.decided_by and now.status != "cancelled"
    return person(name_of(now.decided_by)) + (f" for {person(name_of(asked))} (away)" if stood_in else "")


def _not_yours(outcome: NotYours, name_of: NameOf) -> str:
    now = outcome.now
    who = approver_name(now.approver, _name(now, name_of))
    until = clock(now.fire_at)
    match outcome.why:
        case "not_requester" | "not_to_reply" | "question" | "no_question":
            return _NOT_SO[outcome.why]
        case "own":
            must = "decide" if now.votes_left else "answer"
            return f"You asked for this, so somebody else must {must}: {who}, until {until}. You may withdraw it."
        case "voted":
            return f"Your approval is counted already; {_count(now.votes_left, 'more approval')} needed from somebody else, by {until}."
        case "open":
            doubted = "It was tried, and nobody knows yet whether it happened, so it can no longer be withdrawn."
            under_way = (
                "It is being carried out, so it can no longer be withdrawn. The card will show what comes of it."
            )
            return doubted if now.effect_status == "in_doubt" else under_way
        case "not_yours" if now.level:
            return f"{came(now.level, ())} is with {who} now, until {until}. Nothing was changed."
        case "not_yours":
            return f"It is for {who} to {'decide' if now.votes_left else 'answer'}, until {until}. Nothing was changed."
        case _:
            assert_never(outcome.why)


def _broken(outcome: Broken) -> str:
    name = screen_id("pause", outcome.now.pause_id)
    match outcome.why:
        case "broken":
            return f"{name} was altered after it was stored, so nothing can be decided on it. Please tell an operator."
        case "stale":
            return f"This card does not show {name} as it is stored, so nothing was recorded. Open Details and decide there."
        case _:
            assert_never(outcome.why)


def _name(now: Standing, name_of: NameOf) -> str | None:
    kind, _, key = now.approver.partition(":")
    return name_of(key) if kind == "person" else None


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
