"""What is asked, as blocks: the facts that code rendered once, the agent's own words below them, and what looks wrong.

The one rule: nothing here is cut. Whoever has too little room leaves out whole parts, and says so (blocks).
"""

from collections.abc import Iterable, Sequence

from bot.cards.ids import screen_id
from bot.cards.parts import FIELD, Block, Moment, boxed, flat, header, labelled, paragraph, quoted, size, small
from bot.cards.phrases import approver_name, person
from bot.cards.seen import LONGEST, one_line, seen, seen_line
from engine.models import Content, Line, Pause, Waiting, with_amount
from engine.rules import policy
from engine.rules.digest import short
from engine.rules.needs import Need, Step

WHY = "Why, in the agent's words"

_LINE = 240  # a value up to this size reads well on a line with its label
_HEADING = 150
_MOST_WARNED = 8
_MOST_VOTES = 5


def heading(content: Content) -> list[Block]:
    """The title as a heading; one too long for that stands whole below another."""
    title = seen_line(content.title).text.strip()
    return [header(title)] if title and size(title) <= _HEADING else [header("Approve this?"), *paragraph(title)]


def rows(content: Content, lines: Iterable[Line]) -> list[Block]:
    """The amount, unless a line says it, and these lines."""
    return fields(with_amount(content.amount, lines))


def fields(lines: Iterable[Line]) -> list[Block]:
    """Labels and values in their order, whole: short ones a line each, long ones each in a box of its own."""
    made: list[Block] = []
    short: list[tuple[str, str]] = []
    for line in lines:
        label, value = seen_line(line.label).text or "(no label)", seen(line.value).text
        value = value if value.strip() else "(blank)" if value else "(empty)"
        if "\n" in value or size(value) > _LINE or size(label) + size(value) >= FIELD:
            made += [*labelled(short), *boxed(label, value)]
            short = []
        else:
            short.append((label, value))
    return [*made, *labelled(short)]


def asked_by(pause: Pause | Waiting, content: Content) -> str:
    """Who asks, for whom, with what authority, and the rule that says so."""
    agent, acts_as = seen_line(content.agent).text, seen_line(content.acts_as).text
    acting = "" if acts_as in {agent, f"agent:{agent}"} else f", acting as {acts_as},"
    rule = f"rule “{seen_line(content.need.rule).text}”, {seen_line(content.need.policy_version).text}"
    return f"Asked by the {agent} agent{acting} for {requester(pause)} · {rule}"


def asked_again(content: Content) -> list[Block]:
    """Why it is asked once more, and the price then and now; nothing for a first request."""
    before = content.supersedes
    if before is None:
        return []
    now = content.quote.price if content.quote else content.amount
    prices = f" Was {before.was}, now {now}." if before.was and now and before.was != now else ""
    why = one_line(before.why).rstrip(".")
    return paragraph(f"Asked again: {why}.{prices}") + small(f"It replaces {screen_id('pause', before.pause_id)}.")


def deadline(pause: Pause, content: Content) -> list[Block]:
    """Until when to answer, and what silence means."""
    return small(Moment("Answer by {}.", pause.fire_at), silence(pause, content))


def shown_later(pause: Pause, content: Content) -> list[Block]:
    """When those who are asked first are shown it, together with what else came in; nothing if they were at once."""
    at = content.shown_at if pause.level == 0 else None
    whom = approver_name(pause.approver, pause.approver_name)
    sees = "sees" if pause.approver.startswith("person:") else "see"
    return small(f"{whom} {sees} it in the digest of", Moment("{}.", at)) if at else []


def stand_ins(pause: Pause) -> list[Block]:
    """Who may answer in place of the person asked, who is away; nothing while that person is here."""
    if not pause.stand_ins:
        return []
    away = approver_name(pause.approver, pause.approver_name)
    return small(
        f"{away} is away; {' or '.join(person(one.name) for one in pause.stand_ins)} may answer in their place."
    )


def quote(content: Content) -> list[Block]:
    """The price as its seller gave it, and until when it holds; nothing where none was asked for."""
    if content.quote is None:
        return []
    reference = f" ({seen_line(content.quote.reference).text})" if content.quote.reference else ""
    price = f"Quote: {content.quote.price}{reference}"
    until = content.quote.valid_until
    return small(price, *([Moment("valid until {}", until)] if until else []), tolerance(content.need))


