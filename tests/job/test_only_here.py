"""What only one rank runs: operators of other shapes, and ranges of its own code."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tb_plugin.formats.reader import read
from tb_plugin.job.why.cause import Cause
from tb_plugin.job.why.other_shapes import first_that_differs, nearest
from tb_plugin.trace.rank.kernel_shapes import kernel_shapes
from tb_plugin.trace.rank.own_ranges import own_ranges
from tb_plugin.trace.rank.summarise import summarise
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.one_rank.one_rank import OneRankParams, one_rank
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.told.blame import sentence_of
from tests.job.on_host import N_LAYERS, operator, written
from tests.job.recorded import member, recorded
from tests.job_files import Job, rank_file
from tests.trace_text import trace_from_text, with_inputs

if TYPE_CHECKING:
    from pathlib import Path

_MORE = (("aten::fill_", 2000.0), ("aten::mm", 1000.0))
"""A pair that rank 1 runs several times a step in a range of its own, and how long."""


def with_range(
    folder: Path, name: str, *, on_all: bool = False, has_inputs: bool = True, longer: float = 1.0, fills: int = 0
) -> list[Path]:
    """Three ranks; each step begins with `name`, in which rank 1 runs eight pairs more. `longer`: the others run none, but
    half of those of rank 1 are so many times as long: medians tell little of what it costs. `fills`: so often the others fill
    a small one there.
    """
    ran = {rank: list[dict[str, Any]]() for rank in range(3)}
    begun = 1000.0
    for step in (10, 11, 12):
        end = {}
        for rank, mine in ran.items():
            now = begun + 10
            if rank == 1 or on_all:
                began = now
                for turn in range(8 if rank == 1 else 0):
                    for called, length in _MORE:
                        took = length * (longer if turn % 2 else 1.0)
                        mine.append(operator(called, now, took, [[256, 256]] if has_inputs else None))
                        now += took + 1
                for _ in range(fills if rank != 1 else 0):
                    mine.append(operator("aten::fill_", now, 2.0, [[16]] if has_inputs else None))
                    now += 3
                mine.append({**operator(name, began - 1, now - began + 2, None), "cat": "user_annotation"})
                now += 5
            for _ in range(N_LAYERS):
                mine.append(operator("aten::mm", now, 1000.0 + rank, [[64, 64], [64, 64]] if has_inputs else None))
                now += 1010.0
            end[rank] = now
        last = max(end.values()) + 800
        for rank, mine in ran.items():
            met = operator("gloo:all_reduce", end[rank], last - end[rank], [])
            mine.append({**met, "cat": "user_annotation", "tid": 10})
            mine.append({**operator(f"ProfilerStep#{step}", begun, last + 30 - begun, []), "cat": "user_annotation"})
        begun = last + 40
    return [rank_file(folder, rank, 3, mine) for rank, mine in ran.items()]


@pytest.mark.parametrize("longer", [1.0, 9.0])
@pytest.mark.parametrize("has_inputs", [True, False])
def test_a_range_that_no_peer_has_is_named_where_it_holds_most_of_what_is_more(
    tmp_path: Path, has_inputs: bool, longer: float
) -> None:
    members = [member(path) for path in with_range(tmp_path, "augment_images", has_inputs=has_inputs, longer=longer)]
    (one,) = join(members, RanksParams()).blamed
    assert (one.name, one.cause, one.kernels[0]) == ("rank 1", "more_work", "aten::fill_")
    its = "16 operators more a step, first aten::fill_ (8 against 0 on its peers) and aten::mm (14 against 6), most of it in"
    assert its in one.sentence
    assert " most of it in `augment_images`, which no peer has, in all 3 steps: " in one.sentence


def test_a_range_that_a_peer_has_too_is_not_told_to_be_only_here(tmp_path: Path) -> None:
    members = [member(path) for path in with_range(tmp_path, "forward", on_all=True)]
    (one,) = join(members, RanksParams()).blamed
    assert one.cause == "more_work"
    assert "`forward`" not in one.sentence


def test_what_runs_as_often_on_other_shapes_is_told_by_these_beside_what_runs_more_often(tmp_path: Path) -> None:
    members = [member(path) for path in with_range(tmp_path, "forward", on_all=True, fills=8)]
    (one,) = join(members, RanksParams()).blamed
    first = "8 operators more a step, first aten::fill_ ([256, 256] against [16] on its peers) and aten::mm (14 against 6)"
    assert first in one.sentence
    row = one_rank(members, OneRankParams(rank=1)).kernels[0]
    assert (row.kernel, row.why, row.shape, row.peers_shape) == ("aten::fill_", "other shape", "[256, 256]", "[16]")


def test_what_runs_more_often_is_told_by_all_calls_of_its_name(tmp_path: Path) -> None:
    members = [member(path) for path in with_range(tmp_path, "forward", on_all=True, fills=2)]
    (one,) = join(members, RanksParams()).blamed
    assert "14 operators more a step, first aten::fill_ (8 against 2 on its peers) and aten::mm (14 against 6)" in one.sentence


def test_calls_that_are_more_and_far_longer_than_any_of_the_peers_are_more_work_without_inputs_too(tmp_path: Path) -> None:
    members = [member(path) for path in with_range(tmp_path, "forward", on_all=True, has_inputs=False, fills=6)]
    (one,) = join(members, RanksParams()).blamed
    assert (
        "has more work: 10 operators more a step, first aten::fill_ (8 against 6 on its peers) and aten::mm (14" in one.sentence
    )


def test_where_the_ranges_of_a_peer_are_not_known_none_is_told_to_be_only_here(tmp_path: Path) -> None:
    """As of a summary of an earlier version."""
    profiles = recorded(with_range(tmp_path, "augment_images"))
    profiles[2] = replace(profiles[2], summary=msgspec.structs.replace(profiles[2].summary, ranges=None, range_names=[]))
    of = analysed(profiles)
    ((one, cause, _),) = of.stragglers
    assert (cause.id, cause.within) == ("more_work", None)
    assert "no peer has" not in sentence_of(of, one, cause)


def test_no_comma_stands_before_the_amount_of_a_range_of_its_own(tmp_path: Path) -> None:
    of = analysed(recorded(with_range(tmp_path, "augment_images")))
    ((one, cause, _),) = of.stragglers
    said = sentence_of(of, one, replace(cause, also=Cause(id="pause", confidence="likely", amount_ns=1e6, n_gaps=1)))
    assert re.search(r"most of it in `augment_images`, which no peer has \(\d", said), said


def test_what_only_this_rank_runs_and_runs_more_often_is_listed_with_why(tmp_path: Path) -> None:
    reply = one_rank([member(path) for path in with_range(tmp_path, "augment_images")], OneRankParams(rank=1))
    told = [(row.kernel, row.why, row.shape, row.n_calls, row.peers_calls) for row in reply.kernels]
    assert told == [("aten::fill_", "only here", "[256, 256]", 24, 0), ("aten::mm", "only here", "[256, 256]", 24, 0)]
    assert reply.kernels[0].more_ns == 24 * 2_000_000


def test_without_inputs_those_that_peers_run_too_are_more_calls(tmp_path: Path) -> None:
    paths = with_range(tmp_path, "augment_images", has_inputs=False)
    reply = one_rank([member(path) for path in paths], OneRankParams(rank=1))
    told = [(row.kernel, row.why, row.shape, row.n_calls, row.peers_calls) for row in reply.kernels]
    n_usual = 3 * N_LAYERS
    assert told == [("aten::fill_", "only here", None, 24, 0), ("aten::mm", "more calls", None, 24 + n_usual, n_usual)]


def test_of_other_shapes_the_cost_is_over_what_the_peers_run_in_their_place(tmp_path: Path) -> None:
    paths = written(tmp_path, {"aten::mm": 12.0}, rows=1024)
    first = one_rank([member(path) for path in paths], OneRankParams(rank=1)).kernels[0]
    assert (first.kernel, first.why) == ("aten::mm", "other shape")
    assert (first.shape, first.peers_shape) == ("[1024, 64] [1024, 64]", "[64, 64] [64, 64]")
    assert (first.n_calls, first.peers_calls) == (3 * N_LAYERS, 3 * N_LAYERS)
    assert first.more_ns == pytest.approx(3 * N_LAYERS * 900_000 * 11, rel=0.01)


def test_what_stands_for_another_shape_differs_least() -> None:
    others = ["[[256, 64], [64, 256]]", "[[64, 256], [256, 256], []]"]
    own = "[[768, 256], [256, 256]]"
    assert nearest(own, others) == 1
    assert first_that_differs(own, others[1]) == ("[768, 256]", "[64, 256]")
    assert first_that_differs("grid [8, 1, 1] block [128, 1, 1]", "grid [1, 1, 1] block [128, 1, 1]") == (
        "grid [8, 1, 1]",
        "grid [1, 1, 1]",
    )


def test_computing_in_a_range_is_what_was_launched_there() -> None:
    """Whenever that ran; of ranges within each other in both, of a collective in none."""
    trace = trace_from_text("""
        thread 1 | ProfilerStep#1 0-100 | <outer> 0-60 | <inner> 10-30 | aten::mm 12-20 | aten::add 40-50 | <after> 70-90
        thread 1 | aten::sum 72-75 | c10d::allreduce_ 80-85
        stream 7 | gemm_a 30-60 <- aten::mm | add_b 60-65 <- aten::add | sum_c 80-82 <- aten::sum
        stream 8 | ncclDevKernel_AllReduce 86-99 <- c10d::allreduce_
    """)
    columns, names = own_ranges(trace)
    found = {names[name]: (columns["computing"][at], columns["total"][at]) for at, name in enumerate(columns["name"].tolist())}
    assert found == {"outer": (35_000, 60_000), "inner": (30_000, 20_000), "after": (2_000, 20_000)}
    assert columns["count"].tolist() == [1, 1, 1]


def test_of_a_kernel_the_inputs_of_what_launched_it_are_kept_and_else_its_grid(tmp_path: Path) -> None:
    trace = trace_from_text("""
        thread 1 | ProfilerStep#1 0-100 | aten::mm 12-20 | aten::add 40-50
        stream 7 | gemm_a 30-60 <- aten::mm | add_b 60-65 <- aten::add
    """)
    shapes = kernel_shapes(with_inputs(trace, {"aten::mm": ("[[768, 256], [256, 256]]", "")}))
    names = [shapes.names[name] for name in shapes.columns["name"].tolist()]
    inputs = [shapes.inputs.get(str(shape)) for shape in shapes.columns["shape"].tolist()]
    assert dict(zip(names, inputs, strict=True)) == {"gemm_a": "[[768, 256], [256, 256]]", "add_b": None}
    (path, *_) = Job(n_ranks=2, n_steps=1).write(tmp_path)
    assert set(summarise(read(path)).inputs.values()) == {"grid [8, 1, 1] block [128, 1, 1]"}
