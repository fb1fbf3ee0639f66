"""Arguments that have no column: kept as compressed JSON text, decoded when one event is clicked or one key is asked for."""

from __future__ import annotations

import bisect
import re
import threading
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import zstandard

from tb_plugin.base import progress
from tb_plugin.base.units import NONE
from tb_plugin.trace.compact import is_mapped
from tb_plugin.trace.json_text import NOT_JSON, raw_of, value_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy.typing as npt

    from tb_plugin.base.units import Int32Array

    Rows = npt.NDArray[np.integer]

_LEVEL = 1
_ELEMENTS = msgspec.json.Decoder(list[msgspec.Raw])
_SAID = rb"\s*:\s*(?!\s|\"\")"
_BLOCKS_A_WORD = 1000  # half a second where all of them are parsed
_OPEN_BLOCKS = 32  # rows lie by track, arguments by time: a few tracks are read side by side


class ArgsStore:
    """Blocks of compressed JSON arrays: element k of a block holds the `args` of event `first_order + k` (or null).

    first_order   block
              0   zstd('[{"External id":1},null,{"correlation":9}]')
              3   zstd('[...]')

    `order` is an event's place in its source. Where several events are asked for, `orders` is the whole column of them and
    `rows` are the places in it that count. Values that are damaged are none.
    """

    def __init__(self, first_orders: Sequence[int], blocks: Sequence[bytes | memoryview]) -> None:
        self._first_orders = list(first_orders)
        self._blocks = list(blocks)
        self._lacking: dict[bytes, set[int]] = {}  # by key, or pattern, the blocks that were looked through in vain

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        """(first order, JSON array) of each block, for writers."""
        return zip(self._first_orders, map(plain, self._blocks), strict=True)

    def __copy__(self) -> ArgsStore:
        """The same blocks, of which nothing is known yet."""
        return ArgsStore(self._first_orders, self._blocks)

    @property
    def n_bytes(self) -> int:
        """Of memory; what is mapped from a file takes none."""
        return sum(len(block) for block in self._blocks if not is_mapped(block))

    def packed(self) -> tuple[list[int], list[bytes | memoryview]]:
        """First orders and blocks as they are, compressed."""
        return self._first_orders, self._blocks

    def get(self, order: int) -> dict[str, Any]:
        """The decoded arguments of one event; empty when it has none. Opens a block each time."""
        text = _element(self._first_orders, self._elements, order)
        value = value_of(text) if text else None
        return value if isinstance(value, dict) else {}

    def sound(self) -> tuple[ArgsStore, int]:
        """(the same without blocks that cannot be read, how many these were); itself where all can. Opens every block."""
        kept: list[tuple[int, bytes | memoryview]] = []
        is_whole = True
        for first, block in zip(self._first_orders, self._blocks, strict=True):
            text = plain(block)
            if text.startswith(b"[") and raw_of(text) is not None:
                sound = utf8(text)
                is_whole = is_whole and sound is text
                kept.append((first, block if sound is text else zstandard.compress(sound, _LEVEL)))
        if is_whole and len(kept) == len(self._blocks):
            return self, 0
        return ArgsStore([first for first, _ in kept], [block for _, block in kept]), len(self._blocks) - len(kept)

    def reader(self) -> Callable[[int], str]:
        """The JSON text of one event's arguments, "" for none; for who asks for many: a few blocks stay open."""
        elements = lru_cache(_OPEN_BLOCKS)(self._elements)

        def read(order: int) -> str:
            text = _element(self._first_orders, elements, order)
            return "" if text == "null" else text

        return read

    def of_rows(self, orders: Int32Array, rows: Rows, key: str) -> Iterator[tuple[int, bytes]]:
        """(row, JSON text of the argument) of those of these rows that have it. Blocks without the key are not parsed."""
        for block_rows, found in self._found(orders, rows, (key,), b""):
            for row, each in zip(block_rows, found, strict=True):
                if each is not None and (value := bytes(each.value_0)):
                    yield row, value

    def places(self, orders: Int32Array, rows: Rows, keys: tuple[str, str]) -> tuple[Int32Array, list[tuple[bytes, bytes]]]:
        """(place in the pairs, for every event; the JSON texts of these two arguments, each pair once, empty where it lacks one).

        Place 0 is that of events that have neither.
        """
        place = np.zeros(len(orders), np.int32)
        places: dict[tuple[bytes, bytes], int] = {(b"", b""): 0}
        for block_rows, found in self._found(orders, rows, keys, b""):
            said = [(b"", b"") if each is None else (bytes(each.value_0), bytes(each.value_1)) for each in found]
            place[block_rows] = [places.setdefault(pair, len(places)) for pair in said]
        return place, [*places]

    def _found(
        self, orders: Int32Array, rows: Rows, keys: tuple[str, ...], behind: bytes, kind: type[msgspec.Raw | str] = msgspec.Raw
    ) -> Iterator[tuple[list[int], list[Any]]]:
        """By block: rows, and `value_0`, `value_1`, ... of each, values of these keys, empty where it lacks one, or None.

        `behind`: a pattern of what has to follow one of the keys in a block that is parsed. `kind`: raw values, or texts, of
        which an event with another value under the key has none.
        """
        asked = orders[rows]
        by_order = np.argsort(asked, kind="stable")
        asked, rows = asked[by_order], rows[by_order]
        ends = np.searchsorted(asked, [*self._first_orders[1:], np.iinfo(np.int32).max])[: len(self._blocks)]
        written = [msgspec.json.encode(key) for key in keys]
        follows = re.compile(b"|".join(re.escape(key) + behind for key in written)) if behind else None
        fields = [(f"value_{place}", kind, msgspec.field(default=kind(), name=key)) for place, key in enumerate(keys)]
        shape = msgspec.defstruct("SomeArguments", fields, gc=False)
        decode = msgspec.json.Decoder(list[shape | None]).decode  # type: ignore[valid-type]
        one = msgspec.json.Decoder(shape | None).decode
        searched: list[tuple[int | bytes, ...]] = [(*_capitals(key), key) for key in written]
        lacking = [self._lacking.setdefault(key, set()) for key in written]
        not_followed = self._lacking.setdefault(follows.pattern, set()) if follows else set()
        low = 0
        for place, (first, block, high) in enumerate(zip(self._first_orders, self._blocks, ends.tolist(), strict=True)):
            if place % _BLOCKS_A_WORD == 0:
                progress.now(f"arguments of events, {place:,} of {len(self._blocks):,} blocks")
            is_there = high > low and place not in not_followed and not all(place in each for each in lacking)
            text = plain(block) if is_there else b""
            # Looking for bytes is ten times as fast as a pattern, and for one byte, which is often not there, again.
            if text and not any(all(part in text for part in parts) for parts in searched):
                for each in lacking:
                    each.add(place)
            elif text and follows is not None and not follows.search(text):
                not_followed.add(place)
            elif text:
                items = _items(text, decode, one)
                n_there = low + int(np.searchsorted(asked[low:high], first + len(items)))
                yield rows[low:n_there].tolist(), [items[at] for at in (asked[low:n_there] - first).tolist()]
            low = high

    def texts(self, orders: Int32Array, rows: Rows, key: str) -> tuple[Int32Array, list[str]]:
        """(place in the texts or NONE, for every event; the distinct texts). Values that are not text are left out.

        Blocks in which it is always an empty text, as files of 2021 have it, are not parsed.
        """
        place = np.full(len(orders), NONE, np.int32)
        places = {"": NONE}
        for block_rows, found in self._found(orders, rows, (key,), _SAID, str):
            place[block_rows] = [NONE if each is None else places.setdefault(each.value_0, len(places) - 1) for each in found]
        return place, [*places][1:]

    def _elements(self, block: int) -> list[msgspec.Raw]:
        return _raw_elements(plain(self._blocks[block])) or []


