"""The work of both sides in pieces that are compared: one entry per match and kernel, with the way to it in the tree.

    by module      Net_0 > Attention_0 > linear > [[8,4],[2,4]] > sgemm_128x64
    by operator                          linear > [[8,4],[2,4]] > sgemm_128x64
    by category    Matrix multiply     > linear                 > sgemm_128x64
    by kernel                                                     sgemm_128x64

Count and duration are split where calls are matched, and summed upwards: a category has no meaningful number of calls.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from tb_plugin.trace.work.taxonomy import CATEGORIES
from tb_plugin.views.compare.joined.align import align

if TYPE_CHECKING:
    from tb_plugin.views.compare.joined.align import Match
    from tb_plugin.views.compare.joined.side import LeafKey, Side
    from tb_plugin.views.compare.result import By, LongestAt, Matched, RowKind

NOT_ATTRIBUTED: Final = "not attributed"
_ALIKE: Final = ("module, shapes", "module", "shapes", "operator")
"""Matches of the same operators."""
SEVERAL: Final = "(several shapes, or none recorded)"
_TITLES: Final[dict[str, str]] = {info.id: info.title for info in CATEGORIES}


class Step(NamedTuple):
    """Of the way to an entry: a row of the tree."""

    kind: RowKind
    name: str


class MatchedCalls(NamedTuple):
    """Of one match, a step: counted once in each row that holds any of it. `work`: of a call of B as a multiple of A's."""

    match: int
    a: float
    b: float
    matched: Matched
    a_at: LongestAt | None
    b_at: LongestAt | None
    work: float | None = None


@dataclass(frozen=True, kw_only=True)
class Compared:
    """Work of one kernel within one match; `a` and `b` are columns of leaves."""

    way: tuple[Step, ...]
    a: tuple[int, ...]
    b: tuple[int, ...]
    times: tuple[int, int]  # means, ns
    calls: MatchedCalls
    kernels: tuple[float, float]  # a step
    count_ns: int  # of the difference, because there are more or fewer calls; the rest is duration
    size_ns: int | None  # of the duration, because a call has more or less to do; None where that is not known


def entries(a: Side, b: Side, by: By) -> list[Compared]:
    """Each leaf of each side is in exactly one."""
    if by == "kernel":
        return _by_kernel(a, b)
    made = []
    for number, match in enumerate(align(a, b)):
        calls = MatchedCalls(
            match=number,
            a=sum(a.calls[place].calls for place in match.a),
            b=sum(b.calls[place].calls for place in match.b),
            matched=match.matched,
            a_at=max((a.calls[place].longest for place in match.a), key=_length, default=None),
            b_at=max((b.calls[place].longest for place in match.b), key=_length, default=None),
            work=_work(a, b, match),
        )
        for kernel, (own_a, own_b) in _kernels(a, b, match).items():
            category, name = kernel
            made.append(_entry(a, b, _way(match, by, category, name, a), own_a, own_b, calls))
    return made


def step_of(leaf: LeafKey, by: By, names: dict[str, str]) -> Step:
    """The row of a leaf where rows are not matched between two, but each has its own name. `names`: of its modules."""
    call = leaf.call
    if by == "kernel":
        return Step("kernel", leaf.kernel)
    if by == "category":
        return Step("category", _TITLES.get(leaf.category, leaf.category))
    if by == "module" and call.module:
        return Step("module", names.get(call.module, call.module))
    return Step("operator", call.operator) if call.operator else Step("not_attributed", NOT_ATTRIBUTED)


def _way(match: Match, by: By, category: str, kernel: str, a: Side) -> tuple[Step, ...]:
    operator = Step("operator", match.operator) if match.operator else Step("not_attributed", NOT_ATTRIBUTED)
    last = () if a.sums[0].basis == "host" else (Step("kernel", kernel),)
    if by == "category":
        return (Step("category", _TITLES.get(category, category)), operator, *last)
    # Without kernels below, calls of an operator with and without one shape have to be told apart here.
    shapes = (Step("shapes", match.shapes or SEVERAL),) if match.shapes or not last else ()
    within = (Step("category", _TITLES.get(category, category)),) if not match.operator else shapes
    modules = tuple(Step("module", name) for name in match.module.split("/")) if by == "module" and match.module else ()
    return (*modules, operator, *within, *last)


