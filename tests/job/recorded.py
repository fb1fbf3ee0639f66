"""A job's files as the join gets them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.formats.reader import read
from tb_plugin.job.ranks import RankProfile
from tb_plugin.trace.rank.summarise import summarise

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def recorded(paths: Iterable[Path]) -> list[RankProfile]:
    """One each, named as its file."""
    return [
        RankProfile(
            run="job", worker=path.name.split(".")[0], span="1", label=path.name.split(".")[0], summary=summarise(read(path))
        )
        for path in paths
    ]
