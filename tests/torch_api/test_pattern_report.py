"""`report_all_anti_patterns` says what torch's own report says of the live profile."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import tb_plugin
from tb_plugin.base.errors import UsageError
from tb_plugin.torch_api import patterns
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.patterns import ALL
from tb_plugin.trace.patterns.pattern import Pattern
from tests.torch_api import recordings
from tests.trace.patterns.training import train
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.patterns.call_tree import CallTree

torch = pytest.importorskip("torch", reason="compares with torch's own report")

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> recordings.Recording:
    make_step = lambda: lambda: train(well=False)  # noqa: E731
    return recordings.record(tmp_path_factory.mktemp("report"), make_step, {}, **recordings.ALL)


def blocks(text: str) -> list[str]:
    """Messages and summaries, in order; a place belongs to the line before it."""
    return text.replace("\n[Source", " [Source").splitlines()


def torchs(recording: recordings.Recording, capsys: pytest.CaptureFixture[str], folder: Path) -> tuple[list[str], Any]:
    from torch.profiler._pattern_matcher import report_all_anti_patterns

    capsys.readouterr()
    report_all_anti_patterns(recording.torch, json_report_dir=str(folder))
    return blocks(capsys.readouterr().out), json.loads((folder / "torchtidy_report.json").read_text())


def test_the_stored_profile_gives_torchs_report(
    recording: recordings.Recording, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "theirs").mkdir()
    expected, by_file = torchs(recording, capsys, tmp_path / "theirs")
    text = tb_plugin.load(recording.stored).report_all_anti_patterns(json_report_dir=tmp_path)
    assert capsys.readouterr().out == text + "\n"
    # Torch's report leaves out the loop, which its matcher finds.
    ours = [line for line in blocks(text) if not line.startswith("For ")]
    assert set(ours) == set(expected)
    assert any("For Loop Indexing Pattern" in line for line in blocks(text))
    saved = json.loads((tmp_path / "torchtidy_report.json").read_text())
    for file, entries in by_file.items():
        kept = [entry for entry in saved[file] if not entry["name"].startswith("For ")]
        assert sorted(kept, key=str) == sorted(entries, key=str)


def test_the_json_alone_gives_the_file_and_where_its_function_begins(recording: recordings.Recording) -> None:
    text = tb_plugin.load(recording.json).report_all_anti_patterns(print_enable=False)
    places = {line.partition("Location] ")[2] for line in text.splitlines() if "Location]" in line}
    assert places
    assert all(place.rpartition(":")[0].endswith(".py") for place in places)
    assert any("trace/patterns/training.py" in place for place in places)
    assert "Not checked:\nFP32 MatMul Pattern: recorded without" in text


def test_a_profile_without_stacks_has_a_report_too(tmp_path: Path) -> None:
    trace = trace_from_text("thread 1 | " + " | ".join(f"aten::select {9 * i}-{9 * i + 8}" for i in range(12)))
    text = patterns.report(trace, json_report_dir=tmp_path)
    assert "[Source Code Location] No source code location found" in text
    saved = json.loads((tmp_path / "torchtidy_report.json").read_text())
    assert [entry["line_number"] for entry in saved["No source code location found"]] == [None]


def test_entries_of_other_files_stay(tmp_path: Path) -> None:
    path = tmp_path / "torchtidy_report.json"
    path.write_text('{"other.py": []}')
    patterns.report(trace_from_text("thread 1 | aten::mm 0-1"), json_report_dir=tmp_path)
    assert json.loads(path.read_text()) == {"other.py": []}
    path.write_text("[]")
    with pytest.raises(UsageError, match="no JSON object"):
        patterns.report(trace_from_text("thread 1 | aten::mm 0-1"), json_report_dir=tmp_path)


def test_a_pattern_of_ones_own_is_one_class() -> None:
    class Sleep(Pattern):
        torch_name, name, description = "", "Sleep", "Do not sleep."

        def rows(self, tree: CallTree) -> Int64Array:
            return tree.named(lambda name: name.endswith("sleep"), Kind.PYTHON)

    text = patterns.report(trace_from_text("thread 1 | train.py(3): f 0-9 | time.py(1): sleep 1-8"), patterns=[Sleep()])
    assert "Do not sleep.\n[Source Code Location] train.py:3" in text
    assert "Sleep: 1 events matched." in text


@pytest.mark.parametrize("pattern", [each for each in ALL if each.trial], ids=lambda each: each.torch_name)
def test_what_is_measured_runs_and_leaves_torchs_flags(pattern: Pattern) -> None:
    assert pattern.trial is not None
    shapes = ((32, 15), (15, 64))
    before = torch.backends.cuda.matmul.allow_tf32
    assert patterns.measured(pattern.trial, shapes, torch, "cpu") > 0
    assert torch.backends.cuda.matmul.allow_tf32 == before


def test_a_measured_speed_up_is_in_the_summary(recording: recordings.Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    profile = tb_plugin.load(recording.stored)
    text = profile.report_all_anti_patterns(should_benchmark=True, print_enable=False)
    assert ("sees a CUDA device" in text) == (not torch.cuda.is_available())
    monkeypatch.setattr(patterns, "_device", lambda: (torch, "cpu"))
    monkeypatch.setattr(patterns, "measured", lambda *_: 0.5)
    text = profile.report_all_anti_patterns(should_benchmark=True, print_enable=False)
    assert text.count("Total Estimated Speedup: ") == 3
    assert text.count("(2.00X)") == 3
