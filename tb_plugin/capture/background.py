"""The thread behind the training loop: reads living profiles one by one for the children that make their files.

It lives only while there is work. What it cannot do it reports; whatever happens to it, the training loop goes on, and the
child goes on without it.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tb_plugin.base.unfinished import Note, Unfinished
from tb_plugin.capture import schemas
from tb_plugin.capture.child import ChildError, start_recovery
from tb_plugin.capture.live import reader, tree_reader
from tb_plugin.capture.live.columns import LiveColumns
from tb_plugin.capture.order import LIVE, Order
from tb_plugin.capture.pace import Pace
from tb_plugin.capture.report import WAITS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.capture.child import Child
    from tb_plugin.capture.order import Outcome
    from tb_plugin.capture.report import Reporter

_HEAD_START_S: Final = 0.1
_GENTLY_FOR_S: Final = 14.0
"""So long the child makes way for the training; then it has 6 s in which it is like any other process."""

_ended_at: Final[dict[int, float]] = {}
"""Our threads in this process, by the system's number: when they ended (`time.monotonic()`)."""


def threads_since(since: float) -> tuple[int, ...]:
    """Those of our threads that lived after `since` (`time.monotonic()`), whosever handler's they are."""
    return tuple(thread for thread, ended in list(_ended_at.items()) if ended >= since)


@dataclass
class RecordedCycle:
    """One finished cycle: what lies in its folder, the living profile behind it, and the child that makes the files."""

    folder: Path
    order: Order
    kineto_results: Any
    child: Child | ChildError
    ended: float = field(default_factory=time.monotonic)

    def __str__(self) -> str:
        return f"the profile of cycle {self.order.facts.cycle} ({self.order.json_target})"


