from __future__ import annotations

import gzip
import json
import struct
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin import views
from tb_plugin.answers.questions import QUESTIONS, of_one
from tests.doors.refused import error
from tests.dump_files import drawn, write
from tests.runs.small import FOREIGN, chrome_json, put, until

if TYPE_CHECKING:
    from pathlib import Path

    from werkzeug.test import Client, TestResponse

    from tb_plugin.trace.model import Trace

TWO_STEPS = "/api/v1/view/overview?run=logs&worker=w&span=1"


def answered(client: Client, address: str, **headers: str) -> TestResponse:
    """The reply when loading is over."""
    return until(lambda: client.get(address, headers=headers), lambda reply: reply.status_code != 202)


def shown(reply: TestResponse) -> Any:
    assert reply.content_type == "application/json"
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    return json.loads(reply.data)


def test_runs_lists_what_was_searched_and_found(client: Client, logdir: Path) -> None:
    put(logdir / "exp" / "w.2.pt.trace.json.gz")
    put(logdir / "exp" / "w.10.pt.trace.json.gz")
    body = shown(client.get("/api/v1/runs"))
    assert body["logdirs"] == [str(logdir)]
    assert {"*.pt.trace.json", "*.pt.trace.json.gz", "*.pt.profile.pb"} <= set(body["searched"])
    assert {"*.pickle", "*.sqlite"} <= set(body["looked_into"])
    assert body["problems"] == []
    compile(body["how_to_record"], "how_to_record", "exec")
    assert [view["id"] for view in body["views"]] == [view.id for view in views.ALL]
    (run,) = body["runs"]
    (worker,) = run["workers"]
    assert (run["name"], worker["name"], worker["rank"]) == ("exp", "w", 3)
    assert [span["name"] for span in worker["spans"]] == ["2", "10"]
    span = worker["spans"][0]
    assert (span["state"], span["progress"], span["error"], span["files"]) == ("found", 0.0, None, ["w.2.pt.trace.json.gz"])
    assert span["size_bytes"] == (logdir / "exp" / "w.2.pt.trace.json.gz").stat().st_size


def test_runs_say_who_recorded_and_what_opens(client: Client, logdir: Path) -> None:
    put(logdir / "job/iteration_5/rank3_trace.json", chrome_json(rank=5))
    put(logdir / "job/iteration_5/rank4.1717000000123.pt.trace.json", chrome_json(rank=None))
    put(logdir / "aaa/clang.json", FOREIGN)
    body = until(lambda: shown(client.get("/api/v1/runs")), lambda body: len(body["runs"]) == 2)
    assert (body["opens"], [run["name"] for run in body["runs"]]) == ("job", ["job", "aaa"])
    four, five = body["runs"][0]["workers"]
    assert (four["name"], four["label"], four["rank"], four["rank_from"], four["note"]) == ("rank4", "rank 4", 4, "name", None)
    assert (five["name"], five["label"], five["rank"], five["rank_from"]) == ("rank3_trace", "rank 5", 5, "content")
    assert five["note"] == "named rank 3, but the profile says rank 5: that is shown"
    assert (body["runs"][0]["opens"], four["opens"]) == ("rank4", "iteration_5")
    (span,) = four["spans"]
    assert (span["label"], span["time_ms"], span["foreign"]) == ("iteration 5", 1717000000123, False)
    assert span["was"] == ["job/iteration_5", "rank4", "1717000000123"]
    assert body["runs"][1]["workers"][0]["spans"][0]["foreign"]


def test_a_link_made_before_frameworks_were_known_is_answered(client: Client, logdir: Path) -> None:
    put(logdir / "job/iteration_5/rank3_trace.json")
    old = answered(client, "/api/v1/view/overview?run=job/iteration_5&worker=rank3_trace&span=default")
    assert shown(old) == shown(answered(client, "/api/v1/view/overview?run=job&worker=rank3_trace&span=iteration_5"))


