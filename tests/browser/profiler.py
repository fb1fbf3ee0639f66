"""The page as a user has it in a browser: a tab of TensorBoard, or by itself. Waits for what appears, never for a time."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlsplit

from tb_plugin.views import ALL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, ConsoleMessage, Frame, FrameLocator, Locator, Page, Request

PLUGIN = "torch_profile"
WAIT_MS = 120_000  # a busy machine with two cores; what works needs a second


CONTENT = {  # what a view shows once it has its answer
    "runs": "main [role=grid] tr.row",
    "overview": "main .figure",
    "operators": "main [role=grid] tr.row",
    "kernels": "main [role=grid] tr.row, main .notice",
    "timeline": "main canvas",
    "roofline": "main .roofline-chart svg, main .notice",
    "modules": "main [role=treegrid] tr.row, main .notice",
    "memory": "main .memory-plot canvas, main .notice",
    "advice": "main .advice",
    "ranks": "main .ranks, main .notice:not(.is-late)",
    "whatif": "main .whatif-bars, main .whatif .notice",
    "compare": "main [role=treegrid] tr, main .compare .notice",
    "trends": "main .trends-chart svg, main .trends .notice:not(.is-late)",
    "sql": "main .sql-tables, main [role=grid] tr.row",
}


class Profiler:
    """One browser tab. `frame` is our part of it, `page` is TensorBoard's."""

    PREFIX = f"p.{PLUGIN}."  # of each key in the hash
    START: tuple[str, ...] = (PLUGIN,)  # of the hash
    OURS = f"/data/plugin/{PLUGIN}/"  # below the address

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = f"{address}/"
        self.frame: FrameLocator | Page = self.frame_in(page)
        self.errors: list[str] = []
        self.foreign: list[str] = []
        page.set_default_timeout(WAIT_MS)
        page.on("console", self._note_console)
        page.on("pageerror", lambda error: self.errors.append(f"uncaught: {error}"))
        page.on("request", self._note_request)

    @classmethod
    @contextlib.contextmanager
    def opened(cls, browser: Browser, address: str, *, width: int = 1440, height: int = 900, **more: Any) -> Iterator[Profiler]:
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="light", reduced_motion="reduce", locale="en-US", **more
        )
        try:
            yield cls(context.new_page(), address)
        finally:
            context.close()

    def frame_in(self, page: Page) -> FrameLocator | Page:
        return page.frame_locator(f'iframe[src*="plugin_entry.html?name={PLUGIN}"]')

    def script_frame(self) -> Frame:
        """Our part of the page, to run scripts in."""
        (frame,) = (frame for frame in self.page.frames if f"plugin_entry.html?name={PLUGIN}" in frame.url)
        return frame

    # Going places

    def open(self, view: str, run: str | None = None, **keys: str) -> None:
        """Opens a view by its link, as from a bookmark."""
        place = {"view": view, **({} if run is None else {"run": run}), **keys}
        self.page.goto(self.link(**place))
        self.wait_for_view(view)

    def link(self, **place: str) -> str:
        """The address that shows this place."""
        keys = (f"{self.PREFIX}{quote(key)}={quote(value, safe='/:,')}" for key, value in place.items())
        return f"{self.address}#{'&'.join([*self.START, *keys])}"

    def wait_for_view(self, view: str) -> None:
        self.frame.get_by_role("navigation").locator('a[aria-current="page"]', has_text=title_of(view)).wait_for()
        self.frame.locator("main > *:not(h1)").first.wait_for()

    def place(self) -> dict[str, str]:
        """What the link says now, without the plugin's prefix."""
        parts = [part.partition("=") for part in urlsplit(self.page.url).fragment.split("&")]
        start = self.PREFIX
        return {unquote(key).removeprefix(start): unquote(value) for key, _, value in parts if key.startswith(start)}

    def wait_for_key(self, key: str) -> None:
        there = "(start) => location.hash.slice(1).split('&').some((part) => part.startsWith(start))"
        self.page.wait_for_function(there, arg=f"{self.PREFIX}{quote(key)}=")

    def wait_for_place(self, key: str, value: str | None) -> None:
        """The link follows a moment after what is typed or dragged."""
        start = f"{self.PREFIX}{quote(key)}="
        if value is None:
            gone = "(start) => !location.hash.slice(1).split('&').some((part) => part.startsWith(start))"
            self.page.wait_for_function(gone, arg=start)
        else:
            there = "(part) => location.hash.slice(1).split('&').includes(part)"
            self.page.wait_for_function(there, arg=start + quote(value, safe="/:,"))

    def pass_time_until(self, sight: Locator) -> None:
        """For what the page asks about every ten seconds: its clock (`clock.install`) runs ahead while the server's goes on."""
        for _ in range(20):
            if sight.is_visible():
                return
            with self.page.expect_response(lambda answer: answer.url.endswith("/runs")):
                self.page.clock.fast_forward(10_000)
        sight.wait_for()

    def shown_file(self, logdir: Path) -> Path:
        """The file behind what the link shows."""
        self.wait_for_key("span")
        place = self.place()
        (path,) = (logdir / place["run"]).glob(f"{place['worker']}.{place['span']}.pt.trace.json*")
        return path

    def choose_theme(self, name: str) -> None:
        """TensorBoard's own switch in its header: "Light" or "Dark". Before it has read its settings it undoes the choice."""
        self.frame.locator("main").wait_for()
        self.page.get_by_role("button", name="Menu for changing light or dark theme").click()
        self.page.get_by_role("menuitem", name=name).click()
        self.page.get_by_role("menu").wait_for(state="detached")

    def theme(self) -> str:
        return str(self.frame.locator("html").get_attribute("data-theme"))

    # Tables

    def grid(self) -> Locator:
        return self.frame.get_by_role("grid")

    def rows(self) -> Locator:
        return self.grid().locator("tbody tr.row")

    def wait_for_rows(self) -> None:
        self.rows().first.wait_for()

    def columns(self) -> list[str]:
        return self.grid().locator("thead th .head-sort").all_inner_texts()

    def column(self, title: str) -> list[str]:
        """The exact values of the rows in sight: what a user reads when pointing at a cell."""
        index = [re.sub(r"\s*[▾▴]\d*\s*$", "", each).strip() for each in self.columns()].index(title) + 1
        cells = self.rows().locator(f"td:nth-child({index})")
        return cells.evaluate_all("cells => cells.map((cell) => cell.title)")  # type: ignore[no-any-return]

    def search(self, text: str) -> None:
        self.frame.locator("main [data-search]").fill(text)

    def header(self, title: str) -> Locator:
        """The button in the header of a column."""
        return self.grid().locator(f'[title^="Sort by {title}"]').first

    def csv(self) -> list[dict[str, str]]:
        with self.page.expect_download() as waiting:
            self.frame.get_by_role("button", name="CSV", exact=True).click()
        return list(csv.DictReader(io.StringIO(waiting.value.path().read_text(encoding="utf-8"))))

    def json(self) -> list[dict[str, Any]]:
        with self.page.expect_download() as waiting:
            self.frame.get_by_role("button", name="JSON", exact=True).click()
        return json.loads(waiting.value.path().read_text(encoding="utf-8"))  # type: ignore[no-any-return]

    def busy_ms(self, act: Callable[[], object]) -> float:
        """Processor time of the page's main thread for it: what else the machine does adds nothing."""
        session = self.page.context.new_cdp_session(self.page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})

        def spent_s() -> float:
            metrics = session.send("Performance.getMetrics")["metrics"]
            return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))

        before = spent_s()
        act()
        spent = spent_s() - before
        session.detach()
        return 1000 * spent

    # What must never happen

    def expect_failed_requests(self) -> None:
        """For tests that ask for what fails: the browser notes an answer of 4xx as an error of its own."""
        self.errors = [error for error in self.errors if "Failed to load resource" not in error]

    def check_clean(self) -> None:
        assert self.errors == []
        assert self.foreign == []

    def _note_console(self, message: ConsoleMessage) -> None:
        # TensorBoard's own page has errors of its own (two 404 in 2.21); ours come from below data/.
        if message.type == "error" and self.OURS in message.location.get("url", ""):
            self.errors.append(f"{message.text} ({message.location.get('url')})")

    def _note_request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in {"data", "blob"} and parts.hostname != "127.0.0.1":
            self.foreign.append(request.url)


class Standalone(Profiler):
    """The page as `tb-plugin serve` has it: the same code, and a fifth of the time that TensorBoard's own page takes to open."""

    PREFIX = ""
    START = ()
    OURS = "/"

    def frame_in(self, page: Page) -> Page:
        return page

    def script_frame(self) -> Frame:
        return self.page.main_frame

    def choose_theme(self, name: str) -> None:
        """That of the browser."""
        self.page.emulate_media(color_scheme="dark" if name == "Dark" else "light")


def title_of(view: str) -> str:
    return next((each.title for each in ALL if each.id == view), view.title())


def numbers(values: list[str]) -> list[float]:
    """`12,345 ns` and `1,024 bytes` as numbers."""
    return [float(value.split()[0].replace(",", "")) for value in values]
