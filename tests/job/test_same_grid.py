"""Kernels of one grid that take longer on one rank: as it has more input, as its device is slower, or not told."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from zlib import crc32

import msgspec
import numpy as np
import pytest

from tb_plugin.job.why.same_grid import explains, larger_by, may_be_larger
from tb_plugin.trace.rank.packed import packed, unpacked
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import members, recorded
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.job.ranks.ranks import RankProfile

_FLASH = "void cutlass::device_kernel<flash::FlashAttnFwdSm90<Varlen>>"
_USUAL = "[[2048, 8, 64], [2048, 8, 64], [9]]"
_DEVICE = "is likely a slower device"


def made(folder: Path, name: str, inputs: str, of_rank_5: str, factor: float = 1.5) -> list[RankProfile]:
    """Eight ranks whose kernels, of one grid, have this name and ran on these; those of rank 5 take so many times as long."""
    found, seed = [], crc32(f"{name}{inputs}{of_rank_5}".encode())  # jobs are told apart by their times
    for place, one in enumerate(recorded(Job(n_ranks=8, slow={5: factor}, seed=seed).write(folder))):
        of = one.summary
        keys = {str(key) for key in unpacked(of.shapes)["shape"].tolist()}
        its = dict.fromkeys(keys, of_rank_5 if place == 5 else inputs)
        names = [name if text == "sgemm_128x64_nn" else text for text in of.names]
        found.append(replace(one, summary=msgspec.structs.replace(of, inputs=its, names=names)))
    return found


@pytest.mark.parametrize(
    ("name", "of_rank_5", "factor"),
    [
        (_FLASH, "[[3072, 8, 64], [3072, 8, 64], [9]]", 1.5),
        (_FLASH, "[[2896, 8, 64], [2896, 8, 64], [9]]", 2.0),  # attention goes by the square of the sequence
        ("matmul_kernel_persistent", "[[3072, 8, 64], [2048, 8, 64], [9]]", 1.5),
    ],
)
def test_more_input_at_the_same_grid_is_more_work(tmp_path: Path, name: str, of_rank_5: str, factor: float) -> None:
    reply = join(members(made(tmp_path, name, _USUAL, of_rank_5, factor)), RanksParams())
    ((one,), first) = reply.blamed, of_rank_5[1:].split("]")[0]
    assert (one.name, one.cause, one.kernels) == ("rank 5", "more_work", [name])
    assert f"has more work: the same kernels with other shapes, first {name} ({first}] against [2048, 8, 64] on its peers)" in (
        one.sentence
    )
    assert not any(_DEVICE in text for text in reply.doubts)


@pytest.mark.parametrize("name", [_FLASH, "sgemm_128x64_nn"])
@pytest.mark.parametrize("of_rank_5", [_USUAL, "[[2064, 8, 64], [2064, 8, 64], [9]]"])
def test_as_much_input_or_hardly_more_is_a_slower_device(tmp_path: Path, name: str, of_rank_5: str) -> None:
    reply = join(members(made(tmp_path, name, _USUAL, of_rank_5)), RanksParams())
    (one,) = reply.blamed
    assert (one.name, one.cause) == ("rank 5", "slow_kernels")
    assert any(_DEVICE in text for text in reply.doubts)


@pytest.mark.parametrize("inputs", ["grid [132, 1, 1] block [384, 1, 1]", ""])
def test_without_shapes_a_persistent_kernel_accuses_no_device(tmp_path: Path, inputs: str) -> None:
    reply = join(members(made(tmp_path, _FLASH, inputs, inputs)), RanksParams())
    (one,) = reply.blamed
    assert (one.name, one.cause, one.confidence) == ("rank 5", "some_kernels", "maybe")
    grid = f"computes 50 % longer in kernels of the same grid, first {_FLASH} (which may have had more input; "
    assert f"{grid}record_shapes=True would tell) in all 3 steps: " in one.sentence
    assert not any(_DEVICE in text for text in reply.doubts)


def test_where_other_kernels_are_as_slow_it_is_the_device(tmp_path: Path) -> None:
    profiles = made(tmp_path, _FLASH, "", "")
    for place, one in enumerate(profiles):  # as many more of a kernel with a block for each tile
        shapes, names = unpacked(one.summary.shapes), [*one.summary.names, "sgemm_128x64_nn"]
        other = {**shapes, "shape": shapes["shape"] + 1, "name": np.full_like(shapes["name"], len(names) - 1)}
        both = {name: np.concatenate((shapes[name], other[name])) for name in shapes}
        profiles[place] = replace(one, summary=msgspec.structs.replace(one.summary, names=names, shapes=packed(both)))
    (told,) = join(members(profiles), RanksParams()).blamed
    assert (told.name, told.cause) == ("rank 5", "slow_kernels")


def with_a_block_for_each_tile(profiles: list[RankProfile], grid: int, took: float, n_more: int = 0) -> list[RankProfile]:
    """Beside these a kernel of the same name on all, a tenth of their time. Rank 5 runs it on so many blocks, `n_more` times more
    often, and each takes so many times as long; its peers on 1000.
    """
    found = []
    for place, one in enumerate(profiles):
        shapes, names = unpacked(one.summary.shapes), [*one.summary.names, "layer_norm"]
        own = place == 5
        new = {**shapes, "shape": np.full_like(shapes["shape"], 71 + own), "name": np.full_like(shapes["name"], len(names) - 1)}
        new |= {name: np.full_like(shapes[name], int(40_000 * (took if own else 1))) for name in ("median", "longest")}
        new["count"] = shapes["count"] + n_more * own
        new["total"] = new["count"] * new["median"]
        both = {name: np.concatenate((shapes[name], new[name])) for name in shapes}
        inputs = {**one.summary.inputs, str(71 + own): f"grid [{grid if own else 1000}, 1, 1] block [128, 1, 1]"}
        found.append(replace(one, summary=msgspec.structs.replace(one.summary, names=names, shapes=packed(both), inputs=inputs)))
    return found


_NVJET = "nvjet_hsh_256x128_64x4_1x2_h_bz_coopA_TNT"


@pytest.mark.parametrize(
    ("name", "factor", "grid", "cause"),
    [
        (_NVJET, 1.3, 1300, "more_work"),
        (_NVJET, 1.3, 1160, "more_work"),
        (_NVJET, 1.3, 1140, "some_kernels"),  # more input is less than half of it
        (_FLASH, 1.3, 1140, "more_work"),  # and of attention, 1.14 x 1.14
        (_NVJET, 1.3, 1000, "some_kernels"),  # only blocks are of another size
        (_NVJET, 1.3, 800, "some_kernels"),
    ],
)
def test_other_kernels_on_more_blocks_say_that_a_persistent_one_has_more_input(
    tmp_path: Path, name: str, factor: float, grid: int, cause: str
) -> None:
    profiles = made(tmp_path, name, "grid [132, 1, 1] block [384, 1, 1]", "grid [132, 1, 1] block [384, 1, 1]", factor)
    reply = join(members(with_a_block_for_each_tile(profiles, grid, grid / 1000)), RanksParams())
    (one,) = reply.blamed
    assert (one.name, one.cause) == ("rank 5", cause)
    words = f"has more work: the same kernels with other shapes, first layer_norm (grid [{grid}, 1, 1] against grid [1000, 1, 1]"
    assert (words in one.sentence) == (cause == "more_work")
    assert ("which may have had more input" in one.sentence) == (cause == "some_kernels")
    assert not any(_DEVICE in text for text in reply.doubts)


def test_kernels_that_run_more_often_say_nothing_of_the_input_of_others(tmp_path: Path) -> None:
    profiles = made(tmp_path, _NVJET, "", "", 1.3)
    reply = join(members(with_a_block_for_each_tile(profiles, 1300, 1.3, n_more=1)), RanksParams())
    (one,) = reply.blamed
    assert (one.name, one.cause) == ("rank 5", "some_kernels")


def test_how_many_times_as_much_input_and_whether_that_is_why() -> None:
    assert larger_by("[[4, 8], [8, 8]]", ["[[2, 8], [8, 8]]", "[[4, 8], [8, 8]]", "[[2, 8], [8, 8]]"]) == (
        2.0,
        "[[2, 8], [8, 8]]",
    )
    assert larger_by("grid [8, 1, 1] block [1, 1, 1]", ["grid [4, 1, 1] block [1, 1, 1]"])[0] == 1.0
    assert larger_by("", []) == (1.0, "")
    assert explains(1.5, 1.5)
    assert not explains(1.01, 1.5)
    assert not explains(1.5, 1.0)
    assert may_be_larger("nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NTT", "grid [132, 1, 1] block [384, 1, 1]")
    assert not may_be_larger(_FLASH, _USUAL)
    assert not may_be_larger("sgemm_128x64_nn", "")
