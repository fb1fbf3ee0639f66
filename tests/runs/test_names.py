from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from tb_plugin.runs import names


@pytest.mark.parametrize(
    ("file_name", "worker", "span", "sure"),
    [
        ("node3_17.1623143089861.pt.trace.json", "node3_17", "1623143089861", True),
        ("node3_17.1623143089861.pt.trace.json.gz", "node3_17", "1623143089861", True),
        ("node3_17.1623143089861.pt.profile.pb", "node3_17", "1623143089861", True),
        ("worker0.pt.trace.json", "worker0", "default", True),
        ("node.cluster.10.1623143089861.pt.trace.json", "node.cluster.10", "1623143089861", True),
        ("trace.json", "trace", "default", False),
        ("step.12.json.gz", "step", "12", False),
        ("report1.nsys-rep.sqlite", "report1", "default", False),
        ("dump_snapshot.pickle", "dump_snapshot", "default", False),
        ("rank3.1623143089861.nvprof", "rank3", "1623143089861", False),
    ],
)
def test_worker_and_span_come_from_the_name(file_name: str, worker: str, span: str, sure: bool) -> None:
    name = names.parse(file_name)
    assert name is not None
    assert (name.worker, name.span, name.sure) == (worker, span, sure)


@pytest.mark.parametrize(
    "file_name", ["events.out.tfevents.1623.node", "a.pt.trace.json.tmp", ".a.pt.trace.json", "a.txt", ".json"]
)
def test_other_files_are_none_of_ours(file_name: str) -> None:
    assert names.parse(file_name) is None


def test_workers_sort_as_people_count() -> None:
    assert sorted(["rank10", "rank2", "rank", "2", "rank2b"], key=names.natural_key) == ["2", "rank", "rank2", "rank2b", "rank10"]


@pytest.mark.parametrize(
    ("digits", "time"),
    [
        ("1717000000", "2024-05-29 16:26:40"),
        ("1717000000123", "2024-05-29 16:26:40.123000"),
        ("1717000000123456", "2024-05-29 16:26:40.123456"),
        ("1717000000123456789", "2024-05-29 16:26:40.123456"),
        ("20261121101010123", "2026-11-21 10:10:10.123000"),
    ],
)
def test_times_have_five_lengths(digits: str, time: str) -> None:
    ns = names.time_ns(digits)
    assert ns is not None
    read = datetime.fromtimestamp(ns // 10**9, timezone.utc) + timedelta(microseconds=ns // 1000 % 10**6)
    assert read.replace(tzinfo=None) == datetime.fromisoformat(time)


@pytest.mark.parametrize("digits", ["120", "99999999999", "20261321101010123", "17170000001234567", "default", "", None])
def test_other_numbers_are_no_time(digits: str | None) -> None:
    assert names.time_ns(digits) is None
