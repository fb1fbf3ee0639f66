"""What the step gains if a row of a table were 10 % faster, for the rows of it that last longest: a replay each, all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tb_plugin.replay.edited import edited
from tb_plugin.replay.replay import replay
from tb_plugin.replay.trust import baseline, step_ns, why_not

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tb_plugin.replay.less import Less
    from tb_plugin.trace.model import Trace


class RowEffect(NamedTuple):
    """Of the mean step that counts, or of the recording without steps."""

    gain_ns: int
    share: float


class RowEffects(NamedTuple):
    """`of`: by row, of those that were looked at. `why_not`: why there is none, if so."""

    of: dict[int, RowEffect]
    why_not: str | None


NOT_ASKED = RowEffects({}, None)


def row_effects(trace: Trace, steps: str, rows: Sequence[int], less_of: Callable[[int], Less]) -> RowEffects:
    """Of these rows; `less_of` is what of a row takes less time. Raises UsageError and NotFoundError for `steps`."""
    if not rows:
        return NOT_ASKED
    cannot = why_not(trace)
    if cannot is not None:
        return RowEffects({}, cannot)
    base = baseline(trace, steps)
    if base.refused is not None:
        return RowEffects({}, base.refused)
    whole_ns = int(base.replayed_ns.sum())
    versions = replay(base.graph, [edited(base.graph, [less_of(row)]) for row in rows])
    gains = [max(whole_ns - int(step_ns(each, base.places).sum()), 0) for each in versions]
    n_steps, recorded_ns = len(base.places), max(int(base.recorded_ns.sum()), 1)
    return RowEffects(
        {row: RowEffect(round(gain / n_steps), gain / recorded_ns) for row, gain in zip(rows, gains, strict=True)}, None
    )
