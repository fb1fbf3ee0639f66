"""What does recording with our handler cost a training loop? Two ratios.

    1. How long the loop stops at the end of a cycle: ours against the bare C++ JSON export and against torch's own
       `tensorboard_trace_handler(use_gzip=True)`. All three export the same kind of cycle in
       turns whose order rotates; medians. All write their JSON to the same folder (ours and bare) or through torch's own
       temporary folder (stock); the destination is a temporary folder on disk.
    2. How much slower steps are while files are made behind the loop: windows of ten steps, by turns with the thread and the
       child process running and frozen, so that whatever else the machine does hits both. Pauses count.
    3. How late the files are: a cycle of 30 small steps, and a loop that goes on without ever resting; seconds from the cycle's
       end to each file's final name. On as many threads as there are cores, every core is busy.

What would make it lie: other load on the machine (compare the two "bare" columns of two runs); a destination in memory
for one and on a disk for the other; profiles so small that the child's start (0.2 s) is all there is, or so large that
the machine swaps; a model that leaves the second core idle flatters the child process, one that uses both does not
(`--threads 2` is the default). The longest pause (making the list of events, 1.1 us an event) falls into one window a cycle:
with few windows the mean jumps. Files come early where cores are idle: lateness is about busy ones.

    python benchmarks/trace_handler.py [--cycles 3] [--active 12] [--threads 2] [--only stops steps late]
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import shutil
import signal
import statistics
import sys
import tempfile
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from budget import Budget
from torch.profiler import ProfilerActivity, profile, schedule, tensorboard_trace_handler

import tb_plugin
from tb_plugin.capture import background, pace, scratch

if TYPE_CHECKING:
    from collections.abc import Iterator

WINDOW_STEPS = 10
STOP = Budget(
    name="trace handler, the loop stops",
    budget=1.1,
    unit="of the bare export",
    kind="informational",
    lies="other load on the machine; profiles so small that nothing but fixed costs is left",
)
STEPS = Budget(
    name="trace handler, steps meanwhile",
    budget=1.05,
    unit="of a step without it",
    kind="informational",
    lies="few windows: the longest pause falls into one a cycle; a model that leaves the second core idle flatters the child",
)
STEPS_FULLY = Budget(
    name="trace handler, steps meanwhile, with stacks and memory",
    budget=1.1,
    unit="of a step without it",
    kind="informational",
    lies="as with shapes alone",
)
LATE_JSON = Budget(
    name="trace handler, JSON after the cycle",
    budget=5.0,
    unit="s",
    kind="informational",
    lies="idle cores; more than one other program on each core",
)
LATE_PROFILE = Budget(
    name="trace handler, stored profile after the cycle", budget=20.0, unit="s", kind="informational", lies="as the JSON"
)


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


def record(training: Training, active: int, on_trace_ready: Any, *, fully: bool = True) -> None:
    options: dict[str, Any] = {"record_shapes": True, "profile_memory": fully, "with_stack": fully}
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
    bare_path = scratch.choose_folders(None, 0)[0] / f"tb_plugin_bare_{time.time_ns()}.json"
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
        self.began = 0.0
        self.worked_s = 0.0
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
        sys.setprofile(None)
        start, cpu = time.perf_counter(), time.thread_time()
        yield
        self.slices_s.append(time.perf_counter() - start)
        self.worked_s += time.thread_time() - cpu
        ends = self.clock() + pace.rest_s(self.worked_s, self.clock() - self.began)
        while (left := ends - self.clock()) > 0:
            self._open.wait()
            time.sleep(left)

    @staticmethod
    def _signal(number: int) -> None:
        for children in Path("/proc/self/task").glob("*/children"):
            for child in children.read_text().split():
                with suppress(ProcessLookupError):
                    os.kill(int(child), number)


def steps_behind(training: Training, cycles: int, active: int, folder: Path, *, fully: bool) -> dict[str, list[float]]:
    """Mean seconds a step of windows of ten steps, by turns with the work behind them frozen and running."""
    gate = Gate()
    setattr(background, "Pace", lambda _hurry: gate)  # noqa: B010 -- another class of the same shape
    setattr(background, "_GENTLY_FOR_S", 28.0)  # noqa: B010 -- half of the time it is frozen
    handler = tb_plugin.tensorboard_trace_handler(folder / "behind")
    seconds: dict[str, list[float]] = {"frozen": [], "running": []}
    for cycle in range(cycles):
        gate.open()
        record(training, active, handler, fully=fully)
        gate.close()
        begin = gate.began = gate.clock()
        gate.worked_s = 0.0
        spent = _children_s()
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
            f"  cycle {cycle}: {took:.1f} s for the files; thread worked {worked:.2f} s, {worked / took:.1%}, longest go "
            f"{longest * 1e3:.0f} ms; child {_children_s() - spent:.2f} s of processor time"
        )
    return seconds


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def lateness(training: Training, cycles: int, folder: Path) -> dict[str, list[float]]:
    """Seconds from the end of a cycle of 30 steps to its JSON and its stored profile, in a loop that never rests."""
    handler = tb_plugin.tensorboard_trace_handler(folder / "late")
    seconds: dict[str, list[float]] = {".gz": [], ".pb": []}
    for _ in range(cycles):
        record(training, 30, handler, fully=False)
        ended = time.perf_counter()
        seen: set[str] = set()
        while len(seen) < len(seconds):
            training.step()
            for path in (folder / "late").glob("[!.]*"):
                if path.suffix not in seen:
                    seen.add(path.suffix)
                    seconds[path.suffix].append(time.perf_counter() - ended)
                    print(f"  {path.suffix} {path.stat().st_size / 1e6:.1f} MB after {seconds[path.suffix][-1]:.1f} s")
        while handler._background.unfinished():
            training.step()
        shutil.rmtree(folder / "late")
    return seconds


def calm(values: list[float]) -> list[float]:
    """Without windows of over 2.5 medians: other programs' doing. Our longest pause makes one window 1.7 times as long."""
    limit = 2.5 * statistics.median(values)
    return [value for value in values if value < limit]


