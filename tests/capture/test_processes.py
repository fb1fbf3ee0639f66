"""A job is more than one process and one thread: each writes its profiles, however it was started and however it ends."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from tb_plugin import tensorboard_trace_handler
from tb_plugin.base.unfinished import Unfinished
from tb_plugin.capture import child
from tests.capture.killing import ROOT, files_in, until
from tests.capture.recording import record

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("torch")
pytestmark = [pytest.mark.torch, pytest.mark.skipif(sys.platform == "win32", reason="there is no fork there")]

SCRIPT = """
import multiprocessing, sys, time
from tb_plugin import tensorboard_trace_handler
from tests.capture.recording import record

def work(handler, logs, scratch, recorded):
    if handler is None:
        handler = tensorboard_trace_handler(logs, "w", scratch_dir=scratch)
    record(handler)
    recorded.set()
    if multiprocessing.current_process().daemon:
        time.sleep(3000)

if __name__ == "__main__":
    how, logs, scratch = sys.argv[1:]
    context = multiprocessing.get_context("spawn" if how == "spawn" else "fork")
    handler = None
    if how != "spawn":
        import torch
        torch.set_num_threads(1)  # its own threads do not survive a fork
        handler = tensorboard_trace_handler(logs, "w", scratch_dir=scratch)
        record(handler)
    recorded = context.Event()
    worker = context.Process(target=work, args=(handler, logs, scratch, recorded), daemon=how == "daemon")
    worker.start()
    recorded.wait(240)
    if how != "daemon":
        worker.join()
        assert worker.exitcode == 0, worker.exitcode
"""


@pytest.mark.parametrize(("how", "profiles"), [("spawn", 1), ("fork", 2), ("daemon", 2)])
def test_a_worker_of_multiprocessing_writes_its_own(tmp_path: Path, how: str, profiles: int) -> None:
    script = tmp_path / "script.py"
    script.write_text(f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{SCRIPT}")
    command = [sys.executable, "-W", "ignore", str(script), how, str(tmp_path / "logs"), str(tmp_path / "scratch")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    # A daemon is ended by its parent's end, as by a scheduler.
    until(lambda: files_in(tmp_path / "logs") == [".gz"] * profiles + [".pb"] * profiles)
    until(lambda: list((tmp_path / "scratch").iterdir()) == [])


def test_who_forks_waits_until_a_child_of_ours_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Else its process would have the pipe that `Popen` waits for the end of, and we would wait for as long as it lives."""
    forked = threading.Event()

    def fork() -> None:
        if os.fork() == 0:
            os._exit(0)
        forked.set()

    user = threading.Thread(target=fork)
    seen: list[bool] = []

    def popen(*_: object, **__: object) -> None:
        user.start()
        seen.append(forked.wait(0.3))
        raise OSError("not started")

    held = Unfinished.made(tmp_path)
    monkeypatch.setattr(subprocess, "Popen", popen)
    with pytest.raises(child.ChildError, match="not started"):
        child.start(held)
    user.join()
    os.wait()
    assert seen == [False]
    assert forked.is_set()
    held.remove()


def test_a_cycle_that_ends_in_another_thread_is_written(tmp_path: Path) -> None:
    handler = tensorboard_trace_handler(tmp_path, "w")
    training = threading.Thread(target=record, args=(handler,))
    training.start()
    training.join()
    assert handler.flush(timeout=240)
    assert files_in(tmp_path) == [".gz", ".pb"]
