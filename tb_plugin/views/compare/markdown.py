"""A comparison for a pull request or a job's summary: the sentence, how the recordings differ, the parts; the rest folded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.units import format_ns, signed_ns
from tb_plugin.views.compare.text import MARKS, doubt_lines, geomean_words, outliers, top_rows

if TYPE_CHECKING:
    from tb_plugin.views.compare.result import Comparison, Item, Matrix, Pair, Verdict

MOST_BYTES: Final = 60_000
"""A comment on GitHub holds 65 536 characters."""

_ROWS: Final = 40
_MOST_VARYING: Final = 10
_LONGEST: Final = 120
_WORSE, _BETTER = "🔺", "🔻"


def markdown(result: Comparison) -> str:
    """Under 60 kB. No text of a profile is markup."""
    if result.a is None or not result.pairs:
        return "Nothing to compare.\n"
    n_rows = _ROWS
    while True:
        first = [_matrix(result, result.matrix)] if result.matrix is not None and n_rows else []
        body = "\n\n".join([*first, *(_pair(result.a, pair, n_rows) for pair in result.pairs)]) + "\n"
        if len(body.encode()) <= MOST_BYTES or n_rows == 0:
            break
        n_rows //= 2
    return body if len(body.encode()) <= MOST_BYTES else _short(result.a, result.pairs)


def matrix_markdown(result: Comparison) -> str:
    """The items side by side and nothing else."""
    return f"{_matrix(result, result.matrix)}\n" if result.matrix is not None else "Nothing to compare.\n"


def code(text: str) -> str:
    """A text of a profile as code in a cell of a table: it can neither end the code nor the cell."""
    plain = " ".join(text.split()).replace("`", "'").replace("|", "\\|").replace("<", "‹").replace(">", "›")
    return f"`{plain if len(plain) <= _LONGEST else plain[: _LONGEST - 1].rstrip(chr(92)) + '…'}`" if plain else ""


def _matrix(result: Comparison, matrix: Matrix) -> str:
    """What varies most over all items, each against the first."""
    labels = [result.a.label if result.a is not None else "", *(pair.b.label for pair in result.pairs)]
    lines = [
        " | ".join(
            [
                f"| {code(row.name)}",
                format_ns(row.values_ns[0]),
                *(_delta(ns - row.values_ns[0], of) for ns, of in zip(row.values_ns[1:], row.verdicts, strict=True)),
                f"{format_ns(row.spread_ns)} |",
            ]
        )
        for row in matrix.rows[:_MOST_VARYING]
    ]
    steps = " | ".join(_delta(pair.step.delta_ns, pair.step.verdict) for pair in result.pairs)
    total = f"| **step** | {format_ns(result.a.mean_ns if result.a is not None else 0)} | {steps} | |"
    head = f"| what varies most | {' | '.join(map(code, labels))} | spread |\n|---|{'--:|' * (len(labels) + 1)}"
    return "\n".join([head, *lines, total, *([f"\n{geomean_words(matrix)}"] if matrix.geomeans else [])])


def _short(a: Item, pairs: list[Pair]) -> str:
    """Of so many items that their tables would not fit."""
    lines = [f"**{code(a.label)} → {code(pair.b.label)}** {pair.headline}" for pair in pairs]
    return "\n\n".join(lines)[: MOST_BYTES // 4] + "\n"


def _pair(a: Item, pair: Pair, n_rows: int) -> str:
    doubts = [f"- {_plain(line)}" for line in doubt_lines(pair)]
    blocks = [
        f"### {code(a.label)} → {code(pair.b.label)}",
        pair.headline,
        *(["\n".join(doubts)] if doubts else []),
        _parts(pair),
        *([" ".join(outliers(a, pair.b))] if outliers(a, pair.b) else []),
    ]
    if n_rows:
        blocks.append(f"<details><summary>By operator</summary>\n\n{_rows(pair, n_rows)}\n\n</details>")
    return "\n\n".join(blocks)


def _parts(pair: Pair) -> str:
    step = pair.step
    parts = sorted((part for part in pair.parts if part.a_ns or part.b_ns), key=lambda part: -abs(part.delta_ns))
    lines = [_cells(part.part.replace("_", " "), part.a_ns, part.b_ns, _delta(part.delta_ns, part.verdict)) for part in parts]
    total = _cells("**step**", step.a_mean_ns, step.b_mean_ns, f"**{_delta(step.delta_ns, step.verdict)}**")
    return "\n".join(["| per step, mean | A | B | B − A |", "|---|--:|--:|--:|", *lines, total])


def _rows(pair: Pair, n_rows: int) -> str:
    lines = [
        f"{_cells(code(row.name), row.a_ns, row.b_ns, _delta(row.delta_ns, row.verdict))} {_calls(row.a_calls, row.b_calls)} |"
        for row in top_rows(pair, n_rows)
    ]
    return "\n".join(["| wall share, mean | A | B | B − A | calls |", "|---|--:|--:|--:|--:|", *lines])


def _cells(name: str, a_ns: int, b_ns: int, delta: str) -> str:
    return f"| {name} | {format_ns(a_ns)} | {format_ns(b_ns)} | {delta} |"


def _delta(delta_ns: int, verdict: Verdict) -> str:
    mark = MARKS[verdict] if verdict != "finding" else _WORSE if delta_ns > 0 else _BETTER
    return f"{signed_ns(delta_ns)} {mark}"


def _calls(a: float | None, b: float | None) -> str:
    if a is None or b is None:
        return ""
    return f"{a:.6g}" if a == b else f"{a:.6g} → {b:.6g}"


def _plain(line: str) -> str:
    """A sentence with names in it, as text: what Markdown would take for markup is escaped."""
    return "".join(f"\\{char}" if char in "\\`*_{}[]()#+!|<>~" else char for char in " ".join(line.split()))
