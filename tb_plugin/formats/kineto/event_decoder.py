"""Text of events to `Event`s, with the words that this file has for `ph` and `cat` known to the decoder.

A file has twenty of them. Of words that it knows msgspec makes no text for each event: they are one object, whose hash is known
and which nobody has to free. It takes a sixth off decoding, and as much off looking labels up. Of another word it says that it is
none: then the chunk is decoded without knowing any, and its words are known from there on.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any, Final, Literal

import msgspec

from tb_plugin.formats.kineto.events import Event

_ANY: Final = msgspec.json.Decoder(list[Event])
_MOST_WORDS: Final = 100
"""More are no words of a profiler: each new one costs a decoder."""
_MOST_LETTERS: Final = 40


class EventDecoder:
    """Of one file. Gives the same events whatever it has decoded before."""

    def __init__(self) -> None:
        self._words: set[str] = set()
        self._decoder: msgspec.json.Decoder[Any] = _ANY

    def decode(self, text: bytes) -> list[Event]:
        """The events of a chunk; msgspec.DecodeError when it is not whole events of the usual types."""
        chunk = b"[%b]" % text
        try:
            known: list[Event] = self._decoder.decode(chunk)
            if self._decoder is not _ANY:
                return known
        except msgspec.ValidationError:
            known = _ANY.decode(chunk)
        self._learn(known)
        return known

    def _learn(self, events: list[Event]) -> None:
        words = set(map(attrgetter("cat"), events)).union(map(attrgetter("ph"), events)) - self._words
        if not words or len(self._words) + len(words) > _MOST_WORDS or max(map(len, words)) > _MOST_LETTERS:
            return
        self._words |= words
        word: Any = Literal[tuple(sorted(self._words))]
        # All fields, or those named here would come last, where the decoder does not expect them.
        fields = [
            (each.name, word if each.name in ("ph", "cat") else each.type, each.default) for each in msgspec.structs.fields(Event)
        ]
        known = msgspec.defstruct("KnownEvent", fields, bases=(Event,), gc=False)
        self._decoder = msgspec.json.Decoder(list[known])  # type: ignore[valid-type]
