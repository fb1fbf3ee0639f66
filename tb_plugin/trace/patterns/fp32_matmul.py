"""FP32MatMulPattern: `aten::mm` while TF32 was not allowed, on a device that has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.compute.distinct import in_both
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.patterns.pattern import Pattern, Trial
from tb_plugin.trace.scope.recorded import SHAPES, TF32
from tb_plugin.trace.vendors.nvidia import NVIDIA
from tb_plugin.trace.work.device_peaks import vendor_of
from tb_plugin.trace.work.matrix_operators import matrix_types

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Device, Trace
    from tb_plugin.trace.patterns.call_tree import CallTree

_FLAG: Final = "torch.backends.cuda.matmul.allow_tf32"
_MATRICES: Final = "a, b = (torch.randn(shape, device=device) for shape in shapes[:2])"


class Fp32MatMul(Pattern):
    """Rows of `aten::mm`. Only our trace handler records the flag `allow_tf32` of each operator."""

    torch_name = "FP32MatMulPattern"
    name = "FP32 MatMul Pattern"
    description = (
        "You are currently using GPU that supports TF32. "
        "Please enable TF32 by setting 'torch.backends.cuda.matmul.allow_tf32 = True'"
    )
    url = "https://pytorch.org/docs/stable/notes/cuda.html#tensorfloat-32-tf32-on-ampere-devices"
    needs = (SHAPES,)
    has_place = False
    trial = Trial("torch.mm(a, b)", "torch.mm(a, b)", f"{_MATRICES}; {_FLAG} = False", f"{_MATRICES}; {_FLAG} = True")

    def rows(self, tree: CallTree) -> Int64Array:
        trace = tree.trace
        # Torch asks which architectures it was built for, of which a profile knows nothing: ours asks the devices.
        if not all(has_tf32(device) for device in trace.info.devices):
            return np.zeros(0, np.int64)
        mm = tree.named("aten::mm".__eq__, Kind.OPERATOR)
        return in_both(mm, trace.live.row[trace.live.allow_tf32 == 0]).astype(np.int64)

    def lacks(self, trace: Trace) -> str | None:
        return super().lacks(trace) if TF32.is_there(trace) else TF32.how


def has_tf32(device: Device) -> bool:
    """NVIDIA, whose matrix cores take floats as TF32, since sm_80. Other makers' take them as they are, or not."""
    return vendor_of(device) is NVIDIA and "float" in (matrix_types(device) or ())
