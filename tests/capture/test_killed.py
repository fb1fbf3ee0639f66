"""Whatever ends a job once the handler has returned, the profile appears: by itself, or by whoever comes next."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

import tb_plugin
from tb_plugin import tensorboard_trace_handler
from tb_plugin.base import unfinished
from tb_plugin.base.unfinished import Note, Unfinished
from tb_plugin.capture import child, recover
from tests.capture.killing import ROOT, SCRIPT, files_in, left_by_a_killed_job, run, until
from tests.capture.recording import json_of, names_in, record

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("torch")
pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(sys.platform == "win32", reason="no signal ends a process there"),
]


@pytest.mark.parametrize(("ending", "code"), [("end", 0), ("error", 1)])
def test_a_process_that_ends_has_written_its_files_and_leaves_no_scratch(tmp_path: Path, ending: str, code: int) -> None:
    done = run(tmp_path, ending)
    assert done.returncode == code, done.stderr
    assert list((tmp_path / "scratch").iterdir()) == []
    assert files_in(tmp_path / "logs") == [".gz", ".gz", ".pb", ".pb"]
    assert len(tb_plugin.load(min((tmp_path / "logs").iterdir())).trace.steps) == 2
    assert "TraceHandler" not in done.stderr


@pytest.mark.parametrize(
    ("ending", "code"), [("SIGKILL", -signal.SIGKILL), ("SIGTERM", -signal.SIGTERM), ("exit", 3), ("abort", -signal.SIGABRT)]
)
def test_a_job_that_is_ended_right_after_its_cycles_loses_none(tmp_path: Path, ending: str, code: int) -> None:
    assert run(tmp_path, ending).returncode == code
    until(lambda: files_in(tmp_path / "logs") == [".gz", ".gz", ".pb", ".pb"])
    until(lambda: list((tmp_path / "scratch").iterdir()) == [])
    for path in (tmp_path / "logs").glob("*.gz"):
        assert "aten::mm" in names_in(path, "cpu_op")
    for path in (tmp_path / "logs").glob("*.pb"):
        trace = tb_plugin.load(path).trace
        assert len(trace.steps) == 2
        (issue,) = trace.issues
        assert issue.kind == "job_ended"
        assert "only the living profile knew are not recorded" in issue.text


def test_a_job_that_is_killed_with_all_of_its_processes_is_finished_by_the_next_one(tmp_path: Path) -> None:
    assert run(tmp_path, "SIGKILL", alone=True).returncode == -signal.SIGKILL
    assert files_in(tmp_path / "logs") == []
    assert len(list((tmp_path / "scratch").iterdir())) == 2
    handler = tensorboard_trace_handler(tmp_path / "other", "w", scratch_dir=tmp_path / "scratch")
    record(handler)
    assert handler.flush(timeout=240)
    until(lambda: list((tmp_path / "scratch").iterdir()) == [])
    assert files_in(tmp_path / "logs") == [".gz", ".gz", ".pb", ".pb"]
    assert files_in(tmp_path / "other") == [".gz", ".pb"]
    until(lambda: all(process.poll() is not None for process in child._recovering))


def test_a_finisher_that_is_killed_between_the_files_is_followed_by_another(tmp_path: Path) -> None:
    folder = left_by_a_killed_job(tmp_path)
    assert [left.state for left in recover._finished(folder)] == ["finished"]
    logs = tmp_path / "logs"
    (json_file,) = logs.glob("*.gz")
    before = json_file.stat().st_mtime_ns
    (other,) = (tmp_path / "scratch").iterdir()
    target = unfinished.json_target(other)
    assert target is not None
    target.write_bytes(json_file.read_bytes())  # as far as the first one had come
    (logs / f".{target.name}.0a1b.tmp").write_text("half")
    assert [left.state for left in recover._finished(other)] == ["finished"]
    assert files_in(logs) == [".gz", ".gz", ".pb", ".pb"]
    assert json_file.stat().st_mtime_ns == before


@pytest.mark.parametrize("finisher", [0o077, 0o777])
def test_whoever_finishes_a_profile_gives_it_the_rights_that_its_job_would_have(tmp_path: Path, finisher: int) -> None:
    folder = left_by_a_killed_job(tmp_path)
    before = os.umask(finisher)
    try:
        assert [left.state for left in recover._finished(folder)] == ["finished"]
        assert os.umask(finisher) == finisher
    finally:
        os.umask(before)
    logs = tmp_path / "logs"
    assert oct(logs.stat().st_mode & 0o777) == "0o750"
    assert {oct(path.stat().st_mode & 0o777) for path in logs.iterdir()} == {"0o640"}


def test_two_finishers_do_not_do_it_twice(tmp_path: Path) -> None:
    folder = left_by_a_killed_job(tmp_path)
    held = Unfinished.taken(folder)
    assert held is not None
    assert [left.state for left in recover._finished(folder)] == ["busy"]
    held.let_go()
    code = f"""
