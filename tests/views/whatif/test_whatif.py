"""What the view, the shell and CSV say of a replay."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING

import msgspec
import pytest

from tb_plugin.base.errors import UsageError
from tb_plugin.doors import cli
from tb_plugin.formats.targets import write
from tb_plugin.replay.trust import why_not
from tb_plugin.trace.model import Device, Issue
from tb_plugin.views.whatif import VIEW
from tests.profiles import DEVICES, over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.whatif.result import WhatIf

LOADS = """
    thread 1 | ProfilerStep#1 0-200 | enumerate(DataLoader)#next 0-100 | forward 110-130 | cudaLaunchKernel 110-130
    thread 1 | ProfilerStep#2 200-400 | enumerate(DataLoader)#next 200-300 | forward 310-330 | cudaLaunchKernel 310-330
    stream 7 | gemm 116-190 <- forward | gemm 316-390 <- forward
"""
UNKNOWN = "thread 1 | ProfilerStep#1 0-100 | a 0-1\nstream 7 | x 10-40 | gemm 50-60 <- a | y 60-80"


def asked(drawn: str, **params: str) -> WhatIf:
    return VIEW.main.answer(trace_from_text(drawn), VIEW.main.params_from(params))


def test_edits_together_and_each_alone() -> None:
    found = asked(LOADS, edit="loader=0\nkernel:gemm=0.5")
    assert (found.recorded_ns, found.edited_ns, found.change_ns) == (200_000, 100_000, -100_000)
    assert [(each.edit, each.change_ns) for each in found.alone] == [("loader=0", -100_000), ("kernel:gemm=0.5", 0)]
    assert [(each.number, each.recorded_ns, each.edited_ns) for each in found.steps] == [
        (1, 200_000, 100_000),
        (2, 200_000, 100_000),
    ]
    assert found.at_best
    assert (found.low_change_ns, found.high_change_ns) == (-100_000, -80_000)


def test_an_edit_of_the_job_is_told_to_belong_to_ranks_and_the_others_stand() -> None:
    found = asked(LOADS, edit="rank=5\nloader=0\nhost=node3\ntransfer:data=0\nhost=0.9")
    assert found.of_job == ["rank=5", "host=node3", "transfer:data=0"]
    assert [each.edit for each in found.alone] == ["loader=0", "host=0.9"]
    assert "rank=5, host=node3, transfer:data=0: of the job and not of one rank" in (found.on_ranks or "")
    assert VIEW.main.exit_code(found) == 4
    assert VIEW.main.text(found).startswith("rank=5")


@pytest.mark.parametrize(("size", "said"), [(8, "rank 3 of 8 alone"), (1, None), (None, None)])
def test_of_one_of_several_ranks_it_says_that_waiting_is_in_its_communication(size: int | None, said: str | None) -> None:
    trace = trace_from_text(LOADS)
    trace = dataclasses.replace(trace, info=msgspec.structs.replace(trace.info, rank=3, world_size=size))
    found: WhatIf = VIEW.main.answer(trace, VIEW.main.params_from({}))
    assert (found.on_ranks is None) == (said is None)
    assert said is None or (
        said in (found.on_ranks or "") and "waits for the others is in its communication" in VIEW.main.text(found)
    )


def test_what_is_not_sure_is_the_change_and_not_the_step() -> None:
    found = asked(LOADS, edit="loader=0.99")
    assert (found.change_ns, found.low_change_ns, found.high_change_ns) == (-1_000, -1_000, -800)


def test_what_does_not_touch_the_host_is_no_best_case() -> None:
    found = asked(LOADS, edit="kernel:gemm=0.5")
    assert not found.at_best
    assert found.low_change_ns == found.change_ns == found.high_change_ns  # replayed exactly


def test_the_parts_of_a_path_are_all_of_it() -> None:
    found = asked(LOADS, edit="loader=0")
    for path in (found.recorded_path, found.edited_path):
        assert path is not None
        parts = (path.host_share, path.device_share, path.communication_share, path.waiting_share)
        assert sum(parts) == pytest.approx(1)


def test_the_effect_of_a_tenth_is_a_replay_and_can_be_asked_again() -> None:
    first, *_ = asked(LOADS).effects
    assert (first.name, first.own_ns, first.gain_ns, first.effect_share) == ("enumerate(DataLoader)#next", 100_000, 10_000, 0.05)
    assert asked(LOADS, edit=first.edit).change_ns == -10_000
    assert len(asked(LOADS, effects="2").effects) == 2


def check_tenths(path: Path) -> None:
    trace = trace_of(path)
    found = VIEW.main.answer(trace, VIEW.main.params_from({"effects": "12"}))
    for each in found.effects:
        assert each.gain_ns <= 0.1 * each.own_ns + 1_000, each
        change_ns = VIEW.main.answer(trace, VIEW.main.params_from({"edit": each.edit, "effects": "0"})).change_ns
        assert change_ns is not None
        assert each.gain_ns == pytest.approx(max(-change_ns, 0), abs=2), each


def test_an_operator_is_faster_on_the_device_and_its_host_time_is_a_row_of_its_own() -> None:
    drawn = """
    thread 1 | ProfilerStep#1 0-100 | forward 10-50 | cudaLaunchKernel 30-40
    thread 1 | cudaDeviceSynchronize 60-95
    stream 7 | gemm 36-92 <- forward
    """
    found = {each.kind: each for each in asked(drawn).effects if each.name == "forward"}
    assert [(kind, found[kind].own_ns, found[kind].gain_ns) for kind in ("operator", "host")] == [
        ("operator", 56_000, 5_600),
        ("host", 40_000, 0),  # the step begins with its first kernel
    ]


@over((*DEVICES, *real("v100_resnet50_workers0_a", "v100_ns_resolution", "a100_rank0_queue")))
def test_no_tenth_gains_more_than_a_tenth_of_what_it_scales(path: Path) -> None:
    if why_not(trace_of(path)) is None:
        check_tenths(path)


@over(real("v100_ns_resolution"))
def test_half_precision_gains_half_of_its_products_where_launches_waited_for_a_full_queue(path: Path) -> None:
    """A plain program, one thing after the other on the device and 1 022 launches in its queue, says 66.0 of 96.7 ms."""
    trace = trace_of(path)
    found = VIEW.main.answer(trace, VIEW.main.params_from({"edit": "finding:mixed_precision=0", "effects": "0"}))
    assert found.edited_ns is not None
    assert found.edited_ns / 1e6 == pytest.approx(66.0, rel=0.02)
    assert found.edited_path is not None
    assert found.edited_path.device_share > 0.9
    assert not found.at_best, "its kernels take less time, and the host as much as before"


def test_a_refused_replay_shows_no_estimate() -> None:
    found = asked(UNKNOWN, edit="host=0")
    assert found.refused is not None
    assert (found.edited_ns, found.change_ns, found.low_change_ns, found.edited_path, found.recorded_path) == (None,) * 5
    assert not found.alone
    assert not found.effects
    assert all(step.edited_ns is None for step in found.steps)


WHOLE = LOADS.replace("| cudaLaunchKernel 110-130", "").replace("| cudaLaunchKernel 310-330", "")


def asked_of_cut(drawn: str) -> WhatIf:
    cut = dataclasses.replace(trace_from_text(drawn), issues=(Issue(kind="truncated", text="the file ends early"),))
    return VIEW.main.answer(cut, VIEW.main.params_from({}))


def test_a_file_that_is_cut_off_says_so_as_the_advice_does() -> None:
    sentence = "The file is cut off: what is missing of the step looks like waiting. Take the whole file before anything else."
    found = asked_of_cut(WHOLE)
    assert (found.refused, found.caveats) == (None, [sentence])
    assert sentence in VIEW.main.text(found)
    assert not asked(LOADS).caveats


def test_where_the_cut_took_device_work_nothing_is_estimated() -> None:
    lost = WHOLE.replace("forward 310-330", "forward 310-330 | cudaLaunchKernel 350-360")
    assert "what 33.3 % of the launches started is not in the part that could be read" in (asked_of_cut(lost).refused or "")
    assert "cut off" not in (asked(lost).refused or "")


def test_where_the_cut_took_launches_it_is_said_first() -> None:
    lost = WHOLE + "    stream 7 | of_a_lost_launch 350-395"
    assert (asked_of_cut(lost).refused or "").startswith("the file is cut off, and the launches of ")
    assert "cut off" not in (asked(lost).refused or "")


def test_where_the_cut_took_all_of_the_device_nothing_is_estimated() -> None:
    trace = trace_from_text("thread 1 | ProfilerStep#1 0-100 | a 10-20")
    on_gpu = dataclasses.replace(trace, info=msgspec.structs.replace(trace.info, devices=(Device(index=0, name="GPU"),)))
    cut = dataclasses.replace(on_gpu, issues=(Issue(kind="truncated", text="the file ends early"),))
    refused = [VIEW.main.answer(each, VIEW.main.params_from({})).refused for each in (on_gpu, cut)]
    assert refused == [None, "the file is cut off, and no device activity is in the part that could be read"]


def test_steps_are_chosen_as_everywhere() -> None:
    assert [step.number for step in asked(LOADS, steps="2").steps] == [2]
    with pytest.raises(UsageError):
        asked(LOADS, steps="x")


def test_what_cannot_be_read_is_an_error() -> None:
    with pytest.raises(UsageError, match="loader=0"):
        asked(LOADS, edit="speed=2")


def stored(drawn: str, folder: Path) -> str:
    path = folder / "a.1.pt.trace.json"
    write(trace_from_text(drawn), str(path))
    return str(path)


def test_the_shell_takes_edits_one_after_the_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = stored(LOADS, tmp_path)
    assert cli.main(["whatif", path, "--edit", "loader=0", "--edit", "kernel:gemm=0.5", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["edited_ns"] == 100_000
    assert cli.main(["whatif", path, "--edit", "loader=0"]) == 0
    assert "with all edits 100 us, -100 us (-50.0 %), at best between -100 us and -80.0 us" in capsys.readouterr().out
    assert cli.main(["whatif", path, "--edit", "loader=0", "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "what,step_ns,change_ns",
        "recorded,200000,",
        "loader=0,100000,-100000",
        "all edits,100000,-100000",
    ]


def test_the_shell_ends_with_four_where_it_cannot_be_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["whatif", stored(UNKNOWN, tmp_path), "--edit", "host=0.5"]) == 4
    assert "No estimate: the launches of 66.7 %" in capsys.readouterr().out


@over(real("v100_resnet50_workers0_a", "v100_resnet50_workers0_b"))
def test_the_same_program_recorded_with_loader_workers_lies_where_it_is_expected(path: Path) -> None:
    """Four of its steps are steady at 123 to 127 ms; the median of all six is 126.7 ms."""
    found = VIEW.main.answer(trace_of(path), VIEW.main.params_from({"edit": "loader=0", "effects": "0"}))
    assert found.recorded_ns is not None
    assert found.low_change_ns is not None
    assert found.high_change_ns is not None
    low_ns, high_ns = (found.recorded_ns + change_ns for change_ns in (found.low_change_ns, found.high_change_ns))
    assert low_ns < 126_700_000 < high_ns


@over(real("mi300_qwen"))
def test_what_is_shown_of_a_step_subtracts(path: Path) -> None:
    """Its replay is 1.1 % too long: the change is of the replays, the step it leads to is of the recorded one."""
    found = VIEW.main.answer(trace_of(path), VIEW.main.params_from({"edit": "fuse=0\nhost=0.5", "effects": "3"}))
    assert found.trust is not None
    assert found.trust.error_share > 0.005
    assert found.recorded_ns is not None
    assert found.change_ns is not None
    assert found.edited_ns == found.recorded_ns + found.change_ns
    assert [each.step_ns - each.change_ns for each in found.alone] == [found.recorded_ns] * 2
    changes = [(each.edited_ns or 0) - each.recorded_ns for each in found.steps]
    assert sum(changes) / len(changes) == pytest.approx(found.change_ns, abs=2)
    assert f"({100 * found.change_ns / found.recorded_ns:.1f} %)" in VIEW.main.text(found)
    for each in found.effects:
        assert each.effect_share == pytest.approx(each.gain_ns / found.recorded_ns, rel=1e-6)
