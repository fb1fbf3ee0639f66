"""Since when is it slow? Profiles in the order of their recording, where their figures change level, and what the newest is."""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.compute.change_points import change_points
from tb_plugin.question.question import NoParams
from tb_plugin.trace.scope.patterns import name_matcher
from tb_plugin.trace.span.figures import BY_ID, FIGURES, SpanFigures
from tb_plugin.views.trends.gate import Value, gate, gate_against, half_width, limit_from, not_judged
from tb_plugin.views.trends.result import LevelChange, LineOf, TrendLine, TrendPoint, Trends, TrendsParams

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tb_plugin.question.joint import Member, Over
    from tb_plugin.trace.scope.recorded_as import RecordedAs
    from tb_plugin.trace.span.figures import Followed
    from tb_plugin.views.trends.result import Quality, TrendGate

MOST_PROFILES: Final = 2000
"""The newest; a chart has no room for more, and each is a file to be read once."""

LEAST_STEPS: Final = 4
"""Complete ones of a complete point."""

_LEAST_SHARE: Final = 0.02
"""Of the larger level: less is no change."""
_LEAST_OF_STEP: Final = 0.005
"""Of the step, for times that are a part of it."""

_FIELDS: Final = (
    *("last_step", "n_steps", "step_ns", "p5_ns", "p95_ns", "busy_share", "waiting_for_host_ns", "exposed_communication_ns"),
    *("data_loader_ns", "peak_bytes", "reserved_bytes", "kernels", "launches", "mfu"),
)
_RESETS: Final[tuple[tuple[str, Callable[[RecordedAs], Any]], ...]] = (
    ("device", lambda recorded: recorded.device),
    ("devices", lambda recorded: recorded.n_devices),
    ("torch", lambda recorded: recorded.torch_version),
    ("runtime", lambda recorded: recorded.runtime),
    ("job size", lambda recorded: recorded.world_size),
    ("Python stacks", lambda recorded: recorded.has_stacks),
    ("input shapes", lambda recorded: recorded.has_shapes),
)
"""What a figure changes with beside the program: the baseline begins anew."""


def over(params: TrendsParams) -> Over:
    return "spans" if params.line == "worker" else "history"


def asked(_params: TrendsParams) -> NoParams:
    return NoParams()


def takes(params: TrendsParams, run: str, _worker: str, _span: str) -> bool:
    return not params.only or _matcher(params.only)(run)


@lru_cache(maxsize=64)
def _matcher(pattern: str) -> Callable[[str], bool]:
    return name_matcher(pattern)


def join(members: Sequence[Member[SpanFigures]], params: TrendsParams) -> Trends:
    limit = limit_from(params.fail_if_slower)
    kept = [member for member in members if member.is_baseline]
    members = [member for member in members if not member.is_baseline]
    line = _line_of(members, params)
    groups: dict[str, list[Member[SpanFigures]]] = {}
    for member in members:
        job = " · ".join(filter(None, (member.run, member.job)))
        name = {"directory": "", "run": job}.get(line, f"{member.run} · {member.label}")
        groups.setdefault(name, []).append(member)
    asked = _Asked(BY_ID[params.figure], limit, kept if params.against == "baseline" else None)
    lines = [_line(name, sorted(group, key=attrgetter("recorded_ns")), asked) for name, group in groups.items()]
    lines.sort(key=lambda each: -each.points[-1].recorded_ns)
    return Trends(
        line=line,
        lines=lines,
        baseline=[_point(member) for member in kept],
        is_gated=limit is not None,
        is_cut=len(members) >= MOST_PROFILES,
    )


def _line_of(members: Sequence[Member[SpanFigures]], params: TrendsParams) -> LineOf:
    if params.line != "auto":
        return params.line
    places = [(member.run, member.worker) for member in members]
    return "directory" if len(set(places)) == len(places) else "run"


class _Asked(NamedTuple):
    """The gate: of which figure, how much worse is allowed, and against which members instead of those before."""

    followed: Followed
    limit: float | None
    baseline: list[Member[SpanFigures]] | None


