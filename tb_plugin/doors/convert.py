"""`tb-plugin convert IN OUT`: a profile in another format."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from tb_plugin.base.errors import TbPluginError
from tb_plugin.doors import terminal
from tb_plugin.doors.reading import Reading
from tb_plugin.formats import targets

if TYPE_CHECKING:
    import argparse


def add_parser(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.description = "Writes a profile in the format that OUT's name asks for, and says what that format cannot hold."
    parser.epilog = f"OUT is one of {targets.NAMES}. A .pt.profile.pb opens ten times faster than JSON."
    parser.add_argument("source", metavar="IN", type=Path, help="any profile that can be read")
    parser.add_argument("target", metavar="OUT", help="where to write; replaced at once when complete")
    terminal.add_no_limits(parser)
    parser.set_defaults(command=_convert)


def _convert(options: argparse.Namespace) -> None:
    target = os.path.expanduser(options.target)  # noqa: PTH111  a Path would lose the "/" that asks for a folder
    targets.check(target)  # before minutes of reading
    with terminal.Progress() as progress:
        reading = Reading(options.no_limits)
        trace = reading.read(options.source.expanduser(), progress)
        progress(1.0, "writing")
        try:
            lost = targets.write(trace, target)
        except OSError as error:
            raise TbPluginError(f"{options.target}: {error.strerror or error}") from error
    for sentence in reading.notes:
        terminal.say(sentence)
    if lost:
        terminal.say(f"{options.target} lacks what its format cannot hold: {'; '.join(lost)}")
