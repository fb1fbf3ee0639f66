"""Names of one list never read the same; the page's rule is held to the same cases (`frontend/src/base/names.test.ts`)."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tb_plugin.base.cut import cut_apart, cut_middle

CASES = json.loads((Path(__file__).parent / "cut_cases.json").read_text(encoding="utf-8"))
PARTS = ("void ", "at::native::", "Kernel", "gemm_", "128x64", "256", "<4, ", "> >", "(int)", "_nn", "_tn", "::", "a", "é", " ")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['names'][0][:20]}-{case['size']}")
def test_cases_that_the_page_has_too(case: dict[str, object]) -> None:
    names, size = case["names"], case["size"]
    assert isinstance(names, list)
    assert isinstance(size, int)
    assert list(cut_apart(names, size).values()) == case["cut"]


def test_different_names_never_read_the_same_and_none_is_too_long() -> None:
    made = random.Random(7)
    for _ in range(400):
        start = "".join(made.choices(PARTS, k=made.randrange(8)))
        end = "".join(made.choices(PARTS, k=made.randrange(8)))
        count = made.randrange(1, 40)
        names = {start + "".join(made.choices(PARTS, k=made.randrange(6))) + end for _ in range(count)}
        size = made.choice((6, 9, 14, 20, 33, 60))
        shorts = cut_apart(sorted(names), size)
        assert set(shorts) == names
        assert len(set(shorts.values())) == len(names), (size, shorts)
        assert all(len(short) <= size for short in shorts.values())


def test_a_name_alone_is_cut_as_ever() -> None:
    name = "void cudnn::bn_kernel<float, 512>(float const*, float)"
    assert cut_apart([name], 44) == {name: cut_middle(name, 44)} == {name: "cudnn::bn_kernel<float, 512>(…)"}
