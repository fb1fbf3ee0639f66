"""What appears in the log directory: the same call and the same names as torch's own handler, and one more file."""

from __future__ import annotations

import os
import re
import socket
import threading
from pathlib import Path
from typing import Any

import pytest

import tb_plugin
from tb_plugin import tensorboard_trace_handler
from tb_plugin.runs.summaries import beside
from tb_plugin.trace.rank.summarise import summarise
from tests.capture.recording import json_of, names_in, record, small_step
from tests.runs.small import scan

pytest.importorskip("torch")
pytestmark = pytest.mark.torch

STOCK_NAME = re.compile(r"(.+)\.(\d{19})\.pt\.trace\.json\.gz")


def test_each_cycle_is_one_pair_of_files(tmp_path: Path) -> None:
    handler = tensorboard_trace_handler(tmp_path, "worker")
    record(handler, cycles=2)
    assert handler.flush(timeout=240)
    found = sorted(path.name for path in tmp_path.iterdir())
    stems = sorted({match[2] for name in found if (match := STOCK_NAME.fullmatch(name))})
    assert len(stems) == 2
    assert found == sorted(f"worker.{stem}.pt.{end}" for stem in stems for end in ("profile.pb", "trace.json.gz"))
    for cycle, stem in enumerate(stems):
        steps = names_in(tmp_path / f"worker.{stem}.pt.trace.json.gz")
        assert steps == [f"ProfilerStep#{3 * cycle + 1}", f"ProfilerStep#{3 * cycle + 2}"]
        info = tb_plugin.load(tmp_path / f"worker.{stem}.pt.profile.pb").trace.info
        assert info.schedule is not None
        assert (info.schedule.cycle, info.schedule.step_num) == (cycle, 3 * cycle + 3)


def test_a_rank_of_several_leaves_its_summary_beside_the_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "3")
    monkeypatch.setenv("WORLD_SIZE", "8")
    handler = tensorboard_trace_handler(tmp_path, "rank3")
    record(handler)
    assert handler.flush(timeout=240)
    (span,) = scan(tmp_path).spans()
    assert len(span.files) == 2
    assert beside(span.files) == summarise(tb_plugin.load(span.files[0].path).trace)
    json_only = span.files[1:]  # who keeps one of the two
    assert beside(json_only) is not None
    assert len(list(tmp_path.iterdir())) == 3


def test_it_takes_the_place_of_torchs_own_handler(tmp_path: Path) -> None:
    from torch.profiler import tensorboard_trace_handler as stock

    for make in (stock, tensorboard_trace_handler):
        folder = tmp_path / make.__module__
        handler: Any = make(str(folder), None, True)
        record(handler)
        getattr(handler, "flush", lambda: None)()
        (path,) = folder.glob("*.json.gz")
        match = STOCK_NAME.fullmatch(path.name)
        assert match is not None
        assert match[1] == f"{socket.gethostname()}_{os.getpid()}"
        assert "aten::mm" in names_in(path, "cpu_op")


def test_the_profile_holds_what_the_json_holds_and_what_only_the_job_knew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    monkeypatch.setenv("RANK", "3")
    monkeypatch.setenv("WORLD_SIZE", "8")
    handler = tensorboard_trace_handler(tmp_path, "node1")
    record(handler, record_shapes=True, profile_memory=True, with_stack=True)
    assert handler.flush(timeout=240)
    (text,), (stored) = tmp_path.glob("*.json.gz"), next(tmp_path.glob("*.pb"))
    of_json, of_profile = tb_plugin.load(text).trace, tb_plugin.load(stored).trace
    assert of_profile.events.start_ns.tolist() == of_json.events.start_ns.tolist()
    assert len(of_profile.memory) == len(of_json.memory) > 0
    info = of_profile.info
    assert (info.rank, info.world_size, info.worker, info.host) == (3, 8, "node1", socket.gethostname())
    assert info.torch_version == torch.__version__
    assert (info.record_shapes, info.profile_memory, info.with_stack, info.with_flops) == (True, True, True, False)
    assert info.activities == ("CPU",)
    assert of_profile.issues == ()


def test_a_relative_directory_stays_where_it_was_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    handler = tensorboard_trace_handler(Path("logs") / "new" / "run", use_gzip=False)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    record(handler)
    assert handler.flush(timeout=240)
    (path,) = (tmp_path / "logs" / "new" / "run").glob("*.pt.trace.json")
    assert json_of(path)["traceName"] == str(path)


def test_a_profiler_without_schedule_and_one_after_another(tmp_path: Path) -> None:
    from torch.profiler import ProfilerActivity, profile

    handler = tensorboard_trace_handler(tmp_path, "w")
    for _ in range(2):
        with profile(activities=[ProfilerActivity.CPU], on_trace_ready=handler):
            small_step()
    assert handler.flush(timeout=240)
    schedules = [tb_plugin.load(path).trace.info.schedule for path in tmp_path.glob("*.pb")]
    assert [schedule.cycle for schedule in schedules if schedule] == [0, 0]


def test_torchs_python_export_passes_through(tmp_path: Path) -> None:
    handler = tensorboard_trace_handler(tmp_path, "w", True, True)
    record(handler)
    assert handler.flush(timeout=240)
    (path,) = tmp_path.glob("*.json.gz")
    assert "aten::mm" in names_in(path, "cpu_op")
    assert len(list(tmp_path.glob("*.pb"))) == 1


def test_nobody_ever_sees_a_half_written_file(tmp_path: Path) -> None:
    seen: dict[str, int] = {}
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            for path in list(tmp_path.iterdir()):
                if not path.name.startswith(".") and path.name not in seen:
                    seen[path.name] = path.stat().st_size

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        handler = tensorboard_trace_handler(tmp_path, "w")
        record(handler, cycles=3, record_shapes=True, with_stack=True)
        assert handler.flush(timeout=240)
    finally:
        done.set()
        watcher.join()
    assert seen == {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    assert len(seen) == 6
