"""A row for each rank of the world that has no figures, with the reason: a broken file, another job's, or none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tb_plugin.base.rank_names import number_in_name
from tb_plugin.compute.intervals import length, subtract
from tb_plugin.views.ranks.missing.missing import as_ranges, is_among, missing_numbers
from tb_plugin.views.ranks.result import AbsentRank

if TYPE_CHECKING:
    from tb_plugin.compute.intervals import Merged
    from tb_plugin.views.ranks.basis.analysed import Analysed
    from tb_plugin.views.ranks.result import RankMember

_MOST_ALONE: Final = 16
_MOST_ROWS: Final = 64
_MOST_LISTED: Final = 10_000
"""More than any job that was recorded has; the rest is counted."""
_BEFORE: Final = re.compile(r"\A(?:\S+\.\S+: )?(?:not a PyTorch profile: )?(?:the )?")
"""The file's name, which the rank says, and what any broken file is."""


def absent_rows(of: Analysed, others: list[RankMember]) -> list[AbsentRank]:
    """In the order of their numbers; one row of more than 16 ranks of one reason, and of what is left beyond 64 rows."""
    missing, said = missing_numbers(of, others), _reasons(of, others)
    without, of_nobody = subtract(missing, as_ranges(said)), _of_nobody(others)
    listed = _first(without)
    by: dict[str, list[int]] = {}
    for number, reason in sorted({**dict.fromkeys(listed, of_nobody), **said}.items()):
        by.setdefault(reason, []).append(number)
    n_more = {of_nobody: length(without) - len(listed)}
    rows = [
        AbsentRank(ranks=ranks, reason=reason, n_more=n_more.get(reason, 0))
        for reason, numbers in by.items()
        for ranks in ([numbers] if len(numbers) > _MOST_ALONE else [[number] for number in numbers])
    ]
    rows.sort(key=lambda row: row.ranks[0])
    left, more = [number for row in rows[_MOST_ROWS:] for number in row.ranks], sum(row.n_more for row in rows[_MOST_ROWS:])
    other = AbsentRank(ranks=sorted(left), reason="for other reasons: see the notes", n_more=more)
    return [*rows[:_MOST_ROWS], *([other] if left else [])]


def _first(numbers: Merged) -> list[int]:
    listed: list[int] = []
    for low, end in zip(numbers.start.tolist(), numbers.end.tolist(), strict=True):
        listed += range(low, min(end, low + _MOST_LISTED - len(listed)))
    return listed


def why_absent(of: Analysed, others: list[RankMember], number: int) -> str | None:
    """None of a rank that is here, or that the job does not have."""
    said = _reasons(of, others).get(number)
    return said or (_of_nobody(others) if is_among(number, missing_numbers(of, others)) else None)


def _reasons(of: Analysed, others: list[RankMember]) -> dict[int, str]:
    """Of those that a file names. Who is still read has no row: nothing is known of it."""
    said, missing = dict[int, str](), missing_numbers(of, others)
    here, world = set(of.job.of.numbers), of.job.of.world_size
    for one in sorted(others, key=lambda one: one.state == "failed"):  # the own broken file says more than another job's
        number = number_in_name(one.worker)
        if number is None or number in here or one.reason is None:
            continue
        # Where the size of the world is not recorded, a file that is broken is of a rank all the same.
        if is_among(number, missing) or (world is None and one.state == "failed"):
            said[number] = _BEFORE.sub("", one.reason).removesuffix(".")
    return said


def _of_nobody(others: list[RankMember]) -> str:
    """Of a rank that no file's name says: one that cannot be read may be its own."""
    nameless = [one for one in others if number_in_name(one.worker) is None]
    if any(one.state not in ("failed", "ready") for one in nameless):
        return "no file, or not read yet"
    return "no file that can be read" if any(one.state == "failed" for one in nameless) else "no file"
