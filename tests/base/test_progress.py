"""How long something goes on, from how far it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

from tb_plugin.base.progress import Countdown


def test_what_is_left_is_told_from_what_was_done(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    countdown = Countdown()
    now = 106.0
    assert countdown.seconds_left(0.0) is None
    assert countdown.seconds_left(0.01) is None  # one percent says little
    assert countdown.seconds_left(0.25) == 18.0
    assert countdown.seconds_left(1.0) == 0.0
