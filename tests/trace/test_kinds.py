"""Which category of a file is what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.trace.file_categories import kind_of
from tb_plugin.trace.kinds import DEVICE_KINDS, HOST_KINDS, LAUNCH_KINDS, Kind
from tb_plugin.trace.work.taxonomy import Category, category_of_operator
from tb_plugin.views.kernels import VIEW as KERNELS
from tb_plugin.views.overview import VIEW as OVERVIEW
from tests.profiles import trace_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("pe_exe", Kind.KERNEL),
        ("merge", Kind.KERNEL),
        ("dma_request", Kind.COPY),
        ("event_wait", Kind.SYNC),
        ("event_record", Kind.SYNC),
    ],
)
def test_a_category_of_mtia_holds_several_kinds(name: str, kind: Kind) -> None:
    assert kind_of("mtia_ccp_events", "X", name) is kind
    assert kind_of("kernel", "X", name) is Kind.KERNEL


def test_a_call_of_oneccl_is_a_range_on_the_host() -> None:
    """XPU's recorder writes process and thread of the caller: `xccl::allreduce` runs there, not on a device."""
    kind = kind_of("collective_comm", "X", "xccl::allreduce")
    assert kind in HOST_KINDS
    assert kind not in LAUNCH_KINDS
    assert category_of_operator("xccl::allreduce") is Category.COMMUNICATION


def test_a_stream_that_waits_for_another_does_not_work(traces: Path) -> None:
    """352.6 of 812 ms that the file has on its streams are waits for events of other streams."""
    trace = trace_of(traces / "mtia_inference.json.gz")
    assert all(trace.text(i) != "event_wait" for i in trace.events.name_id[trace.events.kind == Kind.KERNEL].tolist())
    (device,) = OVERVIEW.main.answer(trace, OVERVIEW.main.params_from({})).devices
    assert device.busy_ns == 421_661_824
    assert device.copy_ns > 0
    kernels = KERNELS.main.answer(trace, KERNELS.main.params_from({"kind": "all"}))
    assert (kernels.count, kernels.total_ns) == (974, 812_125_170 - 352_569_592 - 99_265)
    assert kernels.count == sum((trace.events.kind == kind).sum() for kind in DEVICE_KINDS)
