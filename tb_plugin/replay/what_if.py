"""How long would a step be if ...? All edits together, each alone, and what the time is bound by then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base import progress
from tb_plugin.base.errors import NotFoundError
from tb_plugin.replay.edited import edited
from tb_plugin.replay.less import Less
from tb_plugin.replay.replay import Replayed, replay
from tb_plugin.replay.trust import Baseline, baseline, is_refused, step_ns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Int64Array
    from tb_plugin.replay.edited import Change
    from tb_plugin.replay.replay import Durations
    from tb_plugin.trace.model import Trace

_OF_THE_HOST: Final = ("host", "loader", "line", "python", "launch", "sync", "graph")
_OF_THE_DEVICE: Final = ("precision", "batch")


def is_at_best(change: Change) -> bool:
    """Whether it takes time from the host: whatever then works beside it takes time that was not recorded."""
    if isinstance(change, Less):
        is_not_launched = len(change.work) > 0 and bool(np.any(change.work_factor == 0))
        return len(change.host) > 0 or len(change.during.start) > 0 or is_not_launched
    return change.factor < 1 and (change.subject in _OF_THE_HOST or change.factor == 0) and change.subject not in _OF_THE_DEVICE


@dataclass(frozen=True, kw_only=True)
class EditedSteps:
    """Of each step that counts how long it lasts, ns: with all edits, and with each alone."""

    together: Replayed
    together_ns: Int64Array
    alone_ns: list[Int64Array]


def what_if(base: Baseline, edits: Sequence[Sequence[Change]]) -> EditedSteps:
    """Each of `edits` may be several changes. Raises NotFoundError for what the profile does not have."""
    all_edits = [change for changes in edits for change in changes]
    asked = [all_edits, *edits] if len(edits) > 1 else [all_edits]
    together, *alone = replay(base.graph, [edited(base.graph, each) for each in asked])
    together_ns = step_ns(together, base.places)
    return EditedSteps(
        together=together,
        together_ns=together_ns,
        alone_ns=[step_ns(each, base.places) for each in alone] if alone else [together_ns] * len(edits),
    )


def estimate(trace: Trace, edits: Sequence[Change], steps: str = "") -> int | None:
    """As `estimates`, of one version."""
    return estimates(trace, [edits], steps)[0]


def estimates(trace: Trace, versions: Sequence[Sequence[Change]], steps: str = "") -> list[int | None]:
    """What the edits of each version gain in all steps that count (or in the recording without steps), ns; never below 0.

    None where the replay proves nothing, or the profile lacks what an edit needs.
    """
    progress.now("what waits for what")
    if is_refused(trace, steps):
        return [None] * len(versions)
    progress.now("the step replayed as it was")
    base = baseline(trace, steps)
    if base.refused is not None:
        return [None] * len(versions)
    progress.now("how long everything would take")
    asked = [_edited(base, edits) for edits in versions]
    progress.now("the step replayed without each")
    replayed = iter(replay(base.graph, [each for each in asked if each is not None]))
    progress.now("what each would gain")
    return [None if each is None else _gain(base, next(replayed)) for each in asked]


def _edited(base: Baseline, edits: Sequence[Change]) -> Durations | None:
    try:
        return edited(base.graph, edits)
    except NotFoundError:
        return None


def _gain(base: Baseline, replayed: Replayed) -> int:
    return max(int((base.replayed_ns - step_ns(replayed, base.places)).sum()), 0)
