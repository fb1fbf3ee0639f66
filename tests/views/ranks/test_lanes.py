"""Ranks side by side on one clock, and one collective over all its members: held against the simulated job's truth."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.base.errors import UsageError
from tb_plugin.base.units import format_ns
from tb_plugin.formats.reader import read
from tb_plugin.job.clocks.came_last import TIED_NS
from tb_plugin.views.ranks.collectives.one_collective import CollectiveParams, OneCollective, one_collective
from tb_plugin.views.ranks.lanes.lanes import LanesParams, RankLanes, lanes, table, text
from tests.job.recorded import member, real_job
from tests.job_files import FIRST_STEP, TRANSFER_NS, Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary

_NEAR_NS = 4_000  # the ends' jitter, and what it makes of the clocks
_STEP = FIRST_STEP + 1


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> tuple[Job, list[Path]]:
    made = Job(n_ranks=8, ranks_per_node=4, slow={5: 1.25}, offset_ns={1: 5_000_000})
    return made, made.write(tmp_path_factory.mktemp("job"))


@pytest.fixture(scope="module")
def members(job: tuple[Job, list[Path]]) -> list[Member[RankSummary]]:
    return [member(path) for path in job[1]]


def shown(members: list[Member[RankSummary]], **params: Any) -> RankLanes:
    return lanes(members, LanesParams(**params))


def one(members: list[Member[RankSummary]], worker: str, row: int) -> OneCollective:
    return one_collective(members, CollectiveParams(run="job", worker=worker, row=row))


def test_each_member_waits_for_the_last_and_then_moves_data(
    job: tuple[Job, list[Path]], members: list[Member[RankSummary]]
) -> None:
    reply = shown(members, step=_STEP)
    found = reply.members
    by_instance: dict[int, list[int]] = {}
    for place, instance in enumerate(found.instance):
        by_instance.setdefault(instance, []).append(place)
    assert set(found.step) == {_STEP}
    truth = [met for met in job[0].met if met.step == _STEP]
    order = sorted(by_instance.values(), key=lambda places: min(found.end_ns[place] for place in places))
    assert len(order) == len(truth)
    wanted = sorted((len(met.group), rank, met.arrived[met.last] - met.arrived[rank]) for met in truth for rank in met.group)
    got = sorted(
        (len(places), found.lane[place], found.arrived_ns[place] - found.start_ns[place]) for places in order for place in places
    )
    assert [each[:2] for each in got] == [each[:2] for each in wanted]
    for (*_, is_wait), (*_, wait) in zip(got, wanted, strict=True):
        assert abs(is_wait - wait) < _NEAR_NS
    for places in order:
        last = sorted(found.lane[place] for place in places if found.is_last[place])
        assert [reply.lasts[found.last[place]] for place in places] == [last] * len(places)
        arrived = max(found.start_ns[place] for place in places)
        assert last == sorted(found.lane[place] for place in places if arrived - found.start_ns[place] <= TIED_NS)
        assert all(abs(found.end_ns[place] - found.arrived_ns[place] - TRANSFER_NS) < _NEAR_NS for place in places)


def test_a_lane_leads_to_its_own_profile(job: tuple[Job, list[Path]], members: list[Member[RankSummary]]) -> None:
    reply = shown(members, step=_STEP, ranks="6")
    (lane,) = reply.lanes
    assert (lane.rank, lane.worker, lane.host, lane.is_tied) == (6, "rank6", "node1", True)
    assert abs(lane.clock_ns - 5_000_000) < _NEAR_NS
    events = read(job[1][6]).events
    for row, start in zip(reply.members.row, reply.members.start_ns, strict=True):
        assert abs(int(events.start_ns[row]) - lane.zero_ns - start) <= 1_000


def test_computing_is_what_its_kernels_took(job: tuple[Job, list[Path]], members: list[Member[RankSummary]]) -> None:
    reply = shown(members, step=_STEP)
    busy = [0] * 8
    for lane, start, end in zip(reply.computing.lane, reply.computing.start_ns, reply.computing.end_ns, strict=True):
        assert 0 <= start < end <= reply.length_ns
        busy[lane] += end - start
    assert busy[5] / busy[0] == pytest.approx(1.25, abs=0.01)


def test_the_path_is_one_piece(members: list[Member[RankSummary]]) -> None:
    reply = shown(members, step=_STEP)
    path = reply.path
    assert len(path.rank) > 5
    assert path.start_ns[1:] == path.end_ns[:-1]
    assert reply.lanes[path.lane[0]].rank == path.rank[0]
    assert abs(path.end_ns[-1] - reply.length_ns) < _NEAR_NS
    assert f"step {_STEP} of 8 of 8 ranks" in text(reply)
    assert len(table(reply).rows) == len(reply.members.lane)


def test_whom_a_rank_waits_for_is_told_where_that_one_is_not_shown(members: list[Member[RankSummary]]) -> None:
    reply = shown(members, step=_STEP, ranks="4")
    assert [5] in reply.lasts
    assert {row[-1] for row in table(reply).rows} == {" ".join(map(str, last)) for last in reply.lasts}


def test_the_path_of_all_is_that_of_each_step(members: list[Member[RankSummary]]) -> None:
    whole = shown(members, whole=True)
    steps = [shown(members, step=step).path for step in whole.steps]
    lasted = [
        [end - start for path in of for start, end in zip(path.start_ns, path.end_ns, strict=True)]
        for of in ([whole.path], steps)
    ]
    assert (whole.step, whole.path.rank) == (None, [rank for path in steps for rank in path.rank])
    assert lasted[0] == lasted[1]
    assert whole.path.start_ns == sorted(whole.path.start_ns)
    assert len(whole.members.lane) == sum(len(shown(members, step=step).members.lane) for step in whole.steps)


def test_by_default_a_late_step_and_what_is_not_there_is_said(members: list[Member[RankSummary]]) -> None:
    reply = shown(members)
    assert reply.step in reply.steps
    assert [lane.rank for lane in reply.lanes] == list(range(8))
    with pytest.raises(UsageError, match="there is 10, 11, 12"):
        shown(members, step=99)
    with pytest.raises(UsageError, match="there is 0 to 7"):
        shown(members, ranks="8-9")


def test_a_kernel_says_who_was_waited_for(members: list[Member[RankSummary]]) -> None:
    found = shown(members, step=_STEP).members
    place = max(range(len(found.lane)), key=lambda each: found.arrived_ns[each] - found.start_ns[each])
    said = one(members, f"rank{found.lane[place]}", found.row[place])
    wait = found.arrived_ns[place] - found.start_ns[place]
    assert (said.instance, said.step, said.wait_ns) == (found.instance[place], _STEP, wait)
    assert said.sentence is not None
    assert said.last_ranks == [4, 5]  # a tensor group: they come from one all-reduce
    assert "us for ranks 4 and 5 together, moved 2.00 MiB in 6" in said.sentence
    assert [each.arrived_ns for each in said.members] == sorted(each.arrived_ns for each in said.members)
    last = said.members[-1]
    assert last.rank in said.last_ranks
    assert last.wait_ns == 0
    of_last = one(members, last.worker, last.row)
    assert of_last.instance == said.instance
    assert ": ranks 4 and 5 came last together, moved " in str(of_last.sentence)


def test_waiting_and_moving_of_a_collective_add_up_to_its_event_though_others_moved_for_longer() -> None:
    """The rate is of the members' median, which is named where it is another."""
    members = [member(path) for path in sorted(real_job("rec_ddp_slow5").glob("rank*.gz"))]
    found = shown(members, ranks="0").members
    said = [one(members, "rank0", row) for row in found.row]
    own = [each for each in said if each.transfer_ns is not None and " moved " in str(each.sentence)]
    assert own
    assert all(f" in {format_ns(each.transfer_ns or 0)}" in str(each.sentence) for each in own)
    assert any("(the members' median " in str(each.sentence) for each in own)


