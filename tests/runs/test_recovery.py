"""What killed jobs left is finished when the shell is told to, or a server looks at the log directory."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tb_plugin import tensorboard_trace_handler
from tb_plugin.base import unfinished
from tb_plugin.base.unfinished import Note, Unfinished
from tb_plugin.capture import child
from tb_plugin.capture.facts import JobFacts
from tb_plugin.capture.order import Order
from tb_plugin.capture.recover import recovered
from tb_plugin.runs import logdirs, recovery
from tb_plugin.runs.discover import search
from tb_plugin.runs.watch import Watch
from tests.capture.killing import ROOT, files_in, left_by_a_killed_job, until
from tests.capture.recording import record

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no signal ends a process there")


@pytest.mark.torch
def test_the_shell_finishes_what_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left_by_a_killed_job(tmp_path)
    command = [sys.executable, "-m", "tb_plugin.doors.cli", "recover", str(tmp_path / "logs")]
    assert not (tmp_path / "logs").exists()  # the job died before it was made
    monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=True)
    assert done.stdout.count("and its stored profile are finished") == 2
    assert files_in(tmp_path / "logs") == [".gz", ".gz", ".pb", ".pb"]
    again = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=True)
    assert (again.stdout, again.stderr) == ("", "tb-plugin: nothing was left unfinished\n")


@pytest.mark.torch
def test_a_server_that_looks_finishes_what_is_left(tmp_path: Path) -> None:
    left_by_a_killed_job(tmp_path)
    (tmp_path / "logs").mkdir()
    for folder in (tmp_path / "scratch").iterdir():
        target = unfinished.json_target(folder)
        assert target is not None
        Note.of(folder).write(Note.beside(target))
    logdir = logdirs.from_flags(str(tmp_path / "logs"), None)
    watch = Watch(logdir, min_age_s=0, recovery=recovery.Recovery())
    try:
        assert not watch.any_profile(10)
        until(lambda: watch.any_profile(10))
        until(lambda: files_in(tmp_path / "logs") == [".gz", ".gz", ".pb", ".pb"])
    finally:
        watch.close()


def test_what_could_not_be_finished_is_not_tried_all_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[object] = []

    def fail(logdirs: object) -> list[object]:
        tried.append(logdirs)
        return []

    monkeypatch.setattr(recovery, "recover", fail)
    monkeypatch.setattr(unfinished, "MEMORY_FOLDER", tmp_path)
    server = recovery.Recovery()
    assert server.start_if_due([tmp_path / "logs"], []) is None
    left = Unfinished.made(tmp_path)
    (left.folder / unfinished.ORDER).write_text(json.dumps({"json_target": str(tmp_path / "logs" / "w.pt.trace.json")}))
    assert server.start_if_due([tmp_path / "logs"], []) is None  # somebody works on it
    left.let_go()
    assert server.start_if_due([tmp_path / "others"], []) is None
    for _ in range(2):
        thread = server.start_if_due([tmp_path / "logs"], [])
        if thread is not None:
            thread.join()
    assert tried == [[tmp_path / "logs"]]


def test_a_profile_that_waits_for_long_is_said(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    for number, age_s in ((1, 0), (2, 100)):
        note = tmp_path / "run" / f".w.{number}.unfinished"
        Note(host="another", folder="/nowhere").write(note)
        os.utime(note, (time.time() - age_s,) * 2)
    (tmp_path / "run" / ".w.3.unfinished").write_text("no note")
    catalogue = search(logdirs.from_flags(None, str(tmp_path)))
    assert len(catalogue.unfinished) == 3
    (problem,) = catalogue.problems
    assert problem.endswith("run/w.2: its job ended before it was written; on another, `tb-plugin recover` finishes it")


def test_a_note_that_goes_while_it_is_looked_at_hides_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Note(host="another", folder="/nowhere").write(tmp_path / ".w.1.unfinished")
    (tmp_path / "w.1.pt.trace.json").write_text('{"traceEvents": []}')
    read = Note.read

    def read_and_remove(path: Path) -> Note | None:
        note = read(path)
        path.unlink()
        return note

    monkeypatch.setattr(Note, "read", read_and_remove)
    catalogue = search(logdirs.from_flags(str(tmp_path), None))
    assert len(list(catalogue.spans())) == 1
    assert catalogue.problems == ()


KILLED_IN_ITS_SECOND_EXPORT = """
import os, signal, sys
from tb_plugin import tensorboard_trace_handler
from tb_plugin.capture import scratch
from tests.capture.recording import record

