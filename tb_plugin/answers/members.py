"""Which profiles a joint question is about, and what each of them has answered so far.

    kept in memory? -> beside the profile? -> on disk, beside the cache? -> a child opens the profile and answers

An answer depends on the files, the question with its Params, and the code that makes it, and on nothing else: so it is kept by
these, and the second visit reads small files. Two children at a time, the one asked for last first; one that has answered of a
small profile goes on with the next.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from tb_plugin.answers import baseline, questions
from tb_plugin.answers.found_profiles import FoundProfile, is_asked, profiles
from tb_plugin.answers.kept_lists import KeptLists, State
from tb_plugin.answers.profile_answers import ProfileAnswers, Task
from tb_plugin.answers.work import Told, answer_file
from tb_plugin.base import devices_file, progress
from tb_plugin.base.errors import TbPluginError
from tb_plugin.question.joint import Member
from tb_plugin.runs.child import SMALL_BYTES
from tb_plugin.runs.engines import fitting
from tb_plugin.runs.loading import CANCELLED, READ_AGAIN, CancelledError, Loader, Loading
from tb_plugin.runs.marks import marks_of
from tb_plugin.runs.source import READING, fingerprint_of
from tb_plugin.runs.store import first_readable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tb_plugin.base.progress import OnProgress
    from tb_plugin.question.joint import Joint
    from tb_plugin.question.question import Question
    from tb_plugin.runs.catalogue import Catalogue, ProfileFile, Span
    from tb_plugin.runs.child import Staying
    from tb_plugin.runs.store import ProfileStore

_OPENED: Final = 0.8
"""Of a child's time; where the profile is converted first, that is most of it."""

_OPEN_BYTES: Final = 64 << 20
_LOOKED_FOR_S: Final = 5.0
_NOTHING: Final = b"{}"
"""Params of the summaries, which take none."""
_GONE: Final = "the profile is not here any more; this is what its summary says"
_FROM_PROFILE: Final = "read from the profile itself, so nothing is missing; the summary beside it is not used"
_FOREIGN: Final = "written by another tool, not by torch: Timeline can show it, views of runs and ranks cannot"


_NO_ANSWER: Final = Told(missing=None, answer=None)


