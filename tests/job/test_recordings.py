"""Which files are one job, and which rank is which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from tb_plugin.job.ranks.ranks import RankProfile, ranks_of
from tb_plugin.job.recordings.copies import copies
from tb_plugin.job.recordings.recordings import may_be_mixed, recordings
from tb_plugin.trace.rank.packed import packed, unpacked
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import changed, members, recorded
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path


def test_ranks_of_one_size_with_the_same_steps_are_one_job(tmp_path: Path) -> None:
    found = recorded(Job().write(tmp_path))
    assert [[one.summary.rank for one in job] for job in recordings(found)] == [[0, 1, 2, 3]]


def test_two_jobs_in_one_folder_stay_apart(tmp_path: Path) -> None:
    found = recorded(Job().write(tmp_path))
    others = [changed(one, world_size=64) for one in found[:2]]
    hours_later = [changed(one, base_ns=one.summary.base_ns + 3600 * 10**9) for one in found[:3]]
    assert [len(job) for job in recordings([*others, *found, *hours_later])] == [4, 3, 2]


@pytest.mark.parametrize("order", [1, -1])
def test_a_host_whose_clock_is_minutes_off_is_of_the_job(tmp_path: Path, order: int) -> None:
    """Of three: two are seven minutes and a day off, one of them drifts; collectives that all took part in end together."""
    of = Job(n_ranks=6, offset_ns={1: 420 * 10**9, 2: -86_400 * 10**9}, drift_ppm={1: 45.0})
    assert [len(job) for job in recordings(recorded(of.write(tmp_path))[::order])] == [6]


def halves(tmp_path: Path, second: Job) -> list[RankProfile]:
    """Node 0 of a job, and node 1 of `second`, an hour later."""
    found = []
    for name, job in (("a", Job()), ("b", second)):
        (tmp_path / name).mkdir()
        found.append(recorded(job.write(tmp_path / name)))
    later = [changed(one, base_ns=one.summary.base_ns + 3600 * 10**9) for one in found[1][2:]]
    return [*found[0][:2], *later]


def test_half_of_another_run_is_not_the_other_half(tmp_path: Path) -> None:
    """The same groups, steps and numbers of collectives; its steps last 2 % longer."""
    assert [len(job) for job in recordings(halves(tmp_path, Job(slow={2: 1.02})))] == [2, 2]


def test_what_no_group_spans_is_not_proven(tmp_path: Path) -> None:
    """Shifted copies of one run whose groups of all ranks are not in the files, or of another size, or of a rank that is here."""
    found = halves(tmp_path, Job())
    assert [len(job) for job in recordings(found)] == [4]
    alone = [changed(one, groups=[group for group in one.summary.groups if len(group.ranks or ()) == 2]) for one in found]
    assert [len(job) for job in recordings(alone)] == [2, 2]
    larger = [changed(one, world_size=8) for one in found[2:]]
    assert [len(job) for job in recordings([*found[:2], *larger])] == [2, 2]
    twice = changed(found[2], "again", rank=0)
    assert [len(job) for job in recordings([*found[:2], twice, found[3]])] == [2, 2]


def test_a_collective_more_or_less_is_no_proof(tmp_path: Path) -> None:
    found = halves(tmp_path, Job(n_steps=5))
    assert [len(job) for job in recordings(found)] == [4]
    rows = unpacked(found[2].summary.collectives)
    last = int((rows["step"] == 12).nonzero()[0][-1])
    fewer = packed({name: np.delete(column, last) for name, column in rows.items()})
    assert [len(job) for job in recordings([*found[:2], changed(found[2], collectives=fewer), found[3]])] == [2, 2]


def two_at_once(tmp_path: Path, second: Job) -> list[RankProfile]:
    """A job of four in two nodes and another, in one folder, at the same time."""
    both = []
    for name, job in (("a", Job()), ("b", second)):
        (tmp_path / name).mkdir()
        both += [changed(one, f"{name}_{one.worker}") for one in recorded(job.write(tmp_path / name))]
    return both


def begins(jobs: list[list[RankProfile]]) -> list[set[str]]:
    return [{one.worker[:2] for one in job} for job in jobs]


def test_two_jobs_at_once_are_told_by_their_names(tmp_path: Path) -> None:
    """Rank 3 of the second is the first to begin: nothing else speaks against it in the first."""
    found = two_at_once(tmp_path, Job(slow={1: 1.5}))
    found[7] = changed(found[7], base_ns=found[7].summary.base_ns - 1000)
    assert begins(recordings(found)) in ([{"a_"}, {"b_"}], [{"b_"}, {"a_"}])


@pytest.mark.parametrize(("n_ranks", "ranks_per_node"), [(4, 1), (2, 1)])
def test_two_jobs_at_once_on_the_same_hosts_are_not_torn_apart_by_them(tmp_path: Path, n_ranks: int, ranks_per_node: int) -> None:
    """Four ranks on two hosts beside a job with other ranks on each: no host is of one of them alone."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    second = Job(n_ranks=n_ranks, ranks_per_node=ranks_per_node).write(tmp_path / "b")
    found = [*recorded(Job(n_ranks=4, ranks_per_node=2).write(tmp_path / "a")), *recorded(second)]
    named = [changed(one, f"{'ab'[place >= 4]}_{one.worker}") for place, one in enumerate(found)]
    assert [(len(job), len(each)) for job, each in zip(recordings(named), begins(recordings(named)), strict=True)] == [
        (4, 1),
        (n_ranks, 1),
    ]


