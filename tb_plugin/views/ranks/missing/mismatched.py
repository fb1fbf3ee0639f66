"""Collectives that their members did not issue alike: a bug in the job, each with who issued what."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, format_bytes
from tb_plugin.views.ranks.basis.names import counted
from tb_plugin.views.ranks.basis.sorts import sort_name

if TYPE_CHECKING:
    from tb_plugin.views.ranks.basis.analysed import Analysed

_MOST: Final = 3


def on_mismatches(of: Analysed) -> list[str]:
    """The first ones in sentences, the others counted."""
    places = np.flatnonzero(of.job.matched.is_mismatch)
    said = [_sentence(of, place) for place in places[:_MOST].tolist()]
    n_more = len(places) - len(said)
    if n_more:
        differ = "One more collective differs" if n_more == 1 else f"{n_more:,} more collectives differ"
        said.append(f"{differ} so between ranks.")
    return said


def _sentence(of: Analysed, place: int) -> str:
    """`Number 7 of the tensor collectives of group 1 in step 10 is not one call on all its ranks, ...`."""
    job, rows = of.job, of.job.rows
    members = np.flatnonzero(job.matched.of == place)
    calls: defaultdict[str, list[int]] = defaultdict(list)
    for row in members.tolist():
        calls[_call(of, row)].append(job.of.numbers[int(rows.rank[row])])
    dimension = of.dimensions.names[int(of.dimensions.of_rows(rows.group[members[:1]])[0])]
    sequence, step = int(rows.sequence[members[0]]), int(rows.step[members[0]])
    number = f"Number {sequence:,}" if sequence != NONE else "One"
    when = f" in step {step}" if step != NONE else ""
    group = job.table.groups[int(rows.group[members[0]])]
    whose = f"of the {dimension} collectives of group {group.name}" if group.name else f"of the {dimension} collectives"
    sides = sorted(calls.items(), key=lambda side: -len(side[1]))
    who = "; ".join(f"{counted('rank', numbers)}: {call}" for call, numbers in sides)
    return f"{number} {whose}{when} is not one call on all its ranks, a bug in the job: {who}."


def _call(of: Analysed, row: int) -> str:
    """What this member issued."""
    rows, place = of.job.rows, int(of.job.rows.rank[row])
    rank, size = of.job.of.ranks[place], int(rows.size[row])
    dtype = int(rank.collectives["dtype"][row - int(of.job.rows_of(place)[0])])
    text = sort_name(int(rows.kind[row]))
    text += f" of {format_bytes(size)}" if size != NONE else ""
    return text + (f" {rank.summary.dtypes[dtype]}" if dtype != NONE else "")
