"""`python -m tb_plugin.capture.recover [LOGDIR ...] [--parent FOLDER ...]`: finishes the profiles that killed jobs left here.

Those of this user on this host, for these log directories or for any. Prints a line of JSON for each, as `Left`. What somebody
still works on is left alone.
"""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tb_plugin.base import unfinished
from tb_plugin.base.unfinished import Note, Unfinished
from tb_plugin.capture import write_pair

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True, kw_only=True)
class Left:
    """One profile that a job left. `text` is a sentence about it."""

    state: Literal["finished", "failed", "busy", "elsewhere", "lost"]
    text: str


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("logdirs", nargs="*", type=Path)
    parser.add_argument("--parent", action="append", type=Path, default=[])
    options = parser.parse_args(arguments)
    write_pair.survive_the_job()
    write_pair.step_back()
    for left in recovered(options.logdirs, options.parent):
        sys.stdout.write(json.dumps(asdict(left)) + "\n")
        sys.stdout.flush()
    return 0


def recovered(logdirs: Sequence[Path], parents: Sequence[Path] = ()) -> Iterator[Left]:
    """Each with what became of it. No log directory stands for all."""
    folders: dict[Path, Path] = {}
    hidden = []
    for logdir in logdirs:
        for note_path in unfinished.left_below(logdir):
            if unfinished.is_hidden_folder(note_path.name):
                hidden.append(note_path)
                continue
            note = Note.read(note_path)
            left = _by_note(note_path, note) if note else None
            if left is not None:
                yield left
            elif note is not None:
                folders[Path(note.folder)] = note_path
    for folder in (*unfinished.found_in([*unfinished.usual_parents(), *parents]), *hidden):
        unfinished.remove_hopeless(folder)
        target = unfinished.json_target(folder)
        if target is not None and (not logdirs or unfinished.is_below(target, logdirs)):
            folders.setdefault(folder, target)
    for folder in folders:
        yield from _finished(folder)


def _by_note(path: Path, note: Note) -> Left | None:
    """What a note says that cannot be followed; None when it can."""
    folder, name = Path(note.folder), unfinished.profile_name(path)
    if not note.is_here:
        return Left(state="elsewhere", text=f"{name}: what is left of it is on {note.host}, in {folder}; recover it there")
    if not folder.exists():
        with suppress(OSError):
            path.unlink()
        return Left(state="lost", text=f"{name}: what was left of it in {folder} is gone")
    target = unfinished.json_target(folder)
    if not unfinished.is_ours(folder) or target is None or not _is_same(target.parent, path.parent):
        return Left(state="failed", text=f"{name}: {folder} is not of a job of yours that wrote into this directory")
    return None


def _finished(folder: Path) -> Iterator[Left]:
    from tb_plugin.capture import pair

    target = unfinished.json_target(folder)
    held = Unfinished.taken(folder)
    if held is None:
        if target is not None and folder.exists():
            yield Left(state="busy", text=f"{target.name}: its job, or somebody else, is still at it")
        return
    outcome = pair.finish(held)
    held.let_go()
    reasons = [reason for reason in (outcome.json_error, outcome.profile_error) if reason]
    if reasons:
        kept = f"; it stays in {folder} until {unfinished.KEPT_DAYS} days after its recording" if outcome.may_work_later else ""
        yield Left(state="failed", text=f"{target}: {'; '.join(dict.fromkeys(reasons))}{kept}")
    else:
        yield Left(state="finished", text=f"{target} and its stored profile are finished")


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
