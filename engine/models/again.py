"""What came of asking again for what lapsed. Expected, so values: one of the two is returned."""

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from engine.models.statuses import PauseStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedAgain:
    """It is asked again, by this run. `new`: launched now; False: it was before, and nothing was done now."""

    pause_id: UUID
    again_run: UUID
    new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NotAskedAgain:
    """It is not, and nothing was done; `status` is how the request stands, and `run_id` the run that asked.

    why: not_requester; not_lapsed (it waits, was answered, or fell with what was denied); begun (something of its turn was, and would be done
    twice); broken (what is stored was altered); live (`run_id`, which asked it or goes on from the same run, has not ended: `other` is a request
    for the same that waits, None if none does); done (the same was done since: `other` is the effect); refused (a person refused the same since:
    `other` is that request).
    """

    pause_id: UUID
    run_id: UUID
    status: PauseStatus
    why: Literal["not_requester", "not_lapsed", "begun", "broken", "live", "done", "refused"]
    other: UUID | None
