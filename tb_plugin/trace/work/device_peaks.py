"""What a device can do at most: dense peaks (no sparsity) and memory bandwidth, as the maker's data sheets state them.

    A100-SXM4-80GB   fp16 312  bf16 312  tf32 156  fp32 19.5  fp64 19.5 TFLOP/s   2039 GB/s

`fp32` is of the vector units on NVIDIA and of the matrix cores on AMD, which have no TF32 but in MI300; `fp64` is of the
matrix cores where they take doubles. A device that is not here has no peak: its figures are "unknown". One without a name may
look like a device that is here (`guessed_peak`): who uses that says so. Users who know better say it, for all that they ask in a
file (`base/devices_file.py`), for one question in it (`with_peak`).
"""

from __future__ import annotations

import dataclasses
import re
from functools import cache
from math import nan
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import msgspec

from tb_plugin.base import devices_file
from tb_plugin.base.errors import UsageError
from tb_plugin.compute.distinct import distinct
from tb_plugin.trace import vendors
from tb_plugin.trace.kept import LastAnswers, once_per_trace
from tb_plugin.trace.model import Device
from tb_plugin.trace.vendors.peak import Peak

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.vendors.vendor import Vendor


DEVICE_PEAKS: Final = tuple(peak for vendor in vendors.ALL for peak in vendor.peaks)
_PATTERNS: Final = tuple(re.compile(peak.pattern, re.IGNORECASE) for peak in DEVICE_PEAKS)

_PART: Final = re.compile(r" (?:VF|MIG\b.*)$")
"""A virtual function, a slice: `AMD Instinct MI300X VF`, `NVIDIA A100-SXM4-40GB MIG 1g.5gb`."""

_NEAR: Final = 0.12
"""Drivers keep some memory for themselves, and vendors count it in powers of ten or of two."""

RATES: Final = ("fp4", "fp8", "fp16", "bf16", "tf32", "fp32", "fp64")
"""The columns of a Peak that are FLOP/s."""

BANDWIDTH: Final = "bandwidth"

PeakText = Annotated[str, msgspec.Meta(description="peaks in TFLOP/s, bandwidth in GB/s, as bf16=989,bandwidth=3350")]
"""A parameter of every question whose answer holds something against a device's peaks: `with_peak` takes it."""


_NOTHING: Final = Peak("", "device", "", None, None, None, None, None, None, nan, "")


class _GivenDevice(Device, frozen=True, kw_only=True):
    """A device with what the question says of its peaks. No file holds one: what a stranger says of peaks changes no figure."""

    given: str


def with_peak(trace: Trace, given: str) -> Trace:
    """The trace whose devices have the peaks `given`, as `bf16=989,bandwidth=3350` in TFLOP/s and GB/s. Raises UsageError."""
    return _with_peaks(trace).get(given.strip(), lambda: _with_peak(trace, given.strip())) if given.strip() else trace


@once_per_trace
def _with_peaks(_trace: Trace) -> LastAnswers[str, Trace]:
    return LastAnswers(1)  # it keeps what is worked out with it


def _with_peak(trace: Trace, given: str) -> Trace:
    overridden(None, given)  # an error also where there is no device
    there = [index for index in distinct(trace.tracks.device).tolist() if index >= 0 and device_at(trace, index) is None]
    devices = (*trace.info.devices, *(Device(index=index) for index in there))
    known = tuple(_GivenDevice(**msgspec.structs.asdict(device), given=given) for device in devices)
    return dataclasses.replace(trace, info=msgspec.structs.replace(trace.info, devices=known))


def device_peak(device: Device | None) -> Peak | None:
    """The peaks of a device as the question says them, else by its name; None where they are not known."""
    return given_over(peak_by_name(device), device)


def given_over(peak: Peak | None, device: Device | None) -> Peak | None:
    """These peaks with what the question says of the device."""
    return overridden(peak, device.given) if isinstance(device, _GivenDevice) else peak


def peak_by_name(device: Device | None) -> Peak | None:
    """None where they are not known: no such name, or a part of a device.

    What users say of that name goes before it. Raises UsageError for their file.
    """
    if device is None:
        return None
    known = _of_the_maker(device)
    said = next((each for each in _said_of_all() if each.name in device.name.lower()), None)
    return known if said is None else _better(known, device.name, said.peaks, said.source)


