"""Jobs that end in some way right after their cycles, and waiting for what becomes of those."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
UMASK = 0o027  # of each job: not that of whoever finishes its profiles
SCRIPT = """
import sys, os, signal, time
from pathlib import Path
from tb_plugin import tensorboard_trace_handler
from tb_plugin.base import unfinished
from tb_plugin.capture import background, child
from tests.capture.recording import record
logs, scratch, ending, alone = sys.argv[1:]
# What others left on this host is not its business: it would start a sweep, which finishes this job's own profiles too.
unfinished.usual_parents = lambda: (Path(scratch),)
if alone == "alone":
    # With the job everything of it dies, as where a container or a control group is killed.
    class Nobody:
        go_on = lambda *_, **__: None
    child.start = lambda held: Nobody()
background._HEAD_START_S = 60.0  # nothing was read of the living profile
handler = tensorboard_trace_handler(logs, "w", scratch_dir=scratch)
record(handler, cycles=2)
os.chdir("/")
if ending == "error":
    background._HEAD_START_S = 0.0
    raise RuntimeError("the training failed")
if ending == "exit":
    os._exit(3)
if ending == "abort":
    os.abort()
if ending in ("SIGKILL", "SIGTERM"):
    os.kill(os.getpid(), getattr(signal, ending))
"""


def run(tmp_path: Path, ending: str, *, alone: bool = False) -> subprocess.CompletedProcess[str]:
    (tmp_path / "scratch").mkdir(exist_ok=True)
    script = [sys.executable, "-c", SCRIPT, str(tmp_path / "logs"), str(tmp_path / "scratch"), ending, "alone" if alone else ""]
    return subprocess.run(script, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False, umask=UMASK)


def until(condition: Callable[[], bool], timeout_s: float = 240) -> None:
    ends = time.monotonic() + timeout_s
    while not condition() and time.monotonic() < ends:
        time.sleep(0.05)
    assert condition()


def files_in(folder: Path) -> list[str]:
    return sorted(path.suffix for path in folder.iterdir()) if folder.is_dir() else []


def left_by_a_killed_job(tmp_path: Path) -> Path:
    """As it would lie there if the job had run in `tmp_path`: its files name that place."""
    where, files = _left()
    for file, (mode, text) in files.items():
        path = tmp_path / "scratch" / file
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        path.write_text(text.replace(where, str(tmp_path)))
        path.chmod(mode)
    return min((tmp_path / "scratch").iterdir())


@cache
def _left() -> tuple[str, dict[str, tuple[int, str]]]:
    """Where the job ran; mode and text of each file that it left. Once for all tests: importing torch takes two seconds."""
    with TemporaryDirectory() as where:
        assert run(Path(where), "SIGKILL", alone=True).returncode == -signal.SIGKILL
        scratch = Path(where, "scratch")
        files = [path for path in sorted(scratch.rglob("*")) if path.is_file()]
        return where, {str(path.relative_to(scratch)): (path.stat().st_mode & 0o777, path.read_text()) for path in files}
