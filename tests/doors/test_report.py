from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.base.errors import OverBudgetError
from tb_plugin.doors import cli, definitions, static_files
from tests.profiles import RECORDINGS, sample

if TYPE_CHECKING:
    from pathlib import Path

NASTY = "</script><script>alert(1)</script><!--"

pytestmark = pytest.mark.skipif(not (static_files.FOLDER / "report.html").is_file(), reason="the page is not built (make front)")


def write(source: Path, target: Path, *words: str) -> str:
    assert cli.main(["report", str(source), "-o", str(target), *words]) == 0
    return target.read_text(encoding="utf-8")


def index_of(page: str) -> dict[str, Any]:
    found = re.search(r'id="tb-plugin-answers">(.*?)</script>', page)
    assert found is not None
    index: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(json.loads(found[1])[0])))
    return index


def test_a_report_is_one_file_that_only_its_own_script_runs_in(tmp_path: Path) -> None:
    page = write(sample("cuda"), tmp_path / "report.html")
    (script,) = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; script-src 'sha256-{digest}'" in page
    assert "connect-src" not in page
    assert re.findall(r'(?:src|href)="(?!data:,)', page.replace(script, "")) == []
    assert len(page.encode()) < 3_000_000


def test_its_profile_has_the_names_that_links_of_the_page_have(tmp_path: Path) -> None:
    (run,) = index_of(write(RECORDINGS, tmp_path / "report.html", "--run", "cuda"))["runs"]["runs"]
    (worker,) = run["workers"]
    assert (run["name"], worker["name"], worker["spans"][0]["name"]) == ("cuda", "node1_1", "1700000000000000000")


def test_texts_behind_question_marks_are_in_it(tmp_path: Path) -> None:
    page = write(sample("cuda"), tmp_path / "report.html")
    pieces = json.loads(page.partition('id="tb-plugin-answers">')[2].partition("</script>")[0])
    for view in definitions.view_ids():
        piece, place = index_of(page)["answers"][f"definitions?view={view}"]
        assert json.loads(gzip.decompress(base64.b64decode(pieces[piece + 1])))[place] == definitions.texts(view)


def test_links_to_a_profile_and_to_its_folder_are_followed(tmp_path: Path) -> None:
    run = tmp_path / "logs" / "linked"
    run.mkdir(parents=True)
    (run / "w.pt.trace.json.gz").symlink_to(sample("cuda"))
    (tmp_path / "again").symlink_to(tmp_path / "logs")
    for asked in (tmp_path / "logs", tmp_path / "again", tmp_path / "logs" / "linked" / ".."):
        (found,) = index_of(write(asked, tmp_path / "report.html"))["runs"]["runs"]
        assert (found["name"], found["workers"][0]["name"]) == ("linked", "w")


def test_a_name_from_the_profile_is_only_text(tmp_path: Path) -> None:
    content = json.loads(gzip.decompress(sample("cuda").read_bytes()))
    for event in content["traceEvents"]:
        event["name"] = NASTY
    source = tmp_path / "&lt;b>.pt.trace.json"
    source.write_text(json.dumps(content), encoding="utf-8")
    page = write(source, tmp_path / "report.html")
    assert "alert(1)" not in page
    assert "<title>&amp;lt;b&gt;.pt.trace.json" in page


def test_what_takes_too_much_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def spend(*_: object, **__: object) -> bytes:
        raise OverBudgetError("this takes more than 9 MB of memory; ask for less")

    monkeypatch.setattr("tb_plugin.answers.budget.Budget.spend", spend)
    page = write(sample("cuda"), tmp_path / "report.html")
    assert "tb-plugin: view/overview is not in the report: this takes more than 9 MB of memory\n" in capsys.readouterr().err
    assert next(view["id"] for view in index_of(page)["runs"]["views"]) == "overview"


def test_where_it_cannot_be_written_one_line_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "nowhere" / "report.html"
    assert cli.main(["report", str(sample("cuda")), "-o", str(target)]) == 1
    assert capsys.readouterr().err == f"tb-plugin: {target}: No such file or directory\n"
