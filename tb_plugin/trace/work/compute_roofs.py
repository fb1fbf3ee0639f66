"""The FLOP/s that a device could do for a product at most: by the type of its first operand, and the units that took it.

bf16                          bf16
float   in tensor cores       tf32       (NVIDIA; matrix cores of AMD take floats as they are: fp32)
float   outside of them       fp32
float   who knows             unknown
double  in tensor cores       fp64
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.compute.distinct import distinct
from tb_plugin.trace.work.device_peaks import device_at, device_peak, vendor_of
from tb_plugin.trace.work.matrix_cores import Use
from tb_plugin.trace.work.matrix_operators import FLOAT_TYPES, element_type

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.vendors.peak import Peak
    from tb_plugin.trace.vendors.vendor import Vendor


def compute_roofs(
    trace: Trace,
    kernels: Int64Array,
    types_id: npt.NDArray[np.integer],
    use: npt.NDArray[np.uint8],
    peaks: Mapping[int, Peak | None] | None = None,
) -> Float64Array:
    """Of each of these event rows, NaN where unknown. `types_id`, `use`: "Input type" of its call, and its `Use`.

    `peaks`: by device, where not what the devices' names say.
    """
    device_of = trace.tracks.device[trace.events.track[kernels]]
    result = np.full(len(kernels), np.nan)
    for index in distinct(device_of).tolist():
        device = device_at(trace, index)
        peak = device_peak(device) if peaks is None else peaks.get(index)
        if peak is None:
            continue
        vendor = None if device is None else vendor_of(device)
        for types in distinct(types_id).tolist():
            for each in Use:
                rate_type = roof_type(trace.text(types) if types >= 0 else "", each, vendor)
                value = getattr(peak, rate_type) if rate_type else None
                result[(device_of == index) & (types_id == types) & (use == each)] = np.nan if value is None else value
    return result


def roof_type(types: str, use: Use, vendor: Vendor | None) -> str:
    """The column of `Peak` that is the roof of this "Input type"; empty where none is known."""
    element = FLOAT_TYPES.get(element_type(types), "")
    if element == "fp32":
        if vendor is not None and vendor.fp32_peak_is_of_matrix_cores:
            return "fp32" if use == Use.YES else ""
        return {Use.YES: "tf32", Use.NO: "fp32", Use.UNKNOWN: ""}[use]
    return element if element != "fp64" or use == Use.YES else ""
