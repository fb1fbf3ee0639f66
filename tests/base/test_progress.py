"""How long something goes on, from how far it is."""

from __future__ import annotations

import itertools

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


def test_between_two_words_it_goes_on_at_the_pace_so_far_and_never_back_or_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    countdown = Countdown()
    countdown.hear(0.0)
    assert countdown.reached() == 0.0
    now = 110.0
    countdown.hear(0.5)
    shown = [countdown.reached()]
    for _ in range(60):
        now += 1.0
        shown.append(countdown.reached())
    assert shown[0] == 0.5
    assert 0.54 < shown[1] <= 0.55  # 0.05 a second
    assert all(before < after < 1.0 for before, after in itertools.pairwise(shown))
    countdown.hear(0.6)  # less than was thought
    assert countdown.reached() == shown[-1]
    countdown.hear(1.0)
    assert countdown.reached() == 1.0


def test_of_what_goes_on_already_the_pace_is_that_since_the_first_word(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    countdown = Countdown()
    now = 100.1
    countdown.hear(0.5)
    now = 102.1
    assert (countdown.reached(), countdown.seconds_left(0.5)) == (0.5, None)
    countdown.hear(0.6)
    assert countdown.seconds_left(0.6) == pytest.approx(8.0)
