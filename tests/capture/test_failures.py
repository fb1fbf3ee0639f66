"""Whatever fails, training goes on, one warning says what was lost and why, and nothing half done stays behind."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import tb_plugin
from tb_plugin import tensorboard_trace_handler
from tb_plugin.capture import background, child, json_text, live_reader, pair, scratch
from tb_plugin.capture.background import Background
from tb_plugin.capture.facts import Facts
from tb_plugin.capture.order import Order
from tb_plugin.capture.report import TraceHandlerError, TraceHandlerWarning
from tests.capture.recording import names_in, record, small_step, warned

pytest.importorskip("torch")
pytestmark = pytest.mark.torch

ROOT = Path(__file__).resolve().parents[2]


def test_a_directory_that_cannot_be_made_is_warned_about_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    handler = tensorboard_trace_handler(tmp_path / "file" / "logs", "w", max_waiting=10)
    with warned() as texts:
        record(handler, cycles=3)
        assert handler.flush(timeout=60)
    assert len(texts) == 1
    assert "the profile of cycle 0" in texts[0]
    assert "was lost: Not a directory" in texts[0]


def test_on_error_raise_raises_in_the_training_loop(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    handler = tensorboard_trace_handler(tmp_path / "file" / "logs", "w", on_error="raise")
    record(handler)
    with pytest.raises(TraceHandlerError, match=r"cycle 0 .* was lost: Not a directory"):
        handler.flush(timeout=60)
    record(handler)
    handler._background.wait_until_idle(60)
    with pytest.raises(TraceHandlerError, match="was lost"):
        record(handler)
    handler._background.wait_until_idle(60)


def test_an_unknown_way_to_handle_errors_is_refused() -> None:
    with pytest.raises(ValueError, match="on_error"):
        tensorboard_trace_handler("logs", on_error="ignore")  # type: ignore[arg-type]


def big_step() -> None:
    for _ in range(100):
        small_step()


def test_a_full_disk_loses_the_profile_and_leaves_no_piece_of_it(tmp_path: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", folder], capture_output=True, check=False)
    if mounted.returncode != 0:
        pytest.skip("may not mount a small file system")
    try:
        handler = tensorboard_trace_handler(folder, "w")
        with warned() as texts:
            record(handler, step=big_step, record_shapes=True, with_stack=True)
            assert handler.flush(timeout=60)
        assert len(texts) == 1
        assert os.strerror(errno.ENOSPC) in texts[0]
        assert list(folder.iterdir()) == []
    finally:
        subprocess.run(["umount", folder], check=True)


def test_a_write_that_fails_at_the_end_leaves_no_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def __enter__(self) -> Full:
            (tmp_path / ".w.json.gz.part").write_bytes(b"half")
            return self

        def __exit__(self, *_: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        def write(self, piece: bytes) -> None:
            del piece

    (tmp_path / "scratch.json").write_bytes(b'{"traceEvents": [\n  ]}')
    monkeypatch.setattr(pair, "_open_for_writing", lambda *_, **__: Full())
    order = Order(
        source=str(tmp_path / "scratch.json"),
        json_target=str(tmp_path / "w.json.gz"),
        profile_target=str(tmp_path / "w.pb"),
        facts=Facts(worker="w", cycle=0),
    )
    outcome = pair.write(order)
    assert outcome.json_error == os.strerror(errno.ENOSPC)
    assert outcome.profile_error is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scratch.json", "w.pb"]


def test_a_bug_in_the_mending_leaves_torchs_own_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise IndexError("ours")

    text = b'{"traceEvents": [\n  ]}'
    (tmp_path / "scratch.json").write_bytes(text)
    monkeypatch.setattr(json_text, "mend", fail)
    order = Order(
        source=str(tmp_path / "scratch.json"),
        json_target=str(tmp_path / "w.json"),
        profile_target=str(tmp_path / "w.pb"),
        facts=Facts(worker="w", cycle=0),
    )
    outcome = pair.write(order)
    assert (outcome.json_error, outcome.mend_error) == (None, "IndexError: ours")
    assert (tmp_path / "w.json").read_bytes() == text


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
    from torch.profiler import record_function

    def step() -> None:
        with record_function('say "hi"'):
            small_step()

    monkeypatch.setattr(child, "_START", start)
    handler = tensorboard_trace_handler(tmp_path, "w")
    with warned() as texts:
        record(handler, cycles=2, step=step)
        assert handler.flush(timeout=60)
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
        assert handler.flush(timeout=60)
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
        assert handler.flush(timeout=60)
    assert len(texts) == 1
    assert "cycle 0" in texts[0]
    assert "the thread that writes profiles died" in texts[0]
    record(handler)
    assert handler.flush(timeout=60)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_torch_whose_events_tell_nothing_costs_no_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def other_api(*_: object) -> None:
        raise AttributeError("no attribute 'is_python_function'")

    monkeypatch.setattr(live_reader, "read", other_api)
    handler = tensorboard_trace_handler(tmp_path, "w")
    with warned() as texts:
        record(handler)
        assert handler.flush(timeout=60)
    assert len(texts) == 1
    assert "could not be read" in texts[0]
    assert len(tb_plugin.load(next(tmp_path.glob("*.pb"))).trace.live) == 0


def test_what_a_killed_writer_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    order = Order(
        source="",
        json_target=str(tmp_path / "w[1].json.gz"),
        profile_target=str(tmp_path / "w[1].pb"),
        facts=Facts(worker="w", cycle=0),
    )
    for name in (".w[1].json.gz.part", ".w[1].pb.0a1b.tmp", ".w1.pb.0a1b.tmp", "w[1].json.gz"):
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
    with pytest.raises(OSError, match="torch wrote no file"):
        scratch.fill(lambda _path: None, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_full_queue_waits_says_so_and_then_names_what_it_drops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()
    write = Background._write

    def slowly(self: Background, recorded: Any) -> None:
        go_on.wait(30)
        write(self, recorded)

    monkeypatch.setattr(Background, "_write", slowly)
    handler = tensorboard_trace_handler(tmp_path, "w", max_waiting=1, max_wait_s=0.2)
    with warned() as texts:
        record(handler, cycles=4)  # one in the works, one waiting, two too many
        go_on.set()
        assert handler.flush(timeout=60)
    assert ["waits, up to 0.2 s" in text for text in texts] == [True, False, False]
    assert "the profile of cycle 2" in texts[1]
    assert "was lost: 1 profiles still wait" in texts[1]
    assert "the profile of cycle 3" in texts[2]
    assert len(list(tmp_path.glob("*.pb"))) == 2


def test_without_the_right_to_raise_a_priority_the_child_starts_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[bool] = []
    start = child._start

    def counted(*files: Any, idle: bool) -> Any:
        started.append(idle)
        return start(*files, idle=idle)

    monkeypatch.setattr(child, "_start", counted)
    monkeypatch.setattr(child, "_promote", lambda _child: False)
    monkeypatch.setattr(background, "_HEAD_START_S", 0.0)
    handler = tensorboard_trace_handler(tmp_path, "w")
    with warned() as texts:
        record(handler)
        while not started:  # nobody waits yet, so it steps back
            time.sleep(0.01)
        assert handler.flush(timeout=60)
    assert started == [True, False]
    assert texts == []
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".gz", ".pb"]


def test_flush_tells_when_time_was_not_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()
    monkeypatch.setattr(Background, "_write", lambda *_: go_on.wait(30))
    handler = tensorboard_trace_handler(tmp_path, "w")
    assert handler.flush(timeout=0)
    record(handler)
    assert not handler.flush(timeout=0.05)
    go_on.set()
    assert handler.flush(timeout=30)


SCRIPT = """
import sys, os, signal, warnings
from pathlib import Path
from tb_plugin import tensorboard_trace_handler
from tests.capture.recording import record
logs, scratch, ending = sys.argv[1:]
handler = tensorboard_trace_handler(logs, "w", scratch_dir=scratch)
record(handler, cycles=2)
os.chdir("/")
if ending == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
if ending == "error":
    raise RuntimeError("the training failed")
