"""The patterns that torch has too match what torch's own classes match on the live profile."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.formats.reader import read
from tb_plugin.views.advice.checks import (
    conv_bias,
    extra_copy,
    loop_indexing,
    matmul_dims,
    single_tensor_optimizer,
    synchronized_loader,
    zeroed_gradients,
)
from tb_plugin.views.advice.compute import compute
from tb_plugin.views.advice.facts import Facts
from tb_plugin.views.advice.result import AdviceParams

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.trace.model import Trace

torch = pytest.importorskip("torch", reason="compares with torch's own patterns")

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("default")]

PATTERNS: dict[str, Callable[[Facts], Any]] = {
    "ExtraCUDACopyPattern": extra_copy.matches,
    "ForLoopIndexingPattern": loop_indexing.matches,
    "OptimizerSingleTensorPattern": single_tensor_optimizer.matches,
    "SynchronizedDataLoaderPattern": synchronized_loader.matches,
    "GradNotSetToNonePattern": zeroed_gradients.matches,
    "Conv2dBiasFollowedByBatchNorm2dPattern": conv_bias.matches,
    "MatMulDimInFP16Pattern": matmul_dims.matches,
}


def train(*, well: bool) -> None:
    """Two steps that do everything that the patterns are about, or do it right."""
    images = torch.utils.data.TensorDataset(torch.rand(8, 3, 8, 8))
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, bias=not well), torch.nn.BatchNorm2d(8), torch.nn.Flatten())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, foreach=well)
    for (batch,) in torch.utils.data.DataLoader(images, batch_size=4, num_workers=1 if well else 0):
        model(batch).sum().backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=well)
    size = 16 if well else 15
    torch.mm(torch.rand(16, size, dtype=torch.float16), torch.rand(size, 16, dtype=torch.float16))
    if not well:
        torch.zeros(100).to(torch.device("cpu"), copy=True)
        torch.rand(100).to(torch.device("cpu"), copy=True)
        row = torch.empty(12, 3)
        for i in range(12):
            row[i] = i
        for i in range(9):
            row[i] = i


@pytest.fixture(scope="module", params=[False, True], ids=["badly", "well"])
def recorded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Trace, bool]:
    path = tmp_path_factory.mktemp("advice") / "w.pt.trace.json"
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True, with_stack=True
    ) as profiler:
        train(well=request.param)
    profiler.export_chrome_trace(str(path))
    return profiler, read(path), request.param


def matched(pattern: Any, event: Any) -> bool:
    """torch's answer. Some of its events have names that were freed since (its own "TODO: fixme!"): no pattern is theirs."""
    try:
        return bool(pattern.match(event))
    except UnicodeDecodeError:
        return False


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_matches_what_torch_matches(recorded: tuple[Any, Trace, bool], pattern: str) -> None:
    from torch.profiler import _pattern_matcher

    profiler, trace, well = recorded
    theirs = getattr(_pattern_matcher, pattern)(profiler)
    n_theirs = sum(matched(theirs, event) for event in theirs.eventTreeTraversal())
    ours = PATTERNS[pattern](Facts(trace))
    assert len(ours) == n_theirs
    assert len(ours) == 0 if well else len(ours) > 0


def test_what_helps_without_a_device_is_advised_with_its_place(recorded: tuple[Any, Trace, bool]) -> None:
    _, trace, well = recorded
    advice = compute(trace, AdviceParams())
    findings = {finding.id: finding for finding in advice.findings}
    assert not well or findings.keys() <= {"data_loader"}
    if well:
        return
    assert {"zeroed_gradients", "conv_bias", "loop_indexing"} <= findings.keys()
    assert "single_tensor_optimizer" not in findings  # needs a device: it is listed as not checked
    source = findings["zeroed_gradients"].source
    assert source is not None
    assert source.rpartition(":")[0].endswith("test_patterns_against_torch.py")
    assert findings["zeroed_gradients"].function == "train"
    assert any("optimizers that update one tensor" in check for lack in advice.not_checked for check in lack.checks)


def test_the_source_skips_torch_and_stays_unknown_without_stacks(tmp_path: Any) -> None:
    path = tmp_path / "w.pt.trace.json"
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
        train(well=False)
    profiler.export_chrome_trace(str(path))
    assert json.loads(path.read_text())["traceEvents"]
    advice = compute(read(path), AdviceParams())
    zeroed = next(finding for finding in advice.findings if finding.id == "zeroed_gradients")  # by torch's own range
    assert zeroed.source is None
    assert any(lack.how == "with_stack=True" for lack in advice.not_checked)
