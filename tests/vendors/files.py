"""Which vendors there are, and where their traces lie."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.profiles import RECORDINGS
from tests.vendors.cuda import Cuda
from tests.vendors.mtia import Mtia
from tests.vendors.rocm import Rocm
from tests.vendors.xpu import Xpu

if TYPE_CHECKING:
    from pathlib import Path

    from tests.vendors.vendor import Vendor

VENDORS: Final[tuple[Vendor, ...]] = (Cuda(), Rocm(), Xpu(), Mtia())


def path_of(vendor: Vendor) -> Path:
    return RECORDINGS / vendor.name / "node1_1.1700000000000000000.pt.trace.json.gz"
