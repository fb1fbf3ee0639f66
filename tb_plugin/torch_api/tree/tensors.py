"""Tensors and other inputs of nodes of the event tree, by event row: as our handler stored them, else as a stock file says."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.torch_api import event_arguments
from tb_plugin.torch_api.tree.fields import Input, Optimized, TensorMetadata
from tb_plugin.trace.device_types import TORCH_NAMES
from tb_plugin.trace.kinds import Kind, is_kind
from tb_plugin.trace.model import TensorPart

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_DTYPES: Final = {
    "float": "float32",
    "double": "float64",
    "c10::Half": "float16",
    "c10::BFloat16": "bfloat16",
    "long": "int64",
    "long int": "int64",
    "int": "int32",
    "short": "int16",
    "short int": "int16",
    "signed char": "int8",
    "unsigned char": "uint8",
    "bool": "bool",
    "c10::complex<float>": "complex64",
    "c10::complex<double>": "complex128",
    "c10::complex<c10::Half>": "complex32",
    "c10::Float8_e4m3fn": "float8_e4m3fn",
    "c10::Float8_e4m3fnuz": "float8_e4m3fnuz",
    "c10::Float8_e5m2": "float8_e5m2",
    "c10::Float8_e5m2fnuz": "float8_e5m2fnuz",
    "c10::qint8": "qint8",
    "c10::quint8": "quint8",
    "c10::qint32": "qint32",
}
"""Names of types as files have them ("Input type"), in C++."""


class TreeTensors:
    """Answers by row. Arguments that the Trace keeps as text are read when first asked for, of all rows at once."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._parsed: dict[int, list[Any]] = {}
        # Asking an array for single numbers takes ten times as long as asking this view of it.
        self._rows = trace.tensors.row.data

    def _places(self, row: int) -> range:
        return range(bisect_left(self._rows, row), bisect_left(self._rows, row + 1))

    def inputs(self, row: int) -> list[Input]:
        """An operator's arguments: tensors, lists of tensors, numbers; None for others, lists of numbers too."""
        types = self._json(int(self._trace.events.types_id[row]))
        sizes = self._json(int(self._trace.events.shapes_id[row]))
        values, strides = self._values.get(row, b""), self._strides.get(row, b"")
        numbers = event_arguments.concrete_inputs({"Concrete Inputs": msgspec.json.decode(values)}) if values else []
        known = self._of_row(row)
        of_file = msgspec.json.decode(strides) if strides else []
        found: list[Input] = []
        for place, type_name in enumerate(types):
            if type_name == "Scalar":
                found.append(_number(numbers[place]) if place < len(numbers) else None)
            elif type_name == "TensorList":
                listed = known.get(place)
                found.append(listed if isinstance(listed, list) else _list_of(sizes, of_file, place))
            elif place in known:
                found.append(known[place])
            elif type_name in _DTYPES and place < len(sizes):
                found.append(
                    TensorMetadata(
                        dtype=_DTYPES[type_name],
                        sizes=tuple(sizes[place]),
                        strides=tuple(of_file[place]) if place < len(of_file) else (),
                    )
                )
            else:
                found.append(None)
        return found

    def _of_row(self, row: int) -> dict[int, TensorMetadata | list[TensorMetadata]]:
        """Recorded tensor arguments by place."""
        tensors = self._trace.tensors
        found: dict[int, TensorMetadata | list[TensorMetadata]] = {}
        for at in self._places(row):
            place = int(tensors.place[at])
            if tensors.item[at] == NONE:
                found[place] = self._tensor(at)
            else:
                listed = found.setdefault(place, [])
                if isinstance(listed, list):
                    listed.append(self._tensor(at))
        return found

    def _tensor(self, at: int) -> TensorMetadata:
        tensors, text = self._trace.tensors, self._trace.text
        return TensorMetadata(
            impl_ptr=known(tensors.impl[at]),
            storage_data_ptr=known(tensors.storage[at]),
            id=known(tensors.tensor_id[at]),
            allocation_id=known(tensors.allocation_id[at]),
            layout=text(int(tensors.layout_id[at])),
            device=device_name(tensors.device_type[at], tensors.device_index[at]),
            dtype=text(int(tensors.dtype_id[at])),
            sizes=tuple(self._json(int(tensors.sizes_id[at]))),
            strides=tuple(self._json(int(tensors.strides_id[at]))),
        )

    def parameters(self, row: int) -> list[tuple[str, TensorMetadata, TensorMetadata | None]]:
        """Of the module whose call a frame is: (name, parameter, gradient)."""
        tensors = self._trace.tensors
        found: list[tuple[str, TensorMetadata, TensorMetadata | None]] = []
        for at in self._places(row):
            tensor = self._tensor(at)
            if tensors.part[at] == TensorPart.MODULE_PARAMETER:
                found.append((self._trace.text(int(tensors.name_id[at])), tensor, None))
            elif tensors.part[at] == TensorPart.MODULE_GRADIENT and found:
                found[-1] = (*found[-1][:2], tensor)
        return found

    def optimized(self, row: int) -> list[Optimized]:
        """Of the optimizer whose step a frame is."""
        tensors = self._trace.tensors
        found: list[Optimized] = []
        for at in self._places(row):
            tensor = self._tensor(at)
            if tensors.part[at] == TensorPart.OPTIMIZER_PARAMETER:
                found.append((tensor, None, []))
            elif found and tensors.part[at] == TensorPart.OPTIMIZER_GRADIENT:
                found[-1] = (found[-1][0], tensor, found[-1][2])
            elif found and tensors.part[at] == TensorPart.OPTIMIZER_STATE:
                found[-1][2].append((self._trace.text(int(tensors.name_id[at])), tensor))
        return found

    @cached_property
    def _values(self) -> dict[int, bytes]:
        return self._argument("Concrete Inputs")

    @cached_property
    def _strides(self) -> dict[int, bytes]:
        return {} if len(self._trace.tensors) else self._argument("Input Strides")

    def _argument(self, key: str) -> dict[int, bytes]:
        """The text of an argument by row. Few differ, so each is kept once."""
        rows = np.flatnonzero(is_kind(self._trace.events.kind, (Kind.OPERATOR, Kind.ANNOTATION)))
        kept: dict[bytes, bytes] = {}
        found = self._trace.args.of_rows(self._trace.events.order, rows, key)
        return {row: kept.setdefault(value, value) for row, value in found}

    def _json(self, text_id: int) -> list[Any]:
        """A stored JSON list, parsed once; empty for NONE."""
        found = self._parsed.get(text_id)
        if found is None:
            text = self._trace.text(text_id)
            try:
                value = msgspec.json.decode(text) if text else []
            except msgspec.DecodeError:  # a damaged file
                value = []
            found = self._parsed[text_id] = value if isinstance(value, list) else []
        return found


def _list_of(sizes: list[Any], strides: list[Any], place: int) -> list[TensorMetadata]:
    """A list of tensors of which the file says sizes and strides only."""
    listed = sizes[place] if place < len(sizes) else []
    of_each = strides[place] if place < len(strides) else []
    return [
        TensorMetadata(sizes=tuple(each), strides=tuple(of_each[item]) if item < len(of_each) else ())
        for item, each in enumerate(listed)
        if isinstance(each, list)
    ]


def _number(value: Any) -> bool | int | float | complex | None:
    if isinstance(value, str):
        try:
            return complex(value)
        except ValueError:
            return None
    return value if isinstance(value, (bool, int, float)) else None


def known(value: Any) -> int | None:
    """The number; None for "not recorded"."""
    return None if value == NONE else int(value)


def device_name(kind: Any, index: Any) -> str | None:
    """`cuda:0` of a number of c10::DeviceType and an index."""
    if kind == NONE:
        return None
    name = TORCH_NAMES.get(int(kind), f"device type {kind}")
    return name if index == NONE else f"{name}:{index}"
