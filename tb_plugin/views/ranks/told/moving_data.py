"""Where moving data is what a job loses most by: for which dimension, how fast, what to do, and the step without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, format_ns, format_rate
from tb_plugin.trace.collectives.dimensions import NOT_RECORDED
from tb_plugin.views.ranks.basis.names import counted, per_step
from tb_plugin.views.ranks.basis.sorts import sort_name
from tb_plugin.views.ranks.result import MovingData
from tb_plugin.views.ranks.told.blame import means_of, on_host

if TYPE_CHECKING:
    from tb_plugin.job.links.host_set import HostSet
    from tb_plugin.views.ranks.basis.analysed import Analysed

_ANY: Final = "overlap it with computing, send less, or look at the link"
_TO_DO: Final = {
    "data": "overlap it with the backward pass (size of buckets, prefetch), send less (accumulate gradients, bf16), or look at "
    "the link",
    "tensor": "a smaller group",
    "expert": "fewer tokens a step (capacity, lower precision)",
    "pipeline": "fewer bytes between stages, or sends that overlap with the next micro-batch",
}
_ON_CORES: Final = (
    "cores of its own for each process, overlap it with computing, or send less: processes that share cores move data in turns"
)
_INSIDE_A_HOST: Final = ("tensor", "expert")
"""Dimensions whose groups may be laid out so."""


def moving_data(of: Analysed) -> MovingData | None:
    found = of.moving
    if found is None:
        return None
    name = None if found.dimension == NONE else of.dimensions.names[found.dimension]
    means = means_of(of.without_moving)
    fastest = _most_used(of, name)
    return MovingData(
        dimension=name,
        exposed_ns=round(found.exposed_ns),
        of_dimension_ns=round(found.of_dimension_ns),
        hidden_share=found.hidden_share,
        bus_bytes_per_s=None if fastest is None else fastest.bandwidth,
        of_usual_share=None if fastest is None else fastest.of_usual,
        sentence=_sentence(of, name, fastest),
        step_was_ns=means.was if means else None,
        step_without_ns=means.would_be if means else None,
        step_without_least_ns=means.least if means else None,
    )


def _most_used(of: Analysed, name: str | None) -> HostSet | None:
    """The set of hosts, dimension and kind that data moves between longest; what is slow at times is told for itself."""
    sets = [one for one in of.links.sets if (name is None or one.dimension == name) and not one.steps]
    took = [float(np.nansum(of.job.instances.transfer[list(one.instances)])) for one in sets]
    return sets[int(np.argmax(took))] if sets else None


def _sentence(of: Analysed, name: str | None, one: HostSet | None) -> str:
    found = of.moving
    assert found is not None
    is_most = all(float(one.excess_ns.mean()) < found.exposed_ns for one, *_ in of.stragglers)
    lost = f"{format_ns(found.exposed_ns)}{per_step(of)} that nothing hides"
    said = f"{'Most' if is_most else 'Much'} is lost by moving data: {lost}"
    if name not in (None, NOT_RECORDED):
        said += f", {format_ns(found.of_dimension_ns)} of it {name} ({percent(found.hidden_share)} of {name} is hidden)"
    if one is not None:
        where = "between hosts" if len(one.hosts) > 1 else "inside a host"
        said += f"; {sort_name(one.kind)}s {where} run at {format_rate(one.bandwidth)}, {_of_usual(one)}"
    goes_out = name in _INSIDE_A_HOST and (one is None or len(one.hosts) > 1)
    what = _TO_DO.get(name or "", _ANY)
    if len(of.job.of.hosts) == 1 and on_host(of, of.job.of.numbers):
        what = _ON_CORES
    return f"{said}. What helps: {what}{', or all of it inside a host' if goes_out else ''}."


def _of_usual(one: HostSet) -> str:
    if one.slow_steps:
        return f"but are slower in {counted('step', [*one.slow_steps])}, and no others of their kind are here"
    return "nothing here to compare with" if one.of_usual is None else f"{percent(one.of_usual)} of others of its kind"
