"""One rank alone knows how fast a collective moved at least, by a second, plain reading of the file."""

from __future__ import annotations

import gzip
import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.formats.reader import read
from tb_plugin.trace.collectives.least_rate import least_bus_rate, why_no_rate
from tb_plugin.trace.collectives.table import collectives
from tests.job_files import Job
from tests.pipeline_files import PipelineJob
from tests.profiles import job, over, real, trace_of

if TYPE_CHECKING:
    from pathlib import Path

_SIZES = {"Byte": 1, "Char": 1, "Half": 2, "BFloat16": 2, "Float": 4, "Int": 4, "Long": 8}
_SETS = (
    *("ar16_of_64_kineto", "dlrm8_v100_2023", "rec_ddp_slow5", "rec_fsdp2_2nodes", "rec_pp4_dp2", "syn64_tp4_pp4_dp4_link"),
    *("syn8_ep4_dp8_input", "syn8_fsdp8_gc_2023", "syn8_pp4_dp2_stage", "syn8_tp2_dp4_host_rccl", "syn8_tp2_pp2_dp2_dropped"),
)


def _plain(path: Path) -> dict[str, list[float]]:
    """By name of the kernel: of each that says itself what it carries, the rate in bytes a second, in order of time."""
    events = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
    found: dict[str, list[float]] = {}
    for event in sorted((one for one in events if one.get("cat") == "kernel"), key=lambda one: float(one["ts"])):
        rate = _rate(event["args"], float(event["dur"]) * 1e3)
        if rate is not None:
            found.setdefault(event["name"], []).append(rate)
    return found


def _rate(args: dict[str, Any], took_ns: float) -> float | None:
    name = re.sub(r"[^a-z]", "", str(args.get("Collective name", "")))
    n, each = args.get("Group size", 0), _SIZES.get(args.get("dtype", ""))
    if not name or each is None or n < 2 or took_ns <= 0:
        return None
    if "gather" in name or name == "recv":
        moved = args.get("Out msg nelems", 0) * each * (1 if name == "recv" else (n - 1) / n)
    else:
        factor = 2 * (n - 1) / n if "allreduce" in name else 1 if name in ("send", "broadcast", "reduce") else (n - 1) / n
        moved = args.get("In msg nelems", 0) * each * factor
    return moved / took_ns * 1e9 if moved else None


def _held_against_plain(path: Path) -> int:
    trace, plain = read(path), _plain(path)
    of, rate = collectives(trace), least_bus_rate(trace)
    n = 0
    for name, expected in plain.items():
        rows = [at for at in range(len(of)) if of.row[at] >= 0 and trace.text(int(trace.events.name_id[of.row[at]])) == name]
        rows.sort(key=lambda at: int(trace.events.start_ns[of.row[at]]))
        np.testing.assert_allclose(rate[rows][np.isfinite(rate[rows])], expected, rtol=1e-3)
        n += len(expected)
    assert all(np.isfinite(rate[at]) == (why_no_rate(trace, at) is None) for at in range(len(of)))
    return n


@pytest.mark.parametrize("n_ranks", [2, 4])
def test_it_is_bytes_times_the_bus_factor_over_all_the_time_it_took(tmp_path: Path, n_ranks: int) -> None:
    for path in Job(n_ranks=n_ranks).write(tmp_path):
        assert _held_against_plain(path) == 3 * 7


def test_sends_and_receives_are_by_their_message_alone(tmp_path: Path) -> None:
    for path in PipelineJob(n_stages=3).write(tmp_path):
        assert _held_against_plain(path) > 0


def test_what_the_call_says_counts_as_what_the_kernel_says(tmp_path: Path) -> None:
    """RCCL's kernels say nothing themselves; of 2023 nobody says the size of a group."""
    rates = {}
    for form in ("2025", "rccl", "2023"):
        (tmp_path / form).mkdir()
        trace = read(Job(form=form).write(tmp_path / form)[1])
        rates[form] = least_bus_rate(trace).tolist()
        told = {why_no_rate(trace, at) for at in range(len(rates[form]))}
        assert told == ({"its bytes are not recorded"} if form == "2023" else {None})
    assert rates["rccl"] == rates["2025"]
    assert np.isnan(rates["2023"]).all()


def test_a_lost_kernel_has_no_rate(tmp_path: Path) -> None:
    trace = read(Job(lost={(2, 4)}).write(tmp_path)[2])
    assert np.flatnonzero(np.isnan(least_bus_rate(trace))).tolist() == [4]
    assert why_no_rate(trace, 4) == "its kernel is not in the file"


def test_bytes_of_a_call_that_starts_two_kernels_are_those_of_both(tmp_path: Path) -> None:
    """Each of them took a part of the time: the whole message in one of these would be more than the link did."""
    path = Job(form="rccl").write(tmp_path)[1]
    once = least_bus_rate(read(path))
    file = json.loads(gzip.decompress(path.read_bytes()))
    kernel = next(one for one in file["traceEvents"] if one.get("cat") == "kernel" and "nccl" in one["name"])
    file["traceEvents"].append({**kernel, "ts": kernel["ts"] + kernel["dur"], "dur": kernel["dur"]})
    path.write_bytes(gzip.compress(json.dumps(file).encode()))
    twice = least_bus_rate(read(path))
    assert len(twice) == len(once) + 1
    assert twice[:2] == pytest.approx(once[0] / 2, rel=1e-3)


@over(real("a100_nccl", "a100_2ranks_rank0", "mi300_resnet_ddp_checkpoint", "cpu_gloo_rank", "v100_resnet50_workers0_a"))
def test_real_recordings_have_it_where_they_say_bytes_and_group(path: Path) -> None:
    _held_against_plain(path)
    trace = trace_of(path)
    known = np.isfinite(least_bus_rate(trace))
    assert int(known.sum()) == {"a100_nccl.json.gz": 21, "mi300_resnet_ddp_checkpoint.json.gz": 12}.get(path.name, 0)
    assert (known == [why_no_rate(trace, at) is None for at in range(len(known))]).all()


@over([job(name)[0] for name in _SETS if job(name)])
def test_jobs_of_every_library_and_year_are_as_a_plain_reading_has_them(path: Path) -> None:
    _held_against_plain(path)
