"""Writes the two files of a profile: Chrome JSON for every tool, and the stored profile for our page.

Each is written beside its place under a hidden name and renamed when complete, so that a file which is there is whole and is
not made again. The JSON comes first and does not depend on the other. Of a rank of several a third follows, its summary: made of
the profile while it is open, it lets a job of many ranks open without their profiles.
"""

from __future__ import annotations

import dataclasses
import os
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from tb_plugin.base.unfinished import Note
from tb_plugin.capture import json_text
from tb_plugin.capture.order import Order, Outcome
from tb_plugin.formats import whole_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from tb_plugin.base.unfinished import Unfinished
    from tb_plugin.trace.model import Issue, Trace
    from tb_plugin.trace.span.figures import SpanFigures


def finish(held: Unfinished, await_live: Callable[[], bool] | None = None) -> Outcome:
    """Makes what is still missing of both files, the JSON first, and removes the folder unless the disk refused them.

    `await_live` returns when the living profile was read, or False when its job is gone; without it the job is.
    """
    order = Order.in_folder(held.folder)
    if order is None:
        held.remove()
        return Outcome(json_error="its recording was broken off")
    note = Note.beside(Path(order.json_target))
    with _mode_of(Path(order.source)):
        with suppress(OSError):  # not needed on this host, and what fails here fails below
            note.parent.mkdir(parents=True, exist_ok=True)
            Note.of(held.folder).write(note)
        order.remove_pieces()
        outcome = _written(held.folder, order, await_live)
    if not outcome.may_work_later:
        with suppress(OSError):
            note.unlink()
        held.remove()
    return outcome


@contextmanager
def _mode_of(source: Path) -> Iterator[None]:
    """New files get the rights that the job's have: who finishes them may be another process, with a umask of its own."""
    try:
        hidden = ~source.stat().st_mode & 0o666
    except OSError:  # said where it is read
        yield
        return
    before = os.umask(hidden | (hidden & 0o444) >> 2)  # a folder that may be read may be entered
    try:
        yield
    finally:
        os.umask(before)


def _written(folder: Path, order: Order, await_live: Callable[[], bool] | None) -> Outcome:
    tried = _Tried(order)
    if not Path(order.json_target).exists():
        tried.json(order)
    job_lives = await_live is not None and await_live()
    full = Order.in_folder(folder, full=True)
    if full is not None and full.harmed and not full.from_python_export:
        tried.json(full)
    if not Path(order.profile_target).exists():
        tried.profile(full or order, after_job=not job_lives)
    return tried.outcome()


class _Tried:
    """What was written and what was not. One file that fails does not keep the other from being written."""

    def __init__(self, order: Order) -> None:
        self._source = order.json_target
        self._json: Exception | None = None
        self._mend: Exception | None = None
        self._profile: Exception | None = None
        self._summary: Exception | None = None
        self._figures: SpanFigures | None = None

    def json(self, order: Order) -> None:
        self._json = None
        self._source = order.source
        try:
            try:
                mended = write_json(order)
                # The text as torch wrote it serves when it was right; otherwise what was just made of it.
                self._source = order.json_target if mended else order.source
            except (ValueError, LookupError, TypeError) as error:  # a bug of ours: torch's own text is better than none
                self._mend = error
                write_json(dataclasses.replace(order, from_python_export=True))
        except Exception as error:  # noqa: BLE001  the door of the child process: whatever it is, the job hears of it
            self._json = error

    def profile(self, order: Order, *, after_job: bool) -> None:
        try:
            trace = write_profile(order, self._source, after_job=after_job)
            self._figures = _figures(trace) if order.with_scalars else None
        except Exception as error:  # noqa: BLE001  as above
            self._profile = error
            return
        try:
            write_summary(order, trace)
        except Exception as error:  # noqa: BLE001  as above; the profile is there, and whoever needs its summary makes it
            self._summary = error

    def outcome(self) -> Outcome:
        tried = (self._json, self._profile, self._mend, self._summary)
        json, profile, mend, summary = (None if error is None else _reason(error) for error in tried)
        later = isinstance(self._json, OSError) or isinstance(self._profile, OSError)
        of = self._figures
        return Outcome(
            json_error=json,
            profile_error=profile,
            mend_error=mend,
            summary_error=summary,
            may_work_later=later,
            scalars={} if of is None else _by_tag(of),
            last_step=None if of is None else of.last_step,
        )


def write_json(order: Order, piecewise: Callable[[], AbstractContextManager[None]] | None = None) -> json_text.Mended:
    """`piecewise` is entered for each piece of text: a thread that shares an interpreter rests there."""
    mended = json_text.Mended()
    target = Path(order.json_target)
    target.parent.mkdir(parents=True, exist_ok=True)
    with Path(order.source).open("rb") as source, whole_file.written(target) as file:
        if order.from_python_export:
            pieces = iter(lambda: source.read(1 << 18), b"")
        else:
            metadata, own = order.facts.metadata, order.own_threads
            pieces = json_text.mend(source, order.harmed, metadata, str(target), mended, own)
        while True:
            with piecewise() if piecewise else nullcontext():
                piece = next(pieces, None)
                if piece is None:
                    break
                file.write(piece)
    return mended


def _figures(trace: Trace) -> SpanFigures:
    from tb_plugin.trace.span.summary import summary

    return summary(trace)


def _by_tag(figures: SpanFigures) -> dict[str, float]:
    from tb_plugin.trace.span.figures import scalars

    return scalars(figures)


def write_profile(order: Order, source: str, *, after_job: bool = False) -> Trace:
    """Returns what was written."""
    # Only this needs NumPy and the readers: a thread that falls back to `write_json` must not load them.
    from tb_plugin.formats import reader
    from tb_plugin.formats.stored import profile_pb

    trace = _with_live(reader.read(source), order)
    if after_job:
        trace = dataclasses.replace(trace, issues=(_job_ended(order), *trace.issues))
    target = Path(order.profile_target)
    target.parent.mkdir(parents=True, exist_ok=True)
    profile_pb.write(trace, target)
    return trace


def write_summary(order: Order, trace: Trace) -> None:
    """Of a rank that is not alone; `trace` is what `write_profile` wrote."""
    if (trace.info.world_size or 1) < 2:
        return
    from tb_plugin.formats.stored import rank_summary
    from tb_plugin.trace.rank.summarise import summarise

    files = rank_summary.made_of((Path(order.profile_target), Path(order.json_target)))
    rank_summary.write(summarise(trace), files, Path(order.summary_target))


def _job_ended(order: Order) -> Issue:
    from tb_plugin.trace.model import Issue

    text = "the job ended before this profile was finished; it was made from what lay on disk"
    if order.live is None:
        text += ": scopes, tensors and names that only the living profile knew are not recorded"
    return Issue(kind="job_ended", text=text)


def _with_live(trace: Trace, order: Order) -> Trace:
    """The trace and what only the job knew."""
    from tb_plugin.capture.live import rows
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
        found = rows.load(file, order.n_live, order.live_texts)
    trace = rows.joined(dataclasses.replace(trace, info=info), found)
    found_by_us = {
        MODULE_NAMES: of_frames(trace, facts.modules) if facts.modules else {},
        OPERATOR_SCHEMAS: order.schemas,
    }
    metadata = info.metadata | {key: value for key, value in found_by_us.items() if value}
    return dataclasses.replace(trace, info=msgspec.structs.replace(info, metadata=metadata))


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return " ".join(f"{type(error).__name__}: {error}".split())
