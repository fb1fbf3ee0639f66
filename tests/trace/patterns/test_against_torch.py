"""Every pattern matches the events that torch's own class matches on the live profile: the same, not only as many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import tb_plugin
from tb_plugin.trace.patterns import ALL
from tb_plugin.trace.patterns.call_tree import CallTree
from tests.torch_api import recordings
from tests.trace.patterns.training import train

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.patterns.pattern import Pattern

torch = pytest.importorskip("torch", reason="compares with torch's own patterns")

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("default")]


def with_tf32() -> Callable[[], None]:
    """One product with the flag and one without."""

    def step() -> None:
        matmul = torch.backends.cuda.matmul
        before = matmul.allow_tf32
        for matmul.allow_tf32 in (True, False):
            torch.mm(torch.ones(4, 4), torch.ones(4, 4))
        matmul.allow_tf32 = before

    return step


CASES: dict[str, Callable[[], Callable[[], None]]] = {
    "badly": lambda: lambda: train(well=False),
    "well": lambda: lambda: train(well=True),
    "cnn": recordings.cnn,
    "transformer": recordings.transformer,
    "tf32": with_tf32,
}


@pytest.fixture(scope="module", params=list(CASES))
def recorded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, recordings.Recording]:
    folder = tmp_path_factory.mktemp("patterns")
    return request.param, recordings.record(folder, CASES[request.param], {}, **recordings.ALL)


def matched(pattern: Any, event: Any) -> bool:
    """torch's answer. Some of its events have names that were freed since (its own "TODO: fixme!"): no pattern is theirs."""
    try:
        return bool(pattern.match(event))
    except UnicodeDecodeError:
        return False


def found(trace: Trace, pattern: Pattern) -> list[tuple[str, int]]:
    events = trace.events
    rows = pattern.rows(CallTree(trace)).tolist()
    return sorted((trace.text(int(events.name_id[row])), int(events.start_ns[row]) + trace.info.base_ns) for row in rows)


@pytest.mark.parametrize("pattern", ALL, ids=lambda pattern: pattern.torch_name)
def test_a_pattern_matches_what_torch_matches(recorded: tuple[str, recordings.Recording], pattern: Pattern) -> None:
    from torch.profiler import _pattern_matcher

    name, recording = recorded
    theirs = getattr(_pattern_matcher, pattern.torch_name)(recording.torch)
    expected = sorted((event.name, event.start_time_ns) for event in theirs.eventTreeTraversal() if matched(theirs, event))
    assert (theirs.name, theirs.description, theirs.url) == (pattern.name, pattern.description, pattern.url)
    assert not theirs.skip
    assert expected if name == "badly" else not expected or name != "well" or pattern.torch_name == "FP32MatMulPattern"
    for path in (recording.json, recording.stored):
        trace = tb_plugin.load(path).trace
        if pattern.torch_name == "FP32MatMulPattern" and path == recording.json:
            assert pattern.lacks(trace) is not None  # torch's JSON does not hold the flag
        else:
            assert pattern.lacks(trace) is None
            assert found(trace, pattern) == expected


def test_the_flag_is_that_of_each_product(recorded: tuple[str, recordings.Recording]) -> None:
    name, recording = recorded
    if name != "tf32":
        pytest.skip("another recording")
    pattern = next(each for each in ALL if each.torch_name == "FP32MatMulPattern")
    assert len(found(tb_plugin.load(recording.stored).trace, pattern)) == 2  # one of two in each of two steps