class Members:
    """Safe to use from any thread. Starts nothing until it is asked."""

    def __init__(self, store: ProfileStore) -> None:
        self._store = store
        self._asked: Loader[Task, bytes] = Loader(self._asking, size_of=len, max_open_bytes=_OPEN_BYTES)
        self._kept = ProfileAnswers(store.cache)
        self._lists = KeptLists()

    def of(self, joint: Joint[Any, Any, Any], params: msgspec.Struct, *, asks: bool = True) -> list[Member[Any]]:
        """All members in the order of the catalogue, as they are now; if `asks`, who is not yet asked is asked, the newest first.
        The same list while nothing has changed.

        NotFoundError for a run that is not there names those that are.
        """
        catalogue, reasons = self._store.catalogue(), marks_of(self._store.watch.logdirs).reasons
        state = None if joint.has_baseline or reasons else State(catalogue, self._store.n_opened)
        return self._lists.get(joint, params, state, lambda: self._of(joint, params, catalogue, reasons, asks=asks))

    def _of(
        self,
        joint: Joint[Any, Any, Any],
        params: msgspec.Struct,
        catalogue: Catalogue,
        marks: Mapping[tuple[str, str | None], str],
        *,
        asks: bool,
    ) -> tuple[list[Member[Any]], bool]:
        """(the members, whether only other files can change them)."""
        question = joint.of_each
        found = self._chosen(joint, params, catalogue)
        named: str | None = getattr(params, "run", None)
        if not found and named is not None:
            catalogue = self._store.watch.look_again(_LOOKED_FOR_S)  # it is new, or the first scan has not reached it yet
            catalogue.choose(named)
            found = self._chosen(joint, params, catalogue)
        tasks = {place: _task(joint, params, one.span) for place, one in enumerate(found) if is_asked(one, joint)}
        states = self._look({place: (found[place].span, task) for place, task in tasks.items()})
        for place in sorted(states, key=lambda place: found[place].span.when_ns):  # the last one asked is the next one done
            if asks and states[place].state == "found":
                states[place] = self._asked.ask(_key(found[place].span, tasks[place]), tasks[place])
        notes = {place: self._kept.why_not_used(task) for place, task in tasks.items()}
        answers = {place: self._answer(question, tasks[place], now) for place, now in states.items()}
        made = [
            _member(one, states.get(place), answers.get(place, _NO_ANSWER), notes.get(place)) for place, one in enumerate(found)
        ]
        reasons = _reasons(marks, made)
        for place, member in enumerate(made if reasons else ()):
            made[place] = replace(member, new_normal=reasons.get((member.run, member.span)))
        is_settled = all(self._is_settled(found[at].span, tasks[at], states[at]) for at in tasks)
        return made + (list(self._baselines(question, joint.asked(params))) if joint.has_baseline else []), is_settled

    def _is_settled(self, span: Span, task: Task, now: Loading[bytes]) -> bool:
        return now.state == "ready" or span.is_summary or self._asked.is_settled(_key(span, task), task)

    def _answer(self, question: Question[Any, Any], task: Task, now: Loading[bytes]) -> Told:
        if now.state == "failed" or now.value is None:
            return _NO_ANSWER
        return self._kept.decoded(question, task, now.value)

    def _baselines(self, question: Question[Any, Any], params: msgspec.Struct) -> Iterator[Member[Any]]:
        """What is kept in the log directories themselves."""
        for logdir in self._store.watch.logdirs:
            place = Path(logdir.path) / baseline.NAME
            if not place.is_file():
                continue
            try:
                label, answers = baseline.read(place, question, params)
            except TbPluginError as error:
                yield _baseline(str(error), None)
            else:
                for answer in answers:
                    yield _baseline(label, answer)

    def answer_ahead(self, joint: Joint[Any, Any, Any], params: msgspec.Struct, on_progress: OnProgress) -> None:
        """Has members answered that have not, several by one process: those whose own takes longer to start than they to read.

        These are small files, and all where nothing but this is wanted of most. What fails is nobody's answer: who asks for it
        then hears why from a child.
        """
        chosen = self._chosen(joint, params, self._store.catalogue())
        spans = [one.span for one in chosen if one.span.is_asked and one.why_left is None]
        if not joint.of_each.is_beside:
            spans = [span for span in spans if span.files[0].size_bytes < SMALL_BYTES]
        tasks = [_task(joint, params, span) for span in spans]
        untold = [task for task, kept in self._kept.read_each(tasks).items() if kept is None]
        waiting = [(task.files, task.question, task.given, str(self._kept.path(task))) for task in untold]
        engine = fitting(sum(files[0].size_bytes for files, *_ in waiting))
        for nth, _ in enumerate(engine.map_unordered(answer_file, waiting), 1):
            on_progress(nth / len(waiting), f"asking {len(waiting)} profiles")

    def _chosen(self, joint: Joint[Any, Any, Any], params: msgspec.Struct, catalogue: Catalogue) -> list[FoundProfile]:
        """In the order of the catalogue."""
        found = [
            one
            for one in profiles(catalogue, joint.over(params), self._store)
            if joint.takes(params, one.run.name, one.worker.name, one.span.name)
        ]
        if joint.most is not None and len(found) > joint.most:
            newest = sorted(range(len(found)), key=lambda place: found[place].span.when_ns)[-joint.most :]
            found = [found[place] for place in sorted(newest)]
        return found

    def told(
        self, files: tuple[ProfileFile, ...], question: Question[Any, Any], params: msgspec.Struct, on_progress: OnProgress
    ) -> Told:
        """What a profile says, now: kept, or asked in a child while this waits. Raises FormatError."""
        task = Task(files, questions.name_of(question), msgspec.json.encode(params), _code_of(question))
        kept = self._kept.read(task)
        if kept is None:
            with self._asking() as ask:
                kept = ask(task, on_progress)
        (told,) = msgspec.json.decode(kept, type=list[Told])
        return told

    def close(self) -> None:
        """Waits for what runs; the store ends the children first."""
        self._asked.close()

    def _look(self, asked: Mapping[int, tuple[Span, Task]]) -> dict[int, Loading[bytes]]:
        """How far each is. Those that a child is not at may have answered before: these are read together."""
        now = {at: self._asked.look(_key(span, task), task) for at, (span, task) in asked.items() if not span.is_summary}
        may_lie_there = [task for at, (_, task) in asked.items() if at not in now or now[at].state == "found"]
        kept = self._kept.read_each(may_lie_there)
        return {at: self._state(span, task, now.get(at), kept.get(task)) for at, (span, task) in asked.items()}

    def _state(self, span: Span, task: Task, now: Loading[bytes] | None, kept: bytes | None) -> Loading[bytes]:
        """`now` is None of a summary whose profile is gone."""
        if kept is not None:
            return Loading(state="ready", progress=1.0, value=kept)
        if now is None:
            return Loading(state="failed", error=self._kept.why_not_used(task))
        if now.state != "ready" and self._store.was_cancelled(task.files):
            return Loading(state="failed", error=f"{CANCELLED}: {READ_AGAIN}", is_cancelled=True)
        return now

    @contextmanager
    def _asking(self) -> Iterator[Callable[[Task, OnProgress], bytes]]:
        """Of each task the first of the files that can be opened answers."""
        with self._store.children.staying("tb_plugin.answers.work") as child:
            yield lambda task, on_progress: self._ask_first(child, task, on_progress)

    def _ask_first(self, child: Staying, task: Task, on_progress: OnProgress) -> bytes:
        try:
            return first_readable(task.files, lambda file: self._ask_about(child, file, task, on_progress))[0]
        except TbPluginError:
            if self._store.was_cancelled(task.files):  # what its child died of
                raise CancelledError(CANCELLED) from None
            raise

    def _ask_about(self, child: Staying, file: ProfileFile, task: Task, on_progress: OnProgress) -> bytes:
        question = questions.of_one(task.question)
        is_enough = question.is_beside or (question.is_summary and file.size_bytes < SMALL_BYTES)
        if is_enough and not self._store.cache.path_of(file).exists():
            profile = Path(file.path)  # most are never visited: they are not converted for it, nor by a child of their own
        else:
            profile = self._store.stored(file, progress.part(on_progress, 0.0, _OPENED))
        target = self._kept.path(task)
        with self._store.cache.turn(target, on_progress):
            told = self._kept.read(task)  # by another server, while this one waited for its turn
            return self._ask_now(child, file, profile, target, task, on_progress) if told is None else told

    def _ask_now(
        self, child: Staying, file: ProfileFile, profile: Path, target: Path, task: Task, on_progress: OnProgress
    ) -> bytes:
        tasks = [task, *(other for other in _beside(task) if not self._kept.path(other).exists())]
        asked = msgspec.json.encode([(one.question, msgspec.json.decode(one.given)) for one in tasks]).decode()
        arguments = (str(profile), asked, *(str(self._kept.path(one)) for one in tasks))
        part = progress.part(on_progress, _OPENED, 1.0)
        try:
            child.run(arguments, Path(file.path), part)
        except TbPluginError:
            if not target.exists():  # what was asked besides may fail: somebody else hears of it
                raise
        return target.read_bytes()


