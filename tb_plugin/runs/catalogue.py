"""What a scan found, as values: runs, their workers, their spans, and the files of each. Nothing here touches a disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from tb_plugin.base.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class _Named(Protocol):
    @property
    def name(self) -> str: ...


N = TypeVar("N", bound=_Named)


@dataclass(frozen=True, kw_only=True)
class ProfileFile:
    """One file as it was when it was looked at. Equal values mean an unchanged file."""

    path: str
    size_bytes: int
    mtime_ns: int

    @property
    def name(self) -> str:
        return Path(self.path).name


@dataclass(frozen=True, kw_only=True)
class Span:
    """One profile of one worker: its files hold the same recording, the best one to open first."""

    name: str
    files: tuple[ProfileFile, ...]

    @property
    def key(self) -> str:
        """Says which span this is, also after its files have changed."""
        first = Path(self.files[0].path)
        return f"{first.parent}|{first.name.partition('.pt.')[0]}"


@dataclass(frozen=True, kw_only=True)
class Worker:
    """One process that recorded: a rank of a training job, mostly."""

    name: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, kw_only=True)
class Run:
    """A directory that holds profiles."""

    name: str
    workers: tuple[Worker, ...]


@dataclass(frozen=True, kw_only=True)
class Catalogue:
    """Runs and workers in natural order, spans in numeric order. `problems` are sentences about what was not read."""

    runs: tuple[Run, ...] = ()
    problems: tuple[str, ...] = ()

    def spans(self) -> Iterator[Span]:
        for run in self.runs:
            for worker in run.workers:
                yield from worker.spans

    def choose(self, run: str | None = None, worker: str | None = None, span: str | None = None) -> tuple[Run, Worker, Span]:
        """The named span; for what is not named, the first run, the first worker and the newest span."""
        found_run = _pick(self.runs, run, "run", "here")
        found_worker = _pick(found_run.workers, worker, "worker", f"in run {found_run.name!r}")
        found_span = _pick(found_worker.spans[::-1], span, "span", f"of worker {found_worker.name!r}")
        return found_run, found_worker, found_span


def _pick(items: Sequence[N], name: str | None, what: str, where: str) -> N:
    if not items:
        raise NotFoundError(f"there is no {what} {where}")
    if name is None:
        return items[0]
    for item in items:
        if item.name == name:
            return item
    raise NotFoundError(f"there is no {what} {name!r} {where}; there is {_some(item.name for item in items)}")


def _some(names: Iterable[str]) -> str:
    listed = sorted(names)
    return ", ".join(listed[:5]) + (f" and {len(listed) - 5} more" if len(listed) > 5 else "")
