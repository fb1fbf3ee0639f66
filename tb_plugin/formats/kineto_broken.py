"""A chunk that is not JSON as it stands: taken apart, repaired event by event, counted.

Only files that are damaged or oddly shaped come here, so this may be slow; it must not lose an event that can be read.
For the text at hand, in this order:

    whole object by brackets, decodes        -> an event
    text up to the next event, repaired      -> an event, counted as repaired
    brackets still open and more text to come -> kept for the next chunk
    none of these                            -> counted as unreadable, with its place
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from tb_plugin.formats import json_repair
from tb_plugin.formats.json_stream import EVENT_BOUNDARY, first_object
from tb_plugin.formats.kineto_events import Event, event_of

if TYPE_CHECKING:
    from tb_plugin.formats.issue_log import IssueLog

_ONE_EVENT = msgspec.json.Decoder(Event)
_BETWEEN = re.compile(rb"[\s,]*")
_NO_OBJECT = re.compile(rb"[^,\]{]*")
_LAST_EVENT_END = re.compile(rb"\}(?=\s*\])")
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
    parts = Parts()
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
            place = max(skipped.end() if skipped else 0, place + 1)
            issues.add("not an event", "items of the list that are not objects are left out", offset + place)
            continue
        end = first_object(text[place:])
        event, place_after = _read_one(text, place, end, offset, issues)
        if event is None and end is None:
            if last and EVENT_BOUNDARY.search(text, place) is None and _LAST_EVENT_END.search(text, place) is None:
                return parts  # cut off; the reader reports the file as truncated
            if not last and len(text) - place < _MAX_KEPT_BYTES:
                parts.kept = text[place:]
                return parts
        if event is None:
            issues.add("unreadable event", "events that are not JSON are left out", offset + place)
        else:
            parts.events.append(event)
        place = place_after


def _read_one(text: bytes, place: int, end: int | None, offset: int, issues: IssueLog) -> tuple[Event | None, int]:
    """(the event at `place` or None, where to go on)."""
    if end is not None:
        event = _sound(text[place : place + end], offset + place, issues)
        if event is not None:
            return event, place + end
    boundary = EVENT_BOUNDARY.search(text, place)
    last_end = _LAST_EVENT_END.search(text, place)
    ends = sorted({match.start() + 1 for match in (boundary, last_end) if match} | ({place + end} if end is not None else set()))
    for candidate in ends:
        event = _repaired(text[place:candidate], offset + place, issues)
        if event is not None:
            return event, candidate
    return None, ends[0] if ends else len(text)


def _sound(piece: bytes, place: int, issues: IssueLog) -> Event | None:
    try:
        return _ONE_EVENT.decode(piece)
    except msgspec.ValidationError:
        pass
    except json_repair.NOT_JSON:
        return None
    try:
        event = event_of(msgspec.json.decode(piece))
    except json_repair.NOT_JSON:
        return None
    issues.add("unexpected types", "fields of an unexpected type are read as far as they can be", place)
    return event


def _repaired(piece: bytes, place: int, issues: IssueLog) -> Event | None:
    fixed, repairs = json_repair.repair(piece)
    try:
        event = event_of(msgspec.json.decode(fixed))
    except json_repair.NOT_JSON:
        return None
    for repair in repairs:
        issues.add(f"repaired: {repair}", f"events were not valid JSON ({repair}) and have been repaired", place)
    return event
