"""What users say of their devices in `torch_profile_devices.toml`, in every view that asks for peaks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.base import devices_file
from tb_plugin.base.errors import UsageError
from tb_plugin.formats.stored.info import info_message, read_info
from tb_plugin.trace.model import Device
from tb_plugin.trace.work import device_peaks
from tb_plugin.trace.work.device_peaks import device_peak, overridden, with_peak
from tb_plugin.views.advice import VIEW as ADVICE
from tb_plugin.views.kernels import VIEW as KERNELS
from tb_plugin.views.overview import VIEW as OVERVIEW
from tb_plugin.views.overview.result import OverviewParams
from tb_plugin.views.roofline import VIEW as ROOFLINE
from tb_plugin.views.whatif import VIEW as WHATIF
from tests.trace.work.products import H100, MM_FLOPS, mm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tb_plugin.question.view import View

SAID = """
    [[device]]
    name = "Lab Chip 9000"
    bf16 = 100
    bandwidth = 1000
    source = "our measurement"

    [[device]]
    name = "h100"
    bf16 = 700.5
"""


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Path]]:
    """Writes the file of this process."""

    def forget() -> None:
        for kept in (devices_file.tables, devices_file._text, device_peaks._said_of_all):
            kept.cache_clear()

    def write(text: str) -> Path:
        path = tmp_path / devices_file.NAME
        path.write_text(text, encoding="utf-8")
        monkeypatch.setenv(devices_file.VARIABLE, str(path))
        forget()
        return path

    yield write
    monkeypatch.undo()
    forget()


def test_what_a_user_says_goes_before_data_sheets_and_what_is_not_said_stays(said: Callable[[str], Path]) -> None:
    sheet = device_peak(Device(index=0, name="NVIDIA H100 80GB HBM3"))
    assert sheet is not None
    said(SAID)
    peak = device_peak(Device(index=0, name="NVIDIA H100 80GB HBM3"))
    assert peak is not None
    assert (peak.bf16, peak.fp16, peak.bytes_per_s) == (700.5e12, sheet.fp16, sheet.bytes_per_s)
    assert peak.source == f"{sheet.source}; torch_profile_devices.toml"


def test_a_device_of_no_table_is_known_by_what_is_said_alone(said: Callable[[str], Path]) -> None:
    said(SAID)
    peak = device_peak(Device(index=0, name="LAB chip 9000 rev. 2"))
    assert peak is not None
    assert (peak.bf16, peak.fp16, peak.bytes_per_s, peak.source) == (100e12, None, 1e12, "our measurement")
    assert device_peak(Device(index=0, name="another chip")) is None
    again = overridden(peak, "bf16=120")
    assert again is not None
    assert (again.bf16, again.bytes_per_s) == (120e12, 1e12)


def test_the_overview_knows_the_mfu_of_a_device_that_is_said(said: Callable[[str], Path]) -> None:
    def mfu() -> float | None:
        trace = mm(
            "thread 1 | ProfilerStep#1 0-100 | aten::mm 1-15\nstream 7 | nvjet_a 5-100 <- aten::mm",
            "c10::BFloat16",
            Device(index=0, name="Lab Chip 9000"),
        )
        return OVERVIEW.main.answer(trace, OverviewParams()).steps[0].mfu

    assert mfu() is None
    said(SAID)
    assert mfu() == pytest.approx(MM_FLOPS / (100e-6 * 100e12))


def test_answers_that_were_kept_are_of_the_file_as_it_was(said: Callable[[str], Path]) -> None:
    without = devices_file.digest()
    said(SAID)
    assert devices_file.digest() != without


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[[device]\n", "at line 1"),
        ("[device]\nname = 'a'\n", "holds [[device]] tables"),
        ("peak = 3\n", "holds [[device]] tables"),
        ("[[device]]\nbf16 = 3\n", "needs name"),
        ("[[device]]\nname = 'a'\nbf17 = 3\n", "'bf17' is no peak"),
        ("[[device]]\nname = 'a'\nbf16 = -3\n", "bf16='-3' is no positive number"),
        ("[[device]]\nname = 'a'\nbf16 = [3]\n", "bf16='[3]' is no positive number"),
    ],
)
def test_a_file_that_cannot_be_meant_is_one_clear_error(said: Callable[[str], Path], text: str, why: str) -> None:
    path = said(text)
    with pytest.raises(UsageError) as raised:
        device_peak(Device(index=0, name="NVIDIA H100 80GB HBM3"))
    assert str(path) in str(raised.value)
    assert why in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_file_that_is_named_and_not_there_is_an_error(said: Callable[[str], Path]) -> None:
    said("").unlink()
    with pytest.raises(UsageError, match="no such file"):
        device_peak(Device(index=0, name="NVIDIA H100 80GB HBM3"))
    assert devices_file.digest() == ""


TWO_KINDS = """
    thread 1 | ProfilerStep#1 0-100 | aten::mm 1-15
    stream 7 | nvjet_a 5-25 <- aten::mm
"""


@pytest.mark.parametrize("device", [H100, Device(index=0, name="Lab Chip 9000")])
def test_peaks_of_a_question_are_those_of_every_view_and_of_no_other_question(device: Device) -> None:
    trace = mm(TWO_KINDS, "c10::BFloat16", device)
    given = "bf16=0.01,bandwidth=1000"
    of_roof = ROOFLINE.main.answer(trace, ROOFLINE.main.params_from({"peak": given})).rows[0].roof_share
    of_peak = KERNELS.main.answer(trace, KERNELS.main.params_from({"peak": given})).rows[0].peak_share
    mfu = OVERVIEW.main.answer(trace, OVERVIEW.main.params_from({"peak": given})).model_flops.mfu
    assert of_roof == of_peak == pytest.approx(MM_FLOPS / (20e-6 * 0.01e12))
    assert mfu == pytest.approx(MM_FLOPS / (100e-6 * 0.01e12))
    without = OVERVIEW.main.answer(trace, OverviewParams()).model_flops.mfu
    assert without == (pytest.approx(MM_FLOPS / (100e-6 * 989.4e12)) if device is H100 else None)


@pytest.mark.parametrize("view", [OVERVIEW, ADVICE, KERNELS, ROOFLINE, WHATIF])
def test_peaks_that_cannot_be_meant_are_an_error_in_every_view(view: View[Any]) -> None:
    trace = mm(TWO_KINDS, "c10::BFloat16", H100)
    with pytest.raises(UsageError, match="bf17"):
        view.main.answer(trace, view.main.params_from({"peak": "bf17=1"}))


def test_a_busy_device_is_said_to_be_at_this_part_of_the_peaks_given() -> None:
    trace = mm(TWO_KINDS.replace("5-25", "1-99"), "c10::BFloat16", H100)
    far, near = (ADVICE.main.answer(trace, ADVICE.main.params_from({"peak": f"bf16={peak}"})) for peak in ("1", "0.35"))
    assert "slow_matmul" in [finding.id for finding in far.findings]
    assert near.findings == []
    assert f"at {100 * MM_FLOPS / (98e-6 * 0.35e12):.1f} % of peak" in near.verdict.sentence


def test_a_stored_profile_gives_itself_no_peaks() -> None:
    told = with_peak(mm(TWO_KINDS, "c10::BFloat16", Device(index=0, name="Lab Chip 9000")), "bf16=1")
    again = read_info(info_message(told.info))
    assert device_peak(told.info.devices[0]) is not None
    assert [device_peak(device) for device in again.devices] == [None]
