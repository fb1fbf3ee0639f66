"""`python -m tb_plugin.answers.work PROFILE TARGET QUESTIONS`: opens one profile, answers a list of questions, and ends.

QUESTIONS is JSON, `[["view/runs/summary", {}], ...]`. TARGET gets a list with a `Told` for each, in that order. Progress goes to
stdout, why it failed to stderr, as `base.child_process` has it.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tb_plugin.answers import questions
from tb_plugin.base import child_process, progress
from tb_plugin.formats import reader, whole_file

if TYPE_CHECKING:
    from tb_plugin.base.progress import OnProgress

_READ = 0.6
_NICENESS = 10


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """What a profile says to one question: an answer, or in a sentence why there is none."""

    missing: str | None
    answer: Any


def work(profile: str, target: str, asked: list[tuple[str, dict[str, Any]]], on_progress: OnProgress) -> None:
    trace = reader.read(profile, progress.part(on_progress, 0.0, _READ))
    on_progress(_READ, "answering")
    told = []
    for name, given in asked:
        question = questions.of_one(name)
        missing = question.missing(trace)
        answer = question.answer(trace, question.params_from(given)) if missing is None else None
        told.append(Told(missing=missing, answer=answer))
    with whole_file.written(Path(target)) as file:
        file.write(msgspec.json.encode(told))
    on_progress(1.0, "done")


def main() -> int:
    profile, target, asked = sys.argv[1:]
    with suppress(OSError, AttributeError):  # whoever looks at a profile now comes first
        os.nice(_NICENESS)
    return child_process.report(lambda on_progress: work(profile, target, msgspec.json.decode(asked), on_progress), profile)


if __name__ == "__main__":
    child_process.exit_with(main)
