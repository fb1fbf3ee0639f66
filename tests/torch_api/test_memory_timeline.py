"""The memory timeline of a stored profile is torch's own, line by line."""

from __future__ import annotations

import gzip
import json
import warnings
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import tb_plugin
from tb_plugin import tensorboard_trace_handler
from tb_plugin.base.errors import UsageError
from tb_plugin.torch_api.memory_timeline import Action

if TYPE_CHECKING:
    from pathlib import Path

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, tb_plugin.Profile]:
    """(the live profiler, its stored profile)."""
    folder = tmp_path_factory.mktemp("logs")
    layers = (torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(inplace=True), torch.nn.Flatten(), torch.nn.Linear(144, 4))
    model = torch.nn.Sequential(*layers)
    optimizer = torch.optim.Adam(model.parameters())

    def step() -> None:
        optimizer.zero_grad()
        model(torch.rand(2, 3, 8, 8)).sum().backward()
        optimizer.step()

    with torch.profiler.profile(record_shapes=True, profile_memory=True, with_stack=True) as prof:
        step()
        step()
    handler = tensorboard_trace_handler(str(folder))
    handler(prof)
    handler.flush()
    (path,) = folder.glob("*.profile.pb")
    return prof, tb_plugin.load(path)


def test_every_line_is_torchs(recorded: tuple[Any, tb_plugin.Profile]) -> None:
    live, stored = recorded
    memory = live._memory_profile()
    wanted = Counter(
        (time, action.value, str(key.device), getattr(key, "id", None), v, size, _name(memory._categories.get(key, v)))
        for time, action, (key, v), size in memory.timeline
    )
    got = Counter(
        (e.time_ns, int(e.action), e.device, e.tensor_id, e.version, e.bytes, e.category.name) for e in stored.memory_timeline()
    )
    assert got == wanted


def _name(category: Any) -> str:
    return "UNKNOWN" if category is None else str(category.name)


def test_the_exported_files_are_torchs(recorded: tuple[Any, tb_plugin.Profile], tmp_path: Path) -> None:
    live, stored = recorded
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        live.export_memory_timeline(str(tmp_path / "torch.json"), "cpu")
        live.export_memory_timeline(str(tmp_path / "torch.raw.json.gz"), "cpu")
    stored.export_memory_timeline(tmp_path / "ours.json", "cpu")
    stored.export_memory_timeline(tmp_path / "ours.json.gz")
    stored.export_memory_timeline(tmp_path / "ours.raw.json.gz")
    assert _plain(tmp_path / "ours.json") == _plain(tmp_path / "torch.json")
    assert _packed(tmp_path / "ours.json.gz") == _plain(tmp_path / "ours.json")
    ours, torchs = (Counter(map(tuple, _packed(tmp_path / f"{who}.raw.json.gz"))) for who in ("ours", "torch"))
    assert ours == torchs


def _plain(path: Path) -> Any:
    return json.loads(path.read_text())


def _packed(path: Path) -> Any:
    return json.loads(gzip.decompress(path.read_bytes()))


def test_memory_is_there_before_it_goes(recorded: tuple[Any, tb_plugin.Profile]) -> None:
    alive: Counter[tuple[str, int]] = Counter()
    for event in recorded[1].memory_timeline():
        if event.tensor_id is None:
            continue
        key = (event.device, event.tensor_id)
        if event.action in (Action.PREEXISTING, Action.CREATE):
            alive[key] += 1
        elif event.action is Action.DESTROY:
            assert alive[key] > 0
            alive[key] -= 1


def test_a_profile_without_tensor_ids_says_what_it_needs(tmp_path: Path) -> None:
    with torch.profiler.profile() as prof:
        torch.ones(2) + 1
    prof.export_chrome_trace(str(tmp_path / "stock.pt.trace.json"))
    with pytest.raises(UsageError, match="profile_memory"):
        tb_plugin.load(tmp_path / "stock.pt.trace.json").memory_timeline()


def test_another_ending_is_an_error(recorded: tuple[Any, tb_plugin.Profile], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.json"):
        recorded[1].export_memory_timeline(tmp_path / "x.html")
