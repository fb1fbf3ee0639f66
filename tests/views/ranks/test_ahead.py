"""A job whose host never waits for its device: a step is what the device takes, and so are its path and what it would be."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.trace.rank.packed import unpacked
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.ahead_files import BEGUN_NS, AheadJob
from tests.job.recorded import member

if TYPE_CHECKING:
    from pathlib import Path

MS = 1_000_000


def lengths(folder: Path, **fault: Any) -> list[int]:
    """Of each step, on the device that is last: from when it was done with the step before."""
    folder.mkdir()
    job = AheadJob(**fault)
    job.write(folder)
    return [after - before for before, after in pairwise([BEGUN_NS, *job.done])]


@pytest.mark.parametrize("room", [10_000, 30])
@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        ({"slow": {2: 1.3}}, "slow_kernels"),
        ({"slow": {2: 1.3}, "copies": True}, "slow_kernels"),
        ({"late_input": {1: 9 * MS}}, "input"),
        ({"pause": dict.fromkeys(((3, step) for step in range(10, 16)), 30 * MS)}, "pause"),
    ],
)
def test_a_step_without_whom_is_waited_for_is_what_its_devices_would_take(
    tmp_path: Path, room: int, fault: dict[str, Any], cause: str
) -> None:
    is_now, without = (lengths(tmp_path / name, room=room, **more) for name, more in (("now", fault), ("without", {})))
    reply = join([member(path) for path in sorted((tmp_path / "now").iterdir())], RanksParams())
    (blamed,) = reply.blamed
    assert blamed.cause == cause
    assert blamed.step_was_ns == pytest.approx(sum(is_now) / len(is_now), rel=0.02)
    assert blamed.step_without_ns == pytest.approx(sum(without) / len(without), rel=0.02)
    assert sum(row.path_ns for row in reply.path) == pytest.approx(sum(is_now) / len(is_now), rel=0.02)
    assert not any("no event gives" in each for each in reply.doubts)
    what = {"input": "loader", "pause": "host pause"}.get(cause, "computing")
    assert sum(row.path_ns for row in reply.path if row.what == what) > 0.5 * sum(row.path_ns for row in reply.path)


def test_a_launch_that_waits_for_room_is_no_slow_launch(tmp_path: Path) -> None:
    """Of the slow rank, whose queue is full when those of the others are not."""
    lengths(tmp_path / "now", room=60, slow={2: 1.3})
    found = [member(path).answer for path in sorted((tmp_path / "now").iterdir())]
    for one in found:
        assert one is not None
        work = unpacked(one.work)
        assert (work["launch"] <= 12_000 * work["n_launches"]).all()


@pytest.mark.parametrize("ahead", [1, 2, 3])
def test_a_host_that_waits_for_an_event_of_steps_ago_is_held_by_its_device(tmp_path: Path, ahead: int) -> None:
    is_now, without = (
        lengths(tmp_path / name, ahead=ahead, slow=slow) for name, slow in (("now", {2: 1.3}), ("without", dict[int, float]()))
    )
    reply = join([member(path) for path in sorted((tmp_path / "now").iterdir())], RanksParams())
    (blamed,) = reply.blamed
    assert (blamed.ranks, blamed.cause, len(blamed.steps)) == ([2], "slow_kernels", len(is_now))
    assert blamed.step_without_ns == pytest.approx(sum(without) / len(without), rel=0.01)
    assert not any("launched long ago" in each for each in reply.doubts)


@pytest.mark.parametrize("early_ns", [0, 1, 900])
def test_a_host_that_begins_to_wait_as_its_step_ends_waits_once(tmp_path: Path, early_ns: int) -> None:
    is_now, without = (
        lengths(tmp_path / name, ahead=1, early_ns=early_ns, slow=slow)
        for name, slow in (("now", {2: 1.3}), ("without", dict[int, float]()))
    )
    reply = join([member(path) for path in sorted((tmp_path / "now").iterdir())], RanksParams())
    assert sum(row.path_ns for row in reply.path) == pytest.approx(sum(is_now) / len(is_now), rel=0.01)
    (blamed,) = reply.blamed
    assert (blamed.ranks, blamed.cause) == ([2], "slow_kernels")
    assert blamed.step_without_ns == pytest.approx(sum(without) / len(without), rel=0.01)
