"""Columns of kinds are asked by a table that has an entry for every number a uint8 can be."""

from __future__ import annotations

import numpy as np

from tb_plugin.trace.kinds import DEVICE_KINDS, HOST_KINDS, Kind, is_kind


def test_is_kind_says_what_isin_says() -> None:
    every = np.arange(256, dtype=np.uint8)
    for kinds in (DEVICE_KINDS, HOST_KINDS, (Kind.UNKNOWN,), ()):
        np.testing.assert_array_equal(is_kind(every, kinds), np.isin(every, kinds))
    assert is_kind(every[:0], DEVICE_KINDS).tolist() == []
