"""What people say of the profiles of a log directory: from which one on another level is the normal one.

    torch_profile_new_normal.jsonl     {"run": "main_42", "span": "1700000000000000000", "reason": "cuDNN 9 is slower"}

A line a mark, written by hand or by `tb-plugin normal`; without a span it is the run's first. The file is text in the log
directory, so that it is kept and reviewed with what it explains.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from tb_plugin.base.errors import TbPluginError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.runs.logdirs import Logdir

NAME: Final = "torch_profile_new_normal.jsonl"

_MOST_BYTES: Final = 1 << 20
_LONGEST_REASON: Final = 200


class NewNormal(msgspec.Struct, frozen=True, kw_only=True):
    """`run` and `span` are named as everywhere; with several log directories without the name of this one."""

    run: str
    span: str | None = None
    reason: str = ""


class Marks(msgspec.Struct, frozen=True, kw_only=True):
    """`reasons`: by run and span, or by run and None for its first. `problems` are sentences."""

    reasons: dict[tuple[str, str | None], str]
    problems: list[str]


def marks_of(logdirs: Sequence[Logdir]) -> Marks:
    """A line that is no mark is left out and said."""
    found = Marks(reasons={}, problems=[])
    for logdir in logdirs:
        place = Path(logdir.path) / NAME
        try:
            with place.open("rb") as file:
                lines = file.read(_MOST_BYTES).splitlines()
        except OSError:
            continue
        for number, line in enumerate(lines, 1):
            try:
                mark = msgspec.json.decode(line, type=NewNormal) if line.strip() else None
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                found.problems.append(f"{NAME}, line {number}: {error}")
                continue
            if mark is not None:
                run = f"{logdir.prefix}/{mark.run}" if logdir.prefix else mark.run
                found.reasons[run, mark.span] = mark.reason[:_LONGEST_REASON]
    return found


def add(logdir: Path, mark: NewNormal) -> Path:
    """One more line. TbPluginError where it cannot be written."""
    target = logdir / NAME
    try:
        with target.open("ab") as file:
            file.write(msgspec.json.encode(mark) + b"\n")
    except OSError as error:
        raise TbPluginError(f"{target}: {error.strerror or error}") from error
    return target
