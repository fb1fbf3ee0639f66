"""Chunks of events to columns: the inner loop of reading. Of Python's loops over events each does one step.

Which arguments are decoded depends on the kind of the event: operators, device work and launches, allocations. Python
frames, half of a profile with stacks, need none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

import msgspec
import numpy as np
import numpy.typing as npt

from tb_plugin.base import progress
from tb_plugin.base.cut import cut_middle
from tb_plugin.base.units import NONE, Int32Array, Int64Array
from tb_plugin.formats.interning import FlowIds, JsonTexts, Labels, LabelsOnTracks, Strings, TrackIds
from tb_plugin.formats.issue_log import IssueLog
from tb_plugin.formats.kineto import arguments, head
from tb_plugin.formats.kineto.event_decoder import EventDecoder
from tb_plugin.formats.kineto.events import NO_ARGS, CallNumbers, Event, MemoryArgs, OperatorArgs, OperatorNumbers, WorkArgs
from tb_plugin.formats.kineto.int_columns import float64_column, int64_column
from tb_plugin.formats.kineto.named_tracks import named
from tb_plugin.formats.kineto.times import DAY_NS, Times, far_away, pair_ranges
from tb_plugin.formats.kineto.work import WorkRows
from tb_plugin.trace.args import ArgsWriter
from tb_plugin.trace.compact import nothing
from tb_plugin.trace.kinds import LAUNCH_KINDS, Kind
from tb_plugin.trace.raw import RawEvents, RawTrace, RawTrack
from tb_plugin.trace.scope.recording import FAR_AWAY, NEGATIVE, NO_DURATION, NO_TIME

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tb_plugin.base.progress import OnProgress
    from tb_plugin.formats.kineto.epoch import ShortTimes

Rows: TypeAlias = "tuple[Int64Array, dict[str, list[Any]]]"
"""Rows of a chunk, and their arguments by name."""

_OPERATOR_KINDS = (Kind.OPERATOR, Kind.ANNOTATION)
_NO_ARGS_KINDS = (Kind.PYTHON, Kind.SPAN, Kind.INSTANT, Kind.COUNTER, Kind.OUT_OF_MEMORY)
_OF_OPERATORS = ("external_id", "sequence", "forward_thread", "shapes_id", "types_id")
_FLOW_PHASES = {"s": 0, "t": 1, "f": 2}
_MEMORY_NAMES = tuple(field.name for field in msgspec.structs.fields(MemoryArgs))
_MOST_ARGS_BYTES = 1 << 20  # of one event
_NAME_LETTERS = 60  # of an event that a note names

# What is done with the rows of a label. Of operators and calls it begins with few arguments, until one is seen that has others.
_PLAIN, _OPERATOR, _WORK, _MEMORY, _FLOW, _METADATA, _COUNTER, _FEW_OF_OPERATOR, _FEW_OF_CALL = range(9)
_FEW: Final = {_FEW_OF_OPERATOR: (OperatorNumbers, _OPERATOR), _FEW_OF_CALL: (CallNumbers, _WORK)}
_LEAST_APART: Final = 64
"""Rows of a chunk: to decode fewer apart takes as long as it saves."""
_MOST_SEARCHES: Final = 8
"""Of chunks, for labels with other arguments: then all labels have them, as in a file with shapes."""


class ChunkColumns:
    """Grows by `add` and `join`; read out once at the end. `base_us`: what times are relative to, where that is known."""

    def __init__(self, base_us: float | None = None) -> None:
        self.strings = Strings()
        self.args = ArgsWriter()
        self.issues = IssueLog()
        self.n_events = 0
        self.decoder = EventDecoder()
        self.labels = Labels(self.strings)
        self._json_texts = JsonTexts(self.strings)
        self._track_ids = TrackIds()
        self._rows = LabelsOnTracks(self.labels, self._track_ids)
        self._flow_ids = FlowIds()
        self._actions = np.empty(0, np.uint8)
        self._n_searches = dict.fromkeys(_FEW, 0)
        self._times = Times(base_us)
        self._label: list[Int32Array] = []
        self._track: list[Int32Array] = []
        self._flow: list[tuple[Int64Array, Int64Array]] = []  # (order, id)
        self._operators: list[tuple[Int64Array, dict[str, npt.NDArray[Any]]]] = []
        self._work = WorkRows()
        self._memory: list[tuple[Int64Array, dict[str, npt.NDArray[Any]]]] = []
        self._unfinished: list[Int64Array] = []
        self._names_of_tracks: list[tuple[str, str, str, dict[str, Any]]] = []

    def __getstate__(self) -> dict[str, Any]:
        """For another process, which adds no more."""
        return {**vars(self), "decoder": None, "_rows": None}

    @property
    def has_phases(self) -> bool:
        return any(self.labels.phases)

    @property
    def n_parts(self) -> int:
        """How many chunks were added."""
        return len(self._label)

    @property
    def tracks_so_far(self) -> list[RawTrack]:
        return self._track_ids.tracks

    @property
    def short_times(self) -> ShortTimes:
        return self._times.short

    @property
    def base_us(self) -> float | None:
        return self._times.base_us

    def join(self, other: ChunkColumns) -> None:
        """Adds what `other` read of the chunks after ours, as if it had been added here: to the last id and byte.

        It has the same `base_us`, and no arrows with names.
        """
        # Ids are given in the order in which keys are met first, so those of `other` are asked for in its order.
        string_of = np.array([*map(self.strings.__getitem__, other.strings.texts), NONE], np.int64)
        label_of = np.fromiter(map(self.labels.__getitem__, other.labels), np.int32, len(other.labels))
        track_of = np.empty(len(other.tracks_so_far), np.int32)
        for key, theirs in other._track_ids.items():
            track_of[theirs] = self._track_ids[key]
        self._flow_ids.update(other._flow_ids)
        before = self.n_events
        self._label.extend(label_of[label] for label in other._label)
        self._track.extend(track_of[track] for track in other._track)
        self._times.join(other._times)
        self._flow.extend((order + before, ids) for order, ids in other._flow)
        for order, columns in other._operators:
            texts = {name: string_of[columns[name]] for name in ("shapes_id", "types_id")}
            self._operators.append((order + before, {**columns, **texts}))
        self._work.join(other._work, before)
        self._memory.extend((order + before, columns) for order, columns in other._memory)
        self._unfinished.extend(order + before for order in other._unfinished)
        self._names_of_tracks.extend(other._names_of_tracks)
        self.args.join(*other.args.blocks(), other.n_events)
        self.issues.join(other.issues)
        self.n_events += other.n_events

    @property
    def is_joinable(self) -> bool:
        return not self._flow_ids.has_names

    def since(self, n_parts: int) -> tuple[Int32Array, Int32Array, Int64Array, Int64Array]:
        """(label, track, start, duration in ns) of the events of all chunks after the first `n_parts`; pairs count once."""
        label, track = (_concatenate(parts[n_parts:], np.int32) for parts in (self._label, self._track))
        start, duration = self._times.since(n_parts)
        kept = np.flatnonzero((self._is_event_of_labels() & ~self._of_phases("E"))[label])
        return label[kept], track[kept], start[kept], duration[kept]

    def add(self, events: list[Event]) -> None:
        """Appends the rows of a chunk."""
        n = len(events)
        if n == 0:
            return
        phase, category, name, pid, tid, ts, dur, raw_args, ids = arguments.by_field(events, Event)
        number = map(self._rows.__getitem__, zip(name, category, phase, pid, tid, strict=True))
        label, track = self._rows.of(np.fromiter(number, np.int32, n))
        self._times.add(float64_column(ts), float64_column(dur))
        joined = b"[%b]" % b",".join(raw_args)
        if len(joined) > _MOST_ARGS_BYTES:
            raw_args = self._without_absurd(raw_args)
            joined = b"[%b]" % b",".join(raw_args)
        self.args.add(self.short_times.restored(joined), n)
        action = self._action_of_labels()[label]
        for row in np.flatnonzero(action == _COUNTER).tolist():
            event = events[row]
            if event.id:  # part of what it is called: counters of one name with other ids are others
                label[row] = self.labels[(f"{event.name} [{event.id}]", event.cat, event.ph)]
        few_of_operators, few_of_calls = (self._few(raw_args, label, action, few) for few in (_FEW_OF_OPERATOR, _FEW_OF_CALL))
        self._add_operators(raw_args, np.flatnonzero(action == _OPERATOR), few_of_operators)
        self._add_work(raw_args, np.flatnonzero(action == _WORK), few_of_calls)
        self._add_memory(raw_args, np.flatnonzero(action == _MEMORY))
        flows = np.flatnonzero(action == _FLOW)
        if len(flows):
            of_flows = [ids[row] for row in flows.tolist()]
            if str in set(map(type, of_flows)):
                of_flows = [*map(self._flow_ids.__getitem__, of_flows)]
            self._flow.append((flows + self.n_events, int64_column(of_flows)))
        for row in np.flatnonzero(action == _METADATA).tolist():
            event = events[row]
            self._names_of_tracks.append((event.name, str(event.pid), str(event.tid), arguments.as_dict(event.args)))
        self._label.append(label)
        self._track.append(track)
        self.n_events += n

    def _without_absurd(self, raw_args: Sequence[msgspec.Raw]) -> list[msgspec.Raw]:
        kept = [raw if len(bytes(raw)) <= _MOST_ARGS_BYTES else NO_ARGS for raw in raw_args]
        n_lost = sum(a is not b for a, b in zip(kept, raw_args, strict=True))
        if n_lost:
            self.issues.add("long arguments", "arguments of more than 1 MiB are left out", 0, n_lost)
        return kept

    def raw_trace(self, metadata: dict[str, Any], source: str, on_progress: OnProgress = progress.silent) -> RawTrace:
        """Everything that was added, with what the file's `metadata` says of it. Call once."""
        events, base_ns, resolution_ns = self._events(metadata, on_progress)
        on_progress(0.9, "joining arrows and memory")
        return RawTrace(
            n_orders=self.n_events,
            strings=self.strings.texts,
            tracks=named(self._track_ids, self._names_of_tracks),
            events=events,
            work=self._work.finish(),
            memory_order=_concatenate([order for order, _ in self._memory], np.int32),
            memory={name: _concatenate([columns[name] for _, columns in self._memory], np.int64) for name in _MEMORY_NAMES},
            flows=self._flows(),
            unfinished_order=_concatenate(self._unfinished, np.int32),
            args=self.args.finish(),
            info=head.trace_info(metadata, source=source, base_ns=base_ns, resolution_ns=resolution_ns),
            issues=self.issues.as_list(),
        )

    def _events(self, metadata: dict[str, Any], on_progress: OnProgress) -> tuple[RawEvents, int, int]:
        """(events in file order, Unix time of their time 0 in ns, resolution in ns). Times are relative to that 0."""
        on_progress(0.0, "joining times")
        label, track = _concatenate(self._label, np.int32), _concatenate(self._track, np.int32)
        self._label, self._track = [label], [track]  # arrows need them once more
        start, end, base_ns, resolution = self._times.columns(metadata)
        keep = self._is_event_of_labels()[label]
        untimed = keep & self._times.untimed()
        if untimed.any():
            text = "events without a time stamp, or with one that is no time, have no place on the timeline"
            self._note(NO_TIME, text, untimed, label)
            keep &= ~untimed
        far = self._far_away(start[keep])
        if far.any():
            keep[np.flatnonzero(keep)[far]] = False
        end = pair_ranges(start, end, self._of_phases("B")[label], self._of_phases("E")[label], track, keep, self.issues)
        negative, missing = self._times.odd_durations()
        self._note(NEGATIVE, "events that end before they start are shown without length", negative & keep, label)
        text = "events without a duration, or with one of many years, are shown without length"
        self._note(NO_DURATION, text, missing & keep & self._of_phases("X", "")[label], label)
        order = np.flatnonzero(keep).astype(np.int32)
        said = self._said(order, progress.part(on_progress, 0.1, 0.65))
        on_progress(0.65, "joining names")
        kept_label = label[order]
        gathered: dict[str, npt.NDArray[Any]] = {
            "name_id": np.array([*self.labels.name_ids, 0], np.int32)[kept_label],
            "category_id": np.array([*self.labels.category_ids, 0], np.int32)[kept_label],
            "kind": np.array([*self.labels.kinds, 0], np.uint8)[kept_label],
        }
        on_progress(0.75, "joining times")
        gathered |= {"start_ns": start[order], "end_ns": end[order]}
        on_progress(0.8, "joining columns")
        events = RawEvents(
            **gathered,
            **said,
            track=track[order],
            order=order,
        )
        return events, base_ns, resolution

    def _far_away(self, start: Int64Array) -> npt.NDArray[np.bool_]:
        far = far_away(start)
        if far.any():
            days = float(np.abs(start[far] - np.median(start[~far])).max()) / DAY_NS
            self.issues.add(
                FAR_AWAY, f"what lies up to {days:,.0f} days away from all other events is left out", 0, int(far.sum())
            )
        return far

    def _flows(self) -> dict[str, npt.NDArray[Any]]:
        """Columns of `model.Flows`, in file order, times relative to the events' time 0."""
        order = _concatenate([rows for rows, _ in self._flow], np.int64)
        label, track = _concatenate(self._label, np.int32), _concatenate(self._track, np.int32)
        phases = np.array([_FLOW_PHASES.get(phase, 0) for phase in self.labels.phases] + [0], np.uint8)
        return {
            "phase": phases[label[order]] if len(order) else np.empty(0, np.uint8),
            "category_id": np.array([*self.labels.category_ids, 0], np.int32)[label[order]],
            "flow_id": _concatenate([ids for _, ids in self._flow], np.int64),
            "time_ns": self._times.start_ns()[order],
            "track": track[order],
        }

    def _action_of_labels(self) -> npt.NDArray[np.uint8]:
        known = len(self._actions)
        if known < len(self.labels.kinds):  # in few chunks: names that hold addresses are many, and most come early
            more = [_action(self.labels.phases[each], self.labels.kind(each)) for each in range(known, len(self.labels.kinds))]
            self._actions = np.append(self._actions, np.array(more, np.uint8))
            self._search_no_more()
        return self._actions

    def _is_event_of_labels(self) -> npt.NDArray[np.bool_]:
        """By label: not an arrow, nor what names a track."""
        return ~np.isin(self._action_of_labels(), (_FLOW, _METADATA))

    def _of_phases(self, *phases: str) -> npt.NDArray[np.bool_]:
        """By label: is its phase one of these?"""
        return np.array([phase in phases for phase in self.labels.phases], np.bool_)

    def _few(self, raw_args: Sequence[msgspec.Raw], label: Int32Array, action: npt.NDArray[np.uint8], few: int) -> Rows | None:
        """(rows, columns) of those that have few arguments; what is left is marked in `action` as having others.

        Labels of which a row has others are so from now on.
        """
        rows = np.flatnonzero(action == few)
        shape, others = _FEW[few]
        columns: dict[str, list[Any]] | None = {}
        if len(rows) >= _LEAST_APART:
            columns = arguments.few_columns(raw_args, rows, shape)
        if columns is None:
            self._n_searches[few] += 1
            self._actions[arguments.labels_with_others(raw_args, rows, label[rows], shape)] = others
            self._search_no_more()
            action[rows] = self._actions[label[rows]]
            rows = np.flatnonzero(action == few)
            columns = arguments.few_columns(raw_args, rows, shape)
        if columns:
            return rows, columns
        action[rows] = others
        return None

    def _search_no_more(self) -> None:
        """Of a kind that was searched often enough: all its labels have others."""
        for few, n_searches in self._n_searches.items():
            if n_searches >= _MOST_SEARCHES:
                self._actions[self._actions == few] = _FEW[few][1]

    def _add_operators(self, raw_args: Sequence[msgspec.Raw], rows: Int64Array, few: Rows | None) -> None:
        ids = ("external_id", "sequence", "forward_thread")
        if few is not None:
            none = nothing((len(few[0]),), np.dtype(np.int64), NONE)
            columns = {name: int64_column(few[1][name]) for name in ids}
            self._operators.append((few[0] + self.n_events, {**columns, "shapes_id": none, "types_id": none}))
        if len(rows) == 0:
            return
        args = arguments.columns(raw_args, rows, OperatorArgs)
        columns = {name: int64_column(args[name]) for name in ids}
        shapes = [now or then for now, then in zip(args["shapes"], args["shapes_2021"], strict=True)]
        for name, texts in (("shapes_id", shapes), ("types_id", args["types"])):
            columns[name] = np.fromiter(map(self._json_texts.__getitem__, map(bytes, texts)), np.int64, len(rows))
        order = rows + self.n_events
        self._operators.append((order, columns))
        if not all(args["finished"]):
            self._unfinished.append(order[~np.array(args["finished"], np.bool_)])

    def _add_work(self, raw_args: Sequence[msgspec.Raw], rows: Int64Array, few: Rows | None) -> None:
        if few is not None:
            self._work.add_few(few[0] + self.n_events, few[1])
        if len(rows):
            self._work.add(rows + self.n_events, arguments.columns(raw_args, rows, WorkArgs))

    def _add_memory(self, raw_args: Sequence[msgspec.Raw], rows: Int64Array) -> None:
        if len(rows) == 0:
            return
        args = arguments.columns(raw_args, rows, MemoryArgs)
        columns = {name: int64_column(args[name]) for name in _MEMORY_NAMES}
        self._memory.append((rows + self.n_events, columns))

    def _said(self, order: Int32Array, on_progress: OnProgress) -> dict[str, npt.NDArray[Any]]:
        """By column, what arguments say of these events. A column of which none says anything takes no memory."""
        parts = {name: [(rows, columns[name]) for rows, columns in self._operators] for name in _OF_OPERATORS}
        parts["external_id"] += self._work.ids("external_id")
        parts["correlation"] = self._work.ids("correlation")
        of_all = np.empty(self.n_events, np.int64)
        found: dict[str, npt.NDArray[Any]] = {}
        for place, (name, each) in enumerate(parts.items()):
            on_progress(place / len(parts), f"joining arguments, {place / len(parts):.0%}")
            dtype = np.int32 if name in ("shapes_id", "types_id") else np.int64
            told = [(rows, values) for rows, values in each if (values != NONE).any()]
            if not told:
                found[name] = nothing((len(order),), np.dtype(dtype), NONE)
                continue
            of_all.fill(NONE)
            for rows, values in told:
                of_all[rows] = values
            found[name] = of_all[order].astype(dtype, copy=False)
        return found

    def _note(self, kind: str, text: str, odd: npt.NDArray[np.bool_], label: Int32Array) -> None:
        """Of the rows that are odd: how many there are, and what the first one is called."""
        if count := int(odd.sum()):
            name = self.strings.texts[self.labels.name_ids[label[odd.argmax()]]]
            self.issues.add(kind, text, 0, count, first=cut_middle(name, _NAME_LETTERS))


def _action(phase: str, kind: Kind) -> int:
    if phase in _FLOW_PHASES:
        return _FLOW
    if phase == "M":
        return _METADATA
    if phase == "C" and kind is Kind.COUNTER:
        return _COUNTER
    if kind in _OPERATOR_KINDS:
        return _FEW_OF_OPERATOR
    if kind is Kind.MEMORY:
        return _MEMORY
    if kind in LAUNCH_KINDS:
        return _FEW_OF_CALL
    return _PLAIN if kind in _NO_ARGS_KINDS else _WORK


def _concatenate(parts: Iterable[npt.NDArray[Any]], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    found = list(parts)
    if len(found) == 1:
        return found[0].astype(dtype, copy=False)
    return np.concatenate(found).astype(dtype, copy=False) if found else np.empty(0, cast("np.dtype[Any]", np.dtype(dtype)))
