"""Right click in the timeline, or the key for it; and a flame graph that is searched and edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.timeline import open_timeline, said, tracks_of, until

if TYPE_CHECKING:
    from playwright.sync_api import Locator

    from tests.browser.profiler import Profiler


pytestmark = pytest.mark.browser


def _menu(profiler: Profiler) -> list[str]:
    profiler.frame.get_by_role("menu").wait_for()
    return profiler.frame.get_by_role("menuitem").all_inner_texts()


def _escape(profiler: Profiler) -> None:
    profiler.page.keyboard.press("Escape")
    profiler.frame.get_by_role("menu").wait_for(state="detached")


def _choose(profiler: Profiler, words: str) -> None:
    profiler.frame.get_by_role("menuitem", name=words, exact=True).click()
    profiler.frame.get_by_role("menu").wait_for(state="detached")


def _flame(profiler: Profiler, run: str, **asked: str) -> tuple[Locator, Any]:
    """The flame graph of the whole main thread, and what the server says of it."""
    open_timeline(profiler, run)
    tracks = tracks_of(profiler)
    thread = next(t for t in tracks["tracks"] if {"operator", "python"} <= {part["kind"] for part in t["parts"]})
    t0, t1, track = tracks["start_ns"], tracks["end_ns"], thread["id"]
    calls = said(profiler, "timeline/calls", t0_ns=t0, t1_ns=t1, tracks=track, **asked)
    keys = {"timeline.area": f"{t0},{t1}:{track}", "timeline.as": "flame", "timeline.side": "host"}
    profiler.open("timeline", run, **keys)
    panel = profiler.frame.get_by_role("region", name="Area", exact=True)
    panel.locator(".icicle .block").first.wait_for()
    return panel, calls


def test_an_event_has_a_menu_by_right_click_and_by_key(profiler: Profiler) -> None:
    canvas = open_timeline(profiler, "cuda")
    hits = said(profiler, "timeline/search", q="main")["hits"]
    profiler.open("timeline", "cuda", **{"timeline.row": str(hits[0]["row"])})
    details = profiler.frame.get_by_role("region", name="Selected event")
    details.wait_for()
    canvas.focus()
    profiler.page.keyboard.press("Shift+F10")
    assert _menu(profiler) == [
        "Copy name",
        "Copy duration",
        "Copy link",
        "Find all of this name",
        "Zoom to it",
        "Sum up while it ran",
        "Hide its track",
    ]
    _escape(profiler)
    until(profiler, lambda: canvas.evaluate("canvas => canvas === document.activeElement"))
    profiler.page.keyboard.press("Shift+F10")
    _choose(profiler, "Find all of this name")
    profiler.frame.get_by_role("region", name="Search results").wait_for()
    assert profiler.place()["timeline.q"] == hits[0]["name"]
    profiler.open("timeline", "cuda")
    box = canvas.bounding_box()
    assert box is not None
    for y in range(4, int(box["height"]), 9):  # to the first event that lies in the middle
        canvas.hover(position={"x": box["width"] / 2, "y": y})
        if canvas.evaluate("canvas => canvas.style.cursor") == "pointer":
            break
    profiler.page.mouse.down(button="right")
    assert "Hide its track" in _menu(profiler)
    profiler.page.mouse.up(button="right")
    details.wait_for()
    _choose(profiler, "Sum up while it ran")
    profiler.frame.get_by_role("region", name="Area", exact=True).wait_for()
    profiler.check_clean()


def test_a_track_has_a_menu_by_its_name(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda")
    track = tracks_of(profiler)["tracks"][0]
    name = profiler.frame.get_by_role("button", name=f"{track['name']}: ").first
    name.click(button="right")
    assert _menu(profiler)[:3] == ["Copy name", "Copy link", "Sum up what is in sight"]
    _choose(profiler, "Hide")
    profiler.wait_for_place("timeline.hidden", str(track["id"]))
    profiler.page.go_back()
    name.focus()
    profiler.page.keyboard.press("Shift+F10")
    _menu(profiler)
    _escape(profiler)
    until(profiler, lambda: name.evaluate("name => name === document.activeElement"))
    profiler.check_clean()


def test_a_curve_its_name_and_the_strip_have_a_menu(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda")
    name = profiler.frame.get_by_role("list", name="Values").get_by_role("listitem").first
    for place in (name, profiler.frame.locator(".tl-values canvas")):
        place.click(button="right", position={"x": 20, "y": 10})
        assert _menu(profiler) == ["Copy name", "Copy value", "Copy link"]
        _escape(profiler)
    for place in (profiler.frame.locator(".tl-corner"), profiler.frame.locator("canvas.tl-header-canvas")):
        place.click(button="right", position={"x": 20, "y": 10})
        assert _menu(profiler) == ["Copy name", "Copy link"]
        _escape(profiler)
    profiler.check_clean()


def test_calls_are_left_out_by_their_menu_and_come_back(profiler: Profiler) -> None:
    panel, whole = _flame(profiler, "cnn")
    name = "nn.Module: Conv2d_0"
    place = next(n for n, node in enumerate(whole["nodes"]) if node["name"] == name)
    panel.locator(f".icicle .block[data-id='{place}'] rect").dispatch_event("contextmenu", {"clientX": 600, "clientY": 500})
    assert "Copy stack" in _menu(profiler)
    _choose(profiler, "Focus on all its calls")
    profiler.wait_for_place("timeline.edit", f"focus:{name}")
    first = panel.locator(".tl-call-rows tbody tr").first
    first.get_by_text(name, exact=True).wait_for()
    first.click(button="right", position={"x": 300, "y": 8})
    _choose(profiler, "Leave it out with all that it calls")
    panel.get_by_text("Nothing of this ran here").wait_for()
    panel.get_by_role("button", name=f"Remove focus:{name}").click()
    profiler.wait_for_place("timeline.edit", f"drop:{name}")
    panel.get_by_label("What to focus on").fill("merge:aten::conv2d")
    profiler.page.keyboard.press("Enter")
    profiler.wait_for_place("timeline.edit", f"drop:{name}\nmerge:aten::conv2d")
    panel.locator(".icicle .block").first.wait_for()
    profiler.check_clean()


def test_rows_of_calls_open_and_close_by_their_keys(profiler: Profiler) -> None:
    panel, calls = _flame(profiler, "cnn")
    rows = panel.locator(".tl-call-rows tbody tr")
    rows.first.wait_for()
    closed = rows.count()
    assert closed < len(calls["nodes"])
    assert rows.first.get_attribute("aria-level") == "1"
    profiler.frame.locator(".tl-call-rows tr[aria-expanded=false] .link").first.focus()
    profiler.page.keyboard.press("ArrowRight")
    rows.nth(closed).wait_for()
    profiler.page.keyboard.press("ArrowRight")  # into it
    profiler.page.keyboard.press("ArrowLeft")  # back to what it is called by
    profiler.page.keyboard.press("ArrowLeft")
    profiler.wait_for_place("timeline.open", None)
    assert rows.count() == closed
    profiler.page.keyboard.press("*")
    panel.get_by_role("button", name="Open all").click()
    profiler.wait_for_place("timeline.open", "~-1")
    panel.get_by_role("button", name="Close all").click()
    profiler.wait_for_place("timeline.open", None)
    profiler.check_clean()


def test_modules_of_a_class_are_one_block_where_that_is_chosen(profiler: Profiler) -> None:
    panel, _calls = _flame(profiler, "cnn")
    panel.get_by_role("button", name="Modules by class").click()
    profiler.wait_for_place("timeline.classes", "1")
    panel.locator(".icicle title", has_text="nn.Module: Conv2d_*").first.wait_for(state="attached")
    assert panel.locator(".icicle title", has_text="nn.Module: Conv2d_0").count() == 0
    profiler.check_clean()


def test_the_search_of_the_timeline_marks_calls_too(profiler: Profiler) -> None:
    panel, found = _flame(profiler, "cnn", q="conv2d")
    assert panel.locator(".icicle .is-dimmed").count() == 0
    profiler.frame.get_by_role("searchbox", name="Search names of events").fill("conv2d")
    panel.locator(".icicle .block.is-hit").first.wait_for()
    assert panel.get_by_text(f"{len(found['hits'])} call paths found").count() == 1
    assert panel.locator(".icicle .is-dimmed").count() > 0
    names = panel.locator(".tl-call-rows tbody tr.is-hit td:first-child").all_inner_texts()
    assert names
    assert all("conv2d" in name.lower() for name in names)
    profiler.check_clean()
