"""Dumps of flight recorders in a folder: by their names, which end in a rank's number, there or one folder below.

A scan of a logdir finds them by the same first bytes (`Heads.is_dump`), where the name says more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.errors import FormatError
from tb_plugin.formats.pickled.flight_recorder import rank_of, read_dump
from tb_plugin.runs import names
from tb_plugin.runs.heads import begins_as_dump
from tb_plugin.trace.collectives.recorder import UnreadDump

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.collectives.recorder import RecorderDump

_MOST: Final = 20_000


def find_dumps(folder: Path, *, by_name: bool = False) -> list[Path]:
    """Of the folder itself, else of the first below it that holds some: a job dumps into one. By rank.

    With files that are named as dumps beside them, whatever is in those. `by_name`: also where no file begins as a dump does.
    """
    below = sorted(each for each in folder.iterdir() if each.is_dir()) if folder.is_dir() else []
    for place in (folder, *below):
        named = [path for path in _files(place) if rank_of(path) is not None]
        found = named if by_name else [path for path in named if path.name.startswith(names.DUMP) or begins_as_dump(path)]
        if found:
            # One that is named as these are is refused with its reason, and not passed over.
            alike = {_without_rank(path) for path in found}
            found = [path for path in named if path in found or _without_rank(path) in alike]
            return sorted(found, key=lambda path: (rank_of(path) or 0, path.name))[:_MOST]
    return []


def read_dumps(paths: list[Path]) -> tuple[list[RecorderDump], list[UnreadDump]]:
    """(the dumps, those that cannot be read). Of a rank with two files the first that can be read is."""
    dumps: dict[int, RecorderDump] = {}
    broken: list[UnreadDump] = []
    for path in paths:
        try:
            dump = read_dump(path)
        except FormatError as error:
            broken.append(UnreadDump(path.name, rank_of(path), error.reason))
            continue
        if dump.rank in dumps:
            broken.append(UnreadDump(path.name, None, f"a second dump of rank {dump.rank}"))
        else:
            dumps[dump.rank] = dump
    return list(dumps.values()), [one._replace(rank=None) if one.rank in dumps else one for one in broken]


def _without_rank(path: Path) -> str:
    return path.name.rstrip("0123456789")


def _files(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.is_file()]
    except OSError:
        return []
