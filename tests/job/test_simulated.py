"""A simulated job, whose truth is known: what was recorded tells it back."""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from tb_plugin.base.units import NONE, format_ns
from tb_plugin.job.own.exposed import exposed
from tb_plugin.job.ranks.ranks import ranks_of
from tb_plugin.views.ranks.basis.analysed import Analysed, analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member, recorded
from tests.job_files import TRANSFER_NS, Job, Met

if TYPE_CHECKING:
    from pathlib import Path

MS = 1_000_000
APART: dict[str, Any] = {"offset_ns": {1: 37 * MS}, "drift_ppm": {1: 40.0}}


def made(folder: Path, **more: Any) -> tuple[Job, Analysed]:
    job = Job(**more)
    return job, analysed(recorded(job.write(folder)))


def by_group(job: Job) -> dict[tuple[int, ...], list[Met]]:
    """The truth, in order within each group."""
    found: dict[tuple[int, ...], list[Met]] = {}
    for met in job.met:
        found.setdefault(met.group, []).append(met)
    return found


def members_of(of: Analysed) -> dict[tuple[int, ...], list[list[int]]]:
    """CollectiveRows of each instance by its members, in the order of arrival."""
    rows, numbers = of.job.rows, of.job.of.numbers
    found: dict[tuple[int, ...], list[list[int]]] = {}
    for instance in np.argsort(of.job.instances.last_arrival).tolist():
        mine = np.flatnonzero(of.job.matched.of == instance).tolist()
        found.setdefault(tuple(numbers[rows.rank[row]] for row in mine), []).append(mine)
    return found


@pytest.mark.parametrize("form", ["2025", "rccl", "2023"])
def test_every_collective_is_matched_with_its_own_members(tmp_path: Path, form: str) -> None:
    job, of = made(tmp_path, form=form, n_ranks=2 if form == "2023" else 4, ranks_per_node=4)
    assert of.job.matched.is_complete.all()
    truth, found = by_group(job), members_of(of)
    assert {group: len(met) for group, met in truth.items()} == {group: len(rows) for group, rows in found.items()}


@pytest.mark.parametrize("clocks", [{}, APART])
def test_wait_and_transfer_are_those_that_were(tmp_path: Path, clocks: dict[str, Any]) -> None:
    job, of = made(tmp_path, **clocks)
    rows, waits = of.job.rows, of.job.waits
    assert waits.is_known.all()
    assert (waits.wait + waits.transfer == rows.duration).all()
    for group, instances in members_of(of).items():
        for met, mine in zip(by_group(job)[group], instances, strict=True):
            last = max(met.arrived.values())
            for row in mine:
                waited = last - met.arrived[of.job.of.numbers[rows.rank[row]]]
                assert abs(int(waits.wait[row]) - waited) < 3000
                assert abs(int(waits.transfer[row]) - TRANSFER_NS) < 4000


def test_what_no_kernel_hides_is_the_same_of_all_ranks_at_once_and_of_each_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, of = made(tmp_path, n_ranks=4, **APART, ranks_per_node=2)
    together = exposed(of.job, of.dimensions)
    monkeypatch.setattr("tb_plugin.job.own.exposed._LARGEST", 1)
    alone = exposed(of.job, of.dimensions)
    assert together.wait.any()
    assert len(together.shares) == len(alone.shares) == 4
    for one, other in (
        (together.wait, alone.wait),
        (together.transfer, alone.transfer),
        *zip(together.shares, alone.shares, strict=True),
    ):
        np.testing.assert_array_equal(one, other)


def test_clocks_are_told_with_their_error(tmp_path: Path) -> None:
    _, of = made(tmp_path, n_ranks=8, n_steps=20, **APART, ranks_per_node=4)
    clocks = of.job.clocks
    truth = 37 * MS + 40e-6 * int(clocks.middle_ns[1] - 38 * MS)
    error = float(clocks.error_at(np.array([1]), clocks.middle_ns[1:2])[0])
    assert error <= 5000
    assert abs(clocks.offset_ns[1] - truth) <= max(3000, 3 * error)
    assert abs(clocks.drift[1] * 1e6 - 40.0) <= max(10.0, 3e6 * clocks.drift_error[1])


def test_where_only_small_collectives_join_hosts_these_tell_their_clocks(tmp_path: Path) -> None:
    """Large ones within a host tie nothing."""
    for path in Job(offset_ns={1: 37 * MS}).write(tmp_path):
        trace = json.loads(gzip.decompress(path.read_bytes()))
        for event in trace["traceEvents"]:
            if event.get("args", {}).get("Group size") == 4:
                event["args"].update({"In msg nelems": 2, "Out msg nelems": 2})
        path.write_bytes(gzip.compress(json.dumps(trace).encode()))
    clocks = analysed(recorded(sorted(tmp_path.iterdir()))).job.clocks
    assert clocks.component.tolist() == [0, 0]
    assert abs(clocks.offset_ns[1] - 37 * MS) <= 3000


