"""Looks at all that must hold before a request can be asked, shown and answered, and says how to mend what does not. It changes nothing.

The one rule: what is wrong is said with what to do; what cannot be looked at is said, too, and is not taken for well.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime

from bot.doctor import house
from bot.doctor import slack as at_slack
from bot.doctor.findings import Finding, part_of
from engine.settings import SlackAccess

__all__ = ["Finding", "examine"]


def examine(environ: Mapping[str, str], *, now: datetime) -> Iterator[Finding]:
    """Everything, one finding after the other; `now` is our clock. What rests on something that is wrong is left out."""
    yield from house.settings(environ)
    agents = house.agents(environ)
    yield agents.finding
    rows = house.rows(environ)
    yield from rows.findings
    if rows.policy is not None:
        yield from house.together(agents.loaded, rows.policy, rows.people)
    access = part_of(SlackAccess, environ)
    if access is not None:
        yield from at_slack.slack(access, rows, now)
