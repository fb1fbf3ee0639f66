"""Times of early 2024, since 1970 to the nanosecond, are read as they are written, though no double holds them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.formats.kineto import kineto_json
from tb_plugin.formats.kineto.json_stream import CHUNK_BYTES
from tb_plugin.trace.scope.recording import UNREADABLE

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace

DAY_NS = 10**14  # what the digits that stay count to
FIRST_NS = 1_712_195_495_519_689_047


def text_of(times_ns: list[int], *, key: str = '"ts": ', args: str = "", whole: bool = False) -> str:
    """A Kineto file with an operator at each of these times."""

    def event(place: int, ns: int) -> str:
        ts = f"{ns // 1000}" if whole else f"{ns // 1000}.{ns % 1000:03d}"
        times = f'{key}{ts}, "dur": {2 if whole else "1.500"}'
        of_it = f'"ph": "X", "cat": "cpu_op", "name": "aten::op", "pid": 1, "tid": {place % 7}'
        return f'{{{of_it}, {times}, "args": {{"External id": {place}{args}}}}}'

    events = [event(place, ns) for place, ns in enumerate(times_ns)]
    return '{"schemaVersion": 1, "traceEvents": [\n' + ",\n".join(events) + '\n], "traceName": "x"}'


def read(folder: Path, text: str) -> Trace:
    path = folder / "of_2024.pt.trace.json"
    path.write_text(text, encoding="utf-8")
    return kineto_json.read(path)


def times_of(trace: Trace) -> list[int]:
    """Unix ns, in file order."""
    events = trace.events
    by_order = sorted(zip(events.order.tolist(), events.start_ns.tolist(), strict=True))
    return [start + trace.info.base_ns for _, start in by_order]


@pytest.mark.parametrize("key", ['"ts": ', '"ts":'])
@given(after=st.lists(st.integers(0, 3 * 10**9), min_size=1, max_size=20))
def test_times_are_read_to_the_nanosecond(tmp_path_factory: pytest.TempPathFactory, key: str, after: list[int]) -> None:
    times = [FIRST_NS + ns for ns in after]
    trace = read(tmp_path_factory.mktemp("exact"), text_of(times, key=key))
    assert times_of(trace) == times
    assert (trace.events.end_ns - trace.events.start_ns == 1500).all()
    assert trace.info.resolution_ns == 1


def test_a_file_of_many_chunks_read_by_helpers_has_the_same_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kineto_json, "LARGE_BYTES", CHUNK_BYTES)
    times = [FIRST_NS + 1013 * place for place in range(70_000)]
    path = tmp_path / "large.pt.trace.json"
    path.write_text(text_of(times), encoding="utf-8")
    assert path.stat().st_size > 32 * CHUNK_BYTES
    for n_helpers in (0, 1):
        trace = kineto_json.read(path, n_helpers=n_helpers)
        assert (times_of(trace), trace.info.resolution_ns) == (times, 1)


def test_of_a_day_that_begins_meanwhile_times_are_as_good_as_a_double(tmp_path: Path) -> None:
    midnight = FIRST_NS // DAY_NS * DAY_NS + DAY_NS
    times = [midnight - 5_000_001, midnight - 1, midnight, midnight + 777_003]
    trace = read(tmp_path, text_of(times))
    assert trace.info.resolution_ns == 250
    found = times_of(trace)
    assert found[:2] == times[:2]
    assert found[2:] == pytest.approx(times[2:], abs=250)


def test_an_argument_of_the_same_name_is_shown_as_it_was_written(tmp_path: Path) -> None:
    trace = read(tmp_path, text_of([FIRST_NS, FIRST_NS + 7001], args=f', "ts": {FIRST_NS // 1000}'))
    args: list[dict[str, Any]] = [trace.args.get(order) for order in (0, 1)]
    assert times_of(trace) == [FIRST_NS, FIRST_NS + 7001]
    assert [each["ts"] for each in args] == [FIRST_NS // 1000] * 2


def test_times_of_whole_microseconds_and_since_a_base_are_as_before(tmp_path: Path) -> None:
    assert read(tmp_path, text_of([FIRST_NS, FIRST_NS + 7001], whole=True)).info.resolution_ns == 1000
    of_2025 = read(tmp_path, json.dumps({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "a", "ts": 12.345, "dur": 1}]}))
    assert (of_2025.events.start_ns + of_2025.info.base_ns).tolist() == [12_345]


def test_a_damaged_file_keeps_exact_times_and_true_places(tmp_path: Path) -> None:
    times = [FIRST_NS + 1001 * place for place in range(40)]
    text = text_of(times)
    place = text.index(text.split("\n")[21])
    damaged = text[:place] + '{"ph": ' + text[place:]
    trace = read(tmp_path, damaged)
    assert set(times_of(trace)) >= set(times[:20]) | set(times[21:])
    assert [issue.first for issue in trace.issues if issue.kind == UNREADABLE] == [f"byte {place:,}"]
