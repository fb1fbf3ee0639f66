"""What torch's patterns match on a real profile becomes advice where it helps, with its place in the source."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.formats.reader import read
from tb_plugin.views.advice.compute import compute
from tb_plugin.views.advice.result import AdviceParams
from tests.trace.patterns.training import train

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

torch = pytest.importorskip("torch", reason="compares with torch's own patterns")

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module", params=[False, True], ids=["badly", "well"])
def recorded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Trace, bool]:
    path = tmp_path_factory.mktemp("advice") / "w.pt.trace.json"
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True, with_stack=True
    ) as profiler:
        train(well=request.param)
    profiler.export_chrome_trace(str(path))
    return profiler, read(path), request.param


def test_what_helps_without_a_device_is_advised_with_its_place(recorded: tuple[Any, Trace, bool]) -> None:
    _, trace, well = recorded
    advice = compute(trace, AdviceParams(all=True))
    findings = {finding.id: finding for finding in advice.findings}
    assert not well or findings.keys() <= {"data_loader"}
    if well:
        return
    assert {"zeroed_gradients", "conv_bias", "loop_indexing"} <= findings.keys()
    assert "single_tensor_optimizer" not in findings  # needs a device: it is listed as not checked
    source = findings["zeroed_gradients"].source
    assert source is not None
    assert source.rpartition(":")[0].endswith("training.py")
    assert findings["zeroed_gradients"].function == "train"
    assert any("optimizers that update one tensor" in check for lack in advice.not_checked for check in lack.checks)


def test_the_source_skips_torch_and_stays_unknown_without_stacks(tmp_path: Any) -> None:
    path = tmp_path / "w.pt.trace.json"
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
        train(well=False)
    profiler.export_chrome_trace(str(path))
    assert json.loads(path.read_text())["traceEvents"]
    advice = compute(read(path), AdviceParams(all=True))
    zeroed = next(finding for finding in advice.findings if finding.id == "zeroed_gradients")  # by torch's own range
    assert zeroed.source is None
    assert any(lack.how == "with_stack=True" for lack in advice.not_checked)