def unnamed(found: list[RankProfile], host: str, *, in_file: bool) -> list[RankProfile]:
    """As torch's own trace handler calls them, by host and process; all on one host."""
    return [
        changed(one, f"{host}_{4100 + place * 17 % 100}", host=host if in_file else None, rank=one.summary.rank)
        for place, one in enumerate(found)
    ]


@pytest.mark.parametrize("in_file", [True, False])
def test_two_jobs_at_once_on_a_host_each_are_told_by_their_hosts(tmp_path: Path, in_file: bool) -> None:
    """Whoever begins first: nothing but the host says that ranks 2 and 3 of the second are not of the first."""
    found = two_at_once(tmp_path, Job())
    second = unnamed(found[4:], "b", in_file=in_file)
    second[2:] = [changed(one, base_ns=one.summary.base_ns - 1000) for one in second[2:]]
    first = unnamed(found[:4], "a", in_file=in_file)
    jobs = recordings([*first, *second])
    assert sorted(map(tuple, (sorted(each) for each in begins(jobs)))) == [("a_",), ("b_",)]
    assert [len(job) for job in jobs] == [4, 4]
    assert not any(may_be_mixed(one, jobs[0]) for one in jobs[1])


def test_two_jobs_at_once_of_several_hosts_each_are_said_to_be_perhaps_mixed(tmp_path: Path) -> None:
    found = [changed(one, f"x_{place}") for place, one in enumerate(two_at_once(tmp_path, Job()))]
    second = [changed(one, f"y_{place}", host=f"more {one.summary.host}") for place, one in enumerate(found[4:])]
    jobs = recordings([*found[:4], *second])
    assert [len(job) for job in jobs] == [4, 4]
    assert all(may_be_mixed(one, jobs[0]) for one in jobs[1])
    same_host = [changed(one, host="one") for one in found]
    assert any(may_be_mixed(one, job) for job in recordings(same_host)[:1] for one in recordings(same_host)[1])


