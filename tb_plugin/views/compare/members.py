"""Members of a log directory as the items of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.base.errors import UsageError
from tb_plugin.views.compare.joined.join import Given, compared
from tb_plugin.views.compare.result import Comparison, Origin
from tb_plugin.views.compare.sums.result import SumsParams

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.question.joint import Member, Over
    from tb_plugin.views.compare.result import CompareParams
    from tb_plugin.views.compare.sums.result import ProfileSums

MOST_ITEMS = 50
"""More are a trend."""

_MOST_PROFILES = 500
_NAMES = 2  # a run and a worker at least: the ranks of a run are no repetitions
_ALL_NAMES = 3  # what is more are steps


def over(_params: CompareParams) -> Over:
    return "spans"


def asked(params: CompareParams) -> SumsParams:
    return SumsParams(per=params.per)


def takes(params: CompareParams, run: str, worker: str, span: str) -> bool:
    """Whether this profile is one of the items. Raises UsageError for items that name nothing."""
    return any(_are_of(one, run, worker, span) for one in _items(params))


def join(members: Sequence[Member[ProfileSums]], params: CompareParams) -> Comparison:
    """Items that are not there yet are in `lacking`; without the baseline nothing is compared."""
    given, lacking = [], []
    for place, item in enumerate(_items(params)):
        own = [member for member in members if _are_of(item, member.run, member.worker, member.span)]
        lacking += [_origin(member) for member in own if member.answer is None]
        if not own:
            lacking.append(
                Origin(run=item[0][0], worker="", span="", label="", state="failed", reason="there is no such profile")
            )
        sums = [member.answer for member in own if member.answer is not None]
        steps = "".join(item[0][_ALL_NAMES:])
        if sums:
            given.append(Given(_label(own), [_origin(member) for member in own if member.answer is not None], sums, steps))
        elif place == 0:
            return compared([], params, lacking)
    return compared(given, params, lacking)


def _are_of(item: list[tuple[str, ...]], run: str, worker: str, span: str) -> bool:
    return any((run, worker, span)[: len(names)] == names[:_ALL_NAMES] for names in item)


def _items(params: CompareParams) -> list[list[tuple[str, ...]]]:
    """Of each item what names its recordings: a line that begins with a tab is one more of the item above."""
    items: list[list[tuple[str, ...]]] = []
    for line in params.items.splitlines():
        if not line.strip():
            continue
        names = tuple(line.removeprefix("\t").split("\t"))
        if not _NAMES <= len(names) <= _ALL_NAMES + 1:
            raise UsageError(f"items: {names[0][:40]!r} must be run, worker and perhaps span and steps, with tabs between")
        if line.startswith("\t") and items:
            items[-1].append(names)
        else:
            items.append([names])
    if len(items) > MOST_ITEMS:
        raise UsageError(f"items: {len(items)} are too many to compare; {MOST_ITEMS} at most")
    if sum(map(len, items)) > _MOST_PROFILES:
        raise UsageError(f"items: too many profiles to compare; {_MOST_PROFILES} at most")
    return items


def _label(members: list[Member[ProfileSums]]) -> str:
    first, last = members[0], members[-1]
    if first.run != last.run:
        return f"{first.run} … {last.run} · {len(members)} profiles"
    parts = [first.run, first.label if first.n_workers > 1 else "", first.span if len(members) == 1 else f"{len(members)} spans"]
    return " · ".join(filter(None, parts))


def _origin(member: Member[ProfileSums]) -> Origin:
    return Origin(
        run=member.run,
        worker=member.worker,
        span=member.span,
        label=member.label,
        state=member.state,
        reason=member.reason,
    )
