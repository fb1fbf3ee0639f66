"""Zoomed out the timeline is true: what a pixel shows is the share of its time in which the stream works, at any zoom.

Ninety-four steps alike, hundreds of short kernels and a pause in each, and kernels that follow each other evenly: what a merged
picture gets wrong shows as a beat that is not in the data. Draws them by the real server in the real page, and compares every
pixel with the exact union.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import numpy as np
import pytest

from tb_plugin.doors import cli
from tests.browser.profiler import WAIT_MS
from tests.browser.trains import MANY_STEPS, RUNS, STEP_US, STEPS, Floats
from tests.doors.servers import serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

STEPS_OF_SHARE = 32

ROW = """([canvas, y]) => {
    const style = getComputedStyle(canvas)
    const {data} = canvas.getContext('2d').getImageData(0, Math.round(y * devicePixelRatio), canvas.width, 1)
    const [full, other, empty] = ['--c-matmul', '--c-normalisation', '--bg'].map((name) => style.getPropertyValue(name))
    return {pixels: Array.from(data), full, other, empty}
}"""


COLUMN = """([canvas, share, top, bottom]) => {
    const [x, y] = [Math.round(share * canvas.width), Math.round(top * devicePixelRatio)]
    const {data} = canvas.getContext('2d').getImageData(x, y, 1, Math.round((bottom - top) * devicePixelRatio))
    return Array.from(data).filter((_, i) => i % 4 === 3).map((alpha) => alpha / 255)
}"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("runs")
    kernel = {"ph": "X", "cat": "kernel", "name": "sm90_gemm", "pid": 0, "tid": 7, "args": {"stream": 7}}
    for run, (start, end) in RUNS.items():
        times = zip(start.tolist(), end.tolist(), strict=True)
        events = [{**kernel, "ts": s, "dur": round(e - s, 3)} for s, e in times]
        if run == "many":
            step = {"ph": "X", "cat": "user_annotation", "pid": 1, "tid": 1, "dur": 990}
            events += [{**step, "name": f"ProfilerStep#{n}", "ts": 1_000 * n} for n in range(MANY_STEPS)]
        if run == "found":
            events += [{**kernel, "name": "ampere_gemm", "ts": s + 10 * n, "dur": 9} for s in start.tolist() for n in range(1, 5)]
        if run == "bursts":
            events += [{**kernel, "name": "softmax_warp_forward", "ts": s + 5, "dur": 4.6} for s in start.tolist()]
        (top / "runs" / run).mkdir(parents=True)
        (top / "runs" / run / "w.pt.trace.json").write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    return top / "runs"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, runs: Path, built_page: None, browser: Browser) -> Iterator[str]:
    with serve(tmp_path_factory.mktemp("served"), runs) as where:
        yield f"{where}/"


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory, runs: Path, built_page: None) -> dict[str, str]:
    """The address of a report of each of these runs."""
    folder, made = tmp_path_factory.mktemp("reports"), {}
    for run in ("steps", "sparse"):
        target = folder / f"{run}.html"
        assert cli.main(["report", str(runs / run), "-o", str(target)]) == 0
        made[run] = target.as_uri()
    return made


@pytest.fixture
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": 1440, "height": 900},
        color_scheme="light",
        reduced_motion="reduce",
        device_scale_factor=getattr(request, "param", 1),
    )
    yield context.new_page()
    context.close()


def _rgb(color: str) -> Floats:
    digits = color.strip().removeprefix("#")
    digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
    return np.array([int(digits[i : i + 2], 16) for i in (0, 2, 4)], np.float64)


def _strength(page: Page) -> tuple[Floats, Floats]:
    """How far each pixel of the stream's row is from the empty colour, 1 where it is the full one; and how opaque it is."""
    canvas = page.query_selector("canvas.tl-tracks")
    row: Any = page.evaluate(ROW, [canvas, 24 + 3 + 9])
    full, empty = _rgb(row["full"]), _rgb(row["empty"])
    pixels, alpha = np.split(np.array(row["pixels"], np.float64).reshape(-1, 4), [3], axis=1)
    return ((pixels - empty) @ (full - empty)) / ((full - empty) @ (full - empty)), alpha[:, 0] / 255


