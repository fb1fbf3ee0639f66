"""A chunk that is not JSON as it stands: taken apart, repaired event by event, counted.

Only files that are damaged or oddly shaped come here, so this may be slow; it must not lose an event that can be read.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tb_plugin.formats import json_repair
from tb_plugin.formats.issue_log import IssueLog
from tb_plugin.formats.json_stream import EVENT_BOUNDARY, first_object
from tb_plugin.formats.kineto_events import Event, event_of

_ONE_EVENT = msgspec.json.Decoder(Event)
_MAX_JOINED = 6
"""How many look-alikes of an event inside arguments are put together again before giving up."""


def split_broken(text: bytes, offset: int, issues: IssueLog) -> tuple[list[Event], bytes | None]:
    """Takes a chunk apart event by event: (the readable ones, text behind the end of the list or None).

    Every repair and every event that stays unreadable is counted in `issues` with its place.
    """
    events: list[Event] = []
    rest: bytes | None = None
    for place, piece in _pieces(text):
        event = _one_event(piece, offset + place, issues)
        if event is None:
            ending = _list_end(piece)
            if ending is not None:
                object_end, rest_start = ending
                event = _one_event(piece[:object_end], offset + place, issues) if object_end else None
                rest = piece[rest_start:] + text[place + len(piece) :]
            elif not _is_truncation(piece, text, place):
                issues.add("unreadable event", "events that are not JSON are left out", offset + place)
        if event is not None:
            events.append(event)
        if rest is not None:
            break
    return events, rest


def _pieces(text: bytes) -> Iterator[tuple[int, bytes]]:
    """(place, text) of single events; parts that only look like events (a list inside arguments) are joined again."""
    cuts = [0, *(match.end() for match in EVENT_BOUNDARY.finditer(text)), len(text)]
    index = 0
    while index < len(cuts) - 1:
        for joined in range(1, _MAX_JOINED + 1):
            end = cuts[min(index + joined, len(cuts) - 1)]
            piece = text[cuts[index] : end]
            whole = first_object(piece)
            if joined == 1 or whole is not None:
                best, step = piece, joined
            if whole is not None or index + joined >= len(cuts) - 1:
                break
        yield cuts[index], best.rstrip().removesuffix(b",")
        index += step


def _one_event(piece: bytes, place: int, issues: IssueLog) -> Event | None:
    try:
        return _ONE_EVENT.decode(piece)
    except msgspec.ValidationError:
        issues.add("unexpected types", "fields of an unexpected type are read as far as they can be", place)
        return event_of(msgspec.json.decode(piece))
    except (msgspec.DecodeError, UnicodeDecodeError, OverflowError):
        pass
    if _list_end(piece) is not None:
        return None
    fixed, repairs = json_repair.repair(piece)
    try:
        event = event_of(msgspec.json.decode(fixed))
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    for repair in repairs:
        issues.add(f"repaired: {repair}", f"events were not valid JSON ({repair}) and have been repaired", place)
    return event


def _list_end(piece: bytes) -> tuple[int, int] | None:
    """(end of the object, start of what is behind the list) when the list of events ends right behind this object."""
    stripped = piece.lstrip()
    skipped = len(piece) - len(stripped)
    end = 0 if stripped.startswith(b"]") else first_object(stripped)
    if end is None:
        return None
    behind = stripped[end:].lstrip(b" \r\n\t,")
    if not behind.startswith(b"]"):
        return None
    return skipped + end if end else 0, skipped + len(stripped) - len(behind) + 1


def _is_truncation(piece: bytes, text: bytes, place: int) -> bool:
    """The last piece of a file that was cut off: reported once as truncated, not as a broken event."""
    return place + len(piece) >= len(text.rstrip()) and first_object(piece) is None
