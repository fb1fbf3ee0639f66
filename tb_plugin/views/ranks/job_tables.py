"""A job's ranks as tables of NumPy columns, for scripts: `tb_plugin.load_ranks`.

job = tb_plugin.load_ranks("logs/my_run")
job.ranks["excess_ns"]                    # one value a rank; numbers that may be absent are float64 with NaN
job.instances["transfer_ns"]              # one value a matched collective
job.what_if("rank=5", "transfer:data=0.5")
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

import numpy as np

from tb_plugin.base.errors import NotFoundError, UsageError
from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct
from tb_plugin.trace.collectives.kinds import KINDS
from tb_plugin.views.ranks.basis.last_ranks import last_ranks
from tb_plugin.views.ranks.basis.of_job import analysed_of
from tb_plugin.views.ranks.basis.sorts import sort_name, sorts_of
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.one_rank.one_rank import OneRankParams, one_rank
from tb_plugin.views.ranks.result import CollectiveRow, HostRow, JobStepRow, LinkRow, RankRow, RanksParams
from tb_plugin.views.ranks.what_if.what_if import RanksWhatIfParams, what_if

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import msgspec
    from numpy.typing import NDArray

    from tb_plugin.base.units import Int64Array
    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary
    from tb_plugin.views.ranks.basis.analysed import Analysed
    from tb_plugin.views.ranks.one_rank.one_rank import OneRank
    from tb_plugin.views.ranks.result import Blamed, RanksTable
    from tb_plugin.views.ranks.what_if.what_if import RanksWhatIf


@dataclass(frozen=True, eq=False)
class ColumnTable:
    """Columns of one length by name.

    Whole numbers that may be absent, `whole`, are float64 with NaN, unless their absence is NONE, -1: `or_none`.
    """

    columns: Mapping[str, NDArray[Any]]
    whole: frozenset[str] = frozenset()
    or_none: frozenset[str] = frozenset()

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self.columns:
            raise NotFoundError(f"no column {name!r}; there is {', '.join(self.columns)}")
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __repr__(self) -> str:
        """Names and dtypes: the arrays of a job are thousands of lines."""
        listed = "".join(f"\n  {name}: {column.dtype}" for name, column in self.columns.items())
        return f"<{len(self)} rows of {len(self.columns)} columns:{listed}>"

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def to_arrow(self) -> Any:
        """As a `pyarrow.Table`, in which what is absent is null. UsageError where pyarrow is not installed."""
        try:
            import pyarrow  # type: ignore[import-not-found,unused-ignore]
        except ImportError as error:
            raise UsageError("to_arrow needs pyarrow, which is not installed") from error
        return pyarrow.table({name: self._arrow(pyarrow, name) for name in self})

    def _arrow(self, pyarrow: Any, name: str) -> Any:
        column = self[name]
        if column.dtype == object:
            return pyarrow.array(column, pyarrow.string())
        absent = np.isnan(column) if column.dtype == np.float64 else (column == NONE) & (name in self.or_none)
        values = np.where(absent, 0, column).astype(np.int64) if name in self.whole else column
        return pyarrow.array(values, mask=absent)


@dataclass(frozen=True, kw_only=True, eq=False)
class JobTables:
    """A job of a run. `table` is what `tb_plugin.ask("ranks", ...)` answers."""

    table: RanksTable
    ranks: ColumnTable
    steps: ColumnTable
    collectives: ColumnTable
    links: ColumnTable
    clocks: ColumnTable
    instances: ColumnTable
    members: Sequence[Member[RankSummary]]
    asked: RanksParams

    def __repr__(self) -> str:
        sizes = ", ".join(f"{one.name} {len(getattr(self, one.name))}" for one in fields(self) if one.type == "ColumnTable")
        return f"<ranks of run {self.table.run}: {sizes}>"

    def stragglers(self) -> list[Blamed]:
        """Who is waited for and why, the largest excess first."""
        return self.table.blamed

    def rank(self, number: int) -> OneRank:
        """One rank against its peers. NotFoundError where it is not here."""
        return one_rank(self.members, OneRankParams(rank=number, run=self.table.run, worker=self.asked.worker))

    def what_if(self, *edits: str) -> RanksWhatIf:
        """What a step would be: `rank=5`, `transfer:data=0.5`, ... UsageError for what is not understood."""
        return what_if(self.members, RanksWhatIfParams(what_if="\n".join(edits), run=self.table.run, worker=self.asked.worker))


def job_tables(members: Sequence[Member[RankSummary]], params: RanksParams) -> JobTables:
    """FormatError where none of the run's profiles can be read."""
    table = join(members, params)
    _, of = analysed_of(members, params)
    assert of is not None  # join has raised where no rank can be read
    return JobTables(
        table=table,
        ranks=_columns(RankRow, table.ranks),
        steps=_columns(JobStepRow, table.steps),
        collectives=_columns(CollectiveRow, table.collectives),
        links=_columns(LinkRow, table.links),
        clocks=_columns(HostRow, table.hosts),
        instances=_instances(of),
        members=members,
        asked=params,
    )


