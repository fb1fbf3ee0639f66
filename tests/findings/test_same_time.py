"""Findings that want the same time are one finding; the rest stand, most worth first."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.compute.intervals import intersect, length, union
from tb_plugin.findings.check import Check, Confidence, Seen
from tb_plugin.findings.checks import ALL
from tb_plugin.findings.facts import Facts
from tb_plugin.findings.same_time import Found, grouped
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from tb_plugin.compute.intervals import Merged

FACTS: Final = Facts(trace_from_text("thread 1 | aten::mm 0-1000"))


def spans(*edges: tuple[int, int]) -> Merged:
    start, end = np.array(edges, np.int64).reshape(-1, 2).T * 1000
    return union(start, end)


def found(
    name: str, time: Merged, confidence: Confidence = "likely", gain_us: int | None = -1, estimate: int | None = None
) -> Found:
    gain_ns = length(time) if gain_us == -1 else None if gain_us is None else gain_us * 1000
    seen = Seen(
        title=name, what=name, gain_ns=gain_ns, gain_how="", confidence=confidence, time=time, estimate_ns=estimate
    )  # fmt: skip
    return Found(Check(id=name, looks_for=name, needs=(), find=lambda _: None), seen, gain_ns)


def names(result: list[Found]) -> list[tuple[str, list[str]]]:
    return [(each.check.id, [other.check.id for other in each.also]) for each in result]


def test_more_than_half_of_the_shorter_one_is_the_same_time() -> None:
    long, inside, beside = spans((0, 100)), spans((60, 110)), spans((80, 120))
    assert names(grouped(FACTS, [found("beside", beside), found("long", long)])) == [("long", []), ("beside", [])]
    assert names(grouped(FACTS, [found("inside", inside), found("long", long)])) == [("long", ["inside"])]


def test_the_surer_one_stands_if_it_gains_half_as_much() -> None:
    long, half, less = spans((0, 100)), spans((0, 50)), spans((0, 49))
    assert names(grouped(FACTS, [found("long", long, "maybe"), found("half", half, "sure")])) == [("half", ["long"])]
    assert names(grouped(FACTS, [found("long", long, "maybe"), found("less", less, "sure")])) == [("long", ["less"])]
    assert names(grouped(FACTS, [found("long", long), found("half", half)])) == [("long", ["half"])]


def test_what_is_expected_sorts_before_what_is_at_most_gained_and_the_unknown_comes_last() -> None:
    first = [found("unknown", spans((0, 500)), gain_us=None), found("bound", spans((0, 50)))]
    result = grouped(FACTS, [*first, found("expected", spans((60, 260)), estimate=20_000)])
    assert names(result) == [("bound", []), ("expected", []), ("unknown", [])]


times = st.lists(st.tuples(st.integers(0, 900), st.integers(0, 100)), max_size=4).map(
    lambda each: spans(*((at, at + n) for at, n in each))
)


@given(st.lists(st.tuples(times, st.sampled_from(("sure", "likely", "maybe")), st.booleans()), max_size=8))
def test_nothing_is_lost_and_what_stands_wants_other_time(drawn: list[tuple[Merged, Confidence, bool]]) -> None:
    all_found = [found(str(at), time, sure, None if unknown else -1) for at, (time, sure, unknown) in enumerate(drawn)]
    result = grouped(FACTS, all_found)
    said = [each.check.id for group in result for each in (group, *group.also)]
    assert sorted(said) == sorted(each.check.id for each in all_found)
    worth = [each.worth_ns for each in result]
    assert worth == sorted(worth, reverse=True)


@given(st.lists(times, max_size=8))
def test_of_equally_sure_findings_no_two_that_stand_share_more_than_half(drawn: list[Merged]) -> None:
    result = grouped(FACTS, [found(str(at), time) for at, time in enumerate(drawn)])
    for a, b in combinations([each.seen.time for each in result if each.seen.time is not None], 2):
        assert length(intersect(a, b)) <= 0.5 * min(length(a), length(b))


@pytest.mark.parametrize("check", ALL, ids=lambda check: check.id)
def test_what_a_check_advises_is_short_and_its_page_public(check: Check) -> None:
    assert check.code or check.unless
    assert len(check.code.splitlines()) <= 5
    assert not check.link or check.link.startswith("https://")
