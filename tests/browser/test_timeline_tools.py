"""What the timeline is read with: a second one beside it, flame graphs, measuring."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.browser.profiler import Standalone
from tests.browser.timeline import COLOURS, after, open_timeline, said, show, tracks_of, until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

    from tests.browser.profiler import Profiler


pytestmark = pytest.mark.browser


def test_a_second_timeline_moves_with_the_first_and_the_link_keeps_it(profiler: Profiler) -> None:
    canvas = open_timeline(profiler, "cnn")
    show(profiler)
    profiler.frame.get_by_role("button", name="Beside").click()
    second = profiler.frame.get_by_role("region", name="Second timeline").locator("canvas.tl-tracks")
    second.wait_for()
    until(profiler, lambda: second.evaluate(COLOURS) > 3)
    whole = second.evaluate("canvas => canvas.toDataURL()")
    canvas.first.hover()  # there are two now
    after(profiler, lambda: profiler.page.keyboard.press("w"))
    until(profiler, lambda: second.evaluate("canvas => canvas.toDataURL()") != whole)
    profiler.page.reload()
    second.wait_for()
    profiler.frame.get_by_role("button", name="Close the second timeline").click()
    second.wait_for(state="detached")


def test_a_measured_stretch_snaps_to_events_and_stays_as_a_mark(profiler: Profiler) -> None:
    canvas = open_timeline(profiler, "cuda")
    step = max(tracks_of(profiler)["steps"], key=lambda each: each["end_ns"] - each["start_ns"])
    tracks = tracks_of(profiler)
    box = canvas.bounding_box()
    assert box is not None
    per_px = (tracks["end_ns"] - tracks["start_ns"]) * 1.0 / box["width"]
    x0, x1 = ((step[edge] - tracks["start_ns"]) / per_px for edge in ("start_ns", "end_ns"))
    main = next(track for track in tracks["tracks"] if "main" in track["name"])
    name = profiler.frame.get_by_role("button", name=f"{main['name']}: ").bounding_box()
    assert name is not None
    y = name["y"] + 8
    canvas.hover()
    profiler.page.keyboard.press("r")
    profiler.page.mouse.move(box["x"] + x0 + 2, y)
    profiler.page.mouse.down()
    profiler.page.mouse.move(box["x"] + (x0 + x1) / 2, y, steps=3)
    profiler.page.mouse.move(box["x"] + x1 - 2, y, steps=3)
    profiler.page.mouse.up()
    profiler.page.wait_for_function("() => location.hash.includes('timeline.mark')")
    t0, t1 = (int(time) for time in profiler.place()["timeline.mark"].split(","))
    assert (t0, t1) == (step["start_ns"], step["end_ns"])  # not the picture's edges, which are rounded


def test_tracks_are_moved_and_resized_and_the_link_keeps_it(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda")
    listed = profiler.frame.get_by_role("list", name="Tracks").locator(".tl-track-name")
    tracks = tracks_of(profiler)["tracks"]
    group = next(track["group"] for track in tracks if sum(each["group"] == track["group"] for each in tracks) > 1)
    first, second = [track for track in tracks if track["group"] == group][:2]
    profiler.frame.get_by_role("button", name=f"Move {second['name']} up", exact=True).dispatch_event("click")
    profiler.page.wait_for_function("() => location.hash.includes('timeline.order')")
    profiler.page.reload()
    listed.first.wait_for()
    words = listed.evaluate_all("buttons => buttons.map((button) => button.getAttribute('aria-label'))")
    places = [next(place for place, word in enumerate(words) if word.startswith(f"{each['name']}: ")) for each in (second, first)]
    assert places[1] == places[0] + 1


def test_a_track_is_resized_by_any_of_the_eight_lowest_pixels_of_its_name(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda")
    name = profiler.frame.get_by_role("list", name="Tracks").locator(".tl-track").last
    box = name.bounding_box()
    assert box is not None
    under = "([x, y]) => document.elementFromPoint(x, y).className"
    at = [profiler.page.evaluate(under, [box["x"] + 60, box["y"] + box["height"] - 1.5 - up]) for up in range(12)]
    assert at[:7] == ["tl-grip"] * 7
    assert at[11] != "tl-grip"
    assert name.evaluate("row => getComputedStyle(row).userSelect") == "none"


def test_names_get_room_by_a_drag_anywhere_along_their_edge(profiler: Profiler) -> None:
    canvas = open_timeline(profiler, "cuda")
    box = canvas.bounding_box()
    assert box is not None
    x, y = box["x"] - 3, box["y"] + box["height"] / 2
    profiler.page.mouse.move(x, y)
    profiler.page.mouse.down()
    profiler.page.mouse.move(x + 100, y, steps=4)
    profiler.page.mouse.up()
    moved = canvas.bounding_box()
    assert moved is not None
    assert moved["x"] - box["x"] == pytest.approx(100, abs=2)
    profiler.page.wait_for_function("() => location.hash.includes('timeline.names')")


def test_groups_are_moved_and_the_link_keeps_it(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda")
    names = profiler.frame.get_by_role("list", name="Tracks").locator(".tl-group .cut-name")
    names.nth(1).wait_for()
    whole = "names => names.map((name) => name.dataset.name)"
    first, second, *rest = names.evaluate_all(whole)
    profiler.frame.get_by_role("button", name=f"Move {first} down", exact=True).dispatch_event("click")
    profiler.page.wait_for_function("() => location.hash.includes('timeline.order')")
    profiler.page.reload()
    names.nth(1).wait_for()
    assert names.evaluate_all(whole) == [second, first, *rest]


@pytest.mark.parametrize("width", [1280, 1440])
def test_the_toolbar_is_one_row_also_while_it_is_used(browser: Browser, served: str, width: int) -> None:
    with Standalone.opened(browser, served, width=width) as profiler:
        open_timeline(profiler, "cuda", **{"timeline.q": "aten", "timeline.mark": "1000,900000:a;2000,950000"})
        bar = profiler.frame.get_by_role("toolbar", name="Timeline")
        bar.get_by_role("button", name="Next result").wait_for()
        size = bar.evaluate("bar => [bar.scrollWidth <= bar.clientWidth, bar.clientHeight]")
        assert size[0]
        assert size[1] < 50


def test_keys_pressed_in_tensorboard_reach_the_timeline(tab: Profiler) -> None:
    open_timeline(tab, "cuda")
    tab.page.evaluate("() => { document.activeElement.blur(); window.focus() }")
    until(tab, lambda: tab.page.evaluate("() => document.activeElement === document.body"))
    before = tab.page.url
    tab.page.keyboard.press("w")
    tab.page.wait_for_function("(before) => location.href !== before && location.hash.includes('t1_ns')", arg=before)


def test_any_name_is_found_from_any_view(profiler: Profiler) -> None:
    profiler.open("overview", "cuda")
    profiler.frame.locator("main").press("/")
    box = profiler.frame.get_by_role("combobox", name="Go to a view, a step, or a name in the profile")
    box.fill("AllReduce")
    profiler.frame.get_by_role("option", name=re.compile("kernels$")).first.click()
    profiler.wait_for_view("kernels")
    profiler.frame.locator(".side-panel").wait_for()
    profiler.page.keyboard.press("Control+k")
    box.fill("modul")
    box.press("Enter")
    profiler.wait_for_view("modules")


def test_the_palette_does_what_buttons_do_and_takes_steps(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda")
    track, steps = tracks_of(profiler)["tracks"][0], tracks_of(profiler)["steps"]
    box = profiler.frame.get_by_role("combobox", name="Go to a view, a step, or a name in the profile")
    for words, key, value in (
        (f"hide {track['name']}", "timeline.hidden", str(track["id"])),
        ("show all", "timeline.hidden", str(track["id"])),
        ("step 7", "timeline.t0_ns", str(next(step["start_ns"] for step in steps if step["number"] == 7))),
        ("only step 7", "steps", "7"),
        ("flame", "timeline.as", "flame"),
    ):
        profiler.page.keyboard.press("Control+k")
        box.fill(words)
        box.press("Enter")
        profiler.wait_for_place(key, value)
    profiler.page.keyboard.press("Control+k")
    box.wait_for()
    offered = profiler.frame.get_by_role("dialog", name="Go to").locator(".cut-name").all_text_contents()
    assert "Measure: the stretch stays as a mark" in offered
    assert "Box: Draw the stretch to zoom to (or Shift+drag)" in offered
    for words in ("Beside", "As table", "Save picture (PNG)", "Save as .pftrace"):  # of menus that are closed
        box.fill(words)
        profiler.frame.get_by_role("option", name=words).wait_for()
    box.fill("perfetto")
    box.press("Enter")
    profiler.frame.get_by_role("button", name="Open in ui.perfetto.dev").wait_for()
    profiler.page.keyboard.press("Escape")
    profiler.page.keyboard.press("Escape")
    profiler.page.keyboard.press("Control+k")
    box.fill("hide")
    box.press("Escape")
    box.wait_for(state="detached")


def test_the_palette_leads_to_a_track_that_is_hidden_in_a_folded_group_out_of_sight(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda")
    tracks = tracks_of(profiler)
    first, last = tracks["tracks"][0], tracks["tracks"][-1]
    keys = {key: profiler.place()[key] for key in ("worker", "span")}
    away = keys | {"timeline.hidden": f"{first['id']},{last['id']}", "timeline.folded": f"g{last['group']}"}
    open_timeline(profiler, "cuda", **away, **{"timeline.heights": ",".join(f"{each['id']}:60" for each in tracks["tracks"])})
    name = profiler.frame.locator(".tl-track", has=profiler.frame.get_by_label(re.compile(f"^{re.escape(last['name'])}: ")))
    assert name.count() == 0
    profiler.page.keyboard.press("Control+k")
    box = profiler.frame.get_by_role("combobox", name="Go to a view, a step, or a name in the profile")
    box.fill(last["name"])
    profiler.frame.get_by_role("option", name=re.compile(f"^(Show )?{re.escape(last['name'])} ")).first.click()
    profiler.wait_for_place("timeline.hidden", str(first["id"]))
    until(profiler, lambda: name.count() == 1 and name.evaluate(IN_SIGHT))
    assert profiler.place()["timeline.folded"] == "none"
    assert "timeline.track" not in profiler.place()


def test_the_palette_does_what_is_asked_before_the_tracks_have_come(profiler: Profiler) -> None:
    """On a busy machine Enter comes before the answer of the server: in the timeline the tracks are there already."""
    open_timeline(profiler, "cuda")
    track, keys = tracks_of(profiler)["tracks"][0], {key: profiler.place()[key] for key in ("worker", "span")}
    box = profiler.frame.get_by_role("combobox", name="Go to a view, a step, or a name in the profile")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    profiler.page.route(re.compile(r"/view/timeline\?"), hold)
    profiler.page.keyboard.press("Control+k")
    box.fill(f"hide {track['name']}")
    box.press("Enter")
    profiler.wait_for_place("timeline.hidden", str(track["id"]))
    for each in held:
        each.continue_()
    profiler.page.unroute_all()

    profiler.open("overview", "cuda", **keys)
    profiler.page.reload()  # nothing is kept
    profiler.wait_for_view("overview")
    held.clear()
    profiler.page.route(re.compile(r"/view/timeline\?"), hold)
    profiler.page.keyboard.press("Control+k")
    box.fill(f"pin {track['name']}")
    box.press("Enter")
    profiler.frame.get_by_role("dialog", name="Go to").get_by_text("Reading.").wait_for()
    for each in held:
        each.continue_()
    profiler.wait_for_place("timeline.pinned", str(track["id"]))
    box.wait_for(state="detached")
    profiler.page.unroute_all()


IN_SIGHT = """name => {
    const [own, seen] = [name, name.closest('.tl-scroller')].map((each) => each.getBoundingClientRect())
    return own.top >= seen.top && own.top < seen.bottom
}"""


def test_an_area_with_a_second_timeline_beside_compares_both(profiler: Profiler) -> None:
    """Drawn in the first one it covers the same stretch of the second: what the server says of each, joined by kind and name."""
    open_timeline(profiler, "cuda")
    first, then = tracks_of(profiler)["steps"][:2]
    keys = {key: profiler.place()[key] for key in ("worker", "span")}
    keys |= {"beside.upper": f"{first['number']}", "beside.lower": f"{then['number']}", "timeline.q": "aten::"}
    keys |= {"timeline.t0_ns": f"{first['start_ns']}", "timeline.t1_ns": f"{first['end_ns']}"}
    canvas = open_timeline(profiler, "cuda", **keys)
    second = profiler.frame.get_by_role("region", name="Second timeline")
    until(profiler, lambda: second.locator("canvas.tl-tracks").evaluate(COLOURS) > 3)
    box = canvas.bounding_box()
    assert box is not None
    profiler.page.keyboard.down("Alt")
    profiler.page.mouse.move(box["x"] + 20, box["y"] + 10)
    profiler.page.mouse.down()
    profiler.page.mouse.move(box["x"] + 1000, box["y"] + 120, steps=4)
    profiler.page.mouse.up()
    profiler.page.keyboard.up("Alt")
    panel = profiler.frame.get_by_role("region", name="Area", exact=True)
    panel.get_by_role("grid", name="Events in both areas, by name").locator("tbody tr.row").first.wait_for()
    panel.get_by_text(re.compile("device 0 busy .* → .* · gaps .* → ")).wait_for()

    times, ids = profiler.place()["timeline.area"].split(":")
    sides: list[dict[tuple[str, str], int]] = []
    for shift in (0, then["start_ns"] - first["start_ns"]):
        t0, t1 = (int(time) + shift for time in times.split(","))
        area = said(profiler, "timeline/area", t0_ns=t0, t1_ns=t1, tracks=ids)
        own = [row for row in area["rows"] if row["on_device"] and row["self_ns"] is not None]
        sides.append({(row["kind"], row["name"]): row["self_ns"] for row in own})
    pairs = {key: (sides[0].get(key, 0), sides[1].get(key, 0)) for key in {*sides[0], *sides[1]}}
    table = [row for row in profiler.csv() if row["difference_ns"]]
    found = {(row["kind"], row["name"]): tuple(int(row[f"{of}_ns"]) for of in ("self", "beside_self")) for row in table}
    assert found == pairs
    assert len(pairs) > 1
    changes = [int(row["difference_ns"]) for row in table]
    assert sum(changes) == sum(sides[1].values()) - sum(sides[0].values())
    assert [abs(change) for change in changes] == sorted(map(abs, changes), reverse=True)

    # What is sought is found in the second one too, and gone to there.
    second.get_by_role("button", name="Next result").click()
    second.get_by_text(re.compile("^[0-9,]+ of [0-9,]+, ")).wait_for()
    profiler.wait_for_key("beside.row")
    panel.get_by_label("As", exact=True).select_option("Flame graph")
    panel.locator(".icicle").nth(1).wait_for()
    panel.get_by_role("button", name="Close the area").click()
    panel.wait_for(state="detached")
    profiler.frame.get_by_role("button", name="List", exact=True).click()
    hits = profiler.frame.get_by_role("region", name="Search results")
    hits.get_by_label("Of", exact=True).select_option("the one beside")
    near, row = profiler.place()["beside.row"], hits.locator("tbody tr.row").last
    row.click()
    until(profiler, lambda: profiler.place()["beside.row"] != near)
    profiler.check_clean()


def test_an_escape_as_quick_as_the_click_is_for_what_it_opened(profiler: Profiler) -> None:
    open_timeline(profiler, "cnn", **{"timeline.row": "5"})
    details = profiler.frame.get_by_role("region", name="Selected event")
    details.wait_for()
    profiler.frame.get_by_role("button", name="Colours", exact=True).evaluate("""async button => {
        button.click()
        for (let i = 0; i < 9; i++) await undefined  // what opens is rendered; its `toggle` has not come yet
        button.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', code: 'Escape', bubbles: true, cancelable: true}))
    }""")
    profiler.frame.locator(".popup:popover-open .tl-legend").wait_for()  # a script's key does not close it
    profiler.page.wait_for_timeout(200)
    assert profiler.place()["timeline.row"] == "5"
    profiler.check_clean()


def test_escape_closes_what_is_open_and_leaves_the_selected_event(profiler: Profiler) -> None:
    open_timeline(profiler, "cnn", **{"timeline.row": "5"})
    details = profiler.frame.get_by_role("region", name="Selected event")
    details.wait_for()
    for name in ("Show", "Colours"):
        profiler.frame.get_by_role("button", name=name, exact=True).click()
        opened = profiler.frame.locator(".popup:popover-open")
        opened.wait_for()
        profiler.page.keyboard.press("Escape")
        opened.wait_for(state="detached")
    details.wait_for()
    profiler.page.keyboard.press("Escape")
    details.wait_for(state="detached")
    profiler.check_clean()