def _drawn(page: Page) -> Floats:
    """The share that each pixel of the stream's row shows. What is stronger than full is a seam: at work."""
    strength, alpha = _strength(page)
    # Shades from 1 down to 0.2, `mergedVariant` and `variants` of palette.ts.
    steps = STEPS_OF_SHARE - np.rint((1 - np.minimum(strength, 1)) * (STEPS_OF_SHARE - 1) / 0.8)
    shares: Floats = alpha * steps / STEPS_OF_SHARE
    return shares


def _exact(run: str, t0_us: float, t1_us: float, width: int) -> Floats:
    """The share of each pixel's time in which a kernel runs."""
    start, end = RUNS[run]
    times = np.stack((start, end), axis=1).ravel()
    done = np.cumsum(end - start)
    before = np.stack((np.append(0, done[:-1]), done), axis=1).ravel()
    edges = np.linspace(t0_us, t1_us, width + 1)
    shares: Floats = np.diff(np.interp(edges, times, before)) / np.diff(edges)
    return shares


def _off(page: Page, run: str, t0_us: float, t1_us: float, n: int) -> float:
    """How far any n neighbouring pixels are from the exact share of their time."""
    drawn = _drawn(page)
    return float(np.abs(np.convolve(drawn - _exact(run, t0_us, t1_us, len(drawn)), np.ones(n) / n, "valid")).max())


def _open(page: Page, address: str, run: str, t0_us: float, t1_us: float, most: float, **keys: str) -> None:
    """Until eight neighbouring pixels are no further off: first there is a coarser picture, and none at all before, which of
    hardly any work is not far off either.
    """
    window = {"timeline.t0_ns": str(int(1000 * t0_us)), "timeline.t1_ns": str(int(1000 * t1_us))}
    page.goto(f"{address}#{urlencode({'run': run, 'view': 'timeline', **window, **keys})}")
    page.wait_for_selector("canvas.tl-tracks", timeout=WAIT_MS)
    ends = time.monotonic() + WAIT_MS / 1000
    while (
        not _drawn(page).any() or _off(page, run, t0_us, t1_us, 8) > most
    ) and time.monotonic() < ends:  # painting tells nobody
        page.evaluate("() => new Promise((done) => setTimeout(() => requestAnimationFrame(done), 25))")


@pytest.mark.parametrize("share", [1, 0.61, 0.2, 0.05])
def test_a_pixel_shows_the_share_of_its_time_that_is_at_work(page: Page, address: str, share: float) -> None:
    whole = STEPS * STEP_US
    t0 = 0.31 * whole * (1 - share)
    t1 = t0 + share * whole
    _open(page, address, "steps", t0, t1, 0.06)
    assert _off(page, "steps", t0, t1, 8) <= 0.06
    assert _off(page, "steps", t0, t1, 3) <= 0.12
    drawn = _drawn(page)
    exact = _exact("steps", t0, t1, len(drawn))
    assert drawn.mean() == pytest.approx(exact.mean(), abs=0.01)
    assert (drawn[exact == 0] <= 0.125).all()  # times are rounded outwards, by less than a pixel
    assert (drawn[exact > 0.125] > 0).all()


@pytest.mark.parametrize("run", ["steps", "sparse"])
@pytest.mark.parametrize("share", [1, 0.3])
def test_a_report_shows_what_the_server_shows(page: Page, address: str, reports: dict[str, str], run: str, share: float) -> None:
    """It has one picture for all zooms: of its blocks, a pixel has many."""
    t1 = share * RUNS[run][1][-1]
    pictures = []
    for where in (address, reports[run]):
        _open(page, where, run, 0, t1, 0.06)
        assert _off(page, run, 0, t1, 8) <= 0.06
        pictures.append(_drawn(page))
    assert np.abs(np.diff(pictures, axis=0)).max() <= 0.15
    assert pictures[1].mean() == pytest.approx(pictures[0].mean(), abs=0.01)


