from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import groupby

from tb_plugin.base import progress
from tb_plugin.formats import reader
from tb_plugin.views.timeline.index import index_of
from tests.profiles import sample


def test_what_takes_seconds_of_a_large_profile_says_step_by_step_what_it_is_at() -> None:
    trace = reader.read(sample("transformer"))
    heard: list[str] = []

    def listening() -> None:
        progress.listen(heard.append)
        index_of(trace)

    with ThreadPoolExecutor(1) as pool:  # who listens is a thread that ends
        pool.submit(listening).result()
    assert [word for word, _ in groupby(heard)] == [
        "lanes of the timeline",
        "colours of the timeline",
        "the timeline from afar",
        "the timeline from farther away",
    ]
