"""The timeline in a narrow window, where panels lie below each other: what was opened last is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.profiler import Standalone
from tests.browser.timeline import open_timeline, tracks_of, until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator


pytestmark = pytest.mark.browser

# More than its head, which always is.
IN_SIGHT = """panel => {
    const {left, top} = panel.getBoundingClientRect()
    return panel.contains(document.elementFromPoint(left + 8, top + 60))
}"""


def test_what_was_opened_last_is_seen(browser: Browser, served: str) -> None:
    with Standalone.opened(browser, served, width=800, height=700) as profiler:
        open_timeline(profiler, "cuda")
        step, track = tracks_of(profiler)["steps"][0], tracks_of(profiler)["tracks"][0]["id"]
        canvas = open_timeline(profiler, "cuda", **{"timeline.area": f"{step['start_ns']},{step['end_ns']}:{track}"})
        area = profiler.frame.get_by_role("region", name="Area", exact=True)
        details = profiler.frame.get_by_role("region", name="Selected event")
        next_hit = profiler.frame.get_by_role("button", name="Next result")

        def is_seen(panel: Locator) -> bool:
            return panel.count() > 0 and bool(panel.evaluate(IN_SIGHT))

        until(profiler, lambda: is_seen(area))
        profiler.frame.locator("main [data-search]").first.fill("aten::")
        next_hit.click()
        until(profiler, lambda: is_seen(details))
        area.locator("header").scroll_into_view_if_needed()
        until(profiler, lambda: not is_seen(details))
        next_hit.click()  # another event in the same panel
        until(profiler, lambda: is_seen(details))

        box = canvas.bounding_box()
        assert box is not None
        profiler.page.keyboard.down("Alt")
        profiler.page.mouse.move(box["x"] + 20, box["y"] + 10)
        profiler.page.mouse.down()
        profiler.page.mouse.move(box["x"] + 300, box["y"] + 60, steps=4)
        profiler.page.mouse.up()
        profiler.page.keyboard.up("Alt")
        until(profiler, lambda: is_seen(area))
        profiler.check_clean()


@pytest.mark.parametrize(("width", "is_beside"), [(1440, True), (800, False)])
def test_the_head_of_an_area_is_whole_beside_its_buttons_or_below_them(
    browser: Browser, served: str, width: int, is_beside: bool
) -> None:
    with Standalone.opened(browser, served, width=width, height=800) as profiler:
        open_timeline(profiler, "cuda")
        tracks = tracks_of(profiler)
        ids = ",".join(str(track["id"]) for track in tracks["tracks"])
        open_timeline(profiler, "cuda", **{"timeline.area": f"{tracks['start_ns']},{tracks['end_ns']}:{ids}"})
        area = profiler.frame.get_by_role("region", name="Area", exact=True)
        words = area.get_by_text("device 0 busy")
        words.wait_for()
        assert words.evaluate("words => words.scrollWidth <= words.clientWidth")
        heading, button = area.get_by_role("heading").bounding_box(), area.get_by_role("button", name="Zoom to it").bounding_box()
        box = words.bounding_box()
        assert heading is not None
        assert button is not None
        assert box is not None
        assert abs(heading["y"] + heading["height"] / 2 - button["y"] - button["height"] / 2) < 6
        assert (box["y"] < button["y"] + button["height"]) == is_beside
        profiler.check_clean()


# 1440 x 900 at twice its size is 720 x 450.
@pytest.mark.parametrize(("width", "height"), [(420, 800), (640, 800), (900, 800), (640, 450), (720, 450), (1024, 500)])
def test_each_button_of_the_toolbar_is_in_sight_in_little_room(browser: Browser, served: str, width: int, height: int) -> None:
    with Standalone.opened(browser, served, width=width, height=height) as profiler:
        open_timeline(profiler, "cuda", **{"timeline.mark": "1000,2000:a;3000,4000:b"})
        profiler.frame.locator("main [data-search]").first.fill("aten::")
        profiler.frame.get_by_role("button", name="Next result").wait_for()
        bar = profiler.frame.get_by_role("toolbar", name="Timeline")
        buttons = bar.locator(":scope > .button, :scope > span > .button")
        ends = buttons.evaluate_all("all => all.map((each) => [each.innerText, each.getBoundingClientRect()])")
        assert len(ends) > 12
        assert [words for words, box in ends if box["right"] > width or box["width"] == 0] == []
        assert bar.evaluate("bar => bar.scrollWidth <= bar.clientWidth")
        profiler.check_clean()


def test_at_twice_its_size_the_toolbar_is_one_row(browser: Browser, served: str) -> None:
    with Standalone.opened(browser, served, width=720, height=450) as profiler:
        open_timeline(profiler, "cuda", **{"timeline.mark": "1000,2000:a;3000,4000:b"})
        bar = profiler.frame.get_by_role("toolbar", name="Timeline")
        legend = bar.get_by_role("button", name="Colours").bounding_box()
        assert legend is not None
        assert legend["x"] + legend["width"] <= 720
        assert bar.evaluate("bar => bar.clientHeight") < 45


@pytest.mark.parametrize(("width", "parts"), [(900, 2), (820, 2), (720, 1)])
def test_a_low_window_has_room_for_its_length_too(browser: Browser, served: str, width: int, parts: int) -> None:
    with Standalone.opened(browser, served, width=width, height=450) as profiler:
        open_timeline(profiler, "cuda")
        bar = profiler.frame.get_by_role("toolbar", name="Timeline")
        words = bar.locator(".tl-window")
        assert words.evaluate("each => getComputedStyle(each).visibility") == "visible"
        assert words.evaluate(SEEN) == parts
        assert words.evaluate(CUT) == 0
        assert bar.evaluate("bar => bar.clientHeight") < 45


def test_a_low_window_with_a_search_and_a_chip_has_two_rows_of_tools_and_whole_names_above(browser: Browser, served: str) -> None:
    with Standalone.opened(browser, served, width=820, height=450) as profiler:
        open_timeline(profiler, "cuda", **{"timeline.q": "aten::", "steps": "5"})
        bar = profiler.frame.get_by_role("toolbar", name="Timeline")
        bar.get_by_role("button", name="Next result").wait_for()
        until(profiler, lambda: bar.locator(".tl-search").get_by_text("hits").count() > 0)
        words = bar.locator(".tl-window")
        assert words.evaluate(SEEN) >= 1
        assert words.evaluate(CUT) == 0
        rows = [bar.get_by_role("button", name=name, exact=True).bounding_box() for name in ("Colours", "Zoom in", "Show")]
        assert len({row and row["y"] for row in rows[1:]}) == 1
        assert rows[0] != rows[1]
        top = profiler.frame.locator(".top")
        assert top.locator(".picker-label").evaluate_all("all => all.every((each) => each.clientWidth > 20)")
        assert top.locator(".chip-text").evaluate("each => each.scrollWidth <= each.clientWidth")
        profiler.check_clean()


SEEN = """words => {
    const { bottom } = words.getBoundingClientRect()
    return [...words.children].filter((part) => part.getBoundingClientRect().top < bottom - 1).length
}"""

# Words that are not whole stand below the one line that is seen.
CUT = """words => {
    const own = words.getBoundingClientRect()
    const parts = [...words.children].map((part) => part.getBoundingClientRect())
    return parts.filter(({top, right, left}) => top < own.bottom - 1 && (right > own.right + 1 || left < own.left - 1)).length
}"""


@pytest.mark.parametrize(("width", "sought", "rows"), [(820, "", 1), (820, "aten::", 2), (640, "", 2), (640, "aten::", 2)])
def test_the_length_of_the_window_is_not_cut_in_little_room(
    browser: Browser, served: str, width: int, sought: str, rows: int
) -> None:
    with Standalone.opened(browser, served, width=width, height=900) as profiler:
        open_timeline(profiler, "cuda", **({"timeline.q": sought} if sought else {}))
        bar = profiler.frame.get_by_role("toolbar", name="Timeline")
        if sought:
            bar.get_by_role("button", name="Next result").wait_for()
            until(profiler, lambda: bar.locator(".tl-search").get_by_text("hits").count() > 0)
        words = bar.locator(".tl-window")
        parts = [part.bounding_box() for part in words.locator("span").all()]
        own = words.bounding_box()
        assert own is not None
        is_seen = [part is not None and part["y"] < own["y"] + own["height"] - 1 for part in parts]
        assert is_seen[0]
        assert all(is_seen) or (width, sought) == (640, "aten::")  # the axis tells the whole, too
        assert words.evaluate(CUT) == 0
        assert bar.evaluate("bar => bar.clientHeight") < 13 + 32 * rows
        profiler.check_clean()


@pytest.mark.parametrize(
    ("width", "height", "keys", "least_px"),
    [
        (1024, 900, {}, 110),
        (1024, 900, {"timeline.q": "aten::mm"}, 300),
        (820, 900, {"timeline.q": "aten::mm"}, 150),
        (820, 900, {"timeline.mark": "1000,2000:a"}, 150),
        (640, 900, {"timeline.q": "aten::mm"}, 130),
        (640, 900, {}, 300),
        (640, 450, {"timeline.q": "aten::mm"}, 130),
        (640, 450, {}, 300),
    ],
)
def test_the_search_has_the_room_that_is_empty_and_no_row_is_one_button_s(
    browser: Browser, served: str, width: int, height: int, keys: dict[str, str], least_px: int
) -> None:
    with Standalone.opened(browser, served, width=width, height=height) as profiler:
        open_timeline(profiler, "cuda", **keys)
        bar = profiler.frame.get_by_role("toolbar", name="Timeline")
        search, colours = (
            bar.locator("input[type=search]").bounding_box(),
            bar.get_by_role("button", name="Colours").bounding_box(),
        )
        assert search is not None
        assert colours is not None
        assert search["width"] >= least_px
        assert abs(search["y"] + search["height"] / 2 - colours["y"] - colours["height"] / 2) < 2  # in the first row
        assert colours["x"] + colours["width"] > width - 20  # at its end


@pytest.mark.parametrize(
    ("width", "opened"),
    [
        (720, {"timeline.row": "20"}),
        (720, {"timeline.row": "20", "timeline.q": "aten::mm"}),
        (720, {"timeline.area": "{start_ns},{end_ns}:0"}),
        (640, {"timeline.row": "20"}),
        (640, {"timeline.q": "aten::mm", "timeline.list": "1"}),
    ],
)
def test_in_a_low_window_a_panel_leaves_the_ruler_in_sight(
    browser: Browser, served: str, width: int, opened: dict[str, str]
) -> None:
    with Standalone.opened(browser, served, width=width, height=450) as profiler:
        open_timeline(profiler, "cuda")
        tracks = tracks_of(profiler)
        open_timeline(profiler, "cuda", **{key: value.format(**tracks) for key, value in opened.items()})
        panel = profiler.frame.locator(".tl-panels > *").first
        panel.wait_for()
        until(profiler, lambda: (box := panel.bounding_box()) is not None and min(box["height"], 450 - box["y"]) >= 110)
        assert profiler.frame.locator(".tl").evaluate("all => all.scrollTop") == 0
        profiler.check_clean()


def test_in_a_low_window_no_panel_takes_no_room(browser: Browser, served: str) -> None:
    with Standalone.opened(browser, served, width=1000, height=400) as profiler:
        open_timeline(profiler, "cuda")
        assert profiler.frame.locator(".tl-panels").evaluate("panels => panels.clientHeight") == 0
