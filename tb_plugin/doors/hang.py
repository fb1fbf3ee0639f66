"""`tb-plugin hang`: which collective a job hangs in, from dumps of torch's flight recorder. No question of a profile."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from tb_plugin.answers.bounded import json_of
from tb_plugin.base.errors import FormatError, NotFoundError
from tb_plugin.runs.dumps import find_dumps, read_dumps
from tb_plugin.views.ranks.hang import hang_report, hang_text

if TYPE_CHECKING:
    import argparse

_MOST_REFUSED: Final = 8


def add_parser(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.description = (
        "Reads dumps of torch's flight recorder, one file a rank (NCCL's or gloo's, pickle or JSON; nothing in them "
        "is run), and says which collective a job hangs in and which rank did not come."
    )
    parser.epilog = "Exit codes: 0 no collective is left open, 1 no dump can be read, 3 one is, or a rank left no dump."
    parser.add_argument(
        "folder", metavar="FOLDER", type=Path, help="with nccl_trace_rank_0 and the others, there or one folder below"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default text")
    parser.set_defaults(command=_run)


def _run(options: argparse.Namespace) -> int:
    folder = options.folder.expanduser()
    if not folder.is_dir():
        raise NotFoundError(f"{options.folder}: no such directory")
    paths = find_dumps(folder)
    named = paths or find_dumps(folder, by_name=True)
    if not named:
        raise NotFoundError(f"{options.folder}: no dump of a flight recorder, here or one folder below (nccl_trace_rank_0)")
    # What is a dump by its name alone is read for the reason why it is none.
    dumps, broken = read_dumps(paths or named[:_MOST_REFUSED])
    if not dumps:
        told = [f"{one.file}: {one.reason}" for one in broken[:_MOST_REFUSED]]
        more = f"; and {len(named) - len(told)} more" if len(named) > len(told) else ""
        raise FormatError(str(options.folder), f"no dump can be read: {'; '.join(told)}{more}")
    report = hang_report(dumps, broken)
    if options.format == "json":
        sys.stdout.write(msgspec.json.format(json_of(report), indent=2).decode() + "\n")
    else:
        sys.stdout.write(hang_text(report) + "\n")
    return 3 if report.verdict else 0
