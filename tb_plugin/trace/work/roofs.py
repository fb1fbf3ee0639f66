"""The least time that a device needs for what it did: by its bandwidth, or for products by its FLOP/s, whichever is longer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Float64Array, Int64Array
from tb_plugin.compute.distinct import distinct
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.names import rows_named, without_overload
from tb_plugin.trace.work.attention_work import ATTENTION
from tb_plugin.trace.work.call_flops import PRODUCTS
from tb_plugin.trace.work.compute_roofs import compute_roofs, roof_type
from tb_plugin.trace.work.copy_names import copy_ends
from tb_plugin.trace.work.device_peaks import RATES, device_at, given_over, guessed_peak, peak_by_name, vendor_of
from tb_plugin.trace.work.matrix_cores import Use, matrix_core_use_by_row

if TYPE_CHECKING:
    import numpy.typing as npt

    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.vendors.peak import Peak
    from tb_plugin.trace.work.kernel_work import KernelWork

UNKNOWN_TYPE: Final = -1


@dataclass(frozen=True, kw_only=True)
class DevicePeaks:
    """Of each device with work, by index. `is_guess`: one has no name in the file, and its peaks are what it looks like."""

    by_device: dict[int, Peak | None]
    is_guess: bool

    def of_busiest(self, trace: Trace, rows: Int64Array) -> Peak | None:
        """Of the device with most of these events; of several the first."""
        devices, count = np.unique(trace.tracks.device[trace.events.track[rows]], return_counts=True)
        return self.by_device.get(int(devices[np.argmax(count)])) if len(devices) else None


@dataclass(frozen=True, kw_only=True)
class Roofs:
    """As the rows of a `KernelWork`. `at_roof_ns`: NaN where unknown. `rate_type`: place in RATES, of products alone."""

    at_roof_ns: Float64Array
    is_compute: BoolArray
    rate_type: Int64Array

    def those(self, places: Int64Array) -> Roofs:
        return Roofs(**{name: column[places] for name, column in vars(self).items()})


def device_peaks(trace: Trace) -> DevicePeaks:
    """By the devices' names, or what those without one look like, with what the question says of them."""
    devices = {index: device_at(trace, index) for index in distinct(trace.tracks.device).tolist() if index >= 0}
    by_name = {index: peak_by_name(device) for index, device in devices.items()}
    guessed = {index: guessed_peak(devices[index]) for index, peak in by_name.items() if peak is None}
    by_device = {index: given_over(peak or guessed.get(index), devices[index]) for index, peak in by_name.items()}
    return DevicePeaks(by_device=by_device, is_guess=any(guessed.values()))


def roofs_of(trace: Trace, work: KernelWork, peaks: DevicePeaks) -> Roofs:
    """Products by FLOP/s and bandwidth, all else by bandwidth."""
    n_rows = len(work.row)
    at_roof, is_compute, rate_type = np.full(n_rows, np.nan), np.zeros(n_rows, np.bool_), np.full(n_rows, UNKNOWN_TYPE, np.int64)
    places = np.flatnonzero(work.is_known)
    rows = work.row[places]
    memory = np.where(work.bytes[places] != NONE, 1e9 * work.bytes[places] / _bandwidths(trace, rows, peaks), np.nan)
    memory[_crosses_a_bus(trace, rows)] = np.nan
    is_product = _is_product(trace, work.call[places])
    at_roof[places[~is_product]] = memory[~is_product]
    of_products = places[is_product]
    if len(of_products):
        types = trace.events.types_id[work.call[of_products]]
        use = _use_of_calls(trace, work)[of_products]
        rates = compute_roofs(trace, work.row[of_products], types, use, peaks.by_device)
        compute = np.where(work.flops[of_products] != NONE, 1e9 * work.flops[of_products] / rates, np.nan)
        # A product whose units are unknown has no roof: memory alone would be half of it.
        at_roof[of_products] = np.maximum(compute, np.where(np.isnan(memory[is_product]), 0, memory[is_product]))
        is_compute[of_products] = compute == at_roof[of_products]
        rate_type[of_products] = _rate_types(trace, work.row[of_products], types, use)
    return Roofs(at_roof_ns=at_roof, is_compute=is_compute, rate_type=rate_type)


def _is_product(trace: Trace, call: Int64Array) -> BoolArray:
    known = np.flatnonzero(call != NONE)
    result = np.zeros(len(call), np.bool_)
    result[known] = rows_named(trace, call[known], lambda name: without_overload(name) in _PRODUCTS)
    return result


def _use_of_calls(trace: Trace, work: KernelWork) -> npt.NDArray[np.uint8]:
    """Matrix cores: used by a call if one of its kernels surely does, unknown if the name of one does not tell."""
    use = matrix_core_use_by_row(trace)[work.row]
    known = work.call != NONE
    said = np.zeros(len(trace.events), np.uint8)  # NO, UNKNOWN, YES in this order
    np.maximum.at(said, work.call[known], np.array([0, 2, 1], np.uint8)[use[known]])
    result = np.array([Use.NO, Use.UNKNOWN, Use.YES], np.uint8)[said[np.maximum(work.call, 0)]]
    result[~known] = use[~known]
    return result


def _rate_types(trace: Trace, rows: Int64Array, types_id: npt.NDArray[np.integer], use: npt.NDArray[np.uint8]) -> Int64Array:
    result = np.full(len(rows), UNKNOWN_TYPE, np.int64)
    device_of = trace.tracks.device[trace.events.track[rows]]
    for index in distinct(device_of).tolist():
        device = device_at(trace, index)
        vendor = None if device is None else vendor_of(device)
        for types in distinct(types_id).tolist():
            for each in Use:
                name = roof_type(trace.text(types) if types >= 0 else "", each, vendor)
                if name:
                    result[(device_of == index) & (types_id == types) & (use == each)] = RATES.index(name)
    return result


def _bandwidths(trace: Trace, rows: Int64Array, peaks: DevicePeaks) -> Float64Array:
    """Bytes/s, NaN where unknown."""
    device_of = trace.tracks.device[trace.events.track[rows]]
    result = np.full(len(rows), np.nan)
    for index, peak in peaks.by_device.items():
        if peak is not None:
            result[device_of == index] = peak.bytes_per_s
    return result


def _crosses_a_bus(trace: Trace, rows: Int64Array) -> BoolArray:
    copies = trace.events.kind[rows] == Kind.COPY
    result = np.zeros(len(rows), np.bool_)
    result[copies] = rows_named(trace, rows[copies], lambda name: copy_ends(name) != ("device", "device"))
    return result


_PRODUCTS: Final = frozenset({*PRODUCTS, *ATTENTION})
