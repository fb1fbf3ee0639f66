"""Files of a job of which a clock is set while it records."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

from tests.job.recorded import recorded

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.job.ranks.ranks import RankProfile


def set_once(paths: list[Path], rank: int, by_ns: int, step: int = 11) -> list[RankProfile]:
    """From the end of this step on all times of the rank's file are off."""
    whole = json.loads(gzip.decompress(paths[rank].read_bytes()))
    events = whole["traceEvents"]
    (mid,) = (one["ts"] + one["dur"] - 1 for one in events if one["name"] == f"ProfilerStep#{step}")
    for one in events:
        one["ts"] += by_ns / 1000 * (one["ts"] >= mid)
    paths[rank].write_bytes(gzip.compress(json.dumps(whole).encode(), 1))
    return recorded(paths)
