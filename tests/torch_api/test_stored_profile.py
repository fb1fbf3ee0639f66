"""What a stored profile answers that the live one does not, and what it cannot know."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tb_plugin
from tb_plugin.base.errors import UsageError
from tb_plugin.trace.work.flops import operator_flops
from tests.torch_api import recordings
from tests.torch_api.recordings import ALL
from tests.trace_text import trace_from_text

ROOT = Path(__file__).resolve().parents[2]


def _profile(text: str) -> tb_plugin.Profile:
    return tb_plugin.Profile(trace_from_text(text))


def _times(profile: tb_plugin.Profile) -> dict[str, tuple[int, float, float]]:
    return {row.key: (row.count, row.self_cpu_time_total, row.cpu_time_total) for row in profile.key_averages()}


def test_self_time_is_without_children_and_wrappers_count_once() -> None:
    profile = _profile("""
        thread 1 | ProfilerStep#1 0-100 | aten::linear 10-60 | aten::linear 20-50 | aten::addmm 25-35
        thread 1 | ProfilerStep#2 100-150 | aten::is_leaf 110-120
        thread 2 | aten::linear 0-7
    """)
    assert _times(profile) == {
        "ProfilerStep*": (2, 100.0, 150.0),
        "aten::linear": (2, 47.0, 57.0),
        "aten::addmm": (1, 10.0, 10.0),
    }
    assert profile.self_cpu_time_total == 157.0
    assert [event.trace_name for event in profile.events() if event.is_user_annotation] == ["ProfilerStep#1", "ProfilerStep#2"]


def test_events_are_made_when_asked_for() -> None:
    events = _profile("thread 1 | aten::linear 0-60 | aten::addmm 20-50 | aten::relu 70-80").events()
    linear, addmm, relu = events
    assert events[-1] == relu
    assert [event.name for event in events[:2]] == ["aten::linear", "aten::addmm"]
    assert addmm.cpu_parent == linear
    assert linear.cpu_children == [addmm]
    assert relu.cpu_parent is None
    assert linear.time_range == (0.0, 60.0)
    assert linear.cpu_time_total_str == "60.000us"
    with pytest.raises(IndexError):
        events[3]
    with pytest.raises(AttributeError):
        events.table(sort_by="no such thing")


def test_a_profile_without_events_has_empty_answers(tmp_path: Path) -> None:
    profile = _profile("")
    assert profile.key_averages().table() == profile.table() == ""
    assert profile.key_averages() == []
    assert profile.total_average().count == profile.self_cpu_time_total == 0
    profile.events().export_chrome_trace(tmp_path / "empty.json")
    assert json.loads((tmp_path / "empty.json").read_text()) == []


def test_stacks_come_from_the_frames_of_the_file(tmp_path: Path) -> None:
    profile = _profile("thread 1 | train.py(9): main 0-50 | train.py(3): step 10-40 | aten::mm 15-30 | aten::mm 42-45")
    found = {tuple(row.stack): row.count for row in profile.key_averages(group_by_stack_n=2) if row.key == "aten::mm"}
    assert found == {("train.py(3): step", "train.py(9): main"): 1, ("train.py(9): main",): 1}
    profile.export_stacks(tmp_path / "stacks.txt")
    assert (tmp_path / "stacks.txt").read_text().splitlines() == [
        "train.py(9):_main 15",
        "train.py(9):_main;train.py(3):_step 15",
        "train.py(9):_main 3",
    ]
    with pytest.raises(UsageError, match="metric should be one of"):
        profile.export_stacks(tmp_path / "stacks.txt", "self_time")
    with pytest.raises(UsageError, match="with_stack=True"):
        _profile("thread 1 | aten::mm 0-5").export_stacks(tmp_path / "stacks.txt")


def test_failed_allocations_are_listed_as_torch_lists_them(tmp_path: Path) -> None:
    events: list[dict[str, Any]] = [
        {"ph": "X", "cat": "cpu_op", "name": "aten::empty", "pid": 1, "tid": 1, "ts": 0, "dur": 10, "args": {"External id": 1}},
        {
            "ph": "i",
            "cat": "cpu_instant_event",
            "name": "[OutOfMemory]",
            "pid": 1,
            "tid": 1,
            "ts": 5,
            "args": {"Device Type": 1, "Bytes": 4096},
        },
        {
            "ph": "i",
            "cat": "cpu_instant_event",
            "name": "[memory]",
            "pid": 1,
            "tid": 1,
            "ts": 20,
            "args": {"Device Type": 0, "Bytes": -64},
        },
    ]
    path = tmp_path / "memory.json"
    path.write_text(json.dumps({"schemaVersion": 1, "profile_memory": 1, "baseTimeNanoseconds": 0, "traceEvents": events}))
    profile = tb_plugin.load(path)
    found = {row.key: (row.self_cpu_memory_usage, row.self_device_memory_usage) for row in profile.key_averages()}
    assert found == {"aten::empty": (0, -4096), "[OutOfMemory]": (0, 4096), "[memory]": (-64, 0)}
    (empty,) = (event for event in profile.events() if event.key == "aten::empty")
    assert [child.key for child in empty.cpu_children] == ["[OutOfMemory]"]


def test_any_name_gives_a_chrome_trace_that_can_be_read(tmp_path: Path) -> None:
    _profile('thread 1 | <say "hi"\\n> 0-5').events().export_chrome_trace(tmp_path / "names.json")
    assert [event["name"] for event in json.loads((tmp_path / "names.json").read_text())] == ['say "hi"\\n']


@pytest.mark.parametrize(
    ("name", "shapes", "concrete", "expected"),
    [
        ("aten::mm", [[3, 4], [4, 5]], [], 120),
        ("aten::addmm", [[5], [3, 4], [4, 5]], [], 120),
        ("aten::bmm", [[2, 3, 4], [2, 4, 5]], [], 240),
        ("aten::mul", [[3, 4], []], [], 12),
        ("aten::add", [[], []], [], 1),
        ("aten::mm", [[3, 0], [0, 5]], [], 0),
        ("aten::conv2d", [[2, 3, 8, 8], [8, 3, 3, 3], [8]], ["", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "1"], 13824),
        ("aten::conv2d", [[2, 3, 8, 8], [8, 3, 3, 3], [8]], ["", "", "", "[2, 2]", "same", "[1, 1]", "1"], 0),
        ("aten::conv2d", [[2, 3, 8, 8], [8, 3, 3, 3], [8]], [], 0),
        ("aten::relu", [[3, 4]], [], 0),
    ],
)
def test_flops(name: str, shapes: list[list[int]], concrete: list[str], expected: int) -> None:
    assert operator_flops(shapes, ["float"] * len(shapes), name, concrete) == expected


@pytest.mark.torch
class TestOfRealProfiles:
    @pytest.fixture(autouse=True)
    def _torch(self) -> None:
        pytest.importorskip("torch", reason="torch records the profile")

    def test_frames_give_the_stacks_that_verbose_would_have_recorded(self, tmp_path: Path) -> None:
        recording = recordings.record(tmp_path, recordings.cnn, {"verbose": True}, **ALL)
        content = json.loads(recording.json.read_text())
        n_removed = sum(event.get("args", {}).pop("Call stack", None) is not None for event in content["traceEvents"])
        assert n_removed > 500
        (tmp_path / "bare.json").write_text(json.dumps(content))
        verbose, bare = tb_plugin.load(recording.json), tb_plugin.load(tmp_path / "bare.json")
        assert str(bare.key_averages(group_by_stack_n=50)) == str(verbose.key_averages(group_by_stack_n=50))
        assert [event.stack for event in bare.events()] == [event.stack for event in verbose.events()]

    def test_a_stock_file_does_not_say_that_another_thread_ended_a_range(self, tmp_path: Path) -> None:
        recording = recordings.record(tmp_path, recordings.ranges, {"profile_all_threads": True})
        of_torch = {row.key: row for row in recording.torch.key_averages()}
        of_stock = {row.key: row for row in tb_plugin.load(recording.json).key_averages()}
        different = {
            key for key, row in of_torch.items() if row.self_cpu_time_total != pytest.approx(of_stock[key].self_cpu_time_total)
        }
        # The range itself, and what it lies in: torch takes nothing from the self time of that.
        assert different == {"ends elsewhere", "ProfilerStep*"}
        for key, row in of_torch.items():
            assert row.cpu_time_total == pytest.approx(of_stock[key].cpu_time_total)

    def test_answers_need_no_torch(self, tmp_path: Path) -> None:
        recording = recordings.record(tmp_path, recordings.cnn, {}, **ALL)
        code = (
            "import sys, tb_plugin; p = tb_plugin.load(sys.argv[1]); p.key_averages(True, 5).table(); p.table(row_limit=3);"
            "p.export_stacks(sys.argv[2]); assert 'torch' not in sys.modules"
        )
        command: list[Any] = [sys.executable, "-c", code, recording.stored, tmp_path / "stacks.txt"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
        assert done.returncode == 0, done.stderr
