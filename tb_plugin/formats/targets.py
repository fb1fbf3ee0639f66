"""What can be written, as one table: the name of the file chooses. A new target is one line here and one file beside it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from tb_plugin.base.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tb_plugin.trace.model import Trace

Write: TypeAlias = "Callable[[Trace, Path], Sequence[str] | None]"
"""Writes a file that appears complete; gives what it cannot hold of this trace."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """One format that is written."""

    title: str
    endings: tuple[str, ...]
    """Of the file's name; `/` ends the name of a folder."""
    gz: bool = True
    """Compressed when `.gz` follows."""
    writer: Callable[[], Write]
    """Imports it. UsageError when what it needs is not installed."""

    @property
    def names(self) -> str:
        """`NAME.collapsed[.gz] or NAME.folded[.gz] (stacks)`."""
        return " or ".join(f"NAME{ending}{'[.gz]' if self.gz else ''}" for ending in self.endings) + f" ({self.title})"

    def matches(self, name: str) -> int:
        """How much of a name asks for this target; 0 is "nothing"."""
        name = name.removesuffix(".gz") if self.gz else name
        return max((len(ending) for ending in self.endings if name.endswith(ending)), default=0)


def write(trace: Trace, target: str) -> tuple[str, ...]:
    """Writes the format that `target` asks for and returns what it cannot hold. Nobody sees a half written file."""
    return tuple(_find(target).writer()(trace, Path(target)) or ())


def check(target: str) -> None:
    """UsageError when no format is meant by this name, or what it needs is not installed."""
    _find(target).writer()


def _find(target: str) -> Target:
    is_folder = target.endswith((os.sep, "/")) or Path(target).is_dir()
    name = Path(target).name + "/" * is_folder
    # The longest ending counts: every speedscope file is a .json too.
    best = max(TARGETS, key=lambda each: each.matches(name))
    # The stored profile is compressed inside: it has no .gz, and with one it is not pprof's either.
    if not best.matches(name) or name.endswith(".profile.pb.gz"):
        raise UsageError(f"{target}: no format has this name; expected {NAMES}")
    return best


# Each imports its writer only when it is asked for: they need NumPy, and some an extra.


def _stored() -> Write:
    from tb_plugin.formats.stored import profile_pb

    return profile_pb.write


def _chrome_json() -> Write:
    from tb_plugin.formats.kineto import chrome_trace

    return chrome_trace.write


def _perfetto() -> Write:
    from tb_plugin.formats.perfetto import messages, write

    messages.messages()
    return write.write


def _speedscope() -> Write:
    from tb_plugin.formats.flat import speedscope

    return speedscope.write


def _collapsed() -> Write:
    from tb_plugin.formats.flat import collapsed_stacks

    return collapsed_stacks.write


def _pprof() -> Write:
    from tb_plugin.formats.flat import pprof

    return pprof.write


def _csv() -> Write:
    from tb_plugin.formats.flat import csv_tables

    return csv_tables.write_events


def _csv_folder() -> Write:
    from tb_plugin.formats.flat import csv_tables

    return csv_tables.write_folder


def _parquet() -> Write:
    from tb_plugin.formats.flat import parquet_tables

    parquet_tables.check()
    return parquet_tables.write_events


def _parquet_folder() -> Write:
    from tb_plugin.formats.flat import parquet_tables

    parquet_tables.check()
    return parquet_tables.write_folder


# In the order of docs/formats.md.
TARGETS: Final = (
    Target(title="stored profile", endings=(".pt.profile.pb", ".pb"), gz=False, writer=_stored),
    Target(title="Chrome JSON", endings=(".json",), writer=_chrome_json),
    Target(title="Perfetto", endings=(".pftrace",), writer=_perfetto),
    Target(title="speedscope", endings=(".speedscope.json",), writer=_speedscope),
    Target(title="stacks", endings=(".collapsed", ".folded"), writer=_collapsed),
    Target(title="pprof", endings=(".pprof",), writer=_pprof),
    Target(title="pprof", endings=(".pb.gz",), gz=False, writer=_pprof),
    Target(title="events", endings=(".csv",), writer=_csv),
    Target(title="a folder of CSV tables", endings=("/",), gz=False, writer=_csv_folder),
    Target(title="events", endings=(".parquet",), gz=False, writer=_parquet),
    Target(title="a folder of Parquet tables", endings=(".parquet/",), gz=False, writer=_parquet_folder),
)

NAMES: Final = ", ".join(target.names for target in TARGETS)
