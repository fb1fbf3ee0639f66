"""Hosts that never wait for their devices: a recording that begins while these are at work of before it, by what is true."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from tb_plugin.base.units import NONE
from tb_plugin.formats.reader import read
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.rank.order import STEP
from tb_plugin.trace.rank.packed import packed, unpacked
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.missing.lacking import on_queue
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member, recorded
from tests.queued_files import QueuedJob

if TYPE_CHECKING:
    from pathlib import Path


def mean_step_ns(job: QueuedJob) -> float:
    """Of all but the first: before it nobody knows what a device would have begun with."""
    ends = [job.ended_ns[step] for step in sorted(job.ended_ns) if step >= job.first_step]
    return (ends[-1] - ends[0]) / (len(ends) - 1)


@pytest.mark.parametrize("ahead", [0, 1, 3])
@pytest.mark.parametrize("fault", [{"slow": {2: 1.3}}, {"late_input": {1: 12_000_000}}])
def test_a_step_without_who_is_late_is_told_though_the_recording_begins_with_a_queue(
    tmp_path: Path, fault: dict[str, Any], ahead: int
) -> None:
    for name in ("healthy", "late"):
        (tmp_path / name).mkdir()
    healthy, late = QueuedJob(ahead=ahead), QueuedJob(ahead=ahead, **fault)
    healthy.write(tmp_path / "healthy")
    table = join([member(path) for path in late.write(tmp_path / "late")], RanksParams())
    one = max(table.blamed, key=lambda each: len(each.steps))
    assert {each.name for each in table.blamed} == {one.name}  # of a first step that is far longer by itself
    assert len(table.blamed) == 1 or not ahead
    assert one.step_without_ns == pytest.approx(mean_step_ns(healthy), rel=0.01)
    if ahead:  # else the first step is longer by what the hosts need before any kernel
        assert one.step_was_ns == pytest.approx(mean_step_ns(late), rel=0.01)
    assert [step.path_ns for step in table.steps] == [step.longest_ns for step in table.steps]


@pytest.mark.parametrize("fault", [{}, {"ahead": 0, "slow": {2: 1.3}}])
def test_what_a_loop_leaves_after_its_last_step_is_no_step(tmp_path: Path, fault: dict[str, Any]) -> None:
    """No longest one, and no part of the mean."""
    tables = []
    for name, tail_ns in (("without", None), ("with", 40_000_000)):
        (tmp_path / name).mkdir()
        job = QueuedJob(tail_ns=tail_ns, **fault)
        tables.append(join([member(path) for path in job.write(tmp_path / name)], RanksParams()))
    without, with_tail = tables
    assert [step.number for step in with_tail.steps] == [step.number for step in without.steps] == list(range(10, 16))
    assert with_tail.parts == without.parts
    assert with_tail.sentences == without.sentences
    assert "The recording ended in step 16: it holds no whole step, and is in no figure." in with_tail.notes
    assert not any("recording ended" in note for note in without.notes)


def test_what_was_launched_before_is_in_no_step_and_is_said(tmp_path: Path) -> None:
    job = QueuedJob()
    paths = job.write(tmp_path)
    trace = read(paths[0])
    kernels = trace.events.kind == Kind.KERNEL
    assert (trace.events.launch[kernels] == NONE).mean() > 0.2
    of = analysed(recorded(paths))
    launched = kernels & (trace.events.launch != NONE)
    assert of.job.of.ranks[0].steps["start"][0] == pytest.approx(trace.events.start_ns[launched].min(), abs=2000)
    assert [path.step for path in of.paths] == list(range(10, 16))
    (note,) = (each for each in join([member(path) for path in paths], RanksParams()).notes if "left" in each)
    left = job.ended_ns[job.first_step - 1] - 1_000_000 - job.ahead * (job.loader_ns + 21 * 5000)
    assert f"When step 10 began on their hosts, the device of ranks 0-3 had up to {left / 1e6:.1f} ms left" in note


@pytest.mark.parametrize(("parts", "named"), [((0.03, 0.016, 0.006), "ranks 0-1"), ((0.018, 0.016, 0.006), None)])
def test_beside_who_has_much_left_of_what_was_launched_before_who_has_half_of_that_is_said(
    tmp_path: Path, parts: tuple[float, ...], named: str | None
) -> None:
    """Their steps are shorter by that than their own files say."""
    profiles = recorded(QueuedJob().write(tmp_path))
    for place, part in enumerate((*parts, 0.0)):
        steps, order = unpacked(profiles[place].summary.steps), unpacked(profiles[place].summary.order)
        length = np.median(steps["end"] - steps["start"])
        steps["start"][0] = order["host"][order["kind"] == STEP][0] + int(part * length)
        summary = msgspec.structs.replace(profiles[place].summary, steps=packed(steps))
        profiles[place] = replace(profiles[place], summary=summary)
    said = on_queue(analysed(profiles))
    assert [note.split(" the device of ")[1].split(" had ")[0] for note in said] == ([named] if named else [])
