"""Why a job hangs, for people: from dumps of its ranks' flight recorders, without a trace. The verdict stands first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from tb_plugin.findings.words import counted
from tb_plugin.job.hangs.hang import Fault, Frontier, frontiers, older, silent, standing
from tb_plugin.job.hangs.hang_damaged import contradict_themselves
from tb_plugin.job.hangs.hang_jobs import (
    MOST_RANKS,
    folders_once,
    jobs_among,
    members_by_others,
    not_a_member,
    once,
    otherwise_named,
    why_apart,
)
from tb_plugin.job.hangs.hang_numbers import comparable
from tb_plugin.trace.collectives.recorder import UnreadDump
from tb_plugin.views.ranks.basis.names import ranges
from tb_plugin.views.ranks.hang.hang_last import HangLast, last_calls, last_text, short

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from tb_plugin.trace.collectives.recorder import DumpFolder, RecorderDump

_MOST_STACKS: Final = 20
_OLDER: Final = "older than the others: they are past what it lacks, or began after its end; left out"
_MOST_FRAMES: Final = 20
_FRAMES_IN_TEXT: Final = 3
_MOST_NAMED: Final = 4
_MOST_REASONS: Final = 3


class HangRow(msgspec.Struct, frozen=True, kw_only=True):
    """The first collective of a group that is not over on all of its ranks."""

    group: str
    sequence: int
    collective: str
    fault: Fault
    at_fault: list[int]
    done: list[int]
    started: list[int]
    scheduled: list[int]
    missing: list[int]  # left a dump and never issued it
    differs: list[int]  # issued another call, or another size, in its place, and stand above only where nobody can be told right
    no_dump: list[int]  # left none, or one that is in `broken`
    follows: bool  # who is missing in it waits in another one, or is at fault there
    sentence: str


class HangStack(msgspec.Struct, frozen=True, kw_only=True):
    """Ranks that stand at the same place: their last collective, and the program around it, the innermost frame first."""

    ranks: list[int]
    is_at_fault: bool
    last: str
    frames: list[str]  # the program's own, where it has any


class HangBroken(msgspec.Struct, frozen=True, kw_only=True):
    """A dump that cannot be read, or is older than the others. `rank`: of which there is no other."""

    file: str
    rank: int | None
    reason: str


class HangReport(msgspec.Struct, frozen=True, kw_only=True):
    """Of the ranks of one job. `verdict` is None where every collective is over on all ranks, and each left a dump."""

    place: str  # the folder of its dumps, and the first and last of them where it holds some of several jobs
    n_dumps: int
    other_job: str | None  # a sentence where the profiles beside them say that they are of another job
    verdict: str | None
    all_over: str  # what is to be said where there is no verdict
    rows: list[HangRow]  # the cause first
    stacks: list[HangStack]
    last: list[HangLast]
    broken: list[HangBroken]


class Hangs(msgspec.Struct, frozen=True, kw_only=True):
    """One for each folder with dumps, and in a folder for each job of which several ranks left some."""

    hangs: list[HangReport]


def hangs_of(folders: Sequence[DumpFolder], sizes: Collection[int] = ()) -> Hangs:
    """Those that hang first, of other jobs last, in the order of the folders. `sizes`: of the jobs of profiles beside them."""
    found = [report for one in folders_once(folders) for report in hang_reports(one, sizes)]
    return Hangs(hangs=sorted(found, key=lambda report: (report.verdict is None, report.other_job is not None)))


def hang_reports(folder: DumpFolder, sizes: Collection[int] = ()) -> list[HangReport]:
    """The job of most dumps first. A file alone that is of none of the others is named in the first."""
    wrong = {one.file: why for one in folder.dumps if (why := not_a_member(one)) is not None}
    first, *others = jobs_among(once([one for one in folder.dumps if one.file not in wrong])) or [[]]
    alone = {part[0].file: why_apart(part[0], first) for part in others if len(part) == 1}
    known = [one._replace(rank=None) if one.rank is not None and one.rank >= MOST_RANKS else one for one in folder.broken]
    broken = [*known, *(UnreadDump(file, None, why) for file, why in (wrong | alone).items())]
    more = [part for part in others if len(part) > 1]
    if not more:
        return [_of_job(folder.place, first, broken, sizes)]
    return [
        _of_job(f"{folder.place}, {part[0].file} to {part[-1].file}", part, broken if part is first else [], sizes)
        for part in (first, *more)
    ]


def _of_job(place: str, dumps: Sequence[RecorderDump], broken: Sequence[UnreadDump], sizes: Collection[int]) -> HangReport:
    """Of a rank with two dumps the first is used, and the other one named."""
    by_rank = {one.rank: one for one in reversed(dumps)}
    twice = [
        UnreadDump(one.file, None, f"a second dump of rank {one.rank}; {by_rank[one.rank].file} is used")
        for one in dumps
        if by_rank[one.rank] is not one
    ]
    left_out = [one._replace(rank=None) if one.rank in by_rank else one for one in (*broken, *twice)]
    report = hang_report([by_rank[rank] for rank in sorted(by_rank)], left_out, place)
    return msgspec.structs.replace(report, other_job=_other_job(place, dumps, sizes))


def _other_job(place: str, dumps: Sequence[RecorderDump], sizes: Collection[int]) -> str | None:
    """By how many ranks it has; gloo's dumps do not say it, and a rank that no job here has does."""
    world = next((len(one.world) for one in dumps if one.world), None)
    highest = max((one.rank for one in dumps), default=0)
    if not sizes or (world in sizes if world is not None else highest < max(sizes)):
        return None
    n = f"{counted(highest + 1, 'rank')} or more" if world is None else counted(world, "rank")
    here = " and ".join(f"{size:,}" for size in sorted(sizes))
    return f"The dumps in folder {place} are of a job of {n}, the profiles beside them of {here}: they tell of another job."


