r"""Makes what torch's C++ writer wrote valid JSON with the right names. Works on the text; what is sound passes unchanged.

The writer's layout is known: one key a line, and an event's name on one line of its own or with others.

    \n  {\n    "ph": "X",\n    "cat": "user_annotation",\n    "name": "say "hi"",\n    "pid": 7, ... \n  },\n  {

It writes no line feed that is part of a name, so a name is all between `"name": "` and the `",` before `"pid"`. Which name
belonged there is known from the live profile by the event's start; arguments that are broken are repaired by rule.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from tb_plugin.capture.own_events import OwnEvents
from tb_plugin.formats.kineto import json_repair

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import BinaryIO

_BLOCK_BYTES: Final = 256 * 1024  # stays in the processor's cache; larger is slower
_MAX_HEAD_BYTES: Final = 64 << 20
_HEAD_END: Final = b'"traceEvents": ['
_EVENT_END: Final = b"\n  },"
_LIST_END: Final = b"\n  ]"
_CUT_OFF: Final = b"""
  {"ph": "M", "name": "cut_off", "pid": "", "tid": "", "ts": 0, "args": {}
  }],
  "cutOff": "torch could not write all of this profile" }"""
_EVENT: Final = re.compile(rb'"name": "(.*)",\s+"pid": .*?,\s+"tid": .*?,\s+"ts": (-?\d+)(?:\.(\d+))?')
_BASE: Final = re.compile(rb'"baseTimeNanoseconds": (\d+)')
_TRACE_NAME: Final = re.compile(rb'"traceName": ".*"')
_HEAD_LINE: Final = re.compile(rb'^(\s*)"(.*?)": (.*?)(,?)$')
_RAW_LIST: Final = msgspec.json.Decoder(list[msgspec.Raw])


@dataclass
class Mended:
    """What was changed, for whoever wants to know whether the text is still the writer's."""

    names: int = 0
    events: int = 0
    dropped: int = 0
    head: bool = False

    def __bool__(self) -> bool:
        return bool(self.names or self.events or self.dropped or self.head)


def as_written(name: str) -> str:
    """What the writer (2.13) makes of a name, quotes apart, which it leaves as they are."""
    text = name.replace("\\", "/").replace("\n", "")
    if not (text.isascii() and text.isprintable()):
        return "unknown"
    return "Kernel" if text == "kernel" else text


def mend(
    source: BinaryIO,
    harmed: Sequence[tuple[int, str]],
    metadata: Mapping[str, str],
    trace_name: str,
    mended: Mended,
    own_threads: Sequence[int] = (),
) -> Iterator[bytes]:
    """The whole text in pieces, without the events of `own_threads` (system's numbers).

    `harmed` are (start_ns, true name), `metadata` is what `prof.add_metadata` was given.
    """
    own = OwnEvents(own_threads, _blocks_of_events(source)) if own_threads else None
    head, rest = _read_head(source)
    if not head:
        yield rest
        yield from iter(lambda: source.read(_BLOCK_BYTES), b"")
        return
    new_head = _mend_head(head, metadata)
    mended.head = new_head != head
    yield new_head
    base = _BASE.search(head)
    names = _Names(harmed, int(base[1]) if base else 0, mended)
    for events in _whole_events(source, rest):
        if events is _CUT_OFF:
            yield events
        elif events.startswith(_LIST_END):
            yield _TRACE_NAME.sub(lambda _: b'"traceName": ' + json.dumps(trace_name).encode(), events)
        else:
            yield _sound(names.restore(_without(events, own, mended) if own else events), mended)


def _without(text: bytes, own: OwnEvents, mended: Mended) -> bytes:
    """The same events but our own. The very last one of a file has no comma behind it and stays."""
    if not own.are_in(text):
        return text
    *events, rest = text.split(_EVENT_END)
    kept = [event + _EVENT_END for event in events if not own.are_in(event)]
    mended.dropped += len(events) - len(kept)
    return b"".join([*kept, rest])


def _read_head(source: BinaryIO) -> tuple[bytes, bytes]:
    """(text up to the list of events, what was read behind it); an empty head where the layout is a different one."""
    text = b""
    while True:
        block = source.read(_BLOCK_BYTES)
        text += block
        place = text.find(_HEAD_END)
        if place >= 0:
            place += len(_HEAD_END)
            return text[:place], text[place:]
        if not block or len(text) > _MAX_HEAD_BYTES:
            return b"", text


def _blocks_of_events(source: BinaryIO) -> Iterator[bytes]:
    """All events once, from the start of the source and back to it."""
    _, rest = _read_head(source)
    yield from _whole_events(source, rest)
    source.seek(0)


def _whole_events(source: BinaryIO, carry: bytes) -> Iterator[bytes]:
    """Pieces cut behind an event's comma, and last the end of the list with what follows."""
    while block := source.read(_BLOCK_BYTES):
        text = carry + block
        cut = text.rfind(_EVENT_END) + len(_EVENT_END)
        if cut < len(_EVENT_END):
            carry = text
            continue
        # The last event is kept back: only with the end of the file it is known to be complete.
        carry = text[cut:]
        yield text[:cut]
    end = carry.rfind(_LIST_END)
    if end >= 0 and carry.rstrip().endswith(b"}"):
        yield carry[:end]
        yield carry[end:]
    else:  # cut off, most likely by a full disk: the events before are whole
        cut = carry.rfind(_EVENT_END)
        yield carry[: cut + len(_EVENT_END)] if cut >= 0 else b""
        yield _CUT_OFF


