from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.answers import stretch as answers
from tb_plugin.answers.stretch import PerfettoParams, stretch
from tb_plugin.base.errors import UsageError
from tb_plugin.base.units import NONE
from tb_plugin.formats import reader
from tests.profiles import sample

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace

pytest.importorskip("perfetto")


@pytest.fixture(scope="module")
def trace() -> Trace:
    return reader.read(sample("cuda"))


def read_again(trace: Trace, params: PerfettoParams, folder: Path) -> Trace:
    path = folder / "stretch.pftrace"
    path.write_bytes(stretch(trace, params).encode())
    return reader.read(path)


def events_of(trace: Trace, t0_ns: float = float("-inf"), t1_ns: float = float("inf")) -> list[tuple[str, int, int]]:
    """(name, Unix start, duration) of what reaches into the stretch, the naive way."""
    columns = trace.events.name_id.tolist(), trace.events.start_ns.tolist(), trace.events.end_ns.tolist()
    rows = zip(*columns, strict=True)
    return sorted(
        (trace.text(name), trace.info.base_ns + start, end - start) for name, start, end in rows if start < t1_ns and end >= t0_ns
    )


@pytest.mark.parametrize(("begins", "ends"), [(0.0, 1.0), (0.2, 0.3), (0.5, 0.9)])
def test_all_that_reaches_into_the_stretch_is_in_the_file_whole(trace: Trace, begins: float, ends: float, tmp_path: Path) -> None:
    start, length = trace.info.start_ns, trace.info.end_ns - trace.info.start_ns
    t0_ns, t1_ns = start + int(begins * length), start + int(ends * length)
    found = read_again(trace, PerfettoParams(t0_ns=t0_ns, t1_ns=t1_ns), tmp_path)
    assert events_of(found) == events_of(trace, t0_ns, t1_ns)
    assert len(found.events)


def test_tracks_without_an_event_in_the_stretch_are_not_in_the_file(trace: Trace, tmp_path: Path) -> None:
    (row,) = np.flatnonzero(trace.events.launch != NONE)[:1].tolist()
    t0_ns = int(trace.events.start_ns[row])
    params = PerfettoParams(t0_ns=t0_ns, t1_ns=t0_ns + 1)
    wanted = {int(track) for track in trace.events.track[stretch(trace, params).rows]}
    assert 0 < len(wanted) < len(trace.tracks)
    assert len(read_again(trace, params, tmp_path).tracks) == len(wanted)


def test_a_kernel_without_its_launch_in_the_stretch_has_no_arrow(trace: Trace, tmp_path: Path) -> None:
    launch = trace.events.launch
    (row,) = np.flatnonzero(launch != NONE)[:1].tolist()
    t0_ns = int(trace.events.end_ns[launch[row]]) + 1
    found = read_again(trace, PerfettoParams(t0_ns=t0_ns, t1_ns=int(trace.events.end_ns[row]) + 1), tmp_path)
    assert events_of(found) == events_of(trace, t0_ns, int(trace.events.end_ns[row]) + 1)
    assert (found.flows.phase == 0).sum() == (found.flows.phase == 2).sum()


def test_more_than_can_be_written_while_somebody_waits_is_refused(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "MAX_EVENTS", 10)
    with pytest.raises(UsageError, match="zoom in, or write all with tb-plugin convert"):
        stretch(trace, PerfettoParams())


def test_an_empty_stretch_is_refused(trace: Trace) -> None:
    with pytest.raises(UsageError, match="no stretch of time"):
        stretch(trace, PerfettoParams(t0_ns=5, t1_ns=5))
