"""What a device can do at most: dense peaks (no sparsity) and memory bandwidth, as its maker's data sheet states them."""

from __future__ import annotations

from typing import NamedTuple


class Peak(NamedTuple):
    """FLOP/s by type (None: the device has no such units) and bytes/s.

    `pattern` is searched in a device's name, in any case; `sample` is a name that its driver gives. `units` (multiprocessors,
    compute units) and `gib` of memory tell a device whose name is not in the file; None: they tell nothing.
    """

    pattern: str
    title: str
    sample: str
    fp16: float | None
    bf16: float | None
    tf32: float | None
    fp32: float | None
    fp64: float | None
    fp8: float | None
    bytes_per_s: float
    source: str
    fp4: float | None = None
    units: int | None = None
    gib: int | None = None


def peak(
    pattern: str,
    title: str,
    sample: str,
    tflops: tuple[float | None, float | None, float | None, float | None, float | None, float | None],
    gb_per_s: float,
    source: str,
    *,
    fp4: float | None = None,
    units: int | None = None,
    gib: int | None = None,
) -> Peak:
    """A row as data sheets have it: TFLOP/s of fp16, bf16, tf32, fp32, fp64 and fp8, and GB/s.

    H100 SXM   989.4  989.4  494.7  66.9  66.9  1978.9   3350
    """
    fp16, bf16, tf32, fp32, fp64, fp8 = tflops
    return Peak(
        pattern=pattern,
        title=title,
        sample=sample,
        fp16=_tera(fp16),
        bf16=_tera(bf16),
        tf32=_tera(tf32),
        fp32=_tera(fp32),
        fp64=_tera(fp64),
        fp8=_tera(fp8),
        bytes_per_s=gb_per_s * 1e9,
        source=source,
        fp4=_tera(fp4),
        units=units,
        gib=gib,
    )


def _tera(value: float | None) -> float | None:
    return None if value is None else value * 1e12
