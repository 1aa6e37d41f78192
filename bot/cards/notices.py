"""What is said once, in a message of its own: a run has ended, or nobody can tell whether something happened.

The one rule: what an agent or a provider said is shown as theirs, in rich text, and never read as formatting.
"""

from bot.cards import parts
from bot.cards.ids import screen_id
from bot.cards.parts import Message, Moment, cut, paragraph, quoted, small
from bot.cards.phrases import person
from bot.cards.seen import seen, seen_line
from engine.models import DoubtfulEffect, RunRecord

_MOST = 5_000


def run_ended(run: RunRecord) -> Message:
    """To the requester: what the agent said last, or why the run ended without it."""
    agent = person(run.agent)
    match run.status:
        case "done":
            head, label, words = f"The {agent} agent is done", "Its answer", run.result
        case "cancelled":
            head, label, words = f"The run of the {agent} agent was withdrawn", "Why", run.error
        case _:
            head, label, words = f"The {agent} agent could not go on", "Why", run.error
    number = screen_id("run", run.id)
    more = f"… (cut here; /approvals run {number} shows all of it)"
    said = quoted(label, cut(seen(words).text, _MOST, more)) if words and words.strip() else []
    asked = small(f"You asked: {cut(seen_line(run.input).text, 150)}") if run.input.strip() else []
    text = f"{head}. {cut(seen_line(words or '').text, 500)}".strip()
    return Message(
        text=parts.escape(text),
        blocks=[*paragraph(f"{head}."), *said, *asked, *small(number, Moment("asked {}", run.created_at))],
    )


def in_doubt(effect: DoubtfulEffect) -> Message:
    """To the requester: whether it happened is not known, who looks into it, and that nothing is tried again meanwhile."""
    sentence = (
        f"Nobody can tell yet whether an action of the {person(effect.agent)} agent happened: {person(effect.tool)}. "
        f"Nothing is tried again until somebody with the role {person(effect.doubt_role)} has looked. You need do nothing."
    )
    said = quoted("What the provider said", cut(seen(effect.error).text, 1_000)) if effect.error else []
    numbers = small(screen_id("run", effect.run_id), Moment("tried {}", effect.created_at))
    return Message(text=parts.escape(sentence), blocks=[*paragraph(sentence), *said, *numbers])
