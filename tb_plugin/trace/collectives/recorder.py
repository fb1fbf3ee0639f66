"""What a rank's flight recorder held when it was dumped: its last collectives, as torch wrote them down when they were issued."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from tb_plugin.trace.collectives.groups import group_title

OF_ALL: Final = "default_pg"
"""What torch describes the group of all ranks as."""


@dataclass(frozen=True, kw_only=True)
class Frame:
    """A place in the program; the innermost comes first."""

    name: str
    file: str
    line: int

    @property
    def is_torch(self) -> bool:
        return "site-packages/torch/" in self.file or "dist-packages/torch/" in self.file

    @property
    def text(self) -> str:
        return f"{self.file}:{self.line} {self.name}"


@dataclass(frozen=True, kw_only=True)
class Issued:
    """A collective, or one side of a send. `group` is (name, description): names alone are not unique in older torch."""

    group: tuple[str, str]
    sequence: int  # counted by each rank's torch, per group; sends apart from collectives
    is_between_two: bool
    name: str  # `nccl:all_reduce`, `nccl:send 0->1`: places in the group
    sizes: tuple[tuple[int, ...], ...]
    dtypes: tuple[str, ...]
    is_started: bool
    is_done: bool
    created_ns: int  # Unix time on the rank's clock
    told_ns: int  # the last time that it holds: its issue, its start or its end
    timeout_ms: int | None
    frames: tuple[Frame, ...]

    @property
    def group_title(self) -> str:
        return group_title(*self.group)


@dataclass(frozen=True, kw_only=True)
class RecorderDump:
    """In the order of their issue. `members`: ranks of each configured group. `is_cut`: older ones were overwritten. `world`:
    all ranks of its job, in order; gloo's do not say it. `only_by_pair`: titles of groups in which the numbers of its sends say
    nothing of other pairs' sends.
    """

    file: str  # its name
    rank: int
    issued: tuple[Issued, ...]
    members: dict[str, tuple[int, ...]]
    is_cut: bool
    world: tuple[int, ...] | None
    only_by_pair: frozenset[str] = frozenset()

    @property
    def recorded(self) -> tuple[int, tuple[object, ...]]:
        """Equal for the same dump in another form, as pickled and JSON, which may have no frames."""
        return self.rank, tuple((one.group, one.sequence, one.name, one.created_ns, one.is_done) for one in self.issued)

    @property
    def recorder(self) -> str | None:
        """`nccl` or `gloo`; None where nothing was issued."""
        return next((before for one in self.issued if (before := one.name.partition(":")[0]) != one.name), None)


class UnreadDump(NamedTuple):
    """A dump that is not used. `rank`: by the file's name; None where another dump of this rank is."""

    file: str
    rank: int | None
    reason: str


class DumpFolder(NamedTuple):
    """What ranks left in one folder. `place`: its name below what was asked about."""

    place: str
    dumps: list[RecorderDump]
    broken: list[UnreadDump]