def hang_report(dumps: Sequence[RecorderDump], broken: Sequence[UnreadDump], place: str = "") -> HangReport:
    """Of one job. Dumps that are damaged or older than the others are left out, and named with what is broken."""
    damaged = contradict_themselves(comparable(dumps)) | otherwise_named(dumps)
    broken = [*broken, *(UnreadDump(one.file, one.rank, damaged[one.file]) for one in dumps if one.file in damaged)]
    dumps = comparable(members_by_others([dump for dump in dumps if dump.file not in damaged]))
    before = older(dumps)
    if before and len(before) < len(dumps):
        broken = [*broken, *(UnreadDump(one.file, one.rank, _OLDER) for one in dumps if one.rank in before)]
        dumps = [dump for dump in dumps if dump.rank not in before]
    left = {one.rank: f"a dump that cannot be read ({_plain(one.reason)})" for one in broken if one.rank is not None}
    left |= dict.fromkeys(before, "a dump older than the others")
    found = frontiers(dumps, [*left])
    rows = [_row(one, left) for one in found]
    is_waited = any(one.is_waited_in for one in found)
    blamed = [one for one in found if not one.follows and (one.is_waited_in or not is_waited)]
    # Where nobody can be told right, nobody is marked.
    untold = [one for one in blamed if one.is_even or one.or_else]
    untold += [other for one in untold for other in one.or_else]
    at_fault = sorted({rank for one in blamed for rank in one.at_fault} - {rank for one in untold for rank in one.at_fault})
    stacks = [
        HangStack(
            ranks=list(one.ranks),
            is_at_fault=one.ranks[0] in at_fault,
            last=f"{short(one.last.name)} {one.last.sequence} of {one.last.group[1] or one.last.group[0]}",
            frames=[frame.text for frame in ([f for f in one.last.frames if not f.is_torch] or one.last.frames)[:_MOST_FRAMES]],
        )
        for one in standing(dumps, at_fault)[:_MOST_STACKS]
    ]
    return HangReport(
        place=place,
        n_dumps=len(dumps),
        other_job=None,
        verdict=rows[0].sentence
        if rows
        else _none_read(broken)
        if broken and not dumps
        else _untold(silent(dumps, [*left]), left),
        all_over=_all_over(dumps),
        rows=rows,
        stacks=stacks if rows else [],
        last=last_calls(dumps, at_fault, [one.ranks[0] for one in stacks], found[0].created_ns) if found else [],
        broken=[HangBroken(file=one.file, rank=one.rank, reason=one.reason) for one in broken],
    )


