"""What has become of a request, in a sentence for its card: one function per status.

The one rule: a sentence says who, what and when by the row alone, and never more than is known: a time-out is nobody's
refusal, and a doubt is neither done nor not done. How it is laid out is in blocks.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, assert_never

from bot.cards.ids import screen_id
from bot.cards.parts import Moment, cut
from bot.cards.phrases import answering, approver_name, came, person
from bot.cards.seen import one_line, seen, seen_line
from engine.models import Pause
from engine.rules.money import Money, MoneyError

_MOST_FACTS = 8
_ANSWER_MOST = 2_500  # more than an answer has, unless what hides in it is shown
_FIRST = ("reference", "id", "charge", "amount")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """`head`: in a few words of ours. `text`: whole sentences. `at`: the times they speak of.

    `words`: what a person gave as the reason, or the answer, under its label; a card shows `words_most` of it. `facts`: from a receipt, name
    and value.
    """

    head: str
    text: str
    at: tuple[Moment, ...] = ()
    words: tuple[str, str] | None = None
    words_most: int = 600
    facts: tuple[tuple[str, str], ...] = ()


def told(pause: Pause) -> Told:  # noqa: C901  a case for each status
    """What a pause's row says about where it stands. Works for an altered pause too: nothing of its content is needed."""
    match pause.status:
        case "waiting":
            tell = _waiting
        case "approved":
            tell = _approved
        case "executed":
            tell = _executed
        case "failed":
            tell = _failed
        case "denied":
            tell = _denied
        case "answered":
            tell = _answered
        case "expired":
            tell = _expired
        case "cancelled":
            tell = _cancelled
        case "superseded":
            tell = _superseded
        case "voided":
            tell = _voided
        case _:
            assert_never(pause.status)
    return _again(tell(pause), pause)


def _again(stands: Told, pause: Pause) -> Told:
    """The same, with where it is asked again, if what lapsed is."""
    if not (pause.lapsed and pause.again_run):
        return stands
    text = f"{stands.text} Asked again in {screen_id('run', pause.again_run)}."
    return replace(stands, head=f"{stands.head}, asked again", text=text)


def receipt_facts(receipt: Any) -> tuple[tuple[str, str], ...]:
    """What a receipt says in plain words: its own names, and values of one line; what is nested is left to Details."""
    if isinstance(receipt, Mapping) and receipt.keys() == {"result", "quoted"}:
        receipt = receipt["result"]  # as the ledger keeps it: the tool's own result, and the prices beside it
    if not isinstance(receipt, Mapping):
        return (("receipt", _short(receipt)),) if receipt is not None else ()
    ordered = sorted(receipt.items(), key=lambda item: _FIRST.index(item[0]) if item[0] in _FIRST else len(_FIRST))
    facts = [(cut(seen_line(str(name)).text.replace("_", " "), 40), _fact(value)) for name, value in ordered]
    return tuple((name, value) for name, value in facts if value)[:_MOST_FACTS]


def _prices(receipt: Any) -> tuple[tuple[str, str], ...]:
    """Both prices, where the price moved within the tolerance between the yes and the deed."""
    quoted = receipt.get("quoted") if isinstance(receipt, Mapping) else None
    if not isinstance(quoted, Mapping) or quoted.get("approved") == quoted.get("now"):
        return ()
    return (("price when approved", _fact(quoted.get("approved"))), ("price when done", _fact(quoted.get("now"))))


def decider(pause: Pause) -> str:
    """Who decided, by name and by the id that stays when a name changes, and in whose place."""
    if pause.decided_by is None:
        return "the system"
    return answering(pause, pause.decided_by_name, pause.decided_by)


def _waiting(pause: Pause) -> Told:
    who = approver_name(pause.approver, pause.approver_name)
    return Told(
        head="Waiting for an answer", text=f"{came(pause.level, pause.voters, unseen=pause.unseen)} is with {who} now."
    )


def _approved(pause: Pause) -> Told:
    by, at = f"Approved by {decider(pause)}", _times(pause)
    if pause.effect_status == "in_doubt":
        whom = f" It is for somebody with the role {role} to say." if (role := _doubt_role(pause)) else ""
        unknown = "whether it happened is not known yet. Nothing is tried again until a person has looked."
        return Told(head="Approved, in doubt", text=f"{by}, and tried; {unknown}{whom}", at=at)
    words, kept = _words(pause), _kept(pause)
    if kept is None:
        return Told(head="Approved", text=f"{by}, working on it.", at=at, words=words)
    begun = "It was begun, and what came of it is not known yet"
    stands = begun if pause.effect_status == "attempted" else "Nothing is done yet"
    return Told(head=kept.head, text=f"{by}. {stands}: {kept.text}", at=(*at, *kept.at), words=words)


