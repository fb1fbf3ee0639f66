"""torch's report of anti-patterns, from a stored profile: what was matched, where in the source, and a line for each pattern."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tb_plugin.base.errors import UsageError
from tb_plugin.base.units import format_ns
from tb_plugin.formats import whole_file
from tb_plugin.trace.patterns import ALL
from tb_plugin.trace.patterns.call_tree import CallTree
from tb_plugin.trace.patterns.inputs import input_shapes
from tb_plugin.trace.patterns.source import callers_place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.patterns.pattern import Pattern, Trial

_RULE: Final = f"{'-' * 40}TorchTidy Report{'-' * 40}"
_NOWHERE: Final = "No source code location found"
_FILE: Final = "torchtidy_report.json"
_NO_DEVICE: Final = "Speed-ups were not measured: that needs a process that has imported torch and sees a CUDA device."
_RUNS: Final = 10


def report(
    trace: Trace, *, should_benchmark: bool = False, json_report_dir: str | Path | None = None, patterns: Sequence[Pattern] = ALL
) -> str:
    """The text. With `json_report_dir` also `torchtidy_report.json` there, by file; entries of other files in it stay."""
    tree = CallTree(trace)
    messages: dict[str, None] = {}
    by_file: dict[str, list[dict[str, Any]]] = {}
    summaries, not_checked = [], []
    device = _device() if should_benchmark else None
    for pattern in patterns:
        lacking = pattern.lacks(trace)
        if lacking is not None:
            not_checked.append(f"{pattern.name}: recorded without {lacking}")
            continue
        rows = pattern.rows(tree)
        if len(rows) == 0:
            continue
        summaries.append(f"{pattern.name}: {len(rows)} events matched.{_speed_up(trace, pattern, rows, device)}")
        for row in rows.tolist():
            place = callers_place(trace, row)
            message = pattern.description
            if pattern.has_place:
                message += f"\n[Source Code Location] {place or _NOWHERE}"
            if message not in messages:
                messages[message] = None
                file, _, line = place.rpartition(":") if place else (_NOWHERE, "", "")
                entry = {"name": pattern.name, "url": pattern.url, "message": pattern.description}
                by_file.setdefault(file, []).append({"line_number": int(line) if line else None, **entry})
    if json_report_dir is not None:
        _save(Path(json_report_dir) / _FILE, by_file)
    lines = [_RULE, "Matched Events:", *messages, "Summary:", *summaries]
    if not_checked:
        lines += ["Not checked:", *not_checked]
    if should_benchmark and device is None:
        lines.append(_NO_DEVICE)
    return "\n".join([*lines, _RULE])


def measured(trial: Trial, shapes: tuple[tuple[int, ...], ...], torch: Any, device: str) -> float:
    """Time after the change over time before it, on this device."""
    from_torch = {"torch": torch, "shapes": shapes, "device": device}

    def seconds(statement: str, setup: str) -> float:
        timer = torch.utils.benchmark.Timer(statement, setup=setup, globals=dict(from_torch))
        return float(timer.timeit(_RUNS).mean)

    matmul = torch.backends.cuda.matmul
    allowed = matmul.allow_tf32
    try:
        before_s = seconds(trial.before, trial.setup)
        return seconds(trial.after, trial.after_setup or trial.setup) / before_s
    finally:
        matmul.allow_tf32 = allowed


def _speed_up(trace: Trace, pattern: Pattern, rows: Int64Array, device: tuple[Any, str] | None) -> str:
    """What the matched events would save, from one measurement for each set of input shapes."""
    if device is None or pattern.trial is None:
        return ""
    events = trace.events
    factors: dict[int, float] = {}
    now_ns = then_ns = 0.0
    for row, shapes_id, start, end in zip(
        rows.tolist(), *(column[rows].tolist() for column in (events.shapes_id, events.start_ns, events.end_ns)), strict=True
    ):
        if shapes_id not in factors:
            shapes = tuple(tuple(shape) for shape in input_shapes(trace, row))
            factors[shapes_id] = measured(pattern.trial, shapes, *device)
        now_ns += end - start
        then_ns += (end - start) * factors[shapes_id]
    times = f" ({now_ns / then_ns:.2f}X)" if then_ns else ""
    return f" Total Estimated Speedup: {format_ns(now_ns - then_ns)}{times}"


def _device() -> tuple[Any, str] | None:
    """Torch where this process has it and a device; never imported for this."""
    torch = sys.modules.get("torch")
    return (torch, "cuda") if torch is not None and torch.cuda.is_available() else None


def _save(path: Path, by_file: dict[str, list[dict[str, Any]]]) -> None:
    known: Any = {}
    if path.exists():
        try:
            known = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise UsageError(f"{path}: not a report that could be added to ({error})") from error
        if not isinstance(known, dict):
            raise UsageError(f"{path}: not a report that could be added to (no JSON object)")
    with whole_file.written_text(path) as file:
        json.dump({**known, **by_file}, file, indent=4)