class _Follow(NamedTuple):
    """The members of a line, and which of them are compared: not the first of a run with several, which is its warm-up."""

    members: list[Member[SpanFigures]]
    points: list[TrendPoint]
    is_tested: list[bool]

    def tested(self, followed: Followed) -> list[Value]:
        found = []
        for at, (member, point) in enumerate(zip(self.members, self.points, strict=True)):
            value = _value(at, member.answer, point.quality, followed) if self.is_tested[at] else None
            if value is not None:
                found.append(value)
        return found


def _value(at: int, answer: SpanFigures | None, quality: Quality, followed: Followed) -> Value | None:
    value = None if answer is None else getattr(answer, followed.field)
    if answer is None or value is None:
        return None
    width = half_width(answer.steps_ns) if followed.id == "step_time" else 0.0
    return Value(at, float(value), quality == "complete", width)


def _line(name: str, members: list[Member[SpanFigures]], asked: _Asked) -> TrendLine:
    points = [_point(member) for member in members]
    of_run: dict[tuple[str, str], int] = {}
    for member in members:
        of_run[member.run, member.worker] = of_run.get((member.run, member.worker), 0) + 1
    seen: set[tuple[str, str]] = set()
    is_tested = []
    for member, point in zip(members, points, strict=True):
        place = (member.run, member.worker)
        is_first = place not in seen and of_run[place] > 1
        seen.add(place)
        is_tested.append(point.quality in ("complete", "few") and not is_first)
    line = _Follow(members, points, is_tested)
    resets = _resets(line)
    marked = [_marked(at, member.new_normal) for at, member in enumerate(members) if member.new_normal is not None]
    changes = [change for each in FIGURES for change in _changes(line, each, [reset.at for reset in resets])]
    changes = sorted([*resets, *marked, *changes], key=lambda change: change.at)
    found = None if asked.limit is None else _gate_of(line, changes, asked, asked.limit)
    return TrendLine(name=name, points=_against_before(line, changes), changes=changes, gate=found)


def _marked(at: int, why: str) -> LevelChange:
    said = f"new normal: {why}" if why else "new normal"
    return LevelChange(kind="new_normal", figure=None, at=at, before=None, after=None, share=None, why=said)


def _gate_of(line: _Follow, changes: list[LevelChange], asked: _Asked, limit: float) -> TrendGate:
    followed, newest = asked.followed, line.points[-1]
    tested = line.tested(followed)
    if not tested or tested[-1].at != len(line.points) - 1:
        why = f"no {followed.title} in it" if newest.quality in ("complete", "few") else newest.note or "not read yet"
        return not_judged(followed, f"the newest profile, {newest.run} · {newest.span}: {why}")
    levels = [change.at for change in changes if change.figure == followed.id]
    barrier = max((change.at for change in changes if change.kind != "change"), default=0)
    if asked.baseline is None:
        return gate(followed, tested, levels, barrier, limit)
    unlike = _unlike(asked.baseline, line.members[-1])
    if unlike is not None:
        return not_judged(followed, unlike)
    kept = [value for member in asked.baseline if (value := _value(-1, member.answer, _quality(member)[0], followed)) is not None]
    if not any(value.is_complete for value in kept):
        return not_judged(followed, f"the kept baseline has no {followed.title} of {LEAST_STEPS} complete steps")
    return gate_against(followed, tested, max([*levels, barrier]), [value for value in kept if value.is_complete], limit)


def _unlike(kept: list[Member[SpanFigures]], newest: Member[SpanFigures]) -> str | None:
    """Why a kept baseline says nothing of this profile."""
    if not kept:
        return "there is no baseline in the log directory: `tb-plugin baseline RUN --into LOGDIR` keeps one"
    for member in kept:
        if member.answer is None:
            return member.reason
        if newest.answer is not None:
            was, now = _facts(member.answer), _facts(newest.answer)
            unlike = [
                f"{what} {_words(was[what])}, not {_words(now[what])}" for what in was if now.get(what, was[what]) != was[what]
            ]
            if unlike:
                return f"the kept baseline has {'; '.join(unlike)}"
    return None


