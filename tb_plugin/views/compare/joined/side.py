"""One side of a comparison: the steps of a recording, or several recordings of one program, as columns.

units    rows: the steps of one recording; of several the mean step of each, since steps of one recording are not independent
leaf     column: the work of one kernel name in calls of one module, operator, shapes and types
means    whole numbers, over units; leaves and idle uses together sum to the mean step
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.errors import NotFoundError
from tb_plugin.compute.whole_mean import whole_mean
from tb_plugin.trace.scope import ranges
from tb_plugin.views.compare.result import LongestAt, StepDot
from tb_plugin.views.compare.sums.result import OTHERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.views.compare.result import CompareParams
    from tb_plugin.views.compare.sums.result import CallSums, LineSums, ProfileSums

_OUTLIER_MADS: Final = 5
_OUTLIER_SHARE: Final = 0.1


class CallKey(NamedTuple):
    """What calls of several recordings are the same by."""

    module: str
    operator: str
    shapes: str
    types: str


class LeafKey(NamedTuple):
    """Work of one kernel name within such calls."""

    call: CallKey
    kernel: str
    category: str


@dataclass(frozen=True, kw_only=True)
class OneCall:
    """The calls of one key; figures are means per step."""

    key: CallKey
    name: str
    calls: float
    first_ns: int
    longest: LongestAt
    flops: float | None  # a call; None: not known of all
    bytes: float | None
    leaves: tuple[int, ...]  # columns


class OneLine(NamedTuple):
    """A place of the host that devices waited for."""

    text: str
    inside: str
    longest: LongestAt | None


@dataclass(frozen=True, kw_only=True)
class Side:
    """As the module's head draws it."""

    sums: tuple[ProfileSums, ...]
    steps: list[StepDot]
    step_units: Int64Array  # duration of each unit; of several recordings the median step of each
    part_units: Int64Array  # unit x part
    use_units: Int64Array  # unit x use
    line_units: Int64Array  # unit x line: the last of the uses by places of the host
    leaf_units: Int64Array  # unit x leaf
    exposed_units: Int64Array
    undisturbed_units: Int64Array  # a recording each; none where it is not known, or of other steps
    part_ns: Int64Array  # means
    use_ns: Int64Array
    line_ns: Int64Array
    leaf_ns: Int64Array
    leaf_counts: Float64Array  # of kernels, a step
    leaves: list[LeafKey]
    lines: list[OneLine]  # none where they are not known
    calls: list[OneCall]

    @property
    def mean_ns(self) -> int:
        return int(self.part_ns.sum())

    @property
    def median_ns(self) -> int:
        return int(np.median(self.step_units).round())

    @property
    def n_units(self) -> int:
        return len(self.step_units)


def side(sums: Sequence[ProfileSums], params: CompareParams, steps: str = "") -> Side:
    """`steps`: of this side, of whatever kind. Raises NotFoundError where a recording has no such steps."""
    chosen = [_numbered(one, steps) if steps else _chosen(one, params) for one in sums]
    leaves = sorted(
        {LeafKey(_key(call), kernel.name, kernel.category) for one in sums for call in one.calls for kernel in call.kernels}
    )
    place = {leaf: column for column, leaf in enumerate(leaves)}
    lines = _lines(sums)
    tables = [_table(one, steps, place, [line.text for line in lines]) for one, steps in zip(sums, chosen, strict=True)]
    if len(tables) == 1:
        units, step_units, part_units, use_units = tables[0].units, tables[0].duration, tables[0].parts, tables[0].uses
        exposed = tables[0].exposed
    else:
        units = np.array([whole_mean(table.units) for table in tables])
        step_units, part_units, use_units, exposed = (
            np.array([np.median(getattr(table, name), axis=0).round() for table in tables]).astype(np.int64)
            for name in ("duration", "parts", "uses", "exposed")
        )
    mean = whole_mean(units)
    n_told = tables[0].uses.shape[1] - 2  # uses that are one column each; the last is its lines
    n_idle = n_told + max(len(lines), 1)
    means_of_parts = tables[0].parts if len(tables) == 1 else np.array([whole_mean(table.parts) for table in tables])
    leaf_ns = mean[n_idle:]
    return Side(
        sums=tuple(sums),
        steps=_dots(sums, chosen),
        step_units=step_units,
        part_units=part_units,
        use_units=use_units,
        line_units=units[:, n_told:n_idle],
        leaf_units=units[:, n_idle:],
        exposed_units=exposed,
        undisturbed_units=_undisturbed(sums, params, steps),
        part_ns=whole_mean(means_of_parts),
        use_ns=np.concatenate(([leaf_ns.sum()], mean[:n_told], [mean[n_told:n_idle].sum()])),
        line_ns=mean[n_told:n_idle],
        leaf_ns=leaf_ns,
        leaf_counts=np.mean([table.counts for table in tables], axis=0),
        leaves=leaves,
        lines=lines,
        calls=_calls(sums, chosen, place),
    )