def test_an_empty_and_a_missing_logdir_are_answers(client: Client, logdir: Path) -> None:
    assert "No such file or directory" in shown(client.get("/api/v1/runs"))["problems"][0]
    logdir.mkdir()
    reply = until(lambda: shown(client.get("/api/v1/runs")), lambda body: body["problems"] == [])
    assert (reply["runs"], reply["problems"]) == ([], [])


def test_a_view_waits_then_answers_then_is_known_to_be_loaded(client: Client, logdir: Path) -> None:
    put(logdir / "w.1.pt.trace.json", chrome_json(3000))
    first = client.get(TWO_STEPS)
    assert first.status_code == 202
    assert shown(first).keys() == {"state", "progress", "stage", "so_far", "seconds_left"}
    body = shown(answered(client, TWO_STEPS))
    assert (body["view"], body["missing"]) == ("overview", None)
    assert [step["name"] for step in body["result"]["steps"]] == ["ProfilerStep#0"]
    (worker,) = shown(client.get("/api/v1/runs"))["runs"][0]["workers"]
    assert (worker["rank"], worker["spans"][0]["state"], worker["spans"][0]["progress"]) == (3, "ready", 1.0)


def test_who_prefers_to_wait_gets_the_answer_with_the_first_request(client: Client, logdir: Path) -> None:
    put(logdir / "w.1.pt.trace.json", chrome_json(30))
    until(lambda: shown(client.get("/api/v1/runs")), lambda body: body["runs"] and not body["scanning"])
    asked: list[int] = []

    def ask() -> TestResponse:
        asked.append(1)
        return client.get(TWO_STEPS, headers={"Prefer": "respond-async, wait=100"})

    assert until(ask, lambda reply: reply.status_code != 202).status_code == 200
    assert len(asked) <= 20  # 2 s each at most, of which reading takes a part; without it one every 10 ms


def test_every_view_answers_in_its_own_words(client: Client, logdir: Path) -> None:
    put(logdir / "w.1.pt.trace.json")
    for view in views.OF_ONE:
        body = shown(answered(client, f"/api/v1/view/{view.id}?run=logs&worker=w&span=1"))
        assert body.keys() == {"view", "missing", "notes", "result"}
        assert (body["missing"] is None) == (body["result"] is not None)


def test_a_scraper_gets_gauges_of_the_newest_profile_where_it_looks_for_them(client: Client, logdir: Path) -> None:
    put(logdir / "w.1.pt.trace.json")
    reply = until(lambda: client.get("/metrics"), lambda reply: b"torch_profile_step_seconds" in reply.data)
    assert reply.content_type == "application/openmetrics-text; version=1.0.0; charset=utf-8"
    lines = reply.text.splitlines()
    assert lines[-1] == "# EOF"
    assert reply.text.endswith("\n")
    assert "# TYPE torch_profile_step_seconds gauge" in lines
    assert any(line.startswith('torch_profile_step_seconds{run="logs",worker="w",quantile="0.5"} ') for line in lines)
    assert client.get("/metrics?only=nobody").text == "# EOF\n"
    assert json.loads(client.get("/api/v1/view/trends.jsonl").text)["run"] == "logs"
    error(client.get("/api/v1/view/runs.jsonl"), 404, "NotFoundError")
    error(client.get("/api/v1/runs.csv"), 404, "NotFoundError")


def test_left_out_names_mean_the_first_worker_and_its_newest_span(client: Client, logdir: Path) -> None:
    put(logdir / "w.9.pt.trace.json", chrome_json(1))
    put(logdir / "w.10.pt.trace.json", chrome_json(5))
    assert shown(answered(client, "/api/v1/view/timeline"))["result"]["n_events"] == 6