class _Names:
    """Puts true names in the place of those that the writer changed."""

    def __init__(self, harmed: Sequence[tuple[int, str]], base_ns: int, mended: Mended) -> None:
        self._base_ns = base_ns
        self._mended = mended
        self._by_start: dict[int, list[str]] = {}
        for start_ns, name in harmed:
            self._by_start.setdefault(start_ns, []).append(name)

    def restore(self, text: bytes) -> bytes:
        if not self._by_start:
            return text
        pieces: list[bytes] = []
        last = 0
        for event in _EVENT.finditer(text):
            start_ns = self._base_ns + int(event[2]) * 1000 + int((event[3] or b"").ljust(3, b"0")[:3])
            name = self._take(start_ns, event[1])
            if name is not None:
                # The quotes around the name belong to the JSON text of it.
                pieces += [text[last : event.start(1) - 1], json.dumps(name).encode()]
                last = event.end(1) + 1
                self._mended.names += 1
        return b"".join([*pieces, text[last:]]) if pieces else text

    def _take(self, start_ns: int, written: bytes) -> str | None:
        """The first name not yet used that starts there and looks like this when written."""
        waiting = self._by_start.get(start_ns, [])
        for place, name in enumerate(waiting):
            if as_written(name).encode() == written:
                return waiting.pop(place)
        return None


def _sound(text: bytes, mended: Mended) -> bytes:
    """The same events as valid JSON."""
    if _is_list(text):
        return text
    pieces = text.split(_EVENT_END)
    for place, piece in enumerate(pieces):
        # The last piece is empty, or the very last event with its own brace.
        whole = piece if place == len(pieces) - 1 else piece + b"\n  }"
        if whole.strip() and not _is_list(whole):
            mended.events += 1
            fixed = _mend_event(whole)
            pieces[place] = fixed if place == len(pieces) - 1 else fixed.removesuffix(b"\n  }")
    return _EVENT_END.join(pieces)


def _is_list(text: bytes) -> bool:
    """Whether these are valid JSON values with commas between them, in valid UTF-8."""
    try:
        if not text.isascii():
            text.decode("utf-8")
        _RAW_LIST.decode(b"[" + text.rstrip().removesuffix(b",") + b"]")
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return True


def _mend_event(text: bytes) -> bytes:
    """One event, repaired; where that fails its arguments are kept as one text. No event is lost."""
    fixed, _ = json_repair.repair(text)
    if _is_list(fixed):
        return _with_end(fixed)
    before, found, arguments = text.partition(b'"args": {')
    if found:
        kept = before + b'"args": {"unreadable": ' + json.dumps(arguments.decode("utf-8", "replace")).encode() + b"}\n  }"
        if _is_list(kept):
            return kept
    return b'\n  {"ph": "?", "name": "unreadable event", "args": ' + _as_text(text) + b"\n  }"


def _as_text(text: bytes) -> bytes:
    return b'{"text": ' + json.dumps(text.decode("utf-8", "replace")).encode() + b"}"


def _with_end(text: bytes) -> bytes:
    """The text with its closing brace on a line of its own, as `_EVENT_END` expects."""
    return text.rstrip().removesuffix(b"}").rstrip() + b"\n  }"


def _mend_head(head: bytes, metadata: Mapping[str, str]) -> bytes:
    """The keys before the events, one a line: values that the job gave are set right, lines that are broken repaired."""
    given = {as_given: (key, text) for key, text in metadata.items() if (as_given := key.replace("\\", "/").replace("\n", ""))}
    lines = [_mend_line(line, given) for line in head.split(b"\n")]
    text = b"\n".join(lines)
    return text if _is_object(text + b"]}") else _only_sound_lines(lines)


def _mend_line(line: bytes, given: Mapping[str, tuple[str, str]]) -> bytes:
    found = _HEAD_LINE.match(line)
    if not found or line.endswith(_HEAD_END):
        return line
    indent, written_key, written, comma = found.groups()
    key, value = given.get(written_key.decode("utf-8", "replace"), ("", ""))
    # What was given later than this cycle is not in the file, and must not be.
    if key and value.replace("\\", "/").replace("\n", "").encode("utf-8", "replace") == written:
        return indent + json.dumps(key).encode() + b": " + _true_value(value).encode() + comma
    if _is_object(b"{" + line.rstrip().removesuffix(b",") + b"}"):
        return line
    fixed, _ = json_repair.repair(line.rstrip().removesuffix(b","))
    return fixed + comma if _is_object(b"{" + fixed + b"}") else line


def _true_value(text: str) -> str:
    """JSON for a metadata value.

    `add_metadata` puts quotes around any text and escapes nothing but quotes in it, while `add_metadata_json` takes JSON:
    a string that is no JSON, or JSON with control characters, is such a text.
    """
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if value is not None and not (isinstance(value, str) and not value.isprintable()):
        return json.dumps(value)
    if len(text) >= 2 and text.startswith('"') and text.endswith('"'):
        return json.dumps(text[1:-1].replace('\\"', '"'))
    return text if text == "null" else json.dumps(text)


def _only_sound_lines(lines: Sequence[bytes]) -> bytes:
    """The last way out: what cannot be read on its own goes, the time base and the list of events stay."""
    kept = []
    for line in lines:
        key = line.strip().removesuffix(b",")
        if not key or line.endswith(_HEAD_END) or key == b"{" or _is_object(b"{" + key + b"}"):
            kept.append(line)
    return b"\n".join(kept)


def _is_object(text: bytes) -> bool:
    try:
        text.decode("utf-8")
        msgspec.json.decode(text, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return True
