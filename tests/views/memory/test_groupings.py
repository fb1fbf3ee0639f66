"""Modules, call sites and stacks of allocations in a recording of torch, against a walk up its tree."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, get_args

import pytest

from tb_plugin import tensorboard_trace_handler
from tb_plugin.formats import reader
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.memory.categories import CATEGORIES, memory_categories
from tb_plugin.trace.modules.call_sites import call_sites, is_user_frame
from tb_plugin.trace.modules.paths import module_paths
from tb_plugin.views.memory import VIEW, groupings
from tb_plugin.views.memory.allocations import allocations
from tb_plugin.views.memory.allocations_result import AllocationsParams
from tb_plugin.views.memory.result import GroupBy, MemoryParams
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace

torch = pytest.importorskip("torch", reason="torch records the profile")

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    model = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 8))
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True, with_stack=True
    ) as profiler:
        for _ in range(2):
            model(torch.randn(16, 64)).square().mean().backward()
    path = tmp_path_factory.mktemp("trained") / "profile.json"
    profiler.export_chrome_trace(str(path))
    return reader.read(path)


def _frames(trace: Trace, row: int) -> tuple[str, ...]:
    found = []
    while (row := int(trace.events.parent[row])) >= 0:
        if trace.events.kind[row] == Kind.PYTHON:
            found.append(trace.text(int(trace.events.name_id[row])))
    return tuple(found)


def _allocated(trace: Trace) -> list[tuple[int, int]]:
    """(row, bytes) of each allocation."""
    pairs = zip(trace.memory.row.tolist(), trace.memory.bytes.tolist(), strict=True)
    return [(row, n_bytes) for row, n_bytes in pairs if n_bytes > 0]


def test_stacks_are_the_frames_above_each_allocation(trained: Trace) -> None:
    expected: Counter[tuple[str, ...]] = Counter()
    for row, n_bytes in _allocated(trained):
        expected[_frames(trained, row)] += n_bytes
    groups = VIEW.main.answer(trained, MemoryParams(group_by="stack")).groups
    assert {tuple(group.frames): group.allocated_bytes for group in groups if group.allocations} == dict(expected)
    assert len(expected) > 3
    assert all(group.name == group.frames[0] for group in groups if group.frames)


@pytest.mark.parametrize("by", ["module", "call_site"])
def test_groups_are_those_of_the_events_own_rows(trained: Trace, by: GroupBy) -> None:
    found = module_paths(trained) if by == "module" else call_sites(trained)
    expected: Counter[str | None] = Counter()
    for row, n_bytes in _allocated(trained):
        place = int(found.of_row[row])
        expected[found.texts[place] if place >= 0 else None] += n_bytes
    result = VIEW.main.answer(trained, MemoryParams(group_by=by))
    assert {group.name: group.allocated_bytes for group in result.groups if group.allocations} == dict(expected)
    assert any(name is not None for name in expected)
    rows = allocations(trained, AllocationsParams()).rows
    listed: Counter[str | None] = Counter()
    for block in rows:
        listed[getattr(block, by)] += block.bytes
    assert listed == expected


def test_a_call_site_is_in_the_users_own_code(trained: Trace) -> None:
    names = [group.name for group in VIEW.main.answer(trained, MemoryParams(group_by="call_site")).groups]
    assert all(is_user_frame(name) for name in names if name is not None)
    assert any("test_groupings.py" in name for name in names if name is not None)


def test_every_grouping_adds_up_to_the_same(trained: Trace) -> None:
    results = [VIEW.main.answer(trained, MemoryParams(group_by=by)) for by in get_args(GroupBy)]
    missing = {each.id for each in results[0].groupings if each.missing is not None}
    assert missing == {"category"}  # torch's own file has no tensors
    sums = set()
    for groups in (result.groups for result in results):
        alive, released = sum(g.alive_bytes or 0 for g in groups), sum(g.released_bytes for g in groups)
        sums.add((alive, released, sum(g.allocations for g in groups)))
    held = results[0].held.known
    assert held is not None
    assert sums == {(held.bytes, results[0].releases.bytes, results[0].allocations.count)}


def test_categories_are_those_of_the_profile(tmp_path: Path) -> None:
    model = torch.nn.Linear(64, 32)
    optimizer = torch.optim.Adam(model.parameters())
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU],
        profile_memory=True,
        with_stack=True,
        record_shapes=True,
    ) as profiler:
        model(torch.randn(16, 64)).square().mean().backward()
        optimizer.step()
    handler = tensorboard_trace_handler(str(tmp_path))
    handler(profiler)
    assert handler.flush(timeout=240)
    (path,) = tmp_path.glob("*.pb")
    trace = reader.read(path)
    titles = [CATEGORIES[place].title for place in memory_categories(trace).of_memory.tolist()]
    expected: Counter[str] = Counter()
    for title, n_bytes in zip(titles, trace.memory.bytes.tolist(), strict=True):
        expected[title] += max(n_bytes, 0)
    groups = VIEW.main.answer(trace, MemoryParams(group_by="category")).groups
    assert {group.name: group.allocated_bytes for group in groups} == dict(expected)
    assert expected["Optimizer state"] >= 2 * 4 * (64 * 32 + 32)  # exp_avg and exp_avg_sq
    listed: Counter[str | None] = Counter()
    for block in allocations(trace, AllocationsParams()).rows:
        listed[block.category] += block.bytes
    assert {title: listed[title] for title in expected} == dict(expected)


def test_what_was_not_recorded_says_how_to_record_it() -> None:
    trace = trace_from_text("thread 1 | aten::mm 0-10")
    missing = {name: each.lacks(trace) for name, each in groupings.GROUPINGS.items()}
    assert missing.pop("operator") is None
    assert all("with_stack=True" in (why or "") for why in missing.values())
