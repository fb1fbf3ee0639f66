"""Moore Threads: MUSA (`musa...`), whose torch_musa takes c10's private device type."""

from __future__ import annotations

from typing import Final

from tb_plugin.trace.vendors.torch_device import PRIVATE_USE
from tb_plugin.trace.vendors.vendor import Vendor

MOORE_THREADS: Final = Vendor(
    title="Moore Threads",
    torch=PRIVATE_USE,
    device_words=("Moore Threads", "MTT S"),
    waits=("musaStreamSynchronize", "musaDeviceSynchronize", "musaEventSynchronize", "musaMemcpy"),
)
