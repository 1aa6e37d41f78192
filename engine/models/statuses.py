"""The statuses of runs, pauses and effects, as sql/migrations has them."""

from typing import Literal

RunStatus = Literal[
    "queued", "running", "awaiting_approval", "awaiting_child", "paused", "in_doubt", "done", "error", "cancelled"
]
PauseStatus = Literal[
    "waiting", "approved", "denied", "answered", "expired", "cancelled", "superseded", "voided", "executed", "failed"
]
EffectStatus = Literal["attempted", "in_doubt", "done", "failed", "abandoned"]
ENDED: frozenset[str] = frozenset({"done", "error", "cancelled"})
