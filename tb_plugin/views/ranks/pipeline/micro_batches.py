"""One pipeline in one step: what each stage does with each micro-batch, forward and backward, on the job's clock.

How blocks are told: `micro_blocks.py`. What no block of a stage covers is bubble, or collectives of its own, where all are told.
The window is that in which bubbles are measured (`job/own/pipeline.py`): a pipeline beside others may begin later, or end sooner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import numpy as np

from tb_plugin.base.errors import UsageError
from tb_plugin.base.units import NONE
from tb_plugin.views.ranks.basis.names import counted, ranges
from tb_plugin.views.ranks.basis.of_job import OfJob, analysed_of
from tb_plugin.views.ranks.basis.on_job import in_profile
from tb_plugin.views.ranks.pipeline.ideal_schedule import ideal_blocks, mean_durations
from tb_plugin.views.ranks.pipeline.micro_blocks import MicroBlock, StageBlocks, is_in_order, stage_blocks
from tb_plugin.views.ranks.pipeline.micro_parts import can_be_told
from tb_plugin.views.ranks.pipeline.micro_times import block_times

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Float64Array
    from tb_plugin.job.own.pipeline import Pipeline, PipelineSchedule
    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary
    from tb_plugin.views.ranks.basis.analysed import Analysed

_MOST_BLOCKS: Final = 4096
_MOST_CHOICES: Final = 64


class MicroBatchesParams(OfJob, frozen=True, kw_only=True):
    """Which pipeline, in which step; by default where the bubble is longest."""

    rank: Annotated[int | None, msgspec.Meta(description="one of its ranks")] = None
    step: Annotated[int | None, msgspec.Meta(description="which step")] = None


class PipelineRow(msgspec.Struct, frozen=True, kw_only=True):
    """A stage. `zero_ns`: where in its rank's own profile the window begins; `bubble_ns`, `computation_ns` None: not known of the
    step. `is_told`: all of its blocks are, so that what none covers is bubble.
    """

    stage: int
    rank: int
    worker: str
    span: str
    zero_ns: int
    bubble_ns: int | None
    computation_ns: int | None
    is_told: bool


class MicroBlocks(msgspec.Struct, frozen=True, kw_only=True):
    """One value a block; `forward`, `backward`: which micro-batch, by the order in which they are passed on; -1: not in it.
    `forward_wait_ns`, `backward_wait_ns` None: not in it, or not known.
    """

    row: list[int]
    name: list[str]  # F2, B0, or of both in their order; of a stage with chunks F2·1 is in its second
    forward: list[int]
    backward: list[int]
    forward_chunk: list[int]
    backward_chunk: list[int]
    start_ns: list[int]  # since the window's
    end_ns: list[int]
    computing_ns: list[int]
    forward_wait_ns: list[int | None]
    backward_wait_ns: list[int | None]


class PipelineChoice(msgspec.Struct, frozen=True, kw_only=True):
    """A pipeline that can be shown. `rank`: of its first stage."""

    rank: int
    title: str
    bubble_ns: int  # the longest of its ranks in any step
    bubble_share: float  # mean of its ranks and steps, of the window


class MicroBatches(msgspec.Struct, frozen=True, kw_only=True):
    """`reason`: why there are no blocks. `choices` with the longest bubble first."""

    run: str | None
    step: int | None
    steps: list[int]
    choices: list[PipelineChoice]
    window_ns: int
    n_chunks: int  # of a stage
    rows: list[PipelineRow]
    blocks: MicroBlocks
    ideal: MicroBlocks | None  # the same at mean durations without waits; None: not every block, or no schedule is told
    ideal_ns: int | None  # how long that takes
    notes: list[str]
    reason: str | None


def micro_batches(members: Sequence[Member[RankSummary]], params: MicroBatchesParams) -> MicroBatches:
    """Errors as `jobs_of`; UsageError for a rank or step of which no pipeline is here."""
    run, of = analysed_of(members, params)
    if of is None or of.pipeline is None:
        return _nothing(
            run, "No rank has answered yet." if of is None else "This job has no pipeline of which all stages are here."
        )
    bubble = of.pipeline.bubble
    pipelines = sorted(_pipelines(of), key=lambda ranks: -float(np.nanmax(bubble[ranks])))
    if not pipelines:
        return _nothing(run, f"Of each pipeline a stage is missing here: {of.job.why_left_out}.")
    ranks = pipelines[0] if params.rank is None else _with(of, pipelines, params.rank)
    column = _column(of, bubble[ranks], params.step)
    step = int(of.own.number[column])
    rows = stage_blocks(of, of.pipeline, ranks, step)
    start, window = _window(of.pipeline, rows, column)
    n_chunks = of.pipeline.schedule.n_chunks or 1
    blocks = _blocks(of, rows, start, n_chunks)
    reason = _why_none(of, of.pipeline, rows, blocks)
    ideal = _ideal(of.pipeline.schedule, rows) if reason is None else None
    return MicroBatches(
        run=run,
        step=step,
        steps=of.own.number.tolist(),
        choices=[_choice(of, each, bubble[each], of.pipeline.window) for each in pipelines[:_MOST_CHOICES]],
        window_ns=window,
        n_chunks=n_chunks,
        rows=[_stage(of, place, column, start, row) for place, row in zip(ranks, rows, strict=True)],
        blocks=blocks if reason is None else _no_blocks(),
        ideal=ideal,
        ideal_ns=None if ideal is None else max(ideal.end_ns),
        notes=_notes(of, ranks, rows, blocks) if reason is None else [],
        reason=reason,
    )


def _ideal(schedule: PipelineSchedule, rows: list[StageBlocks | None]) -> MicroBlocks | None:
    told = [row.blocks for row in rows if row is not None and _is_told(row)]
    if schedule.name is None or schedule.n_micro_batches is None or len(told) < len(rows):
        return None
    n_chunks = schedule.n_chunks or 1
    means = mean_durations(told, schedule.n_micro_batches * n_chunks)
    if means is None:
        return None
    found = ideal_blocks(schedule.name, len(rows), schedule.n_micro_batches, *means, n_chunks)
    return MicroBlocks(
        row=[one.stage for one in found],
        name=[_one("F" if one.is_forward else "B", one.micro, one.chunk, n_chunks) for one in found],
        forward=[one.micro if one.is_forward else NONE for one in found],
        backward=[NONE if one.is_forward else one.micro for one in found],
        forward_chunk=[one.chunk for one in found],
        backward_chunk=[one.chunk for one in found],
        start_ns=[one.start for one in found],
        end_ns=[one.end for one in found],
        computing_ns=[one.end - one.start for one in found],
        forward_wait_ns=[0 if one.is_forward else None for one in found],
        backward_wait_ns=[None if one.is_forward else 0 for one in found],
    )


def _window(found: Pipeline, rows: list[StageBlocks | None], column: int) -> tuple[int, int]:
    """(where it begins on the job's clock, ns); of a step whose bubbles are not known that of the stages here."""
    if np.isfinite(found.window[column]):
        return round(float(found.begin[column])), round(float(found.window[column]))
    shown = [row for row in rows if row is not None]
    start = min((row.begin for row in shown), default=0)
    return start, max((row.end for row in shown), default=0) - start


def _name(block: MicroBlock, n_chunks: int, *, is_last: bool) -> str:
    """The last stage goes from a forward to a backward, any other from a backward to the next forward."""
    first, then = (
        "" if micro == NONE else _one(what, micro, chunk, n_chunks)
        for what, micro, chunk in (("B", block.backward, block.backward_chunk), ("F", block.forward, block.forward_chunk))
    )
    return then + first if is_last else first + then


def _one(what: str, micro: int, chunk: int, n_chunks: int) -> str:
    return f"{what}{micro}·{chunk}" if n_chunks > 1 else f"{what}{micro}"


def _pipelines(of: Analysed) -> list[list[int]]:
    """Places of ranks in the order of stages: those that stand at one place of all other dimensions, and on one clock."""
    place = of.layout
    found: dict[tuple[int, ...], dict[int, int]] = {}
    for rank, (stage, *others) in enumerate(
        zip(place.stage.tolist(), place.replica.tolist(), place.tensor.tolist(), place.context.tolist(), strict=True)
    ):
        if stage != NONE:
            found.setdefault(tuple(others), {}).setdefault(stage, rank)
    pipelines = [[stages[stage] for stage in sorted(stages)] for stages in found.values()]
    return [ranks for ranks in pipelines if np.isin(ranks, of.job.tied).all()]


def _with(of: Analysed, pipelines: list[list[int]], number: int) -> list[int]:
    numbers = of.job.of.numbers
    for ranks in pipelines:
        if any(numbers[place] == number for place in ranks):
            return ranks
    raise UsageError(f"rank {number} is in no pipeline here; there is {ranges(sorted(numbers))}")


def _column(of: Analysed, bubble: Float64Array, step: int | None) -> int:
    """Of the step, by default that with the longest bubble of these ranks."""
    numbers = of.own.number.tolist()
    if step is None:
        return int(np.nanargmax(np.nanmax(np.where(np.isfinite(bubble), bubble, -1.0), axis=0)))
    if step not in numbers:
        raise UsageError(f"step {step}: there is {', '.join(map(str, numbers[:20]))}")
    return int(numbers.index(step))


def _choice(of: Analysed, ranks: list[int], bubble: Float64Array, window: Float64Array) -> PipelineChoice:
    numbers = [of.job.of.numbers[place] for place in ranks]
    return PipelineChoice(
        rank=numbers[0],
        title=counted("rank", numbers),
        bubble_ns=round(float(np.nanmax(bubble))),
        bubble_share=float(np.nansum(bubble) / max(np.nansum(np.where(np.isfinite(bubble), window, 0.0)), 1.0)),
    )


def _is_told(row: StageBlocks | None) -> bool:
    return row is not None and 0 < row.n_parts == row.n_forward == row.n_backward


def _stage(of: Analysed, place: int, column: int, start: int, row: StageBlocks | None) -> PipelineRow:
    rank, found = of.job.of.ranks[place], of.pipeline
    bubble, computation = (np.nan,) * 2 if found is None else (found.bubble[place, column], found.computation[place, column])
    return PipelineRow(
        stage=int(of.layout.stage[place]),
        rank=rank.number,
        worker=rank.of.worker,
        span=rank.of.span,
        zero_ns=in_profile(of.job, place, start),
        bubble_ns=round(float(bubble)) if np.isfinite(bubble) else None,
        computation_ns=round(float(computation)) if np.isfinite(computation) else None,
        is_told=_is_told(row),
    )


def _blocks(of: Analysed, rows: list[StageBlocks | None], start: int, n_chunks: int) -> MicroBlocks:
    shown = [(at, row) for at, row in enumerate(rows) if row is not None]
    found = [(at, one) for at, row in shown for one in row.blocks]
    times = [one for _, row in shown for one in block_times(of.job, row, start)]
    return MicroBlocks(
        row=[at for at, _ in found],
        name=[_name(one, n_chunks, is_last=at == len(rows) - 1) for at, one in found],
        forward=[one.forward for _, one in found],
        backward=[one.backward for _, one in found],
        forward_chunk=[one.forward_chunk for _, one in found],
        backward_chunk=[one.backward_chunk for _, one in found],
        start_ns=[one.start - start for _, one in found],
        end_ns=[one.end - start for _, one in found],
        computing_ns=[one.computing for one in times],
        forward_wait_ns=[one.forward_wait for one in times],
        backward_wait_ns=[one.backward_wait for one in times],
    )


def _no_blocks() -> MicroBlocks:
    return MicroBlocks(**{name: [] for name in MicroBlocks.__struct_fields__})


def _why_none(of: Analysed, found: Pipeline, rows: list[StageBlocks | None], blocks: MicroBlocks) -> str | None:
    if found.schedule.name == "interleaved" and not (
        can_be_told(found.schedule, found.n_stages) and all(row is None or is_in_order(of, row) for row in rows)
    ):
        return "Micro-batches cannot be told apart: stages hold several chunks of the model, and sends do not say of which one."
    if not blocks.row:
        return "Micro-batches cannot be told apart: in what order the host launched kernels, sends and receives was not recorded."
    if len(blocks.row) > _MOST_BLOCKS:
        return f"The step has {len(blocks.row)} blocks of micro-batches, more than can be drawn."
    return None


def _notes(of: Analysed, ranks: list[int], rows: list[StageBlocks | None], blocks: MicroBlocks) -> list[str]:
    stages = of.layout.stage[ranks].tolist()
    both = {stages[at] for at, f, b in zip(blocks.row, blocks.forward, blocks.backward, strict=True) if f != NONE and b != NONE}
    lacking = [stage for stage, row in zip(stages, rows, strict=True) if not _is_told(row)]
    said = []
    if both:
        said.append(
            f"In {counted('stage', sorted(both))} some blocks are a backward and a forward: nothing is sent between them that "
            "would tell where one ends."
        )
    if lacking:
        said.append(
            f"In {counted('stage', lacking)} not every block is told: receives are posted long before their data are used."
        )
    return said


def _nothing(run: str | None, reason: str) -> MicroBatches:
    return MicroBatches(
        run=run,
        step=None,
        steps=[],
        choices=[],
        window_ns=0,
        n_chunks=1,
        rows=[],
        blocks=_no_blocks(),
        ideal=None,
        ideal_ns=None,
        notes=[],
        reason=reason,
    )