def _of_the_maker(device: Device) -> Peak | None:
    found = next((peak for peak, pattern in zip(DEVICE_PEAKS, _PATTERNS, strict=True) if pattern.search(device.name)), None)
    is_part = _PART.search(device.name) is not None
    return None if found is None or (is_part and (found.units is None or device.multiprocessors != found.units)) else found


class _Said(NamedTuple):
    """What a user says of devices whose name has this in it, in lower case."""

    name: str
    peaks: dict[str, float]
    source: str


@cache
def _said_of_all() -> tuple[_Said, ...]:
    found = []
    for table in devices_file.tables():
        name, source = table.get("name"), table.get("source", devices_file.NAME)
        if not isinstance(name, str) or not name.strip() or not isinstance(source, str):
            raise UsageError(f'{devices_file.path()}: each [[device]] needs name = "...", part of a device\'s name')
        try:
            peaks = dict(_peak_of(key, str(value)) for key, value in table.items() if key not in ("name", "source"))
        except UsageError as error:
            raise UsageError(f"{devices_file.path()}: {name}: {error}") from None
        found.append(_Said(name.lower(), peaks, source))
    return tuple(found)


def guessed_peak(device: Device | None) -> Peak | None:
    """What a device without a name looks like, by its units and memory; None where no device does, or several do.

    304 units, 192 GiB, 64 threads a warp: an MI300X.
    """
    if device is None or device.name or device.multiprocessors is None or device.memory_bytes is None:
        return None
    gib = device.memory_bytes / 2**30
    alike = [
        peak
        for vendor in vendors.ALL
        for peak in vendor.peaks
        if peak.units == device.multiprocessors
        and peak.gib is not None
        and abs(gib - peak.gib) < _NEAR * peak.gib
        and device.properties.get("warpSize") in (None, vendor.warp_size or 32)
    ]
    return alike[0] if len(alike) == 1 else None


def overridden(peak: Peak | None, text: str) -> Peak | None:
    """A peak with what a user says of it: `bf16=989,bandwidth=3350` in TFLOP/s and GB/s. Raises UsageError.

    Without a peak to change, what is not said is not known.
    """
    if not text.strip():
        return peak
    return _better(peak, "device", dict(_peak_of(*part.partition("=")[::2]) for part in text.split(",")), f"given: {text}")


def _better(known: Peak | None, title: str, said: dict[str, float], source: str) -> Peak:
    rates: dict[str, Any] = {name: value * 1e12 for name, value in said.items() if name != BANDWIDTH}
    if BANDWIDTH in said:
        rates["bytes_per_s"] = said[BANDWIDTH] * 1e9
    peak = known or _NOTHING._replace(title=title)
    return peak._replace(**rates, source=f"{peak.source}; {source}" if known else source)


def _peak_of(name: str, value: str) -> tuple[str, float]:
    """(a place in RATES or BANDWIDTH, TFLOP/s or GB/s)."""
    name, value = name.strip(), value.strip()
    if name not in (*RATES, BANDWIDTH):
        raise UsageError(f"peak: {name!r} is no peak; there is {', '.join(RATES)} in TFLOP/s, and {BANDWIDTH} in GB/s")
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not 0 < number < 1e9:
        raise UsageError(f"peak: {name}={value!r} is no positive number")
    return name, number


def device_at(trace: Trace, index: int) -> Device | None:
    """The device of this index. AMD's kernels may count the host's agents too: then any, if all in the file are alike."""
    exact = next((device for device in trace.info.devices if device.index == index), None)
    alike = len({device.name for device in trace.info.devices}) == 1
    return exact or (trace.info.devices[0] if alike else None)


def vendor_of(device: Device) -> Vendor | None:
    """By the device's name or, where the file lacks it, by its width; None where neither tells."""
    return next((vendor for vendor in vendors.ALL if _is_of(vendor, device)), None)


def _is_of(vendor: Vendor, device: Device) -> bool:
    is_so_wide = vendor.warp_size is not None and device.properties.get("warpSize") == vendor.warp_size
    has_word = any(word.lower() in device.name.lower() for word in vendor.device_words)
    return is_so_wide or has_word or _of_the_maker(device) in vendor.peaks