def test_view_parameters_reach_the_view_and_are_checked(client: Client, logdir: Path) -> None:
    put(logdir / "w.1.pt.trace.json")
    assert shown(answered(client, "/api/v1/view/operators?group_by=shapes"))["result"]["group_by"] == "shapes"
    assert "'colour'" in error(answered(client, "/api/v1/view/operators?group_by=colour"), 400, "UsageError")
    assert "top" in error(client.get("/api/v1/view/overview?top=many"), 400, "UsageError")


def test_a_misspelt_parameter_is_an_error_not_another_answer(client: Client, logdir: Path) -> None:
    put(logdir / "w.1.pt.trace.json")
    message = error(client.get("/api/v1/view/operators?groupby=shapes"), 400, "UsageError")
    assert "'groupby'" in message
    assert "group_by" in message
    assert client.get("/api/v1/view/operators?tensorBoardFeatureFlags=%7B%7D").status_code in (200, 202)


def test_the_timeline_answers_windows_events_and_searches(client: Client, logdir: Path) -> None:
    put(logdir / "w.1.pt.trace.json", chrome_json(50))
    tracks = shown(answered(client, "/api/v1/view/timeline"))["result"]
    window = client.get(f"/api/v1/view/timeline/window?t0_ns={tracks['start_ns']}&t1_ns={tracks['end_ns']}&width_px=500")
    assert window.content_type == "application/octet-stream"
    assert window.headers["X-Content-Type-Options"] == "nosniff"
    (size,) = struct.unpack_from("<I", window.data)
    header = json.loads(window.data[4 : 4 + size])
    assert (4 + size) % 8 == 0
    last = max(header["columns"].values(), key=lambda column: column["offset"])
    assert len(window.data) >= 4 + size + last["offset"] + last["length"]
    found = shown(client.get("/api/v1/view/timeline/search?q=aten::mm&limit=3"))
    assert (found["total"], len(found["hits"])) == (50, 3)
    assert shown(client.get(f"/api/v1/view/timeline/event?row={found['hits'][0]['row']}"))["name"] == "aten::mm"
    error(client.get("/api/v1/view/timeline/event?row=99999"), 404, "NotFoundError")
    error(client.get("/api/v1/view/timeline/event"), 400, "UsageError")
    error(client.get("/api/v1/view/timeline/window?t0_ns=9&t1_ns=0&width_px=500"), 400, "UsageError")


def test_an_unchanged_answer_is_304_and_a_changed_file_is_not(client: Client, logdir: Path) -> None:
    path = put(logdir / "w.1.pt.trace.json", chrome_json(1))
    first = answered(client, TWO_STEPS)
    tag = first.headers["ETag"]
    assert "no-cache" in first.headers["Cache-Control"]
    again = client.get(TWO_STEPS, headers={"If-None-Match": tag})
    assert (again.status_code, again.data) == (304, b"")
    assert "Content-Type" in again.headers  # TensorBoard logs a warning for every reply without one
    other = client.get(TWO_STEPS + "&top=3", headers={"If-None-Match": tag})
    assert other.status_code == 200
    put(path, chrome_json(2))
    changed = answered(client, TWO_STEPS, **{"If-None-Match": tag})
    assert changed.status_code == 200
    assert shown(changed)["result"] != shown(first)["result"]


