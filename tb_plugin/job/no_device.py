"""Whose file has no work of a device, in a job of devices: it is in no figure of a step.

    its file         what it has                            and is
    cut off          the host's events, which come first    cut before its device's
    whole            launches, and nothing that they began  one whose profiler lost its device
    whole            operators alone                        recorded with the CPU's activities alone

What its host does is no computing beside kernels of others: held against them it would have more work. So it is of all, where no
file has any: a job of devices is no job on CPUs, and its devices did not idle.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.trace.rank.summary import RankSummary

_OF_DEVICES: Final = re.compile(r"[nrxhm]ccl|cuda|xpu|hpu|npu")
"""In a backend's name. Samples: `nccl`, `cpu:gloo,cuda:nccl`."""


def lack_device(found: Sequence[RankSummary]) -> list[bool]:
    """Of the ranks of one job."""
    is_any = any(_is_of_devices(one) for one in found)
    return [one.is_on_host and is_any for one in found]


def is_not_whole(one: RankSummary) -> bool:
    """What it lacks may be in what cannot be read."""
    return one.is_cut_off or bool(one.damage)


def _is_of_devices(one: RankSummary) -> bool:
    """By what its host and the head of its file say, whether a device worked or not."""
    return not one.is_on_host or one.has_launches or bool(_OF_DEVICES.search((one.backend or "").lower()))
