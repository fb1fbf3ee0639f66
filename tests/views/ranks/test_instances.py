"""The collectives one by one: what was made, and the same figures as the rows that they are of."""

from __future__ import annotations

import gzip
import json
import re
from statistics import median
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tb_plugin.base.errors import NotFoundError, UsageError
from tb_plugin.base.strides import in_strides
from tb_plugin.job.clocks.came_last import TIED_NS
from tb_plugin.views.ranks.collectives.instances import InstancesParams, RankInstances, instances, table, text
from tb_plugin.views.ranks.collectives.one_collective import CollectiveParams, one_collective
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.lanes.lanes import LanesParams, lanes
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member, real_job
from tests.job_files import TRANSFER_NS, Job

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary
    from tb_plugin.views.ranks.basis.instance_row import InstanceRow

Members = list["Member[RankSummary]"]


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> tuple[Job, Members]:
    made = Job(n_ranks=4, ranks_per_node=2, slow={1: 1.5}, offset_ns={1: 3_000_000})
    return made, [member(path) for path in made.write(tmp_path_factory.mktemp("job"))]


def shown(members: Members, **params: Any) -> RankInstances:
    return instances(members, InstancesParams(**params))


def test_each_is_there_once_in_the_order_of_time(job: tuple[Job, Members]) -> None:
    made, members = job
    reply = shown(members)
    assert (reply.n_instances, reply.reason) == (len(made.met), None)
    assert [row.at_ns for row in reply.rows] == sorted(row.at_ns for row in reply.rows)
    assert [row.transfer_ns for row in reply.rows] == [pytest.approx(TRANSFER_NS, abs=5_000)] * len(made.met)
    of_two = [row.last_ranks for row in reply.rows if row.n_ranks == 2]
    assert of_two.count([1]) == sum(met.last == 1 for met in made.met if len(met.group) == 2)
    assert {row.step for row in reply.rows} == {10, 11, 12}


def test_those_of_a_row_are_those_that_it_counts(job: tuple[Job, Members]) -> None:
    _, members = job
    rows = join(members, RanksParams()).collectives
    assert len(rows) > 1
    for row in rows:
        words = {"dimension": row.dimension, "kind": row.kind, "n_ranks": row.n_ranks, "bytes": row.bytes}
        mine = shown(members, **words).rows
        assert len(mine) == row.n_instances
        times = [each.transfer_ns for each in mine if each.transfer_ns is not None]
        assert median(times) == pytest.approx(row.median_transfer_ns, abs=1)


def test_a_row_of_a_table_names_its_longest(job: tuple[Job, Members]) -> None:
    _, members = job
    every, found = shown(members).rows, join(members, RanksParams())
    for row in found.collectives:
        alike = [one for one in every if (one.dimension, one.kind, one.n_ranks) == (row.dimension, row.kind, row.n_ranks)]
        assert row.longest == max(alike, key=lambda one: one.lasts_ns)
        assert row.longest_took_ns == row.longest.lasts_ns
    for dimension in found.dimensions:
        assert dimension.longest == max((one for one in every if one.dimension == dimension.name), key=lambda one: one.lasts_ns)
        assert dimension.longest_took_ns == dimension.longest.lasts_ns
    assert len(found.links) > 2
    for link in found.links:
        between = [one for one in every if one.dimension == link.dimension and hosts_of(one) == link.hosts.split(", ")]
        assert len(between) == link.n_instances
        assert link.longest is not None
        assert link.longest_took_ns == link.longest.transfer_ns == max(one.transfer_ns or 0 for one in between)
        assert link.longest in between


def hosts_of(row: InstanceRow) -> list[str]:
    return sorted({f"node{rank // 2}" for rank in row.ranks})


def test_each_has_its_group_the_number_in_it_and_its_members(tmp_path: Path) -> None:
    made = Job(n_ranks=4, ranks_per_node=4, sends=[(0, 2), (3, 1)])
    rows = shown([member(path) for path in made.write(tmp_path)]).rows
    written = {frozenset((0, 1)): "0-1", frozenset((2, 3)): "2-3", frozenset(range(4)): "0-3"}
    was = [written.get(frozenset(met.group)) or ", ".join(map(str, sorted(met.group))) for met in made.met]
    assert sorted(row.members for row in rows) == sorted(was)
    of_pair = [row for row in rows if (row.members, row.kind) == ("0-1", "all-reduce")]
    assert [row.sequence for row in of_pair] == list(range(1, len(of_pair) + 1))
    assert len({row.group for row in of_pair}) == 1
    assert None not in {row.group for row in rows}


