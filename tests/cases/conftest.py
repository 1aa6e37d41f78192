"""What a case may ask for: a worker's desk with its world, the local workspace, and the whole bot in it."""

from tests.bot.conftest import courier, home, office
from tests.engine.workers.conftest import desks, pool, shop

__all__ = ["courier", "desks", "home", "office", "pool", "shop"]
