"""Forward and backward operators are linked as torch links them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.trace.modules.forward_backward import forward_backward
from tests.profiles import SAMPLES, name_of, over, real, trace_of
from tests.trace.numbered import numbered
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace

Place = tuple[int, int]  # track, start_ns


def links(trace: Trace) -> dict[str, tuple[str, str]]:
    """Name of each backward operator to what its arrow comes from and which forward operator it has."""
    found = forward_backward(trace)
    names = [trace.text(i) for i in trace.events.name_id.tolist()] + [""]
    rows = np.flatnonzero(trace.events.forward_thread > 0).tolist()
    return {names[row]: (names[found.arrow_from[row]], names[found.forward[row]]) for row in rows}


def test_the_forward_operator_that_started_last_is_taken_by_the_inner_backward_operator() -> None:
    trace = numbered(
        """
        thread 1 | aten::linear#7 0-20 | aten::addmm#7 5-15 | aten::relu#8 21-25
        thread 2 | evaluate#7 30-50 | AddmmBackward0#7 32-48 | evaluate#9 60-70
        """,
        {"evaluate": 1, "AddmmBackward0": 1},
    )
    assert links(trace) == {
        "evaluate#7": ("", "aten::addmm#7"),
        "AddmmBackward0#7": ("aten::addmm#7", "aten::addmm#7"),
        "evaluate#9": ("", ""),
    }


def test_a_second_backward_pass_has_no_arrow_and_the_same_forward_operator() -> None:
    trace = numbered("thread 1 | aten::mm#3 0-10 | MmBackward0#3 20-30 | Again#3 40-50", {"MmBackward0": 1, "Again": 1})
    assert links(trace) == {"MmBackward0#3": ("aten::mm#3", "aten::mm#3"), "Again#3": ("", "aten::mm#3")}


def test_the_forward_thread_is_the_one_that_shares_most_numbers() -> None:
    trace = numbered(
        """
        thread 1 | aten::a#1 0-10 | aten::b#2 11-20 | aten::c#3 21-30
        thread 2 | aten::x#3 0-10 | aten::y#4 11-20
        thread 3 | CBackward#3 40-50 | BBackward#2 51-60 | XBackward#3 61-70 | YBackward#4 71-80
        """,
        {"CBackward": 1, "BBackward": 1, "XBackward": 2, "YBackward": 2},
    )
    assert {name: arrow for name, (arrow, _) in links(trace).items()} == {
        "CBackward#3": "aten::c#3",
        "BBackward#2": "aten::b#2",
        "XBackward#3": "aten::x#3",
        "YBackward#4": "aten::y#4",
    }


def test_no_backward_is_no_link() -> None:
    assert links(trace_from_text("thread 1 | aten::mm 0-10")) == {}
    assert links(trace_from_text("")) == {}


def arrows_of_file(trace: Trace) -> Counter[tuple[Place, Place]]:
    flows = trace.flows
    ends: dict[int, dict[int, Place]] = {}
    for row in range(len(flows)):
        if trace.text(int(flows.category_id[row])) == "fwdbwd":
            place = (int(flows.track[row]), int(flows.time_ns[row]))
            ends.setdefault(int(flows.flow_id[row]), {})[int(flows.phase[row])] = place
    return Counter((both[0], both[2]) for both in ends.values())


def arrows_found(trace: Trace) -> Counter[tuple[Place, Place]]:
    events, arrow_from = trace.events, forward_backward(trace).arrow_from

    def place(row: int) -> Place:
        return int(events.track[row]), int(events.start_ns[row])

    return Counter((place(int(arrow_from[row])), place(row)) for row in np.flatnonzero(arrow_from >= 0).tolist())


N_ARROWS = {"v100_ns_resolution": 905, "a100_nccl": 543, "mi300_resnet_ddp_checkpoint": 213}


@over(SAMPLES + real(*N_ARROWS))
def test_links_are_the_arrows_of_the_file(path: Path) -> None:
    trace = trace_of(path)
    wanted = arrows_of_file(trace)
    assert sum(wanted.values()) == N_ARROWS.get(name_of(path), sum(wanted.values())) > 0
    assert arrows_found(trace) == wanted


@pytest.mark.torch
@pytest.mark.filterwarnings("default")  # torch's own: no accelerator here
def test_links_are_the_arrows_of_a_live_profile(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch records the profile")
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
        for _ in range(2):
            x = torch.randn(3, 4, requires_grad=True)
            model(x).square().sum().backward(retain_graph=True)
            (first,) = torch.autograd.grad(model(x).pow(3).sum(), x, create_graph=True)
            first.sum().backward()  # double backward
    path = tmp_path / "profile.json"
    profiler.export_chrome_trace(str(path))
    trace = trace_of(path)
    wanted = arrows_of_file(trace)
    assert sum(wanted.values()) > 20
    assert arrows_found(trace) == wanted
