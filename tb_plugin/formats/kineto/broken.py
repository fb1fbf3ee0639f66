"""A chunk that is not JSON as it stands: taken apart, repaired event by event, counted.

Only files that are damaged or oddly shaped come here, so this may be slow; it must not lose an event that can be read.
For the text at hand, in this order:

    whole object by brackets, decodes        -> an event
    text up to the next event, repaired      -> an event, counted as repaired
    brackets still open and more text to come -> kept for the next chunk
    none of these                            -> counted as unreadable, with its place and its bytes, up to where another begins
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from tb_plugin.formats.kineto import json_repair
from tb_plugin.formats.kineto.events import Event, event_of
from tb_plugin.formats.kineto.json_stream import EVENT_BOUNDARY, first_object
from tb_plugin.trace.json_text import NOT_JSON
from tb_plugin.trace.scope.recording import NOT_AN_EVENT, UNREADABLE

if TYPE_CHECKING:
    from tb_plugin.formats.issue_log import IssueLog

_ONE_EVENT = msgspec.json.Decoder(Event)
_BETWEEN = re.compile(rb"[\s,]*")
_NO_OBJECT = re.compile(rb"[^,\]{]*")
_LAST_EVENT_END = re.compile(rb"\}(?=\s*\])")
_MAX_REPAIRED_BYTES = 1 << 16
_BEGINS = re.compile(rb'\{\s*"ph"\s*:\s*"[A-Za-z]"\s*,')
"""An event, as torch writes it. Inside of another one it tells that text between them is gone, whatever a repair makes of it."""

_HOLE = bytes(64)  # what was never written, or lost; it is no text of one event
_PASSES = 16  # over a chunk, to find where objects end
_MAX_KEPT_BYTES = 1 << 20
"""Brackets that stay open for longer than this are broken, not an event across a cut."""


@dataclass
class Parts:
    """What a chunk came to. `kept` is text to read again with what follows; `rest` is text behind the list's end."""

    events: list[Event] = field(default_factory=list)
    kept: bytes = b""
    rest: bytes | None = None


def take_apart(text: bytes, offset: int, issues: IssueLog, *, last: bool) -> Parts:
    """Every event of the chunk that can be read. `offset` is its place in the file, `last` that nothing follows it."""
    parts, marks = Parts(), _Marks(text)
    place = 0
    while True:
        between = _BETWEEN.match(text, place)
        place = between.end() if between else place
        if place >= len(text):
            return parts
        if text[place : place + 1] == b"]":
            parts.rest = text[place + 1 :]
            return parts
        if text[place : place + 1] != b"{":
            skipped = _NO_OBJECT.match(text, place)
            before, place = place, max(skipped.end() if skipped else 0, place + 1)
            issues.lose(NOT_AN_EVENT, "items or more that are no objects, {}, are left out", offset + before, place - before)
            continue
        end = marks.object_at(place)
        event, place_after = _read_one(text, place, end, marks.ends_after(place), offset, issues)
        if event is None and end is None:
            if last and not marks.ends_after(place):
                return parts  # cut off; the reader reports the file as truncated
            if not last and len(text) - place < _MAX_KEPT_BYTES:
                parts.kept = text[place:]
                return parts
        if event is None:
            another = _BEGINS.search(text, place + 1, place_after)
            place_after = place_after if another is None else another.start()
            issues.lose(UNREADABLE, "events or more, {} that are not JSON, are left out", offset + place, place_after - place)
        else:
            parts.events.append(event)
        place = place_after


class _Marks:
    """Where events may end in a chunk, each found once: a chunk may have a hundred thousand beginnings and no end."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._boundaries = [match.start() + 1 for match in EVENT_BOUNDARY.finditer(text)]
        self._last_ends = [match.start() + 1 for match in _LAST_EVENT_END.finditer(text)]
        self._bytes_left = _PASSES * len(text)

    def ends_after(self, place: int) -> list[int]:
        """The next end before another event, and the next before the list's end."""
        nearest = [ends[k] for ends in (self._boundaries, self._last_ends) if (k := bisect_right(ends, place)) < len(ends)]
        return sorted(set(nearest))

    def object_at(self, place: int) -> int | None:
        """Where the object that begins there ends; None where it does not, or when looking for ends has taken too long."""
        if self._bytes_left < 0:
            return None
        end = first_object(self._text, place)
        self._bytes_left -= (len(self._text) if end is None else end) - place
        return end


def _read_one(
    text: bytes, place: int, end: int | None, ends: list[int], offset: int, issues: IssueLog
) -> tuple[Event | None, int]:
    """(the event at `place` or None, where to go on). `end`: of its brackets; `ends`: where it may end besides."""
    if end is not None:
        event = _sound(text[place:end], offset + place, issues)
        if event is not None:
            return event, end
        ends = sorted({*ends, end})
    for candidate in ends:
        if candidate - place > _MAX_REPAIRED_BYTES and candidate != ends[0]:
            break
        event = _repaired(text[place:candidate], offset + place, issues)
        if event is not None:
            return event, candidate
    return None, ends[0] if ends else len(text)


def _sound(piece: bytes, place: int, issues: IssueLog) -> Event | None:
    try:
        return _ONE_EVENT.decode(piece)
    except msgspec.ValidationError:
        pass
    except NOT_JSON:
        return None
    try:
        event = event_of(msgspec.json.decode(piece))
    except NOT_JSON:
        return None
    issues.add("unexpected types", "fields of an unexpected type are read as far as they can be", place)
    return event


def _repaired(piece: bytes, place: int, issues: IssueLog) -> Event | None:
    if _HOLE in piece or _BEGINS.search(piece, 1):
        return None
    fixed, repairs = json_repair.repair(piece)
    try:
        event = event_of(msgspec.json.decode(fixed))
    except NOT_JSON:
        return None
    for repair in repairs:
        issues.add(f"repaired: {repair}", f"events were not valid JSON ({repair}) and have been repaired", place)
    return event
