"""Under which places of the host the devices had nothing to do, step by step: those of `findings/idle_lines.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.compute.apportion import apportioned
from tb_plugin.compute.intervals import Merged
from tb_plugin.findings.idle_lines import IdleLine, idle_lines
from tb_plugin.trace.times.idle import USES, use_pieces, when_used
from tb_plugin.views.compare.sums.result import OTHERS, LineSums

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.compare.sums.windows import Windows

WAITING: Final = USES.index("waiting_for_host")
MOST: Final = 200


def line_sums(trace: Trace, windows: Windows, work: dict[int, Int64Array], uses: Int64Array) -> list[LineSums]:
    """The most idle first. Together they are the time of `uses` in which devices wait for the host, in each window."""
    n_windows, idle, first = len(windows.start_ns), dict[str, np.ndarray](), dict[str, IdleLine]()
    for rows in work.values():
        pieces = use_pieces(trace, rows)
        for window, (t0, t1) in enumerate(zip(windows.start_ns, windows.end_ns, strict=True)):
            waiting = when_used(pieces, "waiting_for_host", Merged(np.array([t0]), np.array([t1])))
            for line in idle_lines(trace, rows, waiting):
                idle.setdefault(line.text, np.zeros(n_windows))[window] += line.idle_ns / len(work)
                if line.text not in first or line.idle_ns > first[line.text].idle_ns:
                    first[line.text] = line
    order = sorted(idle, key=lambda text: (-idle[text].sum(), text))
    if len(order) > MOST:
        idle[OTHERS] = np.sum([idle[text] for text in order[MOST - 1 :]], axis=0)
        order = [*order[: MOST - 1], OTHERS]
    if not order:
        return []
    whole = apportioned(np.array([idle[text] for text in order]), uses[:, WAITING])
    return [_line(trace, text, first.get(text), row) for text, row in zip(order, whole, strict=True)]


def _line(trace: Trace, text: str, longest: IdleLine | None, idle_ns: Int64Array) -> LineSums:
    row = None if longest is None or len(longest.rows) == 0 else int(longest.rows[0])
    start, end = trace.events.start_ns, trace.events.end_ns
    return LineSums(
        text=text,
        inside="" if longest is None else longest.inside,
        idle_ns=idle_ns.tolist(),
        longest_ns=None if row is None else int(start[row]),
        longest_for_ns=None if row is None else int(end[row] - start[row]),
    )
