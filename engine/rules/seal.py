"""Seals: made with a key that the database never holds, so that write access to the database alone cannot forge an approval.

Pure. A seal reads `key-id:hmac`, HMAC-SHA256 over a domain tag and a canonical document. The first key of PLACET_SEAL_KEY seals, and all
of them verify. The one rule: what no key here can judge is worth nothing.
"""

import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Self

from engine.rules import digest

Kind = Literal["pause", "vote"]
Worth = Literal["off", "keyless", "before", "holds", "unknown", "forged"]
"""What a stored seal is worth here.

off: neither key nor seal. keyless: it is sealed, and there is no key here. before: there is a key and no seal, because it was stored
before the key, or the seal was taken away. holds. unknown: its key is not here. forged: it is not the seal of what is stored.
"""

_KEY: Final = re.compile(r"([a-z0-9-]{1,16}):((?:[0-9a-fA-F]{2})+)")
_LEAST: Final = 32
"""Bytes of a key: as many as HMAC-SHA256 gives."""
_FEW: Final = 8
"""Different bytes that a random key of that length has in any case."""


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys by their ids, in order; none: nothing is sealed. They do not show when this is printed."""

    by_id: Mapping[str, bytes] = field(default_factory=dict, repr=False)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read "id:hex", or "new:hex,old:hex". Raises ValueError that says what is wrong, and never shows a key."""
        found: dict[str, bytes] = {}
        for n, part in enumerate(text.split(","), start=1):
            read = _KEY.fullmatch(part.strip())
            if read is None:
                raise ValueError(
                    f"key {n} does not read id:hex, with an id of 1 to 16 small letters, digits or hyphens"
                )
            key_id, key = read[1], bytes.fromhex(read[2])
            if key_id in found:
                raise ValueError(f"two keys have the id {key_id}")
            if len(key) < _LEAST:
                raise ValueError(f"key {key_id} has {len(key)} bytes, and a key has at least {_LEAST}")
            if len(set(key)) < _FEW:
                raise ValueError(f"key {key_id} is no random one")
            found[key_id] = key
        return cls(found)

    def __bool__(self) -> bool:
        return bool(self.by_id)


NO_KEYS: Final = Keys()


def seal(keys: Keys, kind: Kind, fields: Mapping[str, Any]) -> str | None:
    """The seal by the first key; None without keys. Raises DigestError for fields that have no exact canonical form."""
    for key_id, key in keys.by_id.items():
        return f"{key_id}:{_mac(key, kind, fields)}"
    return None


def check(keys: Keys, text: str | None, kind: Kind, fields: Mapping[str, Any]) -> Worth:
    """What this text is worth as the seal of these fields; how long it takes does not tell where a wrong one differs."""
    if not keys:
        return "keyless" if text else "off"
    if not text:
        return "before"
    key_id, _, mac = text.partition(":")
    key = keys.by_id.get(key_id)
    if key is None:
        return "unknown"
    return "holds" if hmac.compare_digest(mac.encode(), _mac(key, kind, fields).encode()) else "forged"


def of_pause(pause_id: object, content_digest: str) -> dict[str, Any]:
    """What a request's seal covers: its content, by the digest, and which request it is, so that it cannot stand for another."""
    return {"pause_id": str(pause_id), "digest": content_digest}


def of_vote(
    pause_id: object, content_digest: str, *, person: str, verdict: str, surface: str, reason: str | None
) -> dict[str, Any]:
    """What a vote's seal covers: who answered what, where and why, to exactly which content. Its hour and level are the database's."""
    said = {"person": person, "verdict": verdict, "surface": surface, "reason": reason or None}
    return of_pause(pause_id, content_digest) | said


def approval(keys: Keys, yes: Iterable[tuple[str, Worth]], *, needed: int, requester: str) -> Worth:
    """What an approval is worth, by who said yes and what the seal of each yes is worth.

    It holds if as many people as were needed said it under a seal, the requester not among them. With fewer it is forged, since the
    pause's status says that they did.
    """
    given = list(yes)
    worth = {worth for _, worth in given}
    if not keys:
        return "keyless" if "keyless" in worth else "off"
    if "forged" in worth:
        return "forged"
    if len({person for person, worth in given if worth == "holds"} - {requester}) >= needed:
        return "holds"
    return "unknown" if "unknown" in worth else "forged"


def _mac(key: bytes, kind: Kind, fields: Mapping[str, Any]) -> str:
    covered = f"placet.seal.{kind}.v1\0{digest.canonical(dict(fields))}"
    return hmac.new(key, covered.encode(), hashlib.sha256).hexdigest()
