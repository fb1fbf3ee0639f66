"""How much time a search finds: each instant of a thread or stream once, also where hits lie inside each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.views.timeline import compute
from tb_plugin.views.timeline.result import SearchParams
from tests.profiles import over, real, sample, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace


def _found_ns(trace: Trace, q: str) -> int:
    return compute.search(trace, SearchParams(q=q, limit=0)).total_ns


def _naive_ns(trace: Trace, q: str) -> int:
    """Of each track all hits, from the first to begin, as far as they reach beyond those before."""
    events, in_all = trace.events, 0
    for track in set(events.track.tolist()):
        hits = [
            (int(events.start_ns[row]), int(events.end_ns[row]))
            for row in range(len(events))
            if events.track[row] == track and q in trace.strings[events.name_id[row]].lower()
        ]
        reached = -(2**62)
        for start, end in sorted(hits):
            in_all += max(end - max(start, reached), 0)
            reached = max(reached, end)
    return in_all


def test_hits_inside_hits_of_the_same_thread_count_once_and_each_thread_for_itself() -> None:
    trace = trace_from_text("""
        thread 1 | visit 0-60 | visit 10-50 | visit 20-30 | aten::mm 40-45 | visit 70-80
        thread 2 | visit 5-25
        stream 7 | visit_kernel 50-90 <- aten::mm
    """)
    assert _found_ns(trace, "visit") == 130_000
    assert _found_ns(trace, "visit_kernel") == 40_000
    assert _found_ns(trace, "aten::mm") == 5_000
    assert _found_ns(trace, "nothing") == 0


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 60), st.integers(0, 30), st.sampled_from(("f", "g"))), max_size=24))
def test_what_is_found_is_the_union_of_each_track(spans: list[tuple[int, int, int, str]]) -> None:
    lines = [f"thread {thread} | {name} {start}-{start + lasts}" for thread, start, lasts, name in spans]
    trace = trace_from_text("\n".join(lines))
    for q in ("f", "g"):
        assert _found_ns(trace, q) == _naive_ns(trace, q)


@over((sample("ddp", "rank0"), sample("cuda"), *real("a100_2ranks_rank0")))
def test_what_is_found_in_a_profile_is_the_union_of_each_track(path: Path) -> None:
    trace = trace_of(path)
    for q in ("aten::", "all_reduce", "_"):
        assert _found_ns(trace, q) == _naive_ns(trace, q)
    assert _found_ns(trace, "aten::") > 0
