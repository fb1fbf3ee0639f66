"""Several jobs whose files lie in one directory: which profiles go together, by what names and first bytes say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tb_plugin.runs.jobs import SeenProfile, jobs_among
from tests.runs.small import chrome_json, put, scan

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.runs.catalogue import Catalogue

HOUR_NS = 3600 * 10**9


def job(n: int, name: str = "rank{}", *, hosts: int = 1, on: str = "node", **more: Any) -> list[SeenProfile]:
    """One profile a rank."""
    given = {"world_size": n, "when_ns": HOUR_NS, **more}
    return [SeenProfile(worker=name.format(rank), rank=rank, host=f"{on}{rank * hosts // n}", **given) for rank in range(n)]


def parts(*jobs: list[SeenProfile]) -> list[tuple[str, list[int]]]:
    """(title, how many of each of `jobs`) of each job that is found, the first one first."""
    found = jobs_among([one for of in jobs for one in of])
    of = [place for place, members in enumerate(jobs) for _ in members]
    titles = {each.place: each.title for each in found}
    return [
        (
            titles[place],
            [sum(a.place == place and b == which for a, b in zip(found, of, strict=True)) for which in range(len(jobs))],
        )
        for place in sorted(titles)
    ]


def test_jobs_of_other_sizes_are_parted_also_under_the_same_names_and_the_largest_is_first() -> None:
    assert parts(job(8), job(64)) == [("job of 64", [0, 64]), ("job of 8", [8, 0])]
    assert parts(job(8)[:3], job(16)[:2], job(32)[:3]) == [
        ("job of 8", [3, 0, 0]),
        ("job of 32", [0, 0, 3]),
        ("job of 16", [0, 2, 0]),
    ]


def test_one_job_is_one_whatever_it_recorded() -> None:
    assert parts(job(16, hosts=4)) == [("", [16])]
    assert parts(job(8), job(8, when_ns=2 * HOUR_NS)) == [("", [8, 8])], "two recordings of the same workers"
    lazily = [one._replace(groups=frozenset({("tp", one.rank or 0)})) for one in job(8)]
    assert parts(lazily) == [("", [8])]


def test_a_job_that_was_started_again_is_another_one_by_its_time_and_the_latest_is_first() -> None:
    again = [job(8, f"node_{pid}{{}}", when_ns=pid * HOUR_NS) for pid in (41, 42, 43)]
    assert parts(*again) == [("", [0, 0, 8]), ("", [0, 8, 0]), ("", [8, 0, 0])]
    assert parts(again[0], again[1][:3], again[2][4:]) == [("", [8, 0, 0]), ("", [0, 0, 4]), ("", [0, 3, 0])]


def test_jobs_at_once_are_told_by_names_hosts_or_groups() -> None:
    assert parts(job(8, "a_rank{}"), job(8, "b_rank{}")) == [("a", [8, 0]), ("b", [0, 8])]
    assert parts(job(4, "x{}", on="left"), job(4, "y{}", on="right")) == [("left0", [4, 0]), ("right0", [0, 4])]
    small, large = (frozenset({("default_pg", 4), ("tp", n)}) for n in (2, 4))
    assert parts(job(4, "n_1{}", groups=small), job(4, "n_2{}", groups=large)) == [("", [4, 0]), ("", [0, 4])]


def test_what_nothing_tells_apart_is_not_parted() -> None:
    assert parts(job(4, "n_1{}"), job(4, "n_2{}")) == [("", [4, 4])]
    assert parts(job(16, "n_1{}", hosts=2, on="a"), job(16, "n_2{}", hosts=2, on="b")) == [("", [16, 16])], (
        "which hosts belong together?"
    )


def test_a_file_that_does_not_say_its_size_is_of_the_job_that_lacks_it() -> None:
    whole, damaged = job(8), job(64)
    damaged[40] = damaged[40]._replace(world_size=None)
    assert parts(whole, damaged) == [("job of 64", [0, 64]), ("job of 8", [8, 0])]
    damaged[5] = damaged[5]._replace(world_size=None)
    assert parts(whole, damaged) == [("job of 64", [0, 64]), ("job of 8", [8, 0])]
    whole[5] = whole[5]._replace(world_size=None)
    assert parts(whole, damaged)[-1] == ("job size not recorded", [1, 1])
    assert parts([one._replace(world_size=None) for one in damaged] * 2) == [("", [128])]


def write(folder: Path, n: int, time: str) -> None:
    for rank in range(n):
        text = chrome_json(rank=rank).replace(b'"world_size": 4', f'"world_size": {n}'.encode())
        put(folder / f"rank{rank}.{time}{rank}.pt.trace.json", text)


def names(catalogue: Catalogue, *asked: str) -> tuple[str, str | None]:
    """The worker that opens, and what is said besides."""
    run, worker, _ = catalogue.choose("r", *asked)
    return worker.name, catalogue.which_else(run.name, asked[0], asked[1] if len(asked) > 1 else None, worker)


def test_a_worker_in_a_link_is_the_right_one_or_it_is_said_that_there_are_several(tmp_path: Path) -> None:
    write(tmp_path / "r", 2, "171700000012345678")
    write(tmp_path / "r", 3, "171700000912345678")
    found = scan(tmp_path)
    labels = [worker.identity().label for worker in found.runs[0].workers]
    assert labels == [*(f"job of 3 · rank {rank}" for rank in range(3)), *(f"job of 2 · rank {rank}" for rank in range(2))]
    assert [(of.n_ranks, len(of.workers)) for of in found.runs[0].by_job()] == [(3, 3), (2, 2)]
    assert names(found, "rank1", "1717000000123456781") == ("rank1@of2", None)
    assert names(found, "rank1", "1717000009123456781") == ("rank1@of3", None)
    assert names(found, "rank2") == ("rank2", None), "only one job has it"
    assert names(found, "rank1@of2") == ("rank1@of2", None)
    assert names(found, "rank1") == ("rank1@of3", "rank1 is several workers here: shown is rank1@of3, not rank1@of2.")


def test_a_rank_that_is_there_twice_is_counted_once(tmp_path: Path) -> None:
    for pid in (1, 2):
        for rank in range(4):
            put(tmp_path / "r" / f"node_{pid}{rank}.171700000012345678{rank}.pt.trace.json", chrome_json(rank=rank))
    (of,) = scan(tmp_path).runs[0].by_job()
    assert (of.n_ranks, len(of.workers)) == (4, 8)


def test_a_rank_whose_file_is_empty_has_none(tmp_path: Path) -> None:
    for rank in range(4):
        put(tmp_path / "r" / f"rank{rank}.171700000012345678{rank}.pt.trace.json", b"" if rank == 2 else chrome_json(rank=rank))
    (of,) = scan(tmp_path).runs[0].by_job()
    assert (of.n_ranks, len(of.workers)) == (3, 4)


def test_what_tells_a_job_stands_once_before_its_ranks(tmp_path: Path) -> None:
    for name in ("", "other_"):
        for rank in range(4):
            put(tmp_path / "r" / f"{name}rank{rank}.171700000012345678{rank}.pt.trace.json", chrome_json(rank=rank))
    labels = {worker.identity().label for worker in scan(tmp_path).runs[0].workers}
    assert labels == {f"{job}rank {rank}" for job in ("", "other · ") for rank in range(4)}