def error_of(values: list[float]) -> float:
    """Standard error of the mean."""
    return statistics.stdev(values) / math.sqrt(len(values))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--cycles", type=int, default=3)
    parser.add_argument("--active", type=int, default=12)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", nargs="+", choices=("stops", "steps", "late"), default=("stops", "steps", "late"))
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    training = Training()
    for _ in range(20):
        training.step()
    with tempfile.TemporaryDirectory() as name:
        for part, measure in (("late", report_lateness), ("stops", report_stops), ("steps", report_steps)):
            if part in options.only:
                measure(training, options.cycles, options.active, Path(name))


def report_lateness(training: Training, cycles: int, _active: int, folder: Path) -> None:
    late = lateness(training, cycles, folder)
    for budget, ending in ((LATE_JSON, ".gz"), (LATE_PROFILE, ".pb")):
        print(f"{budget.name}: {', '.join(f'{value:.1f}' for value in late[ending])} s")
        budget.measured(max(late[ending]))


def report_stops(training: Training, cycles: int, active: int, folder: Path) -> None:
    stopped = stops(training, cycles, active, folder)
    median = {who: statistics.median(values) for who, values in stopped.items()}
    for who, value in median.items():
        print(f"loop stopped, {who:6} {value * 1e3:8.1f} ms   {value / median['bare']:5.2f}x bare")
    fastest = min(stopped["ours"]) / min(stopped["bare"])
    print(f"fastest of each: ours / bare = {fastest:.2f}")
    STOP.measured(median["ours"] / median["bare"])


def report_steps(training: Training, cycles: int, active: int, folder: Path) -> None:
    for fully in (False, True):
        print(f"steps meanwhile, {'with stacks and memory' if fully else 'with shapes'}:")
        report_steps_of(training, cycles, active, folder, fully=fully)


def report_steps_of(training: Training, cycles: int, active: int, folder: Path, *, fully: bool) -> None:
    taken = steps_behind(training, cycles, active, folder, fully=fully)
    frozen, running = calm(taken["frozen"]), calm(taken["running"])
    for name, what in (("mean", statistics.mean), ("median", statistics.median)):
        ratio = what(running) / what(frozen)
        print(f"step {name:6} frozen {what(frozen) * 1e3:.2f} ms, running {what(running) * 1e3:.2f} ms: {ratio - 1:+.1%}")
    noise = (error_of(frozen) ** 2 + error_of(running) ** 2) ** 0.5 / statistics.mean(frozen)
    print(f"   standard error of the mean's change: {noise:.1%}")
    print(f"   over {len(taken['running'])} windows of {WINDOW_STEPS} steps each")
    (STEPS_FULLY if fully else STEPS).measured(statistics.mean(running) / statistics.mean(frozen))


if __name__ == "__main__":
    main()
