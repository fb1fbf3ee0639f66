"""What cannot be a time or a duration is counted and named: 0 ns that nobody measured is no figure to be read without a word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tb_plugin.formats.kineto import kineto_json
from tb_plugin.trace.check import check
from tb_plugin.trace.scope.recording import about_all

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace

_EVENT: Final = '{{"ph": "X", "cat": "cpu_op", "name": "{}", "pid": 1, "tid": 1, "ts": {}, "dur": {}}}'
_ODD: Final = "without a duration or with one of many years"
_UNTIMED: Final = "without a time stamp, or with one that is no time"


def read(tmp_path: Path, *events: tuple[str, str, str]) -> Trace:
    path = tmp_path / "odd.json"
    path.write_text(f'{{"schemaVersion": 1, "traceEvents": [{", ".join(_EVENT.format(*event) for event in events)}]}}')
    trace = kineto_json.read(path)
    check(trace)
    return trace


@pytest.mark.parametrize(
    ("durations", "said"),
    [
        (["-50"], "1 event with a negative duration: odd0"),
        (["-50", "-1"], "2 events with a negative duration, the first odd0"),
        (["NaN"], f"1 event {_ODD}: odd0"),
        (["Infinity", "1e18"], f"2 events {_ODD}, the first odd0"),
        (["1e18", "-2"], f"1 event with a negative duration: odd1; 1 event {_ODD}: odd0"),
    ],
)
def test_how_many_have_no_length_and_which(tmp_path: Path, durations: list[str], said: str) -> None:
    odd = [(f"odd{place}", "1010", duration) for place, duration in enumerate(durations)]
    trace = read(tmp_path, ("sound", "1000", "20"), *odd)
    assert about_all(trace) == [f"Shown as 0 ns: {said}."]
    assert len(trace.events) == 1 + len(odd)


def test_what_lasts_no_time_is_as_the_file_says(tmp_path: Path) -> None:
    assert about_all(read(tmp_path, ("sound", "1000", "20"), ("short", "1010", "0"))) == []


@pytest.mark.parametrize("far", ["1e18", "1000000000000000050", "-1e18", "NaN", "Infinity"])
def test_a_time_that_cannot_be_is_left_out_whatever_is_beside_it(tmp_path: Path, far: str) -> None:
    part = "Every figure is of the part that could be read (1 event)"
    (said,) = about_all(read(tmp_path, ("sound", "1000", "20"), ("odd", far, "5")))
    assert said == f"{part}: 1 event {_UNTIMED}, has no place on the timeline: odd."
    alone = read(tmp_path, ("odd", far, "5"), ("odd too", far, "5"))
    assert len(alone.events) == 0
    assert f"2 events {_UNTIMED}, have no place on the timeline, the first odd." in about_all(alone)[0]


def test_a_long_name_is_cut_in_what_is_said(tmp_path: Path) -> None:
    (said,) = about_all(read(tmp_path, ("sound", "1000", "20"), ("x" * 5000, "1010", "-2")))
    assert len(said) < 150
