"""Every view on every file: figures are those of plain loops over the file, and views that show the same agree."""

from __future__ import annotations

import gc
import random
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import pytest
from msgspec.structs import astuple, replace

from tb_plugin import views
from tb_plugin.answers.questions import of_one
from tb_plugin.trace.scope.choices import choices
from tb_plugin.views.kernels import VIEW as KERNELS
from tb_plugin.views.memory import VIEW as MEMORY
from tb_plugin.views.modules import VIEW as MODULES
from tb_plugin.views.operators import VIEW as OPERATORS
from tb_plugin.views.overview import VIEW as OVERVIEW
from tests.profiles import SAMPLES, params, real, trace_of
from tests.views import plain_figures, plain_file
from tests.views.plain_file import Spans, first_active, length, spans

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tb_plugin.trace.model import Trace
    from tb_plugin.views.overview.result import StepRow, Window
    from tests.views.plain_file import PlainFile, Row

MEMORY_DEVICES = {(0, -1): "cpu", (0, 0): "cpu", (1, 0): "cuda:0", (6, 0): "hip:0", (12, 0): "xpu:0", (19, 0): "mtia:0"}


class Profile(NamedTuple):
    plain: PlainFile
    trace: Trace


@pytest.fixture(scope="module", params=params(SAMPLES + real()))
def profile(request: pytest.FixtureRequest) -> Profile:
    """Read once for all tests: pytest runs all of a file's tests before it takes the next."""
    gc.disable()  # a hundred thousand rows at once: looking for garbage among them takes longer than making them
    try:
        return Profile(plain_file.read(request.param), trace_of(request.param))
    finally:
        gc.enable()


def test_operators_are_those_of_a_loop(profile: Profile) -> None:
    expected = plain_figures.operators(profile.plain)
    found = {}
    for row in OPERATORS.main.answer(profile.trace, OPERATORS.main.params_from({})).rows:
        host = row.host_self_ns or 0, row.host_total_ns or 0
        found[row.name, row.kind] = [row.count, *host, row.device_self_ns, row.device_total_ns]
    assert found == expected


def test_kernels_copies_and_sets_are_those_of_a_loop(profile: Profile) -> None:
    expected = plain_figures.kernels(profile.plain)
    found = {}
    for kind in plain_file.WORK:
        for row in KERNELS.main.answer(profile.trace, KERNELS.main.params_from({"kind": kind})).rows:
            found[kind, row.name] = row
    assert found.keys() == expected.keys()
    for key, columns in expected.items():
        assert {name: _or_none(getattr(found[key], name)) for name in columns} == {
            name: _or_none(value) for name, value in columns.items()
        }, key


def test_steps_and_their_parts_are_those_of_a_walk_through_time(profile: Profile) -> None:
    plain = profile.plain
    result = OVERVIEW.main.answer(profile.trace, OVERVIEW.main.params_from({}))
    windows, steps_end = plain_figures.step_windows(plain)
    assert [step.number for step in result.steps] == list(plain.steps)
    assert [(step.start_ns, step.start_ns + step.duration_ns) for step in result.steps] == windows
    assert result.steps_end == steps_end or not windows
    whole = 0, max(row.end for row in (*plain.host, *plain.work))
    active = plain_figures.categories(plain)
    uses = [plain_figures.device_use(plain, rows) for rows in plain_figures.by_device(plain).values()]
    every: list[Window | StepRow] = [result.whole, *result.steps]
    for (t0, t1), shown in zip([whole, *windows], every, strict=True):
        assert list(astuple(shown.breakdown_ns)) == first_active(active, t0, t1)
        if shown.device_use_ns is None:
            assert uses == []
            continue
        of_devices = [first_active(use, t0, t1) for use in uses]
        assert sum(astuple(shown.device_use_ns)) == t1 - t0
        means = [sum(part) / len(uses) for part in zip(*of_devices, strict=True)]
        assert list(astuple(shown.device_use_ns)) == pytest.approx(means, abs=1)


def test_devices_are_those_of_a_loop(profile: Profile) -> None:
    expected = plain_figures.by_device(profile.plain)
    found = {row.index: row for row in OVERVIEW.main.answer(profile.trace, OVERVIEW.main.params_from({})).devices}
    assert found.keys() == expected.keys()
    windows, _ = plain_figures.step_windows(profile.plain)
    windows = windows or [(0, max(row.end for row in (*profile.plain.host, *profile.plain.work)))]

    def when(rows: Iterable[Row]) -> Spans:
        return plain_figures.inside(spans(rows), windows)

    for index, work in expected.items():
        row = found[index]
        computing = when(each for each in work if each.kind == "kernel" and not each.is_collective)
        communicating = when(each for each in work if each.is_collective)
        either = length(plain_file.union([*computing, *communicating]))
        assert (row.busy_ns, row.window_ns) == (length(when(work)), length(windows))
        assert row.utilization == pytest.approx(row.busy_ns / row.window_ns)
        assert row.computation_ns == length(computing)
        assert row.communication_exposed_ns == either - length(computing)
        assert row.communication_overlapped_ns == length(computing) + length(communicating) - either
        for kind, shown in (("copy", row.copy_ns), ("set", row.set_ns)):
            assert shown == length(when(each for each in work if each.kind == kind))
        assert _or_none(row.sm_efficiency) == _or_none(plain_figures.sm_efficiency(work, windows))
        assert row.streams == len({each.track for each in work})


