"""Which of an operator's recorded arguments it may write: told by the schemas that our trace handler stores.

A profile names no overload, so, as torch's memory profiler does, all overloads that fit the recorded arguments count together.
`tb_plugin.capture.schemas` says how a schema is written: `"T! T N"`. What was recorded of an argument is one letter:

    T tensor   L list of tensors   l list with a tensor that has no id   B bool   I int   F float   C complex   - not recorded
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.distinct import distinct
from tb_plugin.trace.json_text import list_of, texts_of
from tb_plugin.trace.model import OPERATOR_SCHEMAS, TensorPart
from tb_plugin.trace.names import without_overload

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_FITS: Final = {"T": "T", "L": "L", "0": "-", "B": "B", "I": "BI", "F": "F", "C": "C", "N": "BIFC", "A": "TLlBIFC-", "X": "-"}
"""Letters of a schema, and what may have been recorded for them. A bool is an int in Python."""


class Fit(NamedTuple):
    """`writes[place]`: may the argument there be written? None where no schema fits and so nobody knows."""

    is_operator: bool  # some schema fits
    writes: tuple[bool | None, ...]


def fits(trace: Trace, rows: Int64Array) -> list[Fit]:
    """For each of these operator rows what its schemas say."""
    schemas = _stored(trace)
    recorded = _recorded(trace, rows)
    known: dict[tuple[int, str], Fit] = {}
    found = []
    for name_id, letters in zip(trace.events.name_id[rows].tolist(), recorded, strict=True):
        fit = known.get((name_id, letters))
        if fit is None:
            words = schemas.get(without_overload(trace.text(name_id)), ())
            fit = known[name_id, letters] = _fit(words, letters)
        found.append(fit)
    return found


def has_tensor_ids(trace: Trace) -> BoolArray:
    """For each row of `trace.tensors`: does torch's `TensorKey` exist for it?"""
    tensors = trace.tensors
    known: BoolArray = (tensors.tensor_id != NONE) & (tensors.allocation_id != NONE) & (tensors.storage != NONE)
    return known


def _stored(trace: Trace) -> dict[str, tuple[tuple[str, ...], ...]]:
    try:
        stored = msgspec.convert(trace.info.metadata.get(OPERATOR_SCHEMAS, {}), dict[str, list[str]])
    except msgspec.ValidationError:  # a damaged or foreign file: as if there were none
        return {}
    return {name: tuple(tuple(text.split()) for text in texts) for name, texts in stored.items()}


def _fit(schemas: tuple[tuple[str, ...], ...], letters: str) -> Fit:
    fitting = [words for words in schemas if len(words) == len(letters) and all(map(_takes, words, letters))]
    if not fitting:
        return Fit(is_operator=False, writes=(None,) * len(letters))
    writes = tuple(any(words[place].endswith("!") for words in fitting) for place in range(len(letters)))
    return Fit(is_operator=True, writes=writes)


def _takes(word: str, letter: str) -> bool:
    return letter in _FITS.get(word[0], "") or ("?" in word and letter == "-")


def _recorded(trace: Trace, rows: Int64Array) -> list[str]:
    """The recorded arguments of each of these rows, as letters."""
    events, tensors = trace.events, trace.tensors
    is_input = np.flatnonzero(tensors.part == TensorPart.INPUT)
    seen: dict[int, dict[int, str]] = {}
    columns = (tensors.row[is_input], tensors.place[is_input], tensors.item[is_input], has_tensor_ids(trace)[is_input])
    for row, place, item, is_known in zip(*(column.tolist() for column in columns), strict=True):
        of_row = seen.setdefault(row, {})
        if item == NONE:
            of_row[place] = "T" if is_known else "-"
        elif not is_known:
            of_row[place] = "l"
        else:
            of_row.setdefault(place, "L")
    types = {i: texts_of(trace.text(i)) for i in distinct(events.types_id[rows]).tolist()}
    with_numbers = rows[np.isin(events.types_id[rows], [i for i, names in types.items() if "Scalar" in names])]
    numbers = dict(trace.args.of_rows(trace.events.order, with_numbers, "Concrete Inputs"))
    decoded: dict[bytes, list[Any]] = {b"": []}
    found = []
    for row, types_id in zip(rows.tolist(), events.types_id[rows].tolist(), strict=True):
        tensors_here = seen.get(row, {})
        text = numbers.get(row, b"")
        if text not in decoded:
            decoded[text] = list_of(text)
        values = decoded[text]
        found.append("".join(_letter(name, place, tensors_here, values) for place, name in enumerate(types[types_id])))
    return found


def _letter(type_name: str, place: int, tensors_here: dict[int, str], values: list[Any]) -> str:
    if type_name == "Scalar":
        return _number_letter(str(values[place])) if place < len(values) else "-"
    return tensors_here.get(place, "L" if type_name == "TensorList" else "-")


def _number_letter(text: str) -> str:
    """What a number was before it was written: torch writes `True`, `3`, `0.5`, `(1,2)`."""
    if text in ("True", "False"):
        return "B"
    for letter, parse in (("I", int), ("F", float)):
        try:
            parse(text)
        except ValueError:
            continue
        return letter
    return "C" if text.startswith(("(", "[")) or text.endswith("j") else "-"
