"""Which directories to search, from TensorBoard's `--logdir` and `--logdir_spec` or from a command line."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from tb_plugin.base.readable import readable, readable_name

_SCHEME = re.compile(r"([a-zA-Z][0-9a-zA-Z.+-]*)://(.*)\Z", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Logdir:
    """One directory to search. `shown` is what the user typed; `prefix` stands before its runs' names when there are several."""

    shown: str
    path: str
    prefix: str = ""
    problem: str | None = None
    """Why it cannot be searched at all."""


def from_flags(logdir: str | None, logdir_spec: str | None) -> tuple[Logdir, ...]:
    """TensorBoard's flags: it gives `logdir` as typed, also with `~`, and empty when there is a `logdir_spec`."""
    if logdir and ("," not in logdir or _is_there(logdir)):
        return (_logdir(logdir, prefix=""),)
    return _from_spec(logdir or logdir_spec or "")


def _from_spec(spec: str) -> tuple[Logdir, ...]:
    """`name:path,name:path`, or paths only. A name is all before the first colon, but never a scheme, a drive or a path."""
    pairs: list[tuple[str, str]] = []
    for part in filter(None, (piece.strip() for piece in spec.split(","))):
        name, colon, path = part.partition(":")
        named = bool(colon) and not _SCHEME.match(part) and part[0] not in "/~." and not os.path.splitdrive(part)[0]
        pairs.append((name, path) if named else ("", part))
    if len(pairs) == 1 and not pairs[0][0]:
        return (_logdir(pairs[0][1], prefix=""),)
    taken: set[str] = set()
    found: list[Logdir] = []
    for name, path in pairs:
        prefix = name or Path(path).name
        prefix = path if prefix in taken or not prefix else prefix
        taken.add(prefix)
        found.append(_logdir(path, prefix=prefix))
    return tuple(found)


def _is_there(path: str) -> bool:
    try:
        return Path(path).expanduser().exists()
    except (OSError, RuntimeError, ValueError):  # a list of directories may be no possible name of one
        return False


def _logdir(shown: str, *, prefix: str) -> Logdir:
    match = _SCHEME.match(shown)
    if match and match[1].lower() == "file":
        return Logdir(shown=readable(shown), path=match[2], prefix=readable_name(prefix))
    if match:
        reason = f"{shown}: profiles in remote storage ({match[1]}://) cannot be opened yet; copy them to a local directory"
        return Logdir(shown=readable(shown), path="", prefix=readable_name(prefix), problem=readable(reason))
    expanded = os.path.expanduser(shown)  # noqa: PTH111 - keeps a path that is not there as it was typed
    path = os.path.abspath(expanded)  # noqa: PTH100 - must not resolve links
    return Logdir(shown=readable(shown), path=path, prefix=readable_name(prefix))
