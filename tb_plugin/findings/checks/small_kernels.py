"""Does a storm of kernels shorter than a launch leave the device idle? Then a graph launches them all at once.

host    |a| |b| |c| |d|           module Block: 24 kernels a call, half of them shorter than 5 us
device    |a| |b| |c| |d|         idle before each of them

Code that is compiled already needs only the graph. Without launches in the file the idle time between short kernels tells.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, Int64Array, format_ns
from tb_plugin.compute.intervals import length
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.checks.host_bound import COMPILED
from tb_plugin.findings.words import counted
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.modules.paths import module_paths
from tb_plugin.trace.scope.recorded import DEVICE, LAUNCHES, WHOLE

if TYPE_CHECKING:
    from tb_plugin.compute.intervals import Merged
    from tb_plugin.findings.facts import Facts

_SHORT_NS: Final = 10_000
"""About what a launch takes the host."""

_LEAST: Final = 50
"""Fewer are no storm: launching them all takes less than half a millisecond."""

_MOSTLY: Final = 0.6
"""Of the kernels: with fewer short ones the long ones hide the launches of the next."""

_OF_A_CALL: Final = 20
"""Kernels: a module with fewer is one operator or two, and no place to begin a graph."""

_COMPILED: Final = re.compile(r"CompiledFunction|CompiledFxGraph|Torch-Compiled Region|^triton_")
"""Samples: `## Call CompiledFxGraph fx3q ##`, `Torch-Compiled Region: 0/0`, `triton_poi_fused_add_0`."""


def find(facts: Facts) -> Seen | None:
    kernels = facts.in_window(facts.busiest[facts.trace.events.kind[facts.busiest] == Kind.KERNEL])
    is_short = facts.duration(kernels) < _SHORT_NS
    idle = _idle(facts)
    if len(kernels) < _LEAST or is_short.mean() < _MOSTLY or idle is None:
        return None
    gap_ns, following = _before(facts, idle, kernels)
    gain_ns = length(idle)
    if facts.share(gain_ns) < worth.EVERYWHERE:
        return None
    place = _module(facts, gap_ns, following)
    is_compiled = len(facts.named(_COMPILED.search, Kind.KERNEL, Kind.OPERATOR, Kind.ANNOTATION)) > 0
    where = f" in {place.name}" if place else ""
    of_it = f" {place.name} has {place.n_kernels} kernels a call and {format_ns(place.idle_ns)} of it." if place else ""
    return Seen(
        title=f"Replay what is compiled{where} as CUDA graphs: it launches kernels one by one"
        if is_compiled
        else f"Launch the small kernels{where} at once: torch.compile with CUDA graphs, or a graph of your own",
        what=f"{int(is_short.sum())} of {counted(len(kernels), 'kernel')} last less than {format_ns(_SHORT_NS)}, half of all at "
        f"most {format_ns(float(np.median(facts.duration(kernels))))}. Waiting for their launches the device was idle for "
        f"{format_ns(gain_ns)} ({percent(facts.share(gain_ns))}).{of_it}",
        evidence=[
            Evidence(text="kernels", value=len(kernels), unit="count"),
            Evidence(text=f"of them shorter than {format_ns(_SHORT_NS)}", value=int(is_short.sum()), unit="count"),
            Evidence(text="device idle until they were launched", value=gain_ns, unit="ns"),
            *([Evidence(text=f"of it in {place.name}", value=place.idle_ns, unit="ns")] if place else []),
        ],
        rows=following,
        weight=gap_ns,
        time=idle,
        gain_ns=gain_ns,
        gain_how="time in which the device waited for launches, as host_bound counts it (of a file without launches all idle "
        "time). In a graph kernels follow each other within about a microsecond.",
        without=(COMPILED,) if LAUNCHES.is_there(facts.trace) else (),
        estimate_how="what torch.compile leaves of the host's time, about; graphs leave less.",
        confidence="likely" if LAUNCHES.is_there(facts.trace) else "maybe",
        code=_GRAPH_OF_COMPILED if is_compiled else "",
    )


def _idle(facts: Facts) -> Merged | None:
    """When the device waited for launches, where these are what it waits for; all idle time of a file without any."""
    pace = facts.launch_pace
    if pace is None:
        return None if LAUNCHES.is_there(facts.trace) else facts.idle
    return pace.waiting if pace.is_limit else None


def _before(facts: Facts, idle: Merged, wanted: Int64Array) -> tuple[Int64Array, Int64Array]:
    """(how long the device was idle before each of these kernels, the kernels), where it was."""
    following = facts.next_work(idle.end)
    kept = np.isin(following, wanted)
    return (idle.end - idle.start)[kept], following[kept]


class _Place(NamedTuple):
    """The innermost module around most of the idle time, of enough kernels a call."""

    name: str
    n_kernels: int
    idle_ns: int


def _module(facts: Facts, gap_ns: Int64Array, following: Int64Array) -> _Place | None:
    paths = module_paths(facts.trace)
    if len(paths) == 0:
        return None
    idle_ns, n_kernels = np.zeros(len(paths), np.int64), np.zeros(len(paths), np.int64)
    of_gap, of_kernel = paths.of_rows(following), paths.of_rows(facts.in_window(facts.busiest))
    np.add.at(idle_ns, of_gap[of_gap != NONE], gap_ns[of_gap != NONE])
    np.add.at(n_kernels, of_kernel[of_kernel != NONE], 1)
    for path in range(len(paths) - 1, -1, -1):  # a parent stands before its children
        if paths.parent[path] != NONE:
            idle_ns[paths.parent[path]] += idle_ns[path]
            n_kernels[paths.parent[path]] += n_kernels[path]
    used = paths.path_of_scope[:-1]
    n_calls = np.maximum(np.bincount(used[used != NONE], minlength=len(paths)), 1)
    fits = np.flatnonzero((2 * idle_ns > gap_ns.sum()) & (n_kernels >= _OF_A_CALL * n_calls))
    if len(fits) == 0:
        return None
    path = int(fits[-1])  # the innermost
    return _Place(paths.names[path], int(n_kernels[path] // n_calls[path]), int(idle_ns[path]))


_GRAPH_OF_COMPILED: Final = """\
model = torch.compile(model, mode="reduce-overhead")  # was: torch.compile(model)"""

CHECK: Final = Check(
    id="small_kernels",
    looks_for="storms of kernels shorter than a launch",
    needs=(DEVICE, WHOLE),
    find=find,
    code="""\
model = torch.compile(model, mode="reduce-overhead")
# or, of shapes that do not change:
block = torch.cuda.make_graphed_callables(block, (sample,))""",
    unless="shapes change from call to call, values decide what is launched (.item()), or collectives run inside.",
    link="https://pytorch.org/blog/accelerating-pytorch-with-cuda-graphs/",
)