def test_a_view_is_computed_once(client: Client, logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(logdir / "w.1.pt.trace.json")
    question, calls = of_one("view/operators"), list[object]()

    def counted(trace: Trace, params: Any) -> Any:
        calls.append(params)
        return question.answer(trace, params)

    monkeypatch.setitem(QUESTIONS.loaded, "view/operators", replace(question, answer=counted))
    first = answered(client, "/api/v1/view/operators")
    second = client.get("/api/v1/view/operators?group_by=name")
    assert first.data == second.data
    assert len(calls) == 1


@pytest.mark.parametrize(
    "address", ["/api/v1/view/operators?group_by=shapes", "/api/v1/view/timeline/window?t0_ns=0&t1_ns=9000000&width_px=900"]
)
def test_replies_are_compressed_for_those_who_take_it(client: Client, logdir: Path, address: str) -> None:
    put(logdir / "w.1.pt.trace.json", chrome_json(90))
    plain = answered(client, address)
    small = client.get(address, headers={"Accept-Encoding": "br, gzip"})
    assert "Content-Encoding" not in plain.headers
    if len(plain.data) < 1000:
        assert "Content-Encoding" not in small.headers
    else:
        assert small.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(small.data) == plain.data
        assert len(small.data) < len(plain.data)
    assert small.headers["Vary"] == "Accept-Encoding"
    assert client.get(address, headers={"Accept-Encoding": "gzip;q=0"}).data == plain.data


def test_unknown_addresses_names_and_methods_have_one_shape(client: Client, logdir: Path) -> None:
    put(logdir / "w.1.pt.trace.json")
    assert "view/overview" in error(client.get("/api/v1/view/nothing"), 404, "NotFoundError")
    error(client.get("/nothing"), 404, "NotFoundError")
    assert "there is logs" in error(client.get("/api/v1/view/overview?run=nope"), 404, "NotFoundError")
    error(client.get("/api/v1/view/overview?run=logs&worker=w&span=2"), 404, "NotFoundError")
    assert error(client.post("/api/v1/runs"), 405, "UsageError")
    assert client.post("/api/v1/runs").headers["Allow"] == "GET, HEAD"
    assert client.head("/api/v1/runs").data == b""


def test_a_broken_file_is_422_with_its_reason_and_shows_in_runs(client: Client, logdir: Path) -> None:
    put(logdir / "w.1.pt.trace.json", b"<html>")
    message = error(answered(client, TWO_STEPS), 422, "FormatError")
    assert message.startswith("w.1.pt.trace.json: ")
    assert str(logdir) not in message
    span = shown(client.get("/api/v1/runs"))["runs"][0]["workers"][0]["spans"][0]
    assert span["state"] == "failed"
    assert span["error"] in message


def test_an_error_of_ours_reaches_the_log_and_never_the_client(
    client: Client, logdir: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    put(logdir / "w.1.pt.trace.json")

    def broken(_trace: object, _params: object) -> bytes:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setitem(QUESTIONS.loaded, "view/operators", replace(of_one("view/operators"), answer=broken))
    assert "secret" not in error(answered(client, "/api/v1/view/operators"), 500, "InternalError")
    assert "secret detail" in caplog.text


@pytest.mark.parametrize(
    "address",
    [
        "/static/../http.py",
        "/static/..%2f..%2fpyproject.toml",
        "/static/%2e%2e/%2e%2e/README.md",
        "/static//etc/passwd",
        "/static/.hidden.js",
        "/static/index.js%00.css",
        "/static/outside.js",
        "/static/",
    ],
)
def test_nothing_outside_the_page_is_served(client: Client, address: str, tmp_path: Path) -> None:
    page = tmp_path / "static"
    put(page / "index.js", b"export const a = 1")
    put(page / ".hidden.js", b"no")
    put(tmp_path / "http.py", b"no")
    put(tmp_path / "secret.js", b"no")
    (page / "outside.js").symlink_to(tmp_path / "secret.js")
    error(client.get(address), 404, "NotFoundError")


@pytest.mark.parametrize("name", ["run", "worker", "span"])
@pytest.mark.parametrize("value", ["../../etc", "/etc/passwd", "..", "%2e%2e%2f", "w\x00"])
def test_names_are_looked_up_and_never_paths(client: Client, logdir: Path, name: str, value: str) -> None:
    put(logdir / "a" / "w.1.pt.trace.json")
    put(logdir.parent / "secret" / "w.1.pt.trace.json")
    query = {"run": "a", "worker": "w", "span": "1"} | {name: value}
    error(client.get("/api/v1/view/overview", query_string=query), 404, "NotFoundError")


def test_the_page_is_served_with_types_and_hashed_files_for_ever(client: Client, tmp_path: Path) -> None:
    page = tmp_path / "static"
    put(page / "index.js", b"export const a = 1\n" * 100)
    put(page / "index.html", b"<!doctype html>")
    put(page / "assets" / "start-Ab3_x-9Z.js", b"export {}")
    index = client.get("/static/index.js", headers={"Accept-Encoding": "gzip"})
    assert index.content_type == "text/javascript; charset=utf-8"
    assert index.headers["X-Content-Type-Options"] == "nosniff"
    assert gzip.decompress(index.data) == b"export const a = 1\n" * 100
    assert len(index.data) <= len(gzip.compress(b"export const a = 1\n" * 100, 9))  # as small as gzip gets it
    assert "no-cache" in index.headers["Cache-Control"]
    assert client.get("/static/index.js", headers={"If-None-Match": index.headers["ETag"]}).status_code == 304
    assert "immutable" in client.get("/static/assets/start-Ab3_x-9Z.js").headers["Cache-Control"]
    home = client.get("/")
    assert home.content_type == "text/html; charset=utf-8"
    assert "default-src 'self'" in home.headers["Content-Security-Policy"]


def test_a_page_that_was_never_built_says_so(client: Client) -> None:
    assert b"not built" in client.get("/static/index.js").data


def test_dumps_beside_a_runs_profiles_say_who_did_not_come(client: Client, logdir: Path) -> None:
    put(logdir / "exp" / "w.2.pt.trace.json.gz")
    assert shown(client.get("/api/v1/hang?run=exp")) == {"hangs": []}
    dumps = drawn("0 | all:1 started\n1 |", {"all": [0, 1]})
    write(logdir / "exp" / "fr", dumps)
    (body,) = shown(client.get("/api/v1/hang?run=exp"))["hangs"]
    assert (body["n_dumps"], body["verdict"]) == (2, "Rank 1 never issued all_reduce 1 of all group; rank 0 waits in it.")
    assert body["other_job"] is None
    write(logdir / "exp" / "fr", drawn("5 | all:1 started", {"all": [0, 5]}))
    (body,) = shown(client.get("/api/v1/hang?run=exp"))["hangs"]
    said = "The dumps in folder fr are of a job of 6 ranks or more, the profiles beside them of 4: they tell of another job."
    assert body["other_job"] == said
    error(client.get("/api/v1/hang?run=other"), 404, "NotFoundError")
    error(client.get("/api/v1/hang"), 400, "UsageError")


def test_a_run_of_dumps_alone_says_who_did_not_come_and_that_there_is_no_profile(client: Client, logdir: Path) -> None:
    dumps = write(logdir / "hung", drawn("0 | all:1 started\n1 |", {"all": [0, 1]}))
    (dumps / "nccl_trace_rank_2").write_bytes(b"garbage")
    runs = shown(client.get("/api/v1/runs"))
    span = runs["runs"][0]["workers"][0]["spans"][0]
    assert (runs["opens"], span["no_profile"], span["is_dumps"], span["state"]) == ("hung", True, True, "failed")
    (body,) = shown(client.get("/api/v1/hang?run=hung"))["hangs"]
    assert (body["n_dumps"], body["verdict"]) == (2, "Rank 1 never issued all_reduce 1 of all group; rank 0 waits in it.")
    assert [one["file"] for one in body["broken"]] == ["nccl_trace_rank_2"]
    for view in ("overview", "ranks"):
        assert "no profile" in error(client.get(f"/api/v1/view/{view}?run=hung"), 422, "FormatError")
    for rank in (0, 1):
        (dumps / f"nccl_trace_rank_{rank}").write_bytes(b"")
    (body,) = shown(client.get("/api/v1/hang?run=hung"))["hangs"]
    assert body["verdict"].startswith("None of 3 dumps can be read (nccl_trace_rank_0, ")
    assert [one["file"] for one in body["broken"]] == [f"nccl_trace_rank_{rank}" for rank in range(3)]
