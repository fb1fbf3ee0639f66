"""Are convolutions still tried out inside the recording, as `cudnn.benchmark` and MIOpen do with sizes that they have not seen?

step 1   conv A: kernel p, kernel q, kernel r   conv B: kernel s
step 2   conv A: kernel q                       conv B: kernel s        the same call of another step has other kernels

Calls are compared by their place in the step, and only where all steps make the same calls: several kernels for one call, or
several for one shape, are usual (gradients of images and weights; strides, which are not recorded).
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, Int64Array, format_ns
from tb_plugin.compute.nesting import marked_around
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.scope.recorded import DEVICE, HOST, LAUNCHES, STEPS, WHOLE
from tb_plugin.trace.work.taxonomy import Category, category_by_row

if TYPE_CHECKING:
    from tb_plugin.base.units import IntArray
    from tb_plugin.findings.facts import Facts

_LEAST_STEPS: Final = 2
"""One to look at, and the last to compare it with."""


def find(facts: Facts) -> Seen | None:
    calls = _by_step(facts)
    if len(calls) < _LEAST_STEPS or calls.shape[1] == 0:
        return None
    kernels, call = _kernels(facts, calls)
    place = np.full(len(facts.trace.events), NONE)
    place[calls.ravel()] = np.arange(calls.size)
    time_ns = np.bincount(place[call], weights=facts.duration(kernels), minlength=calls.size).reshape(calls.shape)
    of_names = _of_names(place[call], facts.trace.events.name_id[kernels], calls.size).reshape(calls.shape)
    differs = (of_names != of_names[-1]).any(axis=0)
    gain_ns = int(np.maximum(time_ns - time_ns[-1], 0)[:, differs].sum())
    if not differs.any() or facts.share(gain_ns) < worth.ONE_LINE:
        return None
    rows = calls[:-1][(of_names != of_names[-1])[:-1]]
    return Seen(
        title="Record after the sizes of convolutions have been tried out: their kernels still change",
        what=f"{counted(int(differs.sum()), 'convolution')} of {calls.shape[1]} a step ran other kernels than in the last step, "
        f"for {format_ns(gain_ns)} ({percent(facts.share(gain_ns))}) more.",
        evidence=[
            Evidence(text="convolutions of a step whose kernels change", value=int(differs.sum()), unit="count"),
            Evidence(text="convolutions of a step", value=calls.shape[1], unit="count"),
            Evidence(text="time beyond that of the last step", value=gain_ns, unit="ns"),
        ],
        rows=rows,
        gain_ns=gain_ns,
        gain_how="device time of these convolutions in each step, less that of the same ones in the last step.",
        time=facts.union_of(kernels[np.isin(call, rows)]),
        confidence="likely",
    )


def _by_step(facts: Facts) -> Int64Array:
    """Outermost convolutions, a row per step that counts, in their order; no rows where steps do not make the same calls."""
    events, none = facts.trace.events, np.zeros((0, 0), np.int64)
    is_convolution = (events.kind == Kind.OPERATOR) & (category_by_row(facts.trace) == Category.CONVOLUTION)
    rows = np.flatnonzero(is_convolution)
    rows = rows[marked_around(events.nest_parent, is_convolution, events.nest_parent[rows]) == NONE]
    of_step = [rows[events.step[rows] == place] for place in facts.counted.places.tolist()]
    if len({len(each) for each in of_step}) != 1:
        return none
    calls = np.stack(of_step)
    same = [(column[calls] == column[calls[0]]).all() for column in (events.name_id, events.shapes_id, events.track)]
    return calls if all(same) else none


def _kernels(facts: Facts, calls: Int64Array) -> tuple[Int64Array, Int64Array]:
    """(kernels that these calls launched, the call of each)."""
    events = facts.trace.events
    rows = facts.device_rows[events.kind[facts.device_rows] == Kind.KERNEL]
    rows = rows[events.owner[rows] != NONE]
    is_call = np.zeros(len(events), np.bool_)
    is_call[calls] = True
    call = marked_around(events.nest_parent, is_call, events.owner[rows])
    return rows[call != NONE], call[call != NONE]


def _of_names(place: Int64Array, names: IntArray, n_places: int) -> Int64Array:
    """For each place a number, the same for the same names however they are ordered; NONE without names."""
    order = np.lexsort((names, place))
    place, found = place[order], np.full(n_places, NONE)
    bounds = np.flatnonzero(np.diff(place, prepend=NONE, append=NONE))
    known: dict[bytes, int] = {}
    for low, high in itertools.pairwise(bounds.tolist()):
        found[place[low]] = known.setdefault(names[order[low:high]].tobytes(), len(known))
    return found


CHECK: Final = Check(
    id="conv_autotune",
    looks_for="convolutions whose kernels are still tried out",
    needs=(HOST, DEVICE, LAUNCHES, STEPS, WHOLE),
    find=find,
    code="profile(schedule=torch.profiler.schedule(wait=5, warmup=3, active=3))",
    unless="sizes change with every batch: then pad them to a few, or set torch.backends.cudnn.benchmark = False.",
    link="https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
)
