"""Files of many vendors and years: no event is lost, times are exact, links are those of a naive reading."""

from __future__ import annotations

import gzip
import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.formats.kineto import kineto_json
from tb_plugin.trace.check import check
from tb_plugin.trace.kinds import DEVICE_KINDS, Kind
from tests.profiles import SAMPLES, name_of, params, real

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

DEVICE_CATEGORIES = {"kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset", "mtia_ccp_events"}

# ../shared/traces/README.md: share of kernel time whose correlation id has a runtime or driver call in the file.
LAUNCHED_PERCENT = {
    "a100_rank0_queue": 86.0,
    "h100_qwen": 69.9,
    "h100_owlv2": 100.0,
    "mi300_qwen": 69.1,
    "mi300_resnet_ddp_checkpoint": 68.3,
    "mi300_vllm_decode_graph": 100.0,
    "v100_resnet50_workers4_a": 100.0,
}
STEPS = {
    "h100_owlv2": [6],
    "mi300_resnet_ddp_checkpoint": [15, 16, 17],
    "v100_resnet50_workers0_a": [5, 6, 7, 8, 9, 10],
    "mi210_gpu_only": [],
}


class Written(float):
    """A number that knows its digits, of which it may have more than a double."""

    text: str

    def __new__(cls, text: str) -> Written:
        found = super().__new__(cls, text)
        found.text = text
        return found

    def __str__(self) -> str:
        return self.text


@pytest.fixture(scope="module", params=params(SAMPLES + real()))
def pair(request: pytest.FixtureRequest) -> tuple[str, list[dict[str, Any]], Trace]:
    """(name, the file's events by json.loads, our Trace)."""
    with gzip.open(request.param) as file:
        plain = json.load(file, parse_float=Written)
    return name_of(request.param), plain["traceEvents"], kineto_json.read(request.param)


def test_every_event_of_a_real_file_is_in_the_trace(pair: tuple[str, list[dict[str, Any]], Trace]) -> None:
    name, plain, trace = pair
    check(trace)
    assert [issue.kind for issue in trace.issues] == (["unknown category"] if name == "xpu" else [])
    flows = [event for event in plain if event["ph"] in "stf"]
    metadata = [event for event in plain if event["ph"] == "M"]
    assert len(trace.events) == len(plain) - len(flows) - len(metadata)
    assert len(trace.flows) == len(flows)
    events = trace.events
    for row in range(0, len(events), max(1, len(events) // 400)):
        source = plain[events.order[row]]
        assert trace.text(events.name_id[row]) == source["name"]
        assert trace.text(events.category_id[row]) == source.get("cat", "")
        assert trace.args.get(int(events.order[row])) == source.get("args", {})


def test_times_are_those_of_exact_arithmetic(pair: tuple[str, list[dict[str, Any]], Trace]) -> None:
    _, plain, trace = pair
    events = trace.events
    zero = next(iter(events.start_ns))
    origin = Fraction(str(plain[events.order[0]]["ts"])) * 1000 - int(zero)
    for row in range(0, len(events), max(1, len(events) // 400)):
        source = plain[events.order[row]]
        assert abs(Fraction(str(source["ts"])) * 1000 - origin - int(events.start_ns[row])) <= 0.5
        length = int(events.end_ns[row] - events.start_ns[row])
        assert abs(Fraction(str(source.get("dur", 0))) * 1000 - length) <= 0.5


def test_device_work_with_a_launch_in_the_file_is_linked_to_it(pair: tuple[str, list[dict[str, Any]], Trace]) -> None:
    name, plain, trace = pair
    calls = {
        event["args"]["correlation"]
        for event in plain
        if event.get("cat", "").lower().endswith(("runtime", "driver")) and "correlation" in event.get("args", {})
    }
    events = trace.events
    device = np.isin(events.kind, DEVICE_KINDS)
    for row in np.flatnonzero(device).tolist():
        source = plain[events.order[row]]
        assert source["cat"] in DEVICE_CATEGORIES
        has_launch = source.get("args", {}).get("correlation") in calls
        assert (events.launch[row] >= 0) == has_launch
        if has_launch:
            launch = plain[events.order[events.launch[row]]]
            assert launch["args"]["correlation"] == source["args"]["correlation"]
            assert events.owner[row] >= 0
    if name in LAUNCHED_PERCENT:
        kernels = events.kind == Kind.KERNEL
        time = (events.end_ns - events.start_ns)[kernels]
        share = 100 * time[events.launch[kernels] >= 0].sum() / time.sum()
        assert share == pytest.approx(LAUNCHED_PERCENT[name], abs=0.05)


def test_steps_are_the_hosts_and_each_is_there_once(pair: tuple[str, list[dict[str, Any]], Trace]) -> None:
    name, plain, trace = pair
    wanted = sorted(
        int(event["name"].removeprefix("ProfilerStep#"))
        for event in plain
        if event["name"].startswith("ProfilerStep#") and event["cat"] in ("Operator", "cpu_op", "user_annotation")
    )
    assert trace.steps.number.tolist() == wanted
    assert trace.steps.complete.all()
    assert wanted == STEPS.get(name, wanted)
