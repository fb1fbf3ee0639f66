"""A rank that counts the collectives of a group from another number, as a counter that was reset does."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.ranks.result import RanksTable

_WORLD = "default_pg"


def written(
    folder: Path, more: int, *, of_world: bool = False, slow: dict[int, float] | None = None
) -> tuple[RanksTable, RanksTable]:
    """(with the numbers of rank 3 changed, as they were)."""
    paths = Job(n_ranks=4, n_steps=4, slow=slow or {}, offset_ns={1: 37_000_000}).write(folder)
    plain = join([member(path) for path in paths], RanksParams())
    trace = json.loads(gzip.decompress(paths[3].read_bytes()))
    for event in trace["traceEvents"]:
        args = event.get("args", {})
        if "Seq" in args and (not of_world or args["Process Group Description"] == _WORLD):
            args["Seq"] += more
    paths[3].write_bytes(gzip.compress(json.dumps(trace).encode(), 1))
    return join([member(path) for path in paths], RanksParams()), plain


@pytest.mark.parametrize("more", [40, 1, -1, 100_000])
@pytest.mark.parametrize("slow", [{1: 1.4}, {3: 1.4}, {}])
def test_all_is_matched_as_if_it_counted_as_the_others(tmp_path: Path, more: int, slow: dict[int, float]) -> None:
    table, plain = written(tmp_path, more, slow=slow)
    assert (table.n_matched, table.n_complete) == (plain.n_matched, plain.n_complete) == (52, 52)
    assert (table.sentences, table.parts, table.ranks, table.dimensions) == (
        plain.sentences,
        plain.parts,
        plain.ranks,
        plain.dimensions,
    )
    assert any(said.startswith("The numbers (Seq) of the collectives of rank 3 in ") for said in table.doubts)
    assert not any("Seq" in said for said in plain.doubts)


def test_of_one_group_alone_it_is_told_of_that(tmp_path: Path) -> None:
    table, plain = written(tmp_path, 40, of_world=True)
    assert (table.n_complete, table.ranks) == (plain.n_complete, plain.ranks)
    (said,) = table.doubts
    assert said.startswith("The numbers (Seq) of the collectives of rank 3 in group 0 are 40 more than those of others: ")
