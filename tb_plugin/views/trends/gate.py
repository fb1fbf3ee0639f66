"""Is the newest point of a line worse than those before it?

    baseline      up to 20 complete points since the last change, at least 5: their median m, and how far they scatter, s
    suspect       x is worse than m by more than the limit, and by more than 4 s
    cannot tell   x is worse than m by more than the limit, and by 4 s or less
    worse         the newest two are suspects: one alone may be an outlier, which one point in 20 is

s is the largest of 1.4826 MAD, 0.5 % of m, and a quarter of the interval in which the point's own median step lies. Against
a kept baseline m is its median, and s also that of the line's own newest level: profiles scatter from one to the next.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.errors import UsageError
from tb_plugin.base.text_table import percent
from tb_plugin.base.units import share_of_percent
from tb_plugin.views.trends.result import TrendGate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.trace.span.figures import Followed
    from tb_plugin.views.trends.result import GateState, Trends

WORSE: Final = 3
CANNOT_TELL: Final = 4
EXIT_CODES: Final = (
    "Exit codes: 0 no limit is broken, or none was asked for; 1 nothing can be read; 2 usage; 3 the newest two profiles of a "
    "line are worse than the limit, and that is no noise; 4 the newest one is, or that cannot be told."
)

_LEAST: Final = 5
_MOST: Final = 20
_DEVIATIONS: Final = 4
_MAD: Final = 1.4826
"""Of a normal distribution the standard deviation is so many median absolute deviations."""
_LEAST_SPREAD: Final = 0.005
_TAIL: Final = 0.025
_MOST_LIMIT: Final = 10.0


class Value(NamedTuple):
    """A point that has the figure. `half_width`: of the interval of its own median; 0 where there is none."""

    at: int
    value: float
    is_complete: bool
    half_width: float


def limit_from(text: str) -> float | None:
    """`5%` as 0.05; None for no limit. Raises UsageError."""
    if not text.strip():
        return None
    limit = share_of_percent(text)
    if limit is None or limit > _MOST_LIMIT:
        raise UsageError(f"fail_if_slower={text!r}: write how much worse it may be, as 5%")
    return limit


def gate(followed: Followed, points: Sequence[Value], levels: Sequence[int], barrier: int, limit: float) -> TrendGate:
    """`levels`: where changes are. Points before `barrier` are of another machine or options, and no baseline at all.

    The newest point is the last, at or after `barrier`.
    """
    own = [point for point in points if point.at >= barrier]
    newest = own[-1]
    baseline = _baseline(own[:-2], levels)
    two = len(baseline) >= _LEAST
    if not two:
        baseline = _baseline(own[:-1], levels)
    if len(baseline) < _LEAST:
        known = f"{len(baseline)} complete points before the newest; it takes {_LEAST}"
        return _gate(followed, "too_few", newest, None, len(baseline), known)
    median, scatter = _level(baseline)
    said = f"against {len(baseline)} points before it"
    return _judged(followed, own[-2:] if two else own[-1:], (median, scatter, len(baseline)), said, limit)


def gate_against(followed: Followed, points: Sequence[Value], since: int, kept: Sequence[Value], limit: float) -> TrendGate:
    """Against a kept baseline. How far profiles scatter is told by those `since` a level began, and by it where it is of 5."""
    median, scatter = _level(kept)
    own = [point for point in points if point.at >= since and point.is_complete][-_MOST:]
    among = max((_level(of)[1] for of in (kept, own) if len(of) >= _LEAST), default=scatter)
    width = max(point.half_width for point in kept) / 2
    said = f"against the kept baseline of {len(kept)} {'profile' if len(kept) == 1 else 'profiles'}"
    return _judged(followed, points[-2:], (median, max(among, width), len(kept)), said, limit)


def _level(points: Sequence[Value]) -> tuple[float, float]:
    """(median, how far the values scatter around it)."""
    values = np.array([point.value for point in points])
    median = float(np.median(values))
    return median, _MAD * float(np.median(np.abs(values - median)))


def _judged(
    followed: Followed, newest_two: Sequence[Value], level: tuple[float, float, int], against: str, limit: float
) -> TrendGate:
    """`level`: median, scatter and number of points of the baseline."""
    median, scatter, n_baseline = level
    newest = newest_two[-1]
    states: list[GateState] = []
    for point in newest_two:
        spread = max(scatter, _LEAST_SPREAD * abs(median), point.half_width / 2)
        more = (point.value - median) * (1 if followed.more_is_worse else -1)
        is_sure = more > _DEVIATIONS * spread
        states.append("within" if more <= limit * abs(median) else "suspect" if is_sure else "cannot_tell")
    state = "worse" if states == ["suspect", "suspect"] and newest.is_complete else states[-1]
    change = newest.value / median - 1 if median else math.inf
    said = f"{followed.title} {percent(change) if math.isfinite(change) else 'new'} {against}"
    said += {
        "within": "",
        "suspect": "; one point alone may be an outlier: record the next",
        "worse": ", and so is the point before it",
        "too_few": "",
        "cannot_tell": f"; more than the limit, but no more than {_DEVIATIONS} times how far they scatter",
    }[state]
    return _gate(followed, state, newest, (median, spread), n_baseline, said)


def not_judged(followed: Followed, said: str) -> TrendGate:
    """Of a line whose newest profile has nothing to judge: an older one must not pass in its place."""
    return _gate(followed, "cannot_tell", None, None, 0, said)


def exit_code(result: Trends) -> int:
    """3 where a line is worse, 4 where it may be and cannot be told, as of no line at all."""
    if result.is_gated and not result.lines:
        return CANNOT_TELL
    states = {line.gate.state for line in result.lines if line.gate is not None}
    return WORSE if "worse" in states else CANNOT_TELL if states - {"within"} else 0


def verdict(result: Trends) -> list[str]:
    """What `exit_code` is not 0 for, a sentence a line."""
    if result.is_gated and not result.lines:
        return ["no profile is taken: whether the newest is worse cannot be told"]
    gates = [(line.name or "all runs", line.gate) for line in result.lines if line.gate is not None]
    return [f"{name}: {gate.state.replace('_', ' ')}: {gate.said}" for name, gate in gates if gate.state != "within"]


def half_width(steps: Sequence[int]) -> float:
    """Of the interval between ordered values that holds their true median in 95 of 100 cases; of few values all of them."""
    if len(steps) < 2:
        return 0.0
    ordered, n = sorted(steps), len(steps)
    below, k = 0.5**n, 0
    while k + 1 < n // 2 and below + math.comb(n, k + 1) * 0.5**n <= _TAIL:
        k += 1
        below += math.comb(n, k) * 0.5**n
    return (ordered[n - 1 - k] - ordered[k]) / 2


def _baseline(points: Sequence[Value], levels: Sequence[int]) -> list[Value]:
    """The newest level that has enough points: a change that is confirmed just now must not excuse itself."""
    complete = [point for point in points if point.is_complete]
    bounds = [0, *sorted(levels), math.inf]
    for first, end in itertools.pairwise(reversed(bounds)):
        since = [point for point in complete if end <= point.at < first]
        if len(since) >= _LEAST:
            return since[-_MOST:]
    return complete[-_MOST:]


def _gate(
    followed: Followed, state: GateState, newest: Value | None, level: tuple[float, float] | None, n_baseline: int, said: str
) -> TrendGate:
    return TrendGate(
        figure=followed.id,
        state=state,
        at=None if newest is None else newest.at,
        value=None if newest is None else newest.value,
        median=None if level is None else level[0],
        spread=None if level is None else level[1],
        n_baseline=n_baseline,
        said=said,
    )
