"""What a report holds: answers to the page's own questions, the most telling first, until it is full.

    index   {runs, questions {name: {parameter: default}}, answers {key: [piece, place]}, windows [...]}
    pieces  gzip of a JSON list of replies; of a window's columns alone

A key is `name?a=1&b=x`, parameters by name, without those that are empty or the question's default.
`frontend/src/data/carried.ts` reads it. What the page asks with stands here a second time; a browser test opens every view of a
report and finds no gap.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, get_type_hints

import msgspec
import numpy as np

from tb_plugin.answers import bodies
from tb_plugin.answers.bounded import MAX_BYTES, encoded
from tb_plugin.answers.budget import Budget, more_for
from tb_plugin.answers.questions import of_one
from tb_plugin.base.errors import OverBudgetError, TbPluginError
from tb_plugin.base.fast_gzip import smallest
from tb_plugin.compute.distinct import distinct
from tb_plugin.question.question import ViewReply, choices_of
from tb_plugin.views.timeline import compute as timeline
from tb_plugin.views.timeline.result import WindowParams
from tb_plugin.views.timeline.window import MAX_BLOCKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tb_plugin.base.progress import OnProgress
    from tb_plugin.trace.model import Trace

_VIEWS: Final[tuple[tuple[str, dict[str, str]], ...]] = (
    ("view/overview", {"top": "5"}),
    ("view/advice", {}),
    ("view/timeline", {}),
    ("view/operators", {}),
    ("view/kernels", {}),
    ("view/modules", {}),
    ("view/memory", {}),
    ("view/roofline", {}),
    ("view/whatif", {}),
)
"""What each view opens with. These come first and are cut shorter where there is little room; all else is left out whole."""

_KINDS: Final = ("copy", "set", "all")  # of device work, beside kernels
_EFFECTS: Final = {"effects": "30"}  # as many rows as the page asks them of

_MAIN_BYTES: Final = 1 << 20  # of JSON; a tenth of it compressed
_LEAST_MAIN_BYTES: Final = 16 << 10
_FINE_SHARE: Final = 0.35  # of the room, for the whole profile's fine picture
_STEP_SHARE: Final = 0.1  # and for one step's
_BYTES_PER_BLOCK: Final = 8  # compressed, in base 64
_WIDE_PX: Final = 1 << 17
_EXACT_NS: Final = 1 << 30  # as long as a window may be for its times to be exact
_N_DETAILS: Final = 40  # of operators, of kernels: what is behind the largest rows
_N_EVENTS: Final = 250  # in a piece
_N_PIECES: Final = (4, 2)  # of the longest events of the host, of devices: what has room to be clicked
_EVENT: Final = "view/timeline/event"
_VALUES: Final = "view/timeline/values"
_VALUES_PX: Final = 2400  # of the whole profile, whatever window is looked at
_PAGE_ROWS: Final = 200  # as the page asks for lists


class _Window(msgspec.Struct, frozen=True, kw_only=True):
    t0_ns: int
    t1_ns: int
    bucket_ns: int
    piece: int


class Baked(NamedTuple):
    """The index and its pieces, compressed each by itself: the page unpacks what is looked at. `left_out`: what takes too much,
    in sentences.
    """

    questions: dict[str, dict[str, str]]
    answers: dict[str, tuple[int, int]]
    windows: list[_Window]
    pieces: list[bytes]
    left_out: list[str]


def bake(trace: Trace, room_bytes: int, on_progress: OnProgress, *, no_limits: bool = False) -> Baked:
    """At most `room_bytes` as base 64, index included. What takes too much (`budget.py`) is left out, unless there are
    `no_limits`.
    """
    budget = Budget(max_cpu_s=math.inf, max_bytes=sys.maxsize) if no_limits else Budget()
    baker = _Baker(trace, room_bytes, budget)
    parts: list[tuple[str, Callable[[], None]]] = [
        *((f"answering {name}", partial(baker.put_main, name, words)) for name, words in _VIEWS),
        ("answering choices", partial(baker.put, "choices", [{}])),
        ("the memory of each device", baker.put_devices_of_memory),
        ("the timeline", partial(baker.put_window, None, None, MAX_BLOCKS)),
        ("events that advice names", baker.put_named_events),
        ("the timeline from near", partial(baker.put_fine, int(_FINE_SHARE * room_bytes / _BYTES_PER_BLOCK))),
        ("values over time", partial(baker.put, _VALUES, [{"width_px": str(_VALUES_PX)}])),
        ("a step from near", partial(baker.put_step, int(_STEP_SHARE * room_bytes / _BYTES_PER_BLOCK))),
        ("all advice", partial(baker.put, "view/advice", [{"all": "true"}])),
        ("categories of kernels", baker.put_categories),
        ("what each piece of advice brings", baker.put_edits),
        *((f"answering {name}", partial(baker.put, name, [words])) for name, words in _other_tables()),
        ("what is behind the largest rows", baker.put_details),
        ("the longest events", baker.put_longest_events),
    ]
    for place, (what, put) in enumerate(parts):
        on_progress(place / len(parts), what)
        put()
    return baker.done()


def _other_tables() -> Iterator[tuple[str, dict[str, str]]]:
    """The other ways to group a table, and its effects."""
    for name in ("view/operators", "view/kernels", "view/modules"):
        yield name, _EFFECTS
        for group in choices_of(get_type_hints(of_one(name).params)["group_by"]):
            if not _is_default(name, "group_by", group):
                yield name, {"group_by": group}
    for kind in _KINDS:
        yield "view/kernels", {"kind": kind}
    yield "view/kernels", {"kind": "all", "group_by": "category"}


class _Baker:
    def __init__(self, trace: Trace, room_bytes: int, budget: Budget) -> None:
        self._trace = trace
        self._left = room_bytes
        self._budget = budget
        self._replies: dict[str, Any] = {}
        self._baked = Baked({}, {}, [], [], [])

    def done(self) -> Baked:
        self._budget.close()
        return self._baked

    def put_main(self, name: str, words: Mapping[str, str]) -> None:
        """Always there: with fewer rows where all have no room, which is said above them; else why it is not."""
        max_bytes = _MAIN_BYTES
        try:
            while not self._put(name, [words], max_bytes, opens=True) and max_bytes > _LEAST_MAIN_BYTES:
                max_bytes //= 2
        except OverBudgetError as error:
            why = self._leave_out(name, error)
            said = f"Not in this report: {why}. Open the profile with tb-plugin serve."
            reply: ViewReply[None] = ViewReply(view=name.removeprefix("view/"), missing=said, notes=[], result=None)
            self._keep(name, [words], [encoded(reply)])

    def put(self, name: str, asked: Sequence[Mapping[str, str]]) -> None:
        """All in one piece, or none where it has no room."""
        if asked:
            try:
                self._put(name, asked, MAX_BYTES, opens=False)
            except OverBudgetError as error:
                self._leave_out(f"a part of {name}", error)

    def _leave_out(self, what: str, error: OverBudgetError) -> str:
        """Why, without the advice to ask for less: nobody can."""
        why = str(error).partition(";")[0]
        self._baked.left_out.append(f"{what} is not in the report: {why}")
        return why

    def put_fine(self, max_blocks: int) -> None:
        """The whole profile; where all events have room each by itself, however short: searches and areas are exact then."""
        info, events = self._trace.info, self._trace.events
        if not 0 < len(events) <= max_blocks:
            self.put_window(None, None, max_blocks)
            return
        t0_ns, t1_ns = (
            min(info.start_ns, int(events.start_ns.min())),
            max(info.end_ns, int(events.end_ns.max()), info.start_ns + 1),
        )
        if t1_ns - t0_ns > max(2 * (info.end_ns - info.start_ns), _EXACT_NS):  # the profiler's own, far away: all would be coarse
            t0_ns, t1_ns = info.start_ns, max(info.end_ns, info.start_ns + 1)
        self.put_window(t0_ns, t1_ns, max_blocks, max(_WIDE_PX, t1_ns - t0_ns))

    def put_window(self, t0_ns: int | None, t1_ns: int | None, max_blocks: int, width_px: int = _WIDE_PX) -> None:
        columns = timeline.window(self._trace, WindowParams(t0_ns=t0_ns, t1_ns=t1_ns, width_px=width_px), max_blocks)
        header = columns.header
        # Nobody is there to be asked for the names of narrow blocks.
        named = {name: self._trace.text(name) for name in distinct(columns.columns["name_id"]).tolist()}
        with_all = dataclasses.replace(columns, header={**header, "names": named})
        if any(self._fits(smallest(each.encode())) for each in (with_all, columns)):
            piece = len(self._baked.pieces) - 1
            self._baked.windows.append(
                _Window(t0_ns=header["t0_ns"], t1_ns=header["t1_ns"], bucket_ns=header["bucket_ns"], piece=piece)
            )

    def put_step(self, max_blocks: int) -> None:
        """One step from near, the middle of those that are whole: what repeats is seen in each."""
        steps = [step for step in self._result("view/timeline", "steps") if step["complete"]]
        if steps:
            step = steps[len(steps) // 2]
            self.put_window(step["start_ns"], max(step["end_ns"], step["start_ns"] + 1), max_blocks)

    def put_devices_of_memory(self) -> None:
        """Each by its name, as links name it; the first is what the view opens with too."""
        first = self._baked.answers.get("view/memory?")
        devices = [device["id"] for device in self._result("view/memory", "devices")]
        if first is not None and devices:
            self._baked.answers[f"view/memory?device={self._result('view/memory', 'device')}"] = first
        for device in devices:
            if not self._has("view/memory", {"device": device}):
                self.put("view/memory", [{"device": device}])

    def put_categories(self) -> None:
        """Of kernels, which the overview's bars lead to."""
        categories = {row["category"] for row in self._result("view/kernels", "rows")} - {None}
        for category in sorted(categories):
            self.put("view/kernels", [{"category": category}])

    def put_edits(self) -> None:
        """What if, as each finding says; where the view itself is there."""
        if not self._has("view/whatif", {}):
            return
        edits = ["\n".join(finding["without"]) for finding in self._result("view/advice", "findings")]
        for edit in dict.fromkeys(filter(None, edits)):
            self.put("view/whatif", [{"edit": edit}])

    def put_details(self) -> None:
        """What is behind the first rows of the tables, and lists as they are first shown."""
        operators = self._result("view/operators", "rows")
        largest = sorted(operators, key=lambda row: -max(row["device_self_ns"], row["host_self_ns"] or 0))[:_N_DETAILS]
        self.put("view/operators/details", [{"name": row["name"], "kind": row["kind"]} for row in largest])
        kernels = sorted(self._result("view/kernels", "rows"), key=lambda row: -row["total_ns"])[:_N_DETAILS]
        self.put("view/kernels/details", [{"row": str(row["example"])} for row in kernels])
        device = self._result("view/memory", "device")
        if device:
            page = {"device": device, "limit": str(_PAGE_ROWS)}
            self.put("view/memory/allocations", [{**page, "alive": "true", "sort": "bytes", "descending": "true"}])
            self.put("view/memory/allocations", [page])

    def put_named_events(self) -> None:
        """Those that other answers lead to."""
        names = ("view/advice", "view/overview", "view/memory")
        self.put_events(sorted({row for name in names for row in _rows_in(self._replies.get(name))})[:_N_EVENTS])

    def put_events(self, rows: Iterable[int]) -> None:
        self.put(_EVENT, [words for row in rows if not self._has(_EVENT, words := {"row": str(row)})])

    def put_longest_events(self) -> None:
        events = self._trace.events
        is_device = self._trace.tracks.device[events.track] >= 0
        for rows, n_pieces in zip((np.flatnonzero(~is_device), np.flatnonzero(is_device)), _N_PIECES, strict=True):
            longest = rows[np.argsort(events.start_ns[rows] - events.end_ns[rows], kind="stable")[: n_pieces * _N_EVENTS]]
            for first in range(0, len(longest), _N_EVENTS):
                self.put_events(longest[first : first + _N_EVENTS].tolist())

    def _result(self, name: str, field: str) -> Any:
        """Of a view's answer; an empty list where the profile has none."""
        return ((self._replies.get(name) or {}).get("result") or {}).get(field) or []

    def _has(self, name: str, words: Mapping[str, str]) -> bool:
        return _key(name, words, self._baked.questions.get(name, {})) in self._baked.answers

    def _put(self, name: str, asked: Sequence[Mapping[str, str]], max_bytes: int, *, opens: bool) -> bool:
        """Whether it was put, or never can be. OverBudgetError where it takes too much."""
        question = of_one(name)
        answer = partial(bodies.body, question, self._trace, form="sent", max_bytes=max_bytes)
        more = more_for(len(self._trace.events), opens=opens)
        try:
            found = [self._budget.spend(name, partial(answer, params), **more) for params in map(question.params_from, asked)]
        except OverBudgetError:
            raise
        except TbPluginError:  # a table that this profile cannot be grouped by
            return True
        return self._keep(name, asked, found)

    def _keep(self, name: str, asked: Sequence[Mapping[str, str]], found: Sequence[bytes]) -> bool:
        """Whether there was room."""
        defaults = self._baked.questions.setdefault(name, _defaults(of_one(name).params))
        keys = [_key(name, words, defaults) for words in asked]
        if not self._fits(smallest(b"[" + b",".join(found) + b"]"), sum(map(len, keys))):
            return False
        self._replies.setdefault(name, msgspec.json.decode(found[0]))
        piece = len(self._baked.pieces) - 1
        self._baked.answers.update({key: (piece, place) for place, key in enumerate(keys)})
        return True

    def _fits(self, piece: bytes, index_bytes: int = 0) -> bool:
        needed = -(-len(piece) // 3) * 4 + index_bytes
        if needed > self._left:
            return False
        self._left -= needed
        self._baked.pieces.append(piece)
        return True


def _is_default(name: str, parameter: str, word: str) -> bool:
    return _defaults(of_one(name).params).get(parameter) == word


def _defaults(params: type[msgspec.Struct]) -> dict[str, str]:
    """As the page writes them; none where a parameter is left out by default."""
    defaults = {field.name: field.default for field in msgspec.structs.fields(params)}
    return {name: _word(value) for name, value in defaults.items() if isinstance(value, str | int | float) and value != ""}


def _word(value: str | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _key(name: str, words: Mapping[str, str], defaults: Mapping[str, str]) -> str:
    said = "&".join(f"{key}={value}" for key, value in sorted(words.items()) if value not in ("", defaults.get(key)))
    return f"{name}?{said}"


def _rows_in(reply: Any) -> Iterator[int]:
    """Rows of events, wherever a reply names one (`EventRef`), or an instant that one has reached."""
    if isinstance(reply, list):
        for each in reply:
            yield from _rows_in(each)
    elif isinstance(reply, dict):
        if isinstance(reply.get("row"), int) and ("start_ns" in reply or "time_ns" in reply):
            yield reply["row"]
        for each in reply.values():
            yield from _rows_in(each)
