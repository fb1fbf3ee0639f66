"""A stored profile gives the answers of the live profiler: numbers to the last bit, text to the last character."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import pytest

import tb_plugin
from tests.torch_api import recordings
from tests.torch_api.averages import NUMBERS
from tests.torch_api.recordings import ALL, Recording

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytest.importorskip("torch", reason="torch records the profile")
pytestmark = pytest.mark.torch

WORDS = ("key", "input_shapes", "overload_name", "stack", "is_user_annotation", "is_async")
VERBOSE = {"verbose": True}
CASES: dict[str, tuple[Callable[[], Callable[[], None]], dict[str, Any], dict[str, Any]]] = {
    "cnn, plain": (recordings.cnn, {}, {}),
    "cnn, all": (recordings.cnn, {}, ALL),
    "cnn, all, verbose": (recordings.cnn, VERBOSE, ALL),
    "cnn, flops": (recordings.cnn, {}, {"with_flops": True}),
    "transformer, shapes": (recordings.transformer, {}, {"record_shapes": True}),
    "transformer, all, verbose": (recordings.transformer, VERBOSE, ALL),
    "script, all": (recordings.script, {}, {**ALL, "with_modules": True}),
    "script, all, verbose": (recordings.script, VERBOSE, {**ALL, "with_modules": True}),
    "threads, all, verbose": (recordings.threads, {**VERBOSE, "profile_all_threads": True}, ALL),
    "ranges, memory": (recordings.ranges, {}, {"profile_memory": True}),
    "ranges, all, verbose": (recordings.ranges, VERBOSE, ALL),
    "ranges of all threads, verbose": (recordings.ranges, {**VERBOSE, "profile_all_threads": True}, {}),
    "double backward, all, verbose": (recordings.double_backward, VERBOSE, ALL),
    "fork, all, verbose": (recordings.fork, VERBOSE, ALL),
    "left open, memory": (recordings.left_open, {}, {"profile_memory": True}),
    "left open, all, verbose": (recordings.left_open, VERBOSE, ALL),
    "gloo, all, verbose": (recordings.gloo, VERBOSE, ALL),
    "overloads, all, verbose": (recordings.cnn, {**VERBOSE, "capture_overload_names": True}, ALL),
}
# That a range ended on another thread that is profiled too is known only in our own file.
ONLY_STORED = ("ranges of all threads", "fork")


@pytest.fixture(scope="module", params=list(CASES))
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Recording]:
    name = request.param
    make_step, config, options = CASES[name]
    return name, recordings.record(tmp_path_factory.mktemp("profile"), make_step, config, **options)


@lru_cache(maxsize=1)
def _profiles(case: tuple[str, Recording]) -> list[tb_plugin.Profile]:
    """Opened once for all tests of a case."""
    name, recording = case
    paths = [recording.stored] if name.startswith(ONLY_STORED) else [recording.json, recording.stored]
    return [tb_plugin.load(path) for path in paths]


@lru_cache(maxsize=64)  # torch takes longer to work them out than to print the six tables of each
def _averages(of: Any, *grouping: Any) -> Any:
    return of.key_averages(*grouping)


def _rows(averages: Any, *, but: tuple[str, ...] = ()) -> list[tuple[Any, ...]]:
    names = [name for name in (*NUMBERS, *WORDS) if name not in but]
    return [(str(row.device_type), _scope(row.scope), *(getattr(row, name) for name in names)) for row in averages]


def _scope(scope: int) -> int:
    """A stock JSON does not say that an operator is a TorchScript function (2)."""
    return 0 if scope == 2 else scope


def _torch_has_stacks(name: str) -> bool:
    """Without `verbose` torch has none but TorchScript's; ours come from the frames. See docs/torch_parity.md."""
    return "verbose" in name or "all" not in name


@pytest.mark.parametrize("by_shape", [False, True])
@pytest.mark.parametrize("by_overload", [False, True])
def test_key_averages(case: tuple[str, Recording], by_shape: bool, by_overload: bool) -> None:
    expected = case[1].torch.key_averages(group_by_input_shape=by_shape, group_by_overload_name=by_overload)
    for profile in _profiles(case):
        found = profile.key_averages(group_by_input_shape=by_shape, group_by_overload_name=by_overload)
        assert _rows(found) == _rows(expected)


@pytest.mark.parametrize("n", [1, 50])
def test_key_averages_by_stack(case: tuple[str, Recording], n: int) -> None:
    if not _torch_has_stacks(case[0]):
        pytest.skip("torch has no stacks here")
    expected = case[1].torch.key_averages(group_by_stack_n=n)
    for profile in _profiles(case):
        assert _rows(profile.key_averages(group_by_stack_n=n)) == _rows(expected)


