"""Keys of every Grouping: equal numbers are equal texts, texts are those of another profile too, and nothing holds the trace."""

from __future__ import annotations

import gc
import weakref
from typing import get_args

import numpy as np
import pytest

from tb_plugin.trace.groupings.allocations import CATEGORY as TENSOR_CATEGORY
from tb_plugin.trace.groupings.allocations import OPERATOR as ALLOCATING
from tb_plugin.trace.groupings.categories import CATEGORY
from tb_plugin.trace.groupings.grouping import Grouping, choices
from tb_plugin.trace.groupings.launches import LAUNCH, OPERATOR, STREAM
from tb_plugin.trace.groupings.names import NAME, SHAPES
from tb_plugin.trace.groupings.places import CALL_SITE, MODULE, STACK
from tb_plugin.trace.kinds import DEVICE_KINDS, HOST_KINDS, Kind
from tb_plugin.views.kernels import groupings as of_kernels
from tb_plugin.views.kernels.result import GroupBy as KernelsBy
from tb_plugin.views.memory import groupings as of_memory
from tb_plugin.views.memory.result import GroupBy as MemoryBy
from tb_plugin.views.operators import groupings as of_operators
from tb_plugin.views.operators.result import GroupBy as OperatorsBy
from tests.trace_text import trace_from_text

TRAINING = """
    thread 1 | ProfilerStep#{step} 0-100 | train.py(3): step 1-95 | nn.Module: Net_0 2-90 | aten::linear 10-38 | aten::addmm 12-36
    thread 1 | aten::relu 50-70 | mine 75-80
    stream 7 | gemm 40-60 <- aten::addmm | clamp 70-75 <- aten::relu | lost 90-93
    stream 8 | gemm 60-61 <- aten::addmm
"""
EVERYWHERE = (NAME, SHAPES, CALL_SITE, MODULE, STACK, CATEGORY)
OF_WORK = (LAUNCH, OPERATOR, STREAM)
HOST, DEVICE = tuple(map(int, HOST_KINDS)), tuple(map(int, DEVICE_KINDS))
CASES = [(grouping, kinds) for kinds in (HOST, DEVICE) for grouping in EVERYWHERE] + [(grouping, DEVICE) for grouping in OF_WORK]


@pytest.mark.parametrize(("grouping", "kinds"), CASES)
def test_events_are_one_where_their_texts_are_equal_in_any_profile(grouping: Grouping, kinds: tuple[int, ...]) -> None:
    texts = []
    for more in ("", "    thread 9 | other 0-200 | aten::mm 3-5\n    stream 9 | k 200-210 <- aten::mm\n"):  # other numbers
        trace = trace_from_text(TRAINING.format(step=3) + more)
        rows = np.flatnonzero(np.isin(trace.events.kind, kinds) & (trace.events.start_ns < 100_000))
        keys = grouping.keys(trace, rows)
        groups, found = keys.groups(), keys.texts()
        assert len(set(zip(groups.of.tolist(), found, strict=True))) == len(groups) == len(set(found))
        names = [trace.text(name) for name in trace.events.name_id[rows].tolist()]
        texts.append(set(zip(names, found, strict=True)))
    assert texts[0] <= texts[1]


@pytest.mark.parametrize("grouping", [*EVERYWHERE, *OF_WORK, ALLOCATING, TENSOR_CATEGORY])
def test_keys_do_not_hold_the_trace(grouping: Grouping) -> None:
    trace = trace_from_text(TRAINING.format(step=3))
    kind = Kind.MEMORY if grouping in (ALLOCATING, TENSOR_CATEGORY) else Kind.KERNEL
    keys = grouping.keys(trace, np.flatnonzero(trace.events.kind == kind))
    gone = weakref.ref(trace)
    del trace
    gc.collect()
    assert keys.name is not None
    assert gone() is None


def test_all_steps_have_one_text_and_a_range_is_no_operator() -> None:
    trace = trace_from_text("thread 1 | ProfilerStep#1 0-10 | ProfilerStep#2 10-20 | aten::mm 21-22")
    rows = np.arange(len(trace.events))
    assert NAME.keys(trace, rows).texts() == ["ProfilerStep* | annotation", "ProfilerStep* | annotation", "aten::mm"]


@pytest.mark.parametrize(
    ("offered", "asked"),
    [(of_operators.GROUPINGS, OperatorsBy), (of_kernels.GROUPINGS, KernelsBy), (of_memory.GROUPINGS, MemoryBy)],
)
def test_what_can_be_asked_for_is_what_is_offered(offered: dict[str, Grouping], asked: object) -> None:
    assert tuple(offered) == get_args(asked)


def test_of_the_chosen_grouping_its_keys_say_what_is_missing() -> None:
    trace = trace_from_text("thread 1 | aten::mm 0-10")
    rows = np.arange(len(trace.events))
    offered = of_operators.GROUPINGS
    for chosen in offered.values():
        missing = {each.id: each.missing for each in choices(trace, offered, chosen.id, chosen.keys(trace, rows))}
        assert [name for name, why in missing.items() if why is None] == ["name", "category"]
        assert all(why is None or "Record with" in why for why in missing.values())
