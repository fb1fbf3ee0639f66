"""Operators that work on the host are told; those that lead to launches, wait, load or are views are not."""

from __future__ import annotations

import pytest

from tb_plugin.findings.checks import host_operators
from tb_plugin.findings.facts import Facts
from tests.trace_text import trace_from_text


def run(name: str, us: int, *, until: int, inside: str = "", before: str = "") -> Facts:
    """Ten calls, one every 1000 us, and then a launch of work that lasts until so long after it."""
    host = [
        f"{name} {1000 * n}-{1000 * n + us}{inside.format(1000 * n)} | mm{n} {1000 * n + us + 1}-{1000 * n + us + 2}"
        for n in range(10)
    ]
    device = [f"gemm {1000 * n + us + 3}-{1000 * n + us + 3 + until} <- mm{n}" for n in range(10)]
    return Facts(trace_from_text(f"thread 1 | {' | '.join(host)}\nstream 7 | {before}{' | '.join(device)}"))


def test_the_part_that_the_device_waits_for_is_to_gain() -> None:
    seen = host_operators.find(run("fbgemm::permute", 400, until=700))
    assert seen is not None
    assert [evidence.value for evidence in seen.evidence[:2]] == [4_000_000, 10]
    assert seen.gain_ns == 400_000 + 9 * 297_000  # from the second call on the device works for the first 103 us
    assert seen.without == ("host:fbgemm::permute=0",)
    assert "num_workers" not in seen.code + host_operators.CHECK.code  # nothing says that a loader does it


def test_workers_of_a_loader_are_advised_where_it_runs_in_one() -> None:
    loader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
    starts = range(0, 10_000, 1000)
    host = (f"{loader} {at}-{at + 400} | fbgemm::permute {at + 1}-{at + 399} | mm{at} {at + 401}-{at + 402}" for at in starts)
    device = (f"gemm {at + 403}-{at + 703} <- mm{at}" for at in starts)
    seen = host_operators.find(Facts(trace_from_text(f"thread 1 | {' | '.join(host)}\nstream 7 | {' | '.join(device)}")))
    assert seen is not None
    assert "num_workers=8" in seen.code


def test_beside_a_busy_device_nothing_is_to_gain_yet() -> None:
    seen = host_operators.find(run("fbgemm::permute", 400, until=999, before="gemm 0-402 | "))
    assert seen is not None
    assert (seen.gain_ns, seen.without) == (None, ())


@pytest.mark.parametrize(
    ("name", "us", "inside"),
    [
        ("aten::empty", 20, ""),
        ("aten::conv2d", 400, " | <cudaLaunchKernel> {0}.1-{0}.2"),
        ("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 400, ""),
        ("c10d::allreduce_", 400, ""),
    ],
)
def test_others_are_silent(name: str, us: int, inside: str) -> None:
    assert host_operators.find(run(name, us, until=300, inside=inside.replace("<", "").replace(">", ""))) is None
