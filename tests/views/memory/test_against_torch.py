"""A model with a known memory pattern: exactly the bytes that torch reports and that the tensors have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.formats import reader
from tb_plugin.views.memory import VIEW
from tb_plugin.views.memory.allocations import allocations
from tb_plugin.views.memory.allocations_result import AllocationsParams
from tb_plugin.views.memory.result import MemoryCount, MemoryParams

if TYPE_CHECKING:
    from pathlib import Path

torch = pytest.importorskip("torch", reason="torch records the profile")

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("default")]

FLOAT, N = 4, 256


def test_a_known_pattern_has_exactly_its_bytes(tmp_path: Path) -> None:
    """Before the recording: a. In it: b and kept stay, c and d go."""
    side = FLOAT * N * N
    a = torch.ones(N, N)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profiler:
        b = torch.zeros(N, N)
        c = torch.mm(b, b)
        d = torch.empty(3, N, N)
        del c
        del d
        kept = torch.add(b, b)
    path = tmp_path / "profile.json"
    profiler.export_chrome_trace(str(path))
    result = VIEW.main.answer(reader.read(path), MemoryParams())
    del a, b, kept

    assert [(device.id, device.title) for device in result.devices] == [("cpu", "CPU")]
    by_name = {row.name: row for row in result.groups}
    assert {name: row.allocated_bytes for name, row in by_name.items() if row.allocations} == {
        "aten::zeros": side,
        "aten::mm": side,
        "aten::empty": 3 * side,
        "aten::add": side,
    }
    assert result.held.known == MemoryCount(count=3, bytes=5 * side)
    # torch counts from the process's first profile: what earlier tests recorded and still hold is the rest.
    assert result.held.rest_bytes is not None
    assert result.held.allocated_bytes == 5 * side + result.held.rest_bytes
    assert result.releases == MemoryCount(count=2, bytes=4 * side)
    assert result.never_released == MemoryCount(count=2, bytes=2 * side)
    trace = reader.read(path)
    blocks = allocations(trace, AllocationsParams(alive=True)).rows
    assert sorted(block.bytes // side for block in blocks) == [1, 1, 3]
    kept_blocks = allocations(trace, AllocationsParams(only="held"))
    assert kept_blocks.matching == result.never_released


def test_operators_allocate_what_key_averages_says(tmp_path: Path) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 8))
    optimizer = torch.optim.Adam(model.parameters())
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profiler:
        for _ in range(2):
            model(torch.randn(16, 64)).square().mean().backward()
            optimizer.step()
            optimizer.zero_grad()
    path = tmp_path / "profile.json"
    profiler.export_chrome_trace(str(path))
    result = VIEW.main.answer(reader.read(path), MemoryParams())

    expected = {row.key: row.self_cpu_memory_usage for row in profiler.key_averages() if row.self_cpu_memory_usage}
    found: dict[str, int] = {}
    for row in result.groups:
        if row.name is not None:
            key = row.via or row.name
            found[key] = found.get(key, 0) + row.increase_bytes
    # torch counts an operator's releases beside it as "[memory]"; and it has no line for what adds up to nothing.
    expected.pop("[memory]", None)
    assert {key: n for key, n in found.items() if n} == expected
    assert result.allocations.bytes - result.releases.bytes == sum(row.increase_bytes for row in result.groups)
