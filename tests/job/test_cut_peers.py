"""A rank whose file is cut off in a step ran more there than its file has: nobody has more work than it, and where it is what
others wait for, it is to be looked at first.
"""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.one_rank.one_rank import OneRankParams, one_rank
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member, real_job
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.ranks.result import RanksTable


def cut(path: Path, share: float) -> None:
    """As torch writes a file: the device comes last, and of its rows this share is there."""
    trace = json.loads(gzip.decompress(path.read_bytes()))
    events = sorted(trace["traceEvents"], key=lambda event: event.get("cat") == "kernel")
    n = sum(event.get("cat") == "kernel" for event in events)
    whole = json.dumps({**trace, "traceEvents": events[: len(events) - n + int(n * share) + 1]})
    path.write_bytes(gzip.compress(whole[: whole.rindex(", {") + 20].encode(), 1))


def joined(paths: list[Path]) -> RanksTable:
    return join([member(path) for path in paths], RanksParams())


@pytest.mark.parametrize("cut_rank", [0, 2, 3])
@pytest.mark.parametrize("share", [0.3, 0.5, 0.7, 0.9])
def test_slow_kernels_stay_slow_kernels(tmp_path: Path, cut_rank: int, share: float) -> None:
    paths = Job(slow={1: 1.25}, n_steps=4).write(tmp_path)
    cut(paths[cut_rank], share)
    (one,) = joined(paths).blamed
    assert (one.name, one.cause, one.steps) == ("rank 1", "slow_kernels", [10, 11, 12, 13])
    assert " computes 25 % longer at the same kernels in all 4 steps" in one.sentence
    (row,) = one_rank([member(path) for path in paths], OneRankParams(rank=1)).kernels
    assert (row.why, row.n_calls, row.peers_calls) == ("longer calls", 24, 24)


def test_of_two_ranks_the_one_that_is_cut_is_compared_in_what_it_has(tmp_path: Path) -> None:
    paths = Job(n_ranks=2, slow={0: 1.25}, n_steps=4).write(tmp_path)
    cut(paths[1], 0.6)
    table = joined(paths)
    assert [(one.name, one.cause) for one in table.blamed] == [("rank 0", "slow_kernels")]


_LATE: list[dict[str, Any]] = [
    {"late_once": {(3, 12): 4_000_000}},
    {"pause": {(3, 13): 3_000_000}},
    {"slow": {3: 1.5}, "slow_steps": (12, 13)},
    {"tensor": 8, "slow": {3: 1.5}, "slow_steps": (12, 13)},
]


@pytest.mark.parametrize("fault", _LATE)
def test_who_is_late_after_its_file_ends_is_to_be_looked_at_first(tmp_path: Path, fault: dict[str, Any]) -> None:
    paths = Job(n_ranks=8, ranks_per_node=4, n_steps=4, **fault).write(tmp_path)
    cut(paths[3], 0.5)
    table = joined(paths)
    assert (table.blamed, table.slow_link) == ([], None)
    assert " is nearly all in collectives with rank 3, whose file is not whole: rank " in table.sentences[1]
    assert table.sentences[1].endswith(" a step longer than others in theirs. Look at rank 3 first.")


def test_where_it_was_not_late_it_is_not(tmp_path: Path) -> None:
    for share in (0.8, 0.5, 0.3):
        paths = Job(n_ranks=8, ranks_per_node=4, n_steps=4).write(tmp_path)
        cut(paths[3], share)
        table = joined(paths)
        assert (table.blamed, table.slow_link) == ([], None)
        assert not any("Look at" in said for said in table.sentences)


def test_a_stream_on_which_it_has_too_few_collectives_leaves_those_of_the_group_one_member_short(tmp_path: Path) -> None:
    """2023, two streams: of one the rank that is cut has one collective, of the other enough to tell."""
    files = sorted(real_job("syn8_fsdp8_gc_2023").glob("rank*.gz"))
    paths = [tmp_path / path.name for path in files]
    for path, source in zip(paths, files, strict=True):
        raw = source.read_bytes()
        path.write_bytes(raw[: int(0.6 * len(raw))] if path.name.startswith("rank3.") else raw)
    table = joined(paths)
    assert (table.n_matched, table.layout) == (57, {})
    assert 0 < table.n_complete < 40
    assert "Look at rank 3 first." in table.sentences[1]
