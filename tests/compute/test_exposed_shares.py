"""What no computation hides is divided among the parts that are active, and the shares sum to it exactly."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.compute.exposed_shares import PiecesOfParts, Spell, bare_of, exposed_shares, hidden_shares
from tb_plugin.compute.intervals import intersect, length, subtract, union

PIECES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 30), st.integers(0, 12)), max_size=8)
KERNELS = st.lists(st.tuples(st.integers(0, 40), st.integers(1, 6)), max_size=6)
WHOLE = (np.array([0]), np.array([60]))


def shares(kernels: list[tuple[int, int]], pieces: list[tuple[int, int, int]]) -> list[int]:
    """The same from all that the rank computes as from what of it lies beside the pieces, as a summary of a rank has it."""
    computing = union(*(np.array(each, np.int64) for each in ([at for at, _ in kernels], [at + n for at, n in kernels])))
    part, start, end = (
        np.array(each, np.int64) for each in ([p for p, *_ in pieces], [t for _, t, _ in pieces], [t + n for _, t, n in pieces])
    )
    pieces_of, moving = PiecesOfParts(start, end, part, 5), union(start, end)
    found: list[int]
    found, of_hiding = (
        exposed_shares(some, pieces_of, [Spell(bare_of(some)(start), bare_of(some)(end), True)], WHOLE)[0, :, 0].tolist()
        for some in (computing, intersect(computing, moving))
    )
    assert found == of_hiding
    assert sum(found) == length(subtract(moving, computing))
    assert hidden_shares(computing, pieces_of, WHOLE).sum() == length(intersect(moving, computing))
    return found


def test_what_two_wait_for_is_of_both_and_what_is_hidden_of_none() -> None:
    assert shares([(0, 10)], [(0, 5, 15), (1, 10, 10)]) == [5, 5, 0, 0, 0]


def test_what_ends_in_a_gap_comes_before_what_goes_on_behind_it() -> None:
    assert shares([(0, 10), (20, 10)], [(0, 10, 10), (1, 5, 20)]) == [10, 0, 0, 0, 0]


def test_a_short_kernel_between_what_is_communicated_ends_no_gap() -> None:
    gather, reduce = (0, 5, 12), (1, 5, 30)
    assert shares([(0, 5), (18, 1), (35, 5)], [gather, reduce]) == [6, 23, 0, 0, 0]


def test_a_long_kernel_of_which_little_lies_beside_what_is_communicated_is_not_short() -> None:
    """The rank computes from 17 to 29, and of that only the first instant while it communicates."""
    send, gather, reduce = (2, 0, 18), (0, 5, 7), (1, 30, 15)
    assert shares([(0, 5), (17, 12), (45, 5)], [send, gather, reduce]) == [7, 15, 5, 0, 0]


@given(KERNELS, PIECES)
def test_it_is_what_counting_each_instant_gives(kernels: list[tuple[int, int]], pieces: list[tuple[int, int, int]]) -> None:
    computes = {t for at, n in kernels for t in range(at, at + n)}
    merged = sorted(t for t in computes if t - 1 not in computes)
    runs = [(t, next(u for u in range(t, 99) if u not in computes)) for t in merged]
    exposed = {t for _, at, n in pieces for t in range(at, at + n)} - computes

    def beside(t: int, way: int) -> int:
        """How long the rank communicates and does not compute, from t on in one direction."""
        return next(n for n in range(99) if t + way * n not in exposed)

    long = [(t, u) for t, u in runs if 10 * (u - t) > min(beside(t - 1, -1), beside(u, 1))]

    def holds(t: int, end: int) -> bool:
        """Nothing is computed from t to the end of the piece."""
        return not any(u > t and begin < end for begin, u in long)

    plain: dict[tuple[int, ...], int] = {}
    for t in set(range(60)) - computes:
        active = [(part, at + n) for part, at, n in pieces if at <= t < at + n]
        first = {part for part, end in active if holds(t, end)} or {part for part, _ in active}
        if first:
            plain[tuple(sorted(first))] = plain.get(tuple(sorted(first)), 0) + 1
    expected = [0] * 5
    for parts, time in plain.items():
        for nth, part in enumerate(parts):
            expected[part] += time // len(parts) + (time % len(parts) if nth == 0 else 0)
    assert shares(kernels, pieces) == expected