def test_a_lost_kernel_makes_its_own_instance_incomplete_and_no_other(tmp_path: Path) -> None:
    _, of = made(tmp_path, lost={(1, 3)})
    found = of.job.matched
    assert (found.n_there < found.n_members).sum() == 1
    assert found.is_complete.sum() == len(found) - 1
    assert of.job.instances.is_known.sum() == len(found) - 1
    whole = made(tmp_path, lost=set())[1]
    assert abs(int(of.job.waits.wait.sum()) - int(whole.job.waits.wait.sum())) < MS


def test_shares_of_dimensions_sum_to_the_exposed_communication(tmp_path: Path) -> None:
    _, of = made(tmp_path, slow={2: 1.3})
    for place, rank in enumerate(of.job.of.ranks):
        assert of.exposed.shares[place].sum(axis=(1, 2)).tolist() == rank.work["exposed"].tolist()
        assert not of.exposed.shares[place][:, :, 2].any()


@pytest.mark.parametrize(
    ("fault", "rank", "steps", "cause"),
    [
        ({"slow": {5: 1.25}}, 5, (10, 11, 12), "slow_kernels"),
        ({"late_input": {2: 900_000}}, 2, (10, 11, 12), "input"),
        ({"pause": {(3, 11): 4 * MS}}, 3, (11,), "pause"),
    ],
)
def test_who_is_waited_for_is_named_with_its_cause(
    tmp_path: Path, fault: dict[str, Any], rank: int, steps: tuple[int, ...], cause: str
) -> None:
    _, of = made(tmp_path, n_ranks=8, ranks_per_node=4, **fault, **APART)
    ((one, why, _),) = of.stragglers
    assert (one.level, of.job.of.numbers[one.number], one.late_steps, why.id) == ("rank", rank, steps, cause)
    if cause == "slow_kernels":
        assert why.factor == pytest.approx(1.25, abs=0.02)


@pytest.mark.parametrize("very_late", [(14,), (13, 14, 15)])
def test_steps_that_are_very_late_make_no_other_step_late(tmp_path: Path, very_late: tuple[int, ...]) -> None:
    """A step is 3 ms: 50 us more are less than 2 % of it, and what half of the steps have is all that they are late by."""
    by_chance = {(3, step): 50_000 for step in range(10, 16)}
    _, of = made(tmp_path, n_steps=6, pause={**by_chance, **{(3, step): 30 * MS for step in very_late}})
    ((one, cause, quick),) = of.stragglers
    assert (one.members, one.late_steps, cause.id) == ((3,), very_late, "pause")
    assert one.mean_excess_ns == pytest.approx(30 * MS, rel=0.01)
    assert quick is not None
    assert all(quick.would_be[step] < 5 * MS for step in very_late)


def test_who_is_about_two_percent_late_in_each_step_is_late_in_all_of_them(tmp_path: Path) -> None:
    """Some are below the limit, some above."""
    _, of = made(tmp_path, n_steps=6, pause={(3, step): (50_000, 80_000)[step % 2] for step in range(10, 16)})
    ((one, *_),) = of.stragglers
    assert (one.members, one.late_steps) == ((3,), tuple(range(10, 16)))


@pytest.mark.parametrize(
    "slow",
    [
        {1: 1.2, 3: 1.2, 5: 1.2, 7: 1.2},
        {0: 1.25, 3: 1.25, 5: 1.25, 6: 1.25},
        {1: 1.2, 3: 1.35, 5: 1.5, 7: 1.65},  # the others are alike
    ],
)
def test_half_of_the_peers_who_are_slow_are_named(tmp_path: Path, slow: dict[int, float]) -> None:
    _, of = made(tmp_path, n_ranks=8, ranks_per_node=4, slow=slow, **APART)
    assert {of.job.of.numbers[one.number] for one, *_ in of.stragglers} == set(slow)
    assert all(one.level == "rank" and one.late_steps == (10, 11, 12) for one, *_ in of.stragglers)


