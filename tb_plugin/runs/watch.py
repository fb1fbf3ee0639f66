"""Keeps a catalogue of the logdirs up to date, on request only: no polling, no thread while nobody asks."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from tb_plugin.runs.catalogue import Catalogue, ProfileFile
from tb_plugin.runs.discover import Recogniser, Scan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tb_plugin.runs.logdirs import Logdir

MIN_AGE_S = 2.0
"""A younger catalogue is not looked up again."""

REST_FACTOR = 5
"""A scan that took long rests this many times as long: a huge tree on a shared disk is not walked all the time."""

_PUBLISH_EVERY_S = 0.3


class Watch:
    """The newest complete scan; during the first one, what it has found so far."""

    def __init__(
        self,
        logdirs: Sequence[Logdir],
        is_profile: Callable[[ProfileFile], bool] | None = None,
        *,
        min_age_s: float = MIN_AGE_S,
    ) -> None:
        self.logdirs = tuple(logdirs)
        self._is_profile = is_profile or Recogniser()
        self._min_age_s = min_age_s
        self._changed = threading.Condition()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._catalogue = Catalogue()
        self._complete = False  # at least one scan has ended
        self._rest_until = 0.0

    @property
    def scanning(self) -> bool:
        return self._thread is not None

    @property
    def known(self) -> Catalogue:
        """What the last scan found. Starts nothing."""
        return self._catalogue

    def catalogue(self, wait_s: float) -> Catalogue:
        """Starts a scan when the last one is old, waits for it at most `wait_s`, and returns what is known then."""
        with self._changed:
            self._start_if_due()
            self._changed.wait_for(lambda: self._thread is None, wait_s)
            return self._catalogue

    def any_profile(self, wait_s: float) -> bool:
        """Whether there is a profile. Waits only during the first scan, and only until it finds one."""
        with self._changed:
            self._start_if_due()
            self._changed.wait_for(lambda: self._complete or bool(self._catalogue.runs), wait_s)
            return bool(self._catalogue.runs)

    def close(self) -> None:
        self._stop.set()
        thread = self._thread
        if thread is not None:
            thread.join()

    def _start_if_due(self) -> None:
        if self._thread is None and not self._stop.is_set() and time.monotonic() >= self._rest_until:
            self._thread = threading.Thread(target=self._scan, name="tb-plugin-scan", daemon=True)
            self._thread.start()

    def _scan(self) -> None:
        started = published = time.monotonic()
        scan = Scan(self.logdirs, self._is_profile)
        try:
            for n_found, _ in enumerate(scan.run(self._stop)):
                now = time.monotonic()
                if not self._complete and (n_found == 0 or now - published > _PUBLISH_EVERY_S):
                    published = now
                    self._publish(scan.catalogue())
            if not self._stop.is_set():
                self._publish(scan.catalogue())
        finally:
            took = time.monotonic() - started
            with self._changed:
                self._thread = None
                self._complete = True
                self._rest_until = time.monotonic() + max(self._min_age_s, REST_FACTOR * took)
                self._changed.notify_all()

    def _publish(self, catalogue: Catalogue) -> None:
        with self._changed:
            self._catalogue = catalogue
            self._changed.notify_all()
