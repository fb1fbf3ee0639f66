"""More programs to record, for the event tree: worker processes, compiled code, ranks, threads that hang on each other."""

from __future__ import annotations

import os
import threading
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def cnn_with_workers() -> Callable[[], None]:
    import torch

    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.Flatten(), torch.nn.Linear(144, 5))
    data = torch.utils.data.TensorDataset(torch.randn(8, 3, 8, 8), torch.randint(0, 5, (8,)))
    loader = torch.utils.data.DataLoader(data, batch_size=2, num_workers=2)
    batches = iter(loader)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    def step() -> None:
        images, labels = next(batches)
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()

    return step


def odd_names() -> Callable[[], None]:
    """Names that the stock writer harms, which our handler mends."""
    import torch

    def plus_größer(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    def step() -> None:
        for name in ('say "hi"', "kernel", "C:\\tmp", "two\nlines", "épÖch", '{"a":1}'):
            with torch.profiler.record_function(name):
                plus_größer(torch.ones(3))

    return step


def compiled() -> Callable[[], None]:
    import torch

    def program(x: Any) -> Any:
        return (x + 1).relu().sum(-1)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fast = torch.compile(program)
        fast(torch.ones(3, 8))

    def step() -> None:
        fast(torch.ones(3, 8))

    return step


def backward_elsewhere() -> Callable[[], None]:
    """A graph of this thread, whose backward runs in another one while a range of this one is open."""
    import torch

    def step() -> None:
        with torch.profiler.record_function("around"):
            weight = torch.randn(3, 3, requires_grad=True)
            loss = (weight @ weight).sum()
            thread = threading.Thread(target=loss.backward)
            thread.start()
            thread.join()
        torch.ones(2).add(1)

    return step


def identities() -> Callable[[], None]:
    """Addresses that are used again, storages that change under a tensor, views, lists, tensors of other layouts and types."""
    import torch

    weight = torch.randn(4, 4, requires_grad=True)

    def step() -> None:
        for _ in range(3):
            torch.randn(256).add_(1)  # freed at once: the next one gets the same address
        grown = torch.zeros(2)
        grown.resize_(5000).add_(1)
        grown.set_(torch.ones(7)).mul_(2)
        halves = torch.randn(6, 4).chunk(2)
        torch.cat([halves[1], halves[0].t().contiguous().t()]).half().to(torch.float64).sum()
        torch._foreach_add([torch.ones(2), torch.ones(3)], 1.5)
        torch.eye(3).to_sparse().coalesce()
        torch.ones(2, dtype=torch.complex64).mul_(1 + 2j)
        torch.full((2,), -0.1).clamp(min=-float("inf"))
        (weight @ torch.randn(4, 2)).relu().sum().backward()
        weight.grad = None

    return step


def ddp() -> Callable[[], None]:
    import torch

    _join_group()
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Linear(8, 2)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step() -> None:
        optimizer.zero_grad()
        model(torch.randn(4, 8)).square().mean().backward()
        optimizer.step()
        torch.distributed.all_gather([torch.zeros(2), torch.zeros(2)], torch.ones(2))
        torch.distributed.barrier()

    return step


def fsdp() -> Callable[[], None]:
    import torch
    from torch.distributed.fsdp import fully_shard

    _join_group()
    mesh = torch.distributed.init_device_mesh("cpu", (2,))
    model = torch.nn.Linear(8, 8, bias=False)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, foreach=False)

    def step() -> None:
        optimizer.zero_grad()
        model(torch.randn(4, 8)).square().mean().backward()
        optimizer.step()

    return step


_groups = iter(range(100))


def _join_group() -> None:
    import torch

    rank, folder = int(os.environ["RANK"]), os.environ["GROUP_FOLDER"]
    store = torch.distributed.FileStore(f"{folder}/group{next(_groups)}", 2)
    torch.distributed.init_process_group("gloo", store=store, rank=rank, world_size=2)


def compare_ranks(folder: Path) -> dict[str, Any]:
    """Run by each rank's own process: records both programs and compares; gives numbers of nodes and of tensors."""
    import tb_plugin
    from tests.torch_api import recordings
    from tests.torch_api.tree import same_tree

    found: dict[str, Any] = {}
    for program in (ddp, fsdp):
        target = folder / f"{program.__name__}{os.environ['RANK']}"
        target.mkdir()
        recording = recordings.record(target, program, {}, **recordings.ALL)
        stored, stock = tb_plugin.load(recording.stored).tree(), tb_plugin.load(recording.json).tree()
        n_nodes = same_tree.assert_same_shape(stored, recording.torch)
        assert same_tree.assert_same_shape(stock, recording.torch) == n_nodes
        found[program.__name__] = {"nodes": n_nodes, **same_tree.assert_same_fields(stored, recording.torch)}
        same_tree.assert_same_fields_without_ids(stock, recording.torch)
    return found
