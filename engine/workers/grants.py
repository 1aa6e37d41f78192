"""Whether a recorded grant still holds by our own rows, and what it says: who, for whom, which scopes; never a secret.

What can be told without asking anybody is told first. Only then is a credential minted for it (credentials), late.
"""

from collections.abc import Collection

from engine.models import Content, Run
from engine.state.ledger import StandingNow
from engine.tool import Tool
from engine.workers.credentials import Borrowed, Grant, GrantGone
from engine.workers.means import Means


def lost(standing: StandingNow, requester: str, scopes: Collection[str]) -> GrantGone | None:
    """What one call that needs these scopes lacks, of what its run was launched with and of what the requester holds now; None: nothing.

    What only other tools of the run need is not looked at. `requester` is the name that the sentences have.
    """
    if not standing.requester_active:
        return GrantGone(f"{requester}, for whom this was asked, is no longer active.")
    if lacking := sorted(set(scopes) - standing.held):
        why = f"{requester} does not hold what this needs ({', '.join(lacking)})."
        return GrantGone(
            why, f"Add it to the scopes of {requester} where people are kept, import or sync that, and launch again."
        )
    if lacking := sorted(set(scopes) - standing.granted):
        return GrantGone(f"This run was launched without what this needs ({', '.join(lacking)}).", "Launch it again.")
    return None


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
