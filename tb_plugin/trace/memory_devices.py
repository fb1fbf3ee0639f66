"""Devices of `[memory]` events: their names, as c10 numbers them, and what the file says about their size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

CPU: Final = 0
CUDA: Final = 1
PRIVATE_USE: Final = 20

_NAMES: Final[dict[int, str]] = {
    CPU: "CPU",
    CUDA: "CUDA",
    2: "MKLDNN",
    3: "OpenGL",
    4: "OpenCL",
    5: "IDEEP",
    6: "HIP",
    7: "FPGA",
    8: "MAIA",
    9: "XLA",
    10: "Vulkan",
    11: "Metal",
    12: "XPU",
    13: "MPS",
    14: "Meta",
    15: "HPU",
    16: "VE",
    17: "Lazy",
    18: "IPU",
    19: "MTIA",
    PRIVATE_USE: "PrivateUse1",
}
"""c10::DeviceType (c10/core/DeviceType.h). A number that is not here is shown as one."""

TORCH_NAMES: Final = {number: title.lower() for number, title in _NAMES.items()} | {PRIVATE_USE: "privateuseone"}
"""The same as `torch.device` writes them. A private device may have been given another name."""


def title_of(device_type: int, index: int) -> str:
    """`CUDA 0`, `CPU`, `device type 77 0`."""
    name = _NAMES.get(device_type, f"device type {device_type}" if device_type >= 0 else "unknown device")
    return name if index < 0 else f"{name} {index}"


def id_of(device_type: int, index: int) -> str:
    """How links and the shell name a device: `cuda:0`, `cpu`, `type77:0`."""
    name = _NAMES.get(device_type, f"type{device_type}" if device_type >= 0 else "unknown").lower()
    return name if index < 0 else f"{name}:{index}"


def capacity_of(trace: Trace, device_type: int, index: int) -> int | None:
    """Bytes of the device, where the file says so. Its list of devices is about accelerators, never the host."""
    if device_type == CPU:
        return None
    return next((device.memory_bytes for device in trace.info.devices if device.index == index), None)
