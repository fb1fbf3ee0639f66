"""A profile that is written as Chrome JSON and read again is the same profile."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

import tb_plugin
from tests.profiles import SAMPLES, over, real
from tests.torch_api import recordings

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace

_IDS = ("name_id", "category_id", "shapes_id", "types_id", "pid_id", "tid_id", "process_name_id", "thread_name_id")


@pytest.mark.torch
def test_of_our_own_file(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch records the profile")
    recording = recordings.record(tmp_path, recordings.cnn, {}, **recordings.ALL)
    profile = tb_plugin.load(recording.stored)
    for _ in range(2):  # torch writes only once
        profile.export_chrome_trace(tmp_path / "again.json")
    assert json.loads((tmp_path / "again.json").read_text())["with_flops"] == 1
    again = tb_plugin.load(tmp_path / "again.json")
    _assert_same(again.trace, profile.trace)
    assert str(again.key_averages(group_by_stack_n=3)) == str(profile.key_averages(group_by_stack_n=3))


@over(SAMPLES + real("h100_bert_small", "a100_alexnet_cuda_sync", "a100_2ranks_rank0", "a100_cupti_counters", "mtia_inference"))
def test_of_other_files(path: Path, tmp_path: Path) -> None:
    trace = tb_plugin.load(path).trace
    tb_plugin.Profile(trace).export_chrome_trace(tmp_path / "again.json.gz")
    _assert_same(tb_plugin.load(tmp_path / "again.json.gz").trace, trace)


def _assert_same(found: Trace, expected: Trace) -> None:
    for name in ("start_ns", "end_ns", "kind", "name_id", "category_id", "correlation", "external_id", "sequence", "parent"):
        assert _column(found, "events", name) == _column(expected, "events", name), name
    for name in ("launch", "owner", "step", "shapes_id", "forward_thread"):
        assert _column(found, "events", name) == _column(expected, "events", name), name
    for table in ("memory", "flows", "steps", "work"):
        for name in getattr(expected, table).columns().keys() - {"tensor_id", "allocation_id"}:  # which JSON cannot hold
            assert _column(found, table, name) == _column(expected, table, name), (table, name)
    rows = np.linspace(0, len(expected.events) - 1, 50).astype(int)
    for row in rows.tolist():
        assert found.args.get(int(found.events.order[row])) == expected.args.get(int(expected.events.order[row]))
    assert {"traceName", *expected.info.metadata} == {"traceName", *found.info.metadata}
    for name in ("base_ns", "resolution_ns", "rank", "world_size", "backend", "with_stack", "profile_memory", "record_shapes"):
        assert getattr(found.info, name) == getattr(expected.info, name), name
    assert [device.name for device in found.info.devices] == [device.name for device in expected.info.devices]


def _column(trace: Trace, table: str, name: str) -> list[object]:
    """Values, with texts for their ids and (pid, tid) for tracks: numbers of those differ from reader to reader."""
    values = getattr(getattr(trace, table), name)
    if name in _IDS:
        return [trace.text(value) for value in values.tolist()]
    if name == "track":
        return [(trace.text(trace.tracks.pid_id[value]), trace.text(trace.tracks.tid_id[value])) for value in values.tolist()]
    return list(map(str, values.tolist())) if values.dtype.kind == "f" else list(values.tolist())
