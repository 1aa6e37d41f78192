"""What is said once, in a message of its own: a run has ended, something still waits, or nobody can tell whether something happened.

The one rule: what an agent or a provider said is shown as theirs, in rich text, and never read as formatting.
"""

from bot.cards import blocks, facts, ids, parts
from bot.cards.ids import screen_id
from bot.cards.parts import Message, Moment, clock, cut, paragraph, quoted, small
from bot.cards.phrases import approver_name, person
from bot.cards.seen import one_line, seen
from engine.models import DoubtfulEffect, Pause, RunRecord

_MOST = 5_000


def run_ended(run: RunRecord) -> Message:
    """To the requester: what the agent said last, or why the run ended without it."""
    agent = person(run.agent)
    match run.status:
        case "done":
            head, label, words = f"The {agent} agent is done", "Its answer", run.result
        case "cancelled":
            stands = f". What it did before stands: {person(', '.join(run.done))}" if run.done else ""
            head, label, words = f"The run of the {agent} agent was withdrawn{stands}", "Why", run.error
        case _:
            head, label, words = f"The {agent} agent could not go on", "Why", run.error
    number = screen_id("run", run.id)
    more = f"… (cut here; /approvals run {number} shows all of it)"
    said = quoted(label, cut(seen(words).text, _MOST, more)) if words and words.strip() else []
    asked = small(f"You asked: {cut(one_line(run.input), 150)}") if run.input.strip() else []
    text = f"{head}. {cut(one_line(words or ''), 500)}".strip()
    return Message(
        text=parts.escape(text),
        blocks=[*paragraph(f"{head}."), *said, *asked, *small(number, Moment("asked {}", run.created_at))],
    )


def reminder(pause: Pause, *, level: int, env: str, dest: str) -> Message | None:
    """To whom it waits for: that it still does, and until when. None: it waits no more, or with somebody else by now, or whoever is there stands in no more."""
    content = pause.content
    if content is None or not blocks.can_decide(pause, level, dest):
        return None
    summary = cut(seen(content.summary).text, 1_000, "… (all of it in Details)")
    head = f"Still waiting for {approver_name(pause.approver, pause.approver_name)}"
    value = ids.encode(blocks.button_of(pause, env))
    until = Moment("Answer by {}.", pause.fire_at)
    return Message(
        text=parts.escape(f"{head}: {cut(one_line(content.summary), 500)} Answer by {clock(pause.fire_at)}."),
        blocks=[
            *parts.strong(f"{head}."), *paragraph(summary), *small(until, facts.silence(pause, content)), *facts.footer(pause),
            *parts.buttons(parts.details(value)),
        ],
    )  # fmt: skip


def in_doubt(effect: DoubtfulEffect, *, askable: bool) -> Message:
    """To the requester: whether it happened is not known, who looks into it, and that nothing is tried again meanwhile.

    `askable`: somebody else than they holds the role, so that there is somebody to look.
    """
    until = f"Nothing is tried again until somebody with the role {person(effect.doubt_role)} has looked"
    nobody = "and at present nobody has it who may say so. Please ask an operator to give it to somebody else than you."
    sentence = (
        f"Nobody can tell yet whether an action of the {person(effect.agent)} agent happened: {person(effect.tool)}. "
        f"{until}{'. You need do nothing.' if askable else f', {nobody}'}"
    )
    said = quoted("What the provider said", cut(seen(effect.error).text, 1_000)) if effect.error else []
    numbers = small(screen_id("run", effect.run_id), Moment("tried {}", effect.created_at))
    return Message(text=parts.escape(sentence), blocks=[*paragraph(sentence), *said, *numbers])
