"""`tb_plugin.load_ranks`: all ranks of a run, joined, as NumPy columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.answers import here
from tb_plugin.views.ranks import AS_TABLES
from tb_plugin.views.ranks.result import RanksParams

if TYPE_CHECKING:
    import os

    from tb_plugin.views.ranks.job_tables import JobTables


def load_ranks(path: str | os.PathLike[str], run: str | None = None, worker: str | None = None) -> JobTables:
    """Of a log directory, by default of the run with the newest profile: what `ask("ranks", path)` answers, and its parts.
    Of several jobs in the run the one that holds the profile of `worker`.

    NotFoundError and FormatError say in one line what is wrong.
    """
    return here.ask_many(AS_TABLES, str(path), RanksParams(run=run, worker=worker))
