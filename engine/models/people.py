"""A person behind a Slack identity."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """A person behind a Slack identity. `refusal`: why Slack's last answer bars them from deciding; None: a full member.

    `checked_s_ago` is how old that answer is, None if Slack was never asked.
    """

    id: str
    name: str
    active: bool
    team: str
    slack_user: str
    refusal: str | None
    checked_s_ago: float | None
    roles: tuple[str, ...] = field(default=())
