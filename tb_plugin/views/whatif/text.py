"""The answer for a terminal, and its step times for CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.cut import cut_apart
from tb_plugin.base.text_table import aligned, percent
from tb_plugin.base.units import format_ns, signed_ns
from tb_plugin.question.outline import TextTable

if TYPE_CHECKING:
    from tb_plugin.views.whatif.result import LastPath, Trust, WhatIf

_SHOWN: Final = 15
_LONGEST: Final = 70


def text(result: WhatIf) -> str:
    """The step, what it is bound by, each edit alone, and where 10 % would show."""
    on_ranks = [] if result.on_ranks is None else [result.on_ranks]
    if result.refused is not None:
        return "\n".join([f"No estimate: {result.refused}.{_trusted(result.trust)}", *on_ranks])
    parts = [*on_ranks, f"step {format_ns(result.recorded_ns or 0)}, mean of {result.n_steps}{_trusted(result.trust)}"]
    if result.recorded_path is not None:
        parts.append(f"bound by {_bound(result.recorded_path)}")
    if result.edited_ns is not None and result.edited_path is not None:
        parts += ["", _edited(result), f"then bound by {_bound(result.edited_path)}"]
        parts += ["", aligned(["edit alone", "step", "change"], _alone(result), left=["edit alone"])]
        parts += ["", *result.caveats]
    else:
        parts += result.caveats
        parts += [
            "",
            aligned(
                ["--edit", "what takes less time"],
                [[f.example, f.says] for f in result.forms],
                left=["--edit", "what takes less time"],
            ),
        ]
    if result.effects:
        names = cut_apart([each.name for each in result.effects], _LONGEST)
        rows = [
            [each.kind, names[each.name], format_ns(each.own_ns), format_ns(each.gain_ns), percent(each.effect_share)]
            for each in result.effects[:_SHOWN]
        ]
        parts += ["", aligned(["10 % faster", "name", "own", "gain", "of the step"], rows, left=["10 % faster", "name"])]
    return "\n".join(parts)


def table(result: WhatIf) -> TextTable:
    """The step as recorded and replayed, with each edit, and with all; nothing is changed where that stands empty."""
    rows: list[list[str | int | None]] = [["recorded", result.recorded_ns, None]]
    rows += [[each.edit, each.step_ns, each.change_ns] for each in result.alone]
    rows.append(["all edits", result.edited_ns, result.change_ns])
    return TextTable(columns=("what", "step_ns", "change_ns"), rows=rows)


def _edited(result: WhatIf) -> str:
    assert result.edited_ns is not None
    assert result.change_ns is not None
    change = f"{signed_ns(result.change_ns)} ({percent(result.change_ns / max(result.recorded_ns or 0, 1))})"
    says = f"with all edits {format_ns(result.edited_ns)}, {change}"
    if result.low_change_ns is None or result.high_change_ns is None:
        return says
    if result.low_change_ns == result.high_change_ns:
        return says
    best = "at best " if result.at_best else ""
    return f"{says}, {best}between {signed_ns(result.low_change_ns)} and {signed_ns(result.high_change_ns)}"


def _alone(result: WhatIf) -> list[list[str]]:
    names = cut_apart([each.edit for each in result.alone], _LONGEST)
    return [[names[each.edit], format_ns(each.step_ns), signed_ns(each.change_ns)] for each in result.alone]


def _bound(path: LastPath) -> str:
    parts = (
        ("host", path.host_share),
        ("device", path.device_share),
        ("communication", path.communication_share),
        ("waiting", path.waiting_share),
    )
    return ", ".join(f"{name} {percent(share)}" for name, share in sorted(parts, key=lambda part: -part[1]) if share >= 0.0005)


def _trusted(trust: Trust | None) -> str:
    if trust is None:
        return ""
    unknown = f", {percent(trust.unexplained_share)} unexplained" if trust.unexplained_share >= 0.0005 else ""
    return f" (replay {100 * trust.error_share:+.1f} %, worst step {100 * trust.worst_error_share:+.1f} %{unknown})"
