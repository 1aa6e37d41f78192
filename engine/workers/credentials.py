"""Credentials for calls: minted late from a recorded grant, by the directory or by an identity server, and given back after the call.

What is stored is the grant alone: who, for whom, which scopes. The one rule: a credential is never kept, logged, stored or shown; it is
in memory for as long as its call needs it, and whatever holds it does not say it when it is printed.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What a credential is minted for: one action, for one person, as one agent, with the scopes that this action needs and no others.

    `variable` is the environment variable that holds the provider's key, `audience` the provider's address as the identity server knows
    it; at most one of them is set, and with neither the tool declares no credential.
    """

    requester: str
    acts_as: str
    action: str
    scopes: tuple[str, ...]
    variable: str | None = None
    audience: str | None = None


@dataclass(frozen=True, slots=True)
class Minted:
    """A credential for one call; "" for a tool that declares none. `ends` is when it runs out, in seconds of time.monotonic; None: not by itself.

    `lent_for` is the person for whom an identity server minted it, to whom it is to be given back; None: it is not lent.
    """

    credential: str = field(repr=False)
    ends: float | None = None
    lent_for: str | None = None


@dataclass(frozen=True, slots=True)
class GrantGone:
    """The authority is gone; `why` is a sentence for requester and approver, `mend` what to do about it ("": nothing can be said)."""

    why: str
    mend: str = ""

    @property
    def undone(self) -> str:
        """The same, for what was not begun."""
        return f"{self.why} Nothing was done.{' ' + self.mend if self.mend else ''}"


@dataclass(frozen=True, slots=True)
class Unreachable:
    """Nothing is known about the grant, because whoever could tell was not reached or makes no sense; `why` is a sentence."""

    why: str


class CredentialSource(Protocol):
    """Who mints. Safe to use from several threads."""

    def mint(self, grant: Grant) -> Minted | GrantGone | Unreachable:
        """A fresh credential for this grant, if it still holds. Raises nothing that is expected to happen."""

    def holds(self, minted: Minted) -> bool:
        """Whether it is still good; as far as can be told, else yes."""

    def give_back(self, minted: Minted) -> None:
        """The call is over: what was minted for it shall be good for nothing any more. Best effort; never raises."""


class Directory:
    """Where there is no identity provider: the people's own rows say what holds (grants), and the key is in the environment.

    It is read at that moment, so that a rotated key is used and a removed one is missed before anything is begun.
    """

    def mint(self, grant: Grant) -> Minted | GrantGone:
        """The provider's key."""
        if grant.audience is not None:
            return GrantGone(
                "No identity server is set here (PLACET_OAUTH_ISSUER), and this tool needs one.",
                "Set it and launch again.",
            )
        if grant.variable is None:
            return Minted("")
        if key := os.environ.get(grant.variable, ""):
            return Minted(key)
        return GrantGone(f"The provider's key is not set here ({grant.variable}).", "Set it and launch again.")

    def holds(self, minted: Minted) -> bool:  # noqa: ARG002  another source needs it
        """Only the provider could tell."""
        return True

    def give_back(self, minted: Minted) -> None:
        """The key is the provider's own, and stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PerTool:
    """The identity server for tools that name an audience, the directory for all others."""

    server: CredentialSource
    directory: CredentialSource = field(default_factory=Directory)

    def mint(self, grant: Grant) -> Minted | GrantGone | Unreachable:
        """By whom the tool's grant says."""
        return (self.directory if grant.audience is None else self.server).mint(grant)

    def holds(self, minted: Minted) -> bool:
        """By what its minter says."""
        return self._minter(minted).holds(minted)

    def give_back(self, minted: Minted) -> None:
        """To its minter."""
        self._minter(minted).give_back(minted)

    def _minter(self, minted: Minted) -> CredentialSource:
        return self.directory if minted.lent_for is None else self.server


SPARE_S: Final = 5
"""How much longer than a call a credential must last, for the clocks and the way to the provider."""


class Borrowed:
    """The credential of one call for as long as that is carried out: minted when first needed, and anew when it would run out meanwhile.

    Whoever made it gives back what is at hand once the call is over, whatever became of it.
    """

    def __init__(self, source: CredentialSource, grant: Grant, clock: Callable[[], float] = time.monotonic) -> None:
        self._source = source
        self._grant = grant
        self._clock = clock
        self._minted: Minted | None = None

    def mint(self, for_s: float) -> Minted | GrantGone | Unreachable:
        """A credential for a call of at most so many seconds: the one at hand if it lasts, else a fresh one."""
        at_hand = self._minted
        if at_hand is not None and (at_hand.ends is None or at_hand.ends >= self._clock() + for_s + SPARE_S):
            return at_hand
        self.give_back()
        came = self._source.mint(self._grant)
        self._minted = came if isinstance(came, Minted) else None
        return came

    def failed(self) -> bool:
        """Whether what is at hand is good no more, so that a refusal of it says nothing of the call; then the next one is minted anew."""
        if self._minted is None or self._source.holds(self._minted):
            return False
        self.give_back()
        return True

    def give_back(self) -> None:
        """What is at hand is not needed any more; another can be minted."""
        minted, self._minted = self._minted, None
        if minted is not None:
            self._source.give_back(minted)
