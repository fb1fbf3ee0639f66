"""`python -m tests.fuzz.worker`: runs the cases that it is given on stdin, a line each, and says a line of JSON about each.

A case may take so much memory and processor time and no more; what a case leaves behind dies with the worker.
"""

from __future__ import annotations

import contextlib
import io
import json
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path
from typing import Final

from tests.fuzz import mutations
from tests.fuzz.exercise import exercise
from tests.fuzz.seeds import Seeds, write_seeds

MOST_BYTES: Final = 3 << 30
MOST_CPU_S: Final = 20.0


class TooSlowError(BaseException):
    """Not an Exception, so that nobody takes it for one of the file's."""


def run(seeds: Seeds, folder: Path, format_name: str, number: int) -> dict[str, object]:
    """What became of a case."""
    signal.setitimer(signal.ITIMER_PROF, MOST_CPU_S)
    started = time.process_time()
    where, reason = "", ""
    try:
        outcome = exercise(mutations.write_case(folder, seeds, format_name, number))
    except (Exception, TooSlowError) as error:  # noqa: BLE001 - finding them is the point
        outcome, reason = "failed", f"{type(error).__name__}: {str(error)[:300]}"
        # Of an error that the door has wrapped, the place that it comes from.
        where = " < ".join(_places(error.__cause__ or error))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    cpu_s = time.process_time() - started
    return {"format": format_name, "number": number, "outcome": outcome, "reason": reason, "where": where, "cpu_s": cpu_s}


def _places(error: BaseException) -> list[str]:
    """The innermost lines of ours that it went through."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "tb_plugin" in f.filename]
    return [f"{f.filename.rpartition('tb_plugin/')[2]}:{f.lineno}" for f in frames[::-1][:3]]


def _too_slow(_signal: int, _frame: object) -> None:
    raise TooSlowError


def main() -> None:
    signal.signal(signal.SIGPROF, _too_slow)
    warnings.simplefilter("ignore")
    answers, sys.stdout = sys.stdout, io.StringIO()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "seeds").mkdir()
        seeds = write_seeds(folder / "seeds")
        resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
        with contextlib.suppress(KeyboardInterrupt):
            for line in sys.stdin:
                format_name, number = line.split()
                answers.write(json.dumps(run(seeds, folder, format_name, int(number))) + "\n")
                answers.flush()


if __name__ == "__main__":
    main()
