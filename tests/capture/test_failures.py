"""Whatever fails, training goes on, one warning says what was lost and why, and nothing half done stays behind."""

from __future__ import annotations

import errno
import gzip
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import tb_plugin
from tb_plugin import tensorboard_trace_handler
from tb_plugin.base import child_process, fast_gzip, unfinished
from tb_plugin.capture import background, child, json_text, pair, recover, scratch
from tb_plugin.capture.background import Background
from tb_plugin.capture.facts import JobFacts
from tb_plugin.capture.live import reader
from tb_plugin.capture.order import Order
from tb_plugin.capture.report import Reporter, TraceHandlerError, TraceHandlerWarning
from tests.capture.recording import names_in, record, small_step, warned

if TYPE_CHECKING:
    from tb_plugin.base.unfinished import Unfinished

pytest.importorskip("torch")
pytestmark = pytest.mark.torch


def test_a_directory_that_cannot_be_made_is_warned_about_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    handler = tensorboard_trace_handler(tmp_path / "file" / "logs", "w", max_waiting=10)
    with warned() as texts:
        record(handler, cycles=3)
        assert handler.flush(timeout=240)
    assert len(texts) == 1
    assert "the profile of cycle 0" in texts[0]
    assert "waits to be finished (`tb-plugin recover`): Not a directory" in texts[0]
    with warned() as texts:
        handler._reporter.sum_up()
        handler._reporter.sum_up()
    assert texts == ["2 more profiles wait to be finished (`tb-plugin recover`), for reasons that were warned about before"]


def test_at_the_end_what_waits_is_not_called_lost() -> None:
    reporter = Reporter(raises=False)
    with warned() as texts:
        for waits in (True, True, False, False, False):
            reporter.lost("write", "a profile", waits=waits)
        reporter.sum_up()
    assert texts == [
        "a profile",
        "a profile",
        "1 more profile waits to be finished (`tb-plugin recover`), for reasons that were warned about before",
        "2 more profiles were lost, in whole or in part, for reasons that were warned about before",
    ]


