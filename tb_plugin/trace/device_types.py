"""c10's device types (c10/core/DeviceType.h): the number in a file's "Device Type", and its names."""

from __future__ import annotations

from enum import Enum
from typing import Final


class DeviceType(Enum):
    """`torch.autograd.DeviceType`: the same numbers and the same `str`."""

    CPU = 0
    CUDA = 1
    MKLDNN = 2
    OPENGL = 3
    OPENCL = 4
    IDEEP = 5
    HIP = 6
    FPGA = 7
    MAIA = 8
    XLA = 9
    Vulkan = 10
    Metal = 11
    XPU = 12
    MPS = 13
    Meta = 14
    HPU = 15
    VE = 16
    Lazy = 17
    IPU = 18
    MTIA = 19
    PrivateUse1 = 20


TITLES: Final = {each.value: each.name for each in DeviceType} | {3: "OpenGL", 4: "OpenCL"}
"""How people write them, by number."""

TORCH_NAMES: Final = {number: title.lower() for number, title in TITLES.items()} | {20: "privateuseone"}
"""How `torch.device` writes them. A private device may have been given another name."""
