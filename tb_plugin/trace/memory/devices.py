"""Devices of `[memory]` events: their names, as c10 numbers them, and what the file says about their size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.trace.device_types import TITLES, DeviceType

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

CPU: Final = DeviceType.CPU.value
CUDA: Final = DeviceType.CUDA.value


def title_of(device_type: int, index: int) -> str:
    """`CUDA 0`, `CPU`, `device type 77 0`."""
    name = TITLES.get(device_type, f"device type {device_type}" if device_type >= 0 else "unknown device")
    return name if index < 0 else f"{name} {index}"


def id_of(device_type: int, index: int) -> str:
    """How links and the shell name a device: `cuda:0`, `cpu`, `type77:0`."""
    name = TITLES.get(device_type, f"type{device_type}" if device_type >= 0 else "unknown").lower()
    return name if index < 0 else f"{name}:{index}"


def capacity_of(trace: Trace, device_type: int, index: int) -> int | None:
    """Bytes of the device, where the file says so. Its list of devices is about accelerators, never the host."""
    if device_type == CPU:
        return None
    return next((device.memory_bytes for device in trace.info.devices if device.index == index), None)
