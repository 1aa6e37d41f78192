"""`placet ask` and `placet reply`: an inquiry to the requester before a decision, its answer, and the answer to a question of an agent. Judged as in Slack, and told in the same words."""

from collections.abc import Callable
from typing import Annotated
from uuid import UUID

import typer

from bot.cards import phrases
from bot.cards.ids import screen_id
from bot.commands.decisions import PauseId, decide, settled_first
from bot.commands.terminal import SURFACE, As, Exit, actor, complain, database, plain_joined, say
from engine.errors import BadInput
from engine.models import AskOutcome, InquiryMade, InquiryReplied, Outcome, Pause
from engine.rules import questions
from engine.rules.inquiries import WORDS_MOST
from engine.state import db, inquiries, pauses, people, runs

app = typer.Typer()

Move = Callable[[db.Conn, Pause, str], AskOutcome]


@app.command()
def ask(
    pause: PauseId,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What the requester is asked.")],
    person: As,
) -> None:
    """Ask the requester something before deciding; nothing is decided by it."""

    def asked(conn: db.Conn, about: Pause, by: str) -> AskOutcome:
        return inquiries.ask(conn, about.id, by, text=question, surface=SURFACE)

    _say(asked, pause, person, "QUESTION", question)


@app.command()
def reply(
    pause: PauseId,
    answer: Annotated[
        str,
        typer.Argument(
            metavar="ANSWER", help="What whoever asked is answered; of a question: a choice, or your words."
        ),
    ],
    person: As,
    number: Annotated[
        int | None,
        typer.Option("--inquiry", min=1, help="Which inquiry, where several are open: as show numbers them."),
    ] = None,
) -> None:
    """Answer what an agent asks (its question), or what an approver asks about a request of one's own (an inquiry). It approves nothing."""
    with database() as conn:
        asked = pauses.get(conn, runs.by_tail(pause, "pause", lambda tail: pauses.find(conn, tail)))
    if asked.is_question:
        if number is not None:
            raise BadInput("--inquiry", "this is a question of an agent, and no inquiry. Leave it out.")
        _answer(pause, answer, person)
        return

    def answered(conn: db.Conn, about: Pause, by: str) -> AskOutcome:
        n = _open(about) if number is None else number
        return inquiries.reply(conn, about.id, by, n, text=answer, surface=SURFACE)

    _say(answered, pause, person, "ANSWER", answer)


def _answer(pause: str, text: str, person: str) -> None:
    def verb(conn: db.Conn, pause_id: UUID, by: str, *, surface: str, reason: str) -> Outcome:
        return pauses.answer(conn, pause_id, by, reason, surface=surface)

    if why := questions.unfit(text):
        raise BadInput("ANSWER", why)
    decide(verb, pause, person, text)


def _open(pause: Pause) -> int:
    """The number of the only inquiry that is open, or else of the latest there is: what comes of that is told. Raises BadInput if several are."""
    unanswered = [one for one in pause.inquiries if one.reply is None]
    if len(unanswered) > 1:
        listed = "; ".join(f"{one.n}: {plain_joined(one.text)}" for one in unanswered)
        raise BadInput("--inquiry", f"several inquiries are open. Write the number of one. {listed}")
    return unanswered[0].n if unanswered else len(pause.inquiries)


def _say(move: Move, pause: str, person: str, field: str, words: str) -> None:
    if len(words) > WORDS_MOST:
        raise BadInput(field, phrases.LONG_REASON)
    with database() as conn:
        by = actor(conn, person)
        about = pauses.get(conn, runs.by_tail(pause, "pause", lambda tail: pauses.find(conn, tail)))
        outcome = settled_first(about.id, lambda: move(conn, about, by.id))
        names = people.names(
            conn, [about.on_behalf_of, outcome.now.approver.partition(":")[2], outcome.now.decided_by or ""]
        )
    if about.content:
        say(f"{screen_id('pause', about.id)}: {plain_joined(about.content.summary)}")
    said = phrases.said(outcome, lambda key: names.get(key, key))
    if isinstance(outcome, InquiryMade | InquiryReplied):
        say(said)
        return
    complain(said)
    raise typer.Exit(Exit.LOST)
