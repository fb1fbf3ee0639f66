"""Keeps a catalogue of the logdirs up to date, on request only: no polling, no thread while nobody asks."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tb_plugin.runs.catalogue import Catalogue, ProfileFile
from tb_plugin.runs.discover import Scan, listings
from tb_plugin.runs.heads import Heads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.runs.logdirs import Logdir
    from tb_plugin.runs.recovery import Recovery

MIN_AGE_S = 2.0
"""A younger catalogue is not looked up again."""

REST_FACTOR = 3
"""A scan that took long rests this many times as long: a huge tree on a shared disk is not walked all the time. The first says
nothing about the next, which lists only what has changed."""

_PUBLISH_EVERY_S = 0.3


class Watch:
    """The newest complete scan; during the first one, what it has found so far.

    Ranks come after it: the first bytes of files whose names were enough are read in the background, one by one. A server gives
    it a `recovery`, for what a scan finds that killed jobs left.
    """

    def __init__(
        self,
        logdirs: Sequence[Logdir],
        heads: Heads | None = None,
        *,
        min_age_s: float = MIN_AGE_S,
        recovery: Recovery | None = None,
    ) -> None:
        self.logdirs = tuple(logdirs)
        self._recovery = recovery
        self._heads = heads or Heads()
        self._listings = listings()
        self._min_age_s = min_age_s
        self._changed = threading.Condition()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._reading: threading.Thread | None = None
        self._scanned: Scan | None = None
        self._unread: list[ProfileFile] = []
        self._catalogue = Catalogue()
        self._complete = False  # at least one scan has ended
        self._rest_until = 0.0
        self._ended = float("-inf")

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
            self._read_heads_if_due()
            return self._catalogue

    @property
    def is_settled(self) -> bool:
        """Whether all is found, and what its first bytes say is known: by these a run's jobs are told apart."""
        return self._thread is None and self.has_read_heads

    @property
    def has_read_heads(self) -> bool:
        """Of all that the last scan found."""
        return self._reading is None and not self._unread

    def settled(self, wait_s: float) -> bool:
        """As `catalogue`; waits at most twice so long until it `is_settled`, and says whether it is."""
        self.catalogue(wait_s)
        with self._changed:
            return self._changed.wait_for(lambda: self.is_settled, wait_s)

    def look_again(self, wait_s: float) -> Catalogue:
        """As `catalogue`, without a rest after the last scan: somebody names what is not known."""
        with self._changed:
            if time.monotonic() - self._ended >= self._min_age_s / 2:
                self._rest_until = 0.0
        return self.catalogue(wait_s)

    def search_too(self, logdir: Logdir, wait_s: float) -> None:
        """Searches one more from now on, and waits at most so long for a scan that begins now."""
        with self._changed:
            if logdir not in self.logdirs:
                self.logdirs = (*self.logdirs, logdir)
            self._changed.wait_for(lambda: self._thread is None, wait_s / 2)  # that one may have passed it
            self._rest_until = 0.0
            self._start_if_due()
            self._changed.wait_for(lambda: self._thread is None, wait_s / 2)

    def any_profile(self, wait_s: float) -> bool:
        """Whether there is a profile. Waits only during the first scan, and only until it finds one."""
        with self._changed:
            self._start_if_due()
            self._changed.wait_for(lambda: self._complete or bool(self._catalogue.runs), wait_s)
            return bool(self._catalogue.runs)

    def close(self) -> None:
        self._stop.set()
        for thread in (self._thread, self._reading):
            if thread is not None:
                thread.join()

    def _start_if_due(self) -> None:
        if self._thread is None and not self._stop.is_set() and time.monotonic() >= self._rest_until:
            self._thread = threading.Thread(target=self._scan, name="tb-plugin-scan", daemon=True)
            self._thread.start()

    def _scan(self) -> None:
        started = time.monotonic()
        publish_at = started + _PUBLISH_EVERY_S
        scan = Scan(self.logdirs, self._heads, self._listings, self._scanned)
        try:
            for n_found, _ in enumerate(scan.run(self._stop)):
                now = time.monotonic()
                if not self._complete and (n_found == 0 or now > publish_at):
                    self._publish(scan.catalogue())
                    # What is found so far is put together again and again: a tenth of the time at most.
                    publish_at = time.monotonic() + max(_PUBLISH_EVERY_S, 10 * (time.monotonic() - now))
            if not self._stop.is_set():
                catalogue, unread = scan.catalogue(), sorted(scan.unread(), key=lambda file: file.mtime_ns)
                with self._changed:  # at once: ranks of the scan before must not take its place again
                    self._scanned, self._unread = scan, unread
                    self._publish(catalogue)
                if self._recovery is not None:
                    self._recovery.start_if_due([Path(logdir.path) for logdir in self.logdirs], catalogue.unfinished)
        finally:
            took = time.monotonic() - started
            with self._changed:
                self._thread = None
                is_first, self._complete = not self._complete, True
                self._ended = time.monotonic()
                self._rest_until = time.monotonic() + max(self._min_age_s, 0.0 if is_first else REST_FACTOR * took)
                self._changed.notify_all()

    def _read_heads_if_due(self) -> None:
        if self._reading is None and self._unread and not self._stop.is_set():
            self._reading = threading.Thread(target=self._read_heads, name="tb-plugin-heads", daemon=True)
            self._reading.start()

    def _read_heads(self) -> None:
        """The newest files first. What a scan finds meanwhile is read too."""
        rest_until = time.monotonic() + _PUBLISH_EVERY_S
        while (file := self._next_unread()) is not None:
            self._heads.read(file)
            if time.monotonic() > rest_until:
                started = time.monotonic()
                self._publish_ranks()
                rest_until = time.monotonic() + max(_PUBLISH_EVERY_S, REST_FACTOR * (time.monotonic() - started))
        self._publish_ranks()
        with self._changed:
            self._reading = None
            self._changed.notify_all()

    def _next_unread(self) -> ProfileFile | None:
        with self._changed:
            return self._unread.pop() if self._unread and not self._stop.is_set() else None

    def _publish_ranks(self) -> None:
        scanned = self._scanned
        if scanned is not None:
            catalogue = scanned.catalogue()
            with self._changed:
                if scanned is self._scanned:
                    self._publish(catalogue)

    def _publish(self, catalogue: Catalogue) -> None:
        with self._changed:
            self._catalogue = catalogue
            self._changed.notify_all()
