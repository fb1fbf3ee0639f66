"""The sum as a tree: the step is busy and idle, busy is modules, operators and kernels, idle its causes. Rows sum up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, get_args

import msgspec
import numpy as np

from tb_plugin.trace.times.idle import USES
from tb_plugin.views.compare.joined.entries import SEVERAL, Compared, MatchedCalls, Step, entries
from tb_plugin.views.compare.joined.lines import aligned_lines
from tb_plugin.views.compare.result import ChangeRow, Matched

if TYPE_CHECKING:
    from tb_plugin.views.compare.joined.judge import Judge
    from tb_plugin.views.compare.joined.lines import AlignedLine
    from tb_plugin.views.compare.joined.side import Side
    from tb_plugin.views.compare.result import By, LongestAt, RowKind, Verdict

_LOOSEST: Final = get_args(Matched)
_CALLED: Final = ("operator", "shapes", "not_attributed", "kernel")
HOST_USES: Final = ("in operators", "outside operators")
CAUSES: Final = {
    "busy": "busy",
    "launch_gap": "launch gaps",
    "blocked": "blocked",
    "unknown": "not known",
    "synchronisation": "synchronisation",
    "waiting_for_host": "waiting for the host",
}


@dataclass(kw_only=True)
class _Node:
    step: Step
    a: list[int] = field(default_factory=list)
    b: list[int] = field(default_factory=list)
    times: tuple[int, int] = (0, 0)
    count_ns: int = 0
    size_ns: int | None = None  # of what is known
    calls: dict[int, MatchedCalls] = field(default_factory=dict)
    kernels: tuple[float, float] = (0.0, 0.0)
    children: dict[Step, _Node] = field(default_factory=dict)

    @property
    def delta_ns(self) -> int:
        return self.times[1] - self.times[0]

    def add(self, entry: Compared) -> None:
        self.a += entry.a
        self.b += entry.b
        self.times = (self.times[0] + entry.times[0], self.times[1] + entry.times[1])
        self.count_ns += entry.count_ns
        if entry.size_ns is not None:
            self.size_ns = (self.size_ns or 0) + entry.size_ns
        self.calls[entry.calls.match] = entry.calls
        self.kernels = (self.kernels[0] + entry.kernels[0], self.kernels[1] + entry.kernels[1])


@dataclass(frozen=True, kw_only=True)
class Tree:
    """The rows, and how many operators (or kernels, where these are the rows) both sides have."""

    rows: list[ChangeRow]
    n_matched: int
    n_added: int
    n_removed: int


def tree(a: Side, b: Side, judge: Judge, by: By, fold: float) -> Tree:
    """Rows in the order in which they are read: the largest difference first, what is below a row right after it."""
    return _Builder(a, b, judge, by, fold).tree()


class _Builder:
    def __init__(self, a: Side, b: Side, judge: Judge, by: By, fold: float) -> None:
        self._a, self._b, self._judge, self._by = a, b, judge, by
        self._least_ns = fold * judge.longer_ns
        self._rows: list[ChangeRow] = []
        self._verdicts: dict[int, tuple[float | None, Verdict]] = {}

    def tree(self) -> Tree:
        a, b = self._a, self._b
        on_host = a.sums[0].basis == "host" == b.sums[0].basis
        top = _Node(step=Step("busy", HOST_USES[0] if on_host else "busy"))
        by_unit: dict[str, set[str]] = {"both": set(), "added": set(), "removed": set()}
        for entry in entries(a, b, self._by):
            self._insert(top, entry)
            _count(by_unit, entry, self._by)
        self._judge_all(top)
        step = self._judge.step()
        self._sum_row("step", "step", a.mean_ns, b.mean_ns, -1, (step.p, step.verdict))
        self._put(top, 0)
        self._idle(on_host=on_host)
        both = by_unit["both"] | (by_unit["added"] & by_unit["removed"])
        return Tree(
            rows=self._rows, n_matched=len(both), n_added=len(by_unit["added"] - both), n_removed=len(by_unit["removed"] - both)
        )

    def _insert(self, top: _Node, entry: Compared) -> None:
        node = top
        node.add(entry)
        for step in entry.way:
            node = node.children.setdefault(step, _Node(step=step))
            node.add(entry)

    def _judge_all(self, top: _Node) -> None:
        nodes = [top]
        for node in nodes:
            nodes.extend(node.children.values())
        series = [(self._a.leaf_units[:, node.a].sum(axis=1), self._b.leaf_units[:, node.b].sum(axis=1)) for node in nodes]
        deltas = [node.delta_ns for node in nodes]
        judged = self._judge.rows(series, deltas, is_host=self._a.sums[0].basis == "host")
        self._verdicts = {id(node): verdict for node, verdict in zip(nodes, judged, strict=True)}

    def _put(self, node: _Node, parent: int) -> None:
        place = len(self._rows)
        self._rows.append(self._row(node, parent))
        if [child.step.name for child in node.children.values()] == [SEVERAL]:  # nothing to tell it from
            return
        children = sorted(node.children.values(), key=lambda child: (-abs(child.delta_ns), child.step))
        small = [child for child in children if max(child.times) < self._least_ns]
        if len(small) <= 1:
            small = []
        for child in children:
            if child not in small:
                self._put(child, place)
        if small:
            self._rows.append(self._other(small, place))

    def _row(self, node: _Node, parent: int) -> ChangeRow:
        a_ns, b_ns = node.times
        p, verdict = self._verdicts[id(node)]
        kind = node.step.kind
        is_called, is_kernel = kind in _CALLED, kind == "kernel" and self._by != "kernel"
        calls = list(node.calls.values())
        return ChangeRow(
            id=len(self._rows),
            parent=parent,
            depth=self._rows[parent].depth + 1,
            kind=kind,
            name=node.step.name,
            a_ns=a_ns,
            b_ns=b_ns,
            delta_ns=b_ns - a_ns,
            a_calls=_shown(node.kernels[0] if is_kernel else sum(call.a for call in calls)) if is_called else None,
            b_calls=_shown(node.kernels[1] if is_kernel else sum(call.b for call in calls)) if is_called else None,
            count_ns=None if is_kernel else node.count_ns,
            duration_ns=None if is_kernel else b_ns - a_ns - node.count_ns,
            size_ns=None if is_kernel else node.size_ns,
            matched=_matched(node, calls),
            p=p,
            verdict=verdict,
            n_rows=1,
            a_at=_longest([call.a_at for call in calls]),
            b_at=_longest([call.b_at for call in calls]),
        )

    def _other(self, small: list[_Node], parent: int) -> ChangeRow:
        times = np.array([node.times for node in small]).sum(axis=0)
        a_ns, b_ns, count_ns = int(times[0]), int(times[1]), sum(node.count_ns for node in small)
        is_kernel = small[0].step.kind == "kernel" and self._by != "kernel"
        sizes = [node.size_ns for node in small if node.size_ns is not None]
        row = self._plain(
            ("other", self._small(len(small))),
            (a_ns, b_ns),
            parent,
            (None, self._untested(small)),
            (None, None) if is_kernel else (count_ns, b_ns - a_ns - count_ns),
            n_rows=len(small),
        )
        return msgspec.structs.replace(row, size_ns=sum(sizes) if sizes and not is_kernel else None)

    def _untested(self, small: list[_Node]) -> Verdict:
        verdicts = {self._verdicts[id(node)][1] for node in small}
        return next(iter(verdicts)) if len(verdicts) == 1 else "noise"

    def _idle(self, *, on_host: bool) -> None:
        a, b = self._a, self._b
        if on_host or len(a.use_ns) != len(b.use_ns):
            names = [HOST_USES[1] if on_host else "idle"]
            a_uses, b_uses = (of.use_ns[1:].sum(keepdims=True) for of in (a, b))
            a_units, b_units = (of.use_units[:, 1:].sum(axis=1, keepdims=True) for of in (a, b))
        else:
            names = [CAUSES[use] for use in USES[1:]]
            (a_uses, b_uses), (a_units, b_units) = (a.use_ns[1:], b.use_ns[1:]), (a.use_units[:, 1:], b.use_units[:, 1:])
        series = [(a_units.sum(axis=1), b_units.sum(axis=1)), *((a_units[:, i], b_units[:, i]) for i in range(len(names)))]
        times = [(int(sum(a_uses)), int(sum(b_uses))), *((int(x), int(y)) for x, y in zip(a_uses, b_uses, strict=True))]
        lines = [] if len(names) == 1 else aligned_lines(a, b)
        series += [line.units for line in lines]
        times += [line.times for line in lines]
        judged = self._judge.rows(series, [b_ns - a_ns for a_ns, b_ns in times], is_host=True)
        idle = self._sum_row("idle", names[0] if len(names) == 1 else "idle", *times[0], 0, judged[0])
        if len(names) == 1:
            return
        causes = zip(names, times[1:], judged[1:], strict=False)
        for name, of, verdict in sorted(causes, key=lambda cause: (-abs(cause[1][1] - cause[1][0]), cause[0])):
            if any(of):
                place = self._sum_row("cause", name, *of, idle, verdict)
                if name == CAUSES[USES[-1]]:
                    self._put_lines(list(zip(lines, judged[1 + len(names) :], strict=True)), place)

    def _put_lines(self, lines: list[tuple[AlignedLine, tuple[float | None, Verdict]]], parent: int) -> None:
        """The largest difference first; small ones are one row."""
        lines.sort(key=lambda one: (-abs(one[0].times[1] - one[0].times[0]), one[0].name))
        small = [one for one in lines if max(one[0].times) < self._least_ns]
        if len(small) <= 1:
            small = []
        for line, judged in lines:
            if (line, judged) not in small:
                place = self._sum_row("line", line.name, *line.times, parent, judged)
                self._rows[place] = msgspec.structs.replace(
                    self._rows[place], matched=line.matched, a_at=line.at[0], b_at=line.at[1]
                )
        if small:
            a_ns, b_ns = (sum(line.times[side] for line, _ in small) for side in (0, 1))
            verdicts = {verdict for _, (_, verdict) in small}
            of = next(iter(verdicts)) if len(verdicts) == 1 else "noise"
            self._rows.append(
                self._plain(("other", self._small(len(small))), (a_ns, b_ns), parent, (None, of), (None, None), n_rows=len(small))
            )

    def _small(self, n_rows: int) -> str:
        return f"other ({n_rows} rows below {100 * self._least_ns / self._judge.longer_ns:.2g} % of the step)"

    def _sum_row(self, kind: RowKind, name: str, a_ns: int, b_ns: int, parent: int, judged: tuple[float | None, Verdict]) -> int:
        self._rows.append(self._plain((kind, name), (a_ns, b_ns), parent, judged, (None, None)))
        return len(self._rows) - 1

    def _plain(
        self,
        called: tuple[RowKind, str],
        times: tuple[int, int],
        parent: int,
        judged: tuple[float | None, Verdict],
        effects: tuple[int | None, int | None],
        n_rows: int = 1,
    ) -> ChangeRow:
        return ChangeRow(
            id=len(self._rows),
            parent=parent,
            depth=self._rows[parent].depth + 1 if parent >= 0 else 0,
            kind=called[0],
            name=called[1],
            a_ns=times[0],
            b_ns=times[1],
            delta_ns=times[1] - times[0],
            a_calls=None,
            b_calls=None,
            count_ns=effects[0],
            duration_ns=effects[1],
            size_ns=None,
            matched="sum",
            p=judged[0],
            verdict=judged[1],
            n_rows=n_rows,
            a_at=None,
            b_at=None,
        )


def _count(by_unit: dict[str, set[str]], entry: Compared, by: By) -> None:
    """An operator is matched where any of its calls are."""
    name = entry.way[-1].name if by == "kernel" else next((s.name for s in entry.way if s.kind == "operator"), None)
    if name is not None:
        matched = entry.calls.matched
        by_unit[matched if matched in ("added", "removed") else "both"].add(name)


def _matched(node: _Node, calls: list[MatchedCalls]) -> Matched:
    if node.step.kind == "busy":
        return "sum"
    if not node.a or not node.b:
        return "removed" if node.a else "added"
    if node.step.kind in ("module", "kernel", "category"):
        return node.step.kind
    return max((call.matched for call in calls), key=_LOOSEST.index)


def _longest(places: list[LongestAt | None]) -> LongestAt | None:
    return max((place for place in places if place is not None), key=lambda place: place.lasted_ns, default=None)


def _shown(calls: float) -> float:
    return round(calls, 4)
