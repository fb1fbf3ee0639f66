"""The view Ranks of a job of four: who is late, in words, in the map and in the tables; each rank leads to its own profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser import axe, shell
from tests.browser.profiler import Profiler
from tests.doors.servers import tensorboard
from tests.dump_files import drawn, write
from tests.job_files import Job
from tests.pipeline_files import PipelineJob

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

SLOW = 2


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logdir = tmp_path_factory.mktemp("job")
    (logdir / "train").mkdir()
    Job(n_ranks=4, ranks_per_node=2, slow={SLOW: 1.5}, offset_ns={1: 3_000_000}).write(logdir / "train")
    (logdir / "again").mkdir()
    Job(n_ranks=4, ranks_per_node=2).write(logdir / "again")
    (logdir / "alone").mkdir()
    Job(n_ranks=2, ranks_per_node=2).write(logdir / "alone")
    (logdir / "alone").joinpath(next(path.name for path in (logdir / "alone").iterdir())).unlink()
    (logdir / "pipe").mkdir()
    PipelineJob().write(logdir / "pipe")
    write(logdir / "hung", drawn("0 | all:1 started\n1 |", {"all": [0, 1]}))
    (logdir / "hung" / "nccl_trace_rank_2").write_bytes(b"")
    return logdir


@pytest.fixture(scope="module")
def page(browser: Browser, built_page: None, job: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Profiler]:
    with (
        tensorboard(tmp_path_factory.mktemp("tensorboard"), "--logdir", str(job)) as address,
        Profiler.opened(browser, address) as profiler,
    ):
        yield profiler
        profiler.check_clean()


def open_all(page: Profiler, **keys: str) -> None:
    """Once every rank has answered."""
    page.open("ranks", "train", **keys)
    page.frame.locator(".ranks-head", has_text="4 of 4 ranks").wait_for()
    page.frame.locator(".view-note").wait_for(state="detached")


def test_the_first_screen_is_that_of_the_shell(page: Profiler, job: Path) -> None:
    open_all(page)
    told = shell.ask("ranks", job, "--run", "train")
    said = page.frame.locator(".ranks-sentences").inner_text().replace("\u00a0", " ").replace("µs", "us").replace("−", "-")
    assert all(sentence in said for sentence in told["sentences"])
    assert f"Rank {SLOW} " in said
    assert page.frame.locator(".ranks-map svg").is_visible()
    assert axe.findings(page) == []


def test_the_map_as_a_table_leads_to_the_rank_and_that_to_its_own_profile(page: Profiler, job: Path) -> None:
    open_all(page, **{"ranks.as": "table"})
    row = page.frame.locator(".ranks-twin tr", has_text=f"rank {SLOW}")
    assert row.locator("td").nth(1).inner_text().startswith("+")
    assert axe.findings(page) == []
    table = page.frame.locator(".ranks-twin")
    table.evaluate("it => { it.style.width = '120px'; it.scrollLeft = 60 }")  # as of many columns
    left, height = row.locator("td").first.evaluate(
        "it => [it.getBoundingClientRect().left - it.closest('.ranks-twin').getBoundingClientRect().left, it.clientHeight]"
    )
    assert table.evaluate("it => it.scrollLeft") > 0
    assert abs(left) < 1  # the names stay
    assert height < 30  # and are one line
    table.evaluate("it => { it.style.width = '' }")
    row.locator("a").nth(1).click()
    panel = page.frame.get_by_role("complementary", name=f"Rank {SLOW}")
    panel.get_by_text("computes 50 % longer").wait_for()
    assert axe.findings(page) == []
    panel.get_by_role("link", name="overview").click()
    page.wait_for_view("overview")
    place = page.place()
    assert (place["worker"], place["run"]) == (f"rank{SLOW}", "train")
    assert place["steps"] == str(shell.ask("ranks", job, "--run", "train")["steps"][0]["number"])
    page.frame.locator("main .figure").first.wait_for()


def test_what_a_step_would_be_is_asked_with_several_edits_and_stays_in_the_link(page: Profiler, job: Path) -> None:
    open_all(page)
    field = page.frame.get_by_label("What is otherwise")
    for edit in (f"rank={SLOW}", "transfer=0"):
        field.fill(edit)
        field.press("Enter")
    section = page.frame.get_by_label("What if", exact=True)
    section.get_by_role("row", name="all of these").wait_for()
    assert page.place()["ranks.what_if"] == f"rank={SLOW}\ntransfer=0"
    told = shell.ask("ranks", job, "--run", "train", "--what-if", f"rank={SLOW}", "--what-if", "transfer=0")
    offered = section.locator("datalist option")
    assert [offered.nth(at).get_attribute("value") for at in range(offered.count())] == told["forms"]
    assert section.locator("tbody tr").count() == len(told["rows"]) == 3
    assert axe.findings(page) == []
    field.fill("rank=99")
    field.press("Enter")
    section.get_by_role("alert").get_by_text("no such rank; there is 0, 1, 2, 3").wait_for()
    assert section.locator("tbody tr").count() == 3  # of the edits that it understood
    assert section.get_by_text("S = ").count() == 1
    assert page.place()["ranks.what_if"] == f"rank={SLOW}\ntransfer=0"
    field.fill("rank=0")
    field.press("Enter")
    section.get_by_role("row", name="rank=0").wait_for()
    assert section.get_by_role("alert").count() == 0
    assert section.locator("tbody tr").count() == 4
    page.expect_failed_requests()


def test_what_if_of_one_rank_leads_to_all_of_them_with_the_edit(page: Profiler) -> None:
    page.open("whatif", "train", **{"whatif.edit": f"rank={SLOW}"})
    page.frame.get_by_text("of the job and not of one rank").wait_for()
    page.frame.locator(".view-note").get_by_role("link", name="open Ranks").click()
    page.frame.get_by_label("What if", exact=True).locator("tbody tr").wait_for()
    assert page.place()["ranks.what_if"] == f"rank={SLOW}"


def test_a_click_on_the_map_shows_the_rank_and_escape_ends_it(page: Profiler) -> None:
    open_all(page)
    page.frame.locator(".ranks-map svg").click(position={"x": 90, "y": 10})
    panel = page.frame.get_by_role("complementary", name="Rank 0")
    panel.get_by_text("Whom it waits for").wait_for()
    assert page.place()["ranks.rank"] == "0"
    page.frame.locator("body").press("Escape")
    panel.wait_for(state="detached")


def test_keys_go_over_the_map_and_open_the_rank_that_differs_most(page: Profiler) -> None:
    open_all(page)
    as_table = page.frame.get_by_role("button", name="Table", exact=True)
    as_table.focus()
    as_table.press("Tab")
    grid = page.frame.get_by_role("application", name="Map of 4 by")
    seen = "svg => document.activeElement === svg && getComputedStyle(svg.parentElement).outline.includes('solid 2px')"
    assert grid.evaluate(seen)
    status = page.frame.get_by_label("Ranks and steps").get_by_role("status")
    status.get_by_text(f"rank {SLOW} (").wait_for()
    assert page.frame.locator(".ranks-pointed").count() == 1
    assert axe.findings(page) == []
    grid.press("Enter")
    panel = page.frame.get_by_role("complementary", name=f"Rank {SLOW}")
    panel.wait_for()
    grid.press("Escape")
    panel.wait_for(state="detached")
    grid.press("Home")
    grid.press("Shift+ArrowRight")
    grid.press("Enter")
    page.frame.locator(".ranks-names", has_text="1").wait_for()
    assert page.place()["ranks.only"] == "rank=0-1"


def test_what_is_measured_stands_whole_beside_the_arrow(page: Profiler) -> None:
    open_all(page)
    chosen = page.frame.locator("select[aria-label=Measure]")
    wide = "select => { const had = select.offsetWidth; select.style.maxWidth = 'none'; return [had, select.offsetWidth] }"
    had, needs = chosen.evaluate(wide)
    assert had == needs
    assert chosen.evaluate("select => getComputedStyle(select).textOverflow") == "ellipsis"


def test_the_tables_have_the_rows_of_the_shell(page: Profiler, job: Path) -> None:
    told = shell.ask("ranks", job, "--run", "train")
    open_all(page, **{"ranks.show": "ranks"})
    assert page.json()[0]["rank"] == SLOW
    page.rows().first.locator("td").nth(1).click()
    panel = page.frame.get_by_role("complementary", name=f"Rank {SLOW}")
    panel.get_by_role("link", name="timeline").wait_for()
    assert axe.findings(page) == []
    for title, rows in (("Collectives", told["collectives"]), ("Links", told["links"]), ("Clocks", told["hosts"])):
        page.frame.get_by_role("group", name="Tables").get_by_role("button", name=title).click()
        page.frame.get_by_role("grid", name=title).wait_for()
        assert len(page.json()) == len(rows)


def test_one_rank_of_a_job_says_which_are_not_here(page: Profiler) -> None:
    page.open("ranks", "alone")
    page.frame.locator(".ranks-head", has_text="1 of 2 ranks").wait_for()
    assert "Missing ranks: " in page.frame.locator(".ranks-sentences").inner_text()


def test_a_job_that_left_dumps_and_no_profile_shows_who_did_not_come(page: Profiler) -> None:
    before = list(page.errors)
    page.page.goto(page.link(run="hung"))
    page.wait_for_view("ranks")
    verdict = page.frame.get_by_role("status").filter(has_text="2 dumps read")
    assert "Rank 1 never issued all_reduce 1 of all group; rank 0 waits in it." in verdict.inner_text()
    assert "nccl_trace_rank_2: the dump is empty" in page.frame.get_by_label("Dumps that are not used").inner_text()
    assert page.frame.locator("main").get_by_text("no profile").count() == 0  # the page is what that would point to
    assert axe.findings(page) == []
    page.open("overview", "hung")
    page.frame.get_by_role("heading", name="There is no profile here").wait_for()
    assert axe.findings(page) == []
    page.frame.get_by_role("link", name="Open Ranks").click()
    verdict.wait_for()
    assert page.errors == before  # nothing was asked that has no answer


def test_the_pipeline_shows_each_micro_batch_and_leads_to_its_kernels(page: Profiler) -> None:
    page.open("ranks", "pipe", **{"ranks.show": "pipeline"})
    blocks = page.frame.get_by_label("Micro-batches", exact=True)
    blocks.get_by_role("group", name="stage 1: F0 F1 B0 F2 B1 F3 B2 B3", exact=True).wait_for()
    ideal = blocks.get_by_role("group", name="stage 2 without waits, F0 B0 F1 B1 F2 B2 F3 B3", exact=True).locator("i")
    assert ideal.count() == 8  # none of them one of the blocks that ran
    drawn = blocks.locator(".ranks-micro-block")
    assert " ".join(drawn.all_inner_texts()).endswith("F0B0 F1B1 F2B2 F3B3")  # of the last stage
    widths = drawn.locator("i").evaluate_all("of => of.map(one => one.offsetWidth)")
    assert widths[0] > 30  # 200 us of nearly 4 ms
    assert widths[-1] == pytest.approx(3 * widths[0], abs=4)  # both, one after the other
    assert axe.findings(page) == []
    blocks.get_by_role("button", name="Table", exact=True).click()
    times = blocks.get_by_role("region", name="Times of stages and micro-batches")
    times.get_by_role("cell", name="F3B3").first.wait_for()
    assert axe.findings(page) == []
    blocks.get_by_role("button", name="Picture").click()
    drawn.last.locator("i").click()
    page.wait_for_view("timeline")
    assert page.place()["worker"] == "rank2"


def test_chips_narrow_the_tables_from_the_keyboard_and_another_recording_stands_beside(page: Profiler, job: Path) -> None:
    open_all(page, **{"ranks.show": "ranks"})
    page.frame.get_by_label("Show only").fill("rank=0-1 host=node0")
    page.frame.get_by_label("Show only").press("Enter")
    page.frame.get_by_role("button", name="Remove host=node0").wait_for()
    assert page.place()["ranks.only"] == "rank=0-1 host=node0"
    assert sorted(row["rank"] for row in page.json()) == [0, 1]
    assert axe.findings(page) == []
    page.frame.get_by_role("button", name="Remove rank=0-1").press("Enter")
    page.frame.get_by_role("button", name="Remove rank=0-1").wait_for(state="detached")
    page.frame.get_by_role("group", name="Tables").get_by_role("button", name="Beside").click()
    page.frame.get_by_role("grid", name="Beside").wait_for()
    page.frame.get_by_text("are read: these figures will change").wait_for(state="detached")
    told = shell.ask("ranks", job, "--run", "train", "--beside", "again")
    assert {(row["of"], row["time"]) for row in page.json()} == {(row["of"], row["time"]) for row in told["rows"]}
    assert axe.findings(page) == []


def test_what_is_chosen_in_lanes_longer_than_the_window_is_told_in_sight(page: Profiler) -> None:
    page.page.set_viewport_size({"width": 1440, "height": 520})
    open_all(page, **{"ranks.show": "lanes"})
    lanes = page.frame.locator(".ranks-lanes-canvas")
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown"):
        lanes.press(key)
    one = page.frame.get_by_label("One collective").get_by_role("heading")
    one.wait_for()
    is_seen = "(one) => one.getBoundingClientRect().bottom < innerHeight"
    assert one.evaluate(is_seen)
    box = page.frame.locator(".ranks-lanes")
    times = "(box) => box.querySelector('.ranks-lanes-axis').getBoundingClientRect().top - box.getBoundingClientRect().top"
    for down in (10_000, 0):
        box.evaluate("(box, down) => box.scrollTo(0, down)", down)
        assert (box.evaluate("(box) => box.scrollTop") > 0) == (down > 0)
        assert (abs(box.evaluate(times)) <= 8) == (down > 0), "the times of the axis stay in sight"
    assert one.evaluate(is_seen)
    page.page.set_viewport_size({"width": 1440, "height": 900})


def tab_to(page: Profiler, text: str) -> None:
    """A link or button of the details, from where the focus is."""
    for _ in range(24):
        page.page.keyboard.press("Tab")
        focused = page.frame.locator(":focus")
        assert focused.evaluate("one => one.closest('.side-panel, .ranks-lanes-one') !== null"), "the focus left the details"
        if (focused.text_content() or "").startswith(text):
            return
    raise AssertionError(f"Tab leads to nothing that begins with {text}")


def open_collectives(page: Profiler, **keys: str) -> None:
    """Above whose table a note stays."""
    page.open("ranks", "train", **{"ranks.show": "collectives", **keys})
    page.frame.locator(".ranks-head", has_text="4 of 4 ranks").wait_for()
    page.frame.get_by_text("these figures will change").wait_for(state="detached")


def test_keys_lead_from_collectives_to_one_of_them_and_to_its_members(page: Profiler) -> None:
    open_collectives(page)
    keyboard, details = page.page.keyboard, page.frame.get_by_role("complementary", name="Details")
    grid = page.frame.get_by_role("grid", name="Collectives", exact=True)
    grid.focus()
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        keyboard.press(key)
    details.locator("tr").nth(1).wait_for()
    assert details.evaluate("one => one === document.activeElement")
    keyboard.press("Tab")
    keyboard.press("Escape")
    details.wait_for(state="detached")
    assert grid.evaluate("one => one === document.activeElement")
    keyboard.press("Enter")
    details.locator("tr").nth(1).wait_for()
    tab_to(page, "1")  # a step
    keyboard.press("Enter")
    one = page.frame.get_by_role("region", name="One collective")
    one.wait_for()
    assert one.evaluate("one => one === document.activeElement")
    assert axe.findings(page) == []
    keyboard.press("Escape")
    one.wait_for(state="detached")
    assert page.frame.locator(".ranks-lanes-canvas").evaluate("one => one === document.activeElement")
    page.page.go_back()
    one.wait_for()
    tab_to(page, "timeline")
    keyboard.press("Enter")
    page.wait_for_view("timeline")
    page.wait_for_key("timeline.row")


def test_keys_lead_from_one_of_all_collectives_to_its_members(page: Profiler) -> None:
    open_collectives(page, **{"ranks.each": "kind=all-reduce"})
    keyboard, details = page.page.keyboard, page.frame.get_by_role("complementary", name="Details")
    grid = page.frame.get_by_role("grid", name="Collectives one by one")
    grid.focus()
    for key in ("ArrowDown", "Enter"):
        keyboard.press(key)
    tab_to(page, "side by side")
    assert axe.findings(page) == []
    keyboard.press("Escape")
    details.wait_for(state="detached")
    assert grid.evaluate("one => one === document.activeElement")
    keyboard.press("Enter")
    details.get_by_role("link", name="side by side").first.wait_for()
    tab_to(page, "side by side")
    keyboard.press("Enter")
    page.frame.get_by_role("region", name="One collective").wait_for()
    assert page.place()["ranks.show"] == "lanes"
