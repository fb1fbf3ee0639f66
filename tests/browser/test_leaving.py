"""What leaves the page, a window of the timeline for Perfetto, and what arrives: a file that is dropped on it."""

from __future__ import annotations

import base64
import gzip
import shutil
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

from tb_plugin.formats import reader
from tests.browser.profiler import Profiler
from tests.browser.timeline import show
from tests.doors.servers import tensorboard
from tests.profiles import sample

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def own_address(built_page: None, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A TensorBoard of its own: a run that is dropped here must not be what another test's page opens with."""
    logs = tmp_path_factory.mktemp("own")
    shutil.copytree(sample("cuda").parent, logs / "cuda")
    with tensorboard(tmp_path_factory.mktemp("own_tensorboard"), "--logdir", str(logs)) as address:
        yield address


@pytest.fixture
def own(browser: Browser, own_address: str) -> Iterator[Profiler]:
    with Profiler.opened(browser, own_address) as page:
        yield page
        page.check_clean()


def test_the_window_is_saved_for_perfetto(tab: Profiler, tmp_path: Path) -> None:
    pytest.importorskip("perfetto")
    tab.open("timeline", run="cuda", **{"timeline.t0_ns": "500000", "timeline.t1_ns": "900000"})
    tab.frame.locator("main canvas").first.wait_for()
    show(tab)
    tab.frame.get_by_role("button", name="Perfetto: open this window there").click()
    said = tab.frame.get_by_role("group", name="This window in Perfetto")
    expect(said).to_contain_text("What reaches into these 400 µs.")
    with tab.page.expect_download() as waited:
        tab.frame.get_by_role("button", name="Save as .pftrace").click()
    saved = tmp_path / waited.value.suggested_filename
    waited.value.save_as(saved)
    assert saved.name == "cuda_node1_1_1700000000000000000.pftrace"
    (whole,) = Path(__file__).parents[2].glob("samples/recordings/cuda/node1_1.*.json.gz")
    assert 0 < len(reader.read(saved).events) < len(reader.read(whole).events)
    tab.frame.locator("main canvas").first.press("w")  # the words, and what is saved, follow the window
    expect(said).not_to_contain_text("400 µs")


DROP = """([name, text]) => {
  const files = new DataTransfer()
  files.items.add(new File([text], name))
  for (const kind of ['dragover', 'drop']) {
    document.dispatchEvent(new DragEvent(kind, { dataTransfer: files, bubbles: true, cancelable: true }))
  }
}"""


def _drop(own: Profiler, name: str) -> None:
    text = gzip.decompress(sample("cuda").read_bytes()).decode()
    own.frame.locator("body").evaluate(f"(_, given) => ({DROP})(given)", [f"{name}.pt.trace.json", text])
    own.wait_for_place("run", f"dropped/{name}")


def test_a_file_dropped_on_the_page_in_tensorboard_is_a_run(own: Profiler) -> None:
    own.open("overview", run="cuda")
    own.frame.locator("main .figure").first.wait_for()
    _drop(own, "mine")
    own.frame.locator("main .figure").first.wait_for()


def test_a_file_dropped_on_the_timeline_is_shown_there(own: Profiler) -> None:
    own.open("timeline", run="cuda")
    own.frame.locator("main canvas").first.wait_for()
    _drop(own, "other")
    assert own.place()["view"] == "timeline"


def test_a_bad_file_says_why_and_the_page_stays(own: Profiler) -> None:
    own.open("overview", run="cuda")
    own.frame.locator("main .figure").first.wait_for()
    own.frame.locator("input[type=file]").set_input_files({"name": "a.txt", "mimeType": "text/plain", "buffer": b"no profile"})
    own.frame.get_by_role("alert").filter(has_text="a.txt: profiles are called").wait_for()
    own.expect_failed_requests()
    assert own.place()["run"] == "cuda"


def _picture(profiler: Profiler, ending: str, folder: Path) -> Path:
    profiler.frame.get_by_role("button", name="File: open a profile, save a picture").click()
    with profiler.page.expect_download() as waited:
        profiler.frame.get_by_role("button", name=f"Save picture ({ending})").click()
    saved = folder / waited.value.suggested_filename
    waited.value.save_as(saved)
    return saved


def _texts(drawing: ElementTree.Element) -> list[str]:
    return ["".join(text.itertext()) for text in drawing.iter("{http://www.w3.org/2000/svg}text")]


def test_a_word_that_the_page_breaks_is_broken_in_its_picture(profiler: Profiler, tmp_path: Path) -> None:
    profiler.page.set_viewport_size({"width": 1000, "height": 1600})
    profiler.open("timeline", run="cnn", **{"timeline.row": "171"})
    profiler.frame.locator(".tl-arguments").wait_for()
    broken = profiler.frame.locator(".tl-arguments dd").evaluate_all(
        """all => all.map(({firstChild}) => {
            const range = document.createRange(); range.selectNodeContents(firstChild)
            return [firstChild.data, range.getClientRects().length]
        }).filter(([text, n]) => n > 1 && !text.includes(' ')).map(([text]) => text)"""
    )
    assert broken
    texts = _texts(ElementTree.parse(_picture(profiler, "SVG", tmp_path)).getroot())
    assert not set(broken) & set(texts)
    assert broken[0] in "".join(texts)


def test_a_picture_of_the_view_says_what_it_is_of(profiler: Profiler, tmp_path: Path) -> None:
    """PNG is made from the SVG, so one file shows both."""
    profiler.open("timeline", run="cuda", **{"timeline.t0_ns": "500000", "timeline.t1_ns": "900000"})
    profiler.frame.locator("main canvas").first.wait_for()
    saved = {}
    for ending in ("SVG", "PNG"):
        saved[ending] = _picture(profiler, ending, tmp_path)
    drawing = ElementTree.parse(saved["SVG"]).getroot()
    texts = _texts(drawing)
    assert texts[:3] == ["Timeline", "cuda · node1_1 · 1700000000000000000", "500 µs to 900 µs: 400 µs of 3.92 ms"]
    assert {"Operator", "Matrix multiply", "stream 7"} <= set(texts)
    # Nothing of what is not in it, and no controls.
    assert not {"Attention", "Compiled kernels", "profiler", "?", "▸", "▾"} & set(texts)
    assert float(drawing.attrib["height"]) < 800  # nor what is empty below
    assert any(text.startswith("aten::") for text in texts)  # names of events stay text
    assert any(path.attrib["d"].count("z") > 3 for path in drawing.iter("{http://www.w3.org/2000/svg}path"))
    for image in drawing.iter("{http://www.w3.org/2000/svg}image"):  # of what is narrower, and tiles of patterns
        pixels = base64.b64decode(image.attrib["href"].split(",")[1])
        wide, high = (int.from_bytes(pixels[at : at + 4], "big") for at in (16, 20))
        assert wide <= 6 or (
            high == 1 and wide == pytest.approx(float(image.attrib["width"]), abs=1)
        )  # none is lost at its own size
    assert saved["SVG"].stat().st_size < 2_000_000
    tracks = profiler.frame.locator("main canvas.tl-tracks")
    assert tracks.evaluate("canvas => canvas.width / canvas.clientWidth") == pytest.approx(1, abs=0.01)
    head = saved["PNG"].read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(head[16:20], "big") == round(2 * float(drawing.attrib["width"]))
