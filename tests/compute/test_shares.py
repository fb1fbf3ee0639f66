"""Each instant goes to the first level that has it, in equal parts to those of its sets that cover it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.compute.intervals import Merged, union
from tb_plugin.compute.shares import shares_by_level

SETS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12)), max_size=4)
LEVELS = st.lists(st.tuples(st.integers(0, 1), st.lists(SETS, min_size=1, max_size=3)), min_size=1, max_size=4)


def merged(drawn: list[tuple[int, int]]) -> Merged:
    return union(*(np.array(each, np.int64) for each in ([at for at, _ in drawn], [at + n for at, n in drawn])))


def test_what_two_cover_is_divided_and_what_a_level_before_has_is_not() -> None:
    levels = [(1, [merged([(0, 1)])]), (0, [merged([(0, 6)]), merged([(3, 6)])]), (1, [merged([(7, 4)])])]
    found = shares_by_level(levels, np.array([0]), np.array([20]), 2)
    assert found.tolist() == [[[2 + 2, 1 + 2], [1 + 3, 0]]]  # of 3 ns that both cover the first has the odd one


@given(LEVELS, st.lists(st.tuples(st.integers(0, 40), st.integers(0, 20)), min_size=1, max_size=3))
def test_it_is_what_counting_each_instant_gives(
    drawn: list[tuple[int, list[list[tuple[int, int]]]]], windows: list[tuple[int, int]]
) -> None:
    levels = [(into, [merged(one) for one in sets]) for into, sets in drawn]
    t0, t1 = np.array([at for at, _ in windows]), np.array([at + n for at, n in windows])
    found = shares_by_level(levels, t0, t1, 2)
    for window, (at, n) in enumerate(windows):
        plain: dict[tuple[int, tuple[int, ...]], int] = {}
        for t in range(at, at + n):
            for into, sets in levels:
                covering = tuple(i for i, one in enumerate(sets) if ((one.start <= t) & (t < one.end)).any())
                if covering:
                    plain[into, covering] = plain.get((into, covering), 0) + 1
                    break
        expected = np.zeros(found.shape[1:], np.int64)
        for (into, covering), time in plain.items():
            for nth, place in enumerate(covering):
                expected[place, into] += time // len(covering) + (time % len(covering) if nth == 0 else 0)
        assert found[window].tolist() == expected.tolist()


@given(st.lists(SETS, min_size=63, max_size=66), st.lists(SETS, min_size=1, max_size=2))
def test_more_sets_than_a_number_has_bits_are_divided_alike(
    many: list[list[tuple[int, int]]], first: list[list[tuple[int, int]]]
) -> None:
    levels = [(1, [merged(one) for one in first]), (0, [merged(one) for one in many])]
    found = shares_by_level(levels, np.array([0]), np.array([50]), 2)[0, :, 0]
    plain: dict[tuple[int, ...], int] = {}
    for t in range(50):
        hidden, covering = (
            tuple(i for i, one in enumerate(sets) if ((one.start <= t) & (t < one.end)).any()) for _, sets in levels
        )
        if covering and not hidden:
            plain[covering] = plain.get(covering, 0) + 1
    expected = [0] * len(many)
    for covering, time in plain.items():
        for nth, place in enumerate(covering):
            expected[place] += time // len(covering) + (time % len(covering) if nth == 0 else 0)
    assert found.tolist() == expected
