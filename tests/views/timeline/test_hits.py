"""What a search finds as a list: sorted over all hits, cut, and where an event lies in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest

from tb_plugin.base.errors import UsageError
from tb_plugin.question.outline import table
from tb_plugin.question.question import NoParams
from tb_plugin.trace.track_names import natural
from tb_plugin.views.timeline import compute
from tb_plugin.views.timeline.result import HitSort, HitsParams, SearchParams
from tests.profiles import over, real, sample, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace
    from tb_plugin.views.timeline.result import TimelineHit

LINES = """
    thread 1 | aten::mm_10 0-5 | aten::mm_9 10-40 | aten::mm_9 50-60 | aten::relu 70-80
    thread 2 | nn.py(1): mm 0-30
    stream 7 | mm_kernel 20-95 <- aten::mm_9
"""


def _rows(trace: Trace, **asked: object) -> list[TimelineHit]:
    return compute.hits(trace, HitsParams(**{"q": "mm", **asked})).rows  # type: ignore[arg-type]


def test_the_longest_of_all_hits_comes_first_and_not_of_the_first_ones_in_time() -> None:
    trace = trace_from_text(LINES)
    first, second = _rows(trace, sort="duration_ns", descending=True, limit=2)
    assert [first.name, first.duration_ns, first.track_name] == ["mm_kernel", 75_000, "stream 7"]
    assert second.name in ("aten::mm_9", "nn.py(1): mm")
    assert _rows(trace, sort="duration_ns", descending=True, offset=1, limit=1) == [second]


def test_names_go_by_their_numbers_and_tracks_as_they_are_shown() -> None:
    trace = trace_from_text(LINES)
    names = [row.name for row in _rows(trace, sort="name")]
    assert names == ["aten::mm_9", "aten::mm_9", "aten::mm_10", "mm_kernel", "nn.py(1): mm"]
    assert [row.name for row in _rows(trace, sort="name", descending=True)] == names[:1:-1] + names[:2]
    assert _rows(trace, sort="track")[0].name == "mm_kernel"
    assert [row.kind for row in _rows(trace, sort="kind")] == ["kernel", *["operator"] * 3, "python"]


def test_hits_are_kept_by_what_the_list_says_of_them() -> None:
    trace = trace_from_text(LINES)
    for among, n in (("_9$", 2), ("KERNEL", 1), ("^stream", 1), ("thread", 4), ("relu", 0), (".", 5)):
        found = compute.hits(trace, HitsParams(q="mm", among=among))
        assert (found.total, found.n_listed, len(found.rows)) == (5, n, n), among
    with pytest.raises(UsageError):
        compute.hits(trace, HitsParams(q="mm", among="("))
    with pytest.raises(UsageError):
        compute.hits(trace, HitsParams(q="(", regex=True))


def test_an_event_has_its_place_in_the_order_asked_for() -> None:
    trace = trace_from_text(LINES)
    for sort in get_args(HitSort):
        for place, row in enumerate(_rows(trace, sort=sort)):
            assert compute.hits(trace, HitsParams(q="mm", sort=sort, row=row.row, limit=0)).place == place
    [relu] = compute.hits(trace, HitsParams(q="relu")).rows
    assert compute.hits(trace, HitsParams(q="mm", row=relu.row)).place is None
    assert compute.hits(trace, HitsParams(q="mm")).place is None
    assert compute.hits(trace, HitsParams(q="nothing", sort="name", row=0)).rows == []


def test_the_list_is_a_table_with_names_of_tracks() -> None:
    csv = table(compute.hits(trace_from_text(LINES), HitsParams(q="mm_kernel")))
    assert dict(zip(csv.columns, csv.rows[0], strict=True)) | {"row": 0, "track": 0} == {
        "row": 0,
        "name": "mm_kernel",
        "start_ns": 20_000,
        "duration_ns": 75_000,
        "kind": "kernel",
        "track": 0,
        "lane": 0,
        "track_name": "stream 7",
    }


@over((sample("ddp", "rank0"), sample("cuda"), *real("a100_2ranks_rank0")))
def test_the_list_holds_what_the_search_finds_in_any_order(path: Path) -> None:
    trace = trace_of(path)
    found = compute.search(trace, SearchParams(q="aten::", limit=20_000)).hits
    ranks = {track.id: place for place, track in enumerate(compute.tracks(trace, NoParams()).tracks)}
    keys = {
        "start_ns": lambda hit: hit.start_ns,
        "duration_ns": lambda hit: hit.duration_ns,
        "name": lambda hit: natural(hit.name.casefold()),
        "kind": lambda hit: hit.kind,
        "track": lambda hit: ranks[hit.track],
    }
    assert set(keys) == set(get_args(HitSort))
    for sort, key in keys.items():
        for descending in (False, True):
            in_time = sorted(found, key=lambda hit: (hit.start_ns, hit.row))
            listed = _rows(trace, q="aten::", sort=sort, descending=descending, limit=200_000)
            assert [hit.row for hit in listed] == [hit.row for hit in sorted(in_time, key=key, reverse=descending)]
