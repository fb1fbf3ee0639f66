from __future__ import annotations

import base64
import gzip
import json
import math
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin import views
from tb_plugin.answers import bodies, questions, report
from tb_plugin.answers.budget import Budget
from tb_plugin.base.errors import OverBudgetError
from tb_plugin.base.progress import silent
from tb_plugin.formats import reader
from tests.profiles import sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.trace.model import Trace

ROOM_BYTES = 2_000_000


@pytest.fixture(scope="module")
def trace() -> Trace:
    return reader.read(sample("cuda"))


def replies(baked: report.Baked) -> dict[str, Any]:
    opened = {piece: json.loads(gzip.decompress(baked.pieces[piece])) for piece, _ in baked.answers.values()}
    return {key: opened[piece][place] for key, (piece, place) in baked.answers.items()}


def test_a_report_says_what_a_server_says(trace: Trace) -> None:
    found = replies(report.bake(trace, ROOM_BYTES, silent))
    for key, reply in found.items():
        name, _, words = key.partition("?")
        question = questions.of_one(name)
        params = question.params_from(dict(word.split("=", 1) for word in words.split("&") if word))
        assert reply == json.loads(bodies.body(question, trace, params, "sent")), key


def test_every_view_about_one_profile_is_in_it(trace: Trace) -> None:
    asked = {key.partition("?")[0] for key in report.bake(trace, ROOM_BYTES, silent).answers}
    assert {f"view/{view.id}" for view in views.OF_ONE} - {"view/sql"} <= asked  # who asks that needs a server


def test_what_an_advice_leads_to_can_be_looked_at(trace: Trace) -> None:
    found = replies(report.bake(trace, ROOM_BYTES, silent))
    rows = [event["row"] for each in found["view/advice?"]["result"]["findings"] for event in each["rows"]]
    assert rows
    assert {f"view/timeline/event?row={row}" for row in rows} <= found.keys()


@pytest.mark.parametrize("room_bytes", [20_000, 60_000, 200_000])
def test_however_small_it_holds_no_more_than_has_room(trace: Trace, room_bytes: int) -> None:
    baked = report.bake(trace, room_bytes, silent)
    assert sum(len(base64.b64encode(piece)) for piece in baked.pieces) <= room_bytes
    assert "view/overview?top=5" in baked.answers


def test_the_picture_of_the_whole_profile_comes_coarse_and_fine(trace: Trace) -> None:
    whole = [window for window in report.bake(trace, ROOM_BYTES, silent).windows if window.t0_ns <= trace.info.start_ns]
    assert len(whole) == 2
    assert all(window.t1_ns >= trace.info.end_ns for window in whole)
    assert whole[1].bucket_ns <= whole[0].bucket_ns


def test_of_a_small_recording_each_event_is_there_by_itself(trace: Trace) -> None:
    baked = report.bake(trace, ROOM_BYTES, silent)
    _, count = _column(baked, 1, "count")
    assert count == [1] * len(trace.events)


def test_a_view_may_take_what_a_servers_may_and_without_limits_all_that_it_takes(
    trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed: list[tuple[float, float]] = []

    def spend(budget: Budget, _name: str, work: Callable[[], bytes], *, more_bytes: int, more_cpu_s: float) -> bytes:
        allowed.append((budget._max_bytes + more_bytes, budget._max_cpu_s + more_cpu_s))
        return work()

    monkeypatch.setattr(Budget, "spend", spend)
    report.bake(trace, ROOM_BYTES, silent)
    assert allowed[0][0] > Budget()._max_bytes
    assert allowed[0][1] > Budget()._max_cpu_s
    allowed.clear()
    report.bake(trace, ROOM_BYTES, silent, no_limits=True)
    assert all(n_bytes >= sys.maxsize and cpu_s == math.inf for n_bytes, cpu_s in allowed)


def test_a_view_that_takes_too_much_is_there_and_says_so(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Budget.spend

    def spend(budget: Budget, name: str, work: Callable[[], bytes], **more: Any) -> bytes:
        if name in ("view/overview", "choices"):
            raise OverBudgetError("this takes more than 9 MB of memory; ask for less, with a filter for example")
        return real(budget, name, work, **more)

    monkeypatch.setattr(Budget, "spend", spend)
    baked = report.bake(trace, ROOM_BYTES, silent)
    found = replies(baked)
    assert found["view/overview?top=5"] == {
        "view": "overview",
        "missing": "Not in this report: this takes more than 9 MB of memory. Open the profile with tb-plugin serve.",
        "notes": [],
        "result": None,
    }
    assert "choices?" not in found
    assert baked.left_out == [
        "view/overview is not in the report: this takes more than 9 MB of memory",
        "a part of choices is not in the report: this takes more than 9 MB of memory",
    ]


def _column(baked: report.Baked, window: int, name: str) -> tuple[dict[str, Any], list[int]]:
    packed = gzip.decompress(baked.pieces[baked.windows[window].piece])
    end = 4 + int.from_bytes(packed[:4], "little")
    header, columns = json.loads(packed[4:end]), packed[end:]
    place = header["columns"][name]
    return header, np.frombuffer(columns, place["dtype"], place["length"], place["offset"]).tolist()


def test_each_block_of_its_pictures_has_a_name(trace: Trace) -> None:
    baked = report.bake(trace, ROOM_BYTES, silent)
    for window in range(len(baked.windows)):
        header, ids = _column(baked, window, "name_id")
        assert {header["names"][str(each)] for each in ids} == {trace.text(each) for each in ids}


def test_what_links_of_the_page_lead_to_is_in_it(trace: Trace) -> None:
    baked = report.bake(trace, ROOM_BYTES, silent)
    found = replies(baked)
    device = found["view/memory?"]["result"]["device"]
    assert baked.answers[f"view/memory?device={device}"] == baked.answers["view/memory?"]
    categories = {row["category"] for row in found["view/kernels?"]["result"]["rows"]}
    assert {f"view/kernels?category={category}" for category in categories if category} <= found.keys()
    edits = ["\n".join(finding["without"]) for finding in found["view/advice?"]["result"]["findings"]]
    assert {f"view/whatif?edit={edit}" for edit in edits if edit} <= found.keys()