def test_of_a_job_on_cpus_the_computation_is_not_drawn_and_not_said_to_lack() -> None:
    files = sorted(real_job("rec_ddp_slow5").glob("rank*.gz"))
    reply = shown([member(path) for path in files])
    (said,) = (note for note in reply.notes if "Computation" in note)
    assert said.startswith(f"Computation of ranks 0-{len(files) - 1} is not drawn: ")
    assert said.endswith(" they compute on CPUs; the timeline of each rank has it.")


def test_hosts_that_nothing_ties_are_marked_and_said(tmp_path: Path) -> None:
    apart = Job(n_ranks=4, ranks_per_node=2, offset_ns={1: 5_000_000})
    paths = apart.write(tmp_path)
    for path in paths:  # without the all-reduce of all ranks no collective crosses hosts
        text = gzip.decompress(path.read_bytes()).decode()
        events = json.loads(text)
        events["traceEvents"] = [each for each in events["traceEvents"] if "default_pg" not in str(each.get("args"))]
        path.write_bytes(gzip.compress(json.dumps(events).encode()))
    reply = shown([member(path) for path in paths])
    assert [lane.is_tied for lane in reply.lanes] == [True, True, False, False]
    assert any(note.startswith("Hatched: no collective ties") for note in reply.notes)


def test_what_is_no_collective_says_nothing(members: list[Member[RankSummary]]) -> None:
    assert one(members, "rank0", 0).sentence is None
    assert one(members, "rank77", 0).sentence is None


