"""c10's device types, and what the vendors say of them, against torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.trace import vendors
from tb_plugin.trace.device_types import TORCH_NAMES, DeviceType

if TYPE_CHECKING:
    from tb_plugin.trace.vendors.vendor import Vendor


@pytest.mark.torch
def test_the_table_is_torchs() -> None:
    torch = pytest.importorskip("torch", reason="torch has the table")
    assert {each.name: each.value for each in DeviceType} == {
        name: int(each) for name, each in torch.autograd.DeviceType.__members__.items()
    }


@pytest.mark.torch
@pytest.mark.parametrize("vendor", vendors.ALL, ids=lambda vendor: vendor.title)
def test_torch_knows_the_device_and_the_activity_of_a_vendor(vendor: Vendor) -> None:
    torch = pytest.importorskip("torch", reason="torch has the names")
    name = TORCH_NAMES[vendor.torch.type.value]
    assert torch.device(name).type == name
    assert vendor.torch.activity in torch.profiler.ProfilerActivity.__members__