def _facts(answer: SpanFigures) -> dict[str, Any]:
    """What a figure changes with beside the program, as far as a file says it."""
    return {what: value for what, of in _RESETS if (value := of(answer.recorded)) is not None}


def _against_before(line: _Follow, changes: list[LevelChange]) -> list[TrendPoint]:
    """The points, each with what it is beside the one before."""
    said: dict[int, list[str]] = {}
    for change in changes:
        by = "" if change.share is None else f" {'+' if change.share > 0 else ''}{percent(change.share)}"
        what = change.why if change.figure is None else f"{BY_ID[change.figure].title}{by}"
        said.setdefault(change.at, []).append(str(what))
    found = []
    before: int | None = None
    for at, point in enumerate(line.points):
        now = point.step_ns
        share = (now - before) / before if now is not None and before else None
        found.append(msgspec.structs.replace(point, before_share=share, changed="; ".join(said.get(at, [])) or None))
        before = before if now is None else now
    return found


def _resets(line: _Follow) -> list[LevelChange]:
    """Where the recordings themselves became others. What a file does not say is as it was before."""
    found = []
    known: dict[str, Any] = {}
    for at, member in enumerate(line.members):
        answer = member.answer
        if answer is None or line.points[at].quality == "trouble":
            continue
        now = _facts(answer)
        why = [
            f"{what} {_words(known[what])} → {_words(value)}" for what, value in now.items() if known.get(what, value) != value
        ]
        if why:
            found.append(LevelChange(kind="reset", figure=None, at=at, before=None, after=None, share=None, why="; ".join(why)))
        known |= now
    return found


def _changes(line: _Follow, followed: Followed, resets: list[int]) -> list[LevelChange]:
    """Of one figure, between the resets."""
    found = []
    every = line.tested(followed)
    for first, end in zip([0, *resets], [*resets, len(line.points)], strict=True):
        own = [point for point in every if first <= point.at < end]
        values = np.array([point.value for point in own])
        least = 0.0
        if followed.field.endswith("_ns"):
            steps = [answer.step_ns for point in own if (answer := line.members[point.at].answer) and answer.step_ns]
            least = _LEAST_OF_STEP * float(np.median(steps)) if steps else 0.0
        places = change_points(values, least_share=_LEAST_SHARE, least=least)
        for begin, place, until in zip([0, *places], places, [*places[1:], len(values)], strict=False):
            before, after = float(np.median(values[begin:place])), float(np.median(values[place:until]))
            found.append(
                LevelChange(
                    kind="change",
                    figure=followed.id,
                    at=own[place].at,
                    before=before,
                    after=after,
                    share=(after - before) / before if before else None,
                    why=None,
                )
            )
    return found


def _point(member: Member[SpanFigures]) -> TrendPoint:
    answer = member.answer
    quality, note = _quality(member)
    return TrendPoint(
        run=member.run,
        worker=member.worker,
        span=member.span,
        label=member.label,
        recorded_ns=member.recorded_ns,
        state=member.state,
        quality=quality,
        note=note,
        changed=None,
        before_share=None,
        **{field: None if answer is None else getattr(answer, field) for field in _FIELDS},
    )


def _quality(member: Member[SpanFigures]) -> tuple[Quality, str | None]:
    answer = member.answer
    if answer is None:
        return ("trouble" if member.is_final else "pending"), member.reason
    if answer.recorded.is_cut_off:
        return "trouble", "the file ends before the profile does"
    if answer.n_steps == 0:
        return "trouble", "no steps were recorded"
    if answer.n_steps < LEAST_STEPS:
        return "few", f"{answer.n_steps} {'step' if answer.n_steps == 1 else 'steps'}: its median says little"
    return "complete", None


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
