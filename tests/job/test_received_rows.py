"""A rank whose experts get more tokens: the splits of all-to-alls tell what kernels of one grid do not."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import members, recorded
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.ranks.result import Blamed

_GROUPED = "void cutlass::device_kernel<GroupedGemm<c10::BFloat16, 128, 128>>"
_FLASH = "void cutlass::device_kernel<flash::FlashAttnFwdSm90<Varlen>>"
_RANK = 5


def _blamed(folder: Path, rows: int | None, name: str = _GROUPED) -> Blamed:
    """Rank 5 takes 1.5 times as long at kernels of this name; each member sends it so many rows, and 20 to others."""
    paths = Job(n_ranks=8, slow={_RANK: 1.5}).write(folder)
    for rank, path in enumerate(paths):
        data = json.loads(gzip.decompress(path.read_bytes()))
        sent, got = str([20, 20]), str([rows if rank == _RANK else 20] * 2)
        for event in data["traceEvents"]:
            args = event.get("args", {})
            if rows is not None and args.get("Process Group Description") == "TENSOR_MODEL_PARALLEL_GROUP":
                first, second = (sent, got) if args["Seq"] % 2 else (got, sent)
                splits = {"In split size": first, "Out split size": second}
                args.update({"Collective name": "all_to_allv", "Process Group Description": "EXPERT_GROUP", **splits})
        path.write_bytes(gzip.compress(json.dumps(data).encode(), 1))
    found = []
    for one in recorded(paths):
        names = [name if text == "sgemm_128x64_nn" else text for text in one.summary.names]
        found.append(replace(one, summary=msgspec.structs.replace(one.summary, inputs={}, names=names)))
    (blamed,) = join(members(found), RanksParams()).blamed
    assert blamed.ranks == [_RANK]
    return blamed


@pytest.mark.parametrize("rows", [30, 26])
def test_who_gets_more_rows_has_more_work(tmp_path: Path, rows: int) -> None:
    blamed = _blamed(tmp_path, rows)
    assert (blamed.cause, blamed.confidence, blamed.kernels) == ("more_work", "likely", [_GROUPED])
    told = re.search(r"all-to-alls bring it ([0-9,]+) rows a step against ([0-9,]+) on its peers", blamed.sentence)
    assert told is not None, blamed.sentence
    own, theirs = (int(each.replace(",", "")) for each in told.groups())
    assert own / theirs == pytest.approx(rows / 20)


@pytest.mark.parametrize(("rows", "name"), [(20, _GROUPED), (22, _GROUPED), (None, _GROUPED), (30, _FLASH)])
def test_who_gets_as_many_or_whose_kernels_are_of_no_expert_may_be_slow(tmp_path: Path, rows: int | None, name: str) -> None:
    blamed = _blamed(tmp_path, rows, name)
    assert (blamed.cause, blamed.confidence) == ("some_kernels", "maybe")
