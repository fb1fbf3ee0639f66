"""Why there is no critical path of a job, and no step as it would be: one reason, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct
from tb_plugin.trace.rank.order import MOST_ROWS
from tb_plugin.views.ranks.basis.names import counted
from tb_plugin.views.ranks.missing.lacking import named, why_no_waits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.job.ranks.ranks import Rank
    from tb_plugin.views.ranks.basis.analysed import Analysed


def on_no_path(of: Analysed) -> list[str]:
    """Nothing where a sentence says it: one rank, no collective that was matched, ranks without steps."""
    ranks = of.job.of.ranks
    if of.paths or not of.job.has_waits or (of.job.of.have_steps and not all(rank.summary.has_steps for rank in ranks)):
        return []
    what = ["the critical path", *([] if of.not_replayed is None else ["what a step would be"])]
    # Of a job with stages whose clocks are tied there are bubbles.
    if of.not_replayed == "untied" and len(distinct(of.layout.stage)) > 1:
        what = ["pipeline bubbles", *what]
    return [f"{_listed(what)} cannot be told: {why_no_path(of)}."]


def on_left_out(of: Analysed) -> list[str]:
    """Where clocks of some ranks fit no other, or their files are cut off in their first step: what is told as if these were
    missing, and which stages are then missing.
    """
    lack, cut = of.job.of.lack_device, of.job.of.in_no_whole_step
    off = [place for place in of.job.left_out if place not in (*lack, *cut)]
    out = [place for place in of.job.left_out if place in (*off, *cut)]
    if not out:
        return _without_stages(of, lack, "of whose device something is recorded")
    is_told = {"pipeline bubbles": of.pipeline is not None, "the critical path": bool(of.paths)}
    is_told["what a step would be"] = of.not_replayed is None
    told = [what for what, is_it in is_told.items() if is_it]
    are = "is" if told == ["what a step would be"] else "are"
    why = [f"{of.job.untied_clocks} cannot be tied"] if off else []
    whose = f"the file{'s' if len(cut) > 1 else ''} of {named(of, cut)}" if off or len(cut) > 1 else "its file"
    why += [f"no whole step is in {whose}"] if cut else []
    said = [f"{_listed(told)} {are} told as if {named(of, out)} were missing: {' and '.join(why)}."] if told else []
    which = ["whose clock can be tied"] if off else []
    return said + _without_stages(of, out, " and ".join([*which, *(["with a whole step in its file"] if cut else [])]))


def _without_stages(of: Analysed, out: Sequence[int], which: str) -> list[str]:
    """Where there are no bubbles for these ranks: stages that have no other."""
    stage = of.layout.stage
    gone = np.setdiff1d(stage[list(out)], [NONE, *stage[of.job.tied]]).tolist() if of.pipeline is None else []
    return [f"Pipeline bubbles cannot be told: no rank of {counted('stage', gone)} is here {which}."] if gone else []


def _listed(what: Sequence[str]) -> str:
    """As a sentence begins."""
    listed = f"{', '.join(what[:-1])} and {what[-1]}" if len(what) > 1 else what[0]
    return f"{listed[0].upper()}{listed[1:]}"


def why_no_path(of: Analysed) -> str:
    if of.not_replayed is None:
        return "the chain of no step leads back to where all ranks had begun it"
    return why_not_replayed(of)


def why_not_replayed(of: Analysed) -> str:
    """Of a job that is not replayed."""
    if of.not_replayed == "no order":
        return _why_no_order(of)
    if of.not_replayed == "no waits":
        return why_no_waits(of.job)
    if of.not_replayed == "untied" and of.job.unfit:
        return f"{of.job.untied_clocks} cannot be tied"
    return {
        "untied": "the clocks of the ranks are not tied",
        "not whole": "no step was recorded whole by every rank",
        "circle": "by the recorded times ranks would wait for each other in a circle",
    }.get(of.not_replayed or "", "a replay of what waits for what does not give the recorded steps back within 3 %")


def not_drawn(of: Analysed, places: Sequence[int]) -> list[str]:
    """Of these ranks those whose computation is in their files, and yet in no picture of several ranks; and those without any."""
    alike: dict[str, list[int]] = {}
    for place in places:
        rank = of.job.of.ranks[place]
        if len(rank.order["kind"]) == 0:
            computes = bool(rank.summary.computation_ns) and not rank.lacks_device
            why = "they compute on CPUs" if rank.is_on_host else f"{_why(rank)} in their files"
            alike.setdefault(why if computes else "", []).append(place)
    here = "side by side it is told by launches of kernels, and"
    return [
        f"Computation of {named(of, its)} is not drawn: {here} {why}; the timeline of each rank has it."
        if why
        else f"Computation: not recorded of {named(of, its)}."
        for why, its in alike.items()
    ]


def _why_no_order(of: Analysed) -> str:
    ranks = of.job.of.ranks
    told_by = "what waits for what is told by launches of kernels, and"
    if all(rank.is_on_host for rank in ranks):
        return f"{told_by} this job runs on CPUs"
    if not of.has_host:
        return f"{told_by} the files hold no events of the host"
    lack = {place: _why(ranks[place]) for place in of.job.tied.tolist() if len(ranks[place].order["kind"]) == 0}
    why = next(iter(lack.values()))
    alike = [place for place, its in lack.items() if its == why]
    return f"{told_by} {why} in the file{'s' if len(alike) > 1 else ''} of {named(of, alike)}"


def _why(rank: Rank) -> str:
    """Up to "in its file"; as `trace/rank/order.py` refuses."""
    if not rank.summary.has_launches:
        return "none is"
    if not rank.summary.has_steps:
        return "no step is"
    return (
        f"more than {MOST_ROWS:,} are"
        if int(rank.work["n_launches"].sum()) > MOST_ROWS
        else "those of more than 1 % of the kernels are not"
    )
