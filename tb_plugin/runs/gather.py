"""Files with what their names and first bytes say become runs, workers and spans. Every file is in exactly one span.

profile_traces/iteration_5/rank0_trace.json   -> run profile_traces, worker rank0_trace "rank 0", span iteration_5
logs/fit-0-training_step.1717....pt.trace...  -> two nodes, one name: where the contents say different ranks, two workers
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from tb_plugin.runs import names, rounds
from tb_plugin.runs.catalogue import Address, ProfileFile, Run, Span, Worker
from tb_plugin.runs.heads import Head
from tb_plugin.runs.jobs import ONLY_JOB, SeenProfile, jobs_among

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tb_plugin.runs.frameworks import Said
    from tb_plugin.runs.jobs import OneJob
    from tb_plugin.runs.names import FileName


class FoundFile(NamedTuple):
    """A file of a logdir, what its names say, and what they would be called if no framework were known."""

    file: ProfileFile
    name: FileName
    said: Said
    run: str
    named_rank: int | None
    folder: str
    """The run that its folder would be."""

    @property
    def was(self) -> Address:
        return Address(self.folder, self.name.worker, self.name.span)


class _Profile(NamedTuple):
    """Files that hold the same recording: of one folder and one name, however they end."""

    found: list[FoundFile]
    said: Said
    head: Head
    summary: ProfileFile | None

    @property
    def rank(self) -> int | None:
        return self.head.rank

    @property
    def when_ns(self) -> int | None:
        return self.head.began_ns if self.said.time_ns is None else self.said.time_ns


def gather(found: Iterable[FoundFile], head_of: Callable[[ProfileFile], Head | None]) -> tuple[Run, ...]:
    runs: dict[str, list[_Profile]] = defaultdict(list)
    for profile in _profiles(found, head_of):
        runs[profile.found[0].run].append(profile)
    made = [_run(name, profiles) for name, profiles in runs.items()]
    return tuple(sorted(made, key=run_key))


def run_key(run: Run) -> tuple[object, ...]:
    """Natural order, those of other tools last."""
    return run.foreign, names.natural_key(run.name)


def _profiles(found: Iterable[FoundFile], head_of: Callable[[ProfileFile], Head | None]) -> list[_Profile]:
    same: dict[tuple[object, ...], list[FoundFile]] = defaultdict(list)
    for each in found:
        folder = os.path.dirname(each.file.path)  # noqa: PTH120 - of thousands of files
        same[each.folder, folder, each.name.stem.removesuffix(".trace"), each.said.kind].append(each)
    profiles = []
    for of_name in same.values():
        files = [each for each in of_name if not each.name.is_summary] or of_name[:1]  # beside its profile it is no file
        summary = next((each.file for each in of_name if each.name.is_summary), None) if len(files) < len(of_name) else None
        if len(files) > 1:
            files.sort(key=lambda each: names.opening_key(each.file.name))
        heads = [head for each in files if (head := head_of(each.file)) is not None]
        profiles.append(_Profile(files, files[0].said, Head.joined(heads), summary))
    return profiles


def _run(name: str, profiles: Sequence[_Profile]) -> Run:
    by_name: dict[str, list[_Profile]] = defaultdict(list)
    for profile in profiles:
        by_name[profile.said.worker].append(profile)
    jobs = _jobs(profiles)
    parted: dict[str, list[_Profile]] = defaultdict(list)
    for worker, of_worker in by_name.items():
        several_ranks = len({profile.rank for profile in of_worker} - {None}) > 1
        several_jobs = len({jobs[id(profile)].place for profile in of_worker}) > 1
        for profile in of_worker:
            size = profile.head.world_size
            of_job = f"@of{size}" if several_jobs and size is not None else ""
            of_rank = f"@rank{profile.rank}" if several_ranks and profile.rank is not None else ""
            parted[worker + of_job + of_rank].append(profile)
    shown = _Shown.of(profiles)
    job_of = {worker: jobs[id(of_worker[0])] for worker, of_worker in parted.items()}
    order = sorted(parted, key=lambda worker: _worker_key(worker, parted[worker], shown, job_of[worker]))
    workers = _distinct([_worker(name, worker, parted[worker], shown, job_of[worker]) for worker in order])
    return _with_what_opens(Run(name=name, workers=workers))


def _with_what_opens(run: Run) -> Run:
    if len(run.workers) == 1 or all(len(worker.spans) == 1 for worker in run.workers):  # most, and there may be thousands
        return run
    likely = {of.worker.name: of.likely.name for job in run.by_job() for of in rounds.by_default(job, lambda _: False)}
    return replace(run, workers=tuple(replace(worker, opens_with=likely[worker.name]) for worker in run.workers))


def _jobs(profiles: Sequence[_Profile]) -> dict[int, OneJob]:
    """By the profile's identity. What another tool wrote is of no job: it stands with the first."""
    own = [profile for profile in profiles if not profile.head.foreign]
    seen = [
        SeenProfile(
            worker=profile.said.worker,
            rank=_rank([profile]),
            world_size=profile.head.world_size,
            when_ns=profile.when_ns,
            host=profile.head.host,
            groups=profile.head.groups,
        )
        for profile in own
    ]
    found = {id(profile): ONLY_JOB for profile in profiles}
    return found | {id(profile): job for profile, job in zip(own, jobs_among(seen), strict=True)}


