"""Of workers that recorded several times: which of their spans are one recording of the job, before any of them is read.

    rank 0   a      b
    rank 1   a      b
    rank 2   a             c       a is asked about: three have it; b of two and c of one are not, and it is said why

By when each began, as its first bytes say, or its name: `job/recordings/` knows more, once it has read them. Spans of several
workers are one recording where they began within a minute, and within half of the time from one span of a worker to its next.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

from tb_plugin.base.units import format_ns

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tb_plugin.runs.catalogue import Run, Span, Worker

_APART_NS: Final = 60_000_000_000
"""As in `job/recordings/`."""


class OfWorker(NamedTuple):
    """`asked`: mostly one; two that began at once are told apart by who reads them, until then `likely` is the one that is used.
    `older`: names of its parts of earlier recordings of the job. `left`: those of no such recording, and why each is not asked.
    """

    worker: Worker
    asked: tuple[Span, ...]
    likely: Span
    older: tuple[str, ...] = ()
    left: tuple[tuple[Span, str], ...] = ()


class _Dated(NamedTuple):
    when_ns: int
    place: int  # of its worker
    span: Span


class _Round(NamedTuple):
    """Spans of one recording, the newest first. `first`: the name of that of its first worker."""

    when_ns: int
    n_workers: int
    first: str
    spans: list[_Dated]


def by_default(job: Run, failed: Callable[[Span], bool]) -> list[OfWorker]:
    """Of each worker its part of the recording that most have, of equal ones the newest; its newest where it has none of that."""
    if len(job.workers) == 1 or all(len(worker.spans) == 1 for worker in job.workers):  # most, and there may be thousands
        return [_newest(worker, failed) for worker in job.workers]
    recorded = [_recorded(worker) for worker in job.workers]
    if not any(recorded):
        return [_newest(worker, failed) for worker in job.workers]
    dated, apart_ns = _dated(recorded)
    rounds = _rounds(dated, apart_ns)
    shown = max(rounds, key=lambda one: one.n_workers)
    of_place: dict[int, list[tuple[_Round, _Dated]]] = {}
    for each in rounds:
        for one in each.spans:
            of_place.setdefault(one.place, []).append((each, one))
    return [
        _of_worker(worker, of_place[place], shown) if place in of_place else _newest(worker, failed)
        for place, worker in enumerate(job.workers)
    ]


def n_recordings(job: Run) -> int:
    """By when each of its spans began, as far as that is told: two jobs in one folder are two, too, where nothing else tells."""
    recorded = [_recorded(worker) for worker in job.workers]
    most = max(map(len, recorded), default=0)
    spans = [span for of in recorded for span in of]
    if len(recorded) == 1 or any(span.dated_ns is None for span in spans):
        return most
    if most == 1 and any(span.began_ns is None for span in spans):
        return most  # names are dated when they are written, by some ranks minutes after the others
    return len(_rounds(*_dated(recorded))) if spans else 0


def is_default(run: Run, worker: Worker, span: Span) -> bool:
    """Whether it is asked about where a worker is named, and no span."""
    job = next(job for job in run.by_job() if worker in job.workers)
    return any(span in of.asked for of in by_default(job, lambda _: False) if of.worker is worker)


def _newest(worker: Worker, failed: Callable[[Span], bool]) -> OfWorker:
    span = worker.opens(failed)
    return OfWorker(worker, (span,), span)


def _recorded(worker: Worker) -> list[Span]:
    return [span for span in worker.spans if not (span.foreign or span.memory_only or span.is_dumps or _is_empty(span))]


def _is_empty(span: Span) -> bool:
    return not any(file.size_bytes for file in span.files)


def _dated(recorded: Sequence[Sequence[Span]]) -> tuple[list[_Dated], float]:
    """(the newest first, from when on two are of two recordings). All by one kind of time: names are dated when they are written,
    after the recording. By these where first bytes do not tell, or say that all of a worker began at once: copies of one.
    """
    spans = [(place, span) for place, of in enumerate(recorded) for span in of]
    began = [_Dated(span.began_ns, place, span) for place, span in spans if span.began_ns is not None]
    if len(began) == len(spans) and (apart_ns := _apart_ns(began)) > 0:
        return _newest_first(began), apart_ns
    by_name = [_Dated(span.when_ns, place, span) for place, span in spans]
    return _newest_first(by_name), _apart_ns(by_name)


def _newest_first(dated: Sequence[_Dated]) -> list[_Dated]:
    return sorted(dated, key=lambda one: -one.when_ns)


def _apart_ns(dated: Sequence[_Dated]) -> float:
    """A rank with a file too many says nothing where most have one."""
    before: dict[int, int] = {}
    between: dict[int, list[int]] = {one.place: [] for one in dated}
    for one in _newest_first(dated):
        if one.place in before:
            between[one.place].append(before[one.place] - one.when_ns)
        before[one.place] = one.when_ns
    return min(_APART_NS, median(median(of) if of else float("inf") for of in between.values()) / 2)


def _rounds(dated: Sequence[_Dated], apart_ns: float) -> list[_Round]:
    found: list[list[_Dated]] = []
    for one in dated:
        if found and found[-1][0].when_ns - one.when_ns <= apart_ns:
            found[-1].append(one)
        else:
            found.append([one])
    return [
        _Round(each[0].when_ns, len({one.place for one in each}), min(each, key=lambda one: one.place).span.name, each)
        for each in found
    ]


def _of_worker(worker: Worker, mine: Sequence[tuple[_Round, _Dated]], shown: _Round) -> OfWorker:
    """`mine`: its spans, the newest first."""
    asked = [(of, one) for of, one in mine if of is shown] or [mine[0]]
    own, first = asked[0]
    left = [(span, f"{span.files[0].name}: the file is empty") for span in worker.spans if _is_empty(span)]
    older = []
    for of, one in mine[::-1]:
        if of is own and (of is shown or one is first):
            continue
        if one.when_ns <= first.when_ns and 2 * of.n_workers > own.n_workers:
            older.append(one.span.name)
        else:
            left.append((one.span, _why_left(one, of, own)))
    usual_ns = median(one.when_ns for one in own.spans)
    _, likely = min(asked, key=lambda each: abs(each[1].when_ns - usual_ns))
    return OfWorker(worker, tuple(one.span for _, one in asked[::-1]), likely.span, tuple(older), tuple(left))


def _why_left(one: _Dated, of: _Round, own: _Round) -> str:
    """Alike of all of one recording, so that they are named together."""
    later_ns = of.when_ns - own.when_ns
    when = f"{format_ns(abs(later_ns))} {'later' if later_ns >= 0 else 'earlier'} than what is used"
    file = f" ({one.span.files[0].name})" if len(of.spans) == 1 else ""
    have = f"{of.n_workers} profile{' is' if of.n_workers == 1 else 's are'} of that time, {own.n_workers} of the other"
    return f"dated {when}{file}: {have}; shown with span {of.first}"
