"""Arguments of many events as JSON text, for writers: whole blocks are unpacked once, not once an event."""

from __future__ import annotations

import bisect
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec
import zstandard

from tb_plugin.base.errors import FormatError
from tb_plugin.formats.work_arguments import untold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tb_plugin.trace.model import Trace

_OPEN_BLOCKS = 32  # rows lie by track, arguments by time: a few tracks are read side by side


class Arguments:
    """Undecoded arguments by place in the source: valid JSON in UTF-8, "" for none."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._blocks = list(trace.args)
        self._firsts = [first for first, _ in self._blocks]
        self._untold: dict[int, str] | None = None
        self._items = lru_cache(_OPEN_BLOCKS)(self._decode)

    def of(self, order: int) -> str:
        block = bisect.bisect_right(self._firsts, order) - 1
        if block < 0:
            return ""
        items = self._items(block)
        place = order - self._firsts[block]
        text = items[place] if place < len(items) else ""
        return "" if text == "null" else text

    def with_work(self, order: int) -> str:
        """The same, with what only `trace.work` tells of it."""
        if self._untold is None:
            self._untold = untold(self._trace, self)
        text, more = self.of(order), self._untold.get(order)
        if more is None:
            return text
        return more if text in ("", "{}") else f"{text.rstrip()[:-1]},{more[1:]}"

    def by_row(self) -> Iterator[str]:
        """Of every event, in the order of the Trace's rows."""
        return map(self.of, self._trace.events.order.tolist())

    def _decode(self, block: int) -> list[str]:
        try:
            text = zstandard.ZstdDecompressor().decompress(self._blocks[block][1])
            raw = msgspec.json.decode(text, type=list[msgspec.Raw])
        except (zstandard.ZstdError, msgspec.DecodeError) as error:
            raise FormatError(self._trace.info.source, f"stored arguments are damaged ({error})") from error
        # Bytes that are not UTF-8 pass a reader that does not look into arguments: they end here.
        return [bytes(item).decode("utf-8", "replace") for item in raw]
