"""`tb-plugin recover LOGDIR`: finishes the profiles of jobs that were killed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tb_plugin.base.errors import NotFoundError, TbPluginError
from tb_plugin.base.readable import readable
from tb_plugin.doors import terminal
from tb_plugin.runs import recovery

if TYPE_CHECKING:
    import argparse


def add_parser(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.description = (
        "Finishes the profiles of jobs that were killed before their files were written, on the host where they ran."
    )
    parser.add_argument("logdir", metavar="LOGDIR", type=Path, help="where the profiles belong")
    parser.set_defaults(command=_recover)


def _recover(options: argparse.Namespace) -> None:
    logdir = options.logdir.expanduser()
    found = []
    for left in recovery.recover([logdir]):
        found.append(left)
        sys.stdout.write(f"{readable(left.text)}\n")
    if not found:
        if not logdir.is_dir():  # asked last: a job may have died before it made its directory
            raise NotFoundError(f"{options.logdir}: no such directory")
        terminal.say("nothing was left unfinished")
    not_finished = sum(left.state in {"failed", "lost"} for left in found)
    if not_finished:
        raise TbPluginError(f"{not_finished} of {len(found)} could not be finished")
