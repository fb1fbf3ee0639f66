"""Dumps of flight recorders that contradict themselves: a bit that fell over in a file leaves it readable, and blames its rank.

    rank 5   all 13, all 14, all 16     each rank counts for itself: who leaves one out has no gap, and 15 is not in the file
    rank 6   all 38, all 39, all 8      what comes later has a higher number, but for a group that was made again: it begins at 1

A number that no rank has was counted for nothing. Sends are numbered by their pairs (`hang_numbers.py`): they are not held to it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from tb_plugin.trace.collectives.groups import group_title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.trace.collectives.recorder import RecorderDump


def contradict_themselves(dumps: Sequence[RecorderDump]) -> dict[str, str]:
    """Of each such file why: its rank is not one that did not come."""
    numbers = {one.file: _numbers(one) for one in dumps}
    why = {file: said for file, groups in numbers.items() if (said := _goes_back(groups)) is not None}
    issued: defaultdict[tuple[str, str], Counter[int]] = defaultdict(Counter)
    spanned: defaultdict[tuple[str, str], Counter[int]] = defaultdict(Counter)
    lacks: dict[str, list[tuple[tuple[str, str], int]]] = {}
    for file, groups in numbers.items():
        for group, its in groups.items() if file not in why else ():
            issued[group].update(set(its))
    for file, groups in numbers.items():
        for group, its in groups.items() if file not in why else ():
            held, first, last = set(its), min(its), max(its)
            gaps = sorted(number for number in issued[group] if first < number < last and number not in held)
            spanned[group].update(gaps)
            lacks.setdefault(file, []).extend((group, number) for number in gaps)
    for file, lacking in lacks.items():
        for group, number in [(one, at) for one, at in lacking if issued[one][at] >= spanned[one][at]][:1]:
            before = max(one for one in numbers[file][group] if one < number)
            why[file] = f"damaged: it has {before} of {group_title(*group)} and later ones, and not {number}, as others do"
    return why


def _numbers(dump: RecorderDump) -> dict[tuple[str, str], list[int]]:
    """Of each group, in the order of issue."""
    found: dict[tuple[str, str], list[int]] = {}
    for issued in dump.issued:
        if not issued.is_between_two:
            found.setdefault(issued.group, []).append(issued.sequence)
    return found


def _goes_back(groups: dict[tuple[str, str], list[int]]) -> str | None:
    for group, its in groups.items():
        for before, after in pairwise(its):
            if 1 < after < before or after < 0:
                return f"damaged: {before} of {group_title(*group)} is followed by {after} in it"
    return None
