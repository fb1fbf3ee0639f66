"""Lines of points: what is one line, which points are tested, where a level changes and where the recording does."""

from __future__ import annotations

import csv
import io
import json

import msgspec
import pytest

from tb_plugin.answers import bodies
from tb_plugin.base.errors import UsageError
from tb_plugin.trace.span.figures import FIGURES, SpanFigures
from tb_plugin.views.trends.compute import join, takes
from tb_plugin.views.trends.result import TrendPoint, TrendsParams
from tb_plugin.views.trends.text import jsonl, markdown, openmetrics, table, text
from tests.views.trends.points import RECORDED, figures, member, series

MS = 1_000_000


def test_spans_of_a_run_are_a_line_and_runs_of_one_span_each_are_one_together() -> None:
    spans = [member(place, figures(MS), run=run) for place in (2, 1) for run in "ab"]
    result = join(spans, TrendsParams())
    assert (result.line, [line.name for line in result.lines]) == ("run", ["a", "b"])
    assert [point.span for point in result.lines[0].points] == ["1", "2"]
    runs = [member(place, figures(MS), run=f"build {place}") for place in (3, 1, 2)]
    result = join(runs, TrendsParams())
    assert (result.line, [point.run for point in result.lines[0].points]) == ("directory", ["build 1", "build 2", "build 3"])
    workers = [member(place, figures(MS), worker=worker) for place in (1, 2) for worker in ("rank 0", "rank 1")]
    assert [line.name for line in join(workers, TrendsParams(line="worker")).lines] == ["a · rank 0", "a · rank 1"]


def test_a_change_is_where_the_level_is_another_and_the_first_of_a_run_is_not_tested() -> None:
    steps = [100 * MS + i % 3 * MS for i in range(10)] + [120 * MS + i % 3 * MS for i in range(8)]
    (line,) = join(series(*steps), TrendsParams()).lines
    (change,) = line.changes
    assert (change.kind, change.figure, change.at) == ("change", "step_time", 11)
    assert (change.before, change.after) == (101 * MS, 121 * MS)
    assert change.share == pytest.approx(20 / 101)
    assert line.points[11].changed == "step time +19.8 %"
    assert line.points[11].before_share == pytest.approx(20 / 100)
    assert [point.changed for point in line.points[:11]] == [None] * 11


def test_another_torch_is_a_reset_and_what_a_file_does_not_say_is_not() -> None:
    newer = msgspec.structs.replace(RECORDED, torch_version="2.10.0", has_stacks=True)
    silent = msgspec.structs.replace(RECORDED, torch_version=None)
    recorded = [RECORDED] * 5 + [silent] + [RECORDED] * 4 + [newer] * 9
    members = [member(place, figures((150 if of is newer else 100) * MS, recorded=of)) for place, of in enumerate(recorded)]
    (line,) = join(members, TrendsParams()).lines
    assert [(change.kind, change.at, change.why) for change in line.changes] == [
        ("reset", 10, "torch 2.9.0 → 2.10.0; Python stacks off → on")
    ]


def test_points_in_trouble_say_why_and_are_not_tested() -> None:
    cut = msgspec.structs.replace(RECORDED, is_cut_off=True)
    members = [
        member(1, figures(MS)),
        member(2, figures(MS, n_steps=3)),
        member(3, figures(MS, recorded=cut)),
        member(4, figures(None, n_steps=0)),
        member(5, None, state="failed", reason="w.5: no JSON"),
        member(6, None, state="loading", progress=0.5),
    ]
    points = join(members, TrendsParams()).lines[0].points
    assert [point.quality for point in points] == ["complete", "few", "trouble", "trouble", "trouble", "pending"]
    assert [point.note for point in points][1:5] == [
        "3 steps: its median says little",
        "the file ends before the profile does",
        "no steps were recorded",
        "w.5: no JSON",
    ]
    assert join([], TrendsParams()).lines == []
    assert text(join([], TrendsParams())) == "no profile here"


