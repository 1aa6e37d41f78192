"""What is said to whoever asks again for what lapsed: that it is, and where; or why it is not, and what to do.

The sentences are plain text, for Slack and for the command line alike.
"""

from typing import Final, assert_never

from bot.cards.ids import screen_id
from engine.models import AskedAgain, NotAskedAgain

_ANEW: Final = "What is still wanted of it can be launched as a task of its own."


def said(outcome: AskedAgain | NotAskedAgain) -> str:
    """What came of it."""
    if isinstance(outcome, AskedAgain):
        run = screen_id("run", outcome.again_run)
        if outcome.new:
            return f"Asked again, in {run}: by the price, the policy and the people of now. What comes of it is shown to you."
        return f"It was asked again already, in {run}, where it goes on. Nothing was added."
    return f"Not asked again. {_why(outcome)}"


def _why(outcome: NotAskedAgain) -> str:
    run, other = screen_id("run", outcome.run_id), outcome.other
    match outcome.why:
        case "not_requester":
            why = "Only the person it was asked for may ask for it again."
        case "not_lapsed":
            why = _not_lapsed(outcome)
        case "begun":
            why = f"Something of the same turn was carried out, and would be done twice. {_ANEW}"
        case "broken":
            why = f"{screen_id('pause', outcome.pause_id)} was altered after it was stored. Please tell an operator."
        case "live" if other:
            why = f"{screen_id('pause', other)} asks for the same in {run}, and that one counts."
        case "live":
            why = f"{run} works at it and has not ended. Ask again when it has; cancelling {run} ends it at once."
        case "done":
            effect = screen_id("effect", other) if other else "another action"
            why = f"The same was done since, as {effect}. {_ANEW}"
        case "refused":
            request = screen_id("pause", other) if other else "another request"
            why = f"The same was refused since, in {request}, and that holds. Talk to whoever refused it."
        case _:
            assert_never(outcome.why)
    return why


def _not_lapsed(outcome: NotAskedAgain) -> str:
    match outcome.status:
        case "waiting":
            why = "It still waits for its answer."
        case "approved":
            why = "It is approved, and its card shows what comes of it."
        case "executed":
            why = f"It was done. {_ANEW}"
        case "failed":
            why = f"It was tried, without success, and its agent was told. {_ANEW}"
        case "denied":
            why = "It was denied, and that holds. Talk to whoever denied it."
        case "answered":
            why = "It was answered, and its agent was told."
        case "superseded":
            why = "Another request took its place, and that one counts."
        case "cancelled" | "expired" | "voided":
            why = f"It fell with what was denied, or its run was ended by somebody else, or it was a question, after which its run went on. {_ANEW}"
        case _:
            assert_never(outcome.status)
    return why
