"""Meta: MTIA."""

from __future__ import annotations

from typing import Final

from tb_plugin.trace.device_types import DeviceType
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.vendors.peak import peak
from tb_plugin.trace.vendors.torch_device import TorchDevice
from tb_plugin.trace.vendors.vendor import KernelWord, Vendor

META: Final = Vendor(
    title="Meta",
    torch=TorchDevice(type=DeviceType.MTIA, activity="MTIA", category_prefix="mtia", adds_to_total=True),
    categories={
        "mtia_ccp_events": Kind.KERNEL,
        "mtia_workloadd": Kind.KERNEL,
        "mtia_insight": Kind.COUNTER,
        "mtia_counters": Kind.COUNTER,
    },
    kinds_by_name={
        ("mtia_ccp_events", "event_wait"): Kind.SYNC,  # a stream waits for another: the device does not work
        ("mtia_ccp_events", "event_record"): Kind.SYNC,
        ("mtia_ccp_events", "dma_request"): Kind.COPY,  # has a direction, as DEVICE_TO_HOST
    },
    waits=("synchronizeStream",),
    runs_programs=("runFunction - job_prep_and_submit_for_execution",),
    device_words=("MTIA",),
    peaks=(
        # Of DRAM: what fits into the 256 MB of SRAM is read at 2700 GB/s.
        peak(
            r"ARTEMIS|MTIA.?v?2",
            "MTIA 2",
            "MTIA ARTEMIS",
            (177, 177, None, 2.76, None, None),
            205,
            "Meta: the next generation of MTIA, April 2024",
        ),
    ),
    kernels=(
        KernelWord("matmul", r"^fc-dtype_", "fc-dtype_Float"),  # a fully connected layer
        KernelWord("copy", r"dma_request", "dma_request"),
        KernelWord("fused", r"^pe_exe$", "pe_exe"),  # a program of which no call tells the name
    ),
)