"""


@pytest.mark.parametrize(("ending", "code"), [("end", 0), ("error", 1), ("killed", -signal.SIGKILL)])
def test_a_process_that_ends_writes_its_files_and_leaves_no_scratch(tmp_path: Path, ending: str, code: int) -> None:
    (tmp_path / "scratch").mkdir()
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "logs"), str(tmp_path / "scratch"), ending]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == code, done.stderr
    assert list((tmp_path / "scratch").iterdir()) == []
    if ending != "killed":
        found = sorted((tmp_path / "logs").iterdir())
        assert len(found) == 4
        assert len(tb_plugin.load(found[0]).trace.steps) == 2
        assert "TraceHandler" not in done.stderr


def test_what_a_killed_export_left_is_removed_after_an_hour(tmp_path: Path) -> None:
    for name, age_s in (("tb_plugin_scratch_old", 7200), ("tb_plugin_scratch_new", 60), ("other", 7200)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "trace.json").write_text("half")
        then = (tmp_path / name).stat().st_mtime - age_s
        for path in (tmp_path / name / "trace.json", tmp_path / name):
            os.utime(path, (then, then))
    scratch.sweep(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "tb_plugin_scratch_new"]


def test_under_warnings_as_errors_the_thread_lives_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import warnings

    (tmp_path / "file").write_text("in the way")
    handler = tensorboard_trace_handler(tmp_path / "file", "w")
    with warnings.catch_warnings():
        warnings.simplefilter("error", TraceHandlerWarning)
        record(handler)
        assert handler.flush(timeout=60)
    assert "was lost" in capsys.readouterr().err
