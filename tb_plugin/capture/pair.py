"""Writes the two files of a profile: Chrome JSON for every tool, and the stored profile for our page.

Each is written beside its place under a hidden name and renamed when complete. The JSON comes first and does not depend
on the other.
"""

from __future__ import annotations

import dataclasses
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, cast

import msgspec

from tb_plugin.capture import json_text
from tb_plugin.capture.order import Order, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from tb_plugin.trace.model import Trace

_GZIP_LEVEL: Final = 2  # of igzip's 0 to 3: 1.8 GB/s; 3 is three times slower for 4 % less


def write(order: Order) -> Outcome:
    """Both files. One that fails does not keep the other from being written."""
    mended = json_text.Mended()
    json_error = profile_error = mend_error = None
    try:
        try:
            mended = write_json(order)
        except (ValueError, LookupError, TypeError) as error:  # a bug of ours: torch's own text is better than none
            mend_error = _reason(error)
            write_json(dataclasses.replace(order, from_python_export=True))
    except Exception as error:  # noqa: BLE001  the door of the child process: whatever it is, the job hears of it
        json_error = _reason(error)
    try:
        # The text as torch wrote it serves when it was right; otherwise what was just made of it.
        changed = mended.names or mended.events or mended.head
        write_profile(order, order.json_target if changed else order.source)
    except Exception as error:  # noqa: BLE001  as above
        profile_error = _reason(error)
    return Outcome(json_error=json_error, profile_error=profile_error, mend_error=mend_error)


def write_json(order: Order, piecewise: Callable[[], AbstractContextManager[None]] | None = None) -> json_text.Mended:
    """`piecewise` is entered for each piece of text: a thread that shares an interpreter rests there."""
    mended = json_text.Mended()
    target, temporary = Path(order.json_target), order.temporary_json
    target.parent.mkdir(parents=True, exist_ok=True)
    with ExitStack() as on_failure:
        on_failure.callback(_remove, temporary)
        with Path(order.source).open("rb") as source, _open_for_writing(temporary, compressed=target.suffix == ".gz") as file:
            if order.from_python_export:
                pieces = iter(lambda: source.read(1 << 18), b"")
            else:
                pieces = json_text.mend(source, order.harmed, order.facts.metadata, str(target), mended)
            while True:
                with piecewise() if piecewise else ExitStack():
                    piece = next(pieces, None)
                    if piece is None:
                        break
                    file.write(piece)
        temporary.replace(target)
        on_failure.pop_all()
    return mended


def write_profile(order: Order, source: str) -> None:
    # Only this needs NumPy and the readers: a thread that falls back to `write_json` must not load them.
    from tb_plugin.formats import profile_pb, reader

    trace = _with_live(reader.read(source), order)
    target = Path(order.profile_target)
    target.parent.mkdir(parents=True, exist_ok=True)
    profile_pb.write(trace, target)  # as careful about half written files as `write_json`


def _with_live(trace: Trace, order: Order) -> Trace:
    """The trace and what only the job knew."""
    from tb_plugin.capture import live_rows
    from tb_plugin.capture.module_names import of_frames
    from tb_plugin.trace.model import MODULE_NAMES, OPERATOR_SCHEMAS, Schedule

    facts = order.facts
    names = ("worker", "host", "rank", "world_size", "torch_version", "activities")
    flags = ("record_shapes", "profile_memory", "with_stack", "with_flops", "with_modules")
    # What the file says stands where the job did not know better.
    known = {name: value for name in (*names, *flags) if (value := getattr(facts, name)) not in (None, ())}
    info = msgspec.structs.replace(
        trace.info,
        source=Path(order.json_target).name,
        schedule=Schedule(cycle=facts.cycle, step_num=facts.step_num),
        **known,
    )
    if order.live is None:
        return dataclasses.replace(trace, info=info)
    with Path(order.live).open("rb") as file:
        found = live_rows.load(file, order.n_live, order.live_texts)
    trace = live_rows.joined(dataclasses.replace(trace, info=info), found)
    found_by_us = {
        MODULE_NAMES: of_frames(trace, facts.modules) if facts.modules else {},
        OPERATOR_SCHEMAS: order.schemas,
    }
    metadata = info.metadata | {key: value for key, value in found_by_us.items() if value}
    return dataclasses.replace(trace, info=msgspec.structs.replace(info, metadata=metadata))


def _open_for_writing(path: Path, *, compressed: bool) -> BinaryIO:
    if not compressed:
        return path.open("wb")
    from isal import igzip

    return cast("BinaryIO", igzip.open(path, "wb", compresslevel=_GZIP_LEVEL))


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return " ".join(f"{type(error).__name__}: {error}".split())
