"""What does recording with our handler cost a training loop? Informational; two ratios, each with its budget.

    1. How long the loop stops at the end of a cycle: ours against the bare C++ JSON export and against torch's own
       `tensorboard_trace_handler(use_gzip=True)`. Budget: 1.1x the bare export. All three export the same kind of cycle in
       turns whose order rotates; medians. All write their JSON to the same folder (ours and bare) or through torch's own
       temporary folder (stock); the destination is a temporary folder on disk.
    2. How much slower steps are while files are made behind the loop: windows of ten steps, by turns with the thread and the
       child process running and frozen, so that whatever else the machine does hits both. Budget: 5 % of the mean (pauses
       count).

What would make it lie: other load on the machine (compare the two "bare" columns of two runs); a destination in memory
for one and on a disk for the other; profiles so small that the child's start (0.2 s) is all there is, or so large that
the machine swaps; a model that leaves the
second core idle flatters the child process, one that uses both does not (`--threads 2` is the default). The longest pause
(making the list of events, 1.1 us an event) falls into one window a cycle: with few windows the mean jumps.

    python benchmarks/trace_handler.py [--cycles 5] [--active 12] [--threads 2]
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import tempfile
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch.profiler import ProfilerActivity, profile, schedule, tensorboard_trace_handler

import tb_plugin
from tb_plugin.capture import background, pace, scratch

if TYPE_CHECKING:
    from collections.abc import Iterator

WINDOW_STEPS = 10


class Training:
    """A small transformer: many small operators, so that every lock and every lost core shows."""

    def __init__(self) -> None:
        layer = torch.nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
        self.model = torch.nn.TransformerEncoder(layer, 2)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), foreach=False)

    def step(self) -> None:
        self.optimizer.zero_grad()
        self.model(torch.randn(16, 32, 64)).square().mean().backward()
        self.optimizer.step()


def record(training: Training, active: int, on_trace_ready: Any) -> None:
    options: dict[str, Any] = {"record_shapes": True, "profile_memory": True, "with_stack": True}
    plan = schedule(wait=0, warmup=1, active=active, repeat=1)
    with profile(activities=[ProfilerActivity.CPU], schedule=plan, on_trace_ready=on_trace_ready, **options) as prof:
        for _ in range(active + 1):
            training.step()
            prof.step()


def timed(handler: Any, into: list[float]) -> Any:
    def call(prof: Any) -> None:
        start = time.perf_counter()
        handler(prof)
        into.append(time.perf_counter() - start)

    return call


def stops(training: Training, cycles: int, active: int, folder: Path) -> dict[str, list[float]]:
    ours = tb_plugin.tensorboard_trace_handler(folder / "ours")
    stock = tensorboard_trace_handler(str(folder / "stock"), use_gzip=True)
    bare_path = scratch.choose_folder(None, 0) / f"tb_plugin_bare_{time.time_ns()}.json"
    handlers = {"bare": lambda prof: prof.export_chrome_trace(str(bare_path)), "ours": ours, "stock": stock}
    seconds: dict[str, list[float]] = {name: [] for name in handlers}
    names = list(handlers)
    try:
        for cycle in range(cycles + 1):
            for turn in range(len(names)):
                name = names[(cycle + turn) % len(names)]
                # The first round warms up: imports, first allocations.
                record(training, active, timed(handlers[name], seconds[name] if cycle else []))
                size = bare_path.stat().st_size if bare_path.exists() else 0
                bare_path.unlink(missing_ok=True)
                if name == "bare" and cycle == cycles:
                    print(f"one cycle: {active} steps, {size / 1e6:.1f} MB of JSON")
                ours.flush()  # what runs behind must not disturb the next one
    finally:
        bare_path.unlink(missing_ok=True)
    return seconds


class Gate:
    """Lets the work behind the loop run, or freezes it: its thread between two slices, its child process by a signal."""

    def __init__(self) -> None:
        self._open = threading.Event()
        self._open_s = 0.0
        self._since = 0.0
        self.slices_s: list[float] = []
        """What the thread worked in one go, holding the interpreter's lock."""

    def open(self) -> None:
        self._since = time.perf_counter()
        self._signal(signal.SIGCONT)
        self._open.set()

    def close(self) -> None:
        self._open.clear()
        self._signal(signal.SIGSTOP)
        self._open_s += time.perf_counter() - self._since

    def clock(self) -> float:
        return self._open_s + (time.perf_counter() - self._since if self._open.is_set() else 0.0)

    @contextmanager
    def slice(self) -> Iterator[None]:
        """As Pace.slice, but rest counts only while the gate is open."""
        self._open.wait()
        start = time.perf_counter()
        yield
        self.slices_s.append(time.perf_counter() - start)
        ends = self.clock() + self.slices_s[-1] * (1 / pace.SHARE - 1)
        while (left := ends - self.clock()) > 0:
            self._open.wait()
            time.sleep(min(left, 0.02))

    @staticmethod
    def _signal(number: int) -> None:
        for children in Path("/proc/self/task").glob("*/children"):
            for child in children.read_text().split():
                with suppress(ProcessLookupError):
                    os.kill(int(child), number)


