"""What the background thread tells the child process, and what comes back: JSON in scratch files."""

from __future__ import annotations

import glob
import json
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tb_plugin.capture.facts import Facts

if TYPE_CHECKING:
    from tb_plugin.capture.live_columns import LiveColumns


@dataclass(frozen=True, kw_only=True)
class Order:
    """One profile to write. Paths of scratch files may be `/dev/fd/N`, valid in whoever inherited them."""

    source: str
    """torch's JSON."""
    json_target: str
    profile_target: str
    facts: Facts
    from_python_export: bool = False
    """The JSON is from torch's Python writer: its names and text are right."""
    harmed: tuple[tuple[int, str], ...] = ()
    live: str | None = None
    """Columns of `LiveColumns`, and below what belongs to them."""
    n_live: dict[str, int] = field(default_factory=dict)
    live_texts: tuple[str, ...] = ()
    schemas: dict[str, list[str]] = field(default_factory=dict)

    @property
    def temporary_json(self) -> Path:
        """Beside the target, so that renaming is one step; hidden, so that no scan takes it for a profile."""
        target = Path(self.json_target)
        return target.with_name(f".{target.name}.part")

    def remove_pieces(self) -> None:
        """What a writer that was killed left beside the targets."""
        for target in (Path(self.json_target), Path(self.profile_target)):
            with suppress(OSError):
                for piece in target.parent.glob(f".{glob.escape(target.name)}.*"):
                    piece.unlink()

    def with_live(self, path: str, live: LiveColumns) -> Order:
        return replace(self, live=path, n_live=live.n_rows(), live_texts=tuple(live.texts), schemas=live.schemas)

    def dump(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    @classmethod
    def load(cls, text: bytes) -> Order:
        values: dict[str, Any] = json.loads(text)
        facts = values.pop("facts")
        facts["activities"] = tuple(facts["activities"])
        values["harmed"] = tuple((start, name) for start, name in values["harmed"])
        values["live_texts"] = tuple(values["live_texts"])
        return cls(facts=Facts(**facts), **values)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Why a file is missing; None where it is in place."""

    json_error: str | None
    profile_error: str | None
    mend_error: str | None = None
    """Why the JSON is just as torch wrote it, harmed names and all."""

    def dump(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def find(cls, text: bytes) -> Outcome | None:
        """The outcome in what a child printed, among warnings of its libraries; None when it did not get so far."""
        for line in reversed(text.splitlines()):
            with suppress(ValueError, TypeError):
                return cls(**json.loads(line))
        return None
