"""Curves above the tracks: chosen, painted, and pointed at as tracks are."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.browser.timeline import COLOURFUL, COLOURS, after, open_timeline, painted, show, tracks_of, until

if TYPE_CHECKING:
    from tests.browser.profiler import Profiler

pytestmark = pytest.mark.browser


def test_values_are_painted_over_the_tracks_and_chosen(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda")
    values = profiler.frame.locator(".tl-values")
    until(profiler, lambda: values.locator("canvas").evaluate(COLOURS) > 2)
    shown = values.get_by_role("listitem")
    n = shown.count()
    show(profiler)
    profiler.frame.get_by_role("group", name="Values over time").get_by_role("button", name="device 0 busy").click()
    until(profiler, lambda: shown.count() == n + 1)
    profiler.page.reload()
    until(profiler, lambda: shown.count() == n + 1)


def test_filters_dim_the_strip_and_the_values_as_the_tracks(profiler: Profiler) -> None:
    values = {"timeline.values": "busy-0,queue-0"}
    looks = []
    for keys in (values, {**values, "inside": "^ProfilerStep#5$"}):
        open_timeline(profiler, "cuda", **keys)
        strip, curves = (profiler.frame.locator(f"{of} canvas") for of in (".tl-header", ".tl-values"))
        looks.append([painted(profiler, partial(canvas.evaluate, COLOURFUL)) for canvas in (strip, curves)])
    assert all(0 < lit < whole / 2 for whole, lit in zip(*looks, strict=True))
    listed = profiler.frame.get_by_role("list", name="Values").get_by_role("listitem").all_inner_texts()
    assert [("of everything" in words) for words in listed] == ["busy" not in words for words in listed] == [False, True]


def test_curves_answer_the_pointer_as_tracks_do(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda")
    curves = profiler.frame.locator(".tl-values canvas")
    until(profiler, lambda: curves.evaluate(COLOURS) > 2)
    box = curves.bounding_box()
    assert box is not None
    mouse, x, y = profiler.page.mouse, box["x"] + 450, box["y"] + 10
    bare = curves.screenshot()
    mouse.move(x, y)
    until(profiler, lambda: curves.screenshot() != bare)  # a line, and the values there

    def zoom() -> None:
        profiler.page.keyboard.down("Control")
        mouse.wheel(0, -400)
        profiler.page.keyboard.up("Control")

    whole = tracks_of(profiler)
    t0, t1 = after(profiler, zoom)
    assert t1 - t0 < (whole["end_ns"] - whole["start_ns"]) / 1.5

    def pan() -> None:
        mouse.down()
        mouse.move(x - 100, y, steps=5)
        mouse.up()

    panned = after(profiler, pan)
    assert panned[0] - t0 == pytest.approx((t1 - t0) * 100 / box["width"], rel=0.05)
    profiler.page.keyboard.down("Alt")
    mouse.move(x, y)
    pan()
    profiler.page.keyboard.up("Alt")
    profiler.frame.get_by_role("region", name="Area").wait_for()
