"""What profiles have answered, as bytes: in memory, beside the profile, or on disk beside the cache."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from tb_plugin.answers import questions
from tb_plugin.answers.work import Told
from tb_plugin.base.errors import FormatError
from tb_plugin.runs import summaries

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from tb_plugin.question.question import Question
    from tb_plugin.runs.cache import ProfileCache
    from tb_plugin.runs.catalogue import ProfileFile

_KEPT_BYTES: Final = 64 << 20
_MOST_TOLD: Final = 4096
"""Summaries of ranks that are kept decoded: as many as a job has that is shown."""


class Task(NamedTuple):
    """What a child is to answer, as a value: another one is another question, or of files that have changed."""

    files: tuple[ProfileFile, ...]
    question: str
    given: bytes  # its Params as JSON
    code: str
    summary: ProfileFile | None = None  # beside the profile, of who is answered by that


class ProfileAnswers:
    """Safe to use from any thread."""

    def __init__(self, cache: ProfileCache) -> None:
        self._cache = cache
        self._lock = threading.Lock()
        self._in_memory: OrderedDict[Task, bytes] = OrderedDict()
        self._n_bytes = 0  # of these; counted as they come and go, since there may be thousands
        self._told: dict[Task, tuple[bytes, Told]] = {}  # of summaries of ranks, decoded
        self._not_used: dict[Task, str] = {}

    def why_not_used(self, task: Task) -> str | None:
        """Why what lies beside a profile, or of a rank alone, is not its answer."""
        return self._not_used.get(task)

    def path(self, task: Task) -> Path:
        return self._cache.answer_path(repr(task._replace(summary=None)))

    def read(self, task: Task) -> bytes | None:
        return self.read_each([task])[task]

    def read_each(self, tasks: Iterable[Task]) -> dict[Task, bytes | None]:
        """None of those that nobody has answered."""
        with self._lock:
            found = {task: self._in_memory.get(task) for task in tasks}
        new = self._beside_profiles([task for task, kept in found.items() if kept is None])
        new = {task: kept or self._in_cache(task) for task, kept in new.items()}
        with self._lock:
            for task, kept in new.items():
                if kept is not None:
                    self._n_bytes += len(kept) - len(self._in_memory.pop(task, b""))  # another thread may have read it too
                    self._in_memory[task] = kept
            while self._n_bytes > _KEPT_BYTES:
                self._n_bytes -= len(self._in_memory.popitem(last=False)[1])
        return found | new

    def decoded(self, question: Question[Any, Any], task: Task, kept: bytes) -> Told:
        """What it says, as a reply. A rank's summary is the same object while its bytes are: so who joins thousands sees at once
        that nothing has changed.
        """
        before = self._told.get(task)
        if before is not None and before[0] is kept:
            return before[1]
        (told,) = msgspec.json.decode(kept, type=list[Told])
        answer = None if told.answer is None else msgspec.convert(told.answer, question.reply)
        found = Told(missing=told.missing, answer=answer)
        if question.is_beside:
            self._keep_told(task, kept, found)
        return found

    def _keep_told(self, task: Task, kept: bytes, told: Told) -> None:
        with self._lock:
            self._told[task] = (kept, told)
            while len(self._told) > _MOST_TOLD:
                del self._told[next(iter(self._told))]

    def _beside_profiles(self, tasks: Sequence[Task]) -> dict[Task, bytes | None]:
        is_beside = [task for task in tasks if questions.of_one(task.question).is_beside]
        answers: dict[Task, bytes | None] = dict.fromkeys(tasks)
        for task, found in zip(is_beside, summaries.beside_each(task.files for task in is_beside), strict=True):
            if isinstance(found, FormatError):
                self._not_used[task] = found.reason
                continue
            self._not_used.pop(task, None)
            if found is not None:
                told = Told(missing=None, answer=found)
                answers[task] = kept = msgspec.json.encode([told])
                self._keep_told(task, kept, told)
        return answers

    def _in_cache(self, task: Task) -> bytes | None:
        try:
            kept = self.path(task).read_bytes()
            msgspec.json.decode(kept, type=list[Told])
        except (OSError, msgspec.DecodeError):
            return None
        return kept
