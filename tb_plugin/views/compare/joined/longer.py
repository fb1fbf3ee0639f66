"""Why one step is longer than another, in a sentence: the largest parts of the difference, and all the rest as one more.

    Step 9 takes 12.3 ms longer than step 8 (45.6 ms and 33.3 ms): device idle 8.10 ms more (waiting for the host 7.90 ms more,
    most at train.py(41): step · aten::item), aten::conv2d 3.20 ms more, all else 1.00 ms more.

The parts are rows of the tree by operator that is not folded: idle time, and below the busy time; they add up to the difference.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from tb_plugin.base.cut import cut_apart, cut_middle
from tb_plugin.base.units import format_ns
from tb_plugin.views.compare.joined.entries import NOT_ATTRIBUTED
from tb_plugin.views.compare.joined.tree import HOST_USES, tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.views.compare.joined.judge import Judge
    from tb_plugin.views.compare.joined.side import Side
    from tb_plugin.views.compare.result import By, ChangeRow

_MOST: Final = 4
_LEAST: Final = 0.1
"""Of the difference: what is less is of the rest."""

_MOSTLY: Final = 0.5
_LONGEST_NAME: Final = 60
_WORDS: Final = {
    "idle": "device idle",
    HOST_USES[1]: "time outside operators",
    "busy": "device busy",
    HOST_USES[0]: "time in operators",
    NOT_ATTRIBUTED: "work of no known operator",
}


def why_longer(a: Side, b: Side, judge: Judge) -> str | None:
    """The longer one is told of, be it A or B. None of what is not one step each."""
    if any(len(side.steps) != 1 or side.sums[0].unit != "step" for side in (a, b)):
        return None
    of = ("", "") if a.sums == b.sums else (" of A", " of B")
    names = [f"step {side.steps[0].number}{which}" for side, which in zip((a, b), of, strict=True)]
    if a.mean_ns > b.mean_ns:
        a, b, names = b, a, names[::-1]
    more_ns = b.mean_ns - a.mean_ns
    is_longer = more_ns >= judge.least_ns
    takes = f"takes {format_ns(more_ns)} longer than" if is_longer else "takes about as long as"
    head = f"S{names[1][1:]} {takes} {names[0]} ({format_ns(b.mean_ns)} and {format_ns(a.mean_ns)})"
    return f"{head}: {', '.join(_parts(a, b, judge, max(judge.least_ns, _LEAST * more_ns)))}."


def _parts(a: Side, b: Side, judge: Judge, least_ns: float) -> list[str]:
    """Those that differ by so much, in words, and the rest of the difference."""
    by: By = "operator" if all(side.sums[0].recorded.has_operators for side in (a, b)) else "kernel"
    step, busy, *rows = tree(a, b, judge, by, 0.0).rows
    idle = next(row for row in rows if row.parent == step.id)
    large = _large([idle, *(row for row in rows if row.parent == busy.id)], least_ns)
    if not large:  # many small ones
        large = [row for row in (busy, idle) if row.delta_ns]
    written = {call.name for side in (a, b) for call in side.calls}
    aten = [f"aten::{row.name}" for row in large]
    names = [name if name in written else _WORDS.get(row.name, row.name) for name, row in zip(aten, large, strict=True)]
    short = cut_apart(names, _LONGEST_NAME)
    said = [f"{short[name]} {_more(row.delta_ns)}{_why(row, rows)}" for name, row in zip(names, large, strict=True)]
    rest_ns = step.delta_ns - sum(row.delta_ns for row in large)
    return [*said, *([f"all else {_more(rest_ns)}"] if rest_ns else [])] or ["nothing differs"]


def _why(row: ChangeRow, rows: Sequence[ChangeRow]) -> str:
    """The causes of idle time, each with the place of the host under which most of it passes; of work one of several kernels."""
    if row.kind in ("operator", "not_attributed"):
        return _kernel(row, rows)
    if row.kind != "idle":
        return ""
    causes = _large([each for each in rows if each.kind == "cause"], _LEAST * abs(row.delta_ns))
    said = []
    for cause in causes:
        lines = _large([each for each in rows if each.parent == cause.id], _LEAST * abs(cause.delta_ns))
        most = next((f", most at {line.name}" for line in lines if (line.delta_ns > 0) == (cause.delta_ns > 0)), "")
        said.append(f"{cause.name} {_more(cause.delta_ns)}{most}")
    return f" ({'; '.join(said)})" if said else ""


def _kernel(row: ChangeRow, rows: Sequence[ChangeRow]) -> str:
    inside, more_ns = {row.id}, Counter[str]()
    for each in rows:
        if each.parent in inside:
            inside.add(each.id)
            if each.kind == "kernel":
                more_ns[each.name] += each.delta_ns
    most = max(more_ns, key=lambda name: abs(more_ns[name]), default="")
    is_most = len(more_ns) > 1 and abs(more_ns[most]) >= _MOSTLY * abs(row.delta_ns)
    return f" ({cut_middle(most, _LONGEST_NAME)} {_more(more_ns[most])})" if is_most else ""


def _large(rows: Sequence[ChangeRow], least_ns: float) -> list[ChangeRow]:
    return sorted((row for row in rows if abs(row.delta_ns) >= max(least_ns, 1)), key=lambda row: -abs(row.delta_ns))[:_MOST]


def _more(ns: int) -> str:
    return f"{format_ns(abs(ns))} {'more' if ns > 0 else 'less'}"
