"""`python -m tb_plugin.capture.write_pair ORDER`: the child process that writes the two files of one profile.

It prints its `Outcome` on stdout. It must never be in the way of the job that started it: it yields the processor and
memory first, and heavy modules are loaded after that.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path


def main(arguments: list[str]) -> int:
    path, *options = arguments
    # Ctrl-C in a terminal reaches every process of the job; the profile is worth the second it still takes.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if "--idle" in options:
        _step_back()
    gc.disable()  # one short job whose objects die with it

    from tb_plugin.capture import pair
    from tb_plugin.capture.order import Order

    with Path(path).open("rb") as file:
        order = Order.load(file.read())
    sys.stdout.write(f"\n{pair.write(order).dump()}\n")
    return 0


def _step_back() -> None:
    """Runs only when nobody else wants the processor, and is the first to go when memory runs out. Where that exists."""
    with suppress(OSError, AttributeError):
        os.nice(19)
    with suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
