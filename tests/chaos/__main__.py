"""`python -m tests.chaos --seed S --minutes M`: everything breaks for M minutes; then it is calm, and the promises are checked."""

import argparse
import math
import random
import signal
import sys
import tempfile
from pathlib import Path

from tests.chaos.run import chaos


def main() -> int:
    """Read the command line, let it happen; 1 if a promise was broken."""
    say = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    say.add_argument("--seed", type=int, default=random.randrange(10_000), help="the same seed: the same schedule")
    say.add_argument("--minutes", type=float, default=2, help="how long it lasts")
    say.add_argument(
        "--folder", type=Path, help="where the database and the logs are kept; else a folder that is deleted"
    )
    say.add_argument("--decisions", type=float, default=math.inf, help="it ends before its time with so many")
    say.add_argument(
        "--dense",
        action="store_true",
        help="as many decisions as the machine takes, by signed clicks on lists of payments",
    )
    asked = say.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # told to stop, everything that was started is stopped
    with tempfile.TemporaryDirectory(prefix="placet-chaos-", ignore_cleanup_errors=True) as folder:
        return (
            1
            if chaos(
                asked.folder or Path(folder),
                seed=asked.seed,
                seconds=asked.minutes * 60,
                crowded=asked.dense,
                enough=asked.decisions,
            )
            else 0
        )


if __name__ == "__main__":
    sys.exit(main())
