"""One argument of many events at once. `ArgsStore.get` is for one event: it opens a block each time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import numpy.typing as npt
import zstandard

from tb_plugin.base.errors import FormatError
from tb_plugin.base.units import NONE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tb_plugin.trace.model import Trace


def argument_of_rows(trace: Trace, rows: npt.NDArray[np.integer], key: str) -> Iterator[tuple[int, bytes]]:
    """(event row, JSON text of the argument) of those of these rows that have it. Blocks without the key are not parsed."""
    orders = trace.events.order[rows]
    by_order = np.argsort(orders, kind="stable")
    orders, rows = orders[by_order], rows[by_order]
    starts = [first for first, _block in trace.args]
    ends = np.searchsorted(orders, [*starts[1:], np.iinfo(np.int32).max])[: len(starts)]
    shape = msgspec.defstruct("OneArgument", [("value", msgspec.Raw, msgspec.field(default=msgspec.Raw(), name=key))], gc=False)
    decode = msgspec.json.Decoder(list[shape | None]).decode  # type: ignore[valid-type]
    wanted = msgspec.json.encode(key)
    low = 0
    for (first, block), high in zip(trace.args, ends.tolist(), strict=True):
        if high > low:
            text = _text_of(block)
            if wanted in text:
                items = _items(text, decode)
                for row, order in zip(rows[low:high].tolist(), orders[low:high].tolist(), strict=True):
                    found = items[order - first] if order - first < len(items) else None
                    value = b"" if found is None else bytes(found.value)
                    if value:
                        yield row, value
        low = high


def text_argument_of_rows(trace: Trace, rows: npt.NDArray[np.integer], key: str) -> tuple[npt.NDArray[np.int32], list[str]]:
    """(place in the texts or NONE, for each event of the trace; the distinct texts). Values that are not text are left out."""
    place = np.full(len(trace.events), NONE, np.int32)
    places: dict[bytes, int] = {}
    texts: list[str] = []
    for row, value in argument_of_rows(trace, rows, key):
        found = places.get(value)
        if found is None:
            text = msgspec.json.decode(value) if value.startswith(b'"') else ""
            found = places[value] = len(texts) if text else NONE
            if text:
                texts.append(text)
        place[row] = found
    return place, texts


def _text_of(block: bytes) -> bytes:
    try:
        return zstandard.ZstdDecompressor().decompress(block)
    except zstandard.ZstdError as error:
        raise FormatError("stored arguments", f"a block is damaged ({error})") from error


def _items(text: bytes, decode: object) -> list[object]:
    try:
        return decode(text)  # type: ignore[operator, no-any-return]
    except (msgspec.DecodeError, UnicodeDecodeError):
        return []
