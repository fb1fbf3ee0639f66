"""A comparison as one page without scripts or requests, to keep beside a build: what the shell says, and the tree to open."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from tb_plugin.base.units import format_ns, signed_ns
from tb_plugin.views.compare.text import MARKS, doubt_lines, outliers

if TYPE_CHECKING:
    from tb_plugin.views.compare.result import ChangeRow, Comparison, Item, Pair, Verdict

MOST_BYTES: Final = 400_000
_ROWS: Final = 1_000
"""Of the tree, the first in its order; what is left out is said."""

_STYLE: Final = """
:root{color-scheme:light dark;--soft:#5b636d;--line:#d5d9de;--worse:#b3261e;--better:#1a7340;--bar:#5b636d}
@media(prefers-color-scheme:dark){:root{--soft:#a6adb7;--line:#444a52;--worse:#ff8a80;--better:#7bd88f;--bar:#a6adb7}}
body{font:14px/1.45 system-ui,sans-serif;margin:24px;max-width:1200px;font-variant-numeric:tabular-nums}
h2{font-size:16px}table{border-collapse:collapse}td,th{padding:2px 10px;text-align:right;font-weight:400;white-space:nowrap}
th[scope=row]{text-align:left}tfoot td,tfoot th{font-weight:600;border-top:1px solid var(--line)}
.row{display:grid;grid-template-columns:minmax(200px,1fr) repeat(3,110px) 130px 110px;gap:8px;border-bottom:1px solid var(--line)}
.row>*{text-align:right;overflow-wrap:anywhere}.row>:first-child{text-align:left;font-family:monospace}
details{margin-left:14px}details>.row{margin-left:14px}
summary .row{display:inline-grid;width:calc(100% - 20px)}
.soft{color:var(--soft)}.worse{color:var(--worse)}.better{color:var(--better)}
.track{width:320px;position:relative;background:color-mix(in srgb,var(--line) 40%,transparent)}
.track i{position:absolute;top:3px;bottom:3px;min-width:1px;background:var(--bar)}
.track i.worse{background:var(--worse)}.track i.better{background:var(--better)}
"""


_HEAD: Final = "<meta charset=utf-8><meta name=viewport content='width=device-width'><title>Compared profiles</title>"
_NAMES: Final = ("name", "A", "B", "B − A", "calls", "matched by")


def html(result: Comparison) -> str:
    """Under 400 kB. Every text of a profile is escaped."""
    pairs = [] if result.a is None else result.pairs
    n_rows = _ROWS
    while True:
        body = "\n".join(_pair(result.a, pair, n_rows) for pair in pairs if result.a is not None) or "<p>Nothing to compare.</p>"
        if len(body.encode()) <= MOST_BYTES - len(_STYLE) - 400 or n_rows == 0:
            break
        n_rows //= 2
    return f"<!doctype html><html lang=en><head>{_HEAD}<style>{_STYLE}</style></head><body>{body}</body></html>\n"


def _pair(a: Item, pair: Pair, n_rows: int) -> str:
    said = "".join(f"<li>{escape(line)}</li>" for line in (*doubt_lines(pair), *outliers(a, pair.b)))
    return (
        f"<h2>A {escape(a.label)} → B {escape(pair.b.label)}</h2><p>{escape(pair.headline)}</p><ul class=soft>{said}</ul>"
        f"{_waterfall(pair)}<h3>Wall share, mean of a step</h3>{_tree(pair, n_rows)}"
    )


def _waterfall(pair: Pair) -> str:
    step = pair.step
    parts = sorted((part for part in pair.parts if part.a_ns or part.b_ns), key=lambda part: -abs(part.delta_ns))
    reached, edges = step.a_mean_ns, [step.a_mean_ns]
    for part in parts:
        reached += part.delta_ns
        edges.append(reached)
    most = max(*edges, step.b_mean_ns, 1)
    rows = [_fall("A", 0, step.a_mean_ns, most, "", f"<td>{format_ns(step.a_mean_ns)}</td><td></td>")]
    for part, before, after in zip(parts, edges[:-1], edges[1:], strict=True):
        figures = f"<td>{format_ns(part.a_ns)} → {format_ns(part.b_ns)}</td><td>{_delta(part.delta_ns, part.verdict)}</td>"
        rows.append(_fall(part.part.replace("_", " "), before, after, most, _class(part.delta_ns, part.verdict), figures))
    last = f"<td>{format_ns(step.b_mean_ns)}</td><td>{_delta(step.delta_ns, step.verdict)}</td>"
    rows.append(_fall("B", 0, step.b_mean_ns, most, "", last))
    return f"<table><tbody>{''.join(rows)}</tbody></table>"


def _fall(name: str, before: int, after: int, most: int, kind: str, figures: str) -> str:
    left, width = 100 * min(before, after) / most, 100 * abs(after - before) / most
    bar = f'<i class="{kind}" style="left:{left:.2f}%;width:{width:.2f}%"></i>'
    return f"<tr><th scope=row>{escape(name)}</th><td class=track>{bar}</td>{figures}</tr>"


def _tree(pair: Pair, n_rows: int) -> str:
    below: dict[int, list[ChangeRow]] = {}
    for row in pair.rows[:n_rows]:
        below.setdefault(row.parent, []).append(row)
    head = f"<div class='row soft'>{''.join(f'<span>{name}</span>' for name in _NAMES)}</div>"
    left = len(pair.rows) - n_rows
    more = f"<p class=soft>{left} rows more: --format json has them.</p>" if left > 0 else ""
    return head + "".join(_branch(row, below) for row in below.get(-1, [])) + more


def _branch(row: ChangeRow, below: dict[int, list[ChangeRow]]) -> str:
    matched = "" if row.matched == "sum" else row.matched
    calls = "" if row.a_calls is None or row.b_calls is None else f"{row.a_calls:.6g} → {row.b_calls:.6g}"
    cells = (
        f"<span>{escape(row.name)}</span><span>{format_ns(row.a_ns)}</span><span>{format_ns(row.b_ns)}</span>"
        f"{_delta(row.delta_ns, row.verdict)}<span>{calls}</span><span class=soft>{matched}</span>"
    )
    children = below.get(row.id)
    if not children:
        return f"<div class=row>{cells}</div>"
    is_open = " open" if row.depth < 2 or len(children) == 1 else ""
    inner = "".join(_branch(child, below) for child in children)
    return f"<details{is_open}><summary><div class=row>{cells}</div></summary>{inner}</details>"


def _delta(delta_ns: int, verdict: Verdict) -> str:
    mark = MARKS[verdict] if verdict != "finding" else "▲" if delta_ns > 0 else "▼"
    return f'<span class="{_class(delta_ns, verdict) or "soft"}">{signed_ns(delta_ns)} {mark}</span>'


def _class(delta_ns: int, verdict: Verdict) -> str:
    if verdict != "finding":
        return ""
    return "worse" if delta_ns > 0 else "better"
