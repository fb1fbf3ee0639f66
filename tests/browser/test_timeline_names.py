"""Names in the timeline: of tracks on the left, with their tools, and of arguments in the details."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.browser.profiler import Standalone
from tests.browser.timeline import open_timeline, said, tracks_of, until
from tests.doors.servers import serve

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Browser, Route

    from tests.browser.profiler import Profiler


pytestmark = pytest.mark.browser

N_STREAMS = 300

UNDER_TOOLS = """tools => {
    const {left, top} = tools.getBoundingClientRect()
    return tools.contains(document.elementFromPoint(left + 8, top + 8))
}"""


def test_tools_of_a_track_are_there_only_when_they_are_seen(profiler: Profiler) -> None:
    open_timeline(profiler, "cnn")
    tools = profiler.frame.locator(".tl-track .tl-track-tools").first
    assert not tools.evaluate(UNDER_TOOLS)
    profiler.frame.locator(".tl-track-name").first.hover()
    until(profiler, lambda: tools.evaluate(UNDER_TOOLS))


def test_tools_of_a_track_stay_with_its_name_while_it_is_scrolled(browser: Browser, served: str) -> None:
    with Standalone.opened(browser, served, width=1440, height=420) as profiler:
        open_timeline(profiler, "cnn", **{"timeline.python": "0,1", "timeline.off": ""})
        name = profiler.frame.locator(".tl-track-name").first
        profiler.frame.locator(".tl-scroller").evaluate("scroller => { scroller.scrollTop = 70 }")
        name.hover()
        tools = name.locator("xpath=..").locator(".tl-track-tools")
        until(profiler, lambda: tools.evaluate(UNDER_TOOLS))
        profiler.check_clean()


def test_a_finger_reads_the_names_and_finds_what_can_be_done_in_a_menu(browser: Browser, served: str) -> None:
    with Standalone.opened(browser, served, width=900, height=768, has_touch=True) as profiler:
        open_timeline(profiler, "cnn")
        listed = profiler.frame.get_by_role("list", name="Tracks")
        rows = listed.locator(".tl-track")
        ends = "row => ['.cut-name', '.tl-more'].map(which => row.querySelector(which).getBoundingClientRect())"
        for row in rows.all():
            name, menu = row.evaluate(ends)
            assert name["width"] > 80
            assert name["right"] <= menu["left"]
        track = tracks_of(profiler)["tracks"][0]["name"]
        listed.get_by_role("button", name=f"Arrange {track}", exact=True).tap()
        menu = profiler.frame.get_by_role("dialog", name=f"Arrange {track}", exact=True)
        menu.get_by_role("button", name=f"Hide {track}").wait_for()
        assert menu.get_by_role("button").all_inner_texts() == ["↑ Move up", "↓ Move down", "⤒ Pin to the top", "✕ Hide"]
        menu.get_by_role("button", name=f"Pin {track}").tap()
        profiler.frame.get_by_role("list", name="Pinned tracks").locator(".tl-track").wait_for()
        profiler.check_clean()


def test_a_long_argument_is_not_written_over_its_value(profiler: Profiler) -> None:
    open_timeline(profiler, "cnn", **{"timeline.row": "5"})
    name = profiler.frame.locator(".tl-arguments dt").first
    name.evaluate("name => { name.textContent = 'smsp__sass_thread_inst_executed_op_'.repeat(9) }")
    assert name.evaluate("name => name.scrollWidth <= name.clientWidth")


def test_pinned_tracks_are_moved_and_the_link_keeps_it(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda")
    first, second = (track["id"] for track in tracks_of(profiler)["tracks"][:2])
    name = next(track["name"] for track in tracks_of(profiler)["tracks"] if track["id"] == second)
    profiler.open("timeline", "cuda", **{"timeline.pinned": f"{first},{second}"})
    pinned = profiler.frame.get_by_role("list", name="Pinned tracks").locator(".tl-track-name")
    pinned.nth(1).wait_for()
    before = [button.get_attribute("aria-label") for button in pinned.all()]
    pinned.nth(1).hover()
    profiler.frame.get_by_role("button", name=f"Move {name} up", exact=True).click()
    profiler.wait_for_place("timeline.pinned", f"{second},{first}")
    profiler.page.reload()
    pinned.nth(1).wait_for()
    assert [button.get_attribute("aria-label") for button in pinned.all()] == before[::-1]


@pytest.mark.parametrize("is_touch", [False, True])
def test_a_name_is_dragged_to_where_its_track_is_to_lie(browser: Browser, served: str, *, is_touch: bool) -> None:
    with Standalone.opened(browser, served, width=1280, height=900, has_touch=is_touch) as profiler:
        open_timeline(profiler, "cuda")
        groups = [track["group"] for track in tracks_of(profiler)["tracks"]]
        at = next(place for place, group in enumerate(groups) if groups[place + 1] == group)
        listed = profiler.frame.get_by_role("list", name="Tracks").locator(".tl-track")
        names = "rows => rows.map((row) => row.querySelector('.tl-track-name').getAttribute('aria-label'))"
        before = listed.evaluate_all(names)
        before[at], before[at + 1] = before[at + 1], before[at]
        box, below = (listed.nth(place).bounding_box() for place in (at, at + 1))
        assert box is not None
        assert below is not None
        drag = _drag_by_finger if is_touch else _drag_by_mouse
        to = below["y"] + below["height"] - 2
        drag(profiler, box["x"] + 60, (box["y"] + 8, to), lambda: profiler.frame.locator(".is-moved").wait_for())
        profiler.page.wait_for_function("() => location.hash.includes('timeline.order')")
        until(profiler, lambda: listed.evaluate_all(names) == before)
        assert "timeline.folded" not in profiler.place()  # the click that ends a drag is none
        profiler.check_clean()


def _drag_by_mouse(profiler: Profiler, x: float, ys: tuple[float, float], seen: Callable[[], None]) -> None:
    mouse = profiler.page.mouse
    mouse.move(x, ys[0])
    mouse.down()
    mouse.move(x, ys[1], steps=4)
    seen()
    mouse.up()


def _drag_by_finger(profiler: Profiler, x: float, ys: tuple[float, float], seen: Callable[[], None]) -> None:
    touch = profiler.page.context.new_cdp_session(profiler.page)
    point = [{"x": x, "y": y} for y in ys]
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": point[:1]})
    seen()
    touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": point[1:]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_names_without_room_show_what_they_differ_in(browser: Browser, served: str) -> None:
    """Counters of one kind begin and end alike; what two names of a list read, and whether it has room, is seen at 800 px."""
    with Standalone.opened(browser, served, width=800, height=700) as profiler:
        open_timeline(profiler, "cuda")
        name = profiler.frame.locator(".tl-track .cut-name").first
        wide = name.text_content()
        names = [f"smsp__sass_thread_inst_executed_op_{kind}_pred_on.sum" for kind in ("dadd", "dfma", "dmul")]
        profiler.frame.locator(".cut-name").evaluate_all(
            "(all, names) => names.forEach((name, place) => { all[place].dataset.name = name })", names
        )
        profiler.page.set_viewport_size({"width": 700, "height": 700})
        shown = profiler.frame.locator(".cut-name")
        until(profiler, lambda: "dadd" in (shown.first.text_content() or ""))
        texts = shown.all_text_contents()[:3]
        assert [kind in text for kind, text in zip(("dadd", "dfma", "dmul"), texts, strict=True)] == [True] * 3
        assert all("…" in text for text in texts)
        assert shown.evaluate_all("all => all.every((each) => each.scrollWidth <= each.clientWidth)")
        assert wide in {track["name"] for track in tracks_of(profiler)["tracks"]}


KERNEL = "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::{}>::operator()>(int)"
DIFFERENT = ("AUnaryFunctor", "BinaryFunctor", "CompareFunctor")


def test_kernels_alike_in_the_palette_show_what_they_differ_in(browser: Browser, served: str) -> None:
    def answer(route: Route) -> None:
        reply = route.fetch().json()
        hits = [{**reply["hits"][0], "kind": "kernel", "name": KERNEL.format(word)} for word in DIFFERENT]
        route.fulfill(json=reply | {"hits": hits})

    with Standalone.opened(browser, served, width=500, height=700) as profiler:
        open_timeline(profiler, "cuda")
        profiler.page.route("**/view/timeline/search?*", answer)
        profiler.page.keyboard.press("Control+k")
        profiler.frame.get_by_role("combobox", name="Go to a view").fill("elementwise")
        # Heard whole, seen cut.
        shown = profiler.frame.get_by_role("option", name=KERNEL.format("")[:60]).locator(".cut-name")
        until(profiler, lambda: shown.count() == 2 * len(DIFFERENT) and all("…" in text for text in shown.all_text_contents()))
        for word, text in zip(DIFFERENT, shown.all_text_contents()[::2], strict=True):
            assert word in text
        assert len(set(shown.all_text_contents()[1::2])) == len(DIFFERENT)
        assert shown.evaluate_all("all => all.every((each) => each.scrollWidth <= each.clientWidth)")


def test_the_head_of_the_details_keeps_what_tells_an_event(browser: Browser, served: str) -> None:
    with Standalone.opened(browser, served, width=1000, height=700) as profiler:
        open_timeline(profiler, "cuda", **{"timeline.row": "5"})
        head = profiler.frame.get_by_role("region", name="Selected event").get_by_role("heading").locator(".cut-name")
        head.wait_for()
        head.evaluate("(head, name) => { head.dataset.name = name }", KERNEL.format(DIFFERENT[0]))
        profiler.page.set_viewport_size({"width": 600, "height": 700})
        cut = re.compile(r"elementwise_kernel<128, 4, gpu_kern\w*…\w*tor\(\)>")
        until(profiler, lambda: cut.match(head.text_content() or "") is not None)
        assert head.evaluate("each => each.scrollWidth <= each.clientWidth")


STUCK_BY = """name => {
    const scroller = name.closest('.tl-scroller'), pinned = scroller.querySelector('.tl-pinned')
    scroller.scrollTop = name.parentNode.offsetTop - pinned.offsetHeight + 20
    const by = name.getBoundingClientRect().top - name.parentNode.getBoundingClientRect().top
    return [by, name.getBoundingClientRect().top - pinned.getBoundingClientRect().bottom]
}"""


def test_the_name_of_a_tall_track_stays_in_sight_below_those_that_are_pinned(browser: Browser, served: str) -> None:
    with Standalone.opened(browser, served, width=1000, height=400) as profiler:
        open_timeline(profiler, "cuda")
        pinned = next(track["id"] for track in tracks_of(profiler)["tracks"] if track["name"] == "stream 7")
        profiler.open("timeline", "cuda", **{"timeline.pinned": str(pinned)})
        profiler.frame.get_by_role("list", name="Pinned tracks").wait_for()
        name = profiler.frame.locator(".tl-track-name").filter(has_text="main")
        assert name.evaluate(STUCK_BY) == pytest.approx([20, 0], abs=1)


def test_names_that_come_into_sight_are_written(browser: Browser, built_page: None, tmp_path: Path) -> None:
    """Only tracks near the window are elements: each that is scrolled to, however far, has its name."""
    logdir = tmp_path / "logs"
    logdir.mkdir()
    kernels = [
        {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": stream, "ts": stream * 10, "dur": 5, "args": {}}
        for stream in range(1, N_STREAMS + 1)
    ]
    (logdir / "host_1.1.pt.trace.json").write_text(json.dumps({"schemaVersion": 1, "traceEvents": kernels}))
    with serve(tmp_path / "served", logdir) as address, Standalone.opened(browser, address) as profiler:
        profiler.open("timeline")
        names = profiler.frame.locator(".tl-track-name .cut-name")
        scroller = profiler.frame.locator(".tl-scroller")
        names.first.wait_for()
        end = scroller.evaluate("box => box.scrollHeight - box.clientHeight")
        for stream, top in ((1, 0), (N_STREAMS, end), (N_STREAMS // 2, end / 2), (1, 0)):
            scroller.evaluate("(box, top) => { box.scrollTop = top }", top)
            profiler.frame.locator(f"[aria-label^='stream {stream}:' i]").first.wait_for()
            assert all(names.all_text_contents())
        assert names.count() < N_STREAMS
        profiler.check_clean()


def test_a_pinned_track_says_whose_it_is_and_a_group_how_many_are_hidden(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda")
    tracks = tracks_of(profiler)
    first = tracks["tracks"][0]
    open_timeline(profiler, "cuda", **{"timeline.pinned": str(first["id"])})
    name = profiler.frame.get_by_role("list", name="Pinned tracks").locator(".cut-name")
    assert name.get_attribute("data-name") == f"{first['name']} · {tracks['groups'][first['group']]['name']}"
    profiler.frame.locator(".tl-group").get_by_text("1 pinned").wait_for()
    name.hover()
    tools = profiler.frame.get_by_role("list", name="Pinned tracks").locator(".tl-track-tools").bounding_box()
    box = name.bounding_box()
    assert tools is not None
    assert box is not None
    assert box["x"] + box["width"] <= tools["x"]  # the name is cut, not covered
    open_timeline(profiler, "cuda", **{"timeline.hidden": str(first["id"])})
    profiler.frame.locator(".tl-group").get_by_text("1 hidden").wait_for()


def test_the_skip_link_and_a_key_lead_to_the_first_event(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda")
    profiler.frame.get_by_role("button", name="Skip to the view").press("Enter")
    assert profiler.page.evaluate("() => document.activeElement.className") == "tl-tracks"
    profiler.page.keyboard.press(".")
    profiler.frame.get_by_role("region", name="Selected event").wait_for()


def test_keys_go_from_event_to_event_also_where_these_are_one_mark_or_out_of_sight(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda")
    hits = said(profiler, "timeline/search", q=".", regex="true", limit=20000)["hits"]
    kernels = [(hit["track"], hit["lane"]) for hit in hits if hit["kind"] == "kernel"]
    busiest = max(kernels, key=kernels.count)
    work = [hit for hit in hits if (hit["track"], hit["lane"]) == busiest]
    open_timeline(profiler, "cuda", **{"timeline.row": str(work[0]["row"]), "timeline.t0_ns": "0", "timeline.t1_ns": str(10**12)})
    details = profiler.frame.get_by_role("region", name="Selected event")
    back = details.get_by_role("button", name="Previous event of its row (,)")
    back.wait_for()
    assert back.is_disabled()
    for place in range(1, 9):
        if place == 4:
            profiler.page.keyboard.press("f")  # all others are out of sight then
        profiler.page.keyboard.press(".")
        profiler.wait_for_place("timeline.row", str(work[place]["row"]))
        details.get_by_text(f"{work[place]['start_ns']:,} ns").wait_for()
    back.click()
    profiler.wait_for_place("timeline.row", str(work[7]["row"]))


def test_a_group_of_which_nothing_is_shown_says_why_and_leads_back(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda")
    tracks = tracks_of(profiler)
    device = next(place for place, group in enumerate(tracks["groups"]) if group["device"] is not None)
    ids = [track["id"] for track in tracks["tracks"] if track["group"] == device]
    open_timeline(profiler, "cuda", **{"timeline.hidden": ",".join(map(str, ids))})
    words = "Its track hidden" if len(ids) == 1 else f"All {len(ids)} tracks hidden"
    note = profiler.frame.locator(".tl-note", has_text=words)
    note.get_by_role("button", name="Show the tracks of device 0").click()
    profiler.wait_for_place("timeline.hidden", None)
    note.wait_for(state="detached")
    host = next(track for track in tracks["tracks"] if track["device"] is None)
    name = tracks["groups"][host["group"]]["name"]
    open_timeline(profiler, "cuda", **{"timeline.off": "annotation,operator,python,runtime,marks"})
    off = profiler.frame.locator(".tl-note", has_text="All rows off")
    off.get_by_role("button", name=f"Show the tracks of {name}", exact=True).click()
    profiler.wait_for_place("timeline.off", None)
    off.first.wait_for(state="detached")
