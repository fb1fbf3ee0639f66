"""Two ranks of one job in the same steps: what each needs for itself, and who is longer in collectives.

    step        4       5      a job ends its steps on all ranks at once: how long they are tells of no rank
    rank 4   ▓▓▓░░   ▓▓▓░░     ▓ its own: all but the collectives
    rank 5   ▓▓▓▓░   ▓▓▓▓░     who has more of it in each step is waited for

These are the same steps and no samples of two programs. So they are taken two by two, and a difference counts if it is there in
each of them, whatever steps differ by among themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from msgspec.structs import replace

from tb_plugin.base.units import format_ns, signed_ns
from tb_plugin.findings.from_job import from_all_ranks
from tb_plugin.trace.times.breakdown import PARTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Int64Array
    from tb_plugin.views.compare.joined.side import Side
    from tb_plugin.views.compare.result import Pair, PartChange
    from tb_plugin.views.compare.sums.result import ProfileSums

LEAST_TOGETHER: Final = 3
"""Of steps: what is there in fewer may be chance."""

_COMMUNICATION: Final = "communication"
_HALF: Final = 0.5


class SameSteps(NamedTuple):
    """Places of the steps that both have, in the units of A and of B; the numbers of the ranks."""

    a: Int64Array
    b: Int64Array
    ranks: tuple[int, int]

    def is_in_each(self, a: Int64Array, b: Int64Array, least_ns: float) -> bool:
        """Whether B has more in each of the steps, or less in each, by so much. `a`, `b`: of each unit."""
        more = b[self.b] - a[self.a]
        return len(more) >= LEAST_TOGETHER and bool((more >= least_ns).all() or (more <= -least_ns).all())


def together(a: Side, b: Side) -> SameSteps | None:
    """None of what is not known to be two ranks of one job, recorded at the same time in steps of the same numbers."""
    if len(a.sums) != 1 or len(b.sums) != 1:
        return None
    one, other = a.sums[0].recorded, b.sums[0].recorded
    sizes, ranks = {one.world_size, other.world_size}, (one.rank, other.rank)
    if len(sizes) > 1 or None in sizes or ranks[0] is None or ranks[1] is None or ranks[0] == ranks[1]:
        return None
    if {a.sums[0].unit, b.sums[0].unit} != {"step"} or not _at_the_same_time(a.sums[0], b.sums[0]):
        return None
    _, of_a, of_b = np.intersect1d([step.number for step in a.steps], [step.number for step in b.steps], return_indices=True)
    return SameSteps(of_a, of_b, (ranks[0], ranks[1])) if len(of_a) else None


def _at_the_same_time(a: ProfileSums, b: ProfileSums) -> bool:
    """For half of the shorter: clocks of hosts are milliseconds off."""
    if a.recorded.base_ns is None or b.recorded.base_ns is None:
        return False
    spans = [
        (of.recorded.base_ns + of.steps[0].start_ns, of.recorded.base_ns + of.steps[-1].start_ns + of.steps[-1].duration_ns)
        for of in (a, b)
        if of.recorded.base_ns is not None
    ]
    both = min(end for _, end in spans) - max(begin for begin, _ in spans)
    return both >= _HALF * min(end - begin for begin, end in spans)


def headline(a: Side, b: Side, of: SameSteps, parts: list[PartChange], least_ns: float) -> str:
    """What one needs more for itself than the other, and what that makes of their collectives."""
    first, second = of.ranks
    n, at = len(of.a), PARTS.index(_COMMUNICATION)
    own = [side.step_units - side.part_units[:, at] for side in (a, b)]
    means = [round(float(each[mine].mean())) for each, mine in zip(own, (of.a, of.b), strict=True)]
    said = (
        f"Ranks {first} and {second} of one job, in the same {f'{n} steps' if n > 1 else 'step'}: it ends a step on all ranks, "
        f"so its length tells of neither. For itself, all but collectives, rank {second} needs {format_ns(means[1])} of a step "
        f"and rank {first} {format_ns(means[0])}"
    )
    more = means[1] - means[0]
    if not of.is_in_each(own[0], own[1], least_ns):
        is_few = n < LEAST_TOGETHER and abs(more) >= least_ns
        few = f"of {n} step{'s' if n > 1 else ''} a difference, not evidence"
        return f"{said}: {few if is_few else 'neither needs more in each of them'}."
    large = sorted((each for each in parts if each.verdict == "finding"), key=lambda part: -abs(part.delta_ns))
    its = ", ".join(f"{_title(each)} {signed_ns(each.delta_ns)}" for each in large if each.part != _COMMUNICATION)
    said += f": {signed_ns(more)}, in each of them{f' ({its})' if its else ''}."
    longer = next((each for each in large if each.part == _COMMUNICATION and (each.delta_ns < 0) == (more > 0)), None)
    if longer is None:
        return said
    late, early = (second, first) if more > 0 else (first, second)
    return (
        f"{said} So rank {early} is in collectives for {format_ns(abs(longer.delta_ns))} longer: it waits there, for rank {late} "
        "or for who needs as much."
    )


def with_jobs(pair: Pair, told: Sequence[str]) -> Pair:
    """`told`: what all ranks of their job tell of each of the two."""
    return replace(pair, headline=" ".join([pair.headline, *map(from_all_ranks, told)]))


def _title(part: PartChange) -> str:
    return part.part.replace("_", " ")
