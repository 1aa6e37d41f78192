"""What the app answers to what Slack delivers, over whichever way: something in time, or nothing."""

import json
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the app said in time."""

    status: int
    body: str
    content_type: str

    def json(self) -> Json | None:
        """The body as a JSON object; None: it is none."""
        try:
            value = json.loads(self.body)
        except ValueError:
            return None
        return value if isinstance(value, dict) else None


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Why the app gave none: a sentence for the person who waits."""

    reason: str
