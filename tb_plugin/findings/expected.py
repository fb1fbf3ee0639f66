"""What findings are expected to gain: what a replay of the recording without them gains, the same that What if says of it.

`Seen.without` names what is left out (`loader=0`); what no name says is rows (`Seen.less`), and is written `finding:ID=0`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tb_plugin.base.errors import NotFoundError
from tb_plugin.replay.edits import parse
from tb_plugin.replay.what_if import estimates

if TYPE_CHECKING:
    from tb_plugin.findings.check import Seen
    from tb_plugin.findings.facts import Facts
    from tb_plugin.findings.same_time import Found
    from tb_plugin.replay.edited import Change

_AT_ONCE: Final = 200_000
"""Events: with more, a replay takes longer than whoever asks for one sentence should wait."""


def is_quick(facts: Facts) -> bool:
    """Whether everybody who asks for findings is told what to expect of them, and finds them in that order."""
    return len(facts.trace.events) <= _AT_ONCE


def expecting(facts: Facts, found: list[Found]) -> list[Found]:
    """In the same order. Where a replay proves nothing, nothing to go without is left."""
    asked = [each for each in found if each.seen.estimate_ns is None and _changes(each.seen)]
    gains = estimates(facts.trace, [_changes(each.seen) for each in asked], facts.steps)
    known = {each.check.id: ns for each, ns in zip(asked, gains, strict=True)}
    return [replace(each, seen=_expecting(each, known[each.check.id])) if each.check.id in known else each for each in found]


def edits_of(found: Found) -> list[str]:
    """The step without it, as What if takes it; none where that is not known."""
    return [*found.seen.without] or ([f"finding:{found.check.id}=0"] if found.seen.less is not None else [])


def changes_of(found: list[Found], check_id: str) -> list[Change]:
    """The step without one finding. Raises NotFoundError, with the findings that have one."""
    by_id = {each.check.id: _changes(each.seen) for group in found for each in (group, *group.also)}
    if not by_id.get(check_id):
        known = ", ".join(sorted(each for each, changes in by_id.items() if changes)) or "none"
        raise NotFoundError(f"edit='finding:{check_id}': there is no such finding with a step without it; there is {known}")
    return by_id[check_id]


def _changes(seen: Seen) -> list[Change]:
    return [*map(parse, seen.without), *(() if seen.less is None else (seen.less,))]


def _expecting(found: Found, ns: int | None) -> Seen:
    seen = found.seen
    if ns is None:
        return replace(seen, without=(), less=None, estimate_how=None)
    how = f"a replay with {', '.join(edits_of(found))}"
    how = f"{how}: {seen.estimate_how}" if seen.estimate_how else f"{how}."
    if found.gain_ns is not None and ns > found.gain_ns:
        how += " That is more than its own time: what launches it and the gaps around it go too."
    return replace(seen, estimate_ns=ns, estimate_how=how)
