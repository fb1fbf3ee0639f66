"""What the running job knows about a profile and its JSON does not. Gathered in the training loop, so it must be cheap."""

from __future__ import annotations

import os
import socket
import sys
from dataclasses import dataclass, field
from typing import Protocol


class Profiler(Protocol):
    """torch.profiler.profile, or anything that can export; the rest is asked for by name."""

    def export_chrome_trace(self, path: str) -> object: ...


@dataclass(frozen=True, kw_only=True)
class JobFacts:
    """Plain values only: they travel to the child process as JSON. None is "not known"."""

    worker: str
    cycle: int
    step_num: int | None = None
    host: str | None = None
    rank: int | None = None
    world_size: int | None = None
    torch_version: str | None = None
    record_shapes: bool | None = None
    profile_memory: bool | None = None
    with_stack: bool | None = None
    with_flops: bool | None = None
    with_modules: bool | None = None
    activities: tuple[str, ...] = ()
    metadata: dict[str, str] = field(default_factory=dict)
    """What `add_metadata` and `add_metadata_json` were given: JSON text, as torch keeps it."""
    modules: dict[str, list[str]] = field(default_factory=dict)
    """`module_names.by_id` of the user's model; empty when the handler was given none."""


def gather(prof: Profiler, *, worker: str, cycle: int, modules: dict[str, list[str]]) -> JobFacts:
    rank, world_size = _place_in_job()
    torch = sys.modules.get("torch")
    flags = ("record_shapes", "profile_memory", "with_stack", "with_flops", "with_modules")
    return JobFacts(
        worker=worker,
        cycle=cycle,
        step_num=getattr(prof, "step_num", None),
        host=socket.gethostname(),
        rank=rank,
        world_size=world_size,
        torch_version=str(torch.__version__) if torch else None,
        activities=tuple(sorted(str(getattr(a, "name", a)) for a in getattr(prof, "activities", None) or ())),
        modules=modules,
        metadata={str(k): str(v) for k, v in (getattr(prof, "_trace_metadata", None) or {}).items()},
        **{flag: value for flag in flags if (value := getattr(prof, flag, None)) is not None},
    )


def _place_in_job() -> tuple[int | None, int | None]:
    """(rank, world size) of torch.distributed where it runs, else as a launcher put them into the environment."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return int(distributed.get_rank()), int(distributed.get_world_size())
    return _number("RANK"), _number("WORLD_SIZE")


def _number(variable: str) -> int | None:
    text = os.environ.get(variable, "")
    return int(text) if text.isdecimal() else None
