"""Which ranks stand side by side, and why it is these: in words that are true of who is shown."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.errors import UsageError
from tb_plugin.compute.intervals import covers, length
from tb_plugin.trace.scope.ranges import ranges_in

if TYPE_CHECKING:
    from tb_plugin.views.ranks.basis.analysed import Analysed

MOST_LANES: Final = 64
_BY_DEFAULT: Final = 8


def chosen(of: Analysed, wanted: str | None, step: int | None) -> tuple[list[int], list[str]]:
    """Places of the ranks that are asked for, else of those that tell most; and what is to be said of that."""
    numbers = np.array(of.job.of.numbers, np.int64)
    if wanted is None:
        return (list(range(len(numbers))), []) if len(numbers) <= 2 * _BY_DEFAULT else _by_default(of, step)
    asked = ranges_in(wanted, "ranks")
    places: list[int] = np.flatnonzero(covers(asked, numbers)).tolist()
    if not places:
        raise UsageError(f"ranks={wanted[:40]}: there is {numbers.min()} to {numbers.max()}")
    n_left = length(asked) - len(places[:MOST_LANES])
    there = f"there is {numbers.min()} to {numbers.max()}, and room for {MOST_LANES}"
    said = [f"{n_left} of the ranks that were asked for are not shown: {there}."] if n_left else []
    return places[:MOST_LANES], said


def _by_default(of: Analysed, step: int | None) -> tuple[list[int], list[str]]:
    """Who is late and some of the path first; then who is on a slow link or waits for the late ones, and more of the path."""
    n, most = len(of.job.of.ranks), _path_order(of, step)
    late = [place for one, _, _ in of.stragglers[:2] for place in one.members[:2]]
    reasons = (
        ("those that are late", late),
        ("those that have most of the critical path", most[: _BY_DEFAULT // 2]),
        ("some of the hosts of the slow link", _on_slow_link(of)),
        ("members of the late ones' groups", _peers(of, late[:2])),
        ("those that have most of the critical path", most),
        ("the first of the others", list(range(n))),
    )
    why: dict[int, str] = {}
    for words, places in reasons:
        for place in places:
            if len(why) < _BY_DEFAULT:
                why.setdefault(place, words)
    *some, last = dict.fromkeys(why.values())
    return sorted(why), [f"Of all {n:,} ranks {', '.join(some)}{' and ' if some else ''}{last}."]


def _path_order(of: Analysed, step: int | None) -> list[int]:
    on_path: Counter[int] = Counter()
    for piece in (piece for path in of.paths if step in (None, path.step) for piece in path.pieces):
        on_path[piece.rank] += round(piece.end - piece.start)
    return [place for place, _ in on_path.most_common()]


def _on_slow_link(of: Analysed) -> list[int]:
    """The pairs that it is between, or the first ranks of each of its hosts."""
    if of.links.slow is None:
        return []
    pairs = [place for one in of.links.slow.sets for place in one.ranks]
    if pairs:
        return pairs
    hosts = [rank.host for rank in of.job.of.ranks]
    return [place for host in of.links.slow.hosts for place in np.flatnonzero(np.array(hosts) == host)[:2].tolist()]


def _peers(of: Analysed, late: list[int]) -> list[int]:
    numbers = of.job.of.numbers
    at = {number: place for place, number in enumerate(numbers)}
    groups = sorted((group.ranks for group in of.job.table.groups if group.ranks), key=len)
    return [at[number] for place in late for ranks in groups if numbers[place] in ranks for number in ranks if number in at]
