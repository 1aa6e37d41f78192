"""Who is asked, as far as a row tells: one rule for every place that offers a decision. The statement that decides looks again."""

from collections.abc import Iterable

from engine.models import Actor, Pause, Waiting


def is_barred(pause: Pause | Waiting, me: Actor) -> bool:
    """Whether it is their own request, on which they may not decide. A question is no request: who is asked one by name may answer it."""
    return pause.on_behalf_of == me.id and not (pause.is_question and pause.approver == f"person:{me.id}")


def is_asked(approver: str, stand_ins: Iterable[str], me: Actor) -> bool:
    """Whether somebody is who is asked, holds the role that is, or stands in now for the person; `stand_ins` are their ids."""
    kind, _, name = approver.partition(":")
    return name in me.roles if kind == "role" else me.id in (name, *stand_ins)