def _kernels(a: Side, b: Side, match: Match) -> dict[tuple[str, str], tuple[list[int], list[int]]]:
    """By category and name: the columns of each side."""
    found: dict[tuple[str, str], tuple[list[int], list[int]]] = {}
    for which, side, places in ((0, a, match.a), (1, b, match.b)):
        for place in places:
            for leaf in side.calls[place].leaves:
                key = side.leaves[leaf]
                found.setdefault((key.category, key.kernel), ([], []))[which].append(leaf)
    return found


def _by_kernel(a: Side, b: Side) -> list[Compared]:
    found: dict[str, tuple[list[int], list[int]]] = {}
    for which, side in enumerate((a, b)):
        for leaf, key in enumerate(side.leaves):
            found.setdefault(key.kernel, ([], []))[which].append(leaf)
    longest = [_longest_by_kernel(side) for side in (a, b)]
    made = []
    for number, (kernel, (own_a, own_b)) in enumerate(sorted(found.items())):
        calls = MatchedCalls(
            match=number,
            a=float(a.leaf_counts[own_a].sum()),
            b=float(b.leaf_counts[own_b].sum()),
            matched="kernel" if own_a and own_b else "removed" if own_a else "added",
            a_at=longest[0].get(kernel),
            b_at=longest[1].get(kernel),
        )
        made.append(_entry(a, b, (Step("kernel", kernel),), own_a, own_b, calls))
    return made


def _longest_by_kernel(side: Side) -> dict[str, LongestAt]:
    """Only of calls with one kernel: of others it is not known which one was the longest."""
    found: dict[str, LongestAt] = {}
    for call in side.calls:
        if len(call.leaves) == 1:
            kernel = side.leaves[call.leaves[0]].kernel
            found[kernel] = max(found.get(kernel, call.longest), call.longest, key=_length)
    return found


def _entry(a: Side, b: Side, way: tuple[Step, ...], own_a: list[int], own_b: list[int], calls: MatchedCalls) -> Compared:
    a_ns, b_ns = int(a.leaf_ns[own_a].sum()), int(b.leaf_ns[own_b].sum())
    return Compared(
        way=way,
        a=tuple(own_a),
        b=tuple(own_b),
        times=(a_ns, b_ns),
        calls=calls,
        kernels=(float(a.leaf_counts[own_a].sum()), float(b.leaf_counts[own_b].sum())),
        count_ns=_by_count(a_ns, b_ns, calls),
        size_ns=_by_size(a_ns, calls),
    )


def _by_count(a_ns: int, b_ns: int, calls: MatchedCalls) -> int:
    """(nB - nA) x the mean time of a call. What is on one side alone, or is replaced by something else, is all count."""
    if not calls.a or not calls.b or calls.matched in ("replaced", "compiled"):
        return b_ns - a_ns
    return round((calls.b - calls.a) * (a_ns / calls.a + b_ns / calls.b) / 2)


def _by_size(a_ns: int, calls: MatchedCalls) -> int | None:
    """What a call of B would take more at A's rate, for the mean number of calls."""
    if calls.work is None or not calls.a:
        return None
    return round((calls.work - 1) * a_ns / calls.a * (calls.a + calls.b) / 2)


def _work(a: Side, b: Side, match: Match) -> float | None:
    """By FLOPs, or where there are none by bytes. Of the same shapes it is the same work, whatever is known of it."""
    if match.matched not in _ALIKE or not match.a or not match.b:
        return None
    if match.shapes:
        return 1.0
    for name in ("flops", "bytes"):
        amounts = [_mean_work(side, places, name) for side, places in ((a, match.a), (b, match.b))]
        if all(amounts):
            return float(amounts[1] or 0) / float(amounts[0] or 1)
    return None


def _mean_work(side: Side, places: tuple[int, ...], name: str) -> float | None:
    """Of a call."""
    of = [(getattr(side.calls[place], name), side.calls[place].calls) for place in places]
    calls = sum(number for _, number in of)
    return None if any(amount is None for amount, _ in of) or not calls else sum(amount * number for amount, number in of) / calls


def _length(place: LongestAt) -> int:
    return place.lasted_ns