def _columns(struct: type[msgspec.Struct], rows: Sequence[Any]) -> ColumnTable:
    """The fields of rows that are one value each; several words are one text, as "rank 3, rank 5"."""
    found: dict[str, NDArray[Any]] = {}
    whole = set[str]()
    for name, hint in get_type_hints(struct).items():
        kinds = set(get_args(hint)) or {hint}
        values = [getattr(row, name) for row in rows]
        if kinds <= {int, bool} and len(kinds) == 1:
            found[name] = np.array(values, np.bool_ if bool in kinds else np.int64)
        elif kinds <= {int, float, type(None)}:
            found[name] = np.array([np.nan if value is None else value for value in values], np.float64)
            whole |= {name} if float not in kinds else set()
        elif hint == list[str]:
            found[name] = np.array([", ".join(value) for value in values], object)
        elif kinds <= {str, type(None)}:
            found[name] = np.array(values, object)
    return ColumnTable(found, frozenset(whole))


def _instances(of: Analysed) -> ColumnTable:
    """One row a matched collective that is not refused. Times are Unix time on the job's clock, ns.

    `members`: numbers of the ranks of which it is there, as text: "0,1"; `last_ranks`: of those that came last, several where
    they came together as far as clocks can tell. `group`, its name, is "" where it is not recorded, and `sequence`, torch's
    number in it, NaN. `step` is -1 outside of steps.
    """
    job = of.job
    use = np.flatnonzero(job.instances.is_known)
    found = job.instances
    row = np.zeros(len(job.matched), np.int64)
    there = np.flatnonzero(job.matched.of != NONE)
    row[job.matched.of[there]] = there
    its = row[use]
    dimension = of.dimensions.of_rows(job.matched.group[use])
    return ColumnTable(
        {
            "dimension": np.array(of.dimensions.names, object)[dimension],
            "group": np.array([*(group.name for group in job.table.groups), ""], object)[job.matched.group[use]],
            "kind": np.array([sort_name(kind) for kind in range(len(KINDS))], object)[sorts_of(of).kind[use]],
            "sequence": np.where(job.rows.sequence[its] == NONE, np.nan, job.rows.sequence[its]),
            "step": job.rows.step[its],
            "n_members": found.n_members[use],
            "members": _members(of, use),
            "is_complete": job.matched.is_complete[use],
            "bytes": np.where(job.rows.size[its] > 0, job.rows.size[its], np.nan),
            "last_ranks": _listed(of, last_ranks(job, use)),
            "first_arrival_ns": found.first_arrival[use] + job.table.base_ns,
            "last_arrival_ns": found.last_arrival[use] + job.table.base_ns,
            "first_end_ns": found.first_end[use] + job.table.base_ns,
            "last_end_ns": found.last_end[use] + job.table.base_ns,
            "transfer_ns": found.transfer[use],
            "bus_bytes_per_s": of.links.bandwidth[use],
        },
        whole=frozenset({"sequence", "bytes"}),
        or_none=frozenset({"step"}),
    )


def _members(of: Analysed, use: Int64Array) -> NDArray[Any]:
    """Of each of these instances."""
    rows, instance = of.job.rows, of.job.matched.of
    there = np.flatnonzero(rows.is_there & np.isin(instance, use))
    there = there[np.argsort(instance[there], kind="stable")]  # rows are by rank
    each = np.split(rows.rank[there], np.flatnonzero(np.diff(instance[there])) + 1) if len(there) else []
    return _listed(of, [distinct(ranks).tolist() for ranks in each])


def _listed(of: Analysed, each: list[list[int]]) -> NDArray[Any]:
    """Ranks by their places, as numbers in text."""
    return np.array([",".join(str(of.job.of.numbers[place]) for place in places) for places in each], object)
