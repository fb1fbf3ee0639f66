"""Calls of a caching allocator to the driver, by name."""

from __future__ import annotations

from typing import Final

from tb_plugin.trace import vendors

TAKES: Final = frozenset(name for vendor in vendors.ALL for name in vendor.takes_memory)
"""They take memory from the driver. Sample: `cudaMalloc`."""

RETURNS: Final = frozenset(name for vendor in vendors.ALL for name in vendor.returns_memory)
"""They give it back. Sample: `cudaFree`."""
