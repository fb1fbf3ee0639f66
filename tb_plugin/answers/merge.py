"""The profiles of a job's ranks as one file for Perfetto, on one clock, with arrows between members of a collective."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.answers import here
from tb_plugin.base.errors import UsageError
from tb_plugin.base.progress import silent
from tb_plugin.compute.intervals import covers, length
from tb_plugin.formats import reader
from tb_plugin.formats.perfetto.write import MergedPart, write_merged
from tb_plugin.runs import discover, logdirs
from tb_plugin.runs.store import first_readable
from tb_plugin.trace.scope.ranges import ranges_in
from tb_plugin.views.ranks import ON_ONE_CLOCK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tb_plugin.base.progress import OnProgress
    from tb_plugin.views.ranks.collectives.one_clock import RankOnClock
    from tb_plugin.views.ranks.result import RanksParams


def merge(
    logdir: str,
    target: str,
    job: RanksParams,
    only: str | None,
    *,
    on_progress: OnProgress = silent,
    say: Callable[[str], None] = lambda _sentence: None,
) -> int:
    """Writes `target` with these ranks (`0-3,8`; None: all), and returns how many they are. One profile is open at a time.

    UsageError for ranks that are not there, FormatError where one cannot be read.
    """
    found = here.ask_many(ON_ONE_CLOCK, logdir, job, on_progress=on_progress, say=say)
    numbers = np.array([rank.number for rank in found.ranks])
    is_chosen = np.ones(len(numbers), np.bool_) if only is None else covers(ranges_in(only, "--ranks"), numbers)
    chosen = [rank for rank, is_one in zip(found.ranks, is_chosen.tolist(), strict=True) if is_one]
    if not chosen:
        raise UsageError(f"--ranks {only}: none of these is here; there is {numbers.min()} to {numbers.max()}")
    if only is not None and (n_asked := length(ranges_in(only, "--ranks"))) > len(chosen):
        say(f"--ranks {only}: {n_asked - len(chosen)} of these are not here; there is {numbers.min()} to {numbers.max()}")
    for note in found.notes:
        say(note)
    lost = write_merged(_parts(logdir, chosen, on_progress), target)
    say(f"{target} lacks what its format cannot hold: {'; '.join(lost)}")
    return len(chosen)


def _parts(logdir: str, chosen: list[RankOnClock], on_progress: OnProgress) -> Iterator[MergedPart]:
    catalogue = discover.search(logdirs.from_flags(logdir, None))
    width = len(str(max(rank.number for rank in chosen)))
    # An arrow needs both its ends.
    begun = {one for rank in chosen for ids in rank.out_of.values() for one in ids}
    drawn = begun & {one for rank in chosen for ids in rank.into.values() for one in ids}
    for place, rank in enumerate(chosen):
        on_progress(place / len(chosen), f"writing rank {rank.number}")
        _, _, span = catalogue.choose(rank.run, rank.worker, rank.span)
        trace, _ = first_readable(span.files, lambda file: reader.read(Path(file.path)))
        # Rows are of the file that was summarised; of another form of it they would be others.
        is_same = len(trace.events) == rank.n_events
        arrows = drawn if is_same else set()
        yield MergedPart(
            trace=trace,
            title=f"rank {rank.number:0{width}} · {rank.host}",  # Perfetto sorts these by their names
            at=rank.at,
            out_of={row: [one for one in ids if one in arrows] for row, ids in rank.out_of.items()},
            into={row: [one for one in ids if one in arrows] for row, ids in rank.into.items()},
            told=rank.told if is_same else {},
        )
