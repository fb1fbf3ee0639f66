"""Edits: how they are written, what each does to a drawing, and laws that hold for any of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tb_plugin.base.errors import NotFoundError, UsageError
from tb_plugin.compute.intervals import union_length
from tb_plugin.replay.bound import last_path
from tb_plugin.replay.edited import edited
from tb_plugin.replay.edits import FORMS, Edit, parse, parse_all, written
from tb_plugin.replay.graph import graph_of
from tb_plugin.replay.replay import Durations, replay
from tb_plugin.replay.trust import baseline
from tb_plugin.replay.what_if import estimate, estimates, what_if
from tests.profiles import real, trace_of
from tests.replay.programs import programs
from tests.trace_text import trace_from_text

US = 1000

TRAINING = """
    thread 1 | ProfilerStep#1 0-400 | enumerate(DataLoader)#next 0-100 | nn.Module: Net_0 100-200 | step 300-380
    thread 1 | forward 110-130 | cudaLaunchKernel 110-130 | softmax 150-170 | cudaLaunchKernel 150-170
    thread 1 | cudaDeviceSynchronize 210-260 | Memcpy_call 310-320 | cudaLaunchKernel 310-320
    stream 7 | gemm 116-190 <- forward | softmax_kernel 191-255 <- softmax | Memcpy HtoD 316-330 <- Memcpy_call
