"""Jobs of which one rank's file lacks work in the middle: its steps without all work are told of nobody."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.base.units import NONE
from tb_plugin.formats.reader import read
from tb_plugin.trace.rank.step_work import busy, work_of_steps
from tb_plugin.trace.rank.windows import Holes, holes, windows_of_rank
from tb_plugin.trace.times.step_windows import step_windows
from tb_plugin.views.ranks.basis.names import ranges
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member
from tests.job_files import FIRST_STEP, Job

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tb_plugin.trace.model import Trace
    from tb_plugin.views.ranks.result import RanksTable

N_STEPS = 6


def as_written(event: dict[str, Any]) -> tuple[bool, float]:
    """By torch: the host's events, then the device's."""
    return event["cat"] == "kernel", event["ts"]


def by_time(event: dict[str, Any]) -> float:
    return float(event["ts"])


def a_job(folder: Path) -> list[Path]:
    return Job(n_ranks=8, ranks_per_node=4, n_steps=N_STEPS, slow={5: 1.5}).write(folder)


def told(paths: list[Path]) -> RanksTable:
    return join([member(path) for path in paths], RanksParams())


def cut_out(path: Path, begin: float, end: float, order: Callable[[dict[str, Any]], Any], *, in_an_event: bool) -> None:
    """These shares of the text; `in_an_event`: what is left is no JSON there."""
    trace = json.loads(gzip.decompress(path.read_bytes()))
    trace["traceEvents"].sort(key=order)
    plain = json.dumps(trace)
    at, after = (plain.index('{"ph"', int(share * len(plain))) for share in (begin, end))
    path.write_bytes(gzip.compress((plain[: at + (9 if in_an_event else 0)] + plain[after:]).encode()))


def lacking(trace: Trace) -> Holes:
    windows = step_windows(trace)
    return holes(trace, work_of_steps(trace, busy(trace), windows.start_ns, windows.end_ns).columns["idle"])


@pytest.mark.parametrize(
    ("begin", "end", "order", "lacks"),
    [(0.6, 0.7, as_written, [10, 11]), (0.7, 0.95, as_written, [11, 12, 13, 14, 15]), (0.84, 0.9, as_written, [13, 14])],
)
@pytest.mark.parametrize("in_an_event", [True, False])
def test_a_step_without_who_is_late_is_told_of_the_steps_without_a_hole(
    tmp_path: Path, begin: float, end: float, order: Callable[[dict[str, Any]], Any], lacks: list[int], *, in_an_event: bool
) -> None:
    paths = a_job(tmp_path)
    whole = told(paths).blamed[0]
    cut_out(paths[3], begin, end, order, in_an_event=in_an_event)
    reply = told(paths)
    (blamed,) = reply.blamed
    assert blamed.ranks == [5]
    assert blamed.step_was_ns == pytest.approx(whole.step_was_ns, rel=0.002)
    assert blamed.step_without_ns == pytest.approx(whole.step_without_ns, rel=0.002)
    assert [one.number for one in reply.steps if one.own_ns[3] is None] == lacks
    assert not any("rank 3" in note for note in reply.notes)
    left = sorted(set(range(FIRST_STEP, FIRST_STEP + N_STEPS)) - set(lacks))
    what, rest = reply.sentences[1].rsplit("): ", 1)
    untold, replayed, tail = rest.split(". ")
    assert what.startswith("Work is missing in the file of rank 3 (")
    assert untold == f"steps {ranges(lacks)} are not whole in it, and who is late then may have waited for that rank"
    assert replayed == f"What a step would be is told of step{'s' if len(left) > 1 else ''} {ranges(left)} alone"
    assert tail.startswith("Who is late, why, ")


@pytest.mark.parametrize(("begin", "end"), [(0.05, 0.3), (0.2, 0.3), (0.3, 0.75), (0.5, 0.99)])
@pytest.mark.parametrize("order", [as_written, by_time])
def test_a_hole_is_held_against_nobody(tmp_path: Path, begin: float, end: float, order: Callable[[dict[str, Any]], Any]) -> None:
    """In what the host did too, where a step's range may be gone; without a replay it says nothing of what a step would be."""
    paths = a_job(tmp_path)
    whole = told(paths).blamed[0]
    cut_out(paths[3], begin, end, order, in_an_event=True)
    (blamed,) = told(paths).blamed
    assert blamed.ranks == [5]
    assert blamed.step_without_ns in (None, pytest.approx(whole.step_without_ns, rel=0.002))


def test_where_no_step_is_whole_of_all_no_path_is_told_and_dimensions_still_add_up(tmp_path: Path) -> None:
    paths = a_job(tmp_path)
    cut_out(paths[3], 0.6, 0.99, by_time, in_an_event=True)
    cut_out(paths[6], 0.05, 0.6, by_time, in_an_event=True)
    reply = told(paths)
    assert reply.path == []
    assert all(one.path_ns is None for one in reply.steps)
    assert "The critical path and what a step would be cannot be told: no step was recorded whole by every rank." in reply.notes
    assert reply.parts is not None
    assert sum(row.exposed_ns for row in reply.dimensions) == reply.parts.communication_ns


def test_dimensions_add_up_where_a_file_has_a_hole(tmp_path: Path) -> None:
    paths = a_job(tmp_path)
    cut_out(paths[3], 0.84, 0.9, as_written, in_an_event=True)
    reply = told(paths)
    assert reply.parts is not None
    assert sum(row.exposed_ns for row in reply.dimensions) == reply.parts.communication_ns