def test_busy_of_one_profile_is_one_figure(profile: Profile) -> None:
    """Of the steps; without steps of the recording."""
    devices = OVERVIEW.main.answer(profile.trace, OVERVIEW.main.params_from({})).devices
    busy = sum(row.utilization for row in devices) / len(devices) if devices else None
    for name in ("view/runs/summary", "view/trends/span"):
        question = of_one(name)
        share = question.answer(profile.trace, question.params_from({})).busy_share
        assert share == (None if busy is None else pytest.approx(busy, abs=1e-6)), name


def test_categories_are_those_of_a_sweep_and_with_what_lies_outside_the_steps_all_busy_time(profile: Profile) -> None:
    result = OVERVIEW.main.answer(profile.trace, OVERVIEW.main.params_from({}))
    windows, _ = plain_figures.step_windows(profile.plain)
    windows = windows or [(0, max(row.end for row in (*profile.plain.host, *profile.plain.work)))]
    expected = plain_figures.category_times(profile.plain, windows)
    found = {row.category: row.time_ns for row in result.categories}
    assert found == {each: pytest.approx(ns, abs=1) for each, ns in expected.items() if ns >= 1 or each in found}
    assert sum(found.values()) == sum(row.busy_ns for row in result.devices)
    all_ns = sum(row.window_ns for row in result.devices)
    assert [row.share for row in result.categories] == [pytest.approx(ns / all_ns) for ns in found.values()]
    everything = {index: length(spans(work)) for index, work in plain_figures.by_device(profile.plain).items()}
    assert {row.index: row.busy_ns + row.busy_outside_ns for row in result.devices} == everything


def test_peaks_of_memory_are_those_of_a_loop_in_both_views(profile: Profile) -> None:
    expected = {MEMORY_DEVICES[device]: peak for device, peak in plain_figures.peaks(profile.plain).items()}
    for rows in (
        OVERVIEW.main.answer(profile.trace, OVERVIEW.main.params_from({})).memory,
        MEMORY.main.answer(profile.trace, MEMORY.main.params_from({})).devices,
    ):
        assert {row.id: (row.peak_allocated_bytes, row.peak_reserved_bytes) for row in rows} == expected


def test_work_with_a_launch_belongs_to_an_operator_a_range_or_that_call(profile: Profile) -> None:
    result = OPERATORS.main.answer(profile.trace, OPERATORS.main.params_from({}))
    lost = sum(row.ns for row in profile.plain.work if row.launch is None and row.owner is None)
    assert result.totals.not_attributed_ns == lost
    launched = sum(row.ns for row in profile.plain.work if row.launch is not None)
    if re.match("h100|mi300", profile.trace.info.source):
        named = sum(row.device_self_ns for row in result.rows if row.kind in ("operator", "annotation"))
        assert named >= 0.99 * launched > 0


def test_views_agree_under_any_filter(profile: Profile) -> None:
    """Totals of four views are those of a loop over the file that drops what the filters do."""
    queued = _queued(profile.plain)
    for filters in _selections(profile):
        kept = [row for row in profile.plain.work if _is_kept(profile.plain, row, filters, queued)]
        expected = sum(row.ns for row in kept)
        every_name = replace(OVERVIEW.main.params_from(filters), top=10_000)  # more than a request may ask for
        overview = OVERVIEW.main.answer(profile.trace, every_name)
        operators = OPERATORS.main.answer(profile.trace, OPERATORS.main.params_from(filters))
        kernels = KERNELS.main.answer(profile.trace, KERNELS.main.params_from(filters | {"kind": "all"}))
        modules = MODULES.main.answer(profile.trace, MODULES.main.params_from(filters))
        assert kernels.count == len(kept)
        assert kernels.total_ns == sum(row.total_ns for row in kernels.rows) == expected, filters
        assert operators.totals.device_self_ns == sum(row.device_self_ns for row in operators.rows) == expected
        rows = [row for row in modules.rows if modules.group_by != "class" or row.parent is None]
        in_modules = {(row.kind, row.path): row.device.self_ns for row in rows}
        assert modules.totals.device_ns == sum(in_modules.values()) == expected
        assert overview.device_time_ns == expected
        assert sum(row.time_ns for row in overview.categories) == sum(row.busy_ns for row in overview.devices)
        lost = operators.totals.not_attributed_ns
        assert lost == modules.totals.not_attributed_ns == overview.not_attributed_ns
        shown = {row.name: (row.count, row.time_ns) for row in overview.top_kernels}
        assert shown == {row.name: (row.count, row.total_ns) for row in kernels.rows if row.kind in _KERNELS and row.total_ns}
        if overview.top_operators_by == "device_self":
            listed = {path: ns for (kind, path), ns in in_modules.items() if kind == "module" and ns}
            assert {row.name: row.time_ns for row in overview.top_modules} == listed
        memory = MEMORY.main.answer(profile.trace, MEMORY.main.params_from(filters))
        assert _peaks(overview.memory) == _peaks(memory.devices), filters


