from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.compute.largest import MOST_ROWS, largest


class Row(NamedTuple):
    name: str
    total: int


def shown(rows: list[Row]) -> list[Row]:
    return largest(rows, by=lambda row: (-row.total, row.name), rest=lambda left: Row("rest", sum(row.total for row in left)))


@given(totals=st.lists(st.integers(0, 9), max_size=3 * MOST_ROWS))
def test_what_is_shown_adds_up_and_nothing_left_out_is_larger(totals: list[int]) -> None:
    rows = [Row(str(place), total) for place, total in enumerate(totals)]
    found = shown(rows)
    assert sum(row.total for row in found) == sum(totals)
    listed = [row for row in found if row.name != "rest"]
    assert [row.total for row in listed] == sorted(totals, reverse=True)[: len(listed)]


@pytest.mark.parametrize(("n_rows", "n_shown", "n_left"), [(0, 0, 0), (40, 40, 0), (41, 41, 0), (42, 41, 2)])
def test_a_rest_of_one_is_shown_itself(n_rows: int, n_shown: int, n_left: int) -> None:
    found = shown([Row(f"{place:02}", 1) for place in range(n_rows)])
    assert len(found) == n_shown
    assert sum(row.total for row in found if row.name == "rest") == n_left