def test_where_nobody_is_named_it_says_of_whom_a_step_is_not_told(tmp_path: Path) -> None:
    """Who was late lost a kernel in that very step: nothing is said of it, but not that nobody was."""
    late: Any = {
        "n_ranks": 8,
        "ranks_per_node": 4,
        "n_steps": N_STEPS,
        "n_layers": 40,
        "pause": {(3, FIRST_STEP + 2): 12 * 10**6},
    }
    assert told(Job(**late).write(tmp_path)).blamed[0].ranks == [3]
    reply = told(Job(**late, slow={}, lost={(3, 2 * 41 + 40)}).write(tmp_path))
    assert reply.blamed == []
    assert any(f"the noise; not told of rank 3: step {FIRST_STEP + 2}." in sentence for sentence in reply.sentences)


def test_a_step_that_lost_nothing_is_whole_in_a_damaged_file(tmp_path: Path) -> None:
    path = a_job(tmp_path)[3]
    plain = gzip.decompress(path.read_bytes())
    at = plain.index(b'{"ph"', len(plain) // 2)
    path.write_bytes(gzip.compress(plain[:at] + b"7," + plain[at:]))
    trace = read(path)
    found = lacking(trace)
    assert len(found.said) == 1
    assert (windows_of_rank(trace, found).complete != NONE).all()


@pytest.mark.parametrize("step", [0, 2, 5])
def test_whose_collective_lost_its_kernel_does_not_stand_still(tmp_path: Path, step: int) -> None:
    """Of 486 launches one kernel is gone, in which rank 3 waited for rank 5: its step is not told of it, and others tell."""
    more: Any = {"n_ranks": 8, "ranks_per_node": 4, "n_steps": N_STEPS, "n_layers": 40, "late_input": {5: 12 * 10**6}}
    whole = told(Job(**more).write(tmp_path)).blamed[0]
    reply = told(Job(**more, lost={(3, step * 41 + 40)}).write(tmp_path))
    (blamed,) = reply.blamed
    assert blamed.ranks == [5]
    assert blamed.step_without_ns == pytest.approx(whole.step_without_ns, rel=0.002)
    said = f"Work is missing in the file of rank 3: step {FIRST_STEP + step} is not whole in it, and who is late then may have "
    assert reply.sentences[1].startswith(said)
    assert not any("rank 3" in note for note in reply.notes)


def test_kernels_that_every_step_lacks_are_no_hole(tmp_path: Path) -> None:
    lost = {(1, 7 * step + layer) for step in range(3) for layer in range(3)}
    trace = read(Job(n_ranks=4, n_steps=3, lost=lost).write(tmp_path)[1])
    assert lacking(trace).said == []
    assert not lacking(trace).is_in.any()


def test_what_is_gone_without_a_trace_in_the_text_is_told_by_the_numbers_of_collectives(tmp_path: Path) -> None:
    """All that the host and the device did for a while: sound JSON, and each launch has its kernel."""
    paths = a_job(tmp_path)
    trace = json.loads(gzip.decompress(paths[3].read_bytes()))
    gone = {event["args"]["correlation"] for event in trace["traceEvents"] if "correlation" in event.get("args", {})}
    gone = set(sorted(gone)[30:36])
    trace["traceEvents"] = [event for event in trace["traceEvents"] if event.get("args", {}).get("External id") not in gone]
    paths[3].write_bytes(gzip.compress(json.dumps(trace).encode()))
    reply = told(paths)
    assert [blamed.ranks for blamed in reply.blamed] == [[5]]
    why = "the numbers of its collectives leave some out: these are not in the file"
    assert reply.sentences[1].startswith(f"Work is missing in the file of rank 3 ({why}): step 12 is not whole in it, and who ")
    assert not any("rank 3" in note for note in reply.notes)


@pytest.mark.parametrize("has_steps", [True, False])
def test_of_2023_a_file_with_fewer_collectives_is_matched_by_step_or_named(tmp_path: Path, has_steps: bool) -> None:
    """By their place alone they are told to be the same: in each step by itself, and without steps not at all."""
    paths = Job(n_ranks=2, form="2023", n_steps=N_STEPS).write(tmp_path)
    for path in paths:
        trace = json.loads(gzip.decompress(path.read_bytes()))
        begun = sorted(event["ts"] for event in trace["traceEvents"] if event["cat"] == "kernel")
        first, last = (begun[40], begun[60]) if path == paths[1] else (0, 0)
        is_step = [event["cat"] == "user_annotation" for event in trace["traceEvents"]]
        trace["traceEvents"] = [
            event
            for event, is_its in zip(trace["traceEvents"], is_step, strict=True)
            if (is_its and has_steps) or not (is_its or first < event["ts"] < last)
        ]
        path.write_bytes(gzip.compress(json.dumps(trace).encode()))
    reply = told(paths)
    refused = [note for note in reply.notes if "do not match between ranks" in note]
    assert [note.endswith("of most are in the file of rank 1. Not used.") for note in refused] == ([] if has_steps else [True])
    assert any("Work is missing in the file of rank 1 " in sentence for sentence in reply.sentences) == has_steps
    assert reply.blamed == []
    if has_steps:
        lacks = {row.number for row in reply.steps if row.own_ns[1] is None}
        assert lacks == {13, 14}  # of the second all that is gone has its launch in the hole, too