def test_on_error_raise_raises_in_the_training_loop(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    handler = tensorboard_trace_handler(tmp_path / "file" / "logs", "w", on_error="raise")
    record(handler)
    with pytest.raises(TraceHandlerError, match=r"cycle 0 .* waits to be finished .*: Not a directory"):
        handler.flush(timeout=240)
    record(handler)
    handler._background.wait_until_idle(240)
    with pytest.raises(TraceHandlerError, match="waits to be finished"):
        record(handler)
    handler._background.wait_until_idle(240)


def test_an_unknown_way_to_handle_errors_is_refused() -> None:
    with pytest.raises(ValueError, match="on_error"):
        tensorboard_trace_handler("logs", on_error="ignore")  # type: ignore[arg-type]


def big_step() -> None:
    for _ in range(100):
        small_step()


def test_a_full_disk_leaves_no_piece_and_the_profile_waits_for_room(tmp_path: Path) -> None:
    folder, scratch_dir = tmp_path / "small", tmp_path / "scratch"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", folder], capture_output=True, check=False)
    if mounted.returncode != 0:
        pytest.skip("may not mount a small file system")
    try:
        handler = tensorboard_trace_handler(folder, "w", scratch_dir=scratch_dir, max_waiting=1)
        with warned() as texts:
            record(handler, cycles=2, step=big_step, record_shapes=True, with_stack=True)
            assert handler.flush(timeout=240)
        assert len(texts) == 2
        assert all(os.strerror(errno.ENOSPC) in text for text in texts)
        assert "waits to be finished" in texts[0]
        assert "was lost" in texts[1]
        assert [path.suffix for path in folder.iterdir()] in ([".unfinished"], [])
        (kept,) = scratch_dir.iterdir()  # the other one was more than may wait
        subprocess.run(["mount", "-o", "remount,size=10m", folder], check=True)
        assert [left.state for left in recover.recovered([folder], [scratch_dir])] == ["finished"]
        assert sorted(path.suffix for path in folder.iterdir()) == [".gz", ".pb"]
        assert not kept.exists()
    finally:
        subprocess.run(["umount", folder], check=True)


def test_a_write_that_fails_at_the_end_leaves_no_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def __enter__(self) -> Full:
            return self

        def __exit__(self, *_: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        def write(self, piece: bytes) -> None:
            del piece

    monkeypatch.setattr(fast_gzip, "packed", lambda _file: Full())
    held = _recorded(tmp_path)
    outcome = pair.finish(held)
    assert outcome.json_error == os.strerror(errno.ENOSPC)
    assert outcome.profile_error is None
    assert outcome.may_work_later
    assert sorted(path.name for path in (tmp_path / "logs").iterdir()) == [".w.1.unfinished", "w.1.pt.profile.pb"]


def _recorded(folder: Path) -> Unfinished:
    """What the handler leaves of a profile without events."""
    (folder / "scratch").mkdir()
    held = scratch.fill(lambda path: Path(path).write_bytes(b'{"traceEvents": [\n  ]}'), [folder / "scratch"], folder)
    order = Order(
        source=str(held.folder / unfinished.TRACE),
        json_target=str(folder / "logs" / "w.1.pt.trace.json.gz"),
        profile_target=str(folder / "logs" / "w.1.pt.profile.pb"),
        facts=JobFacts(worker="w", cycle=0),
    )
    order.save(held.folder)
    return held


def test_a_bug_in_the_mending_leaves_torchs_own_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise IndexError("ours")

    monkeypatch.setattr(json_text, "mend", fail)
    held = _recorded(tmp_path)
    text = (held.folder / unfinished.TRACE).read_bytes()
    outcome = pair.finish(held)
    assert (outcome.json_error, outcome.mend_error) == (None, "IndexError: ours")
    assert gzip.decompress((tmp_path / "logs" / "w.1.pt.trace.json.gz").read_bytes()) == text
    assert not held.folder.exists()


@pytest.mark.parametrize(
    ("start", "reason"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL, often because memory ran out"),
        ("raise SystemExit('no such thing')", "ended with code 1: no such thing"),
    ],
)
def test_a_child_that_dies_leaves_the_json_to_the_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: str, reason: str
) -> None:
    if "SIGKILL" in reason and sys.platform == "win32":
        pytest.skip("no signal ends a process there")
    from torch.profiler import record_function

    def step() -> None:
        with record_function('say "hi"'):
            small_step()

    monkeypatch.setattr(child_process, "_START", start)
    handler = tensorboard_trace_handler(tmp_path, "w")
    with warned() as texts:
        record(handler, cycles=2, step=step)
        assert handler.flush(timeout=240)
    assert len(texts) == 1
    assert ".pt.profile.pb was not written" in texts[0]
    assert reason in texts[0]
    paths = sorted(tmp_path.iterdir())
    assert len(paths) == 2
    for path in paths:
        assert names_in(path).count('say "hi"') == 2


def test_a_program_without_an_interpreter_still_saves_the_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "gone"))
    handler = tensorboard_trace_handler(tmp_path / "logs", "w", use_gzip=False)
    with warned() as texts:
        record(handler)
        assert handler.flush(timeout=240)
    assert len(texts) == 1
    assert "could not be started" in texts[0]
    assert [path.suffix for path in (tmp_path / "logs").iterdir()] == [".json"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_dead_thread_is_noticed_and_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_: object) -> None:
        raise SystemExit

    handler = tensorboard_trace_handler(tmp_path, "w")
    with warned() as texts, monkeypatch.context() as patched:
        patched.setattr(Background, "_write", die)
        record(handler)
        assert handler.flush(timeout=240)
    assert len(texts) == 1
    assert "cycle 0" in texts[0]
    assert "the thread that reads it died" in texts[0]
    assert len(list(tmp_path.iterdir())) == 2
    record(handler)
    assert handler.flush(timeout=240)
    assert len(list(tmp_path.iterdir())) == 4


def test_a_torch_whose_events_tell_nothing_costs_no_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def other_api(*_: object) -> None:
        raise AttributeError("no attribute 'is_python_function'")

    monkeypatch.setattr(reader, "read", other_api)
    handler = tensorboard_trace_handler(tmp_path, "w")
    with warned() as texts:
        record(handler)
        assert handler.flush(timeout=240)
    assert len(texts) == 1
    assert "could not be read" in texts[0]
    assert len(tb_plugin.load(next(tmp_path.glob("*.pb"))).trace.live) == 0


def test_what_a_killed_writer_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    order = Order(
        source="",
        json_target=str(tmp_path / "w[1].json.gz"),
        profile_target=str(tmp_path / "w[1].pb"),
        facts=JobFacts(worker="w", cycle=0),
    )
    for name in (".w[1].json.gz.0a1b.tmp", ".w[1].pb.0a1b.tmp", ".w1.pb.0a1b.tmp", "w[1].json.gz"):
        (tmp_path / name).write_text("x")
    order.remove_pieces()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".w1.pb.0a1b.tmp", "w[1].json.gz"]


