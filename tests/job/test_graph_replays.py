"""Jobs whose steps are replays of CUDA graphs: all kernels of a step have one launch, and their order is the device's."""

from __future__ import annotations

import gzip
import json
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tb_plugin.formats.reader import read
from tb_plugin.trace.rank.order import CHUNK, COLLECTIVE, order_of
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.graph_files import replayed
from tests.job.recorded import member, recorded
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


def test_where_ranks_are_in_several_groups_the_ends_tell_which_one_a_replay_is_of(tmp_path: Path) -> None:
    paths = replayed(tmp_path, n_ranks=N, ranks_per_node=N, tensor=N)
    for path in paths:
        trace = json.loads(gzip.decompress(path.read_bytes()))
        groups = [("0", [*range(N)]), ("1", [0, 1] if trace["distributedInfo"]["rank"] < 2 else [2, 3])]
        trace["distributedInfo"]["pg_config"] = [
            {"pg_name": name, "pg_desc": "undefined", "backend_config": "cuda:nccl", "pg_size": len(ranks), "ranks": ranks}
            for name, ranks in groups
        ]
        path.write_bytes(gzip.compress(json.dumps(trace).encode(), 1))
    table = join([member(path) for path in paths], RanksParams())
    assert table.n_matched == table.n_complete > 0
    assert not any(said.startswith("Wait: not recorded") for said in table.notes)
