from __future__ import annotations

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
    assert names.parse(file_name) == (worker, span, sure)


@pytest.mark.parametrize(
    "file_name", ["events.out.tfevents.1623.node", "a.pt.trace.json.tmp", ".a.pt.trace.json", "a.txt", ".json"]
)
def test_other_files_are_none_of_ours(file_name: str) -> None:
    assert names.parse(file_name) is None


def test_workers_sort_as_people_count() -> None:
    assert sorted(["rank10", "rank2", "rank", "2", "rank2b"], key=names.natural_key) == ["2", "rank", "rank2", "rank2b", "rank10"]


def test_spans_sort_by_number() -> None:
    assert sorted(["100", "99", "default"], key=names.span_key) == ["default", "99", "100"]
