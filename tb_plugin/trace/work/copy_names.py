"""From where to where a copy goes, by its name."""

from __future__ import annotations

import re
from typing import Final

from tb_plugin.trace import vendors

_COPIES: Final = tuple(vendor.copies for vendor in vendors.ALL if vendor.copies)
_ENDS: Final = tuple((re.compile(copies.ends), copies.places) for copies in _COPIES)

BETWEEN_HOST_AND_DEVICE: Final = re.compile("|".join(f"{copies.to_device}|{copies.to_host}" for copies in _COPIES))
"""How their names begin. Samples: `Memcpy DtoH (Device -> Pageable)`, `CopyHostToDevice`."""

FROM_PAGEABLE: Final = re.compile("|".join(rf"{copies.to_device} \(Pageable" for copies in _COPIES if copies.names_memory))
"""To the device, from memory that the driver must copy once more. Sample: `Memcpy HtoD (Pageable -> Device)`."""

NOT_FROM_PAGEABLE: Final = re.compile(
    "|".join(
        f"(?:{copies.to_device}|{copies.to_host})" + (r" \((?!Pageable)" if copies.names_memory else "") for copies in _COPIES
    )
)
"""All others between host and device, but for those whose name could tell the memory and does not: `Memcpy HtoD`."""


def copy_ends(name: str) -> tuple[str, str] | None:
    """`("host", "device")` of `Memcpy HtoD (Pageable -> Device)`; None where the name does not tell."""
    for pattern, places in _ENDS:
        if ends := pattern.search(name):
            return places[ends[1]], places[ends[2]]
    return None
