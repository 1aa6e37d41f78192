"""What these tests may ask for: the local workspace."""

from tests.bot.conftest import office

__all__ = ["office"]
