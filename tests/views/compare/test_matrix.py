"""More than two items side by side, against loops over what each profile says of itself."""

from __future__ import annotations

import statistics
from collections import defaultdict

import pytest

from tb_plugin.formats import reader
from tb_plugin.views.compare import SUMS
from tb_plugin.views.compare.joined.join import Given, compared
from tb_plugin.views.compare.joined.matrix import MOST_ROWS
from tb_plugin.views.compare.markdown import MOST_BYTES, markdown, matrix_markdown
from tb_plugin.views.compare.result import CompareParams, Comparison, Matrix
from tb_plugin.views.compare.sums.result import ProfileSums, SumsParams
from tb_plugin.views.compare.text import matrix_table, matrix_text, text
from tests.profiles import real
from tests.views.compare.drawn import steps, sums

TRACES = (
    ("v100_resnet50_workers0_a", "v100_resnet50_workers4_a", "v100_resnet50_workers0_b"),
    ("h100_qwen", "mi300_qwen", "mi210_gpu_only"),
)


def side_by_side(of: list[ProfileSums], by: str = "operator") -> tuple[Comparison, Matrix]:
    result = compared([Given(f"item {place}", [], [one]) for place, one in enumerate(of)], CompareParams(by=by), [])  # type: ignore[arg-type]
    assert result.matrix is not None
    return result, result.matrix


def recording(**us: float) -> ProfileSums:
    return sums(
        steps(*[[(f"aten::{name}", f"{name}_kernel", lasting + i / 10) for name, lasting in us.items()] for i in range(6)])
    )


@pytest.mark.parametrize("by", ["module", "operator", "category", "kernel"])
@pytest.mark.parametrize("names", TRACES)
def test_columns_sum_to_the_step_and_rows_are_those_of_a_loop(names: tuple[str, ...], by: str) -> None:
    of = [SUMS.answer(reader.read(path), SumsParams()) for path in real(*names)]
    if len(of) < len(names):
        pytest.skip("the shared traces are not there")
    result, matrix = side_by_side(of, by)
    assert result.a is not None
    for item, mean in enumerate([result.a.mean_ns, *(pair.b.mean_ns for pair in result.pairs)]):
        assert sum(row.values_ns[item] for row in matrix.rows) == mean
    assert [row.spread_ns for row in matrix.rows if row.kind != "other"] == sorted(
        (max(row.values_ns) - min(row.values_ns) for row in matrix.rows if row.kind != "other"), reverse=True
    )
    if by not in ("operator", "kernel") or len(matrix.rows) > MOST_ROWS:
        return
    expected: dict[str, list[float]] = defaultdict(lambda: [0.0] * len(of))
    for item, one in enumerate(of):
        kept = [place for place, step in enumerate(one.steps) if step.kind == 0]
        for call in one.calls:
            for kernel in call.kernels:
                name = kernel.name if by == "kernel" else call.operator or "(not attributed)"
                expected[name][item] += statistics.mean(kernel.wall_ns[place] for place in kept)
    mine = {row.name: row.values_ns for row in matrix.rows if row.kind in ("operator", "kernel")}
    for name, values in mine.items():
        assert values == pytest.approx(expected[name], abs=300), name  # each leaf is rounded
    everywhere = [values for values in expected.values() if min(values) > 0]
    assert matrix.n_geomean == len(everywhere)
    if not everywhere:  # of one device alone no work has an operator
        assert matrix.geomeans == []
        return
    ratios = [statistics.geometric_mean([values[item] / values[0] for values in everywhere]) for item in range(len(of))]
    assert matrix.geomeans == pytest.approx(ratios, rel=1e-4)


def test_what_varies_most_is_first_and_what_an_item_lacks_is_0() -> None:
    of = [recording(mm=100, add=50), recording(mm=100, add=90), recording(mm=130, add=50, cat=5)]
    result, matrix = side_by_side(of)
    busy = {row.name: row for row in matrix.rows if row.kind == "operator"}
    assert [row.name for row in matrix.rows if row.kind == "operator"] == ["add", "mm", "cat"]
    assert busy["add"].spread_ns == 40_000
    assert busy["cat"].values_ns == [0, 0, 5_250]
    assert busy["add"].verdicts == ["finding", "noise"]
    assert matrix.n_geomean == 2
    assert matrix.geomeans == pytest.approx([1, (90.25 / 50.25) ** 0.5, (130.25 / 100.25) ** 0.5])
    assert side_by_side(of[:1] * 3)[1].geomeans == [1, 1, 1]
    assert compared([Given("a", [], of[:1]), Given("b", [], of[1:2])], CompareParams(), []).matrix is None
    assert "what varies most" in text(result)
    table = matrix_table(result)
    assert table.columns[:4] == ("kind", "name", "item 0 ns", "item 1 ns")
    assert all(len(row) == len(table.columns) for row in table.rows)
    assert "over the 2 busy rows that all have: 1: 1.34, 2: 1.14." in matrix_text(result)


def test_fifty_items_fit_a_comment_and_names_are_no_markup() -> None:
    work = [[("aten::mm", "<b>`k`", 50.0 + i), ("aten::mm", "g", 100)] for i in range(5)]
    result, _ = side_by_side([sums(steps(*work)), *[recording(mm=100, add=50)] * 49], "kernel")
    found = matrix_markdown(result)
    assert max(len(found.encode()), len(markdown(result).encode())) <= MOST_BYTES
    assert "<b>" not in found
    assert len({line.count(" | ") for line in found.splitlines() if line.startswith("| ") and "step" not in line}) == 1


def test_rows_that_vary_less_are_one() -> None:
    of = [recording(**{f"op{i}": 1.0 + item * (i + 1) / 1000 for i in range(MOST_ROWS + 20)}) for item in range(3)]
    result, matrix = side_by_side(of)
    assert result.a is not None
    assert matrix.rows[-1].kind == "other"
    assert len(matrix.rows) == MOST_ROWS + 1
    assert sum(row.n_rows for row in matrix.rows) > MOST_ROWS
    assert sum(row.values_ns[0] for row in matrix.rows) == result.a.mean_ns