def _row(one: Frontier, left: dict[int, str]) -> HangRow:
    between = _between(one)
    apart = () if one.is_even else one.differs
    return HangRow(
        group=one.group + between,
        sequence=one.sequence,
        collective=short(one.collective),
        fault=one.fault,
        at_fault=list(one.at_fault),
        done=[rank for rank in one.done if rank not in apart],
        started=[rank for rank in one.started if rank not in apart],
        scheduled=[rank for rank in one.scheduled if rank not in apart],
        missing=list(one.missing),
        differs=list(one.differs),
        no_dump=list(one.no_dump),
        follows=one.follows,
        sentence=_sentence(one, f"{short(one.collective)} {one.sequence} of {one.group}{between}", left),
    )


def _sentence(one: Frontier, what: str, left: dict[int, str]) -> str:
    who = _ranks(one.at_fault)
    silent = f" {_why_no_dump(one.no_dump, left)}." if one.no_dump else ""
    wait = f"{_ranks(one.waiting)} wait{'s' if len(one.waiting) == 1 else ''}" if one.waiting else "nobody waits"
    waiting = f"{wait} in it"
    if one.fault == "missing":
        return f"{_ranks(one.missing).capitalize()} never issued {what}; {waiting}.{_instead(one)}{silent}{_or_else(one)}"
    if one.fault == "mismatch":
        return f"{_otherwise(one, who, what)}; {waiting}.{silent}"
    if one.fault == "out_of_order":
        return f"{who.capitalize()} did not start {what}; {waiting}.{_instead(one)}{silent}"
    if one.fault == "no_dump":
        more = "" if one.names_members else " There may be more such ranks: the dumps do not name its members."
        why = _why_no_dump(one.no_dump, left)
        if len({left.get(rank) for rank in one.no_dump}) > 1:
            return f"{who.capitalize()} may not have issued {what}; {waiting}. {why}.{more}"
        return f"{why}{', and' if ', ' in why else ' and'} may not have issued {what}; {waiting}.{more}"
    if one.fault == "overwritten":
        rings = "their rings" if len(one.overwritten) > 1 else "its ring"
        return f"{who.capitalize()} may not have issued {what}: what is left of {rings} begins later; {waiting}."
    if one.fault == "not_started":
        return f"{who.capitalize()} issued {what} and did not start it: the device is held up by something before it; {waiting}."
    if not one.names_members:
        return f"{wait.capitalize()} in {what}. The dumps do not name its members: who did not come cannot be told."
    why = "a link, the library, or the dumps were written while it ran"
    if one.done:
        it_is = f"it is over on {_ranks(one.done)} and not on {_ranks(one.waiting)}"
        return f"All ranks issued {what}; {it_is}: {why}."
    return f"All ranks issued {what} and it is not over: {why}."


def _otherwise(one: Frontier, who: str, what: str) -> str:
    """What was issued as something else, and by whom."""
    if one.is_even:
        sides = ", ".join(f"{_ranks(ranks)} {call}" for call, ranks in one.calls)
        return f"Ranks issued {what} as different calls: {sides}; which is right cannot be told"
    (most, _), *others = one.calls
    return f"{who.capitalize()} issued {what} {' and '.join(call for call, _ in others)}, not {most}"


def _instead(one: Frontier) -> str:
    """What proves that something was left out."""
    if one.instead is None:
        return ""
    its = f"{short(one.instead.collective)} {one.instead.sequence} of {one.instead.group}{_between(one.instead)}"
    others = "all others of its stage" if one.pair or one.instead.pair else "all others"
    it, left = ("it waits", "it left a {}") if len(one.at_fault) == 1 else ("they wait", "they left {}s")
    left = left.format("send" if one.pair else "collective")
    return f" {it[:1].upper()}{it[1:]} in {its}, which {others} have later: {left} of {one.group} out before."