@pytest.mark.parametrize("page", [1, 1.25], ids=["screen 100 %", "screen 125 %"], indirect=True)
@pytest.mark.parametrize("us_per_px", [100, 70, 34.345, 20, 17.172, 14])
def test_an_even_stretch_is_even_at_any_zoom(page: Page, address: str, us_per_px: float) -> None:
    """Blocks of two widths, some a pixel and some two, are where stripes would show."""
    t1 = 1_000.0 + 1_100 * us_per_px  # of about as many pixels
    _open(page, address, "train", 1_000, t1, 0.05)
    drawn = _drawn(page)[4:-4]
    assert np.abs(drawn - 0.9).max() <= 0.1
    assert drawn.std() <= 0.035  # of shades that are 0.031 apart


TOUCHING_US_PER_PX = [70, 17.172, 7.3, 4.1, 3.1, 2.2, 1.7, 0.89, 0.31]


@pytest.mark.parametrize("page", [1, 1.25], ids=["screen 100 %", "screen 125 %"], indirect=True)
@pytest.mark.parametrize("us_per_px", TOUCHING_US_PER_PX)
def test_between_kernels_that_touch_nothing_looks_empty_at_any_zoom(page: Page, address: str, us_per_px: float) -> None:
    """A line between two wide ones tells them apart, equally strong everywhere, at distances that are those of the kernels."""
    _open(page, address, "touching", 1_003, 1_003 + 1_100 * us_per_px, 0.1)
    assert (_drawn(page) >= 0.9).all()
    strength, alpha = _strength(page)
    assert (alpha == 1).all()
    seams = np.flatnonzero(strength > np.median(strength) + 0.04)
    assert np.ptp(strength[seams]) < 0.01 if len(seams) else us_per_px > 2.5
    assert np.ptp(np.delete(strength, seams)[4:-4]) < 0.04
    assert np.ptp(np.diff(seams)) <= 1 if len(seams) else us_per_px > 2.5


@pytest.mark.parametrize("us_per_px", TOUCHING_US_PER_PX)
def test_an_empty_time_beside_kernels_that_touch_is_as_long_as_it_is(page: Page, address: str, us_per_px: float) -> None:
    t1 = 1_003 + 1_100 * us_per_px
    _open(page, address, "sevens", 1_003, t1, 0.06)
    assert _off(page, "sevens", 1_003, t1, 8) <= 0.06
    assert _off(page, "sevens", 1_003, t1, 3) <= 0.12
    drawn = _drawn(page)
    exact = _exact("sevens", 1_003, t1, len(drawn))
    if (exact == 1).any():
        drawn = drawn / np.median(drawn[exact == 1])  # a wide event has the shade of its name
    assert drawn.mean() == pytest.approx(exact.mean(), abs=0.01)
    assert (drawn[exact == 0] <= 0.125).all()


@pytest.mark.parametrize("us_per_px", [100, 70, 34.345, 20, 17.172])
def test_two_kinds_that_take_nearly_as_long_do_not_take_turns_from_pixel_to_pixel(
    page: Page, address: str, us_per_px: float
) -> None:
    """All bursts are alike: each has both kinds, of which each has half of the height at every pixel."""
    _open(page, address, "bursts", 1_000, 1_000 + 1_100 * us_per_px, 9)
    page.wait_for_load_state("networkidle")
    canvas = page.query_selector("canvas.tl-tracks")
    kinds = []
    for y in (24 + 3 + 3, 24 + 3 + 16):
        row: Any = page.evaluate(ROW, [canvas, y])
        pixels = np.array(row["pixels"], np.float64).reshape(-1, 4)[4:-4]
        assert (pixels[:, 3] > 0).all()
        kinds.append(np.argmin(np.stack([_hue_off(pixels[:, :3], row[kind]) for kind in ("full", "other")]), axis=0))
    assert np.ptp(kinds[0]) == np.ptp(kinds[1]) == 0
    assert kinds[0][0] != kinds[1][0]


def _hue_off(pixels: Floats, color: str) -> Floats:
    """How far each pixel is from any shade of this colour, which is towards white."""
    way, full = 255 - pixels, 255 - _rgb(color)
    off: Floats = np.linalg.norm(way - np.outer(way @ full / (full @ full), full), axis=1)
    return off


