import tracemalloc

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.compute.intervals import covers
from tb_plugin.trace.scope.ranges import chosen, ranges_in


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=8))
def test_ranges_hold_what_their_numbers_are(pairs: list[tuple[int, int]]) -> None:
    text = ",".join(f"{low}-{high}" for low, high in pairs)
    numbers = {number for low, high in pairs for number in range(low, high + 1)}
    held = covers(ranges_in(text, "steps"), np.arange(-1, 60))
    assert (np.flatnonzero(held) - 1).tolist() == sorted(numbers)


def test_blanks_and_single_numbers_are_read() -> None:
    assert np.flatnonzero(covers(ranges_in(" 3-5, 8 ,", "steps"), np.arange(20))).tolist() == [3, 4, 5, 8]


def test_two_hundred_long_ranges_take_no_memory() -> None:
    text = ",".join(["0-1000000", "5-999999999999999999"] * 100)
    tracemalloc.start()
    assert chosen(text, "steps", np.arange(1000)).all()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200_000
