"""Who calls the calls of a row, what they call, what they launch, and their forward and backward partners."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.compute.grouping import count_by, group_by, sum_by
from tb_plugin.compute.largest import MOST_ROWS, largest
from tb_plugin.compute.nesting import nearest_marked
from tb_plugin.trace.kinds import LAUNCH_KINDS, Kind, is_kind
from tb_plugin.trace.modules.forward_backward import forward_backward
from tb_plugin.trace.times.operator_times import key_text, name_keys, without_children
from tb_plugin.views.operators.details_result import OperatorKernel, OperatorPair, RelatedKind, RelatedOperator
from tb_plugin.views.operators.groupings import named

if TYPE_CHECKING:
    from tb_plugin.views.operators.calls import Calls

_KERNEL_KINDS: Final[dict[int, Literal["kernel", "copy", "set"]]] = {Kind.KERNEL: "kernel", Kind.COPY: "copy", Kind.SET: "set"}
_HOST_KINDS: Final[dict[int, RelatedKind]] = {Kind.OPERATOR: "operator", Kind.ANNOTATION: "annotation"}


def operators(calls: Calls) -> list[RelatedOperator]:
    """The calls by name, with self times: they add up to the self times of the row."""
    times, chosen = calls.times, calls.chosen
    groups = group_by(calls.trace.events.kind[times.row[chosen]], times.key[chosen])
    kept = calls.kept[times.row[chosen]]
    rows = zip(
        named(calls.trace, times, chosen[groups.first]),
        sum_by(groups, kept.astype(np.int64)).tolist(),
        sum_by(groups, times.host_self_ns[chosen]).tolist(),
        sum_by(groups, times.device_self_ns[chosen]).tolist(),
        strict=True,
    )
    return shortened(
        [RelatedOperator(name=label.name, kind=_related(label.kind), count=n, host_ns=h, device_ns=d) for label, n, h, d in rows]
    )


def callers(calls: Calls) -> list[RelatedOperator]:
    """The operators and ranges around the calls; times are those of the calls, and add up to the totals of the row."""
    events, times, counted = calls.trace.events, calls.times, calls.counted
    above = calls.tree.entry_above[times.row[counted]]
    key = np.where(above == NONE, NONE, name_keys(calls.trace, above))
    # A kind is stored without a sign: NumPy 2.5 refuses NONE beside it.
    kind = np.where(above == NONE, NONE, events.kind[above].astype(np.int64))
    groups = group_by(kind, key)
    rows = zip(
        kind[groups.first].tolist(),
        key[groups.first].tolist(),
        sum_by(groups, calls.kept[times.row[counted]].astype(np.int64)).tolist(),
        sum_by(groups, times.host_total_ns[counted]).tolist(),
        sum_by(groups, times.device_total_ns[counted]).tolist(),
        strict=True,
    )
    return shortened(
        [
            RelatedOperator(
                name="" if key == NONE else key_text(calls.trace, key),
                kind="top" if key == NONE else _HOST_KINDS.get(kind, "launch"),
                count=n,
                host_ns=host,
                device_ns=device,
            )
            for kind, key, n, host, device in rows
        ]
    )


def callees(calls: Calls) -> list[RelatedOperator]:
    """What the calls call directly: with the self times of the row they add up to its totals."""
    events, tree = calls.trace.events, calls.tree
    above = tree.entry_above
    below = np.flatnonzero(tree.nests & ~tree.wraps & calls.kept & (above != NONE))
    below = below[calls.is_counted_row[above[below]]]
    is_entry = tree.entry[below]
    kind = np.where(is_entry, events.kind[below], np.where(is_kind(events.kind[below], LAUNCH_KINDS), NONE, Kind.PYTHON))
    key = np.where(kind == Kind.PYTHON, NONE, name_keys(calls.trace, below))
    host_ns = np.where(is_entry, events.duration_ns(below), without_children(calls.trace)[below])
    device_ns = calls.device_total_of_row[below]
    groups = group_by(kind.astype(np.int64), key)
    rows = zip(
        kind[groups.first].tolist(),
        key[groups.first].tolist(),
        count_by(groups).tolist(),
        sum_by(groups, host_ns).tolist(),
        sum_by(groups, device_ns).tolist(),
        strict=True,
    )
    return shortened(
        [
            RelatedOperator(
                name="" if kind == Kind.PYTHON else key_text(calls.trace, key),
                kind="python" if kind == Kind.PYTHON else _HOST_KINDS.get(kind, "launch"),
                count=n,
                host_ns=host,
                device_ns=device if kind in _HOST_KINDS else None,
            )
            for kind, key, n, host, device in rows
        ]
    )


def kernels(calls: Calls) -> list[OperatorKernel]:
    """Device work of the calls and of what they call, each event once; self times add up to the device self time."""
    events = calls.trace.events
    work, entry = calls.work
    if calls.is_not_attributed:
        mine = own = entry == NONE
    else:
        mine = np.where(entry == NONE, NONE, calls.holder[entry]) != NONE
        own = np.where(entry == NONE, False, calls.is_chosen_row()[entry])
        mine |= own
    work, own = work[mine], own[mine]
    duration: Int64Array = events.duration_ns(work)
    groups = group_by(events.kind[work], events.name_id[work])
    rows = zip(
        work[groups.first].tolist(),
        count_by(groups).tolist(),
        sum_by(groups, np.where(own, duration, 0)).tolist(),
        sum_by(groups, duration).tolist(),
        strict=True,
    )
    found = [
        OperatorKernel(
            name=calls.trace.text(int(events.name_id[row])),
            kind=_KERNEL_KINDS[int(events.kind[row])],
            count=n,
            self_ns=own_ns,
            total_ns=total_ns,
        )
        for row, n, own_ns, total_ns in rows
    ]
    return largest(
        found,
        by=lambda row: -row.total_ns,
        rest=lambda left: OperatorKernel(
            name=f"{len(left)} others",
            kind="rest",
            count=sum(row.count for row in left),
            self_ns=sum(row.self_ns for row in left),
            total_ns=sum(row.total_ns for row in left),
        ),
    )


def pairs(calls: Calls) -> list[OperatorPair]:
    """Forward calls beside the backward calls that autograd made for them, whichever of them the row holds.

    Of nested backward ranges the outermost counts (`evaluate_function`), unless the row is what is inside. Only pairs whose
    two sides both count under the filters.
    """
    tree, trace = calls.tree, calls.trace
    forward = forward_backward(trace).forward
    is_backward = tree.entry & (forward != NONE)
    if not is_backward.any():
        return []
    around = nearest_marked(tree.entry_above, is_backward)  # the backward range a row is or lies in
    rows = np.flatnonzero(is_backward)
    above = tree.entry_above[rows]
    whole = rows[np.where(above == NONE, NONE, around[above]) == NONE]
    entry = nearest_marked(tree.parent, tree.entry)
    # The row's calls as forward side: the call around the forward operator, and the outermost backward range.
    left = calls.holder[entry[forward[whole]]]
    found = _paired(calls, left[left != NONE], whole[left != NONE])
    # The row's calls as backward side, and the forward operator of the range they are or lie in.
    mine = calls.times.row[calls.counted]
    of_mine = around[mine]
    mine, of_mine = mine[of_mine != NONE], of_mine[of_mine != NONE]
    made_by = entry[forward[of_mine]]
    if calls.is_mixed:  # a row that holds both sides has them above
        mine, made_by = (rows[calls.holder[made_by] == NONE] for rows in (mine, made_by))
    found += _paired(calls, made_by, mine)
    found.sort(
        key=lambda pair: (-pair.forward_device_ns - pair.backward_device_ns, -pair.forward_host_ns - pair.backward_host_ns)
    )
    return found[:MOST_ROWS]


def _paired(calls: Calls, forward: Int64Array, backward: Int64Array) -> list[OperatorPair]:
    """Rows side by side, summed by their two names; a forward call with several backward calls counts once."""
    times, trace = calls.times, calls.trace
    both = (forward != NONE) & calls.kept[forward] & calls.kept[backward]
    left, right = calls.place_of_row[forward[both]], calls.place_of_row[backward[both]]
    groups = group_by(times.key[left], times.key[right])
    _, once = np.unique(np.stack((groups.of, left)), axis=1, return_index=True)
    is_first = np.zeros(len(left), np.bool_)
    is_first[once] = True
    columns = (times.host_total_ns, times.device_total_ns)
    rows = zip(
        times.key[left[groups.first]].tolist(),
        times.key[right[groups.first]].tolist(),
        sum_by(groups, is_first.astype(np.int64)).tolist(),
        count_by(groups).tolist(),
        *(sum_by(groups, np.where(is_first, column[left], 0)).tolist() for column in columns),
        *(sum_by(groups, column[right]).tolist() for column in columns),
        strict=True,
    )
    return [
        OperatorPair(
            forward=key_text(trace, forward_key),
            backward=key_text(trace, backward_key),
            forward_count=n_forward,
            backward_count=n_backward,
            forward_host_ns=forward_host,
            forward_device_ns=forward_device,
            backward_host_ns=backward_host,
            backward_device_ns=backward_device,
        )
        for forward_key, backward_key, n_forward, n_backward, forward_host, forward_device, backward_host, backward_device in rows
    ]


def shortened(rows: list[RelatedOperator]) -> list[RelatedOperator]:
    """By device and host time; what is beyond the limit as one row."""
    return largest(
        rows,
        by=lambda row: (-(row.device_ns or 0), -row.host_ns, row.name),
        rest=lambda left: RelatedOperator(
            name=f"{len(left)} others",
            kind="rest",
            count=sum(row.count for row in left),
            host_ns=sum(row.host_ns for row in left),
            device_ns=sum(row.device_ns or 0 for row in left),
        ),
    )


def _related(kind: str) -> RelatedKind:
    return "annotation" if kind == "annotation" else "launch" if kind == "launch" else "operator"
