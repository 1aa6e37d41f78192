"""Which tokens are out, and for whom. One that came back is revoked only when no other is out for the same person in this process.

With one token some identity servers revoke all of the same consent (RFC 7009, 2.1, allows it; oidc-provider does): else each call that ends
would take the tokens of those under way.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence

from engine.workers.credentials import Minted


class Loans:
    """Safe to use from several threads."""

    def __init__(self) -> None:
        self._moved = threading.Condition()
        self._out: Counter[str] = Counter()
        self._back: dict[str, list[Minted]] = {}
        self._called_in: set[str] = set()

    def take(self, person: str) -> None:
        """A token is about to be minted: none is revoked for this person until it came back. Waits for a revocation that is under way."""
        with self._moved:
            self._moved.wait_for(lambda: person not in self._called_in)
            self._out[person] += 1

    def bring(self, person: str, minted: Minted | None, revoke: Callable[[Sequence[Minted]], None]) -> None:
        """It came back, or None: it was not to be had. `revoke` is called with all that came back, once nothing is out any more."""
        with self._moved:
            back = self._back.setdefault(person, [])
            back += [minted] if minted else []
            self._out[person] -= 1
            if self._out[person] > 0:
                self._back[person] = [one for one in back if one.ends is None or one.ends > time.monotonic()]
                return
            del self._out[person], self._back[person]
            if not back:
                return
            self._called_in.add(person)
        try:
            revoke(back)
        finally:
            with self._moved:
                self._called_in.discard(person)
                self._moved.notify_all()
