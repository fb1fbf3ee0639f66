"""FP32MatMulPattern: `aten::mm` while TF32 was not allowed, on a device that has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.patterns.pattern import Pattern, Trial

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Device, Trace
    from tb_plugin.trace.patterns.call_tree import CallTree

_FIRST_WITH_TF32: Final = 8
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
    needs_shapes = True
    has_place = False
    trial = Trial("torch.mm(a, b)", "torch.mm(a, b)", f"{_MATRICES}; {_FLAG} = False", f"{_MATRICES}; {_FLAG} = True")

    def rows(self, tree: CallTree) -> Int64Array:
        trace = tree.trace
        # Torch asks which architectures it was built for, of which a profile knows nothing: ours asks the devices.
        if not all(has_tf32(device) for device in trace.info.devices):
            return np.zeros(0, np.int64)
        mm = tree.named("aten::mm".__eq__, Kind.OPERATOR)
        return np.intersect1d(mm, trace.live.row[trace.live.allow_tf32 == 0]).astype(np.int64)

    def lacks(self, trace: Trace) -> str | None:
        if not (trace.live.allow_tf32 >= 0).any():
            return "record_shapes=True with tb_plugin.tensorboard_trace_handler"
        return super().lacks(trace)


def has_tf32(device: Device) -> bool:
    """NVIDIA, sm_80 or newer. AMD's files use the same field for their own numbers."""
    major = (device.compute_capability or "").partition(".")[0]
    return "AMD" not in device.name and device.name != "" and major.isdecimal() and int(major) >= _FIRST_WITH_TF32