def test_where_files_name_no_group_and_no_number_there_is_none() -> None:
    rows = shown([member(path) for path in sorted(real_job("dlrm8_v100_2023").glob("*.trace.json*"))]).rows
    assert {(row.group, row.sequence) for row in rows} == {(None, None)}
    assert {row.members for row in rows} == {"0-7"}


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([], ""),
        ([5], "5"),
        ([0, 4], "0, 4"),
        ([0, 1, 2, 3, 8], "0-3, 8"),
        ([0, 4, 8, 12], "0, 4, 8, 12"),
        (list(range(0, 32, 4)), "0, 4, 8 .. 28"),
        ([1, *range(2, 22, 4)], "1-2, 6, 10, 14, 18"),
        ([0, 1, *range(8, 58, 8), 57], "0-1, 8, 16, 24 .. 56, 57"),
    ],
)
def test_members_are_short_and_all_there(numbers: list[int], text: str) -> None:
    assert in_strides(numbers) == text
    assert numbers_in(text) == numbers


def numbers_in(text: str) -> list[int]:
    """Naive: each part is read back."""
    found: list[int] = []
    for part in text.split(", ") if text else []:
        first, *more = re.split("-| \\.\\. ", part)
        found.append(int(first))
        if more:
            apart = 1 if "-" in part else found[-1] - found[-2]
            found += range(found[-1] + apart, int(more[0]) + 1, apart)
    return found


def test_each_names_an_event_of_its_own_and_who_is_in_it(job: tuple[Job, Members]) -> None:
    _, members = job
    rows = shown(members).rows
    for row in rows:
        asked = CollectiveParams(run="job", worker=row.worker, row=row.row)
        found = one_collective(members, asked)
        assert (found.step, found.wait_ns is not None) == (row.step, True)
        # Its event is that of who waited longest: it says what the row says, on its own clock.
        assert next(each.wait_ns for each in found.members if each.worker == row.worker) == pytest.approx(row.wait_ns, abs=20)
        # Who came within 20 us of the last came last together with it.
        arrived = max(each.arrived_ns for each in found.members)
        came_last = sorted(each.rank for each in found.members if arrived - each.arrived_ns <= TIED_NS)
        assert (row.last_ranks, row.n_last) == (found.last_ranks, len(came_last)) == (came_last, len(came_last))
        assert [one.rank for one in sorted(found.members, key=lambda one: one.rank)] == row.ranks
    assert {row.n_last > 1 for row in rows} == {True, False}
    assert len({(row.worker, row.row) for row in rows}) == len(rows)


def test_each_says_where_it_lies_in_the_picture_that_it_opens(job: tuple[Job, Members]) -> None:
    _, members = job
    assert lie_in_their_pictures(members) == {10: 13, 11: 13, 12: 13}


def test_those_outside_of_steps_lie_in_the_picture_of_all(tmp_path: Path) -> None:
    """Step 11 is no step of the files, and within 12 they end."""
    made = Job(n_ranks=4)
    paths = [edited(path, without_step_and_end) for path in made.write(tmp_path)]
    members = [member(path) for path in paths]
    assert [step.number for step in join(members, RanksParams()).steps] == [10]
    assert lie_in_their_pictures(members) == {10: 13, None: 13, 12: 6}
    with pytest.raises(UsageError, match="name one of them"):
        lanes(members, LanesParams(step=10, whole=True))


def lie_in_their_pictures(members: Members) -> dict[int | None, int]:
    """How many of each step."""
    counted: dict[int | None, int] = {}
    for row in shown(members).rows:
        counted[row.step] = counted.get(row.step, 0) + 1
        ranks = ",".join(map(str, row.ranks))
        picture = lanes(members, LanesParams(step=row.step, ranks=ranks, whole=row.step is None))
        assert picture.step == row.step
        assert row.step is None or row.step in picture.steps
        found = picture.members
        workers = [picture.lanes[lane].worker for lane in found.lane]
        chosen = list(zip(workers, found.row, strict=True)).index((row.worker, row.row))
        mine = [place for place, instance in enumerate(found.instance) if instance == found.instance[chosen]]
        assert row.begin_ns == min(found.start_ns[place] for place in mine)
        assert row.begin_ns + row.lasts_ns == max(found.end_ns[place] for place in mine)
        one = one_collective(members, CollectiveParams(run="job", worker=row.worker, row=row.row))
        after = next(each.arrived_ns for each in one.members if each.worker == row.worker)
        assert found.start_ns[chosen] == row.begin_ns + after
    return counted


