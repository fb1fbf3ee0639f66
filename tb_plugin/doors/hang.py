"""`tb-plugin hang`: which collective a job hangs in, from dumps of torch's flight recorder. No question of a profile."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from tb_plugin.answers.bounded import json_of
from tb_plugin.base.errors import FormatError, NotFoundError
from tb_plugin.runs.dumps import find_dumps, read_dumps, read_folders, sizes_beside
from tb_plugin.trace.collectives.recorder import DumpFolder
from tb_plugin.views.ranks.hang.hang import hangs_of, hangs_text

if TYPE_CHECKING:
    import argparse

_MOST_REFUSED: Final = 8


def add_parser(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.description = (
        "Reads dumps of torch's flight recorder, one file a rank (NCCL's or gloo's, pickle or JSON; nothing in them "
        "is run), and says which collective a job hangs in and which rank did not come. Each folder with dumps "
        "is a hang of its own."
    )
    parser.epilog = "Exit codes: 0 no collective is left open, 1 no dump can be read, 3 one is, or a rank left no dump."
    parser.add_argument(
        "folder", metavar="FOLDER", type=Path, help="with nccl_trace_rank_0 and the others, there or in folders below"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default text")
    parser.set_defaults(command=_run)


def _run(options: argparse.Namespace) -> int:
    folder = options.folder.expanduser()
    if not folder.is_dir():
        raise NotFoundError(f"{options.folder}: no such directory")
    found = read_folders([folder])
    named = [] if found else [path for paths in find_dumps(folder, by_name=True) for path in paths]
    if not found and not named:
        raise NotFoundError(f"{options.folder}: no dump of a flight recorder, here or one folder below (nccl_trace_rank_0)")
    if not found:  # what is a dump by its name alone is read for the reason why it is none
        found = [DumpFolder(folder.name, *read_dumps(named[:_MOST_REFUSED]))]
    if not any(one.dumps for one in found):
        broken = [each for one in found for each in one.broken]
        told = [f"{one.file}: {one.reason}" for one in broken[:_MOST_REFUSED]]
        n = len(named) or len(broken)
        more = f"; and {n - len(told)} more" if n > len(told) else ""
        raise FormatError(str(options.folder), f"no dump can be read: {'; '.join(told)}{more}")
    hangs = hangs_of(found, sizes_beside(folder))
    if options.format == "json":
        sys.stdout.write(msgspec.json.format(json_of(hangs), indent=2).decode() + "\n")
    else:
        sys.stdout.write(hangs_text(hangs) + "\n")
    return 3 if any(one.verdict for one in hangs.hangs) else 0
