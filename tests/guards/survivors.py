"""The guards that no test misses, each with the reason why it is kept all the same: survivors.toml."""

import tomllib
from collections.abc import Mapping
from pathlib import Path


def reasons() -> Mapping[str, str]:
    """The reason by the guard's name."""
    listed: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return listed
