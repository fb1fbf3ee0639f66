"""What is to become of a recorded profile, in its folder (`base/unfinished.py`), and what the child process says of it.

trace.json      torch's JSON
order.json      what the job knows when the handler returns
live            columns of `LiveColumns`, and
full.json       the order with what belongs to them: there once the living profile was read, and seen to be complete
said            the child's `Outcome`, among what else was printed
"""

from __future__ import annotations

import glob
import json
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tb_plugin.base import unfinished
from tb_plugin.capture.facts import JobFacts

if TYPE_CHECKING:
    from tb_plugin.capture.live.columns import LiveColumns

LIVE: Final = "live"
SAID: Final = "said"
_FULL: Final = "full.json"


@dataclass(frozen=True, kw_only=True)
class Order:
    """One profile to write."""

    source: str
    """torch's JSON."""
    json_target: str
    profile_target: str
    facts: JobFacts
    from_python_export: bool = False
    """The JSON is from torch's Python writer: its names and text are right."""
    own_threads: tuple[int, ...] = ()
    """The system's numbers of our threads in the job, which are not part of what was profiled."""
    with_scalars: bool = False
    """The job wants the profile's figures."""
    harmed: tuple[tuple[int, str], ...] = ()
    live: str | None = None
    """Columns of `LiveColumns`, and below what belongs to them."""
    n_live: dict[str, int] = field(default_factory=dict)
    live_texts: tuple[str, ...] = ()
    schemas: dict[str, list[str]] = field(default_factory=dict)

    @property
    def summary_target(self) -> str:
        """Beside the profile; of ranks of a job."""
        return f"{self.profile_target.removesuffix('.pt.profile.pb')}.pt.summary"

    @classmethod
    def in_folder(cls, folder: Path, *, full: bool = False) -> Order | None:
        """What is written there, or None. `full`: with what was read from the living profile."""
        try:
            return cls._load((folder / (_FULL if full else unfinished.ORDER)).read_bytes())
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def save(self, folder: Path, *, full: bool = False) -> None:
        """Seen by others at once and whole."""
        target = folder / (_FULL if full else unfinished.ORDER)
        piece = target.with_suffix(".part")
        piece.write_text(json.dumps(asdict(self)), encoding="utf-8")
        piece.replace(target)

    def remove_pieces(self) -> None:
        """What a writer that was killed left beside the targets."""
        for target in (Path(self.json_target), Path(self.profile_target), Path(self.summary_target)):
            with suppress(OSError):
                for piece in target.parent.glob(f".{glob.escape(target.name)}.*"):
                    piece.unlink()

    def with_live(self, path: str, live: LiveColumns) -> Order:
        return replace(self, live=path, n_live=live.n_rows(), live_texts=tuple(live.texts), schemas=live.schemas)

    @classmethod
    def _load(cls, text: bytes) -> Order:
        values: dict[str, Any] = json.loads(text)
        facts = values.pop("facts")
        facts["activities"] = tuple(facts["activities"])
        values["own_threads"] = tuple(values["own_threads"])
        values["harmed"] = tuple((start, name) for start, name in values["harmed"])
        values["live_texts"] = tuple(values["live_texts"])
        return cls(facts=JobFacts(**facts), **values)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Why a file is missing; None where it is in place."""

    json_error: str | None = None
    profile_error: str | None = None
    mend_error: str | None = None
    """Why the JSON is just as torch wrote it, harmed names and all."""
    summary_error: str | None = None
    """Why a rank of a job has no summary beside its profile."""
    may_work_later: bool = False
    """What failed was the disk; the folder is kept."""
    scalars: dict[str, float] = field(default_factory=dict)
    """The profile's figures by tag, where the job wants them, and at which step."""
    last_step: int | None = None

    def dump(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def find(cls, text: bytes) -> Outcome | None:
        """The outcome in what a child printed, among warnings of its libraries; None when it did not get so far."""
        for line in reversed(text.splitlines()):
            with suppress(ValueError, TypeError):
                return cls(**json.loads(line))
        return None