def export(self, path):
    if self._is_first:
        self._is_first = False
        raise OSError(28, "No space left on device")
    with open(path, "w") as file:
        file.write('{"traceEvents": [')
        file.flush()
        os.kill(os.getpid(), signal.SIGKILL)

scratch.Export.__call__ = export
scratch.choose_folders = lambda *_: (scratch.Path(sys.argv[2]),)
record(tensorboard_trace_handler(sys.argv[1], "w"))
"""


@pytest.mark.torch
@pytest.mark.parametrize("sweeper", ["the next job", "a server", "the shell"])
def test_a_hidden_folder_of_a_job_that_was_killed_while_it_exported_again_is_swept(sweeper: str, tmp_path: Path) -> None:
    logs, run = tmp_path / "logs", tmp_path / "logs" / "run"
    (tmp_path / "full").mkdir()
    command = [sys.executable, "-c", KILLED_IN_ITS_SECOND_EXPORT, str(run), str(tmp_path / "full")]
    assert subprocess.run(command, cwd=ROOT, check=False, timeout=240).returncode == -signal.SIGKILL
    (left,) = run.iterdir()
    assert left.name.startswith(".tb_plugin_scratch_")
    for path in (*left.iterdir(), left):
        os.utime(path, (time.time() - 100,) * 2)
    if sweeper == "the next job":
        handler = tensorboard_trace_handler(run, "w", scratch_dir=tmp_path / "full")
        record(handler)
        assert handler.flush(timeout=240)
        until(lambda: all(process.poll() is not None for process in child._recovering))
    elif sweeper == "a server":
        watch = Watch(logdirs.from_flags(str(logs), None), min_age_s=0, recovery=recovery.Recovery())
        assert not watch.any_profile(10)
        until(lambda: not left.exists())
        watch.close()
    else:
        subprocess.run([sys.executable, "-m", "tb_plugin.doors.cli", "recover", str(logs)], cwd=ROOT, check=True, timeout=240)
    until(lambda: not left.exists())


def test_what_another_host_may_still_write_is_left_for_an_hour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "another")
    made = Unfinished.made(tmp_path, is_hidden=True)
    made.let_go()
    monkeypatch.undo()
    for age_s, is_hopeless in ((100, False), (4000, True)):
        for path in (*made.folder.iterdir(), made.folder):
            os.utime(path, (time.time() - age_s,) * 2)
        assert unfinished.is_hopeless(made.folder) is is_hopeless


def test_what_has_no_place_is_said_kept_a_week_and_tried_by_no_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unfinished, "usual_parents", lambda: (tmp_path / "scratch",))
    monkeypatch.setattr(recovery, "recover", lambda _logdirs: [])
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "run").write_text("a file")
    (tmp_path / "scratch").mkdir()
    left = Unfinished.made(tmp_path / "scratch")
    (left.folder / unfinished.TRACE).write_text('{"traceEvents": [\n  ]}')
    Order(
        source=str(left.folder / unfinished.TRACE),
        json_target=str(tmp_path / "logs" / "run" / "w.1.pt.trace.json.gz"),
        profile_target=str(tmp_path / "logs" / "run" / "w.1.pt.profile.pb"),
        facts=JobFacts(worker="w", cycle=0),
    ).save(left.folder)
    left.let_go()
    server = recovery.Recovery()
    for days, what in ((1, ["failed"]), (6, ["failed"]), (8, [])):
        for path in (*left.folder.iterdir(), left.folder):
            os.utime(path, (time.time() - days * 24 * 3600,) * 2)
        assert server.start_if_due([tmp_path / "logs"], []) is None
        said = list(recovered([tmp_path / "logs"]))
        assert [one.state for one in said] == what
        assert all(one.text.endswith(f"; it stays in {left.folder} until 7 days after its recording") for one in said)
        assert left.folder.exists() == bool(what)
        if days == 1:  # what is in the way is taken away, and comes again
            (tmp_path / "logs" / "run").rename(tmp_path / "away")
            thread = recovery.Recovery().start_if_due([tmp_path / "logs"], [])
            assert thread is not None
            thread.join()
            (tmp_path / "away").rename(tmp_path / "logs" / "run")
    assert (tmp_path / "logs" / "run").read_text() == "a file"
