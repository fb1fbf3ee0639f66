"""Why one step is longer than another, in a sentence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tb_plugin.base.errors import NotFoundError
from tb_plugin.views.compare.joined.join import Given, compared
from tb_plugin.views.compare.members import join, takes
from tb_plugin.views.compare.result import CompareParams, Pair
from tests.views.compare.drawn import member, steps, sums
from tests.views.compare.trained import TRAINED, slower

if TYPE_CHECKING:
    from tb_plugin.views.compare.sums.result import ProfileSums

MIXED = sums(steps(TRAINED, slower(TRAINED, 4), [("aten::argmax", "a", 30.0)] * 2, length_us=[900, 990, 300]))


def of_steps(a: str, b: str, one: ProfileSums = MIXED, other: ProfileSums | None = None) -> Pair:
    given = [Given("x", [], [one], a), Given("x", [], [other or one], b)]
    return compared(given, CompareParams(by="operator", fold=1.0), []).pairs[0]


def differences_us(said: str) -> list[float]:
    """What is after the colon, but not what explains a part."""
    parts = re.sub(r" \([^()]*\)", "", said.partition(": ")[2]).removesuffix(".").split(", ")
    found = [re.fullmatch(r".* ([\d.]+) (us|ms) (more|less)", part) for part in parts]
    assert all(found), said
    return [float(m[1]) * (1000 if m[2] == "ms" else 1) * (1 if m[3] == "more" else -1) for m in found if m]


def test_the_longer_of_two_steps_is_told_by_what_it_has_more_of_and_the_parts_add_up() -> None:
    said = of_steps("0", "1").headline
    assert said == (
        "Step 1 takes 90.0 us longer than step 0 (990 us and 900 us): aten::linear 150 us more, "
        "device idle 60.0 us less (waiting for the host 60.0 us less, most at Python between operators)."
    )
    assert of_steps("1", "0").headline == said
    assert sum(differences_us(said)) == 90


def test_a_step_of_another_kind_is_no_other_program_and_what_is_small_is_all_else() -> None:
    found = of_steps("2", "0")
    assert found.headline.startswith("Step 0 takes 600 us longer than step 2 (900 us and 300 us): device idle ")
    assert sum(differences_us(found.headline)) == 600
    assert "all else" in found.headline
    assert [said for said in found.doubts if "program" in said or "kind" in said] == []


def test_steps_that_take_as_long_are_said_to_and_of_two_recordings_each_is_named() -> None:
    twice = sums(steps(TRAINED, TRAINED))
    assert of_steps("0", "1", twice).headline == "Step 1 takes about as long as step 0 (900 us and 900 us): nothing differs."
    said = of_steps("0", "1", twice, MIXED).headline
    assert said.startswith("Step 1 of B takes 90.0 us longer than step 0 of A (990 us and 900 us): ")
    assert said.endswith("One side has one step: a difference, not evidence, which takes 4 a side or more.")


def test_work_of_many_kernels_names_the_one_that_takes_longer() -> None:
    few, more = ([("aten::sdpa", "flash", us), ("aten::sdpa", "copy", 5.0)] for us in (20.0, 220.0))
    assert "aten::sdpa 200 us more (flash 200 us more)" in of_steps("0", "1", sums(steps(few, more))).headline


def test_an_item_of_a_log_directory_has_steps_of_its_own() -> None:
    params = CompareParams(items="a\tw\t1\t2\na\tw\t1\t3")
    assert takes(params, "a", "w", "1")
    assert not takes(params, "a", "w", "2")
    found = join([member("a", "1")], params)
    assert found.a is not None
    assert (found.a.label, found.pairs[0].b.label) == ("a · 1 · step 2", "a · 1 · step 3")
    assert found.pairs[0].headline.startswith("Step 3 takes about as long as step 2 ")
    with pytest.raises(NotFoundError, match="complete steps=9: this profile has complete steps 0-4"):
        join([member("a", "1")], CompareParams(items="a\tw\t1\t2\na\tw\t1\t9"))
