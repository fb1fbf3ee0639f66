"""Dictionaries that hand out ids: a key that is new gets the next one. `map(table.__getitem__, keys)` is the fast way in."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.trace.file_categories import kind_of
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.raw import RawTrack

if TYPE_CHECKING:
    from tb_plugin.base.units import Int32Array


class Strings(dict[str, int]):
    """Text to id; `texts[id]` is the way back."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def __missing__(self, text: str) -> int:
        self[text] = new_id = len(self.texts)
        self.texts.append(text)
        return new_id


class JsonTexts(dict[bytes, int]):
    """Raw JSON of an argument to the id of its text in a `Strings`; no bytes is NONE."""

    def __init__(self, strings: Strings) -> None:
        super().__init__({b"": NONE})
        self._strings = strings

    def __missing__(self, raw: bytes) -> int:
        self[raw] = new_id = self._strings[raw.decode("utf-8", errors="replace")]
        return new_id


class Labels(dict[tuple[str, str, str], int]):
    """(name, cat, ph) to id. A file has a few thousand: what they mean is worked out once each, not once a row."""

    def __init__(self, strings: Strings) -> None:
        super().__init__()
        self.strings = strings
        self.name_ids: list[int] = []
        self.category_ids: list[int] = []
        self.kinds: list[int] = []
        self.phases: list[str] = []

    def __missing__(self, label: tuple[str, str, str]) -> int:
        name, category, phase = label
        self[label] = new_id = len(self.kinds)
        self.name_ids.append(self.strings[name])
        self.category_ids.append(self.strings[category])
        self.kinds.append(kind_of(category, phase, name))
        # One letter; a word of a megabyte would make a column of such words.
        self.phases.append(phase if len(phase) == 1 else "?" * bool(phase))
        return new_id

    def kind(self, label_id: int) -> Kind:
        return Kind(self.kinds[label_id])


class TrackIds(dict[tuple[int | str, int | str], int]):
    """(pid, tid) as written, numbers or text, to a track; 25738, "25738" and "stream 25738" are one."""

    def __init__(self) -> None:
        super().__init__()
        self.tracks: list[RawTrack] = []
        self._by_text: dict[tuple[str, str], int] = {}

    def __missing__(self, key: tuple[int | str, int | str]) -> int:
        pid, tid = str(key[0]), str(key[1])
        text = (pid, tid.removeprefix("stream ").strip() if tid.startswith("stream ") else tid)
        found = self._by_text.get(text)
        if found is None:
            found = self._by_text[text] = len(self.tracks)
            self.tracks.append(RawTrack(pid=text[0], tid=text[1]))
        self[key] = found
        return found


class LabelsOnTracks(dict[tuple[str, str, str, int | str, int | str], int]):
    """(name, cat, ph, pid, tid) to a number that stands for a label and a track: one look for both, a third faster than two."""

    def __init__(self, labels: Labels, tracks: TrackIds) -> None:
        super().__init__()
        self._labels, self._tracks = labels, tracks
        # Of arrays of Python, which grow at their end without a copy of all.
        self._label, self._track = array("i"), array("i")

    def __missing__(self, key: tuple[str, str, str, int | str, int | str]) -> int:
        self[key] = number = len(self._label)
        self._label.append(self._labels[key[:3]])
        self._track.append(self._tracks[key[3:]])
        return number

    def of(self, numbers: Int32Array) -> tuple[Int32Array, Int32Array]:
        """(labels, tracks) of these numbers."""
        return np.frombuffer(self._label, np.int32)[numbers], np.frombuffer(self._track, np.int32)[numbers]


class FlowIds(dict[int | str, int]):
    """Arrow ids: numbers stand for themselves, text gets numbers of its own below zero."""

    has_names = False
    """Some text was no number: its id depends on what came before."""

    def __missing__(self, key: int | str) -> int:
        if isinstance(key, int):
            return key
        try:
            value = int(key, 0)
        except ValueError:
            value = -2 - len(self)
            self.has_names = True
        self[key] = value
        return value
