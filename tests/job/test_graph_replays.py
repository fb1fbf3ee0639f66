"""Jobs whose steps are replays of CUDA graphs: all kernels of a step have one launch, and their order is the device's."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tb_plugin.formats.reader import read
from tb_plugin.trace.rank.order import CHUNK, COLLECTIVE, order_of
from tb_plugin.views.ranks.analysed import analysed
from tests.graph_files import replayed
from tests.job.recorded import recorded
from tests.job_files import GEMM_NS, Job

if TYPE_CHECKING:
    from pathlib import Path

N = 4
FORMS = pytest.mark.parametrize(("waits", "one_stream"), [(True, False), (True, True), (False, False), (False, True)], ids=str)


@FORMS
def test_what_one_launch_starts_is_in_the_order_of_the_device(tmp_path: Path, waits: bool, one_stream: bool) -> None:
    (path, *_) = replayed(tmp_path, n_ranks=N, ranks_per_node=N, tensor=N, waits=waits, one_stream=one_stream)
    trace = read(path)
    rows = order_of(trace).rows
    on_device = [at for at, kind in enumerate(rows["kind"].tolist()) if kind in (CHUNK, COLLECTIVE)]
    starts = rows["start"][on_device].tolist()
    assert starts == sorted(starts)
    kinds = rows["kind"][on_device].tolist()
    a_step = [CHUNK, COLLECTIVE] * Job().n_layers + [COLLECTIVE]
    assert kinds == a_step * Job().n_steps
    before = dict(pairwise(reversed(on_device)))
    follow = [at for at in on_device if rows["kind"][at] == COLLECTIVE and rows["kind"][before[at]] == CHUNK]
    assert [rows["after"][at] for at in follow] == [before[at] for at in follow]


@FORMS
def test_the_step_without_a_slow_rank_is_that_of_the_job_without_it(tmp_path: Path, waits: bool, one_stream: bool) -> None:
    """Against the simulated job without the fault; the path is what makes the step, to the ns."""
    without = Job(form="2023", n_ranks=N, ranks_per_node=N, tensor=N)
    (tmp_path / "without").mkdir()
    without.write(tmp_path / "without")
    last = [met.end for met in without.met if met.step == 11][-1] - [met.end for met in without.met if met.step == 10][-1]
    of = analysed(
        recorded(replayed(tmp_path, n_ranks=N, ranks_per_node=N, tensor=N, waits=waits, one_stream=one_stream, slow={1: 1.3}))
    )
    assert of.not_replayed is None
    ((late, cause, told),) = of.stragglers
    assert (late.members, cause.id) == ((1,), "slow_kernels")
    assert told is not None
    assert told.would_be[11] == pytest.approx(last, rel=0.02)
    assert 0.95 * last < told.least[11] <= told.would_be[11]
    (path,) = [path for path in of.paths if path.step == 11]
    assert sum(piece.end - piece.start for piece in path.pieces) == pytest.approx(path.length, abs=1)
    computing = sum(piece.end - piece.start for piece in path.pieces if piece.what == "compute" and piece.rank == 1)
    assert computing == pytest.approx(1.3 * GEMM_NS * Job().n_layers, rel=0.02)
