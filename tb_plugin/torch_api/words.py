"""Numbers as torch.profiler prints them."""

from __future__ import annotations

_US_IN = {"s": 1e6, "ms": 1e3, "us": 1.0}
_BYTE_UNITS = ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB"))


def time_text(time_us: float, unit: str | None = None) -> str:
    """`1.234ms`; the unit that fits unless one is named (any other name is as none)."""
    if unit not in _US_IN:
        unit = "s" if time_us >= 1e6 else "ms" if time_us >= 1e3 else "us"
    return f"{time_us / _US_IN[unit]:.3f}{unit}"


def share_text(part: float, whole: float) -> str:
    """`12.34%`, or `NaN` of nothing."""
    return "NaN" if whole == 0 else f"{part * 100.0 / whole:.2f}%"


def memory_text(n_bytes: int) -> str:
    """`1.50 KB`."""
    for size, unit in _BYTE_UNITS:
        if abs(n_bytes) >= size:
            return f"{n_bytes * 1.0 / size:.2f} {unit}"
    return f"{n_bytes} B"
