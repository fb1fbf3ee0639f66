"""The vendors, in the order in which their rules are asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.trace.vendors.amd import AMD
from tb_plugin.trace.vendors.google import GOOGLE
from tb_plugin.trace.vendors.habana import HABANA
from tb_plugin.trace.vendors.huawei import HUAWEI
from tb_plugin.trace.vendors.intel import INTEL
from tb_plugin.trace.vendors.meta import META
from tb_plugin.trace.vendors.moore_threads import MOORE_THREADS
from tb_plugin.trace.vendors.nvidia import NVIDIA

if TYPE_CHECKING:
    from tb_plugin.trace.vendors.vendor import Vendor

ALL: Final[tuple[Vendor, ...]] = (NVIDIA, AMD, INTEL, META, HABANA, HUAWEI, MOORE_THREADS, GOOGLE)
