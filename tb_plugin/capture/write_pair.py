"""`python -m tb_plugin.capture.write_pair FOLDER --job PID`: the child process that writes the two files of one profile.

It makes the JSON at once, then waits on stdin to hear that the living profile was read, and prints its `Outcome`. What ends the
job does not end it: it is a session of its own, deaf to signals that are meant for a whole job, and goes on with what is there.
"""

from __future__ import annotations

import argparse
import gc
import os
import select
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

from tb_plugin.base.unfinished import Unfinished
from tb_plugin.capture import child

_LOOK_UP_S: Final = 0.2
_PATIENCE_S: Final = 5.0
_NICE: Final = 10
"""About a tenth of a core whose others want all of it."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--job", type=int, required=True)
    parser.add_argument("--lock", type=int)
    options = parser.parse_args(arguments)
    survive_the_job()
    if options.lock is not None:
        held: Unfinished | None = Unfinished(options.folder, options.lock)
    else:  # where none can be inherited it is free as soon as the job has let go
        held = Unfinished.taken(options.folder, patience_s=_PATIENCE_S)
    if held is None:
        raise SystemExit("another process is already writing it")

    from tb_plugin.capture import pair

    sys.stdout.write(f"\n{pair.finish(held, lambda: _await_live(options.folder, options.job)).dump()}\n")
    return 0


def survive_the_job() -> None:
    """A scheduler ends every process of a job: the profile is worth the seconds that it still takes."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    gc.disable()  # one short job whose objects die with it


def _await_live(folder: Path, job: int) -> bool:
    """Whether the job is alive, once it has read the living profile. Only then somebody is there to be stepped back from."""
    stdin = sys.stdin.fileno()
    if os.name == "posix":
        # The end of the pipe alone would not do: workers that the job has forked hold it open, alive or dead.
        while os.getppid() == job and not child.was_told(folder) and not select.select([stdin], [], [], _LOOK_UP_S)[0]:
            pass
    else:
        os.read(stdin, 1)
    if (folder / child.GENTLY).exists():
        step_back()
    return child.was_told(folder)


def step_back() -> None:
    """Takes what others leave, and is the first to go when memory runs out. Where that exists."""
    if sys.platform != "win32":
        with suppress(OSError):
            os.nice(_NICE)
    if sys.platform == "linux":
        # Of its own session's share, where sessions are given equal ones.
        with suppress(OSError):
            Path("/proc/self/autogroup").write_text(str(_NICE), encoding="ascii")
        with suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
