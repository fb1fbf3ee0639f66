"""A row for each rank of the world that has no figures, with the reason: a broken file, another job's, or none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tb_plugin.base.rank_names import number_in_name
from tb_plugin.views.ranks.missing import missing_numbers
from tb_plugin.views.ranks.result import AbsentRank

if TYPE_CHECKING:
    from tb_plugin.views.ranks.analysed import Analysed
    from tb_plugin.views.ranks.result import RankMember

_MOST_ALONE: Final = 16
_MOST_ROWS: Final = 64
_BEFORE: Final = re.compile(r"\A(?:\S+\.\S+: )?(?:not a PyTorch profile: )?(?:the )?")
"""The file's name, which the rank says, and what any broken file is."""


def absent_rows(of: Analysed, others: list[RankMember]) -> list[AbsentRank]:
    """In the order of their numbers; one row of more than 16 ranks of one reason, and of what is left beyond 64 rows."""
    by: dict[str, list[int]] = {}
    for number, reason in sorted(_reasons(of, others).items()):
        by.setdefault(reason, []).append(number)
    rows = [
        AbsentRank(ranks=ranks, reason=reason)
        for reason, numbers in by.items()
        for ranks in ([numbers] if len(numbers) > _MOST_ALONE else [[number] for number in numbers])
    ]
    rows.sort(key=lambda row: row.ranks[0])
    left = [number for row in rows[_MOST_ROWS:] for number in row.ranks]
    return [*rows[:_MOST_ROWS], *([AbsentRank(ranks=sorted(left), reason="for other reasons: see the notes")] if left else [])]


def why_absent(of: Analysed, others: list[RankMember], number: int) -> str | None:
    """None of a rank that is here, or that the job does not have."""
    return _reasons(of, others).get(number)


def _reasons(of: Analysed, others: list[RankMember]) -> dict[int, str]:
    """By number. Who is still read has no row: nothing is known of it."""
    said = {number: _of_nobody(others) for number in missing_numbers(of, others)}
    here, world = set(of.job.of.numbers), of.job.of.world_size
    for one in sorted(others, key=lambda one: one.state == "failed"):  # the own broken file says more than another job's
        number = number_in_name(one.worker)
        if number is None or number in here or one.reason is None:
            continue
        # Where the size of the world is not recorded, a file that is broken is of a rank all the same.
        if number in said or (world is None and one.state == "failed"):
            said[number] = _BEFORE.sub("", one.reason).removesuffix(".")
    return said


def _of_nobody(others: list[RankMember]) -> str:
    """Of a rank that no file's name says: one that cannot be read may be its own."""
    nameless = [one for one in others if number_in_name(one.worker) is None]
    if any(one.state not in ("failed", "ready") for one in nameless):
        return "no file, or not read yet"
    return "no file that can be read" if any(one.state == "failed" for one in nameless) else "no file"
