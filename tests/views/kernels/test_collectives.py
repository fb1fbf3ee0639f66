"""Kernels of collectives say their message, group and least rate: sums as a plain loop over the table of collectives has them."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from tb_plugin.base.units import NONE
from tb_plugin.formats.reader import read
from tb_plugin.trace.collectives.dimensions import dimension_told
from tb_plugin.trace.collectives.groups import group_title
from tb_plugin.trace.collectives.kinds import KINDS
from tb_plugin.trace.collectives.least_rate import least_bus_rate
from tb_plugin.trace.collectives.table import collectives
from tb_plugin.views.kernels import VIEW
from tb_plugin.views.kernels.details import details
from tb_plugin.views.kernels.result import KernelDetailsParams, KernelsParams
from tests.job_files import Job
from tests.pipeline_files import PipelineJob
from tests.profiles import job, over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace
    from tb_plugin.views.kernels.result import KernelRow

_SETS = ("syn8_ep4_dp8_input", "syn8_pp4_dp2_stage", "syn8_tp2_dp4_host_rccl", "syn8_fsdp8_gc_2023", "dlrm8_v100_2023")


def _is_as_in_the_table(trace: Trace) -> None:
    of, rate = collectives(trace), least_bus_rate(trace).tolist()
    by_name: dict[str, list[int]] = defaultdict(list)
    for at, row in enumerate(of.row.tolist()):
        if row != NONE and not of.is_host[at]:
            by_name[trace.text(int(trace.events.name_id[row]))].append(at)
    rows = [row for row in VIEW.main.answer(trace, KernelsParams()).rows if row.kind == "communication"]
    assert {row.name for row in rows} == set(by_name)
    for row in rows:
        its = by_name[row.name]
        sizes = [int(of.message_bytes[at]) for at in its if of.message_bytes[at] != NONE]
        assert row.message_bytes == (sum(sizes) if sizes else None)
        assert row.n_unsized == len(its) - len(sizes)
        assert row.least_bus_bytes_per_s == max((rate[at] for at in its if rate[at] == rate[at]), default=None)
        groups = [None if of.group[at] == NONE else of.groups[of.group[at]] for at in its]
        assert row.process_group == _one([one and group_title(one.name, one.description) for one in groups])
        used = [of.kind[of.group == of.group[at]] for at in its]
        told = [one and dimension_told(one, kinds, trace.info.world_size) for one, kinds in zip(groups, used, strict=True)]
        assert row.dimension == _one([one and one[0] for one in told])
        assert (row.n_without_group, row.n_without_dimension) == (groups.count(None), told.count(None))
        _parts_are_the_row(trace, row, [KINDS[of.kind[at]] for at in its])


def _one(words: list[str | None]) -> str | None:
    said = {word for word in words if word}
    return None if not said else said.pop() if len(said) == 1 else "several"


def _parts_are_the_row(trace: Trace, row: KernelRow, kinds: list[str]) -> None:
    parts = details(trace, KernelDetailsParams(row=row.example)).collectives
    assert sum(part.n_collectives for part in parts) == len(kinds)
    assert {part.kind for part in parts} == set(kinds)
    assert sum(part.message_bytes or 0 for part in parts) == (row.message_bytes or 0)
    assert sum(part.n_unsized for part in parts) == row.n_unsized
    assert max((part.least_bus_bytes_per_s or 0 for part in parts), default=0) == (row.least_bus_bytes_per_s or 0)


@pytest.mark.parametrize("form", ["2025", "rccl", "2023"])
def test_a_row_has_the_bytes_group_and_rate_of_its_collectives(tmp_path: Path, form: str) -> None:
    _is_as_in_the_table(read(Job(form=form).write(tmp_path)[1]))


def test_of_collectives_that_lack_their_calls_the_row_says_that_some_do(tmp_path: Path) -> None:
    path = Job(form="rccl", n_ranks=2).write(tmp_path)[1]
    whole = json.loads(gzip.decompress(path.read_bytes()))
    calls = [event for event in whole["traceEvents"] if event["name"] == "record_param_comms"]
    for call in calls[:5]:
        call["args"] = {"External id": call["args"]["External id"]}
    path.write_bytes(gzip.compress(json.dumps(whole).encode()))
    trace = read(path)
    _is_as_in_the_table(trace)
    reply = VIEW.main.answer(trace, KernelsParams())
    (row,) = [each for each in reply.rows if each.kind == "communication"]
    assert (row.n_unsized, row.count) == (5, len(calls))
    (line,) = [each for each in VIEW.main.text(reply).splitlines() if each.endswith(row.name)]
    assert "at least " in line
    assert (row.process_group, row.dimension, row.n_without_group, row.n_without_dimension) == ("default_pg", "world", 5, 5)
    assert "default_pg, 5 not recorded" in line
    assert "world, 5 not recorded" in line


def test_one_kernel_that_sends_and_receives_counts_for_both(tmp_path: Path) -> None:
    for path in PipelineJob(n_stages=3).write(tmp_path):
        _is_as_in_the_table(read(path))


def test_what_is_no_collective_says_nothing_of_them() -> None:
    trace = trace_from_text("""
        thread 1 | aten::mm 0-15
        stream 7 | gemm 5-15 <- aten::mm
    """)
    (row,) = VIEW.main.answer(trace, KernelsParams()).rows
    assert (row.message_bytes, row.process_group, row.dimension, row.least_bus_bytes_per_s) == (None, None, None, None)
    assert details(trace, KernelDetailsParams(row=row.example)).collectives == []
    text = VIEW.main.text(VIEW.main.answer(trace, KernelsParams()))
    assert "bus rate" not in text


@over([*real("a100_nccl", "a100_2ranks_rank0", "mi300_resnet_ddp_checkpoint"), *(job(name)[0] for name in _SETS if job(name))])
def test_real_kernels_have_what_their_files_say(path: Path) -> None:
    _is_as_in_the_table(trace_of(path))
