"""The ranks view: all ranks of a run on one clock."""

from __future__ import annotations

from typing import Final

from tb_plugin.question.joint import Joint
from tb_plugin.question.question import NoParams, Question
from tb_plugin.question.view import View
from tb_plugin.trace.rank.summary import RankSummary
from tb_plugin.trace.scope.empty import why_empty
from tb_plugin.views.ranks import beside, in_job
from tb_plugin.views.ranks.basis.of_job import chosen_by, takes
from tb_plugin.views.ranks.beside import BesideParams, RanksBeside
from tb_plugin.views.ranks.collectives import instances, one_collective
from tb_plugin.views.ranks.collectives.instances import InstancesParams, RankInstances
from tb_plugin.views.ranks.collectives.one_clock import OnOneClock, on_one_clock
from tb_plugin.views.ranks.collectives.one_collective import CollectiveParams, OneCollective
from tb_plugin.views.ranks.compute import asked, join, over
from tb_plugin.views.ranks.in_job import InJob, InJobParams
from tb_plugin.views.ranks.job_tables import JobTables, job_tables
from tb_plugin.views.ranks.lanes import lanes
from tb_plugin.views.ranks.lanes.lanes import LanesParams, RankLanes
from tb_plugin.views.ranks.map import matrix
from tb_plugin.views.ranks.map.matrix import MatrixParams, RanksMatrix
from tb_plugin.views.ranks.one_rank import one_rank
from tb_plugin.views.ranks.one_rank.one_rank import OneRank, OneRankParams
from tb_plugin.views.ranks.pipeline import micro_text
from tb_plugin.views.ranks.pipeline.micro_batches import MicroBatches, MicroBatchesParams, micro_batches
from tb_plugin.views.ranks.result import RanksParams, RanksTable
from tb_plugin.views.ranks.summary import summary, summary_text
from tb_plugin.views.ranks.text import table, text
from tb_plugin.views.ranks.what_if import what_if
from tb_plugin.views.ranks.what_if.what_if import RanksWhatIf, RanksWhatIfParams

_SUMMARY: Final = Question(
    id="rank_summary",
    title="One rank in small tables: what the ranks of a job are joined from.",
    params=NoParams,
    reply=RankSummary,
    answer=summary,
    missing=why_empty,
    text=summary_text,
    is_beside=True,
)

VIEW: Final = View(
    id="ranks",
    title="Ranks",
    question="Who is waited for, and why?",
    main=Joint(
        id="ranks",
        title="Who is waited for, and why?",
        params=RanksParams,
        reply=RanksTable,
        over=over,
        of_each=_SUMMARY,
        asked=asked,
        takes=takes,
        chosen_by=chosen_by,
        join=join,
        text=text,
        table=table,
    ),
    more=(
        _SUMMARY,
        Joint(
            id="lanes",
            title="Several ranks side by side in one step, on one clock, and the critical path.",
            params=LanesParams,
            reply=RankLanes,
            over=over,
            of_each=_SUMMARY,
            asked=asked,
            takes=takes,
            chosen_by=chosen_by,
            join=lanes.lanes,
            text=lanes.text,
            table=lanes.table,
        ),
        Joint(
            id="collective",
            title="One collective over all its members: who came last, and how long each waited.",
            params=CollectiveParams,
            reply=OneCollective,
            over=over,
            of_each=_SUMMARY,
            asked=asked,
            takes=takes,
            chosen_by=chosen_by,
            join=one_collective.one_collective,
        ),
        Joint(
            id="rank",
            title="One rank against its peers: what it needs for itself, whom it waits for, and who waits for it.",
            params=OneRankParams,
            reply=OneRank,
            over=over,
            of_each=_SUMMARY,
            asked=asked,
            takes=takes,
            chosen_by=chosen_by,
            join=one_rank.one_rank,
            text=one_rank.text,
            table=one_rank.table,
        ),
        Joint(
            id="in_job",
            title="What its job tells of one profile: whom its rank waits for, in a line.",
            params=InJobParams,
            reply=InJob,
            over=over,
            of_each=_SUMMARY,
            asked=asked,
            takes=takes,
            chosen_by=chosen_by,
            join=in_job.in_job,
            text=in_job.text,
        ),
        Joint(
            id="matrix",
            title="One measure of all ranks, over steps, hosts, places in the layout, or kinds of collectives.",
            params=MatrixParams,
            reply=RanksMatrix,
            over=over,
            of_each=_SUMMARY,
            asked=asked,
            takes=takes,
            chosen_by=chosen_by,
            join=matrix.matrix,
            text=matrix.text,
            table=matrix.table,
        ),
        Joint(
            id="micro_batches",
            title="One pipeline in one step: what each stage does with each micro-batch, on one clock.",
            params=MicroBatchesParams,
            reply=MicroBatches,
            over=over,
            of_each=_SUMMARY,
            asked=asked,
            takes=takes,
            chosen_by=chosen_by,
            join=micro_batches,
            text=micro_text.text,
            table=micro_text.table,
        ),
        Joint(
            id="instances",
            title="The matched collectives one by one, over time: wait, transfer, who came last.",
            params=InstancesParams,
            reply=RankInstances,
            over=over,
            of_each=_SUMMARY,
            asked=asked,
            takes=takes,
            chosen_by=chosen_by,
            join=instances.instances,
            text=instances.text,
            table=instances.table,
        ),
        Joint(
            id="beside",
            title="Two recordings of one job beside each other, a step of each, by dimension or by rank.",
            params=BesideParams,
            reply=RanksBeside,
            over=beside.over,
            of_each=_SUMMARY,
            asked=asked,
            takes=beside.takes,
            join=beside.beside,
            text=beside.text,
            table=beside.table,
        ),
        Joint(
            id="what_if",
            title="What a step would be if a rank, stage, host or link were like the others, by replay.",
            params=RanksWhatIfParams,
            reply=RanksWhatIf,
            over=over,
            of_each=_SUMMARY,
            asked=asked,
            takes=takes,
            chosen_by=chosen_by,
            join=what_if.what_if,
            text=what_if.text,
            table=what_if.table,
            exit_code=what_if.exit_code,
        ),
    ),
)

ON_ONE_CLOCK: Final = Joint(
    id="on_one_clock",
    title="Where each rank's times lie on the job's clock.",
    params=RanksParams,
    reply=OnOneClock,
    over=over,
    of_each=_SUMMARY,
    asked=asked,
    takes=takes,
    chosen_by=chosen_by,
    join=on_one_clock,
)
"""Of no door, since it holds functions: `answers/merge.py` asks it."""

AS_TABLES: Final = Joint(
    id="as_tables",
    title="The job's tables as NumPy columns.",
    params=RanksParams,
    reply=JobTables,
    over=over,
    of_each=_SUMMARY,
    asked=asked,
    takes=takes,
    chosen_by=chosen_by,
    join=job_tables,
)
"""Of no door: `tb_plugin.load_ranks` asks it."""
