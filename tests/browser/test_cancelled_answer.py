"""An answer that is worked out for long: what it is at, the way out, and the way back. The profile stays open."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
from werkzeug.serving import make_server

from tb_plugin.answers import bodies
from tb_plugin.base.progress import now
from tb_plugin.doors.http import HttpApp
from tb_plugin.doors.serve import _QuietHandler
from tb_plugin.runs.cache import ProfileCache
from tb_plugin.runs.logdirs import from_flags
from tb_plugin.runs.store import ProfileStore
from tb_plugin.runs.watch import Watch
from tests.browser.profiler import Standalone
from tests.runs.small import chrome_json, put

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser


@pytest.fixture
def may_end(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Answers of operators have no end before this is set."""
    event = threading.Event()
    body = bodies.body

    def without_end(question: Any, *rest: Any) -> bytes:
        while question.id == "operators" and not event.wait(0.02):
            now("looking for <b>its end</b>")
        return body(question, *rest)

    monkeypatch.setattr(bodies, "body", without_end)
    return event


@pytest.fixture
def address(may_end: threading.Event, tmp_path: Path) -> Iterator[str]:
    """A server in this process, with one profile."""
    put(tmp_path / "logs" / "w.1.pt.trace.json", chrome_json(7))
    store = ProfileStore(Watch(from_flags(str(tmp_path / "logs"), None)), cache=ProfileCache(tmp_path / "cache"))
    app = HttpApp(store)
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=_QuietHandler)
    running = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    running.start()
    yield f"http://127.0.0.1:{server.port}"
    may_end.set()
    server.shutdown()
    running.join()
    server.server_close()
    store.close()


def test_an_answer_is_cancelled_and_asked_for_again(
    browser: Browser, built_page: None, address: str, may_end: threading.Event
) -> None:
    with Standalone.opened(browser, address) as page:
        page.page.goto(page.link(view="operators"))
        working = page.frame.get_by_role("status").filter(has_text="its answer is being worked out")
        working.filter(has_text="Operators: looking for <b>its end</b> (part").wait_for()
        working.get_by_role("button", name="Cancel").click()
        said = page.frame.get_by_role("alert")
        said.filter(has_text="working it out was cancelled; nothing is wrong with the file").wait_for()
        assert said.get_by_role("heading").inner_text() == "Cancelled"
        may_end.set()
        said.get_by_role("button", name="Try again").click()
        page.wait_for_rows()
        page.rows().filter(has_text="aten::mm").filter(has_text="7").wait_for()
        page.expect_failed_requests()
        page.check_clean()
