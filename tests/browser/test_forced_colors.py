"""Where the system has colours of its own (Windows: contrast themes), data is still told apart: by its colours, which stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.profiler import Standalone
from tests.doors.servers import serve
from tests.job_files import Job

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from tests.browser.profiler import Profiler

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def page(browser: Browser, built_page: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Profiler]:
    logdir = tmp_path_factory.mktemp("forced")
    (logdir / "train").mkdir()
    Job(n_ranks=4, slow={2: 1.5}).write(logdir / "train")
    with (
        serve(tmp_path_factory.mktemp("served"), logdir) as address,
        Standalone.opened(browser, address, forced_colors="active") as profiler,
    ):
        yield profiler
        profiler.check_clean()


def colors(page: Profiler, selector: str, of: str = "backgroundColor") -> list[str]:
    """As they are drawn."""
    script = f"all => all.filter(one => one.getClientRects().length > 0).map(one => getComputedStyle(one).{of})"
    found: list[str] = page.frame.locator(selector).evaluate_all(script)
    return found


@pytest.mark.parametrize(
    ("of", "side"), [("nav a", "borderLeftColor"), (".ranks-tabs button", "borderBottomColor")], ids=["view", "tab"]
)
def test_what_is_shown_is_marked(page: Profiler, of: str, side: str) -> None:
    page.open("ranks", "train")
    page.frame.locator(".ranks-head", has_text="4 of 4 ranks").wait_for()
    drawn = colors(page, of, side)
    assert sorted(drawn.count(each) for each in set(drawn)) == [1, len(drawn) - 1]


def test_the_map_of_ranks_its_key_and_the_parts_of_a_step_keep_their_colours(page: Profiler) -> None:
    page.open("ranks", "train")
    page.frame.locator(".ranks-head", has_text="4 of 4 ranks").wait_for()
    assert page.frame.locator("html").evaluate("() => matchMedia('(forced-colors: active)').matches")
    assert len(set(colors(page, ".ranks-cells path", "fill"))) > 1
    values = page.frame.locator(".ranks-cells text").evaluate_all("all => all.map(one => getComputedStyle(one).fill)")
    assert {"rgb(0, 0, 0)", "rgb(255, 255, 255)"} == set(values)
    assert len(set(colors(page, ".ranks-bars button i"))) > 1
    (key,) = colors(page, ".ranks-scale", "backgroundImage")
    assert key.startswith("linear-gradient(")
    parts = page.frame.locator(".ranks-track span:not(.is-idle)")
    drawn = parts.evaluate_all(
        "all => all.map(one => getComputedStyle(one)).map(one => one.backgroundColor + one.backgroundImage + one.opacity)"
    )
    assert len(drawn) > 1
    assert len(set(drawn)) == len(drawn)


def test_categories_of_the_overview_keep_their_colours_and_its_tables_say_all_in_words(page: Profiler) -> None:
    page.open("overview", "train")
    page.frame.locator("main .figure").first.wait_for()
    swatches = colors(page, ".legend .swatch:not(.is-idle)")
    assert len(set(swatches)) > 5
    page.page.emulate_media(forced_colors="none")
    assert colors(page, ".legend .swatch:not(.is-idle)") == swatches
    page.page.emulate_media(forced_colors="active")
    # Bars behind shares are gone: each stands there as a number too.
    cells = page.frame.locator("main [data-bar]").all_inner_texts()
    assert all(text.strip() for text in cells)
