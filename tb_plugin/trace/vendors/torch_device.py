"""What torch takes a vendor's devices for. Vendors share these: ROCm's torch calls its devices CUDA."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tb_plugin.trace.device_types import DeviceType


@dataclass(frozen=True, kw_only=True)
class TorchDevice:
    """Rules of torch/autograd/profiler_util.py and of its C++ side (kineto_shim.cpp)."""

    type: DeviceType
    """Of its kernels in an EventList. `DeviceType.XPU`."""

    activity: str
    """The `torch.profiler.ProfilerActivity` that records it. `XPU`."""

    category_prefix: str = ""
    """Of the file's categories that show it, in lower case: `xpu` of `xpu_runtime`. Empty: it has none of its own."""

    memory_types: tuple[DeviceType, ...] = ()
    """Device types whose allocations torch counts as this device's."""

    adds_to_operators: bool = False
    """Torch adds the time of kernels to the operator that launched them."""

    adds_to_total: bool = False
    """Its events make the table's "Self DEVICE time total"."""

    attribute_word: str = ""
    """In old names of a row's attributes, and of `export_stacks`' metrics: `xpu` of `self_xpu_time_total`."""


CUDA: Final = TorchDevice(
    type=DeviceType.CUDA,
    activity="CUDA",
    memory_types=(DeviceType.CUDA, DeviceType.HIP),
    adds_to_operators=True,
    adds_to_total=True,
    attribute_word="cuda",
)

PRIVATE_USE: Final = TorchDevice(
    type=DeviceType.PrivateUse1,
    activity="PrivateUse1",
    category_prefix="privateuse1",
    memory_types=(DeviceType.PrivateUse1,),
    adds_to_operators=True,
    adds_to_total=True,
    attribute_word="privateuse1",
)
"""c10's place for accelerators that are not in torch's tree. Each of them may give it a name of its own."""
