"""Run a module as a child that never outlives its parent: when the parent's end of our standard input closes, we stop, then are gone.

    python -m bot.sandbox.child bot.cli serve

Without it, a kill -9 of the demo would leave the bot running on its ports.
"""

import os
import runpy
import signal
import sys
import threading

_GRACE_S = 8.0


def _watch() -> None:
    while os.read(0, 1024):
        pass
    threading.Timer(_GRACE_S, os._exit, (1,)).start()
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    """Watch standard input, and be the module."""
    module, *arguments = sys.argv[1:]
    threading.Thread(target=_watch, name="parent", daemon=True).start()
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
