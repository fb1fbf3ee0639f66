"""What a device can do at most: dense peaks (no sparsity) and memory bandwidth, as the maker's data sheets state them.

    A100-SXM4-80GB   fp16 312  bf16 312  tf32 156  fp32 19.5  fp64 19.5 TFLOP/s   2039 GB/s

`fp32` is of the vector units on NVIDIA and of the matrix cores on AMD, which have no TF32 but in MI300; `fp64` is of the
matrix cores where they take doubles. A device that is not here has no peak: its figures are "unknown".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from tb_plugin.trace.model import Device, Trace


class Peak(NamedTuple):
    """FLOP/s by type (None: the device has no such units) and bytes/s. `pattern` is searched in the device's name."""

    pattern: re.Pattern[str]
    title: str
    fp16: float | None
    bf16: float | None
    tf32: float | None
    fp32: float
    fp64: float
    fp8: float | None
    bytes_per_s: float
    source: str


def _peak(
    pattern: str,
    title: str,
    tflops: tuple[float | None, float | None, float | None, float, float, float | None],
    gb: float,
    source: str,
) -> Peak:
    fp16, bf16, tf32, fp32, fp64, fp8 = (None if value is None else value * 1e12 for value in tflops)
    assert fp32 is not None
    assert fp64 is not None
    return Peak(re.compile(pattern, re.IGNORECASE), title, fp16, bf16, tf32, fp32, fp64, fp8, gb * 1e9, source)


_V100: Final = "NVIDIA V100 data sheet, 2020"
_A100: Final = "NVIDIA A100 data sheet, 2022"
_H100: Final = "NVIDIA H100 architecture white paper, table 2; H100 data sheet"
_H200: Final = "NVIDIA H200 data sheet (half of the values with sparsity)"
_B200: Final = "NVIDIA HGX B200 data sheet, per GPU (half of the values with sparsity)"

DEVICE_PEAKS: Final[tuple[Peak, ...]] = (  # the first whose pattern is found
    #     name                    title                  fp16    bf16    tf32   fp32   fp64   fp8     GB/s
    _peak(r"V100S", "V100S PCIe", (130, None, None, 16.4, 8.2, None), 1134, _V100),
    _peak(r"V100.*PCIE", "V100 PCIe", (112, None, None, 14, 7, None), 900, _V100),
    _peak(r"V100", "V100 SXM2", (125, None, None, 15.7, 7.8, None), 900, _V100),
    _peak(r"A100.*80GB.*PCIe|A100.*PCIe.*80GB", "A100 80GB PCIe", (312, 312, 156, 19.5, 19.5, None), 1935, _A100),
    _peak(r"A100.*80GB", "A100 80GB SXM", (312, 312, 156, 19.5, 19.5, None), 2039, _A100),
    _peak(r"A100", "A100 40GB", (312, 312, 156, 19.5, 19.5, None), 1555, _A100),
    _peak(r"H100.*PCIe", "H100 PCIe", (756, 756, 378, 51, 51, 1513), 2000, _H100),
    _peak(r"H100.*NVL", "H100 NVL", (835.5, 835.5, 417.5, 60, 60, 1671), 3900, _H100),
    _peak(r"H100", "H100 SXM", (989.4, 989.4, 494.7, 66.9, 66.9, 1978.9), 3350, _H100),
    _peak(r"H200.*NVL", "H200 NVL", (835.5, 835.5, 417.5, 60, 60, 1670.5), 4800, _H200),
    _peak(r"H200", "H200 SXM", (989.5, 989.5, 494.5, 67, 67, 1979), 4800, _H200),
    _peak(r"\bB200", "B200", (2250, 2250, 1125, 75, 37, 4500), 7700, _B200),
    _peak(r"MI210", "MI210", (181, 181, None, 45.3, 45.3, None), 1638.4, "AMD Instinct MI210 data sheet"),
    _peak(r"MI300X", "MI300X", (1307.4, 1307.4, 653.7, 163.4, 163.4, 2614.9), 5300, "AMD Instinct MI300X data sheet"),
    _peak(r"MI355X", "MI355X", (2516.6, 2516.6, None, 157.3, 78.6, 5033.2), 8000, "AMD Instinct MI355X data sheet"),
)


def device_peak(device: Device | None) -> Peak | None:
    """The peaks of a device by its name, or None where they are not known."""
    if device is None:
        return None
    return next((peak for peak in DEVICE_PEAKS if peak.pattern.search(device.name)), None)


def device_at(trace: Trace, index: int) -> Device | None:
    """The device of this index. AMD's kernels may count the host's agents too: then any, if all in the file are alike."""
    exact = next((device for device in trace.info.devices if device.index == index), None)
    alike = len({device.name for device in trace.info.devices}) == 1
    return exact or (trace.info.devices[0] if alike else None)


def is_amd(device: Device) -> bool:
    """Files of AMD's devices may lack the name; their wavefronts have 64 lanes."""
    return "AMD" in device.name or "Instinct" in device.name or device.properties.get("warpSize") == 64