def test_two_jobs_at_once_are_told_by_their_groups(tmp_path: Path) -> None:
    found = two_at_once(tmp_path, Job())
    crossed: dict[tuple[int, ...] | None, tuple[int, ...]] = {(0, 1): (0, 2), (2, 3): (1, 3)}
    first, second = found[:4], found[4:]
    others = []
    for one in second:
        groups = [msgspec.structs.replace(each, ranks=crossed.get(each.ranks, each.ranks)) for each in one.summary.groups]
        # As its rank 1 is in the second group and 2 in the first, the numbers change with the groups.
        rank = {0: 0, 1: 2, 2: 1, 3: 3}[one.summary.rank or 0]
        others.append(changed(one, f"x{rank}", rank=rank, groups=groups))
    mixed = [changed(one, f"y{one.summary.rank}") for one in first]
    jobs = recordings([mixed[0], others[1], mixed[1], others[0], *mixed[2:], *others[2:]])
    assert sorted(len({one.worker[0] for one in job}) for job in jobs) == [1] * len(jobs)


@pytest.mark.parametrize("why", [{"is_cut_off": True}, {"damage": ["one event is left out"]}])
def test_a_rank_that_lacks_a_group_because_its_file_is_not_whole_stays(tmp_path: Path, why: dict[str, Any]) -> None:
    found = recorded(Job().write(tmp_path))
    cut = changed(found[1], **why, groups=found[1].summary.groups[:1])
    assert [len(job) for job in recordings([found[0], cut, *found[2:]])] == [4]


def test_the_same_rank_twice_is_two_recordings(tmp_path: Path) -> None:
    found = recorded(Job().write(tmp_path))
    assert [len(job) for job in recordings([*found, changed(found[2])])] == [4, 1]


def test_a_rank_is_known_by_its_file_then_its_name_then_its_place(tmp_path: Path) -> None:
    found = recorded(Job(n_ranks=3, ranks_per_node=4).write(tmp_path))
    assert ranks_of(found).numbers == [0, 1, 2]
    named = [changed(one, f"worker{7 - place}_step_12", rank=None) for place, one in enumerate(found)]
    assert ranks_of(named).numbers == [5, 6, 7]
    unnamed = [changed(one, f"trace_{place}", rank=None) for place, one in enumerate(found)]
    assert ranks_of(unnamed).numbers == [0, 1, 2]
    assert not ranks_of(unnamed).are_numbers_known


def test_a_host_is_known_by_its_file_then_its_name_then_its_devices(tmp_path: Path) -> None:
    found = recorded(Job(ranks_per_node=2).write(tmp_path))
    assert ranks_of(found).hosts == ("node0", "node1")
    named = [changed(one, f"gpu{one.summary.host}_41{place}", host=None) for place, one in enumerate(found)]
    assert ranks_of(named).hosts == ("gpunode0", "gpunode1")
    by_device = [changed(one, f"rank{place}", host=None, device_index=place % 2) for place, one in enumerate(found)]
    assert [rank.host for rank in ranks_of(by_device).ranks] == [0, 0, 1, 1]
    unknown = [changed(one, f"rank{place}", host=None, device_index=None) for place, one in enumerate(found)]
    assert not ranks_of(unknown).are_hosts_known


def test_columns_come_back_as_they_were() -> None:
    columns = {"a": np.array([5, -1, 1 << 60]), "b": np.array([0, 7, -(1 << 61)])}
    assert {name: column.tolist() for name, column in unpacked(packed(columns)).items()} == {
        name: column.tolist() for name, column in columns.items()
    }
    assert unpacked(packed({"a": np.zeros(0, np.int64)}))["a"].tolist() == []


@pytest.mark.parametrize(("of", "false", "stays"), [(2, 3, 2), (3, 2, 2), (0, 3, 0), (4, 1, 4)])
def test_a_recording_under_the_number_of_another_rank_is_put_aside_and_no_other(
    tmp_path: Path, of: int, false: int, stays: int
) -> None:
    """Its groups say which number is wrong; where both are members of all of them the lower one stays."""
    found = recorded(Job(n_ranks=6).write(tmp_path))
    found[false] = changed(found[of], f"rank{false}", rank=false)
    job, (aside,) = recordings(found)
    assert aside is found[of + false - stays]
    assert [one.summary.rank for one in job] == [rank for rank in range(6) if rank != of + false - stays]


