"""The longest chain of a step: by what and rank, and in a sentence."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, format_ns
from tb_plugin.compute.intervals import length
from tb_plugin.trace.collectives.dimensions import NOT_RECORDED
from tb_plugin.views.ranks.basis.on_job import in_profile
from tb_plugin.views.ranks.missing.lacking import named
from tb_plugin.views.ranks.missing.missing import absent, who_is_not_here, without_dimension
from tb_plugin.views.ranks.result import PathRow

if TYPE_CHECKING:
    from tb_plugin.job.replay.critical_path import PathClass, Piece
    from tb_plugin.views.ranks.basis.analysed import Analysed

_WORDS: Final[dict[PathClass, str]] = {
    "compute": "computing",
    "transfer": "moving data",
    "untold": "waiting or moving data",
    "input": "loader",
    "pause": "host pause",
    "copy": "copying",
    "host": "host",
    "launch": "launch",
    "gap": "gap between kernels",
    "sync": "host's return",
}
_NOT_HERE: Final = "waiting for who is not here or moving data"
_UNTOLD: Final = (_NOT_HERE, _WORDS["untold"])
"""Who came last is not told: this time is nobody's own."""
_ERRORS: Final = 3.0
_WORTH_A_WORD: Final = 0.02
_MOST_WORDS: Final = 4


def path_rows(of: Analysed) -> list[PathRow]:
    """What takes longest first."""
    found: Counter[tuple[str, int | None]] = Counter()
    longest: dict[tuple[str, int | None], Piece] = {}
    shared = ends_on_several(of)
    for path in of.paths:
        for piece in path.pieces:
            is_own = piece.what != "untold" and piece.row not in shared
            rank = of.job.of.ranks[piece.rank].number if is_own else None
            key = _what(of, piece), rank
            found[key] += round(piece.end) - round(piece.start)
            longest[key] = max(longest.get(key, piece), piece, key=_length)
    # Of sums, so that the rounded rows add up to the rounded whole.
    sums = np.cumsum([0, *(ns for _, ns in found.most_common())])
    total, mean = max(int(sums[-1]), 1), np.round(sums / max(len(of.paths), 1)).astype(np.int64)
    return [
        PathRow(
            what=what,
            rank=rank,
            path_ns=int(path_ns),
            path_share=ns / total,
            longest_piece_ns=None if rank is None else round(_length(longest[what, rank])),
            piece_at_ns=None if rank is None else in_profile(of.job, longest[what, rank].rank, round(longest[what, rank].start)),
        )
        for ((what, rank), ns), path_ns in zip(found.most_common(), np.diff(mean), strict=True)
        if ns
    ]


def _length(piece: Piece) -> float:
    return piece.end - piece.start


def who_may_have_come_last(of: Analysed) -> str:
    """To the collectives of the path of which that is not known."""
    rows = [piece.row for path in of.paths for piece in path.pieces if piece.what == "untold"]
    ranks = absent(of, np.array(rows, np.int64))
    lack = of.job.of.lack_device
    cut = of.job.of.in_no_whole_step if of.job.left_out else []
    off = [place for place in of.job.left_out if place not in (*lack, *cut)]
    if not length(ranks) and not of.job.left_out and len(of.job.of.ranks) == of.job.of.world_size:
        some = without_dimension(of)
        return (
            f"to which {named(of, some)}, whose groups are not recorded," if some else "which could not be matched, another rank"
        )
    who = [who_is_not_here(ranks)] if length(ranks) or not of.job.left_out else []
    who += [f"{named(of, lack)}, of whose device nothing is recorded,"] if lack else []
    who += [f"{named(of, off)}, whose clock cannot be tied,"] if off else []
    who += [f"{named(of, cut)}, of which no whole step is recorded,"] if cut else []
    return f"to which {' or '.join(who)}"


def path_ahead_ns(of: Analysed) -> int | None:
    """Mean over the steps; None without a path."""
    return round(sum(path.ahead_ns for path in of.paths) / len(of.paths)) if of.paths else None


def ends_on_several(of: Analysed) -> set[int]:
    """Rows on the path whose collective ends on another member too, as far as the clocks can tell: by which of them the path
    goes on is chance.
    """
    job = of.job
    rows = {piece.row for path in of.paths for piece in path.pieces if piece.row != NONE}
    known = np.flatnonzero(np.isin(job.matched.of, job.matched.of[list(rows)]) & job.waits.is_known)
    of_instance: dict[int, list[int]] = {}
    for instance, end in zip(job.matched.of[known].tolist(), job.waits.end[known].tolist(), strict=True):
        of_instance.setdefault(instance, []).append(end)
    near = _ERRORS * of.clock_error_ns
    return {
        row
        for row in rows
        if sum(abs(end - int(job.waits.end[row])) <= near for end in of_instance.get(int(job.matched.of[row]), ())) > 1
    }


def _what(of: Analysed, piece: Piece) -> str:
    word = _WORDS[piece.what]
    if piece.what == "untold" and (instance := int(of.job.matched.of[piece.row])) != NONE:
        word = word if of.job.matched.is_complete[instance] or of.job.left_out else _NOT_HERE
    if piece.row == NONE:
        return word
    dimension = of.dimensions.names[int(of.dimensions.of_group[of.job.rows.group[piece.row]])]
    return word if dimension == NOT_RECORDED else f"{word}: {dimension}"


def chain(rows: list[PathRow], ahead_ns: int | None, last: str, step: str = "a step") -> str | None:
    """What the chain goes by on, by kind, and the rank with most of it; what is nobody's for certain; and how much of it was done
    ahead, where that is much. `last`: who may have come last to what is not told; `step`: what it is of.
    """
    if not rows:
        return None
    by_what: Counter[str] = Counter()
    by_rank: Counter[int] = Counter()
    for row in rows:
        by_what[row.what] += row.path_ns
        if row.rank is not None:
            by_rank[row.rank] += row.path_ns
    total = max(by_what.total(), 1)
    parts = [f"{what} {percent(ns / total)}" for what, ns in by_what.most_common(_MOST_WORDS) if ns >= _WORTH_A_WORD * total]
    untold = sum(row.path_ns for row in rows if row.what.startswith(_UNTOLD))
    shared = total - by_rank.total() - untold
    on = [f"{percent(most / total)} of it is on rank {rank}" for rank, most in by_rank.most_common(1)]
    on += [f"{percent(shared / total)} on several ranks at once"] if shared else []
    if untold >= _WORTH_A_WORD * total:
        then = "may have come last: what comes before these is then not the path"
        on.append(f"{percent(untold / total)} in collectives {last} {then}")
    said = f"The critical path of {step}, {format_ns(total)}, is {', '.join(parts)}{'; ' if on else ''}{', '.join(on)}."
    if ahead_ns is None or ahead_ns < _WORTH_A_WORD * total:
        return said
    begun = f"began {format_ns(ahead_ns)} before the last rank began the step"
    return f"{said} It starts from what ranks that were ahead {begun}; that time is not in it."
