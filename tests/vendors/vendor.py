"""What differs between accelerators in a file of torch's profiler: words for work and for the calls that start it, the head."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple

Args = dict[str, Any]
Stream = Literal["compute", "copy", "communication"]


class Row(NamedTuple):
    """An event's category, name and arguments."""

    category: str
    name: str
    args: Args


@dataclass(frozen=True, kw_only=True)
class Work:
    """Something a device does. `name` is the program's word, as "matmul"; a vendor has its own kernel for it."""

    kind: Literal["kernel", "copy", "set"]
    name: str
    duration_ns: int
    stream: Stream = "compute"
    blocks: int = 1
    threads: int = 256
    registers: int = 32
    shared_bytes: int = 0
    bytes: int = 0
    collective: Args = field(default_factory=dict)  # what `record_param_comms` says of it


class Vendor(ABC):
    """One file of this folder."""

    name: ClassVar[str]
    pid: ClassVar[int]  # of the device's rows
    label: ClassVar[str]  # of that process
    device_type: ClassVar[int]  # c10::DeviceType, as memory events say it
    streams: ClassVar[dict[Stream, int]]  # their `tid`
    head: ClassVar[Args]  # top-level keys beside the events
    collectives: ClassVar[str | None]  # the annotation around a collective, as "nccl:all_reduce"
    projects_annotations: ClassVar[bool]  # host annotations stand on the device's streams, too
    memory_args: ClassVar[Args]

    @abstractmethod
    def call(self, work: Work, correlation: int) -> Row:
        """The host call that starts it."""

    @abstractmethod
    def work(self, work: Work, correlation: int) -> Row:
        """Its row on the device."""

    @abstractmethod
    def wait(self, correlation: int) -> tuple[Row, Row | None]:
        """The call that waits until the compute stream is empty, and what the file shows on the device for it."""

    @abstractmethod
    def others(self) -> list[tuple[int, int, Row]]:
        """Rows that only this vendor's files have, as (pid, tid, row), in order of time."""
