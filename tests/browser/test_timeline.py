"""The timeline: painted, zoomed, panned, searched, clicked; and every state of it in the link."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.browser.timeline import (
    COLOURFUL,
    COLOURS,
    after,
    canvas_of,
    details_of,
    open_timeline,
    painted,
    search_for,
    show,
    tracks_of,
    until,
    window_of,
)

if TYPE_CHECKING:
    from playwright.sync_api import Locator

    from tests.browser.profiler import Profiler

pytestmark = pytest.mark.browser


def test_every_track_of_the_file_is_listed(profiler: Profiler) -> None:
    open_timeline(profiler, "cnn", **{"timeline.folded": "none"})
    tracks = tracks_of(profiler)["tracks"]
    listed = profiler.frame.get_by_role("list", name="Tracks").locator(".tl-track-name")
    assert listed.count() == len(tracks) > 0
    words = listed.evaluate_all("buttons => buttons.map((button) => button.getAttribute('aria-label'))")
    assert sorted(words) == sorted(
        f"{track['name']}: {track['n_events']:,} event{'s' * (track['n_events'] != 1)}" for track in tracks
    )


def test_operators_lie_above_the_python_that_calls_them_which_opens_by_a_click(profiler: Profiler) -> None:
    open_timeline(profiler, "cnn")
    thread = next(t for t in tracks_of(profiler)["tracks"] if {"operator", "python"} <= {part["kind"] for part in t["parts"]})
    python = profiler.frame.get_by_role("button", name=f"Python frames of {thread['name']}")
    assert python.get_attribute("aria-expanded") == "false"
    # Device, ranges, operators and calls of the first thread are in sight without scrolling.
    box = python.bounding_box()
    assert box is not None
    assert box["y"] < 900
    python.click()
    profiler.wait_for_place("timeline.python", str(thread["id"]))
    outer = profiler.frame.get_by_role("button", name=re.compile(r"\+ \d+ outer"))
    if outer.count():
        outer.click()
        profiler.wait_for_place("timeline.stacks", str(thread["id"]))
    profiler.page.reload()
    until(profiler, lambda: python.get_attribute("aria-expanded") == "true")


def _colours(profiler: Profiler) -> Locator:
    """The legend, open."""
    button = profiler.frame.get_by_role("toolbar", name="Timeline").get_by_role("button", name=re.compile(r"^Colours"))
    button.click()
    return profiler.frame.get_by_role("group", name="Colours")


def test_rows_of_a_kind_are_switched_off_by_their_colour_and_the_link_keeps_it(profiler: Profiler) -> None:
    canvas = open_timeline(profiler, "cnn")
    colours = _colours(profiler)
    assert colours.get_by_role("button", name="Attention").count() == 0  # nothing has it
    painted = canvas.evaluate(COLOURS)
    for words, kind in (("Operator", "operator"), ("Python", "operator,python")):
        colours.get_by_role("button", name=words).click()
        profiler.wait_for_place("timeline.off", kind)
    until(profiler, lambda: canvas.evaluate(COLOURS) < painted)
    profiler.page.reload()
    colours = _colours(profiler)
    until(profiler, lambda: colours.get_by_role("button", name="Python").get_attribute("aria-pressed") == "false")
    profiler.page.keyboard.press("Escape")
    profiler.frame.get_by_role("button", name="Colours, 2 off").wait_for()
    # What a search finds in rows that are off is shown.
    search_for(profiler, "aten::convolution")
    profiler.wait_for_place("timeline.off", "python")


def test_a_colour_of_kernels_turns_grey_and_one_alone_is_left_with_shift(profiler: Profiler) -> None:
    canvas = open_timeline(profiler, "cuda", **{"timeline.off": "operator,annotation,python,runtime,marks"})
    colours = _colours(profiler)
    painted = canvas.evaluate(COLOURFUL)
    assert painted > 0
    colours.get_by_role("button", name="Matrix multiply").click(modifiers=["Shift"])
    until(profiler, lambda: "matmul" not in profiler.place()["timeline.off"] and "copy" in profiler.place()["timeline.off"])
    until(profiler, lambda: 0 < canvas.evaluate(COLOURFUL) < painted)
    colours.get_by_role("button", name="Matrix multiply").click()
    until(profiler, lambda: canvas.evaluate(COLOURFUL) == 0)
    colours.get_by_role("button", name="Show all").click()
    profiler.wait_for_place("timeline.off", None)
    until(profiler, lambda: canvas.evaluate(COLOURFUL) > painted)


def test_tracks_are_pinned_to_the_top_and_hidden_and_the_link_keeps_it(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda")
    tracks = tracks_of(profiler)["tracks"]
    stream = next(t for t in tracks if t["stream"] is not None)
    thread = next(t for t in tracks if t["stream"] is None)
    listed = profiler.frame.get_by_role("list", name="Tracks", exact=True)
    listed.get_by_role("button", name=f"Pin {thread['name']}", exact=True).click(force=True)
    profiler.wait_for_place("timeline.pinned", str(thread["id"]))
    listed.get_by_role("button", name=f"Hide {stream['name']}", exact=True).first.click(force=True)
    profiler.page.wait_for_function("() => location.hash.includes('timeline.hidden=')")
    profiler.page.reload()
    profiler.frame.get_by_role("list", name="Pinned tracks").get_by_role("button", name=f"Pin {thread['name']}").wait_for()
    show(profiler)
    hidden = profiler.frame.get_by_role("group", name="Hidden tracks")
    hidden.get_by_role("button", name=stream["name"], exact=True).click()
    profiler.wait_for_place("timeline.hidden", None)
    profiler.frame.get_by_role("list", name="Pinned tracks").get_by_role("button", name=f"Pin {thread['name']}").click()
    profiler.wait_for_place("timeline.pinned", None)


def test_keys_zoom_and_pan_and_the_link_follows(profiler: Profiler) -> None:
    canvas = open_timeline(profiler, "cnn")
    tracks = tracks_of(profiler)
    whole = tracks["end_ns"] - tracks["start_ns"]
    t0, t1 = after(profiler, lambda: canvas.press("w"))
    assert 0 < t1 - t0 < whole
    right0, right1 = after(profiler, lambda: canvas.press("d"))
    assert right0 > t0
    assert right1 - right0 == pytest.approx(t1 - t0, abs=2)
    out0, out1 = after(profiler, lambda: canvas.press("s"))
    assert out1 - out0 > right1 - right0


def test_a_link_to_a_window_shows_that_window_again(profiler: Profiler) -> None:
    canvas = open_timeline(profiler, "cnn")
    wanted = after(profiler, lambda: canvas.press("w"))
    words = profiler.frame.locator(".tl-window").inner_text()
    profiler.page.reload()
    canvas.wait_for()
    profiler.frame.locator(".tl-window", has_text=words).wait_for()
    assert window_of(profiler) == wanted


def test_dragging_pans_and_control_wheel_zooms(tab: Profiler) -> None:
    canvas = open_timeline(tab, "cnn")
    t0, t1 = after(tab, lambda: canvas.press("w"))
    box = canvas.bounding_box()
    assert box is not None
    mouse = tab.page.mouse

    def drag() -> None:
        mouse.move(box["x"] + 500, box["y"] + 5)
        mouse.down()
        mouse.move(box["x"] + 300, box["y"] + 5, steps=5)
        mouse.up()

    after0, after1 = after(tab, drag)
    assert after0 > t0
    assert after1 - after0 == pytest.approx(t1 - t0, abs=2)

    def wheel() -> None:
        tab.page.keyboard.down("Control")
        mouse.wheel(0, -300)
        tab.page.keyboard.up("Control")

    zoomed0, zoomed1 = after(tab, wheel)
    assert zoomed1 - zoomed0 < after1 - after0


def test_search_steps_through_events_and_shows_each(profiler: Profiler) -> None:
    open_timeline(profiler, "cnn")
    search = search_for(profiler, "aten::convolution")
    details_of(profiler).get_by_role("heading", name="aten::convolution").wait_for()
    first = profiler.place()["timeline.row"]
    search.press("Enter")
    profiler.frame.get_by_role("search").get_by_text("2 of ").wait_for()
    profiler.page.wait_for_function("(row) => !location.hash.includes(row)", arg=f"timeline.row={first}&")
    profiler.page.reload()
    details_of(profiler).get_by_role("heading", name="aten::convolution").wait_for()


def test_a_link_to_a_search_shows_what_was_seen_and_a_table_leads_to_a_hit(profiler: Profiler) -> None:
    canvas = open_timeline(profiler, "cnn")
    box = profiler.frame.locator("main [data-search]")
    box.fill("aten::convolution")
    count = profiler.frame.get_by_role("search").get_by_text(re.compile(r"\d+ hits?, "))
    count.wait_for()
    profiler.wait_for_place("timeline.q", "aten::convolution")
    profiler.page.reload()
    count.wait_for()
    canvas.press("s")  # nothing is on its way any more
    assert "timeline.row" not in profiler.place()
    profiler.open("operators", "cnn", **{"operators.row": "aten::convolution", "timeline.q": "a|b", "timeline.regex": "1"})
    profiler.frame.get_by_role("button", name="Find in timeline").click()
    details_of(profiler).get_by_role("heading", name="aten::convolution").wait_for()
    assert not {"timeline.regex", "timeline.seek"} & profiler.place().keys()


def test_a_regex_asked_for_while_typing_stays_one(profiler: Profiler) -> None:
    open_timeline(profiler, "cnn")
    profiler.frame.locator("main [data-search]").fill("aten::conv.*tion")
    button = profiler.frame.get_by_role("button", name="Regular expression")
    button.click()
    profiler.frame.get_by_role("search").get_by_text(re.compile(r"\d+ hits?, ")).wait_for()
    profiler.page.wait_for_timeout(500)  # longer than typing waits
    assert button.get_attribute("aria-pressed") == "true"


def test_all_that_a_search_found_is_listed_and_a_click_goes_there(profiler: Profiler) -> None:
    open_timeline(profiler, "cnn", **{"timeline.q": "aten::convolution", "timeline.list": "1"})
    found = profiler.frame.get_by_role("region", name="Search results")
    rows = found.get_by_role("grid").locator("tbody tr.row")
    rows.first.wait_for()
    total = int(re.sub(r"\D", "", found.get_by_role("heading").inner_text()))
    assert total > 3
    profiler.frame.get_by_role("search").get_by_text(f"{total:,} hits, ").wait_for()
    rows.nth(2).locator("td").last.click()
    details_of(profiler).get_by_role("heading", name="aten::convolution").wait_for()
    profiler.frame.get_by_role("search").get_by_role("button", name="List").click()
    profiler.wait_for_place("timeline.list", None)
    found.wait_for(state="detached")


def test_several_stretches_are_marked_and_named_and_the_link_keeps_them(profiler: Profiler) -> None:
    canvas = open_timeline(profiler, "cnn")
    search = search_for(profiler, "aten::convolution")
    details, seen = details_of(profiler), [""]
    for n in (1, 2):
        profiler.frame.get_by_role("search").get_by_text(f"{n} of ").wait_for()
        # The event follows the count: M on the one before would take its mark away.
        details.wait_for()
        until(profiler, lambda: details.inner_text() != seen[-1])
        seen.append(details.inner_text())
        canvas.press("m")
        marks = profiler.frame.get_by_role("button", name=f"{n} mark")
        marks.wait_for()
        search.press("Enter")
    marks.click()
    name = profiler.frame.get_by_role("textbox", name="Name of the mark").nth(1)
    assert name.input_value() == "aten::convolution"
    name.fill("slow; 50 %")
    name.press("Shift+Enter")
    name.press_sequentially("ask Ann")
    name.press("Enter")
    profiler.page.wait_for_function("() => location.hash.includes('slow')")
    profiler.page.reload()
    marks.click()
    assert name.input_value() == "slow; 50 %\nask Ann"
    profiler.frame.get_by_role("button", name="Remove the mark slow; 50 %").click()
    profiler.frame.get_by_role("button", name="1 mark").wait_for()
    assert profiler.place()["timeline.mark"].endswith(":aten::convolution")


def test_a_click_on_an_event_shows_all_of_it(profiler: Profiler) -> None:
    canvas = open_timeline(profiler, "cnn")
    search_for(profiler, "aten::convolution")
    details_of(profiler).get_by_role("heading", name="aten::convolution").wait_for()
    profiler.frame.get_by_role("button", name="Zoom to the selection").click()
    profiler.page.wait_for_function("() => location.hash.includes('t1_ns')")
    details_of(profiler).get_by_role("button", name="Close details").click()
    details_of(profiler).wait_for(state="detached")
    box = canvas.bounding_box()
    assert box is not None
    # The event fills the width now; its lane is one of those under the middle.
    hit = False
    for y in range(4, int(box["height"]), 6):
        profiler.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + y)
        if canvas.evaluate("canvas => canvas.style.cursor") == "pointer":
            profiler.page.mouse.down()
            profiler.page.mouse.up()
            hit = True
            break
    assert hit, "no event lies under the middle of the window"
    details_of(profiler).wait_for()
    facts = details_of(profiler).inner_text()
    for wanted in ("Duration", "Start", "Kind", "Track"):
        assert wanted.lower() in facts.lower()


def test_a_kernel_leads_to_its_launch(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda")
    search_for(profiler, "gemm")
    details = details_of(profiler)
    details.wait_for()
    launch = details.locator(".tl-links div", has_text="Launch").get_by_role("button").first
    name = launch.get_attribute("title")
    assert name is not None
    launch.click()
    details.get_by_role("heading", name=name, exact=True).wait_for()
    profiler.page.go_back()
    details.get_by_role("heading", name="gemm").wait_for()


def test_an_area_is_summed_by_name_category_module_or_step_and_the_link_keeps_it(profiler: Profiler) -> None:
    canvas = open_timeline(profiler, "cuda")
    box = canvas.bounding_box()
    assert box is not None
    mouse, keyboard = profiler.page.mouse, profiler.page.keyboard
    keyboard.down("Alt")
    mouse.move(box["x"] + 200, box["y"] + 30)
    mouse.down()
    mouse.move(box["x"] + 900, box["y"] + 260, steps=4)
    mouse.up()
    keyboard.up("Alt")
    panel = profiler.frame.get_by_role("region", name="Area")
    panel.get_by_text(re.compile(r"device 0 busy .* \(.*%\), gaps .* \(.*%\)")).wait_for()
    for group in ("category", "module", "class", "step"):
        panel.get_by_role("combobox", name="Group by").select_option(group)
        profiler.wait_for_place("timeline.group", group)
        panel.get_by_role("grid", name=f"Events in the area, by {group}").locator("tbody tr.row").first.wait_for()
    profiler.page.reload()
    steps = panel.get_by_role("grid", name="Events in the area, by step")
    steps.locator("tbody tr.row", has_text="ProfilerStep#").first.wait_for()
    for title in ("Mean", "Share"):
        steps.locator("thead th", has_text=title).wait_for()


def test_filters_dim_what_they_leave_out(profiler: Profiler) -> None:
    canvas = open_timeline(profiler, "cuda")
    whole = painted(profiler, lambda: canvas.evaluate(COLOURFUL))
    open_timeline(profiler, "cuda", inside="^ProfilerStep#5$")
    chip = profiler.frame.get_by_role("group", name="Filters").get_by_role("button", name="ProfilerStep#5")
    assert "not here" not in chip.inner_text()
    until(profiler, lambda: 0 < canvas.evaluate(COLOURFUL) < whole / 3)  # the other steps are there, in grey
    show(profiler)
    profiler.frame.get_by_role("button", name="As table").click()
    table = profiler.frame.get_by_role("region", name="Visible events")
    table.get_by_role("gridcell", name="ProfilerStep#5").first.wait_for()
    shown = set(table.locator("tbody tr.row > :first-child").all_inner_texts())
    assert {name for name in shown if name.startswith("ProfilerStep#")} == {"ProfilerStep#5"}


def test_keys_work_without_a_click_into_the_frame(tab: Profiler) -> None:
    open_timeline(tab, "cnn")
    after(tab, lambda: tab.page.keyboard.press("w"))
    tab.page.keyboard.press("2")
    tab.wait_for_view("overview")
    tab.page.keyboard.press("3")
    tab.wait_for_view("timeline")


def test_a_step_of_the_overview_opens_its_window(profiler: Profiler) -> None:
    profiler.open("overview", "cnn")
    profiler.frame.get_by_role("group", name="Where the step goes").get_by_role("button").nth(1).click()
    profiler.frame.get_by_role("button", name="Show in timeline").click()
    profiler.wait_for_view("timeline")
    canvas_of(profiler).wait_for()
    step = tracks_of(profiler)["steps"][0]
    t0, t1 = window_of(profiler)
    assert t0 == step["start_ns"]
    assert t1 > t0


def test_the_picture_can_be_read_as_a_table(profiler: Profiler) -> None:
    open_timeline(profiler, "cnn")
    show(profiler)
    profiler.frame.get_by_role("button", name="As table").click()
    table = profiler.frame.get_by_role("region", name="Visible events")
    table.get_by_role("row").nth(1).wait_for()
    assert "ProfilerStep#" in table.inner_text()


def test_colours_change_with_the_theme(tab: Profiler) -> None:
    canvas = open_timeline(tab, "cnn")
    pixels = """canvas => {
        const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
        let sum = 0
        for (const value of data) sum = (sum * 31 + value) % 1000003
        return sum
    }"""
    light = canvas.evaluate(pixels)
    tab.choose_theme("Dark")
    until(tab, lambda: canvas.evaluate(pixels) != light)
