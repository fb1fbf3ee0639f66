"""In a real TensorBoard process. What the routes answer in detail is in test_http.py."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.doors.servers import ROOT, environment, get, get_json, tensorboard
from tests.runs.small import put, until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PLUGIN = "data/plugin/torch_profile"


def listing(address: str) -> Any:
    return get_json(f"{address}/data/plugins_listing")[1]["torch_profile"]


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs = tmp_path_factory.mktemp("home") / "logs"
    put(logs / "exp" / "w.1.pt.trace.json.gz")
    put(logs / "exp" / "broken.1.pt.trace.json", b"<html>")
    return logs


@pytest.fixture(scope="module")
def address(logdir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with tensorboard(tmp_path_factory.mktemp("tb"), "--logdir", str(logdir), path_prefix="/a/b") as found:
        yield found


def test_the_tab_is_listed_and_active_under_a_path_prefix(address: str) -> None:
    entry = listing(address)
    assert entry["enabled"] is True
    assert entry["tab_name"] == "PyTorch Profiler"
    assert entry["loading_mechanism"] == {"type": "IFRAME", "module_path": f"/a/b/{PLUGIN}/static/index.js"}
    assert entry["disable_reload"] is False


def test_the_page_is_served(address: str) -> None:
    status, headers, body = get(f"{address}/{PLUGIN}/static/index.js")
    assert (status, headers["content-type"]) == (200, "text/javascript; charset=utf-8")
    assert headers["x-content-type-options"] == "nosniff"
    assert b"render" in body


def test_a_profile_goes_from_the_logdir_to_a_view(address: str) -> None:
    status, runs = get_json(f"{address}/{PLUGIN}/api/v1/runs")
    assert status == 200
    assert [run["name"] for run in runs["runs"]] == ["exp"]
    status, reply = get_json(f"{address}/{PLUGIN}/api/v1/view/overview?run=exp&worker=w&span=1")
    assert status == 200
    assert [step["name"] for step in reply["result"]["steps"]] == ["ProfilerStep#0"]
    tag = get(f"{address}/{PLUGIN}/api/v1/view/overview?run=exp&worker=w&span=1")[1]["etag"]
    unchanged = get(f"{address}/{PLUGIN}/api/v1/view/overview?run=exp&worker=w&span=1", **{"If-None-Match": tag})
    assert unchanged[0] == 304


@pytest.mark.parametrize(
    ("path", "status", "kind"),
    [
        ("api/v1/view/overview?run=nope", 404, "NotFoundError"),
        ("api/v1/view/nothing", 404, "NotFoundError"),
        ("api/v1/view/overview?top=many", 400, "UsageError"),
        ("api/v1/view/overview?run=exp&worker=broken", 422, "FormatError"),
        ("api/v1/view/overview?run=../../etc", 404, "NotFoundError"),
        ("static/..%2f..%2f..%2fpyproject.toml", 404, "NotFoundError"),
        ("static/%2e%2e/doors/http.py", 404, "NotFoundError"),
    ],
)
def test_errors_have_one_shape(address: str, path: str, status: int, kind: str) -> None:
    found, reply = get_json(f"{address}/{PLUGIN}/{path}")
    assert (found, reply["error"]["kind"]) == (status, kind)
    assert reply["error"]["message"]


def test_new_spans_appear_and_deleted_runs_go_without_a_restart(address: str, logdir: Path) -> None:
    def names() -> list[str]:
        return [run["name"] for run in get_json(f"{address}/{PLUGIN}/api/v1/runs")[1]["runs"]]

    put(logdir / "later" / "w.1.pt.trace.json")
    assert until(names, lambda found: "later" in found) == ["exp", "later"]
    shutil.rmtree(logdir / "later")
    assert until(names, lambda found: "later" not in found) == ["exp"]


def test_the_experiment_path_works_too(address: str) -> None:
    assert get_json(f"{address}/experiment/foo/{PLUGIN}/api/v1/runs")[0] == 200


@pytest.mark.slow
@pytest.mark.parametrize("words", [("--load_fast=false",), ()], ids=["without the fast loader", "home directory"])
def test_a_home_directory_is_found_with_either_loader(words: tuple[str, ...], logdir: Path, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(logdir.parent))
        with tensorboard(tmp_path, "--logdir", "~/logs", *words) as address:
            assert listing(address)["enabled"] is True
            assert get_json(f"{address}/{PLUGIN}/api/v1/view/kernels?run=exp&worker=w")[0] == 200


@pytest.mark.slow
def test_a_logdir_spec_names_its_runs(logdir: Path, tmp_path: Path) -> None:
    with tensorboard(tmp_path, "--logdir_spec", f"x:{logdir},y:{logdir / 'exp'}") as address:
        assert listing(address)["enabled"] is True
        runs = get_json(f"{address}/{PLUGIN}/api/v1/runs")[1]
        assert [run["name"] for run in runs["runs"]] == ["x/exp", "y"]
        assert get_json(f"{address}/{PLUGIN}/api/v1/view/overview?run=y&worker=w&span=1")[0] == 200


@pytest.mark.slow
def test_a_logdir_without_profiles_is_inactive_and_says_what_was_searched(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with tensorboard(tmp_path, "--logdir", "empty", cwd=tmp_path) as address:
        assert listing(address)["enabled"] is False
        reply = get_json(f"{address}/{PLUGIN}/api/v1/runs")[1]
        assert (reply["logdirs"], reply["runs"], reply["scanning"]) == (["empty"], [], False)


def test_importing_and_making_the_plugin_loads_next_to_nothing_and_starts_nothing(tmp_path: Path) -> None:
    code = """
import json, sys, threading
from tensorboard.plugins import base_plugin
before = set(sys.modules)
from tb_plugin.doors.tensorboard import TorchProfilePlugin
plugin = TorchProfilePlugin(base_plugin.TBContext(logdir="/nowhere/" + "x" * 5000 + ",y"))
plugin.frontend_metadata(), plugin.get_plugin_apps()
loaded = sorted(name for name in set(sys.modules) - before if name.split(".")[0] not in sys.stdlib_module_names)
print(json.dumps([loaded, threading.active_count()]))
print(plugin.is_active())
"""
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(tmp_path), cwd=ROOT, capture_output=True, text=True, timeout=240, check=True
    )
    loaded, inactive = done.stdout.splitlines()
    modules, n_threads = json.loads(loaded)
    assert modules == ["tb_plugin", "tb_plugin.doors", "tb_plugin.doors.tensorboard"]
    assert n_threads == 1
    assert inactive == "False"