_KERNELS = ("kernel", "communication")


def _or_none(value: float | None) -> Any:
    """A number that equals any that is as good as it; None is only None."""
    return None if value is None else pytest.approx(value, rel=1e-6) if isinstance(value, float) else value


def _peaks(rows: list[Any]) -> dict[str, tuple[int, int, int | None]]:
    return {row.id: (row.peak_allocated_bytes, row.peak_ns, row.peak_reserved_bytes) for row in rows}


def _selections(profile: Profile) -> Iterator[dict[str, str]]:
    """No filter, and some drawn by lot: the same in every run."""
    lot = random.Random(len(profile.plain.host))
    can = choices(profile.trace)
    names = [row.name for row in (*profile.plain.work[:50], *profile.plain.host) if row.kind not in ("python", "launch")]
    yield {}
    for _ in range(3):
        filters = {}
        if can.steps and lot.random() < 0.7:
            numbers = [str(step.number) for step in can.steps]
            filters["steps"] = ",".join(lot.sample(numbers, lot.randint(1, len(numbers))))
        if can.devices and lot.random() < 0.5:
            filters["streams"] = ",".join(map(str, lot.sample(can.devices[0].streams, 1)))
        if len(can.threads) > 1 and lot.random() < 0.5:
            filters["threads"] = ",".join(each.id for each in lot.sample(can.threads, 2))
        if lot.random() < 0.5:
            filters["inside"] = lot.choice([f"^{re.escape(lot.choice(names))}$", "conv", "add", "backward", "nccl"])
        yield filters


def _step_of(plain: PlainFile, row: Row) -> int | None:
    start = (row.launch or row).start
    return next((number for number, step in plain.steps.items() if step.start <= start < step.end), None)


def _queued(plain: PlainFile) -> set[int]:
    """`id` of each device row that has no launch and begins before what steps launched on its stream: it stood in a queue."""
    own = [row for row in plain.work if row.launch is not None and _step_of(plain, row) is not None]
    launched_ns, all_ns = (sum(row.ns for row in rows) for rows in ([r for r in plain.work if r.launch], plain.work))
    if not own or launched_ns < 0.01 * all_ns:
        return set()
    begun: dict[tuple[str, str], int] = {}
    for row in own:
        begun[row.track] = min(row.start, begun.get(row.track, row.start))
    first = min(begun.values())
    return {id(row) for row in plain.work if row.launch is None and row.start < begun.get(row.track, first)}


def _is_kept(plain: PlainFile, row: Row, filters: dict[str, str], queued: set[int]) -> bool:
    """A device row: by its launch (or the operator it belongs to), by its stream, by a name around it or its own."""
    host = row.launch or row.owner
    around = list(host.around()) if host else []
    if "steps" in filters:
        step = None if id(row) in queued else _step_of(plain, row)
        if str(step) not in filters["steps"].split(","):
            return False
    if "streams" in filters and str(row.stream) not in filters["streams"].split(","):
        return False
    if "threads" in filters and (host is None or host.track[1] not in filters["threads"].split(",")):
        return False
    return "inside" not in filters or any(re.search(filters["inside"], r.name, re.IGNORECASE) for r in (row, *around))


CAN_BE_NEGATIVE = {
    "error_share",
    "worst_error_share",
    "constants_error_share",
    "increase_bytes",
    "net_self_bytes",
    "net_total_bytes",
}
CAN_BE_MORE_THAN_ALL = {"bandwidth_share", "peak_share", "roof_share"}


def test_nothing_is_negative_and_no_share_above_one(profile: Profile) -> None:
    for view in views.OF_ONE:
        result = view.main.answer(profile.trace, view.main.params_from({}))
        for name, value in _numbers(result):
            assert value == value, name
            assert value >= 0 or name in CAN_BE_NEGATIVE, (view.id, name)
            if re.search(r"share\Z|utilization|efficiency", name) and name not in CAN_BE_MORE_THAN_ALL:
                assert value <= 1 + 1e-9, (view.id, name)
        table = view.main.table(result)
        assert {len(row) for row in table.rows} <= {len(table.columns)}
        assert isinstance(view.main.text(result), str)


def _numbers(value: object, name: str = "") -> Iterator[tuple[str, float]]:
    if isinstance(value, msgspec.Struct):
        for field in value.__struct_fields__:
            yield from _numbers(getattr(value, field), field)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _numbers(part, name)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield name, value
