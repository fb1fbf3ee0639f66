"""The collectives of one rank: every vintage gives the same rows."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.base.units import NONE
from tb_plugin.formats.reader import read
from tb_plugin.trace.collectives import kinds
from tb_plugin.trace.collectives.call_args import call_args
from tb_plugin.trace.collectives.dimensions import dimension_of
from tb_plugin.trace.collectives.groups import Configured, ProcessGroup, resolved
from tb_plugin.trace.collectives.table import collectives
from tests.job_files import Job
from tests.pipeline_files import PipelineJob
from tests.profiles import job, over, real
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("form", ["2025", "rccl", "2023"])
def test_kernels_without_a_word_are_told_by_the_call_around_their_launch(tmp_path: Path, form: str) -> None:
    trace = read(Job(form=form).write(tmp_path)[1])
    found = collectives(trace)
    assert len(found) == 3 * 7
    assert set(found.kind.tolist()) == {kinds.ALL_REDUCE}
    assert np.bincount(found.step).tolist() == [7, 7, 7]
    if form == "2023":
        assert found.groups == ()
        assert set(found.message_bytes.tolist()) == {NONE}
    else:
        assert {group.ranks for group in found.groups} == {(0, 1), (0, 1, 2, 3)}
        assert found.message_bytes.tolist() == [2 << 20] * 21
        n = found.n_ranks
        assert found.bus_bytes.tolist() == ((2 << 20) * 2 * (n - 1) / n).tolist()
    assert (found.sequence != NONE).all() == (form == "2025")


@pytest.mark.parametrize(("n_stages", "has_range"), [(2, False), (3, True), (3, False)])
def test_of_2024_the_peer_is_the_other_of_two_or_the_one_that_the_range_names(
    tmp_path: Path, n_stages: int, *, has_range: bool
) -> None:
    """No `Src Rank`, `Dst Rank` or `Seq` is in these files."""
    for rank, path in enumerate(PipelineJob(n_stages=n_stages).write(tmp_path)):
        said = collectives(read(path)).peer.tolist()
        trace = json.loads(gzip.decompress(path.read_bytes()))
        for event in [one for one in trace["traceEvents"] if "Collective name" in one.get("args", {})]:
            peers = [event["args"].pop(name) for name in ("Dst Rank", "Src Rank") if name in event["args"]]
            event["args"].pop("Seq", None)
            if has_range and event["name"] == "record_param_comms":
                kind = event["args"]["Collective name"]
                name = f"nccl:{kind} {rank}{'->' if kind == 'send' else '<-'}{peers[0]}"
                inside = {"cat": "user_annotation", "name": name, "ts": event["ts"] + 0.1, "dur": event["dur"] - 0.2, "args": {}}
                trace["traceEvents"].append({**event, **inside})
        path.write_bytes(gzip.compress(json.dumps(trace).encode()))
        found = collectives(read(path))
        assert found.peer.tolist() == (said if has_range or n_stages == 2 else [NONE] * len(said))


def test_a_call_whose_kernel_was_lost_keeps_its_place(tmp_path: Path) -> None:
    whole = collectives(read(Job().write(tmp_path)[2]))
    other = tmp_path / "lost"
    other.mkdir()
    lost = collectives(read(Job(lost={(2, 4)}).write(other)[2]))
    assert len(lost) == len(whole)
    assert np.flatnonzero(lost.row == NONE).tolist() == [4]
    assert lost.sequence.tolist() == whole.sequence.tolist()


def test_what_stood_in_a_queue_when_the_recording_began_comes_before_all_that_was_launched_in_it() -> None:
    """On its stream; what has no launch later was issued as far as anyone knows when it began."""
    all_reduce = "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)"
    trace = trace_from_text(f"""
        thread 1  | ProfilerStep#1 0-100 | <nccl:all_reduce> 10-12 | <nccl:barrier> 14-16
        thread 1  | ProfilerStep#2 100-200 | <nccl:allreduce> 110-112
        stream 20 | {all_reduce} 50-60 | {all_reduce} 120-130 | {all_reduce} 140-150 <- nccl:all_reduce
        stream 20 | {all_reduce} 160-170 | {all_reduce} 180-190 <- nccl:barrier | {all_reduce} 210-220 <- nccl:allreduce
    """)
    found = collectives(trace)
    started = trace.events.start_ns[found.row] // 1000
    assert list(zip(started.tolist(), found.step.tolist(), strict=True)) == [
        (50, NONE),
        (120, NONE),
        (140, 0),
        (180, 0),
        (210, 1),
        (160, 1),
    ]


@pytest.mark.parametrize(("name", "peer"), [("send", 3), ("recv", 5)])
def test_of_two_ranks_that_are_said_the_peer_is_the_other_side(name: str, peer: int) -> None:
    both = {"Collective name": name, "Src Rank": 5, "Dst Rank": 3}
    said = [call_args(args) for args in (both, both | {"Src Rank": -1}, both | {"Dst Rank": -1})]
    assert [one.peer for one in said if one] == [peer, 3, 5]


def test_without_calls_of_collectives_there_are_none(tmp_path: Path) -> None:
    assert len(collectives(read(Job(n_ranks=1).write(tmp_path)[0]))) == 0


@pytest.mark.parametrize(
    ("kind", "moved"),
    [("allreduce", 100 * 2 * 3 / 4), ("_allgather_base", 400 * 3 / 4), ("reduce_scatter", 100 * 3 / 4), ("broadcast", 100)],
)
def test_bytes_over_the_busiest_link_are_those_of_nccl_tests(kind: str, moved: float) -> None:
    of = np.array([kinds.kind_of(kind)])
    size = kinds.message_bytes(of, np.array([100]), np.array([400]))
    assert (size * kinds.bus_factor(of, np.array([4]))).tolist() == [moved]


def test_sizes_of_unknown_types_are_not_known() -> None:
    said = call_args({"Collective name": "allreduce", "dtype": "Strange", "In msg nelems": 4, "Out msg nelems": 4})
    assert said is not None
    assert (said.bytes_in, said.bytes_out) == (NONE, NONE)
    eight = call_args({"Collective name": "allreduce", "dtype": "Float8_e4m3fn", "In msg nelems": 4, "Out msg nelems": "x"})
    assert eight is not None
    assert (eight.bytes_in, eight.bytes_out) == (4, NONE)


def test_a_list_of_ranks_that_is_cut_is_that_of_the_heads_group() -> None:
    text = "[" + ", ".join(map(str, range(30))) + ", ...]"
    said = call_args({"Collective name": "send", "Process Group Name": "5", "Group size": 64, "Process Group Ranks": text})
    assert said is not None
    head = [
        Configured("5", "mesh_dp", 64, tuple(range(64))),
        Configured("5", "mesh_dp", 64, tuple(range(0, 128, 2))),
        Configured("5", "mesh_tp", 4, (0, 1, 2, 3)),
    ]
    assert resolved(said.group, head).ranks == tuple(range(64))
    assert resolved(said.group, []).ranks is None
    strided = said.group._replace(start=3, stride=2)
    assert resolved(strided, []).ranks == tuple(range(3, 131, 2))
    assert resolved(strided._replace(size=10**6), []).ranks is None  # no job has so many: each such group would take 40 MB


@pytest.mark.parametrize(
    ("description", "dimension"),
    [
        ("TENSOR_MODEL_PARALLEL_GROUP", "tensor"),
        ("EXPERT_MODEL_PARALLEL_GROUP", "expert"),
        ("mesh_ep", "expert"),
        ("mesh_cp", "context"),
        ("mesh_dp_shard", "data"),
        ("fsdp", "data"),
        ("PIPELINE_MODEL_PARALLEL_GROUP", "pipeline"),
        ("EMBEDDING_GROUP", "pipeline"),
        ("MODEL_PARALLEL_GROUP", "model"),
        ("default_pg", "world"),
        ("undefined", None),
    ],
)
def test_a_description_says_what_a_group_is_for(description: str, dimension: str | None) -> None:
    assert dimension_of(ProcessGroup("3", description, 4, (0, 1, 2, 3))) == dimension


@over(job("syn8_tp2_pp2_dp2_dropped")[2:3])
def test_a_recording_that_lost_one_kernel(path: Path) -> None:
    found = collectives(read(path))
    assert (found.row == NONE).sum() == 1
    assert len(found) == 132


@over(job("dlrm8_v100_2023"))
def test_a_recording_of_2023(path: Path) -> None:
    found = collectives(read(path))
    assert Counter(kinds.KINDS[kind] for kind in found.kind.tolist()) == {"all_to_all": 5, "all_reduce": 3}
    assert (found.message_bytes > 0).all()  # by the shapes of nccl's range


@over(job("ar16_of_64_kineto")[:1])
def test_a_recording_without_a_host(path: Path) -> None:
    found = collectives(read(path))
    counted = Counter(kinds.KINDS[kind] for kind in found.kind.tolist())
    assert counted == {"send": 64, "recv": 64, "all_reduce": 4, "all_gather": 2, "reduce_scatter": 2}
    assert set(found.peer[found.kind == kinds.SEND].tolist()) == {16}


@over(real("mi300_resnet_ddp_checkpoint"))
def test_rccl_kernels_have_sizes_by_their_launch(path: Path) -> None:
    found = collectives(read(path))
    assert (found.message_bytes > 0).sum() == 12