@dataclass(frozen=True, kw_only=True)
class _Shown:
    """What tells the workers of a run apart: the rest need not stand in every label."""

    groups: bool
    places: frozenset[str]

    @staticmethod
    def of(profiles: Sequence[_Profile]) -> _Shown:
        values: dict[str, set[int]] = defaultdict(set)
        for profile in profiles:
            for place, value in profile.said.place:
                values[place].add(value)
        return _Shown(
            groups=len({profile.said.group for profile in profiles}) > 1,
            places=frozenset(place for place, found in values.items() if len(found) > 1),
        )

    def about(self, said: Said) -> str:
        differ = [(place, value) for place, value in said.place if place in self.places]
        places = differ or (said.place if said.rank is None else ())
        return " · ".join((*said.worker_parts, *(f"{place.upper()} {value}" for place, value in places)))


def _worker_key(name: str, profiles: Sequence[_Profile], shown: _Shown, job: OneJob) -> tuple[object, ...]:
    said, rank = profiles[0].said, _rank(profiles)
    return (
        all(profile.head.foreign for profile in profiles),
        said.listed_last,
        job.place,
        said.group if shown.groups else "",
        rank is None,
        rank or 0,
        names.natural_key(name),
    )


def _rank(profiles: Sequence[_Profile]) -> int | None:
    return next((rank for profile in profiles for rank in (profile.rank, profile.found[0].named_rank) if rank is not None), None)


def _worker(run: str, name: str, profiles: Sequence[_Profile], shown: _Shown, job: OneJob) -> Worker:
    said = profiles[0].said
    return Worker(
        name=name,
        spans=_spans(run, name, profiles),
        named_rank=profiles[0].found[0].named_rank,
        content_rank=next((profile.rank for profile in profiles if profile.rank is not None), None),
        place=said.place,
        group=" · ".join(dict.fromkeys(filter(None, (*job.title.split(" · "), said.group if shown.groups else "")))),
        about=shown.about(said),
        job=job,
    )


def _distinct(workers: Sequence[Worker]) -> tuple[Worker, ...]:
    """Two of one label say their names as well."""
    labels = Counter(worker.identity().label for worker in workers)
    return tuple(
        replace(worker, about=" · ".join(filter(None, (worker.about, worker.name))))
        if labels[worker.identity().label] > 1
        else worker
        for worker in workers
    )


def _spans(run: str, worker: str, profiles: Sequence[_Profile]) -> tuple[Span, ...]:
    """A memory snapshot stands beside the trace of the same span. Two that would have one name keep their files' names too."""
    if len(profiles) == 1:  # most have one, and there may be thousands
        return (_span(Address(run, worker, profiles[0].said.span), profiles[0]),)
    traces = {profile.said.span for profile in profiles if profile.said.kind == "trace"}
    wanted = [
        f"{profile.said.span}-memory" if profile.said.kind == "memory" and profile.said.span in traces else profile.said.span
        for profile in profiles
    ]
    times = Counter(wanted)
    taken = {name for name, n in times.items() if n == 1}
    made: list[tuple[tuple[object, ...], Span]] = []
    for profile, name in sorted(zip(profiles, wanted, strict=True), key=lambda pair: pair[0].found[0].file.path):
        if times[name] > 1:
            first = f"{name}/{profile.found[0].name.stem}"
            name = next(free for n in range(1, len(profiles) + 1) if (free := first if n == 1 else f"{first}#{n}") not in taken)
            taken.add(name)
        made.append((_span_key(profile.said, name), _span(Address(run, worker, name), profile)))
    return tuple(span for _, span in sorted(made, key=lambda pair: pair[0]))


def _span_key(said: Said, name: str) -> tuple[object, ...]:
    """Counted spans by their number, timed ones by their time, those without either first."""
    place = (
        (1, said.number, said.time_ns or 0)
        if said.number is not None
        else (0 if said.time_ns is None else 2, said.time_ns or 0, 0)
    )
    return (*place, said.kind == "trace", names.natural_key(name))


def _span(address: Address, profile: _Profile) -> Span:
    said, was = profile.said, profile.found[0].was
    memory = said.kind == "memory"
    return Span(
        name=address.span,
        files=tuple(each.file for each in profile.found),
        label=" · ".join((*said.span_parts, *(["memory snapshot"] if memory else []))) or None,
        time_ns=said.time_ns,
        began_ns=profile.head.began_ns,
        memory_only=memory,
        foreign=profile.head.foreign,
        is_summary=profile.found[0].name.is_summary,
        summary=profile.summary,
        was=None if was == address else was,
    )