def _kept(pause: Pause) -> Told | None:
    """What keeps an approved action from being carried out, or from being found out about, now; None: nothing does."""
    if pause.effect_status == "attempted" and pause.run_status == "running":
        return None  # who had begun brings it to its end
    if pause.run_status == "paused":
        return Told(head="Approved, on hold", text="an operator holds the run.")
    if pause.run_status == "awaiting_approval":
        return Told(head="Approved", text="another request of the same turn still waits.")
    if pause.halted_by_name:
        return Told(head="Approved, halted", text=f"{person(pause.halted_by_name)} has stopped all actions for now.")
    if pause.put_off_why and pause.put_off_to:
        again = (Moment("Tried again {}.", pause.put_off_to),)
        return Told(head="Approved, not done yet", text=cut(one_line(pause.put_off_why), 300), at=again)
    return None


def _executed(pause: Pause) -> Told:
    text = f"Approved by {decider(pause)}, and done."
    facts = receipt_facts(pause.receipt) + _prices(pause.receipt)
    return Told(head="Done", text=text, at=_times(pause), facts=facts, words=_words(pause))


def _failed(pause: Pause) -> Told:
    by = f"Approved by {decider(pause)}, and tried"
    if pause.effect_status == "abandoned":
        ended = _because(pause.reason, "ended")
        return Told(
            head="Ended in doubt", text=f"{by}; {ended}, without knowing whether it happened.", at=_times(pause)
        )
    why = _because(pause.effect_error, "the provider did not say why")
    return Told(head="Failed", text=f"{by}, but it was not done: {why}.", at=_times(pause))


def _denied(pause: Pause) -> Told:
    return Told(
        head="Denied",
        text=f"Denied by {decider(pause)}. Nothing was done.",
        at=_times(pause),
        words=_words(pause),
    )


def _answered(pause: Pause) -> Told:
    at = (Moment("Answered {}", pause.decided_at),) if pause.decided_at else ()
    by = f"Answered by {decider(pause)}."
    return Told(head="Answered", text=by, at=at, words=_words(pause), words_most=_ANSWER_MOST)


def _expired(pause: Pause) -> Told:
    came_of_it = "there is no answer" if pause.is_question else "nothing was done"
    if pause.unseen:
        why = f"Nobody who was asked could be shown it, so {came_of_it}. An operator can see why in the log."
        return Told(head="Expired", text=why, at=_times(pause))
    needed = len(pause.voters) + pause.votes_left
    silence = (
        f"{len(pause.voters)} of {needed} approved; nobody else answered in time"
        if pause.voters
        else "Nobody answered in time"
    )
    return Told(
        head="Expired",
        text=f"{silence}, so {came_of_it}.",
        at=(Moment("Answer was due by {}.", pause.fire_at),),
    )


def _cancelled(pause: Pause) -> Told:
    why = f": {_because(pause.reason, '')}" if pause.reason else ""
    withdrawn = pause.decided_by is not None and pause.decided_by not in pause.voters
    head, how = ("Withdrawn", f"Withdrawn by {decider(pause)}") if withdrawn else ("Called off", "Called off")
    return Told(head=head, text=f"{how}{why}. Nothing was done.", at=_times(pause))


def _superseded(pause: Pause) -> Told:
    by = f"Approved by {decider(pause)}, but not carried out" if pause.decided_by else "No longer asked"
    again = f" It is asked again in {screen_id('pause', pause.superseded_by)}." if pause.superseded_by else ""
    text = f"{by}: {_because(pause.reason, 'something changed')}. Nothing was done.{again}"
    return Told(head="Replaced", text=text, at=_times(pause))


def _voided(pause: Pause) -> Told:
    by = f"Approved by {decider(pause)}, but not carried out" if pause.decided_by else "Not carried out"
    why = _because(pause.reason, "the authority behind it is gone")
    said = "Nothing was done" in why or "Nothing of this was done" in why
    text = f"{by}: {why}." if said else f"{by}: {why}. Nothing was done."
    return Told(head="No longer valid", text=text, at=_times(pause))


def _words(pause: Pause) -> tuple[str, str] | None:
    """The reason that the decider gave, quoted."""
    if not pause.reason or not pause.decided_by:
        return None
    return f"In the words of {person(pause.decided_by_name or pause.decided_by)}", seen(pause.reason).text


def _times(pause: Pause) -> tuple[Moment, ...]:
    """When it was decided, and when what was approved came to its end."""
    decided = (Moment("Decided {}", pause.decided_at),) if pause.decided_at else ()
    if pause.settled_at is None:
        return decided
    ended = Moment("Done {}" if pause.status == "executed" else "Ended {}", pause.settled_at)
    return (*decided, ended)


def _because(reason: str | None, otherwise: str) -> str:
    return cut(one_line(reason).rstrip("."), 500) if reason and reason.strip() else otherwise


def _doubt_role(pause: Pause) -> str | None:
    role = pause.content.need.doubt_role if pause.content else None
    return person(role) if role else None


def _fact(value: Any) -> str:
    match value:
        case {"amount": _, "currency": _}:
            try:
                return str(Money.from_document(value))
            except MoneyError:
                return ""
        case None | dict() | list():
            return ""
    return _short(value)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return cut(one_line(text), 80)
