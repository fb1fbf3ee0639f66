"""The device's idle time is told by what the host was at, instant by instant."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.compute.intervals import length
from tb_plugin.findings.checks import host_bound, host_line
from tb_plugin.findings.facts import Facts
from tb_plugin.findings.found import found
from tb_plugin.findings.idle_lines import BETWEEN, idle_lines
from tb_plugin.formats.reader import read
from tb_plugin.views.advice import VIEW as ADVICE
from tests.profiles import DEVICES, over, real
from tests.trace_text import trace_from_text
from tests.views.advice.asked import LOADER, advice, gain_us
from tests.views.advice.asked import found as found_in

if TYPE_CHECKING:
    from pathlib import Path


def lines(text: str) -> dict[str, tuple[str, int]]:
    facts = Facts(trace_from_text(text))
    return {line.text: (line.inside, line.idle_ns // 1000) for line in idle_lines(facts.trace, facts.busiest, facts.idle)}


STEP = """
    thread 1 | ProfilerStep#1 0-100 | images.py(7): resize 5-55 | aten::upsample 10-50 | aten::mm 70-72 | aten::mm 88-89
    stream 7 | gemm 75-90 <- aten::mm | gemm 92-95 <- aten::mm
"""


def test_idle_time_is_of_the_innermost_event_and_the_line_around_it() -> None:
    assert lines(STEP) == {
        "images.py(7): resize": ("aten::upsample", 50),
        BETWEEN: ("", 5 + (70 - 55) + (75 - 72) + 2 + 5),
        "aten::mm": ("", 2),
    }


def test_a_call_that_copies_is_named_and_one_that_launches_a_kernel_is_not() -> None:
    for work, inside in (("Memcpy HtoD", "cudaMemcpyAsync"), ("gemm", "")):
        text = f"""
            thread 1 | ProfilerStep#1 0-100 | train.py(7): load 5-60 | cudaMemcpyAsync 10-50
            stream 7 | {work} 55-90 <- cudaMemcpyAsync
        """
        trace = trace_from_text(text)
        launch = trace.events.launch.copy()
        names = [trace.text(int(name)) for name in trace.events.name_id]
        launch[names.index(work)] = names.index("cudaMemcpyAsync")
        facts = Facts(replace(trace, events=replace(trace.events, launch=launch)))
        told = {line.text: line.inside for line in idle_lines(facts.trace, facts.busiest, facts.idle)}
        assert told["train.py(7): load"] == inside


def test_the_line_that_holds_the_device_up_before_its_first_work_is_told() -> None:
    finding = found_in(advice(STEP), "host_line")
    assert finding is not None
    assert finding.evidence[0].value == 75_000  # 70 until the first launch, and from 95 to 100 after the last work
    assert finding.gain_ns == 50_000  # of it under the line that is named
    assert finding.title.endswith(": aten::upsample")
    assert finding.source == "images.py:7"
    assert "num_workers" not in (finding.code or "")  # nothing says that a loader does it


def test_where_no_step_is_a_usual_one_there_is_no_line_to_tell() -> None:
    facts = Facts(trace_from_text(STEP))
    facts.__dict__["unusual"] = facts.window
    assert host_line.find(facts) is None


def test_a_line_alone_wants_its_own_time_and_not_that_of_others() -> None:
    facts = Facts(trace_from_text(STEP))
    seen = host_line.find(facts)
    assert seen is not None
    assert seen.time is not None
    assert (seen.time.start - facts.trace.info.start_ns).tolist() == [5_000]
    assert length(seen.time) == seen.gain_ns == 50_000


def test_without_stacks_it_is_an_operator_and_stacks_are_asked_for() -> None:
    text = STEP.replace("images.py(7): resize 5-55 |", "")
    finding = found_in(advice(text), "host_line")
    assert finding is not None
    assert "with_stack=True" in finding.what
    assert finding.title.endswith(": aten::upsample")


def test_loading_is_told_by_its_line_only_where_frames_tell_what_runs_in_it() -> None:
    loading = f"""
        thread 1 | ProfilerStep#1 0-100 | {LOADER} 0-60 | aten::upsample 10-50 | aten::mm 70-72
        stream 7 | gemm 73-100 <- aten::mm
    """
    assert gain_us(loading, "host_line") == 10
    assert gain_us(loading.replace("aten::upsample 10-50", "images.py(7): resize 10-50"), "host_line") == 40
    finding = found_in(advice(loading.replace("aten::upsample 10-50", "images.py(7): resize 10-50")), "host_line")
    assert finding is not None
    assert "num_workers=8" in (finding.code or "")
    nothing_inside = loading.replace("aten::upsample 10-50", "train.py(1): main 0-100")
    assert gain_us(nothing_inside, "host_line") == 10


def test_a_call_that_waits_for_the_device_is_no_line() -> None:
    text = """
        thread 1 | aten::mm 0-5 | aten::item 6-61 | cudaStreamSynchronize 8-60 | aten::add 61-99
        stream 7 | gemm 1-30 <- aten::mm | add 62-99 <- aten::add
    """
    assert gain_us(text, "host_line") is None


def test_a_busy_device_waits_for_no_line() -> None:
    text = """
        thread 1 | ProfilerStep#1 0-100 | train.py(3): step 0-99 | aten::mm 0-1 | aten::mm 40-50
        stream 7 | gemm 2-60 <- aten::mm | gemm 60-99 <- aten::mm
    """
    assert gain_us(text, "host_line") is None


def test_what_was_launched_already_waits_for_no_line() -> None:
    text = """
        thread 1 | ProfilerStep#1 0-1000 | train.py(3): step 0-999 | aten::mm 0-1
        stream 7 | gemm 1-500 <- aten::mm | gemm 600-1000 <- aten::mm
    """
    assert gain_us(text, "host_line") is None


def test_loader_and_lines_share_the_time_in_which_the_device_waits_for_the_host() -> None:
    text = f"""
        thread 1 | ProfilerStep#1 0-100 | aten::mm 0-2 | {LOADER} 5-60 | aten::add 80-82
        stream 7 | gemm 8-20 <- aten::mm | add 83-100 <- aten::add
    """
    facts = Facts(trace_from_text(text))
    gains = {each.check.id: each.gain_ns or 0 for each in found(facts.trace).seen}
    assert gains["data_loader"] == 40_000  # 20 to 60: from 5 to 8 a launch was on its way
    assert gains["data_loader"] + gains["host_line"] <= length(facts.when("waiting_for_host"))


@given(
    st.lists(st.tuples(st.integers(1, 2), st.integers(1, 30), st.integers(0, 40), st.integers(1, 20)), min_size=1, max_size=12)
)
def test_lines_add_up_to_the_idle_time(drawn: list[tuple[int, int, int, int]]) -> None:
    at, host, device, free = 0, [], [], 0
    for number, (thread, host_us, wait_us, work_us) in enumerate(drawn):
        host.append(f"thread {thread} | op{number} {at}-{at + host_us}")
        start = max(at + wait_us, free)
        device.append(f"stream 7 | k {start}-{start + work_us} <- op{number}")
        free = start + work_us
        at += host_us // 2 + 1
    _adds_up(Facts(trace_from_text("\n".join((*host, *device)))))


def launching(sleep: int) -> str:
    """Two steps of 120 kernels of 2 us, launched every 10 us, with a sleep between."""
    starts = [10 * n + (0 if n < 120 else sleep) for n in range(240)]
    host = " | ".join(f"op{n} {at}-{at + 3}" for n, at in enumerate(starts))
    device = " | ".join(f"k {at + 1}-{at + 3} <- op{n}" for n, at in enumerate(starts))
    steps = f"ProfilerStep#1 0-{1200 + sleep} | ProfilerStep#2 {1200 + sleep}-{2400 + sleep}"
    return f"thread 1 | {steps} | {host}\nstream 7 | {device}"


def test_one_long_gap_among_slow_launches_is_of_its_line_and_said_with_them() -> None:
    facts = Facts(trace_from_text(launching(sleep=400)))
    seen = host_line.find(facts)
    assert host_bound.find(facts) is not None
    assert seen is not None
    assert seen.gain_ns is not None
    assert abs(seen.gain_ns - 400_000) <= 10_000
    assert seen.title.endswith(BETWEEN)
    assert "room for ten launches" in seen.what
    assert host_line.find(Facts(trace_from_text(launching(sleep=20)))) is None  # a gap of launches as the others


@over(DEVICES + real())
def test_lines_add_up_to_the_idle_time_of_recordings(path: Path) -> None:
    _adds_up(Facts(read(path)))


def _adds_up(facts: Facts) -> None:
    if len(facts.device_rows) == 0:
        return
    for idle in (facts.idle, facts.when("waiting_for_host")):
        told = idle_lines(facts.trace, facts.busiest, idle)
        assert sum(line.idle_ns for line in told) == length(idle)
        assert all(line.idle_ns > 0 for line in told)
    assert length(facts.idle) == facts.window_ns - facts.window_part(facts.busy)


@over(real("h100_owlv2"))
def test_a_recording_whose_host_resizes_images_is_told_so_first(path: Path) -> None:
    all_found = found(read(path))
    told = idle_lines(all_found.facts.trace, all_found.facts.busiest, all_found.facts.idle)
    assert [(line.text.split("(")[0], line.inside, line.idle_ns // 1_000_000) for line in told[:2]] == [
        ("scipy/ndimage/_interpolation.py", "zoom_shift", 528),
        ("transformers/image_transforms.py", "", 61),
    ]
    assert "zoom_shift (about 529 ms, 43.7 %, at most 529 ms" in all_found.verdict.changes[0].sentence
    assert [also.check.id for also in all_found.seen[0].also] == ["data_loader"]  # which does not say why
    told_of = ADVICE.main.text(ADVICE.main.answer(all_found.facts.trace, ADVICE.main.params_from({})))
    assert "Wants the same time and more, about 619 ms in all: Load batches in worker processes" in told_of
    assert told_of.count("Wants the same time and more") == 1  # of the copies less is expected than of what they are told with
