"""Dumps of flight recorders in a folder: by their names, which end in a rank's number, there or one folder below.

A scan of a logdir finds them by the same first bytes (`Heads.is_dump`), where the name says more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.errors import FormatError
from tb_plugin.formats.pickled.flight_recorder import rank_of, read_dump
from tb_plugin.runs import names
from tb_plugin.runs.catalogue import ProfileFile
from tb_plugin.runs.heads import Heads, begins_as_dump
from tb_plugin.trace.collectives.recorder import DumpFolder, UnreadDump
from tb_plugin.trace.track_names import natural

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tb_plugin.trace.collectives.recorder import RecorderDump

_MOST: Final = 20_000
_MOST_FOLDERS: Final = 64
_MOST_GLANCED: Final = 8


def find_dumps(folder: Path, *, by_name: bool = False) -> list[list[Path]]:
    """Of the folder and of each below it that holds some, in the order of their names; in each by rank.

    With files that are named as dumps beside them, whatever is in those. `by_name`: also where no file begins as a dump does.
    """
    below = (
        sorted((each for each in folder.iterdir() if each.is_dir()), key=lambda each: natural(each.name))
        if folder.is_dir()
        else []
    )
    found = [paths for place in (folder, *below) if (paths := _dumps_in(place, by_name=by_name))]
    return found[:_MOST_FOLDERS]


def read_folders(folders: Sequence[Path]) -> list[DumpFolder]:
    """Of these and of the folders below, each once: what lies in one folder is of one hang."""
    found: dict[Path, DumpFolder] = {}
    for folder in folders:
        for paths in find_dumps(folder):
            place = paths[0].parent
            shown = place.name if place == folder or len(folders) == 1 else f"{folder.name}/{place.name}"
            found.setdefault(place, DumpFolder(shown, *read_dumps(paths)))
    return list(found.values())


def sizes_beside(folder: Path) -> set[int]:
    """Of how many ranks the jobs are whose profiles lie in it, as the first bytes of a few of them say."""
    named = sorted(path for path in _files(folder) if (name := names.parse(path.name)) is not None and name.sure)
    heads = Heads()
    found = (heads.read(ProfileFile.of(str(path), path.stat())).world_size for path in named[:: len(named) // _MOST_GLANCED + 1])
    return {size for size in found if size is not None}


def read_dumps(paths: Sequence[Path]) -> tuple[list[RecorderDump], list[UnreadDump]]:
    """(the dumps, those that cannot be read)."""
    dumps: list[RecorderDump] = []
    broken: list[UnreadDump] = []
    for path in paths:
        try:
            dumps.append(read_dump(path))
        except FormatError as error:
            broken.append(UnreadDump(path.name, rank_of(path), error.reason))
    return dumps, broken


def _dumps_in(folder: Path, *, by_name: bool) -> list[Path]:
    named = [path for path in _files(folder) if rank_of(path) is not None]
    found = named if by_name else [path for path in named if path.name.startswith(names.DUMP) or begins_as_dump(path)]
    if not found:
        return []
    # One that is named as these are is refused with its reason, and not passed over.
    alike = {_without_rank(path) for path in found}
    found = [path for path in named if path in found or _without_rank(path) in alike]
    return sorted(found, key=lambda path: (rank_of(path) or 0, path.name))[:_MOST]


def _without_rank(path: Path) -> str:
    return path.name.rstrip("0123456789")


def _files(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.is_file()]
    except OSError:
        return []
