"""Whose file has no work of a device, in a job of devices: it is in no figure of a step.

    its file         what it has                            and is
    cut off          the host's events, which come first    cut before its device's
    whole            launches, and nothing that they began  one whose profiler lost its device
    whole            operators alone                        recorded with the CPU's activities alone

torch writes the backend as it was asked for: one of both (`cpu:gloo,cuda:nccl`) does not tell where the job computes. Without a
kernel or launch in any file, collectives that a host carried out tell that it computes on CPUs.

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
    are_on_hosts = any(one.is_on_host and one.collectives.n_rows for one in found)
    is_any = any(_has_devices(one) or _is_said_of_devices(one.backend, may_be_either=are_on_hosts) for one in found)
    return [one.is_on_host and is_any for one in found]


def is_not_whole(one: RankSummary) -> bool:
    """What it lacks may be in what cannot be read."""
    return one.is_cut_off or bool(one.damage)


def _has_devices(one: RankSummary) -> bool:
    return not one.is_on_host or one.has_launches


def _is_said_of_devices(backend: str | None, *, may_be_either: bool) -> bool:
    """By what the head of its file says, whether a device worked or not. `may_be_either`: one of CPUs, too, does not say."""
    said = [bool(_OF_DEVICES.search(each)) for each in (backend or "").lower().split(",")]
    return all(said) if may_be_either else any(said)
