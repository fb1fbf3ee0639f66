"""Which category of a file is what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.formats import reader
from tb_plugin.trace.kinds import DEVICE_KINDS, Kind, kind_of
from tb_plugin.views.kernels import VIEW as KERNELS
from tb_plugin.views.overview import VIEW as OVERVIEW

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


def test_a_stream_that_waits_for_another_does_not_work(traces: Path) -> None:
    """352.6 of 812 ms that the file has on its streams are waits for events of other streams."""
    trace = reader.read(traces / "mtia_inference.json.gz")
    assert all(trace.text(i) != "event_wait" for i in trace.events.name_id[trace.events.kind == Kind.KERNEL].tolist())
    (device,) = OVERVIEW.compute(trace, OVERVIEW.params_from({})).devices
    assert device.busy_ns == 421_661_824
    assert device.copy_ns > 0
    kernels = KERNELS.compute(trace, KERNELS.params_from({"kind": "all"}))
    assert (kernels.count, kernels.total_ns) == (974, 812_125_170 - 352_569_592 - 99_265)
    assert kernels.count == sum((trace.events.kind == kind).sum() for kind in DEVICE_KINDS)