import sys
sys.path[:0] = [{str(ROOT)!r}]
from pathlib import Path
from tb_plugin.capture import child, recover
print(sum(left.state == "finished" for left in recover.recovered([], [Path({str(tmp_path / "scratch")!r})])))
"""
    both = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert sum(int(each.communicate(timeout=240)[0]) for each in both) == 2
    assert files_in(tmp_path / "logs") == [".gz", ".gz", ".pb", ".pb"]


def test_a_profile_on_another_host_is_said_to_be_there(tmp_path: Path) -> None:
    elsewhere = tmp_path / ".w.1.unfinished"
    Note(host="another", folder="/nowhere").write(elsewhere)
    gone = tmp_path / ".w.2.unfinished"
    Note.of(tmp_path / "tb_plugin_scratch_gone").write(gone)
    left = {each.state: each.text for each in recover.recovered([tmp_path])}
    assert left == {
        "elsewhere": "w.1: what is left of it is on another, in /nowhere; recover it there",
        "lost": f"w.2: what was left of it in {tmp_path / 'tb_plugin_scratch_gone'} is gone",
    }
    assert (elsewhere.exists(), gone.exists()) == (True, False)


def test_a_note_in_a_log_directory_cannot_point_at_another_ones_profile(tmp_path: Path) -> None:
    folder = left_by_a_killed_job(tmp_path)
    (tmp_path / "forged").mkdir()
    Note.of(folder).write(tmp_path / "forged" / ".w.1.unfinished")
    Note.of(tmp_path).write(tmp_path / "forged" / ".w.2.unfinished")
    assert {left.state for left in recover.recovered([tmp_path / "forged"])} == {"failed"}
    assert folder.exists()
    assert not (tmp_path / "logs").exists()


def test_what_was_killed_while_torch_exported_is_swept(tmp_path: Path) -> None:
    broken_off, at_work = (Unfinished.made(tmp_path) for _ in range(2))
    for held in (broken_off, at_work):
        (held.folder / unfinished.TRACE).write_text("half")
        for path in (*held.folder.iterdir(), held.folder):
            os.utime(path, (time.time() - 100,) * 2)
    broken_off.let_go()
    just_made = tmp_path / "tb_plugin_scratch_new"
    just_made.mkdir()
    assert list(recover.recovered([], [tmp_path])) == []
    assert sorted(tmp_path.iterdir()) == sorted([at_work.folder, just_made])
    at_work.let_go()


CLOSED = """
import sys, os
from tb_plugin import tensorboard_trace_handler
from tests.capture.recording import record
handler = tensorboard_trace_handler(sys.argv[1], "w", use_gzip=False, scratch_dir=sys.argv[2])
record(handler, cycles=2, with_stack=True)
"""


@pytest.mark.parametrize("closed", ["<&-", "<&- >&- 2>&-"])  # what is opened first is input; is also what others write to
def test_a_job_without_standard_descriptors_writes_its_profiles(tmp_path: Path, closed: str) -> None:
    command = f'exec "$0" -c "$1" "$2" "$3" {closed}'
    arguments = [sys.executable, CLOSED, str(tmp_path / "logs"), str(tmp_path / "scratch")]
    done = subprocess.run(["sh", "-c", command, *arguments], cwd=ROOT, capture_output=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    assert files_in(tmp_path / "logs") == [".json", ".json", ".pb", ".pb"]
    for path in (tmp_path / "logs").glob("*.json"):
        assert "aten::mm" in names_in(path, "cpu_op")
    for path in (tmp_path / "logs").glob("*.pb"):
        assert tb_plugin.load(path).trace.issues == ()


FORKED = """
import os, sys, signal, time
from tb_plugin import tensorboard_trace_handler
from tb_plugin.capture import background
from tests.capture.recording import record
background._HEAD_START_S = 60.0
handler = tensorboard_trace_handler(sys.argv[1], "w", scratch_dir=sys.argv[2])
record(handler)
pid = os.fork()
if pid == 0:
    time.sleep(3000)
    os._exit(0)