def test_ranks_that_are_not_shown_are_counted(members: list[Member[RankSummary]]) -> None:
    said = "193 of the ranks that were asked for are not shown: there is 0 to 7, and room for 64."
    assert said in shown(members, ranks="4-200").notes
    assert not any("asked for" in note for note in [*shown(members, ranks="4-7").notes, *shown(members).notes])


def test_with_a_rank_that_is_not_here_no_transfer_is_drawn(members: list[Member[RankSummary]]) -> None:
    reply = shown(members[:7], step=_STEP)
    found = reply.members
    for lane, dimension, known, start, arrived in zip(
        *(found.lane, found.dimension, found.is_known, found.start_ns, found.arrived_ns), strict=True
    ):
        has_all = reply.dimensions[dimension] == "tensor" and reply.lanes[lane].rank < 6  # pairs; rank 6 is alone
        assert known == has_all
        assert known or start == arrived
    waits = [row[6] for row in table(reply).rows]
    assert [value is None for value in waits] == [not known for known in found.is_known]


def test_a_collective_of_ranks_that_are_not_here_says_so(members: list[Member[RankSummary]]) -> None:
    alone = shown(members[:1])
    said = one(members[:1], "rank0", alone.members.row[0])
    assert said.members == []
    assert "no other rank's record" in str(said.sentence)


@pytest.mark.parametrize("late", [{}, {20: 1.5}])
def test_which_ranks_of_very_many_are_shown_is_said_as_it_is(tmp_path: Path, late: dict[int, float]) -> None:
    """The others of the path fill what is left, and what of it is on nobody that is shown is counted."""
    paths = Job(n_ranks=24, ranks_per_node=8, slow=late).write(tmp_path)
    reply = shown([member(path) for path in paths])
    (why,) = (note for note in reply.notes if note.startswith("Of all 24 ranks "))
    assert ("those that are late" in why) == bool(late)
    assert ("groups" in why) == bool(late)
    assert set(late) <= {lane.rank for lane in reply.lanes}
    assert len(reply.lanes) == 8
    on_path = {rank for rank, lane in zip(reply.path.rank, reply.path.lane, strict=True) if lane >= 0}
    assert ("the first of the others" in why) == (not late and len(on_path) < 8)
    alone = shown([member(path) for path in paths], ranks="0")
    said = [note for note in alone.notes if note.endswith("of the critical path is on ranks that are not shown.")]
    assert len(said) == (set(alone.path.lane) != {0})


def test_a_lane_says_from_when_to_when_it_was_recorded(members: list[Member[RankSummary]]) -> None:
    whole, step = shown(members, whole=True), shown(members, step=_STEP)
    assert min(lane.from_ns for lane in whole.lanes) == 0
    assert max(lane.to_ns for lane in whole.lanes) == whole.length_ns
    assert all(lane.from_ns <= 0 and lane.to_ns >= step.length_ns and lane.computing == "drawn" for lane in step.lanes)


def test_computing_on_cpus_is_said_not_to_be_drawn_and_none_not_to_be_recorded(tmp_path: Path) -> None:
    lines = [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": ts, "dur": 50} for ts in (100, 300)]
    collective = {"ph": "X", "cat": "user_annotation", "name": "gloo:all_reduce", "pid": 1, "tid": 2, "ts": 200, "dur": 30}
    paths = []
    for rank, events in enumerate((lines, [])):
        info = {"backend": "gloo", "rank": rank, "world_size": 2}
        paths.append(tmp_path / f"w{rank}.1700000000000000000.pt.trace.json")
        paths[-1].write_text(json.dumps({"distributedInfo": info, "traceEvents": [*events, collective]}))
    found = shown([member(path) for path in paths], whole=True)
    assert [lane.computing for lane in found.lanes] == ["not drawn", "not recorded"]
    assert found.dimensions == ["unnamed group"], "its name was not recorded, the collective was"


def test_a_member_waits_and_moves_data_as_long_as_the_collective_itself_says(tmp_path: Path) -> None:
    """While clocks drift apart: 10 ms of waiting for rank 0 are 300 ns longer on one of them."""
    paths = Job(n_ranks=4, late_input={0: 10_000_000}, drift_ppm={1: 30.0}).write(tmp_path)
    members = [member(path) for path in paths]
    reply = shown(members, step=_STEP)
    found, apart = reply.members, 0
    for place, row in enumerate(found.row):
        told = one(members, reply.lanes[found.lane[place]].worker, row)
        wait, end = found.arrived_ns[place] - found.start_ns[place], found.end_ns[place]
        assert (wait, found.transfer_ns[place]) == (told.wait_ns, told.transfer_ns)
        apart = max(apart, abs(end - found.arrived_ns[place] - found.transfer_ns[place]))
    assert apart > 100  # the ends lie at one time, whatever a clock says of how long it was
    columns = table(reply)
    assert [row[columns.columns.index("transfer_ns")] for row in columns.rows] == found.transfer_ns