def _undisturbed(sums: Sequence[ProfileSums], params: CompareParams, steps: str) -> Int64Array:
    known = [one.undisturbed_ns for one in sums if one.undisturbed_ns is not None]
    is_of_these = len(known) == len(sums) and params.kind == 0 and not params.steps and not steps
    return np.array(known if is_of_these else [], np.int64)


class _Table(NamedTuple):
    """Of one recording: a row a step."""

    duration: Int64Array
    parts: Int64Array
    uses: Int64Array
    exposed: Int64Array
    units: Int64Array  # idle uses, the last by lines, then leaves: together they sum to the step
    counts: Float64Array  # of kernels, a step


def _lines(sums: Sequence[ProfileSums]) -> list[OneLine]:
    """In the order of their texts. What a recording does not tell is at other places."""
    found: dict[str, tuple[LineSums, int]] = {}
    for recording, one in enumerate(sums):
        for line in one.lines:
            if line.text not in found or (line.longest_for_ns or 0) > (found[line.text][0].longest_for_ns or 0):
                found[line.text] = line, recording
    made = [OneLine(text, line.inside, _longest(line, recording)) for text, (line, recording) in sorted(found.items())]
    is_told = all(one.lines for one in sums) or OTHERS in found
    return made if is_told or not made else [*made, OneLine(OTHERS, "", None)]


def _longest(line: LineSums, recording: int) -> LongestAt | None:
    if line.longest_ns is None or line.longest_for_ns is None:
        return None
    return LongestAt(recording=recording, start_ns=line.longest_ns, lasted_ns=line.longest_for_ns)


def _waiting(sums: ProfileSums, lines: list[str], last_use: Int64Array) -> Int64Array:
    """A row a step, a column for each of these places; without places the use itself."""
    if not lines:
        return last_use[:, np.newaxis]
    waiting = np.zeros((len(sums.steps), len(lines)), np.int64)
    place = {text: column for column, text in enumerate(lines)}
    for line in sums.lines:
        waiting[:, place[line.text]] += line.idle_ns
    if not sums.lines:
        waiting[:, place[OTHERS]] = last_use
    return waiting


def _table(sums: ProfileSums, steps: Int64Array, place: dict[LeafKey, int], lines: list[str]) -> _Table:
    wall = np.zeros((len(sums.steps), len(place)), np.int64)
    counts = np.zeros(len(place))
    for call in sums.calls:
        for kernel in call.kernels:
            column = place[LeafKey(_key(call), kernel.name, kernel.category)]
            wall[:, column] += kernel.wall_ns
            counts[column] += kernel.count / len(sums.steps)
    of = [sums.steps[step] for step in steps.tolist()]
    uses = np.array([one.uses for one in of], np.int64)
    waiting = _waiting(sums, lines, np.array([step.uses[-1] for step in sums.steps], np.int64))[steps]
    return _Table(
        duration=np.array([one.duration_ns for one in of], np.int64),
        parts=np.array([one.parts for one in of], np.int64),
        uses=uses,
        exposed=np.array([one.exposed_communication_ns for one in of], np.int64),
        units=np.column_stack((uses[:, 1:-1], waiting, wall[steps])),
        counts=counts,
    )


