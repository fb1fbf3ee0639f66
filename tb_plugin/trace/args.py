"""Arguments that nobody computes with: kept as compressed JSON text, decoded when one event is clicked."""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING, Any

import msgspec
import zstandard

from tb_plugin.base.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LEVEL = 1


class ArgsStore:
    """Blocks of compressed JSON arrays: element k of a block holds the `args` of event `first_order + k` (or null).

    first_order   block
              0   zstd('[{"External id":1},null,{"correlation":9}]')
              3   zstd('[...]')
    """

    def __init__(self, first_orders: Sequence[int], blocks: Sequence[bytes]) -> None:
        self._first_orders = list(first_orders)
        self._blocks = list(blocks)

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        """(first order, compressed block) pairs, for writers."""
        return zip(self._first_orders, self._blocks, strict=True)

    @property
    def n_bytes(self) -> int:
        return sum(map(len, self._blocks))

    def get(self, order: int) -> dict[str, Any]:
        """The decoded arguments of the event at this place in the source; empty when it has none."""
        block = bisect.bisect_right(self._first_orders, order) - 1
        if block < 0:
            return {}
        place = order - self._first_orders[block]
        try:
            raw = zstandard.ZstdDecompressor().decompress(self._blocks[block])
            items = msgspec.json.decode(raw, type=list[msgspec.Raw])
            # Bytes that are not UTF-8 pass a reader that does not look into arguments: they end here.
            value = msgspec.json.decode(bytes(items[place]).decode(errors="replace")) if place < len(items) else None
        except (zstandard.ZstdError, msgspec.DecodeError) as error:
            raise FormatError("stored arguments", f"the block of event {order} is damaged ({error})") from error
        return value if isinstance(value, dict) else {}


class ArgsWriter:
    """Collects blocks while a file is read. `add` takes the raw JSON values of consecutive events."""

    def __init__(self) -> None:
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL)
        self._first_orders: list[int] = []
        self._blocks: list[bytes] = []
        self._n_events = 0

    def add(self, joined: bytes, n_events: int) -> None:
        """A JSON array, as bytes, of the `args` of the next `n_events` events."""
        self._first_orders.append(self._n_events)
        self._blocks.append(self._compressor.compress(joined))
        self._n_events += n_events

    def finish(self) -> ArgsStore:
        return ArgsStore(self._first_orders, self._blocks)