@pytest.mark.parametrize("page", [1.25], ids=["screen 125 %"], indirect=True)
def test_narrow_and_wide_events_of_a_lane_are_equally_high(page: Page, address: str) -> None:
    """The lane begins between two pixels of the screen, to which images and rectangles are rounded by different rules."""
    _open(page, address, "wide", 0, RUNS["wide"][1][-1], 0.9)  # its name is in the row
    canvas = page.query_selector("canvas.tl-tracks")
    narrow, wide = (page.evaluate(COLUMN, [canvas, share, 24, 24 + 3 + 20]) for share in (0.2, 0.8))
    assert narrow == wide
    assert 0 < sum(narrow) < len(narrow)


@pytest.mark.parametrize("n_steps", [MANY_STEPS, 300])
def test_lines_of_steps_hide_no_event(page: Page, address: str, n_steps: int) -> None:
    t1 = n_steps * 1_000.0
    _open(page, address, "many", 0, t1, 0.06)
    assert _off(page, "many", 0, t1, 8) <= 0.06
    drawn = _drawn(page)
    exact = _exact("many", 0, t1, len(drawn))
    assert drawn.mean() == pytest.approx(exact.mean(), abs=0.01)
    assert (drawn[exact == 0] <= 0.125).all()
    assert (drawn[exact > 0.125] > 0).all()


@pytest.mark.parametrize("share", [0.9, 0.3])
def test_each_of_thousands_of_hits_is_shown_also_amid_others_in_a_pixel(page: Page, address: str, share: float) -> None:
    """More than come in one list; what is no hit is grey, and a pixel with a hit has the hits' share of its time."""
    t1 = share * 200_000.0
    _open(page, address, "found", 0, t1, 0.06, **{"timeline.q": "sm90"})
    assert _off(page, "found", 0, t1, 8) <= 0.06


def test_what_is_alone_together_is_one_column_wherever_blocks_end(page: Page, address: str) -> None:
    """Two blocks here and one there would be a beat that is not in the data."""
    _open(page, address, "pairs", -100e6, 3400e6, 0.2)
    drawn = _drawn(page)
    assert (drawn[drawn > 0] == 1).all()
    assert np.count_nonzero(drawn) == 10


def test_what_is_alone_has_as_many_columns_as_it_has_work(page: Page, address: str) -> None:
    t1 = RUNS["lone"][1][-1]
    _open(page, address, "lone", 0, t1, 0.08)
    assert _off(page, "lone", 0, t1, 8) <= 0.08
    drawn = _drawn(page)
    assert (drawn[drawn > 0] == 1).all()
    assert np.count_nonzero(drawn) == 2 * len(RUNS["lone"][0])


def test_what_is_alone_is_seen_in_its_row_and_in_the_strip(page: Page, address: str) -> None:
    """Exactly it would be a column too pale, and a bar too low, to be seen."""
    _open(page, address, "alone", -100e6, 3400e6, 0.2)
    drawn = _drawn(page)
    assert (drawn[drawn > 0] == 1).all()
    assert np.count_nonzero(drawn) == len(RUNS["alone"][0])
    strip: Any = page.evaluate(ROW, [page.query_selector("canvas.tl-header-canvas"), 35])
    alpha = np.array(strip["pixels"]).reshape(-1, 4)[:, 3] > 0
    assert np.count_nonzero(np.diff(alpha.astype(int)) == 1) + alpha[0] == len(RUNS["alone"][0])


@pytest.mark.parametrize("page", [1, 1.25], ids=["screen 100 %", "screen 125 %"], indirect=True)
@pytest.mark.parametrize("width", [1280, 1440])
def test_the_strip_of_what_is_at_work_throughout_is_even(page: Page, address: str, width: int) -> None:
    """Its parts end amid pixels."""
    page.set_viewport_size({"width": width, "height": 720})
    _open(page, address, "touching", 0, 200_000, 0.1)
    strip: Any = page.evaluate(ROW, [page.query_selector("canvas.tl-header-canvas"), 20])
    pixels = np.array(strip["pixels"]).reshape(-1, 4)[4:-4]
    assert np.ptp(pixels, axis=0).max() <= 1