def steps_behind(training: Training, cycles: int, active: int, folder: Path) -> dict[str, list[float]]:
    """Mean seconds a step of windows of ten steps, by turns with the work behind them frozen and running."""
    gate = Gate()
    background.Pace = lambda _hurry: gate  # type: ignore[assignment,misc]
    handler = tb_plugin.tensorboard_trace_handler(folder / "behind")
    seconds: dict[str, list[float]] = {"frozen": [], "running": []}
    for cycle in range(cycles):
        gate.open()
        record(training, active, handler)
        gate.close()
        begin = gate.clock()
        while handler._background.unfinished():
            for what in ("frozen", "running"):
                if what == "running":
                    gate.open()
                start = time.perf_counter()
                for _ in range(WINDOW_STEPS):
                    training.step()
                seconds[what].append((time.perf_counter() - start) / WINDOW_STEPS)
            gate.close()
        gate.open()
        took = gate.clock() - begin
        longest, worked = max(gate.slices_s), sum(gate.slices_s)
        gate.slices_s.clear()
        print(
            f"  cycle {cycle}: {took:.1f} s for the files; thread worked {worked / took:.1%}, longest go {longest * 1e3:.0f} ms"
        )
    return seconds


def calm(values: list[float]) -> list[float]:
    """Without windows of over 2.5 medians: other programs' doing. Our longest pause makes one window 1.7 times as long."""
    limit = 2.5 * statistics.median(values)
    return [value for value in values if value < limit]


def error_of(values: list[float]) -> float:
    """Standard error of the mean."""
    return statistics.stdev(values) / len(values) ** 0.5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--cycles", type=int, default=5)
    parser.add_argument("--active", type=int, default=12)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    training = Training()
    for _ in range(20):
        training.step()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        stopped = stops(training, options.cycles, options.active, folder)
        median = {who: statistics.median(values) for who, values in stopped.items()}
        for who, value in median.items():
            print(f"loop stopped, {who:6} {value * 1e3:8.1f} ms   {value / median['bare']:5.2f}x bare")
        fastest = min(stopped["ours"]) / min(stopped["bare"])
        print(f"-> ours / bare = {median['ours'] / median['bare']:.2f} (budget 1.10); fastest of each {fastest:.2f}")
        taken = steps_behind(training, options.cycles, options.active, folder)
        frozen, running = calm(taken["frozen"]), calm(taken["running"])
        for name, what in (("mean", statistics.mean), ("median", statistics.median)):
            ratio = what(running) / what(frozen)
            print(f"step {name:6} frozen {what(frozen) * 1e3:.2f} ms, running {what(running) * 1e3:.2f} ms: {ratio - 1:+.1%}")
        noise = (error_of(frozen) ** 2 + error_of(running) ** 2) ** 0.5 / statistics.mean(frozen)
        print(f"   standard error of the mean's change: {noise:.1%}")
        print(f"-> over {len(taken['running'])} windows of {WINDOW_STEPS} steps each; budget +5 % of the mean")


if __name__ == "__main__":
    main()