def test_a_bug_of_ours_loses_one_profile_and_no_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyError("ours")

    monkeypatch.setattr(scratch, "fill", fail)
    steps: list[int] = []
    with warned() as texts:
        record(tensorboard_trace_handler(tmp_path, "w"), step=lambda: steps.append(1))
    assert len(steps) == 3
    assert len(texts) == 1
    assert "cycle 0 was lost: KeyError" in texts[0]


def test_an_export_that_wrote_nothing_is_noticed(tmp_path: Path) -> None:
    folders = tmp_path / "one", tmp_path / "other"
    with pytest.raises(OSError, match=r"one: torch wrote no file; .*other: torch wrote no file; .*log: torch wrote no file"):
        scratch.fill(lambda _path: None, folders, tmp_path / "log")
    assert list(tmp_path.glob("*/*")) == []


def test_an_export_that_was_cut_off_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="torch's file is cut off"):
        scratch.fill(lambda path: Path(path).write_text('{"traceEvents": [{"ph": "X"}, {"p'), [tmp_path], tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("is_temporary_folder_full", [False, True])
def test_what_does_not_fit_into_the_scratch_is_exported_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_temporary_folder_full: bool
) -> None:
    small, logs = tmp_path / "small", tmp_path / "logs"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24k", "tmpfs", small], capture_output=True, check=False)
    if mounted.returncode != 0:
        pytest.skip("may not mount a small file system")
    if is_temporary_folder_full:
        monkeypatch.setattr(tempfile, "tempdir", str(small))
    free = os.statvfs(small).f_bfree
    try:
        handler = tensorboard_trace_handler(logs, "w", scratch_dir=small)
        with warned() as texts:
            record(handler, step=big_step, record_shapes=True, with_stack=True)
            assert handler.flush(timeout=240)
        (said,) = texts
        assert f"could not export into {small}" in said
        assert sorted(path.suffix for path in logs.iterdir()) == [".gz", ".pb"]
        assert list(small.iterdir()) == []
        assert os.statvfs(small).f_bfree == free
        (made,) = logs.glob("*.gz")
        assert "ProfilerStep#1" in names_in(made)
    finally:  # torch still holds the removed file open
        subprocess.run(["umount", "--lazy", small], check=True)


def test_a_full_queue_waits_says_so_and_then_names_what_it_drops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()
    write = Background._write

    def slowly(self: Background, recorded: Any) -> None:
        go_on.wait(240)
        write(self, recorded)

    monkeypatch.setattr(Background, "_write", slowly)
    handler = tensorboard_trace_handler(tmp_path, "w", max_waiting=1, max_wait_s=0.2)
    with warned() as texts:
        record(handler, cycles=4)  # one in the works, one waiting, two too many
        go_on.set()
        assert handler.flush(timeout=240)
    assert ["waits, up to 0.2 s" in text for text in texts] == [True, False, False]
    assert "the profile of cycle 2" in texts[1]
    assert "was lost: 1 profiles still wait" in texts[1]
    assert "the profile of cycle 3" in texts[2]
    assert len(list(tmp_path.glob("*.pb"))) == 2


def test_without_the_right_to_raise_a_priority_the_child_starts_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Unfinished] = []
    start = child.start

    def counted(held: Unfinished) -> Any:
        started.append(held)
        return start(held)

    monkeypatch.setattr(child, "start", counted)
    monkeypatch.setattr(child, "_promote", lambda _child: len(started) > 1)
    monkeypatch.setattr(background, "_HEAD_START_S", 0.0)
    monkeypatch.setattr(background, "_GENTLY_FOR_S", 0.5)
    monkeypatch.setattr(child, "QUICKLY", child.GENTLY)  # as if it had been told long ago
    handler = tensorboard_trace_handler(tmp_path, "w")
    with warned() as texts:
        record(handler)
        assert handler.flush(timeout=240)
    assert texts == []
    assert len(started) <= 2
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".gz", ".pb"]


def test_flush_tells_when_time_was_not_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()
    monkeypatch.setattr(Background, "_save_live", lambda *_: go_on.wait(240))
    handler = tensorboard_trace_handler(tmp_path, "w")
    assert handler.flush(timeout=0)
    record(handler)
    assert not handler.flush(timeout=0.05)
    go_on.set()
    assert handler.flush(timeout=240)


def test_under_warnings_as_errors_the_thread_lives_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import warnings

    (tmp_path / "file").write_text("in the way")
    handler = tensorboard_trace_handler(tmp_path / "file", "w")
    with warnings.catch_warnings():
        warnings.simplefilter("error", TraceHandlerWarning)
        record(handler)
        assert handler.flush(timeout=240)
    assert "waits to be finished" in capsys.readouterr().err