def without_step_and_end(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    last = next(each for each in events if each["name"] == "ProfilerStep#12")
    until = last["ts"] + last["dur"] / 2
    last["args"] = {"finished": False}
    return [each for each in events if each["name"] != "ProfilerStep#11" and each["ts"] < until]


def edited(path: Path, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> Path:
    said = json.loads(gzip.decompress(path.read_bytes()))
    path.write_bytes(gzip.compress(json.dumps({**said, "traceEvents": change(said["traceEvents"])}).encode(), 1))
    return path


def test_of_too_many_the_longest_stay(job: tuple[Job, Members], monkeypatch: pytest.MonkeyPatch) -> None:
    _, members = job
    every = shown(members)
    monkeypatch.setattr("tb_plugin.views.ranks.collectives.instances._MOST", 3)
    few = shown(members)
    assert sorted(row.lasts_ns for row in few.rows) == sorted(row.lasts_ns for row in every.rows)[-3:]
    assert few.n_instances == every.n_instances
    assert [row.at_ns for row in few.rows] == sorted(row.at_ns for row in few.rows)


@pytest.mark.parametrize("name", ["syn8_tp2_pp2_dp2_slow", "dlrm8_v100_2023", "rec_ddp_slow5"])
def test_what_a_sentence_counts_is_what_it_asks_for(name: str) -> None:
    """`96 of 96 tensor all-reduces`, `4 of its 8 collectives`."""
    members = [member(path) for path in sorted(real_job(name).glob("*.trace.json*"))]
    table = join(members, RanksParams())
    lead, sentence = next((lead, said) for lead, said in zip(table.leads, table.sentences, strict=True) if lead.counted)
    assert lead.counted is not None
    assert lead.counted.text in sentence
    n_last, n = map(int, re.findall(r"(\d+) of (?:its )?(\d+)", lead.counted.text)[0])
    words = {key: value for key, value in msgspec.structs.asdict(lead.counted).items() if key != "text"}
    found = shown(members, **words)
    assert found.n_instances == len(found.rows) == n
    assert sum(any(last in lead.ranks for last in row.last_ranks) for row in found.rows) >= n_last


def test_of_ranks_are_those_that_others_are_in_too(job: tuple[Job, Members]) -> None:
    _, members = job
    every = shown(members).rows
    assert len(shown(members, ranks="1").rows) == sum(1 in row.ranks for row in every)
    assert len(shown(members, ranks="0-1").rows) == sum(len(row.ranks) == 4 for row in every)
    assert len(shown(members, ranks="0-3").rows) == 0
    assert len(shown(members, steps="11").rows) == sum(row.step == 11 for row in every)
    assert len(shown(members, ranks="1", steps="11-12").rows) == sum(1 in row.ranks and row.step in (11, 12) for row in every)
    with pytest.raises(UsageError, match="ranks: 'x' is no number"):
        shown(members, ranks="x")


def test_text_and_table(job: tuple[Job, Members]) -> None:
    _, members = job
    reply = shown(members)
    assert len(table(reply).rows) == len(reply.rows)
    assert len(text(reply).splitlines()) >= len(reply.rows) + 1
    assert text(reply).splitlines()[0].split()[:4] == ["at", "step", "dimension", "kind"]
    assert shown(members, kind="broadcast").reason == text(shown(members, kind="broadcast"))


@pytest.mark.parametrize(
    ("words", "there"),
    [
        ({"dimension": "tensr"}, "dimension=tensr: this job has tensor, world"),
        ({"kind": "all_reduce"}, "kind=all_reduce: this job has .*all-reduce"),
        ({"n_ranks": 3}, "n_ranks=3: this job has 2, 4"),
        ({"ranks": "9"}, "ranks=9: this job has ranks 0-3"),
        ({"steps": "99"}, "steps=99: this job has steps 10-12"),
    ],
)
def test_a_name_that_is_nobodys_is_said_with_those_that_there_are(
    job: tuple[Job, Members], words: dict[str, Any], there: str
) -> None:
    with pytest.raises(NotFoundError, match=there):
        shown(job[1], **words)
