"""Collectives are held against what their bytes need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.findings.facts import Facts
from tb_plugin.formats.reader import read
from tb_plugin.views.advice.compute import compute
from tb_plugin.views.advice.result import AdviceParams
from tests.profiles import over, real
from tests.views.advice.all_reduces import recorded

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("change", [{"dtype": "Strange"}, {"Group size": 1}, {"Collective name": "send"}, {"In msg nelems": "x"}])
def test_what_names_no_size_is_unknown(tmp_path: Path, change: dict[str, Any]) -> None:
    more = {**change, "Out msg nelems": None} if "In msg nelems" in change else change
    trace = recorded(tmp_path, 500, 500, **more)
    assert len(Facts(trace).transfers.row) == 0


def test_collectives_below_what_any_link_gives_wait(tmp_path: Path) -> None:
    # 16 MiB x 2 x 7/8 are 29.4 MB: 294 us at 100 GB/s, 9 ms at 3.3.
    result = compute(recorded(tmp_path, 294, 9000, 9000), AdviceParams())
    said = {finding.id: finding.what for finding in result.findings} | {
        also.id: also.what for finding in result.findings for also in finding.also
    }
    assert "2 collectives" in said["late_ranks"]
    assert "3.26 GB/s" in said["late_ranks"]
    assert "transfer at best 882 us (99.9 GB/s), the rest is waiting" in said["exposed_communication"]


def test_collectives_at_the_rate_of_their_link_and_small_ones_do_not_wait(tmp_path: Path) -> None:
    for trace in (recorded(tmp_path, 2000, 2100), recorded(tmp_path, 900, 900, elements=1000)):
        findings = compute(trace, AdviceParams()).findings
        told = {finding.id for finding in findings} | {also.id for finding in findings for also in finding.also}
        assert "late_ranks" not in told


@over(real("mi300_resnet_ddp_checkpoint"))
def test_the_large_all_reduces_of_a_recording_run_at_few_gigabytes_a_second(path: Path) -> None:
    known = Facts(read(path)).transfers
    large = known.size_bytes == 17_632_384
    assert large.sum() == 3
    assert [round(rate / 1e9, 1) for rate in known.rate[large].tolist()] == [3.5, 3.4, 3.6]
