"""A comparison for a terminal, and as rows for CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from tb_plugin.base.cut import cut_apart
from tb_plugin.base.text_table import aligned
from tb_plugin.base.units import format_ns, signed_ns
from tb_plugin.question.outline import TextTable
from tb_plugin.views.compare.result import ChangeRow

if TYPE_CHECKING:
    from tb_plugin.views.compare.result import Comparison, Item, Matrix, Pair, PartChange, StepDot, Verdict

MARKS: Final[dict[Verdict, str]] = {"finding": "finding", "noise": "~", "unknown": "?", "not_comparable": "not comparable"}
_ROWS: Final = 20
_LINES: Final = 8
_NAME: Final = 56
_SMALL_P: Final = 0.05
_OF_ROW: Final = tuple(field for field in ChangeRow.__struct_fields__ if field not in ("a_at", "b_at"))


def text(result: Comparison) -> str:
    """Each item against the baseline; of more than one first all in columns."""
    if result.a is None or not result.pairs:
        return "\n".join(["nothing to compare yet", *(f"{one.run}: {one.reason or one.state}" for one in result.lacking)])
    blocks = [_matrix(result.a, result.pairs, result.matrix)] if result.matrix is not None else []
    return "\n\n".join([*blocks, *(_pair(result.a, pair, result.noise) for pair in result.pairs)])


def matrix_text(result: Comparison) -> str:
    """All items in columns and nothing else. `result` has a matrix."""
    assert result.a is not None
    assert result.matrix is not None
    return _matrix(result.a, result.pairs, result.matrix)


def matrix_table(result: Comparison) -> TextTable:
    """Of more than two items a row for all of them: what each takes, and which differences from the first are findings."""
    assert result.a is not None
    labels = [result.a.label, *(pair.b.label for pair in result.pairs)]
    columns = ("kind", "name", *(f"{label} ns" for label in labels), *(f"{label} verdict" for label in labels[1:]), "spread_ns")
    of = result.matrix.rows if result.matrix is not None else []
    rows: list[list[str | int]] = [[row.kind, row.name, *row.values_ns, *row.verdicts, row.spread_ns] for row in of]
    return TextTable(columns=columns, rows=rows)


def table(result: Comparison) -> TextTable:
    """All rows of all items."""
    rows = [[pair.b.label, *(getattr(row, name) for name in _OF_ROW)] for pair in result.pairs for row in pair.rows]
    return TextTable(columns=("b", *_OF_ROW), rows=rows)


def top_rows(pair: Pair, most: int) -> list[ChangeRow]:
    """The largest differences of one level that has several, and what remains of it as one row: together those of the busy time,
    then the causes of idle time.
    """
    busy = pair.rows[1]
    level = [busy]
    while len(level) == 1 and (below := [row for row in pair.rows if row.parent == level[0].id]):
        level = below
    level.sort(key=lambda row: (row.kind == "other", -abs(row.delta_ns), row.name))
    shown, rest = level[:most], level[most:]
    causes = [row for row in pair.rows if row.kind in ("idle", "cause")]
    return [*shown, *([_rest(rest)] if rest else []), *(causes[1:] or causes)]


def line_rows(pair: Pair) -> list[ChangeRow]:
    """The places of the host whose waiting differs most."""
    return [row for row in pair.rows if row.kind == "line"][:_LINES]


def doubt_lines(pair: Pair) -> list[str]:
    """How the recordings differ, then what must be known before any figure."""
    differ = [f"differs: {one.what}: {one.a} -> {one.b}" for one in pair.differences]
    return [*differ, *pair.doubts]


def outliers(a: Item, b: Item) -> list[str]:
    """Steps that are much longer than the others, in sentences."""
    said = []
    for name, item in (("A", a), ("B", b)):
        steps = [step for step in item.steps if step.outlier]
        if steps:
            listed = ", ".join(f"{step.number} ({format_ns(step.lasted_ns)}{_first(item, step)})" for step in steps[:8])
            more = f" and {len(steps) - 8} more" if len(steps) > 8 else ""
            said.append(f"{name}: {'step' if len(steps) == 1 else 'steps'} {listed}{more} much longer than the others.")
    return said


def _first(item: Item, step: StepDot) -> str:
    return ", the first" if step == item.steps[0] else ""


def _pair(a: Item, pair: Pair, noise: float) -> str:
    b = pair.b
    head = f"A {a.label} ({_steps(a)})  ->  B {b.label} ({_steps(b)})"
    alike = [f"both: {', '.join(pair.alike)}"] if pair.alike else []
    lines = [head, *alike, *doubt_lines(pair), pair.headline, *outliers(a, b), "", _parts(pair, noise)]
    lines += ["", _rows(pair), ""]
    matched = f"{pair.n_matched} rows matched"
    return "\n".join([*lines, f"{matched}, {pair.n_added} only in B, {pair.n_removed} only in A."])


def why_noise(part: PartChange, noise: float) -> str:
    """Why a part is no finding although its own p is small; empty where it is not."""
    if part.verdict != "noise" or part.p is None or part.p > _SMALL_P:
        return ""
    if part.p_holm is not None and part.p_holm > _SMALL_P:
        return f"p {part.p_holm:.2g} beside the other parts"
    return f"shift {signed_ns(part.shift_ns)}, under {100 * noise:.3g} % of the step"


def _parts(pair: Pair, noise: float) -> str:
    rows = [
        [
            part.part.replace("_", " "),
            *(format_ns(part.a_ns), format_ns(part.b_ns), signed_ns(part.delta_ns), _p(part.p)),
            f"{MARKS[part.verdict]} {why_noise(part, noise)}".rstrip(),
        ]
        for part in pair.parts
        if part.a_ns or part.b_ns
    ]
    step = pair.step
    sums = format_ns(step.a_mean_ns), format_ns(step.b_mean_ns), signed_ns(step.delta_ns)
    rows.append(["step = the sum", *sums, _p(step.p), MARKS[step.verdict]])
    return aligned(["per step, mean", "A", "B", "B - A", "p", ""], rows, left=("per step, mean", ""))


def _rows(pair: Pair) -> str:
    rows = [
        [
            row.name,
            format_ns(row.a_ns),
            format_ns(row.b_ns),
            signed_ns(row.delta_ns),
            _calls(row),
            "" if row.count_ns is None else signed_ns(row.count_ns),
            "" if row.duration_ns is None else signed_ns(row.duration_ns),
            row.matched if row.matched != "sum" else "",
            MARKS[row.verdict],
        ]
        for row in [*top_rows(pair, _ROWS), *_under(pair)]
    ]
    columns = ["wall share, mean", "A", "B", "B - A", "calls", "by count", "by duration", "matched by", ""]
    return aligned(columns, rows, left=("wall share, mean", "matched by", ""))


def _under(pair: Pair) -> list[ChangeRow]:
    rows = line_rows(pair)
    short = cut_apart([row.name for row in rows], _NAME)
    return [msgspec.structs.replace(row, name=f"  of it {short[row.name]}") for row in rows]


def geomean_words(matrix: Matrix) -> str:
    """Empty where no row is in all items."""
    if not matrix.geomeans:
        return ""
    ratios = ", ".join(f"{place}: {ratio:.3g}" for place, ratio in enumerate(matrix.geomeans[1:], 1))
    return f"Geometric mean of the ratios to A over the {matrix.n_geomean} busy rows that all have: {ratios}."


def _matrix(a: Item, pairs: list[Pair], matrix: Matrix) -> str:
    items = [("A", a), *((f"{place}", pair.b) for place, pair in enumerate(pairs, 1))]
    head = "\n".join(f"{short}: {item.label}" for short, item in items)
    rows = []
    for place, part in enumerate(pairs[0].parts):
        of = [pair.parts[place] for pair in pairs]
        if any(one.a_ns or one.b_ns for one in of):
            cells = [f"{signed_ns(one.delta_ns)} {MARKS[one.verdict]}" for one in of]
            rows.append([part.part.replace("_", " "), format_ns(part.a_ns), *cells])
    rows.append(
        ["step", format_ns(a.mean_ns), *(f"{signed_ns(pair.step.delta_ns)} {MARKS[pair.step.verdict]}" for pair in pairs)]
    )
    shorts = [short for short, _ in items]
    parts = aligned(["per step, mean", *shorts], rows, left=("per step, mean",))
    return "\n\n".join([head, parts, _varying(matrix, shorts), *filter(None, [geomean_words(matrix)])])


def _varying(matrix: Matrix, shorts: list[str]) -> str:
    shown, n_more = matrix.rows[:_ROWS], len(matrix.rows) - _ROWS
    names = cut_apart([row.name for row in shown], _NAME)
    rows = [
        [
            names[row.name],
            format_ns(row.values_ns[0]),
            *(f"{signed_ns(ns - row.values_ns[0])} {MARKS[of]}" for ns, of in zip(row.values_ns[1:], row.verdicts, strict=True)),
            format_ns(row.spread_ns),
        ]
        for row in shown
    ]
    table = aligned(["what varies most", *shorts, "spread"], rows, left=("what varies most",))
    return f"{table}\n{n_more} rows more vary less." if n_more > 0 else table


def _rest(rows: list[ChangeRow]) -> ChangeRow:
    n_rows = sum(row.n_rows for row in rows)

    def total(name: str) -> int:
        return sum(getattr(row, name) or 0 for row in rows)

    return msgspec.structs.replace(
        rows[0],
        kind="other",
        name=f"other ({n_rows} rows)",
        matched="sum",
        verdict="noise" if len({row.verdict for row in rows}) > 1 else rows[0].verdict,
        p=None,
        a_calls=None,
        b_calls=None,
        n_rows=n_rows,
        size_ns=None,
        **{name: total(name) for name in ("a_ns", "b_ns", "delta_ns", "count_ns", "duration_ns")},
    )


def _calls(row: ChangeRow) -> str:
    if row.a_calls is None or row.b_calls is None:
        return ""
    a, b = f"{row.a_calls:.6g}", f"{row.b_calls:.6g}"
    return a if a == b else f"{a} -> {b}"


def _steps(item: Item) -> str:
    recordings = f"{item.n_recordings} recordings, " if item.n_recordings > 1 else ""
    return f"{recordings}{item.n_steps} {'step' if item.n_steps == 1 else 'steps'}"


def _p(p: float | None) -> str:
    return "" if p is None else f"{p:.2g}"
