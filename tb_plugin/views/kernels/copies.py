"""From where to where a copy goes, by its name.

Memcpy HtoD (Pageable -> Device)     pageable host to device
Memcpy DtoH (Device -> Pinned)       device to pinned host
CopyDeviceToHost                     device to host
"""

from __future__ import annotations

import re
from typing import Final

from tb_plugin.trace.work.copy_names import copy_ends

_MEMORY: Final = re.compile(r"\((\w+) -> (\w+)\)")
_HOST_MEMORY: Final = ("Pageable", "Pinned")


def copy_kind(name: str) -> str | None:
    """In words, or None where the name does not tell."""
    ends = copy_ends(name)
    if ends is None:
        return None
    places = list(ends)
    memory = _MEMORY.search(name)
    for side, place in enumerate(places):
        if memory is not None and place == "host" and memory.group(side + 1) in _HOST_MEMORY:
            places[side] = f"{memory.group(side + 1).lower()} host"
    return " to ".join(places)
