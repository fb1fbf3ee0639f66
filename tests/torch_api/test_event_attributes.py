"""What an event took, where it lies and what it is tied to: equal to the live `FunctionEvent`, attribute by attribute."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import pytest

import tb_plugin
from tests.profiles import GPUS, over, real, sample
from tests.torch_api import recordings
from tests.torch_api.recordings import ALL, Recording, record

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytest.importorskip("torch", reason="compares with the live profiler")
pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("default")]

ATTRIBUTES = (
    *("concrete_inputs", "kwinputs", "flow_id", "flow_type", "flow_start", "python_id", "python_parent_id", "python_module_id"),
    *("event_metadata", "linked_correlation_id", "device_index", "device_resource_id", "external_id", "activity_type"),
    *("self_cpu_percent", "total_cpu_percent", "total_device_percent", "node_id", "is_remote", "is_legacy"),
)
DEPRECATED = ("cuda_time", "cuda_time_total", "self_cuda_time_total", "self_cuda_memory_usage", "metadata_json")
EXPOSED = {"expose_kineto_event_metadata": True}


def odd_inputs() -> Callable[[], None]:
    """Values of every kind that an operator or a range can take."""
    import torch

    def step() -> None:
        x = torch.randn(3, 3)
        x.clamp(min=-math.inf, max=math.inf)
        torch.full((2,), 1e-30).mul(1e300)
        torch.div(x, 2.5, rounding_mode="floor")
        torch.nn.functional.interpolate(torch.randn(1, 1, 4, 4), scale_factor=(2.0, 1.5))
        torch.add(x, x, alpha=2).view([]) if x.numel() == 1 else torch.zeros([1] * 31)
        torch._foreach_mul([x, x], [2.0, 3.0])
        given = {"grid": "f(1)", "stream": 7, "f": 2.5, "yes": True, "Rank": 3}
        with torch._C._profiler._RecordFunctionFast("my range", [x, 3, "text", 2.5, None, [1, 2], True], given):
            x.sum((0, 1))

    return step


CASES: dict[str, tuple[Callable[[], Callable[[], None]], dict[str, Any], dict[str, Any]]] = {
    "cnn": (recordings.cnn, EXPOSED, ALL),
    "double backward": (recordings.double_backward, EXPOSED, ALL),
    "threads": (recordings.threads, EXPOSED, {"record_shapes": True}),
    "gloo": (recordings.gloo, EXPOSED, ALL),
    "odd inputs": (odd_inputs, EXPOSED, {"record_shapes": True}),
}


@pytest.fixture(scope="module", params=list(CASES))
def recorded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Recording:
    make_step, config, options = CASES[request.param]
    return record(tmp_path_factory.mktemp("profile"), make_step, config, **options)


def test_every_attribute_is_the_live_one(recorded: Recording) -> None:
    expected = recorded.torch.events()
    for path in (recorded.json, recorded.stored):
        events = tb_plugin.load(path).events()
        assert len(events) == len(expected)
        for name in ATTRIBUTES:
            ours = [(event.name, _told(getattr(event, name))) for event in events]
            assert ours == [(event.name, _told(getattr(event, name))) for event in expected], name


def _told(value: Any) -> Any:
    """NaN equals NaN here."""
    return str(value) if isinstance(value, list) else value


def test_memory_open_ranges_and_a_users_gloo_are_as_they_are_live(tmp_path: Path) -> None:
    """An allocation outside of all ranges, a range that stays open, and one that a user names as c10d names its work."""
    import torch

    config = torch._C._profiler._ExperimentalConfig(**EXPOSED)
    with torch.profiler.profile(record_shapes=True, profile_memory=True, experimental_config=config) as profiler:
        kept = torch.ones(9, 9)
        with torch.profiler.record_function("gloo:mine"):
            torch.mm(kept, kept)
        del kept
        torch.profiler.record_function("left open").__enter__()
    path = tmp_path / "p.json"
    profiler.export_chrome_trace(str(path))
    events, expected = tb_plugin.load(path).events(), profiler.events()
    assert {"[memory]", "gloo:mine", "left open"} <= {event.name for event in events}
    names = (
        *(name for name in ATTRIBUTES if name != "device_resource_id"),
        "structured_input_shapes",
        "structured_input_strides",
        "input_dtypes",
        "flops",
        "is_async",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        for name in (*names, "metadata_json", "self_cpu_time_total", "self_cpu_memory_usage"):
            ours = [(event.name, _told(getattr(event, name))) for event in events]
            assert ours == [(event.name, _told(getattr(event, name))) for event in expected], name


def test_deprecated_names_answer_with_torchs_own_warning(recorded: Recording) -> None:
    ours, theirs = tb_plugin.load(recorded.json).events(), recorded.torch.events()
    for name in DEPRECATED:
        with pytest.warns(FutureWarning) as expected:
            values = [getattr(event, name) for event in theirs[:40]]
        with pytest.warns(FutureWarning) as found:
            assert [getattr(event, name) for event in ours[:40]] == values
        assert {str(each.message) for each in found} == {str(each.message) for each in expected}
        assert found[0].filename == __file__
    with pytest.warns(FutureWarning, match="device_time"):
        assert ours.key_averages()[0].cuda_time == 0


def test_every_public_attribute_of_torch_is_there(recorded: Recording) -> None:
    theirs, ours = recorded.torch.events()[0], tb_plugin.load(recorded.json).events()[0]
    setters = {"append_kernel", "append_cpu_child", "set_cpu_parent"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [name for name in dir(theirs) if name[0] != "_" and name not in setters and not hasattr(ours, name)] == []
        average = recorded.torch.key_averages()[0]
        mine = tb_plugin.load(recorded.json).key_averages()[0]
        assert [name for name in dir(average) if name[0] != "_" and name != "add" and not hasattr(mine, name)] == []


@over((sample("cuda"), *real("h100_bert_small")))
def test_device_work_is_tied_to_its_launch(path: Path) -> None:
    events = tb_plugin.load(path).events()
    kernels = [event for event in events if event.activity_type == "kernel"]
    launches = {event.flow_id: event for event in events if event.flow_start}
    operators = {event.external_id: event for event in events if event.activity_type == "cpu_op"}
    assert len(kernels) > 50
    tied = 0
    for kernel in kernels:
        metadata = kernel.event_metadata
        assert metadata is not None
        assert (metadata.stream, kernel.args["stream"]) == (kernel.device_resource_id, kernel.device_resource_id)
        assert metadata.grid == kernel.args["grid"]
        assert metadata.collective_name == kernel.args.get("Collective name")
        if kernel.flow_id:  # not launched before the recording
            assert (kernel.flow_type, kernel.flow_start, kernel.flow_id) == (2, False, kernel.id)
        tied += kernel.flow_id in launches and kernel.linked_correlation_id in operators
        with pytest.warns(FutureWarning):
            assert (kernel.metadata_json or "").startswith('"queued": 0, "device": 0')
    assert tied > 0.9 * len(kernels)


@over(GPUS + real("mi300_resnet_ddp_checkpoint"))
def test_a_collective_says_what_it_moved(path: Path) -> None:
    events = tb_plugin.load(path).events()
    told = [event for event in events if event.name == "record_param_comms" and event.event_metadata]
    assert told
    for event in told:
        assert event.event_metadata is not None
        assert event.event_metadata.collective_name == event.args["Collective name"]
        assert event.event_metadata.grid is None
        assert not {*(event.kwinputs or ())} & {"Collective name", "In msg nelems", "Rank"}
