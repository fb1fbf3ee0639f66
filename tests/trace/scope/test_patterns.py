import time

import pytest

from tb_plugin.base.errors import UsageError
from tb_plugin.trace.scope.patterns import SEARCHED_BYTES, name_matcher
from tests.trace.scope.bombs import BOMBS


@pytest.mark.parametrize("pattern", BOMBS)
def test_no_pattern_takes_longer_than_the_name_is_long(pattern: str) -> None:
    matches = name_matcher(pattern)
    began = time.thread_time()
    matches("a" * 4000 + "!")
    assert time.thread_time() - began < 0.5


@pytest.mark.parametrize("pattern", ["(a{0,100}){10}", "(a{0,900}){900}", "[^x]{0,1000}$"])
def test_a_pattern_whose_program_is_large_is_refused(pattern: str) -> None:
    with pytest.raises(UsageError, match=r"too large|regular expression"):
        name_matcher(pattern)


@pytest.mark.parametrize("pattern", ["(?=a)", "(?<!a)b", r"(a)\1"])
def test_what_the_grammar_lacks_is_said(pattern: str) -> None:
    with pytest.raises(UsageError, match="without look-around and back references"):
        name_matcher(pattern)


@pytest.mark.parametrize("pattern", ["(", "[a", "a**", "a\\"])
def test_what_is_no_regular_expression_is_said_in_its_words(pattern: str) -> None:
    with pytest.raises(UsageError, match=r"not a regular expression: .+"):
        name_matcher(pattern)


def test_case_does_not_count_and_a_part_is_enough() -> None:
    assert name_matcher("CONV.d$")("aten::conv2d")
    assert not name_matcher("^conv")("aten::conv2d")
    assert name_matcher("ä+")("ÄÄ")


def test_a_literal_is_no_pattern() -> None:
    assert name_matcher("conv2d(", literal=True)("Conv2d(3)")
    assert not name_matcher("c.nv", literal=True)("conv")


def test_any_text_of_a_file_can_be_a_name() -> None:
    assert name_matcher("mm")("\ud800 mm")  # half a surrogate pair
    assert name_matcher("mm")("a\0mm\n")
    with pytest.raises(UsageError):
        name_matcher("\ud800(")


def test_of_a_very_long_name_the_beginning_is_searched() -> None:
    assert name_matcher("needle")("needle" + "x" * 10**7)
    assert not name_matcher("needle")("x" * (SEARCHED_BYTES + 1) + "needle")
