"""How long would a step be if ...? A replay of the recording with the edits, beside one without them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from tb_plugin.findings.expected import changes_of
from tb_plugin.findings.found import found
from tb_plugin.job.what_if.what_if_asked import is_of_job
from tb_plugin.replay.bound import last_path
from tb_plugin.replay.edits import FORMS, Edit, parse_all
from tb_plugin.replay.effects import TenPercent, effects
from tb_plugin.replay.trust import Baseline, baseline, why_not
from tb_plugin.replay.what_if import EditedSteps, is_at_best, what_if
from tb_plugin.trace.scope.counted_steps import counted_steps
from tb_plugin.trace.scope.recording import is_cut_off, what_cut_off_means
from tb_plugin.trace.work.device_peaks import with_peak
from tb_plugin.views.whatif.result import EditAlone, EditedStep, EditForm, Effect, LastPath, Trust, WhatIf, WhatIfParams

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.replay.edited import Change
    from tb_plugin.replay.replay import Replayed
    from tb_plugin.trace.model import Trace

_CANNOT_TELL: Final = 4
_LEAVES: Final = 0.2
"""Of the change: with four loader workers one program gained less than replays of its two recordings without a loader say (13 and
20 %).
"""

_CAVEATS: Final = [
    "Kernels take as long as recorded, also where others no longer share the device with them.",
    "Clocks, caches and memory pressure stay; so do other ranks and what collectives wait for.",
]
_AT_BEST: Final = (
    "What takes the host less time leaves it to others that were not recorded: at best, and up to 20 % of the change less."
)


def compute(trace: Trace, params: WhatIfParams) -> WhatIf:
    """Raises UsageError for an edit that cannot be read, NotFoundError for a name that is not there."""
    trace = with_peak(trace, params.peak)
    lines = [line.strip() for line in params.edit.splitlines() if line.strip()]
    of_job = [line for line in lines if is_of_job(line)]
    edits = parse_all("\n".join(line for line in lines if line not in of_job))
    ranks = _OnRanks(_on_ranks(trace, of_job), of_job)
    counted_steps(trace, params.steps)  # what cannot be chosen is an error, also where nothing can be replayed
    cannot = why_not(trace)
    if cannot is not None:
        return _answer(ranks, refused=cannot)
    base = baseline(trace, params.steps)
    if base.refused is not None:
        return _answer(ranks, base, refused=base.refused)
    changes = [_changes(trace, params.steps, edit) for edit in edits]
    asked = what_if(base, changes) if edits else None
    at_best = any(is_at_best(change) for each in changes for change in each)
    return _answer(ranks, base, edits, asked, effects(base, params.effects), at_best=at_best)


def missing(trace: Trace) -> str | None:
    """Why nothing can be replayed."""
    cannot = why_not(trace)
    return None if cannot is None else f"This profile cannot be replayed: {cannot}."


def exit_code(result: WhatIf) -> int:
    """4 where it cannot be told."""
    return 0 if result.refused is None and not result.of_job else _CANNOT_TELL


class _OnRanks(NamedTuple):
    said: str | None
    of_job: list[str]


def _on_ranks(trace: Trace, of_job: list[str]) -> str | None:
    rank, size = trace.info.rank, trace.info.world_size
    said = []
    if of_job:
        said.append(f"{', '.join(of_job)}: of the job and not of one rank, and asked in Ranks.")
    if size is not None and size > 1:
        which = "one rank" if rank is None else f"rank {rank}"
        said.append(
            f"This is {which} of {size} alone: what it waits for the others is in its communication, and is told by Ranks."
        )
    return " ".join(said) or None


def _changes(trace: Trace, steps: str, edit: Edit) -> list[Change]:
    """What a finding of the advice is about is looked up there."""
    is_finding = edit.subject == "finding"
    changes: list[Change] = [*changes_of(found(trace, steps).seen, edit.name)] if is_finding else [edit]
    return changes if edit.factor != 1 or not is_finding else []


def _answer(
    ranks: _OnRanks,
    base: Baseline | None = None,
    edits: list[Edit] | None = None,
    asked: EditedSteps | None = None,
    tenths: list[TenPercent] | None = None,
    refused: str | None = None,
    *,
    at_best: bool = False,
) -> WhatIf:
    change_ns = None if base is None or asked is None else _mean(asked.together_ns) - _mean(base.replayed_ns)
    is_sure = base is not None and refused is None
    return WhatIf(
        refused=refused,
        on_ranks=ranks.said,
        of_job=ranks.of_job,
        n_steps=0 if base is None else len(base.places),
        recorded_ns=None if base is None else _mean(base.recorded_ns),
        trust=None if base is None else _trust(base),
        recorded_path=_path(base, base.replayed) if base is not None and is_sure else None,
        edited_ns=None if base is None or change_ns is None else _mean(base.recorded_ns) + change_ns,
        change_ns=change_ns,
        at_best=at_best,
        low_change_ns=None if base is None or change_ns is None else change_ns - _off(base),
        high_change_ns=None
        if base is None or change_ns is None
        else change_ns + _off(base) + (round(_LEAVES * abs(change_ns)) if at_best else 0),
        edited_path=_path(base, asked.together) if base is not None and asked is not None else None,
        alone=[] if base is None or asked is None or edits is None else _alone(base, edits, asked),
        steps=[] if base is None else _steps(base, asked),
        effects=[] if base is None else [_effect(base, each) for each in tenths or []],
        forms=[EditForm(example=form.example, says=form.says) for form in FORMS.values()],
        caveats=[*_cut_off(base), *(_CAVEATS if asked is not None else []), *([_AT_BEST] if at_best else [])],
    )


def _cut_off(base: Baseline | None) -> list[str]:
    is_cut = base is not None and is_cut_off(base.graph.trace)
    return (
        [what_cut_off_means("the step" if base is not None and len(base.graph.trace.steps) else "the recording")]
        if is_cut
        else []
    )


def _off(base: Baseline) -> int:
    """What a step of this profile may be off by, as its own steps tell, which are known and replayed with nothing changed."""
    return round(abs(base.worst_error) * _mean(base.replayed_ns))


def _trust(base: Baseline) -> Trust:
    return Trust(
        replayed_ns=_mean(base.replayed_ns),
        error_share=base.error,
        worst_error_share=base.worst_error,
        constants_error_share=base.constants_error,
        unexplained_share=base.unexplained_share,
        not_launched_share=base.not_launched_share,
        n_anchored=base.n_anchored,
        n_lost=base.graph.n_lost,
    )


def _path(base: Baseline, replayed: Replayed) -> LastPath:
    parts = last_path(replayed, base.places)
    whole = max(sum(parts.values()), 1)
    return LastPath(
        host_share=parts["host"] / whole,
        device_share=parts["device"] / whole,
        communication_share=parts["communication"] / whole,
        waiting_share=parts["waiting"] / whole,
    )


def _alone(base: Baseline, edits: list[Edit], asked: EditedSteps) -> list[EditAlone]:
    recorded_ns, changes = _mean(base.recorded_ns), [_mean(each) - _mean(base.replayed_ns) for each in asked.alone_ns]
    return [EditAlone(edit=str(edit), step_ns=recorded_ns + ns, change_ns=ns) for edit, ns in zip(edits, changes, strict=True)]


def _steps(base: Baseline, asked: EditedSteps | None) -> list[EditedStep]:
    steps = base.graph.trace.steps
    numbers = steps.number[base.places].tolist() if len(steps) else [None]
    edited = [None] * len(numbers) if asked is None else (base.recorded_ns + asked.together_ns - base.replayed_ns).tolist()
    columns = zip(numbers, base.recorded_ns.tolist(), base.replayed_ns.tolist(), edited, strict=True)
    return [EditedStep(number=n, recorded_ns=was, replayed_ns=again, edited_ns=now) for n, was, again, now in columns]


def _effect(base: Baseline, each: TenPercent) -> Effect:
    n_steps = len(base.places)
    return Effect(
        kind=each.kind,
        name=each.name,
        edit=str(each.edit),
        own_ns=round(each.own_ns / n_steps),
        gain_ns=round(each.gain_ns / n_steps),
        effect_share=each.gain_ns / max(int(base.recorded_ns.sum()), 1),
    )


def _mean(ns: Int64Array) -> int:
    return round(float(ns.mean()))