@pytest.mark.parametrize("seed", range(8))
def test_peers_who_differ_by_chance_are_not_parted_in_halves(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    _, of = made(tmp_path, n_ranks=8, ranks_per_node=4, slow={rank: 1.0 + rng.uniform(0.0, 0.1) for rank in range(8)}, **APART)
    assert not of.stragglers


def test_steps_that_are_uneven_by_chance_part_no_halves(tmp_path: Path) -> None:
    """In two steps of three the odd ranks need longer, in the other one the even ones."""
    pause = {(rank, step): MS // 2 for rank in range(8) for step in (10, 11, 12) if (rank % 2 == 1) == (step < 12)}
    _, of = made(tmp_path, n_ranks=8, ranks_per_node=4, pause=pause, **APART)
    assert not of.stragglers


@pytest.mark.parametrize(
    "fault",
    [{"slow": {5: 1.25}}, {"slow": {5: 1.5}, "slow_layers": 3}, {"late_input": {2: 900_000}}, {"pause": {(3, 11): 4 * MS}}],
)
def test_the_step_without_it_is_that_of_the_job_without_the_fault(tmp_path: Path, fault: dict[str, Any]) -> None:
    _, of = made(tmp_path, n_ranks=8, ranks_per_node=4, **fault, **APART)
    ((one, _, quick),) = of.stragglers
    assert quick is not None
    healthy = Job(n_ranks=8, ranks_per_node=4)
    healthy.write(tmp_path)
    ends = [max(met.end for met in healthy.met if met.step == step) for step in (10, 11, 12)]
    for number, length in zip((11, 12), np.diff(ends).tolist(), strict=True):
        assert quick.would_be[number] == pytest.approx(length, rel=0.005)
    assert max(quick.was[number] - quick.would_be[number] for number in one.late_steps) > 0.1 * max(quick.was.values())


def test_without_the_slow_one_of_two_ranks_a_step_is_that_of_the_job_without_the_fault(tmp_path: Path) -> None:
    _, healthy = made(tmp_path, n_ranks=2)
    _, of = made(tmp_path, n_ranks=2, slow={1: 1.5})
    ((one, _, quick),) = of.stragglers
    assert quick is not None
    assert healthy.replay is not None
    assert one.members == (1,)
    assert quick.would_be == pytest.approx(healthy.replay.as_it_was, rel=0.005)


@pytest.mark.parametrize("second", [{"slow": {2: 1.25, 5: 1.25}}, {"slow": {2: 1.25}, "late_input": {5: 600_000}}])
def test_without_two_who_are_equally_late_a_step_is_that_of_the_job_without_both(tmp_path: Path, second: dict[str, Any]) -> None:
    (tmp_path / "late").mkdir()
    _, of = made(tmp_path / "late", n_ranks=8, ranks_per_node=4, **second, **APART)
    assert sorted(of.job.of.numbers[one.number] for one, *_ in of.stragglers) == [2, 5]
    assert of.without_all is not None
    healthy = Job(n_ranks=8, ranks_per_node=4)
    healthy.write(tmp_path)
    ends = [max(met.end for met in healthy.met if met.step == step) for step in (10, 11, 12)]
    for number, length in zip((11, 12), np.diff(ends).tolist(), strict=True):
        assert of.without_all.would_be[number] == pytest.approx(length, rel=0.005)
        assert all(alone is not None and alone.would_be[number] > 1.05 * length for *_, alone in of.stragglers)
    table = join([member(path) for path in sorted((tmp_path / "late").iterdir())], RanksParams())
    joint = table.together
    assert joint is not None
    assert (joint.ranks, joint.steps, joint.names) == ([2, 5], [10, 11, 12], [one.name for one in table.blamed])
    assert table.leads[1].ranks == [2, 5]
    assert joint.step_without_ns == joint.step_without_least_ns == pytest.approx(np.diff(ends).mean(), rel=0.02)
    assert joint.step_was_ns == table.blamed[0].step_was_ns
    took = f"would take about {format_ns(joint.step_without_ns)} instead of {format_ns(joint.step_was_ns)}"
    assert f"Without it and {joint.names[1]} together a step {took}" in table.sentences[1]


def test_of_one_who_is_late_nothing_is_said_together(tmp_path: Path) -> None:
    paths = Job(n_ranks=8, ranks_per_node=4, slow={2: 1.25}).write(tmp_path)
    table = join([member(path) for path in paths], RanksParams())
    assert (len(table.blamed), table.together) == (1, None)


def test_ranks_dealt_cyclically_over_hosts_without_a_name_each_have_a_clock(tmp_path: Path) -> None:
    """Devices 0, 0, 1, 1 of ranks 0 to 3: no host can be told from that, and their clocks differ."""
    profiles = recorded(Job(form="rccl", ranks_per_node=1, offset_ns={1: 37 * MS, 3: 37 * MS}).write(tmp_path))
    dealt = [
        replace(one, summary=msgspec.structs.replace(one.summary, host=None, device_index=place // 2))
        for place, one in enumerate(profiles)
    ]
    of = analysed(dealt)
    assert (len(of.job.of.hosts), of.job.of.are_hosts_known) == (4, False)
    assert of.job.matched.is_complete.all()
    assert not of.job.is_refused.any()
    by_host = [
        replace(one, summary=msgspec.structs.replace(one.summary, device_index=place % 2)) for place, one in enumerate(dealt)
    ]
    assert [rank.host for rank in ranks_of(by_host).ranks] == [0, 0, 1, 1]


def test_a_whole_host_that_is_slow_is_one_culprit(tmp_path: Path) -> None:
    _, of = made(tmp_path, n_ranks=8, ranks_per_node=4, slow=dict.fromkeys(range(4, 8), 1.2))
    ((one, *_),) = of.stragglers
    assert (one.level, one.number) == ("host", 1)


def test_two_of_a_host_who_idle_for_different_reasons_are_two(tmp_path: Path) -> None:
    pause = {(3, step): 1_000_000 for step in range(10, 13)}
    _, of = made(tmp_path, late_input={2: 1_000_000}, pause=pause)
    assert {(one.level, one.number, cause.id) for one, cause, _ in of.stragglers} == {("rank", 2, "input"), ("rank", 3, "pause")}


def test_a_job_without_a_fault_blames_nobody(tmp_path: Path) -> None:
    for seed in range(4):
        assert made(tmp_path, n_ranks=8, seed=seed)[1].stragglers == []


def test_collectives_that_cannot_be_the_same_are_not_matched(tmp_path: Path) -> None:
    """Without metadata all groups look alike; tensor groups of different ranks do not end together."""
    _, of = made(tmp_path, form="2023", n_ranks=4, ranks_per_node=4, slow={2: 3.0, 3: 3.0})
    assert set(members_of(of)) <= {(0, 1), (2, 3), (0, 1, 2, 3)}
    assert int((of.job.matched.n_there == 4).sum()) == 3


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_files_changes_nothing(tmp_path: Path, seed: int) -> None:
    found = recorded(Job(n_ranks=6, slow={4: 1.2}, **APART).write(tmp_path))
    mixed = random.Random(seed).sample(found, len(found))
    a, b = analysed(found), analysed(mixed)
    assert a.job.waits.wait.tolist() == b.job.waits.wait.tolist()
    assert [one.members for one, *_ in a.stragglers] == [one.members for one, *_ in b.stragglers]


@pytest.mark.parametrize("offset_ms", [-180, 3, 200])
def test_a_hosts_clock_changes_no_figure_beyond_its_error(tmp_path: Path, offset_ms: int) -> None:
    plain = made(tmp_path, n_ranks=6, slow={4: 1.2})[1]
    moved = made(tmp_path, n_ranks=6, slow={4: 1.2}, offset_ns={1: offset_ms * MS})[1]
    assert np.abs(plain.job.waits.wait - moved.job.waits.wait).max() <= 3 * max(moved.clock_error_ns, 1000)
    assert [one.members for one, *_ in plain.stragglers] == [one.members for one, *_ in moved.stragglers]


@pytest.mark.parametrize("host", [0, 1, 2])
@pytest.mark.parametrize("by_ns", [55_000_000_000, -7 * 60 * 10**9, 12_345_678_901])
def test_what_is_added_to_all_times_of_a_host_changes_only_its_offset(tmp_path: Path, host: int, by_ns: int) -> None:
    profiles = recorded(Job(n_ranks=6, slow={5: 1.1}, **APART).write(tmp_path))
    moved = [
        replace(one, summary=msgspec.structs.replace(one.summary, base_ns=one.summary.base_ns + by_ns))
        if rank // 2 == host
        else one
        for rank, one in enumerate(profiles)
    ]
    was, now = analysed(profiles), analysed(moved)
    a, b = was.job.clocks, now.job.clocks
    for name in ("rest_ns", "drift", "error_ns", "drift_error", "component", "sigma_ns"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    change = [by_ns * (each == host) - by_ns * (host == 0) for each in range(3)]
    assert (b.ahead_ns - a.ahead_ns).tolist() == change
    assert was.job.waits.wait.tolist() == now.job.waits.wait.tolist()
    assert was.clock_error_ns == now.clock_error_ns < 5000
    assert [one.members for one, *_ in now.stragglers] == [(5,)]
    assert was.stragglers[0][2] == now.stragglers[0][2]


def test_without_a_rank_the_others_keep_what_does_not_name_it(tmp_path: Path) -> None:
    paths = Job(n_ranks=8, ranks_per_node=4, slow={5: 1.25}).write(tmp_path)
    whole, part = analysed(recorded(paths)), analysed(recorded(paths[:7]))
    group_of_seven = np.array([7 in (group.ranks or ()) for group in whole.job.table.groups])
    keeps = ~group_of_seven[whole.job.rows.group]
    rest = ~group_of_seven[part.job.rows.group]
    assert whole.job.waits.wait[keeps].tolist() == pytest.approx(part.job.waits.wait[rest].tolist(), abs=3000)
    assert [one.members for one, *_ in part.stragglers] == [one.members for one, *_ in whole.stragglers]
    assert (part.job.matched.of != NONE).all()
