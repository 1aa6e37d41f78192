"""What is said of a halt: that every action is stopped, by whom, since when and why, and what came of an operator's wish about it."""

from bot.cards.parts import clock, cut
from bot.cards.phrases import person
from bot.cards.seen import one_line
from engine.models import Halt


def stopped(standing: Halt) -> str:
    """That every action is stopped, in one sentence, to stand before a list of what would otherwise be done."""
    why = cut(one_line(standing.reason).rstrip("."), 300)
    return (
        f"{person(standing.name)} has stopped all actions since {clock(standing.halted_at)}{f': {why}' if why else ''}."
    )


def halted(outcome: str, standing: Halt | None, *, go_on: str) -> str:
    """What came of an operator's wish to stop every effect, or to let them go on; `go_on` is the command for that."""
    match outcome:
        case "halt":
            return f"Nothing more is carried out; what had begun is finished. To let it go on: {go_on}"
        case "unhalt":
            return "Actions go on. What was approved meanwhile is checked again, and carried out if it still holds."
        case "not_yours":
            return "Only people with the role operator may do that. Nothing was changed."
        case "already" if standing:
            why = f" Why: {cut(one_line(standing.reason), 300)}" if standing.reason else ""
            return f"Actions are halted already, by {person(standing.name)}, since {clock(standing.halted_at)}.{why}"
    return "Actions are not halted. Nothing was changed."
