"""`tensorboard_trace_handler`: torch's own call, that stops the training loop for the export alone."""

from __future__ import annotations

import atexit
import importlib.util
import os
import socket
import sys
import time
import weakref
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from tb_plugin.base import unfinished
from tb_plugin.capture import child, facts, module_names, scratch
from tb_plugin.capture.background import Background, RecordedCycle, threads_since
from tb_plugin.capture.order import Order
from tb_plugin.capture.report import Reporter, TraceHandlerWarning

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.base.unfinished import Unfinished
    from tb_plugin.capture.child import Child, ChildError
    from tb_plugin.capture.module_names import Model

__all__ = ["TraceHandler", "TraceHandlerWarning", "tensorboard_trace_handler"]

_AT_EXIT_S: Final = 300.0
"""A process that ends waits no longer for its last files: the directory may be on a mount that is dead."""


_NEEDED: Final = {"msgspec": "msgspec", "numpy": "numpy", "google.protobuf": "protobuf"}
"""Module -> package, by what makes the files, behind the loop and in a process of its own."""


class ScalarWriter(Protocol):
    """What TensorBoard's `SummaryWriter` is to this."""

    def add_scalar(self, tag: str, scalar_value: float, global_step: int | None = ..., /) -> Any: ...


class TraceHandler:
    """For `torch.profiler.profile(on_trace_ready=...)`: writes each cycle into `dir_name`, for TensorBoard.

    The same call as `torch.profiler.tensorboard_trace_handler`, and the same file, `{worker}.{time_ns}.pt.trace.json[.gz]`;
    beside it `{worker}.{time_ns}.pt.profile.pb`. The loop stops while torch exports; the files are made behind it, and are
    complete when the process ends or `handler.flush()` returns. A process that is killed leaves what finishes them
    (`tb-plugin recover`, the next handler, the page).

    What cannot be written is said in one `TraceHandlerWarning` and training goes on; with `on_error="raise"` it is a
    `TraceHandlerError` in the training loop, at the next cycle or flush. When `max_waiting` profiles wait to be written, the
    loop waits up to `max_wait_s` seconds and then goes on without the new one. `scratch_dir` is where torch exports to:
    shared memory where there is plenty, else the temporary directory; where that fails, the log directory.

    With the `model` that runs, and a profile `with_stack`, modules are shown by their names in it (`layer1.0.conv1`), and not
    only as torch counts them (`Conv2d_3`). It is referred to weakly.

    `scalars` is the job's own `SummaryWriter`: each profile's figures stand beside the loss. They come behind the loop, so call
    `handler.flush()` before `writer.close()`: a closed writer that is given more begins another file.
    """

    def __init__(
        self,
        dir_name: str | os.PathLike[str],
        worker_name: str | None = None,
        use_gzip: bool = True,
        use_python_export: bool = False,
        *,
        on_error: Literal["warn", "raise"] = "warn",
        max_waiting: int = 2,
        max_wait_s: float = 60.0,
        scratch_dir: str | os.PathLike[str] | None = None,
        model: Model | None = None,
        scalars: ScalarWriter | None = None,
    ) -> None:
        _check_installed()
        if on_error not in ("warn", "raise"):
            raise ValueError(f'on_error must be "warn" or "raise", not {on_error!r}')
        if scalars is not None and not callable(getattr(scalars, "add_scalar", None)):
            raise TypeError(f"scalars must be a SummaryWriter, which has add_scalar, not {type(scalars).__name__}")
        # Absolute now: the job may change its directory before the first profile.
        self._directory = Path(os.path.abspath(dir_name))  # noqa: PTH100  Path.resolve would ask a mount that may be dead
        self._worker = worker_name
        self._suffix = ".pt.trace.json.gz" if use_gzip else ".pt.trace.json"
        self._use_python_export = use_python_export
        self._reporter = Reporter(raises=on_error == "raise")
        self._max_waiting = max(1, max_waiting)
        self._max_wait_s = max_wait_s
        self._scratch_dir = None if scratch_dir is None else Path(os.path.abspath(scratch_dir))  # noqa: PTH100  as above
        self._model: Callable[[], Model | None] = (lambda: None) if model is None else weakref.ref(model)
        self._scalars = scalars
        self._largest_bytes = 0
        self._cycle = -1
        self._profiler: Callable[[], Any] = lambda: None
        self._pid = 0
        self._last_cycle = time.monotonic()
        self._background = self._make_background()

    def __call__(self, prof: facts.Profiler) -> None:
        try:
            self._take(prof)
        except Exception as error:  # noqa: BLE001  the door into a training loop: nothing of ours may end it
            self._reporter.lost("export", f"the profile of cycle {self._cycle} was lost: {type(error).__name__}: {error}", error)
        self._reporter.raise_pending()

    def flush(self, timeout: float | None = None) -> bool:
        """Waits until everything recorded so far is written; False when `timeout` seconds were not enough."""
        done = self._background.wait_until_idle(timeout) if self._pid == os.getpid() else True
        self._reporter.raise_pending()
        return done

    def _take(self, prof: facts.Profiler) -> None:
        self._count_cycle(prof)
        self._set_up_process()
        worker = self._worker or f"{socket.gethostname()}_{os.getpid()}"
        stem = f"{worker}.{time.time_ns()}"
        if not self._wait_for_room(stem):
            return
        with scratch.standard_descriptors_taken():
            parents = scratch.choose_folders(self._scratch_dir, self._largest_bytes)
            export = scratch.Export(prof, by_python=self._use_python_export)
            held = scratch.fill(export, parents, self._directory)
            self._note_second_choice(held.folder.parent, parents[0])
            source = held.folder / unfinished.TRACE
            self._largest_bytes = max(self._largest_bytes, source.stat().st_size)
            order = Order(
                source=str(source),
                json_target=str(self._directory / (stem + self._suffix)),
                profile_target=str(self._directory / f"{stem}.pt.profile.pb"),
                facts=facts.gather(prof, worker=worker, cycle=self._cycle, modules=self._modules()),
                from_python_export=export.by_python,
                own_threads=threads_since(self._last_cycle),
                with_scalars=self._scalars is not None,
            )
            self._last_cycle = time.monotonic()
            # From here on, whoever comes next can finish it.
            order.save(held.folder)
            results = getattr(getattr(prof, "profiler", prof), "kineto_results", None)
            self._background.submit(RecordedCycle(held.folder, order, results, self._child(held)))

    def _note_second_choice(self, taken: Path, first: Path) -> None:
        if taken != first:
            self._reporter.note("scratch", f"torch could not export into {first}, and exported again, slower, into {taken}")

    def _make_background(self) -> Background:
        return Background(self._reporter, max_waiting=self._max_waiting, show=self._add_scalars)

    def _add_scalars(self, scalars: dict[str, float], step: int) -> None:
        """In the thread behind the loop; the writer is the job's, and whatever it raises ends nothing."""
        writer = self._scalars
        if writer is None:
            return
        try:
            for tag, value in scalars.items():
                writer.add_scalar(tag, value, step)
            getattr(writer, "flush", lambda: None)()  # a job may end before the writer does that by itself
        except Exception as error:  # noqa: BLE001  somebody else's code, in a training job
            self._reporter.note("scalars", f"figures of a profile could not be added as scalars: {type(error).__name__}: {error}")

    @staticmethod
    def _child(held: Unfinished) -> Child | ChildError:
        try:
            return child.start(held)
        except child.ChildError as error:
            held.let_go()
            return error

    def _modules(self) -> dict[str, list[str]]:
        model = self._model()
        try:
            return {} if model is None else module_names.by_id(model)
        except (AttributeError, TypeError, ValueError, RuntimeError) as error:
            self._reporter.note("model", f"modules are shown as torch counts them: the model's names could not be read: {error}")
            return {}

    def _count_cycle(self, prof: facts.Profiler) -> None:
        """One handler may serve several profilers in turn: each counts from 0."""
        self._cycle = self._cycle + 1 if self._profiler() is prof else 0
        with suppress(TypeError):  # something else that can export, and cannot be referred to weakly
            self._profiler = weakref.ref(prof)

    def _set_up_process(self) -> None:
        """On the first call, and again in a process that was forked from one that had called: threads do not survive that."""
        if self._pid == os.getpid():
            return
        self._pid = os.getpid()
        self._background = self._make_background()
        atexit.register(self._at_exit)
        # Forked workers of multiprocessing leave without atexit, but not without this.
        util = sys.modules.get("multiprocessing.util")
        if util is not None:
            util.Finalize(None, self._at_exit, exitpriority=0)

    def _wait_for_room(self, stem: str) -> bool:
        if self._background.has_room():
            return True
        lost = f"the profile of cycle {self._cycle} ({self._directory / stem}{self._suffix})"
        waiting = f"the training loop waits, up to {self._max_wait_s:g} s, for profiles to be written before {lost}"
        self._reporter.note("waiting", f"{waiting}: cycles follow each other faster than their files can be made")
        if self._background.wait_for_room(self._max_wait_s):
            return True
        self._reporter.lost(f"queue {stem}", f"{lost} was lost: {self._max_waiting} profiles still wait to be written")
        return False

    def _at_exit(self) -> None:
        if self._pid != os.getpid():
            return
        if not self._background.wait_until_idle(_AT_EXIT_S):
            for name in self._background.unfinished():
                self._reporter.lost(f"exit {name}", f"{name} is not written {_AT_EXIT_S:.0f} s after the job's end")
        self._reporter.sum_up()
        self._reporter.raise_pending()


tensorboard_trace_handler = TraceHandler
"""As torch calls it."""


def _check_installed() -> None:
    """ImportError before training begins, not a lost profile after hours of it."""
    missing = [package for module, package in _NEEDED.items() if not _is_installed(module)]
    if missing:
        raise ImportError(f"profiles cannot be written without {', '.join(missing)}: pip install {' '.join(missing)}")


def _is_installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # the package around it
        return False
