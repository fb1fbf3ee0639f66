"""Which dumps of flight recorders are of one job, and why another one is not of it.

Those of one job were written by one recorder (NCCL's or gloo's) and have a `default_pg` of the same ranks. Nor is one of it that
began a minute after most others had issued their last: a job that was started again. Where a rank is there twice, what stands
before its number in the names tells them apart. The same dump in two forms is one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from tb_plugin.trace.collectives.recorder import OF_ALL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.trace.collectives.recorder import DumpFolder, RecorderDump

MOST_RANKS: Final = 1 << 17
"""More than any job has. A name may say any number, and all below it that left no dump would be told."""

_APART_NS: Final = 60_000_000_000
_WRITTEN_BY: Final = {"nccl": "NCCL's", "gloo": "gloo's"}


class _Kind(NamedTuple):
    recorder: str | None  # None: it holds nothing that tells
    world: tuple[int, ...] | None


def jobs_among(dumps: Sequence[RecorderDump]) -> list[list[RecorderDump]]:
    """The one of most dumps first; in each the order stays. A rank may still be there twice."""
    kinds = [_Kind(one.recorder, one.world) for one in dumps]
    counted = Counter(kinds)
    of_kind: defaultdict[_Kind, list[RecorderDump]] = defaultdict(list)
    for one, kind in zip(dumps, kinds, strict=True):
        alike = [each for each in counted if _may_be(kind, each)]
        of_kind[max(alike, key=lambda each: (sum(part is not None for part in each), counted[each]))].append(one)
    parts = [part for same in of_kind.values() for at_once in _by_time(same) for part in _by_name(at_once)]
    return sorted(parts, key=lambda part: -len(part))


def once(dumps: Sequence[RecorderDump]) -> list[RecorderDump]:
    """Of those that are the same in two forms the one that says more, in the place of the first."""
    found: dict[object, RecorderDump] = {}
    for one in dumps:
        key = one.recorded if one.issued else id(one)
        found[key] = one if key not in found or (_n_frames(one) > _n_frames(found[key])) else found[key]
    return list(found.values())


def folders_once(folders: Sequence[DumpFolder]) -> list[DumpFolder]:
    """Without those whose dumps all lie in another one, too: `fr` and `fr_json` of one hang. What says more stays."""
    by_frames = sorted(range(len(folders)), key=lambda place: (-sum(map(_n_frames, folders[place].dumps)), place))
    told, kept = set[object](), list[int]()
    for place in by_frames:
        its = {one.recorded for one in folders[place].dumps if one.issued}
        if not its or not its <= told:
            kept.append(place)
            told |= its
    return [folders[place] for place in sorted(kept)]


def _n_frames(one: RecorderDump) -> int:
    return sum(len(each.frames) for each in one.issued)


def members_by_others(dumps: Sequence[RecorderDump]) -> list[RecorderDump]:
    """Each with the members of the groups that its entries name and its own list lacks: those that others list for the same name
    and description, and that it is one of. Otherwise its entries would be of a group of their own, which no other rank is in.
    """
    listed: defaultdict[tuple[str, str], Counter[tuple[int, ...]]] = defaultdict(Counter)
    for one in dumps:
        for group in {issued.group for issued in one.issued}:
            if (ranks := one.members.get(group[0])) is not None:
                listed[group][ranks] += 1
    return [_with_members(one, listed) for one in dumps]


def _with_members(one: RecorderDump, listed: dict[tuple[str, str], Counter[tuple[int, ...]]]) -> RecorderDump:
    found = dict(one.members)
    for group in {issued.group for issued in one.issued}:
        theirs = [ranks for ranks, _ in listed.get(group, Counter()).most_common() if one.rank in ranks]
        if group[0] not in found and theirs:
            found[group[0]] = theirs[0]
    return replace(one, members=found) if len(found) > len(one.members) else one


def otherwise_named(dumps: Sequence[RecorderDump]) -> dict[str, str]:
    """Of each file whose groups have other names than all others', why: a damaged one, whose rank is not one that did not come.

    A name has one description on all ranks, and the group of all ranks one name.
    """
    said = {one.file: {issued.group for issued in one.issued} for one in dumps}
    n_files = Counter(group for groups in said.values() for group in groups)
    why: dict[str, str] = {}
    for file, groups in said.items():
        for name, description in sorted(group for group in groups if n_files[group] == 1):
            others = [
                (other, n)
                for other, n in n_files.most_common()
                if n > 1 and (other[0] == name or OF_ALL == description == other[1])
            ]
            if others:
                (theirs, _), *_ = others
                why[file] = f"damaged: it names a group {name} ({description}), which is {theirs[0]} ({theirs[1]}) on others"
    return why


def why_apart(one: RecorderDump, job: Sequence[RecorderDump]) -> str:
    """Of a dump that is of another job than these."""
    its, others = _Kind(one.recorder, one.world), [_Kind(each.recorder, each.world) for each in job]
    theirs = Counter(kind.recorder for kind in others if kind.recorder).most_common(1)
    if its.recorder and theirs and its.recorder != theirs[0][0]:
        return f"of another job: its collectives are {_written_by(its.recorder)}, the others' {_written_by(theirs[0][0])}"
    worlds = Counter(kind.world for kind in others if kind.world).most_common(1)
    if its.world and worlds and its.world != worlds[0][0]:
        return f"of another job: its default_pg has {len(its.world)} ranks, the others' {len(worlds[0][0])}"
    return "of another job: it began after the others had ended"


def not_a_member(one: RecorderDump) -> str | None:
    """Why a file that is named as this rank is none of its job's."""
    if one.rank >= MOST_RANKS:
        return f"its name says rank {one.rank}, which no job has"
    if one.world is None or one.rank in one.world:
        return None
    return f"its default_pg has ranks {one.world[0]} to {one.world[-1]}, and its name says {one.rank}"


def _written_by(recorder: str) -> str:
    return _WRITTEN_BY.get(recorder, f"{recorder}'s")


def _may_be(kind: _Kind, other: _Kind) -> bool:
    return all(mine in (None, theirs) for mine, theirs in zip(kind, other, strict=True))


def _by_time(part: list[RecorderDump]) -> list[list[RecorderDump]]:
    """Those that began after most others had ended are of a later job; a ring that was overwritten does not tell."""
    ended = sorted(one.issued[-1].created_ns for one in part if one.issued)
    last = ended[(len(ended) - 1) // 2] if ended else 0
    later = [one for one in part if one.issued and not one.is_cut and one.issued[0].created_ns - last > _APART_NS]
    return [[one for one in part if one not in later], *([later] if later else [])]


def _by_name(part: list[RecorderDump]) -> list[list[RecorderDump]]:
    if _is_each_once(part):
        return [part]
    of_name: defaultdict[str, list[RecorderDump]] = defaultdict(list)
    for one in part:
        of_name[one.file.rstrip("0123456789")].append(one)
    return list(of_name.values()) if all(map(_is_each_once, of_name.values())) else [part]


def _is_each_once(part: list[RecorderDump]) -> bool:
    return len({one.rank for one in part}) == len(part)
