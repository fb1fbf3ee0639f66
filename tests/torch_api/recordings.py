"""Real profiles of small programs: the live profiler, and the two files that our trace handler made of it."""

from __future__ import annotations

import threading
import time
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

from tb_plugin import tensorboard_trace_handler

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Recording(NamedTuple):
    """`torch` is the live `torch.profiler.profile`; the paths hold the same profile."""

    torch: Any
    json: Path
    stored: Path


ALL = {"record_shapes": True, "with_stack": True, "profile_memory": True, "with_flops": True}


def record(
    folder: Path,
    make_step: Callable[[], Callable[[], None]],
    config: dict[str, Any],
    *,
    use_python_export: bool = False,
    **options: Any,
) -> Recording:
    """One warm-up and two recorded steps."""
    import torch
    from torch._C._profiler import _ExperimentalConfig

    handler = tensorboard_trace_handler(folder, "w", use_gzip=False, use_python_export=use_python_export)
    step = make_step()
    plan = torch.profiler.schedule(wait=0, warmup=1, active=2, repeat=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's own, about accelerators that this machine does not have
        with torch.profiler.profile(
            activities=[torch.profiler.ProfilerActivity.CPU],
            schedule=plan,
            on_trace_ready=handler,
            experimental_config=_ExperimentalConfig(**config),
            **options,
        ) as profiler:
            for _ in range(3):
                step()
                profiler.step()
    assert handler.flush(timeout=240)
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()
    return Recording(profiler, next(folder.glob("*.json")), next(folder.glob("*.pb")))


def cnn() -> Callable[[], None]:
    import torch

    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3, padding=1, stride=2),
        torch.nn.BatchNorm2d(8),
        torch.nn.ReLU(),
        torch.nn.Conv2d(8, 8, 3, groups=2),
        torch.nn.Conv2d(8, 4, 3, padding="same", bias=False),
        torch.nn.Flatten(),
        torch.nn.LazyLinear(4),
    )
    data = torch.utils.data.TensorDataset(torch.randn(12, 3, 12, 12), torch.randint(0, 4, (12,)))
    batches = iter(torch.utils.data.DataLoader(data, batch_size=4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    model(torch.randn(1, 3, 12, 12))

    def step() -> None:
        images, labels = next(batches)
        with torch.profiler.record_function("my forward"):
            loss = torch.nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def transformer() -> Callable[[], None]:
    import torch

    model = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 1)
    optimizer = torch.optim.AdamW(model.parameters())

    def step() -> None:
        model(torch.randn(2, 5, 16)).square().mean().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()

    return step


def script() -> Callable[[], None]:
    import torch

    class Inner(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.linear = torch.nn.Linear(8, 8)

        def forward(self, x: Any) -> Any:
            return torch.relu(self.linear(x)) + 1

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = torch.jit.trace(torch.nn.Sequential(Inner(), Inner()), torch.randn(2, 8))

    def step() -> None:
        model(torch.randn(2, 8)).sum().backward()

    return step


def double_backward() -> Callable[[], None]:
    import torch

    weight, x = torch.randn(8, 8, requires_grad=True), torch.randn(4, 8, requires_grad=True)

    def step() -> None:
        (gradient,) = torch.autograd.grad((x @ weight).tanh().sum(), x, create_graph=True)
        gradient.square().sum().backward()

    return step


def fork() -> Callable[[], None]:
    import torch

    def forked(x: torch.Tensor) -> torch.Tensor:
        future = torch.jit.fork(torch.sin, x)
        return torch.jit.wait(future) + 1

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        forked = torch.jit.trace(forked, torch.ones(3))

    def step() -> None:
        forked(torch.ones(3))
        # Its answer is there before its range ends: a range that ends after the profiler makes torch write over freed memory.
        time.sleep(0.1)

    return step


def threads() -> Callable[[], None]:
    import torch

    weight = torch.randn(8, 8, requires_grad=True)

    def work() -> None:
        for _ in range(3):
            (weight @ weight).relu().sum().backward()

    def step() -> None:
        both = [threading.Thread(target=work) for _ in range(2)]
        for thread in both:
            thread.start()
        work()
        for thread in both:
            thread.join()

    return step


def left_open() -> Callable[[], None]:
    """Ranges that nobody ends, one in the other."""
    import torch
    from torch.profiler import record_function

    kept: list[Any] = []

    def step() -> None:
        with record_function("closed"):
            for name in ("left open", "left open in it"):
                kept.append(record_function(name))
                kept[-1].__enter__()
                torch.ones(4, 4).add(1)
        torch.ones(4, 4).mul(2)

    return step


def gloo() -> Callable[[], None]:
    """A collective: its range starts and ends on threads of its own."""
    import torch

    torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)

    def step() -> None:
        torch.distributed.all_reduce(torch.ones(64))
        torch.distributed.barrier()

    return step


def ranges() -> Callable[[], None]:
    """A range that another thread ends, one that is never ended, ranges that overlap in part, and one name inside itself."""
    import torch
    from torch.profiler import record_function

    kept: list[Any] = []

    def step() -> None:
        elsewhere = record_function("ends elsewhere")
        elsewhere.__enter__()
        torch.ones(4, 4).mm(torch.ones(4, 4))
        thread = threading.Thread(target=elsewhere.__exit__, args=(None, None, None))
        thread.start()
        thread.join()
        with record_function("closed"):
            left_open = record_function("left open")
            left_open.__enter__()
            kept.append(left_open)
            torch.ones(4, 4).add(1).mul(2)
        first, second = record_function("first"), record_function("second")
        first.__enter__()
        second.__enter__()
        torch.ones(8).sum()
        first.__exit__(None, None, None)
        torch.ones(8).sum()
        second.__exit__(None, None, None)
        with record_function("same"), record_function("same"), record_function("same"):
            torch.ones(2).sum()

    return step
