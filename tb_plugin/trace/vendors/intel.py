"""Intel: GPUs, which torch calls XPU."""

from __future__ import annotations

from typing import Final

from tb_plugin.trace.device_types import DeviceType
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.vendors.peak import peak
from tb_plugin.trace.vendors.torch_device import TorchDevice
from tb_plugin.trace.vendors.vendor import Vendor, Word

INTEL: Final = Vendor(
    title="Intel",
    torch=TorchDevice(
        type=DeviceType.XPU,
        activity="XPU",
        category_prefix="xpu",
        memory_types=(DeviceType.XPU,),
        adds_to_operators=True,
        adds_to_total=True,
        attribute_word="xpu",
    ),
    categories={"collective_comm": Kind.ANNOTATION},  # calls of oneCCL on the host's threads: `xccl::allreduce`
    process_groups=("xccl",),
    device_words=("Intel", "Data Center GPU Max"),
    peaks=(
        #    name       title     sample                                  fp16 bf16 tf32 fp32 fp64 fp8   GB/s
        peak(
            r"Max 1550",
            "Data Center GPU Max 1550",
            "Intel(R) Data Center GPU Max 1550",
            (832, 832, 419, 52, 52, None),
            3277,
            "Intel oneAPI guide: 512 operations x units x clock, of both tiles",
        ),
    ),
    collective_kernels=(Word("xccl", "xccl:all_reduce"), Word("oneccl", "oneccl_allreduce_pcie")),
)
