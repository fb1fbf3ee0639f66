"""Habana (Intel): Gaudi, which torch calls HPU."""

from __future__ import annotations

from typing import Final

from tb_plugin.trace.device_types import DeviceType
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.vendors.peak import peak
from tb_plugin.trace.vendors.torch_device import TorchDevice
from tb_plugin.trace.vendors.vendor import Vendor, Word

_WHITE_PAPER: Final = "Intel Gaudi 3 white paper"

HABANA: Final = Vendor(
    title="Habana",
    torch=TorchDevice(type=DeviceType.HPU, activity="HPU", category_prefix="hpu"),
    categories={"hpu_op": Kind.OPERATOR},
    process_groups=("hccl",),
    device_words=("Habana", "Gaudi"),
    peaks=(  #                                            fp16 bf16 tf32 fp32 fp64 fp8   GB/s
        peak(r"Gaudi ?2|HL-225", "Gaudi 2", "Gaudi2", (432, 432, None, None, None, 865), 2450, _WHITE_PAPER),
        peak(r"Gaudi ?3|HL-325", "Gaudi 3", "Gaudi3", (1835, 1835, None, None, None, 1835), 3700, _WHITE_PAPER),
    ),
    collective_kernels=(Word("hccl", "hcclAllReduce"),),
)
