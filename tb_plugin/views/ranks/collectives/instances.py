"""The matched collectives one by one, over time: all, or those of one row of the table of collectives. `view/ranks/instances`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import numpy as np

from tb_plugin.base.errors import NotFoundError
from tb_plugin.base.text_table import aligned
from tb_plugin.base.units import NONE, format_bytes, format_ns
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.intervals import covers
from tb_plugin.question.outline import TextTable
from tb_plugin.trace.collectives.kinds import KINDS
from tb_plugin.trace.scope.ranges import ranges_in
from tb_plugin.views.ranks.basis.instance_row import InstanceRow
from tb_plugin.views.ranks.basis.names import ranges, waited
from tb_plugin.views.ranks.basis.of_job import OfJob, analysed_of
from tb_plugin.views.ranks.basis.sorts import decade_of, sort_name, sorts_of
from tb_plugin.views.ranks.only import kept_of
from tb_plugin.views.ranks.rows.instance_rows import instance_rows, lasted
from tb_plugin.views.ranks.told.delayed import with_others

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import BoolArray
    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary
    from tb_plugin.views.ranks.basis.analysed import Analysed
    from tb_plugin.views.ranks.basis.sorts import Sorts

_MOST: Final = 2000
_KINDS: Final = [sort_name(kind) for kind in range(len(KINDS))]  # a job has none of most of them
_MOST_LINES: Final = 64


class InstancesParams(OfJob, frozen=True, kw_only=True):
    """Which of them, by what a row of the table of collectives says; by default all."""

    dimension: Annotated[str | None, msgspec.Meta(description="those of this dimension")] = None
    kind: Annotated[str | None, msgspec.Meta(description="those of this kind, as all-reduce")] = None
    n_ranks: Annotated[int | None, msgspec.Meta(description="those with so many members")] = None
    bytes: Annotated[
        int | None, msgspec.Meta(description="those of the sizes that share a row with this one: of as many digits")
    ] = None
    ranks: Annotated[str | None, msgspec.Meta(description="those of one of these ranks, as 4-7,12, and of another")] = None
    steps: Annotated[str | None, msgspec.Meta(description="those in these steps, as 10-12")] = None
    begun: Annotated[
        str | None,
        msgspec.Meta(description="those that a rank (of `ranks`, if given) begins then, ns on the job's clock, as 0-5000"),
    ] = None


class RankInstances(msgspec.Struct, frozen=True, kw_only=True):
    """In the order of time. Of more than there is room for, the longest: `n_instances` says how many there are.

    `reason`: why there is none.
    """

    run: str | None
    n_instances: int
    reason: str | None
    rows: list[InstanceRow]


def instances(members: Sequence[Member[RankSummary]], params: InstancesParams) -> RankInstances:
    """FormatError where none of the run's profiles can be read, UsageError for ranks or steps that cannot be read; NotFoundError
    for a dimension, kind, size of a group, rank or step that the job has not.
    """
    run, of = analysed_of(members, params)
    if of is None:
        return RankInstances(run=run, n_instances=0, reason="No rank has answered yet.", rows=[])
    sorts, found = sorts_of(of), of.job.instances
    if len(of.job.matched):
        _check_names(of, sorts, params)
    every = np.flatnonzero(found.is_known & _asked(of, sorts, params))
    if len(every) == 0:
        return RankInstances(run=run, n_instances=0, reason="none: no such collective was matched between ranks", rows=[])
    use = every[np.argsort(-lasted(of)[every], kind="stable")[:_MOST]]
    use = use[np.argsort(found.last_arrival[use], kind="stable")]
    return RankInstances(run=run, n_instances=len(every), reason=None, rows=instance_rows(of, use))


def _check_names(of: Analysed, sorts: Sorts, params: InstancesParams) -> None:
    """That a name is nobody's must not look like a job that has no such collective."""
    matched, rows = of.job.matched, of.job.rows
    there: dict[str, tuple[object, list[str]]] = {
        "dimension": (params.dimension, list(of.dimensions.names)),
        "kind": (params.kind, [sort_name(kind) for kind in distinct(sorts.kind).tolist()]),
        "n_ranks": (params.n_ranks, [str(n) for n in distinct(matched.n_members).tolist()]),
    }
    for what, (asked, names) in there.items():
        if asked is not None and str(asked) not in (*names, *(_KINDS if what == "kind" else ())):
            raise NotFoundError(f"{what}={str(asked)[:40]}: this job has {', '.join(names) or 'none'}")
    kept_of(params.ranks, "ranks", of.job.of.numbers)
    kept_of(params.steps, "steps", distinct(rows.step[rows.step != NONE]).tolist())


def _asked(of: Analysed, sorts: Sorts, params: InstancesParams) -> BoolArray:
    """[instance]"""
    matched = of.job.matched
    use = np.ones(len(matched), np.bool_)
    if params.dimension is not None:
        use &= np.array(of.dimensions.names, object)[of.dimensions.of_rows(matched.group)] == params.dimension
    if params.kind is not None:
        use &= np.array([sort_name(kind) for kind in sorts.kind.tolist()], object) == params.kind
    if params.n_ranks is not None:
        use &= matched.n_members == params.n_ranks
    if params.bytes is not None:
        use &= sorts.decade == decade_of(np.array([params.bytes], np.float64))
    rows = of.job.rows
    is_one = matched.of != NONE
    if params.ranks is not None:
        is_own = covers(ranges_in(params.ranks, "ranks"), np.array(of.job.of.numbers, np.int64)[rows.rank])
        is_one &= is_own & np.isin(matched.of, with_others(of, is_own))
    if params.steps is not None:
        is_one &= covers(ranges_in(params.steps, "steps"), rows.step)
    if params.begun is not None:
        is_one &= of.job.waits.is_known & covers(ranges_in(params.begun, "begun"), of.job.waits.start)
    return use & np.isin(np.arange(len(matched)), matched.of[is_one])


def text(reply: RankInstances) -> str:
    """The longest first."""
    if reply.reason is not None:
        return reply.reason
    longest = sorted(reply.rows, key=lambda row: -row.lasts_ns)[:_MOST_LINES]
    lines = [
        [
            format_ns(row.at_ns),
            "-" if row.step is None else str(row.step),
            row.dimension,
            row.kind,
            str(row.n_ranks),
            "-" if row.bytes is None else format_bytes(row.bytes),
            waited(row.wait_ns),
            "-" if row.transfer_ns is None else format_ns(row.transfer_ns),
            ranges(row.last_ranks),
        ]
        for row in longest
    ]
    titles = ["at", "step", "dimension", "kind", "ranks", "size", "longest wait", "transfer", "came last"]
    more = reply.n_instances - len(lines)
    return aligned(titles, lines, left=("dimension", "kind")) + (f"\n... and {more} shorter" if more else "")


def table(reply: RankInstances) -> TextTable:
    """A row a collective, in the order of time."""
    columns = list(InstanceRow.__struct_fields__)
    rows = []
    for row in reply.rows:
        several = {name: " ".join(map(str, getattr(row, name))) for name in ("ranks", "last_ranks")}
        rows.append(list({**msgspec.structs.asdict(row), **several}.values()))
    return TextTable(columns=columns, rows=rows)