def _task(joint: Joint[Any, Any, Any], params: msgspec.Struct, span: Span) -> Task:
    question = joint.of_each
    given = msgspec.json.encode(joint.asked(params))
    return Task(span.files, questions.name_of(question), given, _code_of(question), span.summary if question.is_beside else None)


def _key(span: Span, task: Task) -> str:
    return f"{span.key}|{task.question}|{task.given.decode()}"


def _beside(task: Task) -> list[Task]:
    """Of the summaries, where one of them is asked, the others: opening takes longer than answering."""
    if not questions.of_one(task.question).is_summary:
        return []
    every = [task._replace(question=questions.name_of(one), given=_NOTHING, code=_code_of(one)) for one in questions.summaries()]
    return [one for one in every if one.question != task.question]


def _code_of(question: Question[Any, Any]) -> str:
    """Other code answers otherwise, and so do other peaks of devices."""
    return fingerprint_of(*READING, "findings", *_own_folder(question)) + devices_file.digest()


def _own_folder(question: Question[Any, Any]) -> Sequence[str]:
    """The folder of the package in which the answer is worked out: `views/runs`."""
    return ["/".join(question.answer.__module__.split(".")[1:-1])]


def _reasons(marks: Mapping[tuple[str, str | None], str], found: Sequence[Member[Any]]) -> dict[tuple[str, str | None], str]:
    """By run and span; where a mark names the run alone, of its first span."""
    reasons = dict(marks)
    for (run, span), reason in marks.items():
        of_run = [each for each in found if each.run == run] if span is None else []
        if of_run:
            reasons[run, min(of_run, key=lambda each: each.recorded_ns).span] = reason
    return reasons


def _baseline(said: str, answer: Any) -> Member[Any]:
    return Member(
        run=baseline.WORD,
        worker="",
        span="",
        label=said,
        recorded_ns=0,
        n_workers=1,
        n_ranks=1,
        state="failed" if answer is None else "ready",
        progress=1.0,
        reason=said if answer is None else None,
        answer=answer,
        is_baseline=True,
    )


def _member(profile: FoundProfile, now: Loading[bytes] | None, told: Told, note: str | None) -> Member[Any]:
    """`now` is None for what is not asked."""
    run, job, worker, span, why_left, older, n_recordings, n_others = profile
    answer, reason, state = told.answer, told.missing, "ready" if now is None else now.state
    if now is None:
        reason = why_left or span.why_no_profile or _FOREIGN
    elif now.state == "failed":
        note = None if span.is_summary else note  # of the summary the reason says it
        reason = f"{span.files[0].name}: {now.error}"
    elif span.is_summary:
        note = _GONE
    elif note is not None:
        note = f"{_FROM_PROFILE} ({note})"
    return Member(
        run=run.name,
        worker=worker.name,
        span=span.name,
        label=worker.identity(getattr(answer, "rank", None)).label,  # a profile that says its rank overrules its name
        recorded_ns=span.dated_ns or getattr(answer, "began_ns", None) or span.when_ns,
        n_workers=len(run.workers),
        n_ranks=len(span.files) if span.is_dumps else job.n_ranks,  # each rank leaves one
        job=worker.job.title,
        state=cast("Any", state),
        progress=1.0 if now is None else now.progress,
        reason=reason,
        answer=answer,
        note=note,
        file=span.files[0].name if span.files else "",
        size_bytes=span.size_bytes,
        other_spans=older,
        n_recordings=n_recordings,
        n_others=n_others,
    )