def tolerance(need: Need) -> str:
    """How far the price may move until it is asked anew: it bounds what a yes covers."""
    if not need.tolerance_bp:
        return "any other price is asked anew"
    way = {"both": "either way", "up": "up, and not down", "down": "down, and not up"}[need.direction]
    return f"may move by {need.tolerance_bp / 100:g} % {way}"


def silence(pause: Pause, content: Content) -> str:
    """What happens if nobody answers, as decided in advance."""
    steps = content.need.steps[pause.level :] if content.need.on_expiry == "escalate" else ()
    asked = content.need.is_question
    if not steps:
        end = "the agent is told so, and has no answer" if asked else "it counts as not approved, and nothing is done"
        return f"If nobody answers, {end}."
    last = "the agent is told that nobody answered" if asked else "nothing is done"
    otherwise = "it goes where its rule says next" if len(steps) > 1 else last
    if_they = "if they can be asked" if asked else "if they may decide on it"
    return f"If nobody answers, it goes to {_next(steps[0], pause)}, {if_they}; else {otherwise}."


def approvals(pause: Pause, content: Content) -> list[Block]:
    """How many of several approvals are given, the latest by whom and when; nothing where one is enough."""
    needed = content.need.approvers
    given = [vote for vote in pause.votes if vote.verdict == "approve"][-_MOST_VOTES:]
    if needed < 2:
        return []
    made: list[str | Moment] = [f"{needed - pause.votes_left} of {needed} approvals{':' if given else ''}"]
    for vote in given:
        absent = pause.voted_for(vote.person)
        made += [
            person(vote.name) + (f" for {person(pause.approver_name or absent)} (away)" if absent else ""),
            Moment("{}", vote.at),
        ]
    return small(*made)


def counted_with(content: Content) -> list[Block]:
    """That it counts together with earlier payments, which is why it is asked about at this amount; nothing where it does not."""
    counted = policy.counted_with(content.need.why)
    return small(one_line(counted)) if counted else []


def explanation(text: str) -> list[Block]:
    """The agent's reason, as its own words; nothing if it gave none."""
    return quoted(WHY, text) if text.strip() else []


def texts(content: Content) -> list[tuple[str, str]]:
    """All that is told of a request in words that are not ours, by what it is."""
    return [
        ("The title", content.title),
        ("The summary", content.summary),
        *((line.label, f"{line.label} {line.value}") for line in content.lines),
        (WHY, content.explanation),
    ]


def is_beyond(content: Content) -> bool:
    """Whether it is too long to be looked at whole: then nobody is offered a decision on it in Slack."""
    return sum(len(text) for _, text in texts(content)) > LONGEST


def warnings(content: Content) -> list[Block]:
    """What to look at twice: where the text holds what eyes cannot see or easily mistake."""
    found = [f"• {person(name)[:60]}: {warning}" for name, text in texts(content) for warning in seen(text).warnings]
    if not found:
        return []
    more = [f"• and {len(found) - _MOST_WARNED} more"] if len(found) > _MOST_WARNED else []
    return paragraph("\n".join(["⚠ Look closely before you decide.", *found[:_MOST_WARNED], *more]))


def footer(pause: Pause) -> list[Block]:
    """The request's id and the digest that people compare; and which of its turn it is, where that asks for several."""
    beside = f" · {place(pause)}" if pause.of_turn > 1 else ""
    return small(f"{screen_id('pause', pause.id)} · {short(pause.digest)}{beside}")


def place(pause: Pause) -> str:
    """Which of its turn it is: "2 of 3 of this turn"."""
    return f"{pause.nth} of {pause.of_turn} of this turn"


def requester(pause: Pause | Waiting) -> str:
    """Whom it is for."""
    return person(pause.requester_name or pause.on_behalf_of)


def whole(pause: Pause | Waiting, content: Content, lines: Sequence[Line], why: str) -> list[Block]:
    """What is asked, from the summary down to the agent's reason."""
    return flat(
        (
            warnings(content),
            asked_again(content),
            paragraph(seen(content.summary).text),
            rows(content, lines),
            quote(content),
            small(asked_by(pause, content)),
            explanation(why),
        )
    )


def _next(step: Step, pause: Pause) -> str:
    """Whom a step names. Who that is when it comes to it, and whether they may decide, only then can be told."""
    if step.role:
        return approver_name(f"role:{step.role}")
    if step.person:
        return person(pause.step_names.get(step.person, step.person))
    if step.manager_of == "requester":
        return f"the next manager above {requester(pause)}"
    return f"the next manager above {approver_name(pause.approver, pause.approver_name)}"