def _element(first_orders: list[int], elements: Callable[[int], list[msgspec.Raw]], order: int) -> str:
    """The text of the element of this order; "" when no block holds it."""
    block = bisect.bisect_right(first_orders, order) - 1
    if block < 0:
        return ""
    items, place = elements(block), order - first_orders[block]
    # Bytes that are not UTF-8 pass a reader that does not look into arguments: they end here.
    return bytes(items[place]).decode("utf-8", "replace") if place < len(items) else ""


_OF_THREAD = threading.local()  # a decompressor is made in a tenth of the time of a block, and not shared by threads


def _decompressor() -> zstandard.ZstdDecompressor:
    found: zstandard.ZstdDecompressor | None = getattr(_OF_THREAD, "decompressor", None)
    if found is None:
        found = _OF_THREAD.decompressor = zstandard.ZstdDecompressor()
    return found


def plain(block: bytes | memoryview) -> bytes:
    """The JSON array of a block; nothing where it is damaged."""
    try:
        return _decompressor().decompress(block)
    except (zstandard.ZstdError, MemoryError):
        return b""


def _raw_elements(text: bytes) -> list[msgspec.Raw] | None:
    """None of a block that is damaged."""
    try:
        return _ELEMENTS.decode(text)
    except NOT_JSON:
        return None


def utf8(text: bytes) -> bytes:
    """The same, or with U+FFFD where it is not UTF-8: readers pass arguments on without looking into them."""
    if text.isascii():
        return text
    try:
        text.decode()
    except UnicodeDecodeError:
        return text.decode("utf-8", "replace").encode()
    return text


def _capitals(key: bytes) -> tuple[int, ...]:
    """Letters that most arguments lack: a block without one of them is without the key."""
    return tuple(letter for letter in key if 65 <= letter <= 90)


def _items(text: bytes, decode: Callable[[bytes], list[Any]], one: Callable[[bytes], Any]) -> list[Any]:
    """Those of a block; where one of them is damaged, the others."""
    try:
        return decode(text)
    except NOT_JSON:
        return [_item(bytes(raw), one) for raw in _raw_elements(text) or ()]


def _item(raw: bytes, one: Callable[[bytes], Any]) -> Any:
    try:
        return one(raw)
    except NOT_JSON:
        return None


class ArgsWriter:
    """Collects blocks while a file is read. `add` takes the raw JSON values of consecutive events."""

    def __init__(self) -> None:
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL)
        self._first_orders: list[int] = []
        self._blocks: list[bytes] = []
        self._n_events = 0

    def __getstate__(self) -> dict[str, Any]:
        """For another process, which adds no more."""
        return {**vars(self), "_compressor": None}

    def add(self, joined: bytes, n_events: int) -> None:
        """A JSON array, as bytes, of the `args` of the next `n_events` events."""
        self._first_orders.append(self._n_events)
        self._blocks.append(self._compressor.compress(utf8(joined)))
        self._n_events += n_events

    def blocks(self) -> tuple[list[int], list[bytes]]:
        return self._first_orders, self._blocks

    def join(self, first_orders: list[int], blocks: list[bytes], n_events: int) -> None:
        """The blocks of another writer, which got the `n_events` events after ours."""
        self._first_orders.extend(first + self._n_events for first in first_orders)
        self._blocks.extend(blocks)
        self._n_events += n_events

    def finish(self) -> ArgsStore:
        return ArgsStore(self._first_orders, self._blocks)
