"""The kinds of rule a part of a Slack message can be under: how long, how many, of which type.

Data only: `bot.cards.block_kit` writes Slack's rules with these words, `bot.cards.limits` checks by them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Free:
    """Any JSON value: Slack's own rules about it are not checked here."""


@dataclass(frozen=True, slots=True)
class Flag:
    """A boolean."""


@dataclass(frozen=True, slots=True)
class String:
    """A bare string of `least` to `most` characters."""

    most: int
    least: int = 1


@dataclass(frozen=True, slots=True)
class OneOf:
    """A string out of a short list."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Whole:
    """An integer from `least` to `most`."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Text:
    """A text object of 1 to `most` characters; `plain` where Slack takes no mrkdwn."""

    most: int = 3000
    plain: bool = False


@dataclass(frozen=True, slots=True)
class Typed:
    """An object that says its `type`, one of these."""

    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Items:
    """A list of `least` to `most` things of one kind."""

    of: "Rule"
    most: int
    least: int = 1


@dataclass(frozen=True, slots=True)
class Shape:
    """An object: every property it may have, which ones it must have, and of which it needs at least one."""

    parts: Mapping[str, "Rule"]
    required: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ()
    surfaces: tuple[str, ...] = field(default=("message", "modal", "home"))


Rule = Free | Flag | String | OneOf | Whole | Text | Typed | Items | Shape
