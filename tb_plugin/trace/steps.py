"""Steps: the host's `ProfilerStep#N` ranges, each once. Copies of them on the device's streams are not steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tb_plugin.base.units import NONE, Int32Array, Int64Array
from tb_plugin.trace.kinds import DEVICE_KINDS, STEP_NAME, Kind, is_kind
from tb_plugin.trace.links import host_ranges
from tb_plugin.trace.model import Issue
from tb_plugin.trace.queued import queued

if TYPE_CHECKING:
    from collections.abc import Mapping


def find(
    columns: dict[str, npt.NDArray[Any]], strings: list[str], unfinished_rows: Int32Array
) -> tuple[dict[str, npt.NDArray[Any]], list[Issue]]:
    """(columns of `model.Steps` by start, issues). A step is incomplete when the recording ended inside it.

    A number that comes again on its thread, after its range before, is a step of its own: a restarted profiler, files put
    together. One that comes again on another thread, or inside the range before, is the same step and counts once.
    """
    number_of_name = {place: int(m[1]) for place, text in enumerate(strings) if (m := STEP_NAME.match(text))}
    named = np.isin(columns["name_id"], list(number_of_name)) & (columns["kind"] == Kind.ANNOTATION)
    rows = np.flatnonzero(named)
    rows = rows[np.argsort(columns["start_ns"][rows], kind="stable")]
    numbers = np.array([number_of_name[name] for name in columns["name_id"][rows].tolist()], np.int64)
    kept = _kept(numbers, columns["track"][rows], columns["start_ns"][rows], columns["end_ns"][rows])
    issues = []
    if len(kept) < len(rows):
        text = "steps recorded more than once count once, with their first range"
        issues.append(Issue(kind="repeated step", count=len(rows) - len(kept), text=text))
    rows, numbers = rows[kept], numbers[kept]
    if n_again := len(numbers) - len(set(numbers.tolist())):
        text = "steps have a number that another one before them had; each counts, and the filter for steps takes both"
        issues.append(Issue(kind="repeated number", count=n_again, text=text))
    complete = ~np.isin(rows, unfinished_rows)
    if not complete.all():
        text = "steps that were still running when the recording ended; they are marked and not averaged"
        issues.append(Issue(kind="incomplete step", count=int((~complete).sum()), text=text))
    table: dict[str, npt.NDArray[Any]] = {
        "number": numbers,
        "row": rows.astype(np.int32),
        "start_ns": columns["start_ns"][rows],
        "end_ns": columns["end_ns"][rows],
        "complete": complete,
    }
    return table, issues


def _kept(numbers: Int64Array, track: Int32Array, start_ns: Int64Array, end_ns: Int64Array) -> list[int]:
    """Places of ranges, by start, that are steps of their own."""
    kept: list[int] = []
    last: dict[int, int] = {}  # number -> place of its last step
    for place, number in enumerate(numbers.tolist()):
        before = last.get(number)
        if before is None or (track[place] == track[before] and start_ns[place] >= end_ns[before]):
            kept.append(place)
            last[number] = place
    return kept


def assign(table: dict[str, npt.NDArray[Any]], columns: Mapping[str, npt.NDArray[Any]]) -> Int32Array:
    """The step of each row: the one its start lies in; for device rows the one their launch lies in, if it is known, and none
    where they stood in a queue when the recording began. A range of the host that is drawn on a device is in the host's step.
    """
    start_ns, launch = columns["start_ns"], columns["launch"]
    if len(table["start_ns"]) == 0:
        return np.full(len(start_ns), NONE, np.int32)
    place = np.searchsorted(table["start_ns"], start_ns, side="right") - 1
    inside = (place >= 0) & (start_ns < table["end_ns"][np.maximum(place, 0)])
    step = np.where(inside, place, NONE).astype(np.int32)
    step = np.where(launch >= 0, step[np.maximum(launch, 0)], step).astype(np.int32)
    ranges, on_host = host_ranges(columns["kind"], columns["name_id"], columns["external_id"], start_ns)
    step[ranges] = step[on_host]
    work = np.flatnonzero(is_kind(columns["kind"], DEVICE_KINDS))
    is_launched = launch[work] >= 0
    start, end, track = (columns[name][work] for name in ("start_ns", "end_ns", "track"))
    step[work[queued(start, end, track, is_launched, is_launched & (step[work] != NONE))]] = NONE
    return step
