"""The thread behind the training loop: takes finished profiles one by one and sees to it that their files get written.

It lives only while there is work. What it cannot do it reports; whatever happens to it, the training loop goes on.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tb_plugin.capture import child, live_reader, schemas, scratch, tree_reader
from tb_plugin.capture.live_columns import LiveColumns
from tb_plugin.capture.order import Order
from tb_plugin.capture.pace import Pace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tb_plugin.capture.facts import Facts
    from tb_plugin.capture.report import Reporter

_HEAD_START_S: Final = 0.1


@dataclass
class Recorded:
    """One finished cycle: torch's JSON in scratch, and the live profile behind it."""

    source: scratch.Scratch
    kineto_results: Any
    json_target: Path
    profile_target: Path
    facts: Facts
    scratch_folder: Path
    from_python_export: bool = False

    def __str__(self) -> str:
        return f"the profile of cycle {self.facts.cycle} ({self.json_target})"


class Background:
    """A bounded queue of profiles and the thread that works on it."""

    def __init__(self, reporter: Reporter, *, max_waiting: int) -> None:
        self._reporter = reporter
        self._max_waiting = max_waiting
        self._changed = threading.Condition()
        self._waiting: deque[Recorded] = deque()
        self._current: Recorded | None = None
        self._thread: threading.Thread | None = None
        self._hurry = threading.Event()

    def submit(self, recorded: Recorded) -> None:
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
            self._reporter.lost("thread", f"{lost} was lost: the thread that writes profiles died")

    def has_room(self) -> bool:
        with self._changed:
            return len(self._waiting) < self._max_waiting

    def wait_for_room(self, timeout_s: float) -> bool:
        """Waits until one more profile fits, as fast as it can be made to fit."""
        return self._wait(lambda: len(self._waiting) < self._max_waiting, timeout_s)

    def wait_until_idle(self, timeout_s: float | None) -> bool:
        """Waits until all is written, as fast as it can be; False when time ran out."""
        return self._wait(lambda: not self._waiting and self._current is None, timeout_s)

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
        while True:
            with self._changed:
                if not self._waiting:
                    self._thread = None
                    return
                self._current = self._waiting.popleft()
                current = self._current
            try:
                self._write(current)
            except Exception as error:  # noqa: BLE001  the end of the thread: nothing of ours may surface in a training job
                self._reporter.lost("unexpected", f"{current} was lost: {type(error).__name__}: {error}", error)
            finally:
                current.source.close()
            del current
            with self._changed:
                self._current = None
                self._changed.notify_all()

    def _write(self, recorded: Recorded) -> None:
        pace = Pace(self._hurry)
        # The handler is still on its way out of the training loop: what comes next would hold it up there.
        self._hurry.wait(_HEAD_START_S)
        live = self._read_live(recorded, pace)
        order = Order(
            source=recorded.source.path,
            json_target=str(recorded.json_target),
            profile_target=str(recorded.profile_target),
            facts=recorded.facts,
            from_python_export=recorded.from_python_export,
            harmed=tuple(live.harmed),
        )
        try:
            self._write_in_child(recorded, live, order)
        except (child.ChildError, OSError) as error:
            self._write_here(recorded, order, pace, str(error))

    def _read_live(self, recorded: Recorded, pace: Pace) -> LiveColumns:
        """What only the live profile knows; nothing of it where this torch tells nothing, which loses no event."""
        results, recorded.kineto_results = recorded.kineto_results, None  # it holds the memory of the whole profile
        live, facts = LiveColumns(), recorded.facts
        if results is None:
            return live
        try:
            live = live_reader.read(results, pace)
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

    def _write_in_child(self, recorded: Recorded, live: LiveColumns, order: Order) -> None:
        with ExitStack() as files:

            def new_file() -> scratch.Scratch:
                made = scratch.empty(recorded.scratch_folder)
                files.callback(made.close)
                return made

            inherited = [recorded.source]
            if live.n_rows():
                columns = new_file()
                live.save(columns.file)
                columns.rewind()
                inherited.append(columns)
                order = order.with_live(columns.path, live)
            outcome = child.write(order, new_file(), new_file(), inherited, self._hurry)
        if outcome.mend_error is not None:
            self._reporter.note("mend", f"{recorded.json_target} is as torch wrote it, harmed names too: {outcome.mend_error}")
        if outcome.json_error is not None:
            both = f" ({outcome.profile_error})" if outcome.profile_error not in (None, outcome.json_error) else ""
            what = recorded if outcome.profile_error is not None else f"the JSON of {recorded}"
            self._reporter.lost("write", f"{what} was lost: {outcome.json_error}{both}")
        elif outcome.profile_error is not None:
            self._reporter.lost("profile", f"{recorded.profile_target} was not written: {outcome.profile_error}; the JSON was")

    def _write_here(self, recorded: Recorded, order: Order, pace: Pace, why: str) -> None:
        """Saves at least the JSON, in small pieces, when there is no child to do both."""
        # Only here: the job itself needs nothing but the standard library otherwise.
        from tb_plugin.capture import pair

        order.remove_pieces()
        try:
            if not recorded.json_target.exists():
                pair.write_json(order, pace.slice)
        except OSError as error:
            self._reporter.lost("write", f"{recorded} was lost: {error.strerror or error}", error)
        else:
            self._reporter.lost("child", f"{recorded.profile_target} was not written: {why}; the JSON was")
