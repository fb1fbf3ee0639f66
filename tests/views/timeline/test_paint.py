"""Which colour an event has."""

from __future__ import annotations

import dataclasses

from tb_plugin.trace.kinds import Kind
from tb_plugin.views.timeline.paint import PAINTS, paint_of
from tests.trace_text import trace_from_text


def test_data_loaders_and_collectives_have_their_colour_whatever_kind_the_file_gives_them() -> None:
    """As the operators and named ranges of 2021, and the projection of a collective on its stream."""
    trace = trace_from_text("""
        thread 1 | aten::mm 0-5 | enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__ 5-10 | nccl:all_reduce 10-15
        thread 1 | <gloo:broadcast> 15-20
        stream 7 | nccl:all_gather 20-25 | my_kernel 30-35 | ncclDevKernel_AllReduce 40-45
    """)
    kind = trace.events.kind.copy()
    for name, told in (("nccl:all_reduce", Kind.OPERATOR), ("nccl:all_gather", Kind.DEVICE_ANNOTATION)):
        kind[[trace.text(n) == name for n in trace.events.name_id.tolist()]] = told
    kind[[trace.text(n).startswith("enumerate") for n in trace.events.name_id.tolist()]] = Kind.OPERATOR
    trace = dataclasses.replace(trace, events=dataclasses.replace(trace.events, kind=kind))
    shown = {trace.text(n).split("#")[0]: PAINTS[p] for n, p in zip(trace.events.name_id.tolist(), paint_of(trace), strict=True)}
    assert shown == {
        "aten::mm": "operator",
        "enumerate(DataLoader)": "data_loader",
        "nccl:all_reduce": "communication",
        "gloo:broadcast": "communication",
        "nccl:all_gather": "communication",
        "my_kernel": "kernel",
        "ncclDevKernel_AllReduce": "communication",
    }


def test_of_the_host_alone_operators_have_the_colours_of_their_categories() -> None:
    """As the overview adds them up."""
    trace = trace_from_text(
        "thread 1 | aten::mm 0-5 | aten::copy_ 5-10 | aten::zero_ 10-15 | my::own 15-20 | c10d::allreduce_ 20-25"
    )
    paints = [PAINTS[paint] for paint in paint_of(trace)]
    assert paints == ["matmul", "copy", "set", "operator", "communication"]