def test_sums(case: tuple[str, Recording]) -> None:
    expected = case[1].torch.events().total_average()
    for profile in _profiles(case):
        but = () if _torch_has_stacks(case[0]) else ("stack",)
        assert _rows([profile.total_average()], but=but) == _rows([expected], but=but)
        assert profile.self_cpu_time_total == case[1].torch.events().self_cpu_time_total
        averages = case[1].torch.key_averages()
        assert _rows([profile.key_averages().total_average()]) == _rows([averages.total_average()])
        assert profile.key_averages().self_cpu_time_total == averages.self_cpu_time_total


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"sort_by": "self_cpu_time_total", "row_limit": 7, "header": "a header"},
        {"sort_by": "cuda_time_total", "row_limit": 200, "time_unit": "ms", "max_name_column_width": None},
        {"sort_by": "cpu_memory_usage", "top_level_events_only": True, "max_name_column_width": 20},
        {"sort_by": "count", "max_src_column_width": 30, "max_shapes_column_width": 15, "time_unit": "s"},
        {"sort_by": "key", "max_src_column_width": None, "max_shapes_column_width": None},
    ],
    ids=lambda options: options.get("sort_by", "defaults"),
)
def test_table(case: tuple[str, Recording], options: dict[str, Any]) -> None:
    name, recording = case
    for profile in _profiles(case):
        for grouping in ((False, 0), (True, 0), (False, 2)):
            if grouping[1] and not _torch_has_stacks(name):
                continue
            _assert_same_table(_averages(profile, *grouping), _averages(recording.torch, *grouping), options)
        if _torch_has_stacks(name):
            _assert_same_table(profile.events(), recording.torch.events(), {"row_limit": 30, **options})
        assert str(_averages(profile)) == str(_averages(recording.torch))


def _assert_same_table(ours: Any, theirs: Any, options: dict[str, Any]) -> None:
    """To the last character, except where torch prints FLOPs and source under each other's title: there word by word."""
    expected, found = theirs.table(**options), ours.table(**options)
    if not ("FLOPs" in expected and "Source Location" in expected):
        assert found == expected
        return
    for line, expected_line in zip(found.split("\n"), expected.split("\n"), strict=True):
        if "Source Location" in line:
            assert sorted(line.split()) == sorted(expected_line.split())
            assert line.index("FLOPs") < line.index("Source Location")
        elif set(line) > {"-", " "}:
            assert line.split() == expected_line.split()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ours, "with_flops", False)
        patch.setattr(theirs, "_with_flops", False)
        assert ours.table(**options) == theirs.table(**options)


def test_events_are_the_same_one_by_one(case: tuple[str, Recording]) -> None:
    names = [*NUMBERS[1:], "name", "trace_name", "overload_name", "input_shapes", "is_async", "is_user_annotation"]
    names += ["is_python_function", "sequence_nr", "fwd_thread"]
    expected = case[1].torch.events()
    for profile in _profiles(case):
        events = profile.events()
        assert len(events) == len(expected)
        for ours, theirs in zip(events, expected, strict=True):
            assert [getattr(ours, name) for name in names] == [getattr(theirs, name) for name in names]
            assert ours.scope == theirs.scope or (profile.trace.info.format == "chrome-json" and theirs.scope == 2)
            assert (ours.time_range.start, ours.time_range.end) == (theirs.time_range.start, theirs.time_range.end)
            assert getattr(ours.cpu_parent, "name", None) == getattr(theirs.cpu_parent, "name", None)
            assert [child.name for child in ours.cpu_children] == [child.name for child in theirs.cpu_children]
            if _torch_has_stacks(case[0]):
                assert ours.stack == theirs.stack


def test_what_an_event_took(case: tuple[str, Recording]) -> None:
    expected = case[1].torch.events()
    for profile in _profiles(case):
        for ours, theirs in list(zip(profile.events(), expected, strict=True))[::37]:
            for name in ("structured_input_shapes", "structured_input_strides", "input_dtypes"):
                assert getattr(ours, name) == getattr(theirs, name)


def test_stacks(case: tuple[str, Recording], tmp_path: Path) -> None:
    if "all" not in case[0].split(", ") or not _torch_has_stacks(case[0]):
        pytest.skip("torch has no stacks here")
    case[1].torch.export_stacks(str(tmp_path / "expected"), "self_cpu_time_total")
    expected = (tmp_path / "expected").read_text()
    assert expected.count("\n") > 5
    for profile in _profiles(case):
        profile.export_stacks(tmp_path / "found", "self_cpu_time_total")
        assert (tmp_path / "found").read_text() == expected


def test_the_small_chrome_trace(case: tuple[str, Recording], tmp_path: Path) -> None:
    case[1].torch.events().export_chrome_trace(str(tmp_path / "expected"))
    expected = json.loads((tmp_path / "expected").read_text())
    for profile in _profiles(case):
        profile.events().export_chrome_trace(tmp_path / "found")
        found = json.loads((tmp_path / "found").read_text())
        numbers = {(theirs["tid"], ours["tid"]) for theirs, ours in zip(expected, found, strict=True)}
        assert len(numbers) == len({pair[0] for pair in numbers}) == len({pair[1] for pair in numbers})
        assert [{**event, "tid": 0} for event in found] == [{**event, "tid": 0} for event in expected]
