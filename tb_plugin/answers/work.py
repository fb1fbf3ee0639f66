"""`python -m tb_plugin.answers.work`: for each line of stdin opens one profile and answers a list of questions.

A line is JSON: `[PROFILE, QUESTIONS, TARGET, ...]`. QUESTIONS is JSON, `[["view/runs/summary", {}], ...]`. Each has its TARGET,
that gets a list with one `Told`; the first of them is what is waited for. Each profile has the limits of its own size. Progress
goes to stdout, why it failed, which ends it, to stderr, as `base.child_process` has it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tb_plugin.answers import questions
from tb_plugin.base import child_process, progress
from tb_plugin.base.errors import TbPluginError
from tb_plugin.formats import reader, whole_file
from tb_plugin.formats.stored import mapped
from tb_plugin.runs.store import first_readable
from tb_plugin.runs.summaries import read_limited

if TYPE_CHECKING:
    from tb_plugin.base.progress import OnProgress
    from tb_plugin.question.question import Question
    from tb_plugin.runs.catalogue import ProfileFile
    from tb_plugin.trace.model import Trace

_READ = 0.6
_NICENESS = 10


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """What a profile says to one question: an answer, or in a sentence why there is none."""

    missing: str | None
    answer: Any


def work(profile: str, asked: list[tuple[str, dict[str, Any]]], targets: list[str], on_progress: OnProgress) -> None:
    path = Path(profile)
    is_ours = profile.endswith(mapped.ENDING)
    trace = mapped.read(path) if is_ours else reader.read(path, progress.part(on_progress, 0.0, _READ))
    on_progress(_READ, "answering")
    for (name, given), target in zip(asked, targets, strict=True):
        question = questions.of_one(name)
        _write(question, trace, question.params_from(given), target)
    on_progress(1.0, "done")


def answer_file(task: tuple[tuple[ProfileFile, ...], str, bytes, str]) -> bool:
    """Of (files of one profile, question, its Params, TARGET): whether the answer stands there now. For an engine."""
    files, name, given, target = task
    question = questions.of_one(name)
    try:
        trace, _ = first_readable(files, read_limited)
        _write(question, trace, msgspec.json.decode(given, type=question.params), target)
    except (TbPluginError, OSError, MemoryError):
        return False
    return True


def _write(question: Question[Any, Any], trace: Trace, params: msgspec.Struct, target: str) -> None:
    missing = question.missing(trace)
    answer = question.answer(trace, params) if missing is None else None
    with whole_file.written(Path(target)) as file:
        file.write(msgspec.json.encode([Told(missing=missing, answer=answer)]))


def _work_limited(arguments: list[str], on_progress: OnProgress) -> None:
    profile, asked, *targets = arguments
    with child_process.limited(child_process.most_for_asking(Path(profile))):  # it may be a stranger's own file
        work(profile, msgspec.json.decode(asked), targets, on_progress)


def main() -> int:
    with suppress(OSError, AttributeError):  # whoever looks at a profile now comes first
        os.nice(_NICENESS)
    return child_process.report_each(_work_limited)


if __name__ == "__main__":
    child_process.exit_with(main)
