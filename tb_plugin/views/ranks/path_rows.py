"""The longest chain of a step: by what and rank, and in a sentence."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE
from tb_plugin.trace.collectives.dimensions import NOT_RECORDED
from tb_plugin.views.ranks.result import PathRow

if TYPE_CHECKING:
    from tb_plugin.job.critical_path import PathClass, Piece
    from tb_plugin.views.ranks.analysed import Analysed

_WORDS: Final[dict[PathClass, str]] = {
    "compute": "computing",
    "transfer": "moving data",
    "input": "loader",
    "pause": "host pause",
    "host": "host",
    "launch": "launch",
    "gap": "gap between kernels",
    "sync": "host's return",
}
_WORTH_A_WORD: Final = 0.02
_MOST_WORDS: Final = 4


def path_rows(of: Analysed) -> list[PathRow]:
    """What takes longest first."""
    found: Counter[tuple[str, int]] = Counter()
    for path in of.paths:
        for piece in path.pieces:
            found[_what(of, piece), piece.rank] += round(piece.end) - round(piece.start)
    total, n_steps = sum(found.values()), max(len(of.paths), 1)
    return [
        PathRow(
            what=what, rank=of.job.of.ranks[rank].number, path_ns=round(ns / n_steps), path_share=ns / total if total else 0.0
        )
        for (what, rank), ns in found.most_common()
        if ns
    ]


def _what(of: Analysed, piece: Piece) -> str:
    word = _WORDS[piece.what]
    if piece.row == NONE:
        return word
    dimension = of.dimensions.names[int(of.dimensions.of_group[of.job.rows.group[piece.row]])]
    return word if dimension == NOT_RECORDED else f"{word}: {dimension}"


def chain(rows: list[PathRow]) -> str | None:
    """What the chain goes by on, by kind, and the rank with most of it."""
    if not rows:
        return None
    by_what: Counter[str] = Counter()
    by_rank: Counter[int] = Counter()
    for row in rows:
        by_what[row.what] += row.path_ns
        by_rank[row.rank] += row.path_ns
    total = max(by_what.total(), 1)
    parts = [f"{what} {percent(ns / total)}" for what, ns in by_what.most_common(_MOST_WORDS) if ns >= _WORTH_A_WORD * total]
    ((rank, most),) = by_rank.most_common(1)
    share = most / total
    return f"The critical path of a step is {', '.join(parts)}; {percent(share)} of it is on rank {rank}."
