"""Steps: the host's `ProfilerStep#N` ranges, each once. Copies of them on the device's streams are not steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tb_plugin.base.units import NONE, Int32Array, Int64Array
from tb_plugin.trace.kinds import STEP_NAME, Kind
from tb_plugin.trace.model import Issue


def find(
    columns: dict[str, npt.NDArray[Any]], strings: list[str], unfinished_rows: Int32Array
) -> tuple[dict[str, npt.NDArray[Any]], list[Issue]]:
    """(columns of `model.Steps` by start, issues). A step is incomplete when the recording ended inside it.

    A number that comes twice (files of several processes put together) counts once, with its first range.
    """
    number_of_name = {place: int(m[1]) for place, text in enumerate(strings) if (m := STEP_NAME.match(text))}
    named = np.isin(columns["name_id"], list(number_of_name)) & (columns["kind"] == Kind.ANNOTATION)
    rows = np.flatnonzero(named)
    rows = rows[np.argsort(columns["start_ns"][rows], kind="stable")]
    numbers = np.array([number_of_name[name] for name in columns["name_id"][rows].tolist()], np.int64)
    _, first = np.unique(numbers, return_index=True)
    first.sort()
    issues = []
    if len(first) < len(rows):
        text = "steps recorded more than once count once, with their first range"
        issues.append(Issue(kind="repeated step", count=len(rows) - len(first), text=text))
    rows, numbers = rows[first], numbers[first]
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


def assign(table: dict[str, npt.NDArray[Any]], start_ns: Int64Array, launch: Int32Array) -> Int32Array:
    """The step of each row: the one its start lies in; for device rows the one their launch lies in, if it is known."""
    if len(table["start_ns"]) == 0:
        return np.full(len(start_ns), NONE, np.int32)
    place = np.searchsorted(table["start_ns"], start_ns, side="right") - 1
    inside = (place >= 0) & (start_ns < table["end_ns"][np.maximum(place, 0)])
    step = np.where(inside, place, NONE).astype(np.int32)
    return np.where(launch >= 0, step[np.maximum(launch, 0)], step).astype(np.int32)
