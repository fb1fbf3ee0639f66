"""The baseline against each other item."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tb_plugin.base.units import format_ns, signed_ns
from tb_plugin.views.compare.joined import one_job, recordings
from tb_plugin.views.compare.joined.judge import LEAST_STEPS, UNDISTURBED, Judge
from tb_plugin.views.compare.joined.longer import why_longer
from tb_plugin.views.compare.joined.matrix import matrix
from tb_plugin.views.compare.joined.side import Side, side
from tb_plugin.views.compare.joined.tree import tree
from tb_plugin.views.compare.result import Comparison, Item, Origin, Pair

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.views.compare.result import CompareParams, PartChange, StepChange
    from tb_plugin.views.compare.sums.result import ProfileSums


class Given(NamedTuple):
    """An item with the answers of its recordings. `steps`: which of them, where others are asked about other ones."""

    label: str
    members: list[Origin]
    sums: list[ProfileSums]
    steps: str = ""


def compared(given: Sequence[Given], params: CompareParams, lacking: list[Origin]) -> Comparison:
    """`given`: two or more, the baseline first; fewer: nothing to compare yet. NotFoundError for steps that are not there."""
    sides = [side(one.sums, params, one.steps) for one in given]
    items = [_item(one, of) for one, of in zip(given, sides, strict=True)]
    judged = [_pair(sides[0], other, item, params) for other, item in zip(sides[1:], items[1:], strict=True)]
    return Comparison(
        by=params.by,
        noise=params.noise,
        a=items[0] if items else None,
        pairs=[pair for pair, _ in judged],
        matrix=matrix(sides, [judge for _, judge in judged], params.by) if len(judged) > 1 else None,
        lacking=lacking,
    )


def _item(given: Given, of: Side) -> Item:
    return Item(
        label=f"{given.label} · step {given.steps}" if given.steps else given.label,
        members=given.members,
        n_recordings=len(of.sums),
        n_steps=len(of.steps),
        steps=of.steps,
        median_ns=of.median_ns,
        mean_ns=of.mean_ns,
        device=of.sums[0].recorded.device,
    )


def _pair(a: Side, b: Side, item: Item, params: CompareParams) -> tuple[Pair, Judge]:
    found = recordings.differences(a, b)
    said, spoils = recordings.doubts(a, b, found)
    judge = Judge(a, b, params.noise, spoils)
    step, parts, others = judge.step(), judge.parts(), judge.others()
    made = tree(a, b, judge, params.by, params.fold)
    if judge.together is None or spoils & {"everything"}:
        why = why_longer(a, b, judge) if step.verdict == "unknown" else None
        first = why if why and a.sums == b.sums else headline(a, b, step, parts, others, judge.spread_ns(step), why)
    else:
        first = one_job.headline(a, b, judge.together, parts, judge.least_ns)
    pair = Pair(
        b=item,
        headline=first,
        ranks=None if judge.together is None else list(judge.together.ranks),
        doubts=said,
        differences=found,
        alike=recordings.alike(a, b),
        step=step,
        parts=parts,
        others=others,
        rows=made.rows,
        n_matched=made.n_matched,
        n_added=made.n_added,
        n_removed=made.n_removed,
    )
    return pair, judge


def headline(
    a: Side,
    b: Side,
    step: StepChange,
    parts: list[PartChange],
    others: list[PartChange],
    spread_ns: int | None,
    why: str | None,
) -> str:
    """What changed, in a sentence or two, with nothing in it that is noise. `spread_ns`: see `Judge.spread_ns`; `why`: of one
    step each, what the longer one has more of.
    """
    unit = {"step": "step", "range": "range", "recording": "recording"}[b.sums[0].unit]
    medians = f"B's {unit} takes {format_ns(step.b_median_ns)}, A's {format_ns(step.a_median_ns)} (medians)"
    said = [why or f"{medians}{_sure(step)}."]
    if step.verdict == "finding":
        large = sorted((part for part in parts if part.verdict == "finding"), key=lambda part: -abs(part.delta_ns))
        if large:
            of_means = ", ".join(f"{_title(part.part)} {signed_ns(part.delta_ns)}" for part in large)
            said.append(f"What changed, of means, whose steps differ by {signed_ns(step.delta_ns)}: {of_means}.")
    elif step.verdict == "noise":
        inside = (
            "" if spread_ns is None else f": recordings of one side differ by {format_ns(spread_ns)} among themselves, mostly"
        )
        said.append(f"No difference that can be told from noise{inside}.")
        said += [
            "But of its work: with each call as fast as in its fastest step, "
            f"A's takes {format_ns(of.a_ns)} and B's {format_ns(of.b_ns)}."
            for of in others
            if of.part == UNDISTURBED and of.verdict == "finding"
        ]
    elif step.verdict == "unknown":
        few = min(a.n_units, b.n_units)
        of = "recordings" if max(len(a.sums), len(b.sums)) > 1 else f"{unit}s"
        said.append(
            f"One side has {f'{few} {of}' if few > 1 else f'one {of[:-1]}'}: a difference, not evidence, which takes "
            f"{LEAST_STEPS} a side or more."
        )
    else:
        said.append("Not comparable: see how the recordings differ.")
    if len(a.sums) == len(b.sums) == 1 and step.verdict in ("finding", "noise"):
        said.append("One recording each.")
    return " ".join(said)


def _sure(step: StepChange) -> str:
    if step.p is None:
        return f": {signed_ns(step.delta_ns)}"
    interval = f"{100 * step.confidence:.3g} % interval {signed_ns(step.low_ns)} .. {signed_ns(step.high_ns)}"
    return f"; shift {signed_ns(step.shift_ns)}, {interval}, p {step.p:.2g}"


def _title(part: str) -> str:
    return part.replace("_", " ")
