"""What the name of a rank's file says of the rank: its number, what stands before it, its host. `a_rank7`, `node3_4711`."""

from __future__ import annotations

import re
from typing import Final

_NUMBER: Final = re.compile(r"(?:rank|worker)[-_]?(\d{1,7})|_r(\d{1,7})(?:_|\b)", re.IGNORECASE)
_HOST: Final = re.compile(r"(?!rank|worker)(.+)_\d+\Z", re.IGNORECASE)


def number_in_name(worker: str) -> int | None:
    found = _NUMBER.search(worker)
    return int(found[1] or found[2]) if found else None


def before_number(worker: str) -> str:
    """What files of one job share: `a_` of `a_rank0`, nothing where the name holds no rank."""
    found = _NUMBER.search(worker)
    return worker[: found.start()] if found else ""


def host_in_name(worker: str) -> str | None:
    found = _HOST.match(worker)
    return found[1] if found else None
