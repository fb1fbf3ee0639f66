"""What the commands of the shell share: words on stderr, a line that shows how far they are, options of several."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from tb_plugin.base.progress import Countdown

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

PROGRAM: Final = "tb-plugin"
WHICH: Final = ("run", "worker", "span")


def say(sentence: str) -> None:
    """A line on stderr."""
    sys.stderr.write(f"{PROGRAM}: {sentence}\n")


def add_profile_options(parser: argparse.ArgumentParser) -> None:
    """Of a command that opens one profile of a directory."""
    for which in WHICH:
        parser.add_argument(f"--{which}", help=f"which {which} of a directory with several")


def add_no_limits(parser: argparse.ArgumentParser) -> None:
    """Of a command that reads."""
    parser.add_argument("--no-limits", action="store_true", help="as much memory and time as it takes, whoever made the file")


class Progress:
    """A line on a terminal that shows how far reading is, and what is left; gone afterwards."""

    def __init__(self) -> None:
        self._stream = sys.stderr
        self._shown = ""
        self._countdown = Countdown()

    def __enter__(self) -> Callable[[float, str], None]:
        return self._show if self._stream.isatty() else lambda fraction, stage: None

    def __exit__(self, *_: object) -> None:
        if self._shown:
            self._stream.write("\r\033[K")
            self._stream.flush()

    def _show(self, fraction: float, stage: str) -> None:
        left_s = self._countdown.seconds_left(fraction)
        line = f"{stage} {100 * fraction:.0f} %" + (f", about {left_s:.0f} s left" if left_s is not None and left_s >= 1 else "")
        if line != self._shown:
            self._shown = line
            self._stream.write(f"\r\033[K{line}")
            self._stream.flush()
