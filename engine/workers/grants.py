"""Whether a recorded grant still holds by our own rows, and what it says: who, for whom, which scopes; never a secret.

What can be told without asking anybody is told first. Only then is a credential minted for it (credentials), late.
"""

from engine.models import Content, Run
from engine.rules.people import People
from engine.state.ledger import StandingNow
from engine.tool import Tool
from engine.workers.credentials import Borrowed, Grant, GrantGone
from engine.workers.means import Means


def lost(standing: StandingNow, requester: str) -> GrantGone | None:
    """What of the recorded grant holds no more; None: it holds."""
    if not standing.requester_active:
        return GrantGone(f"{requester}, for whom this was asked, is no longer active.")
    if not standing.grant_holds:
        return GrantGone(f"{requester} no longer holds the authority this was asked under.")
    return None


def missed(held: Content, people: People) -> GrantGone | None:
    """What the requester lacks of what the request itself says it was asked under, whatever the run's row says; None: nothing."""
    requester = people.get(held.on_behalf_of)
    lacking = sorted(set(held.scopes) - set(requester.scopes if requester and requester.active else ()))
    if not lacking:
        return None
    name = requester.name if requester else held.on_behalf_of
    return GrantGone(f"{name} no longer holds the authority this was asked under ({', '.join(lacking)}).")


def borrow(means: Means, run: Run, tool: Tool, held: Content | None) -> Borrowed:
    """The credential for one call of this tool, to be minted when it is needed; narrowed to what was asked for, if that was asked."""
    grant = Grant(
        requester=run.on_behalf_of,
        acts_as=run.acts_as,
        action=tool.action or tool.name,
        scopes=held.scopes if held else tool.scopes,
        variable=tool.credential,
        audience=tool.audience,
    )
    return Borrowed(means.credentials, grant)