def _chosen(sums: ProfileSums, params: CompareParams) -> Int64Array:
    """Places of the steps that count."""
    kinds = np.array([step.kind for step in sums.steps])
    is_chosen = kinds == params.kind
    if not is_chosen.any():
        raise NotFoundError(
            f"{sums.recorded.source}: there is no kind {params.kind} of steps, but {kinds.max() + 1} kinds from 0"
        )
    if params.steps and sums.unit == "step":
        numbered = np.intersect1d(_numbered(sums, params.steps), np.flatnonzero(is_chosen))
        if len(numbered) == 0:
            raise NotFoundError(f"steps={params.steps}: {sums.recorded.source} has none of that kind")
        return numbered
    return np.flatnonzero(is_chosen)


def _numbered(sums: ProfileSums, steps: str) -> Int64Array:
    """Places of the complete steps of these numbers."""
    numbers = [step.number for step in sums.steps] if sums.unit == "step" else []
    return np.flatnonzero(ranges.chosen(steps, "complete steps", np.array(numbers, np.int64)))


def _key(call: CallSums) -> CallKey:
    return CallKey(call.module, call.operator, call.shapes, call.types)


def _calls(sums: Sequence[ProfileSums], chosen: list[Int64Array], place: dict[LeafKey, int]) -> list[OneCall]:
    """In the order of their keys."""
    found: dict[CallKey, list[tuple[int, CallSums]]] = {}
    for recording, one in enumerate(sums):
        for call in one.calls:
            found.setdefault(_key(call), []).append((recording, call))
    made = []
    for key in sorted(found):
        of = found[key]
        recording, longest = max(of, key=lambda one: one[1].longest_for_ns)
        calls = sum(float(np.mean(np.array(call.calls)[chosen[at]])) for at, call in of) / len(sums)
        made.append(
            OneCall(
                key=key,
                name=min(call.name for _, call in of),
                calls=calls,
                first_ns=min(call.first_ns for _, call in of),
                longest=LongestAt(recording=recording, start_ns=longest.longest_ns, lasted_ns=longest.longest_for_ns),
                flops=_a_call([call.flops for _, call in of], [sum(call.calls) for _, call in of]),
                bytes=_a_call([call.bytes for _, call in of], [sum(call.calls) for _, call in of]),
                leaves=tuple(
                    sorted({place[LeafKey(key, kernel.name, kernel.category)] for _, call in of for kernel in call.kernels})
                ),
            )
        )
    return made


def _a_call(amounts: Sequence[int | None], calls: Sequence[int]) -> float | None:
    n_calls, known = sum(map(int, calls)), [amount for amount in amounts if amount is not None]
    return sum(known) / n_calls if n_calls and len(known) == len(amounts) else None


def _dots(sums: Sequence[ProfileSums], chosen: list[Int64Array]) -> list[StepDot]:
    dots = []
    for recording, (one, places) in enumerate(zip(sums, chosen, strict=True)):
        of = [one.steps[step] for step in places.tolist()]
        lasting = np.array([step.duration_ns for step in of])
        median = float(np.median(lasting))
        limit = median + max(_OUTLIER_MADS * float(np.median(np.abs(lasting - median))), _OUTLIER_SHARE * median)
        dots += [
            StepDot(
                number=step.number,
                start_ns=step.start_ns,
                lasted_ns=step.duration_ns,
                recording=recording,
                outlier=step.duration_ns > limit,
            )
            for step in of
        ]
    return dots
