"""What a link's speed is held against."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.job.links import HostSet, against_others, median_of_others


@given(st.lists(st.integers(1, 9), min_size=2, max_size=9))
def test_a_set_is_held_against_the_median_of_the_others(values: list[int]) -> None:
    naive = [float(np.median(values[:place] + values[place + 1 :])) for place in range(len(values))]
    assert median_of_others(np.array(values, np.float64)) == naive


def test_of_two_sets_the_slow_one_is_as_slow_as_it_is() -> None:
    assert median_of_others(np.array([10.0, 40.0])) == [40.0, 10.0]
    assert median_of_others(np.array([10.0])) == [None]


def test_once_a_host_is_known_to_be_slow_the_sets_it_is_in_are_not_what_is_usual() -> None:
    """Of three links between four hosts in a row the last two touch host 2; against each other they are not slow."""
    links = [((0, 1), 20e9), ((1, 2), 5e9), ((2, 3), 5e9)]
    sets = [
        HostSet(dimension="pipeline", kind=1, hosts=hosts, n_ranks=2, instances=(0,), bandwidth=bandwidth, of_usual=0.4)
        for hosts, bandwidth in links
    ]
    assert [one.of_usual for one in against_others(sets, 2)] == [None, 0.25, 0.25]
    assert [one.of_usual for one in against_others(sets[1:], 2)] == [0.4, 0.4]