@pytest.mark.parametrize("is_first", [False, True])
def test_one_file_with_the_number_of_another_rank_leaves_the_others_one_job(tmp_path: Path, is_first: bool) -> None:
    """On another host; its groups say whose number is false, whichever began first."""
    found = recorded(Job(n_ranks=8, ranks_per_node=4).write(tmp_path))
    base_ns = found[6].summary.base_ns + (-1000 if is_first else 1000)
    found[6] = changed(found[6], rank=2, base_ns=base_ns)
    job, alone = recordings(found)
    assert [one.worker for one in job] == [f"rank{place}" for place in sorted({*range(8)} - {6})]
    assert alone == [found[6]]
    said = join(members(found), RanksParams()).sentences
    assert any("rank6 is not, whose process groups are another rank's: its number is false" in each for each in said)


def test_where_no_group_tells_which_number_is_false_one_of_them_is_used(tmp_path: Path) -> None:
    found = recorded(Job(n_ranks=8, ranks_per_node=4).write(tmp_path))
    found = [changed(one, groups=[]) for one in found]
    found[6] = changed(found[6], rank=2)
    assert [len(job) for job in recordings(found)] == [7, 1]


def test_a_rank_that_is_here_twice_is_no_false_number(tmp_path: Path) -> None:
    found = recorded(Job().write(tmp_path))
    assert copies([*found, changed(found[1], "again")]) == []
    assert copies(found) == []


def test_who_does_not_say_of_how_many_it_is_one_is_of_the_job_that_lacks_it(tmp_path: Path) -> None:
    found = recorded(Job().write(tmp_path))
    untold = [changed(one, world_size=None, rank=None) if one.summary.rank == 2 else one for one in found]
    assert [len(job) for job in recordings(untold)] == [4]
    assert [len(job) for job in recordings(untold[::-1])] == [4]
    nobody = [changed(one, "trainer", world_size=None, rank=None) if one.summary.rank == 2 else one for one in found]
    assert [len(job) for job in recordings(nobody)] == [3, 1]


def hosts_of(
    found: list[RankProfile], hosts: list[str | None], indices: list[int | None]
) -> tuple[list[str], bool, tuple[int, ...]]:
    said = [
        changed(one, f"rank{place}", rank=place, host=host, device_index=index)
        for place, (one, host, index) in enumerate(zip([*found, *found], hosts, indices, strict=True))
    ]
    ranks = ranks_of(said)
    return [ranks.hosts[rank.host] for rank in ranks.ranks], ranks.are_hosts_known, ranks.of_neighbours


@pytest.mark.parametrize("place", range(8))
def test_who_says_no_host_is_on_that_of_the_ranks_beside_it(tmp_path: Path, place: int) -> None:
    found = recorded(Job().write(tmp_path))
    true = [*"aaaabbbb"]
    said: list[str | None] = list(true)
    said[place] = None
    assert hosts_of(found, said, [*range(4), *range(4)]) == (true, True, (place,))


@pytest.mark.parametrize(
    ("said", "indices"),
    [
        (["a", "b", "c", None, "e", "f", "g", "h"], [0] * 8),  # a host for each
        (["a", "a", "a", None, "b", "b", "b", "b"], [None] * 8),  # of one or the other
        (["a", "b", None, "b", "a", "b", "a", "b"], [0, 0, 1, 1, 2, 2, 3, 3]),  # dealt rank by rank
    ],
)
def test_a_host_that_the_ranks_beside_it_do_not_tell_is_not_known(
    tmp_path: Path, said: list[str | None], indices: list[int | None]
) -> None:
    _, is_known, of_neighbours = hosts_of(recorded(Job().write(tmp_path)), said, indices)
    assert (is_known, of_neighbours) == (False, ())
