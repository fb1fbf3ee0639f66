"""What is allocated after each event of a device; above all where torch's own totals mean something else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.formats import reader
from tb_plugin.trace.memory.series import all_series
from tests.views.memory.drawing import CPU, Change, Operator, trace_of

if TYPE_CHECKING:
    from pathlib import Path


def _allocated(*rows: tuple[int, int, int, int]) -> tuple[list[int], bool]:
    """(allocated after each event, whether there is a reserve) of CPU events (bytes, address, allocated, reserved)."""
    changes = [Change(10 + i, size, at, (total, reserve), CPU) for i, (size, at, total, reserve) in enumerate(rows)]
    (series,) = all_series(trace_of([Operator("aten::mm", 0, 100)], changes))
    return series.allocated.tolist(), series.reserved is not None


def test_shared_memory_of_loader_workers_adds_to_the_total_and_empties_nothing() -> None:
    rows = [(512, 1, 512, 0), (4096, 2, 0, 4096), (100, 3, 612, 0), (-4096, 2, 0, 0), (-512, 1, 100, 0)]
    assert _allocated(*rows) == ([512, 4608, 4708, 612, 100], False)


def test_shared_memory_comes_first() -> None:
    assert _allocated((4096, 2, 0, 4096), (100, 3, 1100, 0)) == ([5096, 5196], False)


def test_shared_memory_from_before_the_recording_goes() -> None:
    rows = [(512, 1, 512, 0), (64, 9, 0, 64), (-4096, 2, 0, 0), (-64, 9, 0, 0), (-512, 1, 0, 0)]
    assert _allocated(*rows) == ([512 + 4096, 512 + 4096 + 64, 576, 512, 0], False)


def test_shared_memory_from_before_the_recording_is_not_that_of_the_recording() -> None:
    rows = [(4096, 1, 0, 4096), (-4096, 2, 0, 0), (512, 3, 512, 0)]
    assert _allocated(*rows) == ([8192, 4096, 4608], False)


def test_a_total_that_really_goes_to_nothing_does() -> None:
    rows = [(64, 9, 0, 64), (512, 1, 512, 0), (-512, 1, 0, 0), (-64, 9, 0, 0)]
    assert _allocated(*rows) == ([64, 576, 64, 0], False)


@pytest.mark.torch
def test_batches_of_workers_do_not_empty_the_curve(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    data = torch.utils.data.TensorDataset(torch.rand(16, 256))
    kept = []
    with torch.profiler.profile(profile_memory=True) as prof:
        for (batch,) in torch.utils.data.DataLoader(data, batch_size=4, num_workers=1):
            kept.append(batch.clone())
    prof.export_chrome_trace(str(tmp_path / "w.pt.trace.json"))
    trace = reader.read(tmp_path / "w.pt.trace.json")
    (series,) = all_series(trace)
    assert (np.asarray(trace.memory.total_reserved) > 0).any(), "torch wrote no shared memory: the test tests nothing"
    clones = np.flatnonzero(series.bytes == 4 * 256 * 4)
    assert (series.allocated[clones[-1] :] >= len(kept) * 4 * 256 * 4).all()
