"""What one of the user's functions does by itself on the host is told; torch's own Python on its way to operators is not."""

from __future__ import annotations

import pytest

from tb_plugin.findings.checks import python_line
from tb_plugin.findings.facts import Facts
from tests.trace_text import trace_from_text

STEP = "thread 1 | ProfilerStep#1 0-1000 | t.py(3): step 1-1000"


def run(drawn: str, beside: str = "") -> Facts:
    return Facts(trace_from_text(f"{STEP} | {drawn}\n{beside}"))


def test_a_function_that_sleeps_or_saves_is_told() -> None:
    slept = python_line.find(run("aten::mm 1-500 | <built-in function sleep> 500-800 | aten::add 800-1000"))
    assert slept is not None
    assert slept.title == "Do not let the step wait: t.py(3): step is sleeping"
    assert (slept.gain_ns, slept.evidence[1].text, slept.evidence[1].value) == (300_000, "of it sleeping", 300_000)
    saved = python_line.find(run("aten::mm 1-500 | torch/serialization.py(944): save 500-999 | pickle.py(5): dump 600-700"))
    assert saved is not None
    assert "mostly in torch/serialization.py(944): save" in saved.title
    assert saved.gain_ns == 400_000  # pickle.py is not torch's: a function of its own


def test_python_between_many_operators_is_a_loop_and_between_few_it_is_not() -> None:
    many = " | ".join(f"aten::mul {at}-{at + 6}" for at in range(2, 1000, 10))
    loop = python_line.find(run(many))
    assert loop is not None
    assert "from a loop in Python" in loop.title
    assert (loop.gain_ns, loop.evidence[-1].value) == (399_000, 100)
    few = python_line.find(run("aten::mm 2-500"))
    assert few is not None
    assert few.title == "Do this beside the step, or less often: t.py(3): step"


@pytest.mark.parametrize(
    ("drawn", "beside"),
    [
        ("torch/nn/modules/linear.py(130): forward 20-980 | aten::linear 300-500", ""),
        ("nn.Module: Net_0 20-980 | <built-in method run_backward of X> 30-900", ""),
        ("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__ 20-980 | data.py(9): get 30-970", ""),
        ("torch/utils/data/dataloader.py(5): __iter__ 20-980 | multiprocessing/popen_fork.py(62): _launch 30-970", ""),
        ("aten::mm 20-980 | <built-in function sleep> 400-900", ""),
        ("<built-in function sleep> 100-900", "stream 7 | gemm 5-30"),
    ],
)
def test_what_is_torch_or_the_loader_or_beside_a_device_is_silent(drawn: str, beside: str) -> None:
    assert python_line.find(run(drawn, beside)) is None


def test_the_function_with_most_by_itself_is_the_one() -> None:
    seen = python_line.find(run("model.py(7): forward 100-900 | aten::mm 100-300 | <built-in function sort> 300-890"))
    assert seen is not None
    assert seen.title == "Do this beside the step, or less often: model.py(7): forward, mostly in sort"
    assert seen.gain_ns == 600_000
