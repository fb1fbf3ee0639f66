"""How smooth the timeline is in a browser: frames of pan, zoom, hold W and scroll, at 3 and 11 million events.

    PYTHONPATH=. python benchmarks/frames.py [--millions 3 11] [--seconds 3]

A made-up trace (`timeline.synthetic`) is stored as a profile and served by `tb-plugin serve`; Chromium opens its timeline at
1440 x 900 and is driven as by a hand. Of each gesture two figures, p50 and p95: from frame to frame (a loop of its own counts
every frame that the browser gives while the hand moves), and what the page's own callback takes in it. Memory is the script's
heap after a collection, and what the tab's process holds, typed arrays and canvases included.
"""

from __future__ import annotations

import argparse
import gc
import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from budget import Budget
from clients import memory_bytes
from playwright.sync_api import sync_playwright
from timeline import synthetic

from tb_plugin.formats.stored import profile_pb
from tests.browser import chromium

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, CDPSession, Page

LIES = "another process on the same cores, a browser without a screen: its frames come from a timer; paint on a graphics card"
FRAME = Budget(name="from frame to frame, p95", budget=20, unit="ms", kind="informational", lies=LIES)
WORK = Budget(name="the page's share of a frame, p95", budget=8, unit="ms", kind="informational", lies=LIES)
HEAP = Budget(name="script heap", budget=100, unit="MB", kind="informational", lies="typed arrays, which lie outside of it")
TAB = Budget(name="memory of the tab", budget=400, unit="MB", kind="informational", lies="the browser's own 100; not on Linux: 0")
OPEN_WITHIN_MS = 300_000
WHEEL_PX = 60

# The page's callbacks are timed as they are asked for; a loop that asks for nothing else sees every frame.
WATCH = """(() => {
    const ask = window.requestAnimationFrame.bind(window)
    window.frames_seen = { deltas: [], work: [] }
    let before
    const loop = (now) => {
        if (before !== undefined) window.frames_seen.deltas.push(now - before)
        before = now
        ask(loop)
    }
    ask(loop)
    window.requestAnimationFrame = (call) => ask((now) => {
        const begun = performance.now()
        call(now)
        window.frames_seen.work.push(performance.now() - begun)
    })
})()"""
TAKE = "() => { const seen = window.frames_seen; window.frames_seen = { deltas: [], work: [] }; return seen }"
PAINTED = """() => {
    const canvas = document.querySelector('main canvas.tl-tracks')
    if (!canvas || canvas.width === 0) return false
    const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    const seen = new Set()
    for (let i = 0; i < data.length; i += 4) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2])
    return seen.size > 8
}"""


@contextmanager
def served(n_events: int) -> Iterator[str]:
    """The address of a page with one profile of so many events."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        profile = folder / "logs" / "run" / "w.1.pt.profile.pb"
        profile.parent.mkdir(parents=True)
        profile_pb.write(synthetic(n_events), profile, level=1)
        gc.collect()  # the server shares the memory
        command = [sys.executable, "-m", "tb_plugin.doors.cli", "serve", str(folder / "logs"), "--port", "0"]
        environment = {**os.environ, "TB_PLUGIN_CACHE_DIR": str(folder / "cache")}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
            assert server.stdout is not None
            try:
                yield server.stdout.readline().split()[0].rstrip("/")
            finally:
                server.terminate()


def measure(browser: Browser, n_events: int, seconds: float) -> None:
    with served(n_events) as address:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.add_init_script(WATCH)
        page.goto(f"{address}/#run=run&view=timeline")
        page.wait_for_function(PAINTED, timeout=OPEN_WITHIN_MS, polling=200)
        developer = page.context.new_cdp_session(page)
        box = page.locator("main canvas.tl-tracks").bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        for name, act in gestures(page, x, y).items():
            report(page, f"{name}, {n_events / 1e6:g} M events", act, seconds)
        HEAP.measured(heap_mb(developer), of=f"{n_events / 1e6:g} M events")
        TAB.measured(tab_mb(browser), of=f"{n_events / 1e6:g} M events")
        page.close()


def gestures(page: Page, x: float, y: float) -> dict[str, Callable[[float], None]]:
    """What a hand does for so many seconds, by name. Each begins with all of the profile but for a fifth."""

    def begin() -> None:
        page.mouse.move(x, y)
        page.keyboard.press("0")
        page.keyboard.press("w")
        page.wait_for_load_state("networkidle")
        page.evaluate(TAKE)  # what came before is not measured

    def until(seconds: float, step: Callable[[int], None]) -> None:
        begun = page.evaluate("performance.now()")
        number = 0
        while page.evaluate("performance.now()") - begun < 1000 * seconds:
            step(number)
            number += 1

    def pan(seconds: float) -> None:
        begin()
        page.mouse.down()
        until(seconds, lambda number: page.mouse.move(x + 300 * np.sin(number / 15), y))
        page.mouse.up()

    def zoom(seconds: float) -> None:
        begin()
        page.keyboard.down("Control")
        until(seconds, lambda number: page.mouse.wheel(0, -WHEEL_PX if number // 60 % 2 == 0 else WHEEL_PX))
        page.keyboard.up("Control")

    def hold(seconds: float) -> None:
        begin()
        page.keyboard.down("w")
        page.wait_for_timeout(1000 * seconds)
        page.keyboard.up("w")

    def scroll(seconds: float) -> None:
        begin()
        until(seconds, lambda number: page.mouse.wheel(0, WHEEL_PX if number // 30 % 2 == 0 else -WHEEL_PX))

    return {"pan": pan, "zoom": zoom, "hold W": hold, "scroll": scroll}


def report(page: Page, name: str, act: Callable[[float], None], seconds: float) -> None:
    act(seconds)
    seen: dict[str, Any] = page.evaluate(TAKE)
    deltas, work = (np.percentile(seen[part] or [0.0], (50, 95)) for part in ("deltas", "work"))
    print(
        f"{name}: {len(seen['deltas'])} frames, p50 {deltas[0]:.1f} and p95 {deltas[1]:.1f} ms apart; "
        f"{len(seen['work'])} painted, p50 {work[0]:.1f} and p95 {work[1]:.1f} ms each"
    )
    FRAME.measured(float(deltas[1]), of=name)
    WORK.measured(float(work[1]), of=name)


def heap_mb(developer: CDPSession) -> float:
    developer.send("HeapProfiler.enable")
    developer.send("HeapProfiler.collectGarbage")
    developer.send("Performance.enable")
    metrics = {each["name"]: each["value"] for each in developer.send("Performance.getMetrics")["metrics"]}
    return float(metrics["JSHeapUsedSize"]) / 1e6


def tab_mb(browser: Browser) -> float:
    """Of the largest renderer: the one that shows the page."""
    told = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    return max(memory_bytes(each["id"]) for each in told if each["type"] == "renderer") / 1e6


def main(millions: list[float], seconds: float) -> None:
    found = chromium.find()
    if found is None:
        raise SystemExit(chromium.MISSING)
    # Chromium refuses to run its sandbox as root.
    flags = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(found), args=["--disable-gpu", *flags])
        for number in millions:
            measure(browser, int(number * 1e6), seconds)
        browser.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--millions", type=float, nargs="+", default=[3, 11])
    parser.add_argument("--seconds", type=float, default=3)
    asked = parser.parse_args()
    main(asked.millions, asked.seconds)
