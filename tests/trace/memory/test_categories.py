"""Categories of allocations are those of torch's own memory profiler, told from the stored profile alone."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin import tensorboard_trace_handler
from tb_plugin.base.units import NONE
from tb_plugin.formats import reader
from tb_plugin.trace.memory.categories import CATEGORIES, MemoryCategory, memory_categories
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.trace.model import Trace

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


def _train_sgd() -> Callable[[], None]:
    model = torch.nn.Sequential(torch.nn.Linear(12, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    return _step(model, optimizer, lambda: torch.rand(8, 12))


def _train_adam_cnn() -> Callable[[], None]:
    convolution = (torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.ReLU(inplace=True))
    model = torch.nn.Sequential(*convolution, torch.nn.Flatten(), torch.nn.Linear(288, 4))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    return _step(model, optimizer, lambda: torch.rand(4, 3, 8, 8))


def _train_attention() -> Callable[[], None]:
    model = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, foreach=True)
    return _step(model, optimizer, lambda: torch.rand(2, 6, 16))


def _without_modules() -> Callable[[], None]:
    weight = torch.rand(6, 6, requires_grad=True)

    def step() -> None:
        loss = (torch.rand(4, 6) @ weight).relu_().sum()
        loss.backward()
        with torch.no_grad():
            weight.sub_(weight.grad, alpha=0.1)
        weight.grad = None

    return step


def _step(model: Any, optimizer: Any, batch: Callable[[], Any]) -> Callable[[], None]:
    def step() -> None:
        optimizer.zero_grad()
        model(batch()).sum().backward()
        optimizer.step()

    return step


JOBS = {"sgd": _train_sgd, "cnn": _train_adam_cnn, "attention": _train_attention, "bare": _without_modules}


@pytest.fixture(scope="module", params=JOBS)
def recorded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Trace]:
    """(torch's memory profile of the live profiler, the stored profile read again)."""
    folder = tmp_path_factory.mktemp("logs")
    step = JOBS[request.param]()
    step()
    with torch.profiler.profile(record_shapes=True, profile_memory=True, with_stack=True) as prof:
        step()
        step()
    live = prof._memory_profile()
    handler = tensorboard_trace_handler(str(folder))
    handler(prof)
    handler.flush()
    (path,) = folder.glob("*.profile.pb")
    return live, reader.read(path)


def test_every_version_of_every_tensor_has_torchs_category(recorded: tuple[Any, Trace]) -> None:
    live, trace = recorded
    found = memory_categories(trace)
    assert found.is_recorded
    flow = found.flow
    assert flow is not None
    wanted = Counter(
        (key.id, key.storage.allocation_id, version, "UNKNOWN" if category is None else category.name)
        for (key, version), category in live._category_snapshot().items()
    )
    allocation: dict[int, int] = {}
    for ids, tensor in ((trace.memory.allocation_id, flow.of_memory), (trace.tensors.allocation_id, flow.of_tensors)):
        known = tensor != NONE
        allocation |= dict(zip(tensor[known].tolist(), ids[known].tolist(), strict=True))
    used = _versions_in_the_flow(found)
    got = Counter(
        (int(flow.tensor_id[t]), allocation[t], version - first, MemoryCategory(int(found.of_version[version])).name)
        for t, (first, end) in enumerate(zip(flow.first_version[:-1].tolist(), flow.first_version[1:].tolist(), strict=True))
        for version in range(first, end)
        if version in used
    )
    by_id = Counter({each: n for each, n in wanted.items() if each not in got and each[2] == 0})
    assert got == wanted - by_id
    assert all(each[3] in {"PARAMETER", "GRADIENT", "OPTIMIZER_STATE"} for each in by_id)


def _versions_in_the_flow(found: Any) -> set[int]:
    flow = found.flow
    before = flow.first_version[flow.edge_tensor] + flow.edge_version
    after = before + (flow.edge_writes & ~flow.edge_makes)
    return {*before.tolist(), *after[flow.edge_writes | (flow.edge_makes & ~flow.edge_frees)].tolist()}


def test_a_profile_without_tensor_ids_has_no_categories() -> None:
    found = memory_categories(trace_from_text("thread 1 | aten::mm 0-10"))
    assert not found.is_recorded
    assert len(found.of_memory) == 0


def test_allocations_of_a_training_step_are_told_apart(recorded: tuple[Any, Trace]) -> None:
    _, trace = recorded
    found = memory_categories(trace)
    made = np.flatnonzero(trace.memory.bytes > 0)
    names = {CATEGORIES[c].id for c in np.unique(found.of_memory[made]).tolist()}
    assert {"activation", "gradient"} <= names