"""


def after_us(drawn: str, *texts: str) -> float:
    trace = trace_from_text(drawn)
    return float(what_if(baseline(trace), [[parse(text)] for text in texts]).together_ns.sum()) / US


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ("loader=0", 300),
        ("loader=0.5", 350),
        ("host:step=0.5", 360),
        ("launch=0", 390),  # the device paces all but the last launch
        ("sync=0", 355),  # 5 us are its own; the device is done in time
        ("sync:step=0", 400),
        ("kernel:softmax_kernel=0.5", 368),
        ("operator:forward=0.5", 365),
        ("module:Net_0=0", 255),
        ("copy=0", 400),
        ("graph:Net_0=0", 400),
    ],
)
def test_what_an_edit_does(edit: str, expected: float) -> None:
    assert after_us(TRAINING, edit) == pytest.approx(expected, abs=1)


def test_a_graph_takes_the_host_from_between_kernels() -> None:
    drawn = """
        thread 1 | ProfilerStep#1 0-200 | nn.Module: Net_0 10-150
        thread 1 | a 10-20 | cudaLaunchKernel 10-20 | b 80-90 | cudaLaunchKernel 80-90
        stream 7 | k 16-26 <- a | k 86-96 <- b
    """
    assert after_us(drawn, "graph:Net_0=0") == 70  # 140 us of the module are one launch of 10


def test_together_is_not_the_sum_of_each_alone() -> None:
    drawn = """
        thread 1 | ProfilerStep#1 0-200 | a 0-10 | b 20-30 | cudaDeviceSynchronize 40-165
        stream 7 | gemm 6-160 <- a
        stream 8 | other 26-160 <- b
    """
    base = baseline(trace_from_text(drawn))
    found = what_if(base, [[parse("kernel:gemm=0.1")], [parse("kernel:other=0.1")]])
    assert [int(base.replayed_ns.sum() - alone.sum()) // US for alone in found.alone_ns] == [0, 0]
    assert base.replayed_ns.sum() - found.together_ns.sum() > 100 * US


@pytest.mark.parametrize(
    "text", ["", "loader", "lodaer=0", "operator=0", "operator:=0", "loader:x=0", "host=-1", "host=x", "host=nan"]
)
def test_what_cannot_be_read_is_one_error(text: str) -> None:
    with pytest.raises(UsageError) as error:
        parse(text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["sync=0.5", "copy=2", "host=1e9"])
def test_a_factor_that_means_nothing_is_an_error(text: str) -> None:
    with pytest.raises(UsageError, match="edit="):
        parse(text)


@pytest.mark.parametrize(
    "text", ["operator:nothing=0", "kernel:x=1", "category:gemms=0", "module:Net=0.5", "host:x=0", "sync:x=0", "graph:M=0"]
)
def test_a_name_that_is_not_there_is_not_found(text: str) -> None:
    graph = graph_of(trace_from_text("thread 1 | ProfilerStep#1 0-10 | a 0-1\nstream 7 | k 2-3 <- a"))
    with pytest.raises(NotFoundError, match="there is no such"):
        edited(graph, [parse(text)])


def test_a_loader_that_is_not_there_is_not_found() -> None:
    with pytest.raises(NotFoundError):
        edited(graph_of(trace_from_text("thread 1 | ProfilerStep#1 0-10 | a 0-1")), [parse("loader=0")])


def test_every_form_reads_its_example() -> None:
    for subject, form in FORMS.items():
        assert parse(form.example).subject == subject


@given(st.sampled_from(["operator", "kernel", "host"]), st.text(min_size=1), st.integers(0, 1000))
def test_what_is_written_is_read(subject: str, name: str, thousandths: int) -> None:
    edit = Edit(subject, name, thousandths / 1000)  # type: ignore[arg-type]
    if name.strip() == name:
        assert parse(str(edit)) == edit


def test_edits_stand_one_a_line() -> None:
    assert [str(edit) for edit in parse_all("loader=0\n\nhost=0.50\n")] == ["loader=0", "host=0.5"]
    with pytest.raises(UsageError):
        parse_all("loader=0\n" * 21)


def _subjects(drawn: str) -> list[str]:
    subjects = ["host", "launch", "operator:ProfilerStep#1", "host:ProfilerStep#2", "category:other"]
    return [*subjects, *(f"kernel:kernel_{place}" for place in range(3) if f"kernel_{place} " in drawn)]


@settings(max_examples=60)
@given(programs(), st.data())
def test_laws(drawn: str, data: st.DataObject) -> None:
    """A factor of 1 is the replay; less never takes longer; no step is shorter than its busiest stream, or its host."""
    graph = graph_of(trace_from_text(drawn))
    subjects = data.draw(st.lists(st.sampled_from(_subjects(drawn)), min_size=1, max_size=3, unique=True))
    less, more = sorted(data.draw(st.lists(st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0]), min_size=2, max_size=2)))
    versions = [edited(graph, [parse(f"{each}={factor}") for each in subjects]) for factor in (less, more, 1.0)]
    of_less, of_more, unchanged, as_is = replay(graph, [*versions, Durations.none(graph)])
    assert unchanged.point_ns.tolist() == as_is.point_ns.tolist()
    assert unchanged.work_end_ns.tolist() == as_is.work_end_ns.tolist()
    rounding = 2 * len(graph.calls.row)
    assert (of_less.point_ns <= of_more.point_ns + rounding).all()
    assert (of_more.point_ns <= as_is.point_ns + rounding).all()
    for replayed in (of_less, of_more):
        start, end = replayed.windows()
        lasts = int(end.max() - start.min())
        for stream in np.unique(graph.work.track).tolist():
            there = (graph.work.track == stream) & ~replayed.lasts.is_gone
            assert lasts >= union_length(replayed.work_start_ns[there], replayed.work_end_ns[there])
            assert lasts >= replayed.lasts.work_ns[there].sum()
        assert lasts >= replayed.lasts.gap_ns.sum() + replayed.lasts.call_ns[~graph.waits].sum()


@settings(max_examples=40)
@given(programs())
def test_the_last_path_sums_to_the_time(drawn: str) -> None:
    graph = graph_of(trace_from_text(drawn))
    for replayed in replay(graph, [Durations.none(graph), edited(graph, [parse("host=0.3")])]):
        start, end = replayed.windows()
        parts = last_path(replayed, np.arange(len(start)))
        assert sum(parts.values()) == end.max() - start.min()


def test_the_last_path_names_who_paces() -> None:
    paced = {
        "host": "thread 1 | ProfilerStep#1 0-200 | a 0-10 | b 150-160\nstream 7 | gemm 16-20 <- a | gemm 156-170 <- b",
        "device": "thread 1 | ProfilerStep#1 0-40 | a 0-10 | b 20-30\nstream 7 | gemm 6-100 <- a | gemm 101-200 <- b",
        "communication": "thread 1 | ProfilerStep#1 0-40 | a 0-10\nstream 7 | ncclDevKernel_AllReduce 6-100 <- a",
    }
    for part, drawn in paced.items():
        base = baseline(trace_from_text(drawn))
        parts = last_path(base.replayed, base.places)
        assert max(parts, key=lambda each: parts[each]) == part


def test_what_the_profile_does_not_have_has_no_estimate_alone_or_beside_others() -> None:
    trace = trace_from_text(TRAINING)
    absent, there = [parse("kernel:nothing=0")], [parse("host=0.5")]
    assert estimates(trace, []) == []
    assert estimates(trace, [absent]) == [None]
    found = estimates(trace, [absent, there, absent])
    assert (found[0], found[2]) == (None, None)
    assert found[1] == estimate(trace, there)


def test_an_estimate_is_none_where_the_replay_is_refused() -> None:
    known = trace_from_text(TRAINING)
    assert estimate(known, [parse("loader=0")]) == 100 * US
    unknown = trace_from_text("thread 1 | ProfilerStep#1 0-100 | a 0-1\nstream 7 | x 10-40 | gemm 50-60 <- a | y 60-80")
    assert estimate(unknown, [parse("host=0")]) is None


def test_a_loader_that_is_gone_predicts_what_was_recorded_with_four_workers() -> None:
    paths = {path.name.split(".")[0]: path for path in real("v100_resnet50_workers0_a", "v100_resnet50_workers4_a")}
    if len(paths) < 2:
        pytest.skip("the two recordings are not there")
    before, after = (baseline(trace_of(paths[name])) for name in sorted(paths))
    predicted = float(what_if(before, [[parse("loader=0")]]).together_ns.mean())
    assert predicted == pytest.approx(float(np.median(after.recorded_ns)), rel=0.1)


def test_what_ran_before_the_steps_stays_and_less_of_the_same_never_makes_them_longer() -> None:
    drawn = """
        thread 1 | a 0-5 | cudaLaunchKernel 0-5 | ProfilerStep#1 100-300 | b 110-115 | cudaLaunchKernel 110-115
        thread 1 | c 290-295 | cudaLaunchKernel 290-295
        stream 7 | add 6-200 <- a | add 201-220 <- b | add 296-299 <- c
    """
    graph = graph_of(trace_from_text(drawn))
    versions = replay(graph, [edited(graph, [parse(f"kernel:add={factor}")]) for factor in (1, 0.5, 0.1, 0.01)])
    lasting = [int((end - start)[0]) for start, end in (version.windows() for version in versions)]
    assert lasting == sorted(lasting, reverse=True)
    assert {int(version.work_end_ns[0]) for version in versions} == {int(versions[0].work_end_ns[0])}


def test_a_recording_without_steps_is_replayed_from_its_first_event_on_any_thread() -> None:
    drawn = """
        thread 1 | a 0-5 | cudaLaunchKernel 0-5
        thread 2 | b 50-55 | cudaLaunchKernel 50-55 | c 60-65 | cudaLaunchKernel 60-65
        stream 7 | add 6-20 <- a | add 56-58 <- b | add 66-90 <- c
    """
    graph = graph_of(trace_from_text(drawn))
    whole, faster = replay(graph, [edited(graph, [parse(f"host={factor}")]) for factor in (1, 0.5)])
    assert [int(each[0]) for each in whole.windows()] == [0, 90_000]
    start, end = faster.windows()
    assert (end - start)[0] <= 90_000


@given(name=st.text(max_size=12), factor=st.sampled_from([0.0, 0.05, 0.5]))
def test_what_is_written_of_a_recorded_name_is_read_as_it_was(name: str, factor: float) -> None:
    """Or it is not written: host:=0 would be all of the host."""
    texts = written("host", name, factor)
    assert [Edit("host", name, factor)] * len(texts) == parse_all("\n".join(texts))
    assert bool(texts) == (name.strip() == name != "" and len(name.splitlines()) == 1)
