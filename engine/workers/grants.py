"""From a recorded grant to a credential for one call, late. What is stored is the grant: who, for whom, which scopes; never a secret.

Without an identity provider the directory answers: the requester is still here and still holds the scopes. The provider's key is read
from the environment at that moment, so that a rotated key is used and a removed one is missed before anything is begun.
"""

import os
from dataclasses import dataclass

from engine.models import Content
from engine.rules.people import People
from engine.state.ledger import StandingNow


@dataclass(frozen=True, slots=True)
class Minted:
    """A credential for one call. Not to be kept, logged or stored; "" for a tool that declares none."""

    credential: str


@dataclass(frozen=True, slots=True)
class GrantGone:
    """The authority is gone; `why` is a sentence for requester and approver."""

    why: str


def mint(standing: StandingNow, requester: str, variable: str | None) -> Minted | GrantGone:
    """A fresh credential for the recorded grant, if it still holds."""
    if not standing.requester_active:
        return GrantGone(f"{requester}, for whom this was asked, is no longer active. Nothing was done.")
    if not standing.grant_holds:
        return GrantGone(f"{requester} no longer holds the authority this was asked under. Nothing was done.")
    key = for_looking_up(variable)
    if variable is not None and not key:
        return GrantGone(f"The provider's key is not set here ({variable}). Nothing was done. Set it and launch again.")
    return Minted(key)


def missed(held: Content, people: People) -> GrantGone | None:
    """What the requester lacks of what the request itself says it was asked under, whatever the run's row says; None: nothing."""
    requester = people.get(held.on_behalf_of)
    lacking = sorted(set(held.scopes) - set(requester.scopes if requester and requester.active else ()))
    if not lacking:
        return None
    return GrantGone(
        f"{requester.name if requester else held.on_behalf_of} no longer holds the authority this was asked under ({', '.join(lacking)}). "
        "Nothing was done."
    )


def for_looking_up(variable: str | None) -> str:
    """What finding out whether something happened needs, whoever has lost which authority meanwhile; "" if it is not there."""
    return os.environ.get(variable, "") if variable else ""
