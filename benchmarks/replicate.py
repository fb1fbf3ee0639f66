"""Copies of a real trace, one after the other in time, until a file has the size a benchmark wants.

    python benchmarks/replicate.py IN.json[.gz] OUT.json --megabytes 200

What must differ between two recordings differs between two copies: times, correlation, External ids, flow ids, sequence
numbers, event indices, Python ids and step numbers. Names, shapes, threads and streams repeat, as they do over the steps
of a training.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_STEP = re.compile(r"ProfilerStep#(\d+)\Z")
_OF_ARROWS = ("correlation", "External id", "external id", "Sequence number")
_OF_PYTHON = ("Python id", "Python parent id")
_SHIFTED_ARGS = (*_OF_ARROWS, *_OF_PYTHON, "Ev Idx", "Record function id")
_SHIFTED_PHASES = ("s", "t", "f")  # ends of arrows: their id is a launch's or a forward operator's


def load(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """(what stands around the events, the events) of a Chrome JSON file."""
    content = json.loads(gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes())
    if isinstance(content, list):
        return {}, content
    events = content.pop("traceEvents")
    return content, events


def replicate(source: Path, target: Path, n_bytes: int) -> int:
    """Writes `target` of at least `n_bytes` bytes; the number of copies in it."""
    around, events = load(source)
    shifts = _shifts(events)
    once = [event for event in events if event.get("ph") == "M"]
    again = [event for event in events if event.get("ph") != "M"]
    n_copies = written = 0
    with target.open("w", encoding="utf-8") as file:
        file.write(json.dumps(around)[:-1] + (", " if around else "") + '"traceEvents": [\n')
        file.write(_text(once))
        while written < n_bytes:
            if n_copies:
                _shift(again, shifts)
            text = (",\n" if n_copies or once else "") + _text(again)
            written += file.write(text)
            n_copies += 1
        file.write("\n]}\n")
    return n_copies


def _text(events: list[dict[str, Any]]) -> str:
    return ",\n".join(map(json.dumps, events))


def _shifts(events: list[dict[str, Any]]) -> dict[str, Any]:
    """How far each number moves from copy to copy: its range in the file, so that no two copies share one."""
    numbers: dict[str, list[float]] = {"ts": [], "id": [], "step": []}
    for event in events:
        if event.get("ph") == "M":
            continue
        for key, value in _numbers(event):
            numbers.setdefault(key, []).append(value)
    ranges = {key: max(values) - min(values) + 1 for key, values in numbers.items() if values}
    longest = max((event["dur"] for event in events if isinstance(event.get("dur"), (int, float))), default=0)
    ranges["ts"] = int(ranges.get("ts", 0) + longest + 1000)
    # Arrows carry the correlation or the sequence number they belong to, a Python call the id of its caller: they move together.
    for linked in (("id", *_OF_ARROWS), _OF_PYTHON):
        ranges |= dict.fromkeys(linked, max(ranges.get(key, 1) for key in linked))
    return ranges


def _numbers(event: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The numbers of one event that move, by the name of their kind."""
    if isinstance(event.get("ts"), (int, float)):
        yield "ts", event["ts"]
    if event.get("ph") in _SHIFTED_PHASES and isinstance(event.get("id"), int):
        yield "id", event["id"]
    step = _STEP.match(event.get("name") or "")
    if step:
        yield "step", int(step[1])
    args = event.get("args") or {}
    for key in _SHIFTED_ARGS:
        if isinstance(args.get(key), int) and args[key] > 0:  # 0 and -1 say "none"
            yield key, args[key]


def _shift(events: list[dict[str, Any]], shifts: dict[str, Any]) -> None:
    """Moves the events on by one copy, in place."""
    for event in events:
        for key, value in list(_numbers(event)):
            moved = value + shifts[key]
            if key == "ts":
                event["ts"] = round(moved, 3)
            elif key == "id":
                event["id"] = moved
            elif key == "step":
                event["name"] = f"ProfilerStep#{moved}"
            else:
                event["args"][key] = moved


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--megabytes", type=float, default=200)
    options = parser.parse_args()
    copies = replicate(options.source, options.target, int(options.megabytes * 1e6))
    print(f"{options.target}: {copies} copies, {options.target.stat().st_size / 1e6:.0f} MB")
