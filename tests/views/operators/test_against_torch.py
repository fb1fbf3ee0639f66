"""Calls and host times equal `key_averages()` of the same live profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.formats import reader
from tb_plugin.views.operators import VIEW
from tb_plugin.views.operators.result import OperatorsParams
from tests.torch_api.recordings import cnn, transformer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

torch = pytest.importorskip("torch", reason="torch records the profile")

pytestmark = [
    pytest.mark.torch,
    # torch's own: its profiler and loader warn about accelerators that this machine does not have.
    pytest.mark.filterwarnings("default"),
]


@pytest.mark.parametrize("make_step", [cnn, transformer])
@pytest.mark.parametrize(
    "options", [{}, {"with_stack": True, "profile_memory": True, "record_shapes": True}], ids=["plain", "all"]
)
def test_calls_and_host_times_are_those_of_key_averages(
    tmp_path: Path, make_step: Callable[[], Callable[[], None]], options: dict[str, bool]
) -> None:
    step = make_step()
    schedule = torch.profiler.schedule(wait=0, warmup=1, active=2, repeat=1)
    path = tmp_path / "profile.json"
    activities = [torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=activities, schedule=schedule, **options) as profiler:
        for _ in range(3):
            step()
            profiler.step()
    profiler.export_chrome_trace(str(path))

    result = VIEW.main.answer(reader.read(path), OperatorsParams())
    assert all(row.host_self_ns is not None and row.host_self_ns >= 0 for row in result.rows)
    found = {(row.name, row.kind == "annotation"): (row.count, row.host_self_ns, row.host_total_ns) for row in result.rows}
    assert found == _of_torch(profiler)
    assert ("ProfilerStep*", True) in found


@pytest.mark.parametrize("make_step", [cnn, transformer])
def test_flops_are_those_of_key_averages(tmp_path: Path, make_step: Callable[[], Callable[[], None]]) -> None:
    step = make_step()
    path = tmp_path / "profile.json"
    activities = [torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=activities, record_shapes=True, with_flops=True) as profiler:
        step()
    profiler.export_chrome_trace(str(path))
    trace = reader.read(path)
    result = VIEW.main.answer(trace, OperatorsParams())
    wanted = {row.key: row.flops or None for row in profiler.key_averages()}
    assert {row.name: row.flops for row in result.rows} == {row.name: wanted[row.name] for row in result.rows}
    assert result.totals.flops == sum(flops for flops in wanted.values() if flops)
    for row in result.rows:
        if row.flops is not None:
            assert row.rates_over == "host"
            assert row.host_total_ns is not None
            assert row.flops_per_s == pytest.approx(row.flops / row.host_total_ns * 1e9)


def _of_torch(profiler: Any) -> dict[tuple[str, bool], tuple[int, int, int]]:
    """Rows of `key_averages()` that are operators or ranges; times in ns. Async ranges have self time 0 there too."""
    frames = {event.name for event in profiler.events() if event.is_python_function}
    return {
        (row.key, bool(row.is_user_annotation)): (
            row.count,
            round(1000 * row.self_cpu_time_total),
            round(1000 * row.cpu_time_total),
        )
        for row in profiler.key_averages()
        if row.key not in frames and row.key not in ("[memory]", "[OutOfMemory]")
    }
