"""Asks a question of profiles that are named by paths, one after the other, and keeps the answers. For the shell."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from tb_plugin.answers import baseline
from tb_plugin.answers.members import Members
from tb_plugin.base import progress
from tb_plugin.base.errors import FormatError, NotFoundError, UsageError
from tb_plugin.formats import reader
from tb_plugin.formats.registry import SUMMARY_ENDING
from tb_plugin.runs import discover, logdirs, names, store, watch
from tb_plugin.runs.catalogue import ProfileFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.progress import OnProgress
    from tb_plugin.question.question import Question
    from tb_plugin.runs.catalogue import Run, Span, Worker


class Answered(NamedTuple):
    """A path, what it is called beside the others, and the answers: one of a file, of a run one a span."""

    label: str
    answers: list[Any]


def ask_paths(
    question: Question[Any, Any], paths: Sequence[str], params: msgspec.Struct, *, on_progress: OnProgress = progress.silent
) -> list[Answered]:
    """Each path is a profile, a directory with one run (then all spans of its first worker), or a baseline (`baseline.py`).

    Every profile is opened by a child process, so this one holds none; the second time by nobody.
    Raises NotFoundError, UsageError, or FormatError, also for a profile without an answer.
    """
    opened = store.ProfileStore(watch.Watch(()))
    asked = Members(opened)
    try:
        kept = [baseline.read(place, question, params) if (place := baseline.place_of(path)) else None for path in paths]
        recordings = [_recordings(path) if one is None else _Recordings([]) for path, one in zip(paths, kept, strict=True)]
        n_all, n_done = sum(len(one.profiles) for one in recordings), 0
        answered = []
        for path, label, recording, known in zip(paths, _labels(paths), recordings, kept, strict=True):
            if known is not None:
                answered.append(Answered(f"baseline {known[0]}", known[1]))
                continue
            answers = []
            for one in recording.profiles:
                told = asked.told(one, question, params, progress.part(on_progress, n_done / n_all, (n_done + 1) / n_all))
                if told.answer is None:
                    raise FormatError(path, told.missing or "it says nothing")
                answers.append(msgspec.convert(told.answer, question.reply))
                n_done += 1
            answered.append(Answered(f"{label}{recording.which}", answers))
        return answered
    finally:
        opened.close()
        asked.close()


class _Recordings(NamedTuple):
    """The files of each profile, and which worker they are of where there are several."""

    profiles: list[tuple[ProfileFile, ...]]
    which: str = ""


def _recordings(path: str) -> _Recordings:
    where = Path(path).expanduser()
    if not where.is_dir():
        reader.refuse_pipe(where)
        if where.name.endswith(SUMMARY_ENDING):
            raise FormatError(path, "a summary of a rank has no operators: name its profile, or what `tb-plugin baseline` keeps")
        try:
            return _Recordings([(ProfileFile.of(str(where), where.stat()),)])
        except OSError as error:
            raise NotFoundError(f"{path}: {error.strerror or 'no such file'}") from error
    run = _run(path)
    worker = run.opens()
    which = f" · {worker.identity().label} of {len(run.workers)} workers" if len(run.workers) > 1 else ""
    return _Recordings([span.files for span in _asked(worker)], which)


def _run(path: str) -> Run:
    catalogue = discover.search(logdirs.from_flags(path, None))
    runs = [run for run in catalogue.runs if run.is_usable(lambda _: False)]
    if not runs:
        raise NotFoundError(f"{path}: no profile here; searched for {', '.join(names.SEARCHED)}")
    if len(runs) > 1:
        there = ", ".join(sorted(os.path.join(path, run.name) for run in runs)[:5])  # noqa: PTH118  as it was given
        raise UsageError(f"{path} holds {len(runs)} runs: name one, as {there}")
    return runs[0]


def _asked(worker: Worker) -> list[Span]:
    return [span for span in worker.spans if span.is_asked and not span.memory_only] or list(worker.spans[-1:])


def _labels(paths: Sequence[str]) -> list[str]:
    """The shortest ends of the paths that tell them apart, without what all profiles end with."""
    parts = [Path(path).expanduser().resolve().parts for path in paths]
    deepest = max(map(len, parts))
    for depth in range(1, deepest + 1):
        labels = ["/".join(part[-depth:]) for part in parts]
        if len(set(labels)) == len({*parts}):
            break
    return [label.partition(".pt.")[0].removesuffix(".gz").removesuffix(".json") for label in labels]