print(pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_worker_that_outlives_the_job_keeps_nobody_from_finishing(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", FORKED, str(tmp_path / "logs"), str(tmp_path / "scratch")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as job:
        assert job.stdout is not None
        worker = int(job.stdout.readline())
        try:
            until(lambda: files_in(tmp_path / "logs") == [".gz", ".pb"])
            os.kill(worker, 0)  # it is still there
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)


def test_no_thread_of_ours_is_in_the_users_timeline(tmp_path: Path) -> None:
    from torch._C._profiler import _ExperimentalConfig

    # xdist's wakes now and then; torch writes 0 of a thread that did nothing but wait.
    theirs = {0, *(thread.native_id for thread in threading.enumerate())}
    handler = tensorboard_trace_handler(tmp_path, "w", use_gzip=False)
    everything = {"with_stack": True, "experimental_config": _ExperimentalConfig(profile_all_threads=True)}
    record(handler, cycles=4, step=lambda: time.sleep(0.02), **everything)
    assert handler.flush(timeout=240)
    for path in tmp_path.glob("*.json"):
        events = json_of(path)["traceEvents"]
        main = {event["tid"] for event in events if event["name"].startswith("ProfilerStep")}
        assert _threads_of("tb_plugin/capture/background", events) <= main  # `submit` and `revive` of the handler itself
        assert _threads_of("_bootstrap", events) <= theirs
    for path in tmp_path.glob("*.pb"):
        trace = tb_plugin.load(path).trace
        columns = trace.events.name_id.tolist(), trace.tracks.tid_id[trace.events.track].tolist()
        events = [{"name": trace.text(name), "tid": trace.text(tid)} for name, tid in zip(*columns, strict=True)]
        assert _threads_of("_bootstrap", events) <= set(map(str, theirs))


def _threads_of(frame: str, events: list[dict[str, Any]]) -> set[Any]:
    return {event["tid"] for event in events if frame in event["name"]}


def test_two_ranks_in_one_directory_keep_apart(tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "logs"), str(tmp_path / "scratch"), "SIGKILL", ""]
    ranks = [subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL) for _ in range(2)]
    assert [rank.wait(240) for rank in ranks] == [-signal.SIGKILL] * 2
    until(lambda: files_in(tmp_path / "logs") == [".gz"] * 4 + [".pb"] * 4)
    until(lambda: list((tmp_path / "scratch").iterdir()) == [])


def test_a_word_of_an_order_is_never_half_there(tmp_path: Path) -> None:
    folder = left_by_a_killed_job(tmp_path)
    (folder / unfinished.ORDER).write_bytes((folder / unfinished.ORDER).read_bytes()[:-20])
    assert unfinished.json_target(folder) is None
    (folder / unfinished.ORDER).write_text(json.dumps({"json_target": 3}))
    assert unfinished.json_target(folder) is None
