"""A pprof file obeys the format's rules, and its samples add up to the profile's own sums."""

from __future__ import annotations

import gzip
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.base.errors import UsageError
from tb_plugin.base.units import NONE
from tb_plugin.formats import targets
from tb_plugin.formats.flat import pprof, pprof_messages
from tb_plugin.formats.flat.host_stacks import host_stacks
from tb_plugin.formats.kineto import kineto_json
from tb_plugin.trace.kinds import DEVICE_KINDS
from tests.profiles import SAMPLES, over, real, small
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace


DRAWN = """
    thread 1 | ProfilerStep#1 0-100 | aten::linear 10-50 | aten::mm 20-40 | train.py(12): step 60-90 | aten::mm 70-80
    stream 7 | gemm_a 25-55 <- aten::mm
    stream 8 | gemm_b 0-5
"""


def read(path: Path) -> Any:
    content = path.read_bytes()
    return pprof_messages.profile_class().FromString(gzip.decompress(content) if path.suffix == ".gz" else content)


def samples(profile: Any) -> dict[tuple[str, ...], list[int]]:
    """Values by a stack's full names, outermost first; after the rules of pprof's own check."""
    texts = profile.string_table
    assert texts[0] == ""
    assert len(set(texts)) == len(texts)
    functions = {function.id: texts[function.system_name] for function in profile.function}
    locations = {location.id: functions[location.line[0].function_id] for location in profile.location}
    assert 0 not in functions
    assert len(functions) == len(profile.function)
    assert len(locations) == len(profile.location)
    found = {}
    for sample in profile.sample:
        assert len(sample.value) == len(profile.sample_type)
        stack = tuple(locations[place] for place in reversed(sample.location_id))
        assert stack not in found
        found[stack] = list(sample.value)
    return found


def test_a_stack_has_its_calls_and_times(tmp_path: Path) -> None:
    pprof.write(trace_from_text(DRAWN), tmp_path / "a.pprof")
    profile = read(tmp_path / "a.pprof")
    types = [(profile.string_table[t.type], profile.string_table[t.unit]) for t in profile.sample_type]
    assert types == [("calls", "count"), ("host_self", "nanoseconds"), ("device_self", "nanoseconds"), ("allocated", "bytes")]
    assert profile.string_table[profile.default_sample_type] == "device_self"
    found = {" > ".join(stack): values for stack, values in samples(profile).items() if stack[-1] != "cudaLaunchKernel"}
    assert found == {
        "thread 1 > ProfilerStep#1": [1, 30_000, 0, 0],
        "thread 1 > ProfilerStep#1 > aten::linear": [1, 20_000, 0, 0],
        "thread 1 > ProfilerStep#1 > aten::linear > aten::mm": [1, 20_000, 30_000, 0],
        "thread 1 > ProfilerStep#1 > train.py(12): step": [1, 20_000, 0, 0],
        "thread 1 > ProfilerStep#1 > train.py(12): step > aten::mm": [1, 10_000, 0, 0],
        "stream 8 > gemm_b": [1, 0, 5000, 0],  # nothing says who launched it
    }
    frame = next(function for function in profile.function if profile.string_table[function.name] == "step")
    assert (profile.string_table[frame.filename], frame.start_line) == ("train.py", 12)


def naive(trace: Trace) -> dict[tuple[str, ...], list[int]]:
    """Host self time and allocated bytes by names of the stack, row by row."""
    events = trace.events
    stacks = host_stacks(trace)
    texts: list[tuple[str, ...]] = []
    for above, name_id in zip(stacks.above.tolist(), stacks.name_id.tolist(), strict=True):
        texts.append((*(texts[above] if above != NONE else ()), trace.text(name_id)))
    found: dict[tuple[str, ...], list[int]] = defaultdict(lambda: [0, 0])
    for row in range(len(events)):
        if stacks.of_row[row] != NONE:
            found[texts[stacks.of_row[row]]][0] += int(stacks.self_ns[row])
    for row, n_bytes in zip(trace.memory.row.tolist(), trace.memory.bytes.tolist(), strict=True):
        parent = int(events.parent[row])
        if n_bytes > 0 and parent != NONE and stacks.of_row[parent] != NONE:
            found[texts[stacks.of_row[parent]]][1] += n_bytes
    return found


@over(small(SAMPLES + real()))
def test_samples_of_a_profile_add_up_to_it(path: Path, tmp_path: Path) -> None:
    trace = kineto_json.read(path)
    lost = targets.write(trace, str(tmp_path / "a.pb.gz"))
    assert "no arguments" in lost[0]
    found = samples(read(tmp_path / "a.pb.gz"))
    work = np.isin(trace.events.kind, DEVICE_KINDS)
    assert sum(values[2] for values in found.values()) == int((trace.events.end_ns - trace.events.start_ns)[work].sum())
    assert sum(values[3] for values in found.values()) == int(trace.memory.bytes[trace.memory.bytes > 0].sum())
    assert all(value >= 0 for values in found.values() for value in values)
    ours: dict[tuple[str, ...], list[int]] = defaultdict(lambda: [0, 0])
    expected: dict[tuple[str, ...], list[int]] = defaultdict(lambda: [0, 0])
    for stack, values in found.items():
        if len(stack) > 1 and not stack[0].startswith("stream"):
            ours[stack[1:]][0] += values[1]
            ours[stack[1:]][1] += values[3]
    for stack, (ns, n_bytes) in naive(trace).items():
        expected[stack][0] += ns
        expected[stack][1] += n_bytes
    assert {stack: values for stack, values in ours.items() if any(values)} == {
        stack: values for stack, values in expected.items() if any(values)
    }


def test_a_stored_profile_is_not_taken_for_pprof(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no format has this name"):
        targets.check(str(tmp_path / "w.pt.profile.pb.gz"))
