"""One try of a call with an effect, and one look whether it happened: what the author's tool does and says, made fit to be stored.

The one rule: what came of it is known, or it is "unknown"; and neither the credential that it was done with nor a secret argument is in what it says.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal
from uuid import UUID

from engine.errors import ProviderRefused
from engine.models import OpenEffect, Run
from engine.results import Unwritable, plain, without
from engine.rules.digest import visible
from engine.state.ledger import Spend
from engine.tool import Bound, Effect, Tool
from engine.workers.credentials import Borrowed, Minted

_log = logging.getLogger(__name__)

MARGIN_S: Final = 5
"""After a call's own time limit, until it has provably ended. Half of it is for the way to the call, from the row that says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Still:
    """What was begun and surely did not happen may be done now: how it counts with others, and what its receipt says of the price (None: as before)."""

    spend: Spend | None
    prices: dict[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """A call with an effect, ready to be done: what, by what right, with which credential, which is given back by who lent it.

    `still` tells, of the effect's id, whether it may be called with a fresh key, or why not. `barred` says why it may only be looked up and
    no longer called ("": it may): its grant went after it was begun. `prices` is what the receipt says of a price that was looked at
    again; `note` what the model must be told beside the result.
    """

    run: Run
    n: int
    tool: Tool
    bound: Bound
    effect_key: str
    pause_id: UUID | None
    borrowed: Borrowed
    still: Callable[[UUID], Still | str]
    barred: str = ""
    prices: dict[str, Any] | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Came:
    """What came of a call: "succeed" with a value, "fail" or "unknown" with words."""

    verdict: Literal["succeed", "fail", "unknown"]
    value: Any = None
    said: str = ""


def call_s(tool: Tool) -> float:
    """How long one call may be under way, in seconds, until it has provably ended."""
    return tool.timeout_s + MARGIN_S


def call(deed: Deed, attempt_id: UUID, minted: Minted, *, since: int) -> Came:
    """Have the tool do it, with this credential and the attempt's key."""
    try:
        value = deed.tool.run(deed.bound, _effect(deed, attempt_id, minted, since=since))
    except ProviderRefused as refused:
        return Came("fail", said=_readable(deed, minted, visible(str(refused)))[:500])
    except Exception as error:  # noqa: BLE001  a timeout, a cut connection, a bug in the tool: nobody knows what happened
        said = _words(deed, error, minted)
        _log.warning("call of %s with key %s: %s", deed.tool.name, attempt_id, said)
        return Came("unknown", said=said)
    return Came("succeed", _kept(deed, value, minted))


def look(deed: Deed, opened: OpenEffect) -> Came | None:
    """Ask once whether it happened; None: surely not. Who cannot ask, for want of a credential, does not know either."""
    with_one = deed.tool.looks_with_credential()
    minted = deed.borrowed.mint(call_s(deed.tool)) if with_one else Minted("")
    if not isinstance(minted, Minted):
        return Came("unknown", said=f"it cannot be asked without a credential. {minted.why}")
    effect = _effect(deed, opened.attempt_id, minted, since=began(opened))
    try:
        found = deed.tool.companion("find", effect=effect, **deed.bound.values)
    except Exception as error:  # noqa: BLE001  whatever it raises, it could not tell
        said = _words(deed, error, minted)
        deed.borrowed.give_back()  # perhaps it was for the credential: the next look has another
        _log.warning("looking for %s of run %s: %s", deed.tool.name, deed.run.id, said)
        return Came("unknown", said=said)
    return None if found is None else Came("succeed", _kept(deed, found, minted))


def began(opened: OpenEffect) -> int:
    """When the first attempt of an effect began, in seconds since 1970."""
    return int(opened.created_at.timestamp())


def _kept(deed: Deed, value: Any, minted: Minted) -> Any:
    """A receipt that can be stored, whatever the tool returned: it happened, and must never be lost over its words."""
    try:
        return _readable(deed, minted, plain(value))
    except Unwritable as error:
        return {"note": _readable(deed, minted, f"It was done. {error}")}


def _readable(deed: Deed, minted: Minted, value: Any) -> Any:
    """What a tool said, without the credential and without what is secret of its arguments: it is stored and shown."""
    return deed.tool.readable(deed.bound, without(minted.credential, value))


def _effect(deed: Deed, attempt_id: UUID, minted: Minted, *, since: int) -> Effect:
    metadata = {"effect_key": deed.effect_key, "run_id": str(deed.run.id)}
    if deed.pause_id:
        metadata["pause_id"] = str(deed.pause_id)
    return Effect(
        attempt_key=str(attempt_id),
        effect_key=deed.effect_key,
        metadata=metadata,
        credential=minted.credential,
        timeout_s=deed.tool.timeout_s,
        since=since,
    )


def _words(deed: Deed, error: Exception, minted: Minted) -> str:
    return str(_readable(deed, minted, visible(f"{type(error).__name__}: {error}")))[:500]
