"""Profiles that jobs of this user left on this host when they were killed: has them finished, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from tb_plugin.base import child_process, unfinished
from tb_plugin.base.errors import TbPluginError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

AGAIN_AFTER_S: Final = 60.0
"""What could not be finished, for a full disk mostly, is not tried all the time."""


class Recovered(NamedTuple):
    """What became of one, as `capture/recover.py` says it."""

    state: str
    text: str


def recover(logdirs: Sequence[Path]) -> Iterator[Recovered]:
    """Finishes all that was left for these, one after the other. TbPluginError when it broke off."""
    child = subprocess.Popen(
        child_process.command("tb_plugin.capture.recover", *map(str, logdirs)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        env=child_process.environment(),
        start_new_session=True,
    )
    with child:
        assert child.stdout is not None
        for line in child.stdout:
            yield Recovered(**json.loads(line))
    if child.returncode != 0:
        killed = child_process.killed_by(child.returncode)
        raise TbPluginError(f"recovering broke off: {killed or f'its process ended with code {child.returncode}'}")


class Recovery:
    """Of a server: looks when asked to, works behind the requests, one job at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._not_before = 0.0

    def start_if_due(self, logdirs: Sequence[Path], left: Sequence[str]) -> threading.Thread | None:
        """Starts finishing what nobody works on. Returns the thread that does, or None when there is nothing to do.

        `left`: notes and hidden folders in the log directories.
        """
        with self._lock:
            if time.monotonic() < self._not_before or not _is_left(logdirs, left):
                return None
            self._not_before = time.monotonic() + AGAIN_AFTER_S
        thread = threading.Thread(target=_recover_all, args=(logdirs,), name="tb-plugin-recovery", daemon=True)
        thread.start()
        return thread


def _recover_all(logdirs: Sequence[Path]) -> None:
    try:
        for _ in recover(logdirs):
            pass
    except (TbPluginError, OSError):
        pass  # the notes stay, and the page says what is not finished


def _is_left(logdirs: Sequence[Path], left: Sequence[str]) -> bool:
    """Whether a dead job of ours left something here. Costs the listing of two folders."""
    hidden = [path for path in map(Path, left) if unfinished.is_hidden_folder(path.name) and unfinished.is_ours(path)]
    read = [note for path in left if (note := unfinished.Note.read(Path(path))) is not None and note.is_here]
    folders = [folder for note in read if unfinished.is_ours(folder := Path(note.folder))]
    folders += filter(unfinished.is_hopeless, hidden)
    for folder in (*unfinished.found_in(unfinished.usual_parents()), *hidden):
        target = unfinished.json_target(folder)
        # What is in the way may be taken away, so the shell tries it; a server would try for a week.
        if target is not None and unfinished.is_below(target, logdirs) and not unfinished.has_no_place(target):
            folders.append(folder)
    return any(unfinished.is_free(folder) for folder in folders)
