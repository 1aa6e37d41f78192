"""What an action needs, in words: who is asked and for how long, that it is done without asking, or why it is never done.

Pure. The same words serve a dry run and an explanation of the policy.
"""

from bot.cards.phrases import approver_name, person, span
from bot.commands.terminal import plain
from engine.rules.needs import Need, Step
from engine.rules.people import People


def in_words(need: Need, approver: str | None, people: People) -> str:
    """One line: what becomes of it. `approver` is who is asked first, None if nobody may be."""
    match need.kind:
        case "allow":
            return "done without asking"
        case "forbid":
            return f"forbidden: {plain(need.why)}"
        case "ask" if approver is None:
            return "refused: nobody but the requester may decide on it"
        case "ask":
            several = f"{need.approvers} of " if need.approvers > 1 else ""
            who = approver_name(approver or "", _name(approver or "", people))
            return f"asks {several}{who}; {span(need.answer_within_s)} to answer"


def silence(need: Need, people: People) -> str:
    """What happens when nobody answers, step by step to the final answer."""
    steps = [f"after {_gone(need, n)} it goes to {_step(step, people)}" for n, step in enumerate(need.steps)]
    return "; ".join([*steps, f"after {_gone(need, len(steps))} it counts as not approved, and nothing is done"])


def tolerance(need: Need) -> str:
    """How far the price may move between the yes and the doing."""
    if not need.tolerance_bp:
        return "the price may not change"
    way = {"both": "up or down", "up": "up only", "down": "down only"}[need.direction]
    return f"the price may move by {need.tolerance_bp / 100:g} %, {way}"


def _gone(need: Need, steps: int) -> str:
    return span(need.answer_within_s + sum(step.answer_within_s for step in need.steps[:steps]))


def _step(step: Step, people: People) -> str:
    if step.manager_of:
        return f"the manager of the {step.manager_of}"
    asked = f"role:{step.role}" if step.role else f"person:{step.person}"
    return approver_name(asked, _name(asked, people))


def _name(approver: str, people: People) -> str | None:
    kind, _, key = approver.partition(":")
    found = people.get(key) if kind == "person" else None
    return person(found.name) if found else None
