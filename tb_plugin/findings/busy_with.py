"""What the devices are busy with, in words; shares of the time add up to its busy share (`trace.times.category_times`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.compute.grouping import group_by
from tb_plugin.trace.times.category_times import category_times, kernel_times
from tb_plugin.trace.times.idle import device_work
from tb_plugin.trace.work.kernel_flops import kernel_flops
from tb_plugin.trace.work.taxonomy import CATEGORIES

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array
    from tb_plugin.findings.facts import Facts
    from tb_plugin.trace.work.taxonomy import CategoryInfo

_CATEGORIES_NAMED: Final = 2
_KERNELS_NAMED: Final = 3
_NAME_LENGTH: Final = 40


def busy_with(facts: Facts) -> str:
    """`elementwise 49.3 % and matrix multiply 25.2 %`: the largest categories."""
    share = category_shares(facts)
    largest = np.argsort(-share, kind="stable")[:_CATEGORIES_NAMED].tolist()
    return " and ".join(f"{_words(CATEGORIES[at])} {percent(share[at])}" for at in largest if share[at] > 0)


def _words(category: CategoryInfo) -> str:
    return "kernels of no known kind" if category.id == "other" else category.title.lower()


def category_shares(facts: Facts) -> Float64Array:
    """Of the time, by CATEGORIES, the mean over devices: together the busy share."""
    devices = device_work(facts.trace)
    time_ns = category_times(facts.trace, devices.values(), facts.window)
    return time_ns / max(facts.window_ns * len(devices), 1)


def longest_kernels(facts: Facts) -> str:
    """`gemm_a 40.1 % (77.0 % of peak), gemm_b 20.5 %`: those of the busiest device with most of the time."""
    rows, ns = kernel_times(facts.trace, facts.busiest, facts.window)
    if len(rows) == 0:
        return ""
    groups = group_by(facts.trace.events.name_id[rows])
    time_ns, known = np.bincount(groups.of, weights=ns), kernel_flops(facts.trace)
    at_peak_ns = np.full(len(facts.trace.events), np.nan)
    at_peak_ns[known.row] = known.at_peak_ns
    named = []
    for group in np.argsort(-time_ns, kind="stable")[:_KERNELS_NAMED].tolist():
        mine = rows[groups.of == group]
        reached = float(at_peak_ns[mine].sum() / max(facts.duration(mine).sum(), 1))  # NaN where one is not known
        of_peak = "" if np.isnan(reached) else f", at {percent(reached)} of peak"
        name = facts.name(int(mine[0]))
        short = name if len(name) <= _NAME_LENGTH else f"{name[: _NAME_LENGTH - 3]}..."
        named.append(f"{short} ({percent(facts.share(time_ns[group]))}{of_peak})")
    return ", ".join(named)