class Background:
    """A bounded queue of profiles and the thread that works on it."""

    def __init__(
        self, reporter: Reporter, *, max_waiting: int, show: Callable[[dict[str, float], int], None] | None = None
    ) -> None:
        self._reporter = reporter
        self._show = show  # a profile's figures by tag, at a step
        self._max_waiting = max_waiting
        self._changed = threading.Condition()
        self._waiting: deque[RecordedCycle] = deque()
        self._current: RecordedCycle | None = None
        self._thread: threading.Thread | None = None
        self._hurry = threading.Event()
        self._n_kept = 0
        self._left_alone: list[Child] = []
        self._has_swept = False

    def submit(self, recorded: RecordedCycle) -> None:
        with self._changed:
            self._waiting.append(recorded)
        self.revive()

    def revive(self) -> None:
        """Starts the thread where there is work and nobody to do it, and reports what a dead one had in its hands."""
        with self._changed:
            if self._thread is not None and self._thread.is_alive():
                return
            lost, self._current = self._current, None
            if self._waiting:
                self._thread = threading.Thread(target=self._run, name="tb-plugin-traces", daemon=True)
                self._thread.start()
        if lost is not None:
            self._leave_alone(lost)
            self._reporter.lost("thread", f"{lost} is without what only the living profile knew: the thread that reads it died")

    def has_room(self) -> bool:
        with self._changed:
            return len(self._waiting) < self._max_waiting

    def wait_for_room(self, timeout_s: float) -> bool:
        """Waits until one more profile fits, as fast as it can be made to fit."""
        return self._wait(lambda: len(self._waiting) < self._max_waiting, timeout_s)

    def wait_until_idle(self, timeout_s: float | None) -> bool:
        """Waits until all is written, as fast as it can be; False when time ran out."""

        def is_idle() -> bool:
            return not self._waiting and self._current is None and all(child.is_over() for child in self._left_alone)

        return self._wait(is_idle, timeout_s)

    def unfinished(self) -> list[str]:
        with self._changed:
            return [str(recorded) for recorded in (self._current, *self._waiting) if recorded is not None]

    def _wait(self, done: Callable[[], bool], timeout_s: float | None) -> bool:
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        self._hurry.set()
        try:
            while True:
                self.revive()
                with self._changed:
                    if done():
                        return True
                    left = None if deadline is None else deadline - time.monotonic()
                    if left is not None and left <= 0:
                        return False
                    # Wakes up now and then by itself: a thread that died tells nobody.
                    self._changed.wait(0.5 if left is None else min(left, 0.5))
        finally:
            self._hurry.clear()

    def _run(self) -> None:
        number = threading.get_native_id()
        _ended_at[number] = float("inf")
        try:
            self._work()
        finally:
            _ended_at[number] = time.monotonic()

    def _work(self) -> None:
        while True:
            with self._changed:
                if not self._waiting:
                    self._thread = None
                    return
                self._current = self._waiting.popleft()
                current = self._current
            try:
                self._sweep(current.folder.parent, Path(current.order.json_target).parent)
                self._write(current)
            except Exception as error:  # noqa: BLE001  the end of the thread: nothing of ours may surface in a training job
                self._leave_alone(current)
                self._reporter.lost(
                    "unexpected",
                    f"{current} is without what only the living profile knew: {type(error).__name__}: {error}",
                    error,
                )
            del current
            with self._changed:
                self._current = None
                self._changed.notify_all()

    def _write(self, recorded: RecordedCycle) -> None:
        pace = Pace(self._hurry)
        # The handler is still on its way out of the training loop: what comes next would hold it up there.
        self._hurry.wait(_HEAD_START_S)
        try:
            if isinstance(recorded.child, ChildError):
                raise recorded.child
            self._save_live(recorded, pace)
            deadline = recorded.ended + _GENTLY_FOR_S
            recorded.child.go_on(quickly=self._hurry.is_set() or time.monotonic() > deadline)
            self._report(recorded, recorded.child.wait(self._hurry, deadline))
        except (ChildError, OSError) as error:
            self._write_here(recorded, pace, str(error))

    def _leave_alone(self, recorded: RecordedCycle) -> None:
        """Its child does what it can without us."""
        if not isinstance(recorded.child, ChildError):
            recorded.child.go_on(quickly=True)
            self._left_alone.append(recorded.child)

    def _sweep(self, *parents: Path) -> None:
        """Once a process: what killed jobs left on this host is finished behind us."""
        if not self._has_swept:
            self._has_swept = True
            start_recovery(parents)

    def _save_live(self, recorded: RecordedCycle, pace: Pace) -> None:
        """Leaves in the folder what only the living profile knows."""
        live = self._read_live(recorded, pace)
        order = replace(recorded.order, harmed=tuple(live.harmed))
        try:
            if live.n_rows():
                path = recorded.folder / LIVE
                with path.open("wb") as file:
                    live.save(file)
                order = order.with_live(str(path), live)
            order.save(recorded.folder, full=True)
        except OSError as error:
            self._reporter.note("full", f"what only the living profile knows of {recorded} could not be kept: {error}")

    def _read_live(self, recorded: RecordedCycle, pace: Pace) -> LiveColumns:
        """What only the live profile knows; nothing of it where this torch tells nothing, which loses no event."""
        results, recorded.kineto_results = recorded.kineto_results, None  # it holds the memory of the whole profile
        live, facts = LiveColumns(), recorded.order.facts
        if results is None:
            return live
        try:
            live = reader.read(results, pace)
        except (AttributeError, TypeError, RuntimeError) as error:
            self._reporter.note("live", f"scope, async flags and harmed names of {recorded} could not be read: {error}")
        numbered = bool(facts.record_shapes and facts.profile_memory)
        try:
            tree_reader.read(results, live, pace, with_tensors=numbered, with_frames=bool(facts.with_stack))
        except (AttributeError, TypeError, RuntimeError) as error:
            live.forget(tree_reader.READS)
            self._reporter.note("tree", f"tensors and callers of frames of {recorded} could not be read: {error}")
        try:
            live.schemas = schemas.read(live.texts, pace) if numbered and facts.with_stack else {}
        except (AttributeError, TypeError, RuntimeError) as error:
            self._reporter.note("schemas", f"arguments of the operators of {recorded} could not be looked up: {error}")
        return live

    def _report(self, recorded: RecordedCycle, outcome: Outcome) -> None:
        order = recorded.order
        if outcome.mend_error is not None:
            self._reporter.note("mend", f"{order.json_target} is as torch wrote it, harmed names too: {outcome.mend_error}")
        if outcome.summary_error is not None:
            self._reporter.note("summary", f"{order.summary_target} was not written: {outcome.summary_error}; the profile was")
        waits = outcome.may_work_later and self._is_kept(recorded)
        fate = WAITS if waits else "was lost"
        if outcome.json_error is not None:
            both = f" ({outcome.profile_error})" if outcome.profile_error not in (None, outcome.json_error) else ""
            what = recorded if outcome.profile_error is not None else f"the JSON of {recorded}"
            self._reporter.lost("write", f"{what} {fate}: {outcome.json_error}{both}", waits=waits)
        elif outcome.profile_error is not None:
            fate = fate if outcome.may_work_later else "was not written"
            text = f"{order.profile_target} {fate}: {outcome.profile_error}; the JSON was"
            self._reporter.lost("profile", text, waits=waits)
        if outcome.scalars and self._show is not None:
            step = order.facts.step_num if outcome.last_step is None else outcome.last_step
            self._show(outcome.scalars, step or 0)

    def _is_kept(self, recorded: RecordedCycle) -> bool:
        """Keeps what the disk refused for later, as much of it as may wait to be written at all."""
        if self._n_kept < self._max_waiting:
            self._n_kept += 1
            return True
        _remove(recorded)
        return False

    def _write_here(self, recorded: RecordedCycle, pace: Pace, why: str) -> None:
        """Saves at least the JSON, in small pieces, when there is no child to do both."""
        # Only here: the job itself needs nothing but the standard library otherwise.
        from tb_plugin.capture import pair

        recorded.kineto_results, order = None, recorded.order
        held = Unfinished.taken(recorded.folder, patience_s=1.0)
        if held is None:
            return  # somebody else finishes it, or has
        order.remove_pieces()
        try:
            if not Path(order.json_target).exists():
                pair.write_json(Order.in_folder(recorded.folder, full=True) or order, pace.slice)
        except OSError as error:
            held.let_go()
            waits = self._is_kept(recorded)
            text = f"{recorded} {WAITS if waits else 'was lost'}: {error.strerror or error}"
            self._reporter.lost("write", text, error, waits=waits)
        else:
            held.remove()
            self._reporter.lost("child", f"{order.profile_target} was not written: {why}; the JSON was")


def _remove(recorded: RecordedCycle) -> None:
    held = Unfinished.taken(recorded.folder)
    if held is not None:
        with suppress(OSError):
            Note.beside(Path(recorded.order.json_target)).unlink()
        held.remove()
