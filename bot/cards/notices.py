"""What is said once, in a message of its own: a run has ended, something still waits, or nobody can tell whether something happened.

The one rule: what an agent or a provider said is shown as theirs, in rich text, and never read as formatting.
"""

from bot.cards import blocks, facts, ids, inquiries, parts
from bot.cards.ids import screen_id
from bot.cards.outcomes import told
from bot.cards.parts import Block, Message, Moment, clock, cut, paragraph, quoted, small
from bot.cards.phrases import approver_name, person
from bot.cards.seen import one_line, seen
from engine.models import DoubtfulEffect, Inquiry, Pause, RunRecord

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


def asked_back(pause: Pause, one: Inquiry) -> Message:
    """Below an approver's card: what was asked of the requester, and that the answer comes there, if it can still come."""
    head = f"{person(one.name)} asked {facts.requester(pause)}"
    coming = pause.status == "waiting" and one.reply is None
    here = small("The answer will be said here, and stand on the card.") if coming else []
    return _said(head, one.text, [*inquiries.inquiry(pause, one, inquiries.SAID_MOST), *here])


def inquiry(pause: Pause, one: Inquiry, *, env: str) -> Message | None:
    """To the requester: what somebody who may decide wants to know, with a button to answer. None: it is answered, or settled, by now."""
    if pause.content is None or pause.status != "waiting" or one.reply is not None:
        return None
    head = f"{person(one.name)} asks you something before deciding"
    button = blocks.button_of(pause, env)
    until = small("Nothing is decided by it, and the time to decide goes on.", Moment("It ends {}.", pause.fire_at))
    offered = parts.buttons(inquiries.reply_button(button, one), parts.details(ids.encode(button)))
    asked = quoted("The inquiry", cut(seen(one.text).text, inquiries.SAID_MOST, "… (all of it in Details)"))
    return _said(head, one.text, [*parts.strong(f"{head}."), *asked, *_about(pause), *until, *offered])


def replied(pause: Pause, one: Inquiry) -> Message:
    """Below an approver's card: what the requester answered to which inquiry."""
    return _said(f"{facts.requester(pause)} answered", one.reply or "", inquiries.pair(pause, one, inquiries.SAID_MOST))


def reply(pause: Pause, one: Inquiry, *, env: str) -> Message:
    """The same to who asked, where no card of theirs stands: with what it is about, and how that stands."""
    head = f"{facts.requester(pause)} answered your inquiry"
    until = [Moment("Answer by {}.", pause.fire_at)] if pause.status == "waiting" else []
    details = parts.buttons(parts.details(ids.encode(blocks.button_of(pause, env))))
    pair = inquiries.pair(pause, one, inquiries.SAID_MOST)
    stands = small(told(pause).text, *until)
    return _said(head, one.reply or "", [*parts.strong(f"{head}."), *pair, *_about(pause), *stands, *details])


def _said(head: str, words: str, shown: list[Block]) -> Message:
    return Message(text=parts.escape(f"{head}: {cut(one_line(words), 500)}"), blocks=shown)


def _about(pause: Pause) -> list[Block]:
    summary = one_line(pause.content.summary) if pause.content else blocks.ALTERED
    return [*small(cut(summary, 300)), *facts.footer(pause)]


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
