"""Huawei: Ascend, whose torch_npu takes c10's private device type."""

from __future__ import annotations

from typing import Final

from tb_plugin.trace.vendors.torch_device import PRIVATE_USE
from tb_plugin.trace.vendors.vendor import Vendor, Word

HUAWEI: Final = Vendor(
    title="Huawei",
    torch=PRIVATE_USE,
    process_groups=("hccl",),
    device_words=("Ascend",),
    collective_kernels=(Word("hccl", "HcclAllReduce"), Word("hcom_", "hcom_broadcast__303_0_1")),
)
