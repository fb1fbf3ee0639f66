"""What can be read, as one table: a format is recognised by its content. A new one is one entry here and one file beside it.

Standard library only until a file begins as a format does: TensorBoard scans while it starts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from tb_plugin.formats.kineto import sign

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tb_plugin.base.progress import OnProgress
    from tb_plugin.formats.content import Content
    from tb_plugin.trace.model import Trace


class Reader(Protocol):
    """The file of a format."""

    def is_ours(self, content: Content) -> bool: ...

    def read(self, path: Path, on_progress: OnProgress) -> Trace: ...


@dataclass(frozen=True, kw_only=True)
class Format:
    """One format that is read. `docs/formats.md` has the same titles and endings, held by a test."""

    id: str
    """As in `TraceInfo.format`, where the profile was first read from such a file."""
    title: str
    sure_endings: tuple[str, ...] = ()
    """Of names in a logdir that nothing else has."""
    endings: tuple[str, ...]
    """Of names in a logdir; the content says whether it is one."""
    begins: tuple[bytes, ...]
    """The reader is imported for files that begin so, and for no others."""
    reader: Callable[[], Reader]
    sign: Callable[[Content], bool] | None = None
    """Recognises a file in place of the reader, where others often begin so too."""

    def is_ours(self, content: Content) -> bool:
        """FormatError when the file is too broken to tell."""
        if not (content.head.startswith(self.begins) or content.text.startswith(self.begins)):
            return False
        return (self.sign or self.reader().is_ours)(content)


def _kineto() -> Reader:
    from tb_plugin.formats.kineto import kineto_json

    return kineto_json


def _stored() -> Reader:
    from tb_plugin.formats.stored import strangers

    return strangers


def _nsight() -> Reader:
    from tb_plugin.formats.nvidia import nsight_sqlite

    return nsight_sqlite


def _nvprof() -> Reader:
    from tb_plugin.formats.nvidia import nvprof_sqlite

    return nvprof_sqlite


def _snapshot() -> Reader:
    from tb_plugin.formats.snapshot import memory_snapshot

    return memory_snapshot


def _perfetto() -> Reader:
    from tb_plugin.formats.perfetto import read

    return read


SUMMARY_ENDING: Final = ".pt.summary"
"""Of a rank's summary: no format of a profile, and what stands for one that is gone (`stored/rank_summary.py`)."""

_SQLITE = (b"SQLite format 3\x00",)

KINETO: Final = Format(
    id="chrome-json",
    title="Chrome JSON of torch.profiler",
    sure_endings=(".pt.trace.json", ".pt.trace.json.gz", ".pt.trace.json.zst"),
    endings=(".json", ".json.gz", ".json.zst"),
    begins=(b"{", b"["),
    reader=_kineto,
    sign=sign.is_ours,
)

# In the order of docs/formats.md.
FORMATS: Final = (
    KINETO,
    Format(
        id="profile-pb",
        title="stored profile",
        sure_endings=(".pt.profile.pb",),
        endings=(".pb",),
        begins=(b"\n",),
        reader=_stored,
    ),
    Format(
        id="nsight-sqlite",
        title="Nsight Systems, SQLite export",
        endings=(".sqlite", ".nsys-rep.sqlite"),
        begins=_SQLITE,
        reader=_nsight,
    ),
    Format(
        id="nvprof-sqlite",
        title="nvprof, its own database",
        endings=(".nvprof", ".nvvp", ".prof", ".sqlite"),
        begins=_SQLITE,
        reader=_nvprof,
    ),
    Format(id="memory-snapshot", title="memory snapshot", endings=(".pickle",), begins=(b"\x80",), reader=_snapshot),
    Format(id="perfetto", title="Perfetto", endings=(), begins=(b"\n",), reader=_perfetto),
)
