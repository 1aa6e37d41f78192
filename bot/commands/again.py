"""`placet again`: a request that lapsed is asked again by its requester; judged as a click is, by the same statement, in the same words."""

import typer

from bot.cards.again import said
from bot.commands.decisions import PauseId
from bot.commands.terminal import SURFACE, As, Exit, actor, complain, database, say
from engine.models import AskedAgain
from engine.state import again as verbs
from engine.state import pauses, runs

app = typer.Typer()


@app.command()
def again(
    pause: PauseId,
    person: As,
) -> None:
    """Ask again for a request of one's own that expired, was withdrawn or came too late, by the price and the policy of now."""
    with database() as conn:
        by = actor(conn, person)
        pause_id = runs.by_tail(pause, "pause", lambda tail: pauses.find(conn, tail))
        outcome = verbs.ask(conn, pause_id, by.id, surface=SURFACE)
    if isinstance(outcome, AskedAgain):
        say(said(outcome))
        return
    complain(said(outcome))
    raise typer.Exit(Exit.LOST)
