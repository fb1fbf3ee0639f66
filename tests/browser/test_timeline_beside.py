"""A second timeline under the first: what filters hold for, what is said of a link that leads nowhere, and what lies where."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.browser.profiler import Standalone
from tests.browser.timeline import COLOURFUL, open_timeline, painted, show, tracks_of, until
from tests.doors.servers import serve

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

    from tests.browser.profiler import Profiler


pytestmark = pytest.mark.browser


RANKS = 14


def _rank(rank: int, *steps: int) -> str:
    events = [
        {"ph": "M", "name": "process_name", "pid": 31620 + rank, "args": {"name": "python"}},
        {"ph": "M", "name": "process_labels", "pid": 31620 + rank, "args": {"labels": "CPU"}},
        {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 31620 + rank, "tid": 1, "ts": 100, "dur": 50},
        *(
            {
                "ph": "X",
                "cat": "user_annotation",
                "name": f"ProfilerStep#{step}",
                "pid": 31620 + rank,
                "tid": 1,
                "ts": 100 * at,
                "dur": 90,
            }
            for at, step in enumerate(steps, 3)
        ),
    ]
    return json.dumps({"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": RANKS}, "traceEvents": events})


def test_on_a_narrow_screen_it_is_seen_which_rank_lies_below_and_which_process(
    built_page: None, browser: Browser, tmp_path: Path
) -> None:
    (tmp_path / "logs" / "a_job_of_a_long_name").mkdir(parents=True)
    for rank in range(RANKS):
        name = f"rank{rank}.{1795284254896110693 + rank}.pt.trace.json"
        (tmp_path / "logs" / "a_job_of_a_long_name" / name).write_text(_rank(rank))
    with serve(tmp_path, tmp_path / "logs") as where, Standalone.opened(browser, where, width=640, height=900) as profiler:
        below = "a_job_of_a_long_name\trank3\t1795284254896110696"
        keys = {"worker": "rank0", "beside.upper": "clock", "beside.lower": "clock", "beside.profile": below}
        profiler.open("timeline", "a_job_of_a_long_name", **keys)
        label = profiler.frame.locator(".tl-beside .picker-label")
        label.wait_for()
        assert label.inner_text().startswith("rank3")
        assert label.evaluate("label => label.scrollWidth <= label.clientWidth")
        names = profiler.frame.locator(".tl-group .cut-name")
        until(profiler, lambda: {"process 31620", "process 31623"} <= set(names.all_inner_texts()))


def test_a_rank_whose_clock_is_not_known_lies_at_the_step_that_was_chosen(
    built_page: None, browser: Browser, tmp_path: Path
) -> None:
    (tmp_path / "logs" / "job").mkdir(parents=True)
    for rank in range(2):
        (tmp_path / "logs" / "job" / f"rank{rank}.1.pt.trace.json").write_text(_rank(rank, 5, 6))
    with serve(tmp_path, tmp_path / "logs") as where, Standalone.opened(browser, where, width=1440, height=900) as profiler:
        open_timeline(profiler, "job", **{"worker": "rank0", "beside.upper": "6", "beside.lower": "5"})
        second = profiler.frame.get_by_role("region", name="Second timeline")
        second.get_by_label("of", exact=True).select_option("rank1")
        profiler.wait_for_place("beside.lower", "clock")
        second.get_by_text("clocks not known").wait_for()
        lies = [second.get_by_label(label, exact=True).locator("option:checked") for label in ("Above", "below")]
        assert [each.inner_text() for each in lies] == ["step 6", "step 6"]
        second.get_by_label("below", exact=True).select_option("step 5")
        profiler.wait_for_place("beside.lower", "5")
        assert profiler.place()["beside.upper"] == "6"


def test_a_step_that_is_chosen_comes_into_sight_with_all_of_the_longer_one(
    built_page: None, browser: Browser, tmp_path: Path
) -> None:
    (tmp_path / "logs" / "job").mkdir(parents=True)
    trace = json.loads(_rank(0, 5, 6, 7, 8, 9))
    trace["traceEvents"][-1]["dur"] = 150
    (tmp_path / "logs" / "job" / "w.1.pt.trace.json").write_text(json.dumps(trace))
    with serve(tmp_path, tmp_path / "logs") as where, Standalone.opened(browser, where, width=1440, height=900) as profiler:
        open_timeline(profiler, "job")
        show(profiler)
        profiler.frame.get_by_role("button", name="Beside", exact=True).click()
        second = profiler.frame.get_by_role("region", name="Second timeline")
        second.get_by_label("Above", exact=True).select_option("step 8")
        second.get_by_label("below", exact=True).select_option("step 9")
        profiler.wait_for_place("beside.lower", "9")
        start = next(step["start_ns"] for step in tracks_of(profiler)["steps"] if step["number"] == 8)
        until(profiler, lambda: profiler.place()["timeline.t0_ns"] == f"{start}")
        assert profiler.place()["timeline.t1_ns"] == f"{start + 150_000}"
        second.get_by_role("button", name="Sum up both").click()
        area = profiler.frame.get_by_role("region", name="Area", exact=True)
        area.get_by_text("90.0 µs, beside 150 µs on 1 track").wait_for()
        area.get_by_text("of step 8 and 9 alone").wait_for()
        profiler.open("advice", "job")
        profiler.frame.get_by_role("link", name="Steps 5 and 9 beside each other").click()
        profiler.frame.get_by_text("150 µs of").wait_for()


def test_the_longer_of_two_steps_is_whole_where_a_chip_keeps_one(built_page: None, browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "logs" / "job").mkdir(parents=True)
    trace = json.loads(_rank(0, 5, 6, 7))
    trace["traceEvents"][-1]["dur"] = 150
    (tmp_path / "logs" / "job" / "w.1.pt.trace.json").write_text(json.dumps(trace))
    with serve(tmp_path, tmp_path / "logs") as where, Standalone.opened(browser, where, width=1440, height=900) as profiler:
        open_timeline(profiler, "job", **{"steps": "6", "beside.upper": "6", "beside.lower": "7"})
        profiler.frame.get_by_text("150 µs of").wait_for()
        open_timeline(profiler, "job", steps="6")
        profiler.frame.get_by_text("90.0 µs of").wait_for()
        show(profiler)
        profiler.frame.get_by_role("button", name="Beside", exact=True).click()
        profiler.frame.get_by_text("150 µs of").wait_for()
        assert profiler.place()["beside.lower"] == "7"


def test_values_of_one_name_have_one_scale_above_and_below(built_page: None, browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "logs" / "job").mkdir(parents=True)
    for rank, most in enumerate((10, 100)):
        trace = json.loads(_rank(rank, 5, 6, 7))
        count = {"ph": "C", "cat": "counter", "name": f"GPU {rank} Power", "pid": 31620 + rank, "tid": 0}
        trace["traceEvents"] += [{**count, "ts": ts, "args": {"Power": most}} for ts in range(100, 700, 10)]
        (tmp_path / "logs" / "job" / f"rank{rank}.1.pt.trace.json").write_text(json.dumps(trace))
    with serve(tmp_path, tmp_path / "logs") as where, Standalone.opened(browser, where, width=1440, height=900) as profiler:
        values = profiler.frame.locator(".tl-values canvas").first
        looks = []
        below = {"beside.upper": "begin", "beside.lower": "begin", "beside.profile": "job\trank1\t1"}
        for keys in ({}, below):
            open_timeline(profiler, "job", worker="rank0", **keys)
            if keys:
                profiler.frame.locator(".tl-beside .tl-values li").first.wait_for()
            looks.append(painted(profiler, lambda: int(values.evaluate(COLOURFUL))))
        assert 0 < looks[1] < looks[0] / 5


def test_where_a_link_lays_nothing_below_or_no_area_that_is_told_and_dropped(profiler: Profiler) -> None:
    alert = profiler.frame.get_by_role("alert")
    open_timeline(profiler, "cuda", **{"beside.lower": "foo"})
    alert.get_by_text("There is no step “foo”.").wait_for()
    profiler.wait_for_place("beside.lower", None)
    assert profiler.frame.get_by_role("region", name="Second timeline").count() == 0
    open_timeline(profiler, "cuda", **{"beside.lower": "begin", "beside.profile": "cuda of yesterday"})
    alert.get_by_text("There is no profile “cuda of yesterday” to lie beside this one.").wait_for()
    profiler.wait_for_place("beside.profile", None)
    assert "beside.lower" not in profiler.place()
    open_timeline(profiler, "cuda", **{"beside.lower": "begin", "beside.area": "1,1,1"})
    profiler.frame.get_by_role("region", name="Second timeline").get_by_role("alert").get_by_text("“1,1,1”").wait_for()
    profiler.wait_for_place("beside.area", None)


@pytest.mark.parametrize("only", [{"inside": "^ProfilerStep#5$"}, {"steps": "5"}], ids=["a name", "a step"])
def test_filters_dim_both_timelines(profiler: Profiler, only: dict[str, str]) -> None:
    open_timeline(profiler, "cuda", **{"beside.lower": "begin"})
    second = profiler.frame.get_by_role("region", name="Second timeline").locator("canvas.tl-tracks")
    until(profiler, lambda: second.evaluate(COLOURFUL) > 0)
    whole = second.evaluate(COLOURFUL)
    tracks = tracks_of(profiler)
    window = {"timeline.t0_ns": str(tracks["start_ns"]), "timeline.t1_ns": str(tracks["end_ns"])}
    open_timeline(profiler, "cuda", **{"beside.lower": "begin", **window, **only})
    until(profiler, lambda: 0 < second.evaluate(COLOURFUL) < whole / 3)  # the other steps are there, in grey


def test_a_second_timeline_that_is_not_there_can_be_closed_and_another_chosen(tab: Profiler) -> None:
    open_timeline(tab, "cuda", **{"beside.lower": "99", "beside.profile": "gone\tw\t1"})
    second = tab.frame.get_by_role("region", name="Second timeline")
    second.get_by_text("there is no run 'gone' here").wait_for()
    second.get_by_label("of", exact=True).select_option("this profile")
    lies = second.get_by_label("below", exact=True)
    lies.wait_for()
    tab.frame.get_by_role("button", name="Close the second timeline").click()
    second.wait_for(state="detached")
    tab.errors.clear()  # the browser's own line of a refusal


def test_a_recording_without_steps_opens_beside_the_next_one_and_not_beside_itself(
    built_page: None, browser: Browser, tmp_path: Path
) -> None:
    for run, spans in {"again": 2, "once": 1}.items():
        (tmp_path / "logs" / run).mkdir(parents=True)
        for span in range(spans):
            (tmp_path / "logs" / run / f"w.{1795284254896110693 + span}.pt.trace.json").write_text(_rank(0))
    with serve(tmp_path, tmp_path / "logs") as where, Standalone.opened(browser, where) as profiler:
        for run, said in {"again": "at the same time in its recording", "once": "the same as above: choose"}.items():
            open_timeline(profiler, run)
            show(profiler)
            profiler.frame.get_by_role("button", name="Beside", exact=True).click()
            second = profiler.frame.get_by_role("region", name="Second timeline")
            second.get_by_text(said).wait_for()
            chosen = second.get_by_label("of", exact=True).locator("option:checked").inner_text()
            assert chosen.startswith("w · 1 of 2" if run == "again" else "this profile")


def test_a_step_that_is_not_there_is_said(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda", **{"beside.lower": "99"})
    lies = profiler.frame.get_by_label("below", exact=True)
    assert lies.locator("option:checked").inner_text() == "the beginning: no step 99"


def test_events_selected_above_and_below_are_told_side_by_side(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda", **{"beside.lower": "begin", "timeline.row": "0", "beside.row": "1"})
    above = profiler.frame.get_by_role("region", name="Selected event", exact=True)
    below = profiler.frame.get_by_role("region", name="Selected event (below)")
    below.get_by_text("(below)").wait_for()
    boxes = [each.bounding_box() for each in (above, below)]
    left, right = (box for box in boxes if box is not None)
    assert left["x"] + left["width"] <= right["x"] + 1
    assert left["y"] == right["y"]


@pytest.mark.parametrize(
    ("width", "height", "keys"),
    [
        (1280, 720, {"timeline.q": "aten", "timeline.list": "1"}),
        (800, 700, {"timeline.q": "aten", "timeline.list": "1"}),
        (1440, 900, {"beside.lower": "begin", "beside.row": "1"}),
    ],
    ids=["a list and details", "in a narrow window", "two of each"],
)
def test_whatever_is_open_the_tracks_have_a_third_of_the_height(
    browser: Browser, served: str, width: int, height: int, keys: dict[str, str]
) -> None:
    with Standalone.opened(browser, served, width=width, height=height) as profiler:
        open_timeline(profiler, "cuda", **{"timeline.row": "0", **keys})
        profiler.frame.get_by_role("region", name="Selected event", exact=True).wait_for()
        if "timeline.list" in keys:
            profiler.frame.get_by_role("region", name="Search results").locator("tbody tr.row").first.wait_for()
        profiler.frame.locator(".tl-values canvas").first.wait_for()
        timeline, *tracks = (
            profiler.frame.locator(which).evaluate_all("all => all.map((each) => [each.clientHeight, each.scrollHeight])")
            for which in (".tl", ".tl-scroller")
        )
        ((whole, content),) = timeline
        assert content <= whole + 1  # nothing is to be scrolled for
        assert sum(seen for (seen, _) in tracks[0]) > 0.31 * whole


def test_what_the_link_asks_for_and_is_not_there_is_said_once(tab: Profiler) -> None:
    refused: list[str] = []
    tab.page.on("response", lambda response: refused.append(response.url) if response.status == 404 else None)
    open_timeline(tab, "cuda", threads="zz")
    alert = tab.frame.get_by_role("alert")
    alert.get_by_text("threads=zz: there is no such thread in this profile").wait_for()
    tab.page.wait_for_timeout(2500)  # no answer is waited for
    assert len(refused) == 1
    open_timeline(tab, "cuda", **{"timeline.row": "99999999", "timeline.pinned": "9999"})
    alert.filter(has_text="no event “99999999”. This profile has no track “9999”").wait_for()
    tab.wait_for_place("timeline.row", None)
    assert len(refused) == 1  # nor is it asked for
    alert.get_by_role("button", name="Close the notice").click()
    alert.wait_for(state="detached")
    tab.errors.clear()


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1440, 900)])
def test_with_a_second_timeline_and_an_area_each_keeps_rows_and_nothing_leaves_the_sight(
    browser: Browser, served: str, width: int, height: int
) -> None:
    with Standalone.opened(browser, served, width=width, height=height) as profiler:
        open_timeline(profiler, "cuda")
        tracks = tracks_of(profiler)
        ids = ",".join(str(track["id"]) for track in tracks["tracks"])
        area = f"{tracks['start_ns']},{tracks['end_ns']}:{ids}"
        open_timeline(profiler, "cuda", **{"beside.lower": "begin", "timeline.area": area, "timeline.row": "0"})
        profiler.frame.get_by_role("region", name="Selected event", exact=True).wait_for()
        rows = profiler.frame.get_by_role("region", name="Area", exact=True).locator("tbody tr.row")
        rows.first.wait_for()
        table = profiler.frame.locator(".tl-area .table-scroll, .tl-area [role=grid]").first.bounding_box()
        assert table is not None
        whole = [row for row in rows.all() if (box := row.bounding_box()) and box["y"] + box["height"] <= height - 28]
        assert len(whole) >= 6
        heights = profiler.frame.locator(".tl-scroller").evaluate_all("all => all.map((each) => each.clientHeight)")
        assert min(heights) >= 100
        toolbar = profiler.frame.get_by_role("toolbar", name="Timeline")
        box = toolbar.bounding_box()
        assert box is not None
        assert box["y"] > 0


def test_what_lies_below_gets_room_by_mouse_and_keys_and_the_link_keeps_it(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda")
    grip = profiler.frame.get_by_role("separator", name="Height of what lies below")
    assert not grip.is_visible()  # nothing is there
    open_timeline(profiler, "cuda", **{"timeline.row": "0"})
    panels = profiler.frame.locator(".tl-panels")
    profiler.frame.get_by_role("region", name="Selected event").wait_for()
    tall = "panels => panels.clientHeight"
    before = panels.evaluate(tall)
    box = grip.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + 3
    profiler.page.mouse.move(x, y)
    profiler.page.mouse.down()
    profiler.page.mouse.move(x, y - 100, steps=4)
    profiler.page.mouse.up()
    assert panels.evaluate(tall) == pytest.approx(before + 100, abs=3)
    grip.press("ArrowUp")
    dragged = panels.evaluate(tall)
    assert dragged > before + 110
    whole = profiler.frame.locator(".tl").evaluate(tall)
    until(profiler, lambda: float(profiler.place().get("timeline.below", 0)) == pytest.approx(100 * dragged / whole, abs=0.2))
    profiler.page.reload()
    profiler.frame.get_by_role("region", name="Selected event").wait_for()
    assert panels.evaluate(tall) == pytest.approx(dragged, abs=2)
    grip.press("Home")
    assert profiler.frame.locator(".tl-scroller").evaluate("tracks => tracks.clientHeight") >= 80
    assert int(grip.get_attribute("aria-valuenow") or 0) == pytest.approx(100 * panels.evaluate(tall) / whole, abs=1)
    grip.dblclick()
    until(profiler, lambda: panels.evaluate(tall) == pytest.approx(before, abs=2))