def _between(one: Frontier) -> str:
    return f" between ranks {one.pair[0]} and {one.pair[1]}" if one.pair else ""


def _or_else(one: Frontier) -> str:
    """Of groups that wait for each other, in an order that nobody tells."""
    if not one.or_else:
        return ""
    others = " or ".join(
        f"{_ranks(other.at_fault)} in {short(other.collective)} {other.sequence} of {other.group}" for other in one.or_else
    )
    return f" Or {others} should have come first: each waits for the other, and nothing tells the order."


def _why_no_dump(ranks: Sequence[int], left: dict[int, str]) -> str:
    """`Ranks 1, 3 left no dump, rank 4 left a dump that cannot be read (...)`: each reason with its ranks."""
    reasons: dict[str, list[int]] = {}
    for rank in sorted(ranks, key=lambda each: (each in left, each)):
        reasons.setdefault(left.get(rank, "no dump"), []).append(rank)
    said = [f"{_ranks(those)} left {what}" for what, those in [*reasons.items()][:_MOST_REASONS]]
    rest = [rank for those in [*reasons.values()][_MOST_REASONS:] for rank in those]
    joined = ", ".join([*said, *([f"{_ranks(rest)} left a dump that is not used, as is said below"] if rest else [])])
    return joined[:1].upper() + joined[1:]


def _plain(reason: str) -> str:
    """To stand in brackets."""
    return reason.replace(" (", ": ").replace(")", "")


def _untold(no_dump: list[int], left: dict[int, str]) -> str | None:
    if not no_dump:
        return None
    return f"{_why_no_dump(no_dump, left)}, and on all others every collective is over: a hang cannot be told."


def _none_read(broken: Sequence[UnreadDump]) -> str:
    more = ", ..." if len(broken) > _MOST_NAMED else ""
    named = ", ".join(one.file for one in broken[:_MOST_NAMED]) + more
    return f"None of {len(broken)} dump{'s' if len(broken) > 1 else ''} can be read ({named}): a hang cannot be told."


def _all_over(dumps: Sequence[RecorderDump]) -> str:
    """Gloo's dumps name no members: a rank above the highest that left one would not be missed."""
    if any(dump.members for dump in dumps):
        return "Every collective is over on all ranks that left a dump: no hang."
    highest = max((dump.rank for dump in dumps), default=0)
    return (
        "Every collective is over on all ranks that left a dump. The dumps do not say how many ranks the job has: where one "
        f"above rank {highest} left none, a hang cannot be told."
    )


def _ranks(numbers: Sequence[int]) -> str:
    return f"rank{'s' if len(numbers) != 1 else ''} {ranges(sorted(numbers))}"


def hangs_text(found: Hangs) -> str:
    """For a terminal; with their places where they are several."""
    if len(found.hangs) == 1:
        return hang_text(found.hangs[0])
    return "\n\n".join(f"{one.place}: {hang_text(one)}" for one in found.hangs)


def hang_text(report: HangReport) -> str:
    """Of one."""
    head = f"{report.n_dumps} dump{'s' if report.n_dumps != 1 else ''} read"
    parts = [" ".join(filter(None, (f"{head}.", report.other_job, report.verdict or report.all_over)))]
    parts += [f"note: {one.file}: {one.reason}" for one in report.broken]
    parts += [f"{'follows' if row.follows else 'also'}: {row.sentence}" for row in report.rows[1:]]
    for one in report.stacks:
        frames = "".join(f"\n    {frame}" for frame in one.frames[:_FRAMES_IN_TEXT])
        parts.append(f"{_ranks(one.ranks)}{' (at fault)' if one.is_at_fault else ''}, last {one.last}{frames}")
    parts += last_text(report.last, report.n_dumps)
    return "\n".join(parts)
