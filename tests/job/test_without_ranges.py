"""Files that hold launches and kernels, and nothing of what the host was in (`activities=[CUDA]`)."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.formats.reader import read
from tb_plugin.trace.rank.summarise import summarise
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.map.measures import measured
from tb_plugin.views.ranks.one_rank.one_rank import OneRankParams, one_rank
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member, recorded
from tests.job_files import Job
from tests.profiles import TRACES

if TYPE_CHECKING:
    from pathlib import Path

_NOTE = "Operators, and annotations but steps: not recorded of rank"


def without_ranges(path: Path, *, with_steps: bool) -> None:
    trace = json.loads(gzip.decompress(path.read_bytes()))
    kept = [
        event
        for event in trace["traceEvents"]
        if event["cat"] not in ("cpu_op", "user_annotation") or (with_steps and event["name"].startswith("ProfilerStep"))
    ]
    path.write_bytes(gzip.compress(json.dumps({**trace, "traceEvents": kept}).encode(), 1))


@pytest.mark.parametrize("with_steps", [True, False])
def test_time_in_the_loader_is_not_recorded_of_them(tmp_path: Path, with_steps: bool) -> None:
    paths = Job().write(tmp_path)
    for path in paths:
        without_ranges(path, with_steps=with_steps)
    members = [member(path) for path in paths]
    table, of = join(members, RanksParams()), analysed(recorded(paths))
    assert [row.loader_ns for row in table.ranks] == [None] * 4
    assert measured(of, "loader") == "not recorded: no operators or annotations of the host"
    assert not any("loader" in row.part for row in one_rank(members, OneRankParams(rank=0)).parts)
    assert f"{_NOTE}s 0-3; whether they wait for a data loader is not told." in table.notes


def test_of_one_among_others_it_is_not_recorded_of_that_alone(tmp_path: Path) -> None:
    paths = Job().write(tmp_path)
    without_ranges(paths[2], with_steps=True)
    table, of = join([member(path) for path in paths], RanksParams()), analysed(recorded(paths))
    assert [row.loader_ns is None for row in table.ranks] == [False, False, True, False]
    loader = measured(of, "loader")
    assert not isinstance(loader, str)
    assert np.isnan(loader).all(axis=1).tolist() == [False, False, True, False]
    assert any(note.startswith(f"{_NOTE} 2;") for note in table.notes)


def test_whole_files_say_nothing_of_it(tmp_path: Path) -> None:
    table = join([member(path) for path in Job().write(tmp_path)], RanksParams())
    assert all((row.loader_ns or 0) > 0 for row in table.ranks)
    assert not any(_NOTE in note for note in table.notes)


def test_a_recording_of_the_device_alone_holds_none() -> None:
    path = TRACES / "mi210_gpu_only.json.gz"
    if not path.is_file():
        pytest.skip("no mi210_gpu_only beside the checkout")
    found = summarise(read(path))
    assert (found.has_launches, found.has_ranges) == (True, False)
