"""Google: TPUs, which torch_xla drives. Peaks alone: its profiles are XLA's own."""

from __future__ import annotations

from typing import Final

from tb_plugin.trace.vendors.peak import peak
from tb_plugin.trace.vendors.torch_device import PRIVATE_USE
from tb_plugin.trace.vendors.vendor import Vendor

_DOCS: Final = "Google Cloud TPU documentation, system architecture"

GOOGLE: Final = Vendor(
    title="Google",
    torch=PRIVATE_USE,
    device_words=("TPU",),
    peaks=(  #                                    fp16  bf16 tf32  fp32  fp64  fp8    GB/s
        peak(r"TPU v4", "TPU v4", "TPU v4", (None, 275, None, None, None, None), 1228, _DOCS),
        peak(r"TPU v5 ?(?:lite|e)", "TPU v5e", "TPU v5 lite", (None, 197, None, None, None, None), 819, _DOCS),
        peak(r"TPU v5p?\b", "TPU v5p", "TPU v5p", (None, 459, None, None, None, None), 2765, _DOCS),
        peak(r"TPU v6", "TPU v6e", "TPU v6 lite", (None, 918, None, None, None, None), 1640, _DOCS),
        peak(r"TPU v?7", "TPU 7", "TPU v7", (None, 2307, None, None, None, 4614), 7370, _DOCS),
    ),
)