def test_parts_of_a_step_that_change_by_less_than_it_matters_are_no_change() -> None:
    members = [member(p, figures(1000 * MS, data_loader_ns=(1 if p < 12 else 3) * MS)) for p in range(24)]
    assert join(members, TrendsParams()).lines[0].changes == []
    members = [member(p, figures(1000 * MS, data_loader_ns=(1 if p < 12 else 30) * MS)) for p in range(24)]
    assert [change.figure for change in join(members, TrendsParams()).lines[0].changes] == ["data_loader"]


def test_only_runs_that_are_named() -> None:
    params = TrendsParams(only="^resnet")
    assert takes(params, "resnet50/a", "w", "1")
    assert not takes(params, "bert", "w", "1")
    with pytest.raises(UsageError, match="regular expression"):
        takes(TrendsParams(only="("), "bert", "w", "1")


def test_every_figure_that_is_followed_is_a_field_of_both_with_a_name_of_its_own() -> None:
    for followed in FIGURES:
        assert followed.field in SpanFigures.__struct_fields__
        assert followed.field in TrendPoint.__struct_fields__
    assert len({followed.tag for followed in FIGURES}) == len({followed.metric for followed in FIGURES}) == len(FIGURES)


def test_text_csv_and_markdown_tell_the_points_the_changes_and_the_gate() -> None:
    hostile = "a`|\n<script>"
    slower = series(*[100 * MS] * 12, *[130 * MS] * 8, run=hostile)
    result = join(slower, TrendsParams(fail_if_slower="5%"))
    said = text(result)
    assert "step time 100 ms -> 130 ms (+30.0 %)" in said
    assert "within: step time 0.0 % against 6 points before it" in said
    assert "21 profiles, the newest 20" in said
    rows = list(csv.DictReader(io.StringIO(bodies.csv_text(table(result)))))
    assert [int(row["step_ns"]) for row in rows] == [200 * MS] + [100 * MS] * 12 + [130 * MS] * 8
    marked = markdown(result)
    assert "### `` a`| <script> ``: 21 profiles" in marked
    assert "**within**" in marked


def test_openmetrics_are_base_units_of_the_newest_with_escaped_labels() -> None:
    members = series(5 * MS, 7 * MS, run='a"b\\')
    lines = openmetrics(join(members, TrendsParams())).splitlines()
    assert 'torch_profile_step_seconds{run="a\\"b\\\\",worker="w",quantile="0.5"} 0.007' in lines
    assert 'torch_profile_device_busy_ratio{run="a\\"b\\\\",worker="w"} 0.5' in lines
    assert lines[-1] == "# EOF"
    assert not [line for line in lines if "kernels" in line]
    many = [member(1, figures(MS), run=str(i)) for i in range(900)]
    samples = [line for line in openmetrics(join(many, TrendsParams(line="run"))).splitlines() if not line.startswith("#")]
    assert len(samples) == 1000


def test_openmetrics_of_a_line_whose_newest_file_is_broken_are_of_the_newest_that_can_be_read() -> None:
    broken = member(9, None, state="failed", reason="no JSON")
    lines = openmetrics(join([*series(5 * MS, 7 * MS), broken], TrendsParams())).splitlines()
    assert 'torch_profile_step_seconds{run="a",worker="w",quantile="0.5"} 0.007' in lines
    assert openmetrics(join([broken], TrendsParams())) == "# EOF"


def test_lines_of_json_are_flat_and_leave_out_what_was_not_recorded() -> None:
    rows = [json.loads(row) for row in jsonl(join(series(5 * MS), TrendsParams())).splitlines()]
    assert [row["profile/step_time_ms"] for row in rows] == [10, 5]
    assert rows[1]["profile/busy_percent"] == 50
    assert "profile/mfu_percent" not in rows[1]
    assert all(isinstance(value, str | int | float) for row in rows for value in row.values())


def test_lines_of_json_say_what_is_wrong_with_a_profile() -> None:
    members = [member(1, figures(MS)), member(2, None, state="failed", reason="w.2: no JSON")]
    rows = [json.loads(row) for row in jsonl(join(members, TrendsParams())).splitlines()]
    assert ["note" in row for row in rows] == [False, True]
    assert (rows[1]["quality"], rows[1]["note"]) == ("trouble", "w.2: no JSON")
