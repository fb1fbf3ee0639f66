"""Which profiles of a run are one job, by their names and first bytes; `job/recordings/` knows more, once it has read them.

Those of other world sizes are of other jobs. Of one size they are several where two workers say that they are the same rank: then
they are parted by the first of these that leaves no rank twice: when they recorded, what stands before the rank in their names,
their hosts, their process groups. Where none does, nothing here tells which of them go together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

from tb_plugin.base.rank_names import before_number, host_in_name

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

_APART_NS: Final = 60_000_000_000
"""As in `job/recordings/`: clocks of hosts differ by less, and a job takes longer to be started again."""


class SeenProfile(NamedTuple):
    """A profile of a run. None is not told, by its name or its first bytes."""

    worker: str
    rank: int | None = None
    world_size: int | None = None
    when_ns: int | None = None
    host: str | None = None
    groups: frozenset[tuple[str, int]] = frozenset()


class OneJob(NamedTuple):
    """`place`: which of the run's, the largest first, of equal ones the latest. `title`: what tells it apart beside its time.
    `world_size` is None where it is not told, or nobody asked.
    """

    place: int = 0
    title: str = ""
    world_size: int | None = None


ONLY_JOB: Final = OneJob()


def jobs_among(seen: Sequence[SeenProfile]) -> list[OneJob]:
    """Of each profile, in their order."""
    of_size = _by_size(seen)
    parts = [
        (OneJob(title=" · ".join(filter(None, (_sized(size) if len(of_size) > 1 else "", title))), world_size=size), part)
        for size, every in of_size.items()
        for title, part in (_parted(every) if size is not None else [("", every)])
    ]
    parts.sort(key=lambda one: (-len({each.worker for each in one[1]}), -max(each.when_ns or 0 for each in one[1])))
    found = {id(each): job._replace(place=place) for place, (job, part) in enumerate(parts) for each in part}
    return [found[id(each)] for each in seen]


def _sized(size: int | None) -> str:
    return "job size not recorded" if size is None else f"job of {size}"


def _by_size(seen: Sequence[SeenProfile]) -> dict[int | None, list[SeenProfile]]:
    """One whose size is not told is of the only job there is, else of the only one that lacks its rank."""
    told: defaultdict[int | None, list[SeenProfile]] = defaultdict(list)
    for one in seen:
        if one.world_size is not None:
            told[one.world_size].append(one)
    ranks = {size: {one.rank for one in of} for size, of in told.items()}
    for one in seen:
        if one.world_size is None:
            fitting = [size for size in ranks if one.rank is not None and one.rank < (size or 0) and one.rank not in ranks[size]]
            sizes = list(ranks) if len(ranks) == 1 else fitting
            told[sizes[0] if len(sizes) == 1 else None].append(one)
    return told


def _parted(part: list[SeenProfile]) -> list[tuple[str, list[SeenProfile]]]:
    """(what tells it apart, its profiles) of each job of one size."""
    most = _most_alike(part)
    if most < 2:
        return [("", part)]
    for rule, n_parts in _RULES:
        of: defaultdict[Hashable, list[SeenProfile]] = defaultdict(list)
        for one, mark in zip(part, rule(part), strict=True):
            of[mark].append(one)
        # More parts than there are of one rank may be parts of one job: two jobs on two hosts each.
        if 1 < len(of) <= (n_parts or most) and all(_most_alike(each) < 2 or rule is _times for each in of.values()):
            return [
                (" · ".join(filter(None, (str(mark) if isinstance(mark, str) else "", title))), parted)
                for mark, each in of.items()
                for title, parted in _parted(each)
            ]
    return [("", part)]


def _most_alike(part: list[SeenProfile]) -> int:
    """How many workers say that they are the same rank, at most."""
    workers = {(one.rank, one.worker) for one in part if one.rank is not None}
    return max(Counter(rank for rank, _ in workers).values(), default=0)


def _times(part: list[SeenProfile]) -> list[Hashable]:
    """Which of the stretches in which workers recorded, those a minute apart: a job that was started again."""
    spans: dict[str, tuple[int, int]] = {}
    for one in part:
        if one.when_ns is None:
            return [None] * len(part)
        first, last = spans.get(one.worker, (one.when_ns, one.when_ns))
        spans[one.worker] = min(first, one.when_ns), max(last, one.when_ns)
    stretch, until, of_worker = 0, None, dict[str, int]()
    for worker, (first, last) in sorted(spans.items(), key=lambda item: item[1]):
        stretch += until is not None and first - until > _APART_NS
        until = last if until is None else max(until, last)
        of_worker[worker] = stretch
    return [of_worker[one.worker] for one in part]


def _names(part: list[SeenProfile]) -> list[Hashable]:
    return [before_number(one.worker).strip("_-. ") for one in part]


def _hosts(part: list[SeenProfile]) -> list[Hashable]:
    return [one.host if one.host is not None else host_in_name(one.worker) for one in part]


def _groups(part: list[SeenProfile]) -> list[Hashable]:
    return [one.groups for one in part]


_RULES: Final[tuple[tuple[Callable[[list[SeenProfile]], list[Hashable]], int | None], ...]] = (
    (_times, 1 << 30),
    (_names, None),
    (_hosts, None),
    (_groups, None),
)
"""What tells jobs of one size apart, and how many it may tell; None: as many as workers that say that they are one rank."""
