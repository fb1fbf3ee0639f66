"""Focus, merge and drop, modules of a class as one call, and what a search finds: against paths that are walked up one by one."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec
import pytest

from tb_plugin.base.errors import UsageError
from tb_plugin.views.timeline.call_names import class_text
from tb_plugin.views.timeline.compute import calls
from tb_plugin.views.timeline.result import CallsParams, TimelineCalls
from tb_plugin.views.timeline.text import calls_text
from tests.profiles import SAMPLES, over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from tb_plugin.trace.model import Trace

Path_ = tuple[tuple[str, str], ...]  # kind and name, the outermost first

TRACE = trace_from_text(
    """
    thread 1 | main 0-100 | net 10-70 | act 20-40 | exp 25-40 | mm 41-69 | act 75-95
    stream 7 | k_exp 50-60 <- exp | k_mm 60-80 <- mm
    """
)


def _asked(trace: Trace, **given: str | bool) -> TimelineCalls:
    params = CallsParams(t0_ns=trace.info.start_ns, t1_ns=trace.info.end_ns, top=20_000)
    return calls(trace, msgspec.structs.replace(params, **given))


def _paths(found: TimelineCalls) -> list[Path_]:
    paths: list[Path_] = []
    for node in found.nodes:
        paths.append((*(paths[node.parent] if node.parent is not None else ()), (node.kind, node.name)))
    return paths


def _told(found: TimelineCalls) -> dict[str, tuple[float, float]]:
    names = (" > ".join(name for _kind, name in path) for path in _paths(found))
    return {name: (node.time_ns / 1000, node.self_ns / 1000) for name, node in zip(names, found.nodes, strict=True)}


def test_focus_has_all_calls_of_the_name_at_the_root() -> None:
    assert _told(_asked(TRACE, edit="focus:act")) == {"act": (40, 25), "act > exp": (15, 15)}
    assert _asked(TRACE, edit="focus:act").time_ns == 40_000


def test_what_is_merged_is_part_of_its_caller() -> None:
    assert _told(_asked(TRACE, edit="merge:act")) == {
        "main": (100, 40),
        "main > net": (60, 17),
        "main > net > exp": (15, 15),
        "main > net > mm": (28, 28),
    }


def test_what_is_dropped_takes_with_it_what_it_calls() -> None:
    found = _asked(TRACE, edit="drop:act")
    assert _told(found) == {"main": (60, 20), "main > net": (40, 12), "main > net > mm": (28, 28)}
    assert found.time_ns == 60_000


def test_edits_follow_each_other_and_reach_the_device() -> None:
    found = _asked(TRACE, edit="focus: net\n\nmerge:act", side="device")
    assert _told(found)["net > exp > k_exp"] == (10, 10)
    assert _told(_asked(TRACE, edit="drop:mm", side="device", inverted=True)) == {
        "k_exp": (10, 10),
        "k_exp > exp": (10, 0),
        "k_exp > exp > act": (10, 0),
        "k_exp > exp > act > net": (10, 0),
        "k_exp > exp > act > net > main": (10, 0),
    }


@pytest.mark.parametrize("edit", ["net", "zoom:net", "focus:", "focus: \n"])
def test_what_is_no_edit_is_an_error_that_says_what_is(edit: str) -> None:
    with pytest.raises(UsageError, match="focus:NAME"):
        _asked(TRACE, edit=edit)
    with pytest.raises(UsageError, match="more than 20"):
        _asked(TRACE, edit="\n".join(f"drop:{n}" for n in range(21)))


LAYERS = trace_from_text(
    """
    thread 1 | net.py(1): run 0-100 | nn.Module: Block_0 0-40 | nn.Module: Linear_0 10-30
    thread 1 | nn.Module: Block_1 50-100 | nn.Module: Linear_1 60-70 | nn.Module: Head_0 80-95
    """
)


def test_modules_of_a_class_are_one_call_where_that_is_asked() -> None:
    found = _asked(LAYERS, by_class=True)
    assert _told(found) == {
        "net.py(1): run": (100, 10),
        "net.py(1): run > nn.Module: Block_*": (90, 45),
        "net.py(1): run > nn.Module: Block_* > nn.Module: Linear_*": (30, 30),
        "net.py(1): run > nn.Module: Block_* > nn.Module: Head_*": (15, 15),
    }
    assert [(node.count, node.longest.name) for node in found.nodes[1:3]] == [
        (2, "nn.Module: Block_1"),
        (2, "nn.Module: Linear_0"),
    ]
    assert found.n_instances == _asked(LAYERS).n_instances == 4  # Head is alone
    assert _asked(TRACE).n_instances == 0


@pytest.mark.parametrize("edit", ["focus:nn.Module: Block_*", "focus:nn.Module: Block_1"])
def test_an_edit_of_a_class_and_one_of_a_module_mean_the_class_where_modules_are_one(edit: str) -> None:
    blocks = {name for name in _told(_asked(LAYERS, edit=edit)) if ">" not in name}
    assert blocks == ({"nn.Module: Block_0", "nn.Module: Block_1"} if "*" in edit else {"nn.Module: Block_1"})
    assert _told(_asked(LAYERS, by_class=True, edit=edit))["nn.Module: Block_*"] == (90, 45)


def test_the_instance_of_a_class_is_what_torch_or_lightning_number_or_name() -> None:
    names = ["nn.Module: A_B_12", "nn.Module: A", "[pl][module]my.Block: layer.0: x", "Block_1", "nn.Module: A_1\n"]
    assert [class_text(name) for name in names] == ["nn.Module: A_B_*", *names[1:2], "[pl][module]my.Block: *", *names[3:]]


def test_a_search_finds_calls_and_the_time_in_them_once() -> None:
    trace = trace_from_text("thread 1 | main 0-100 | act 10-60 | act_inner 20-30 | mm 70-80")
    found = _asked(trace, q="ACT")
    assert [found.nodes[place].name for place in found.hits] == ["act", "act_inner"]
    assert found.found_ns == 50_000
    assert "50.0 us in what is found" in calls_text(found)
    assert _asked(trace, q="^(mm|main)$", regex=True).found_ns == 100_000
    assert _asked(trace, q="act", edit="drop:act_inner").found_ns == 40_000
    assert (_asked(trace, q="nothing").hits, _asked(trace).hits) == ([], [])
    assert _asked(trace, q="act", inverted=True).found_ns == 50_000


def test_a_short_list_has_the_way_to_a_small_hit() -> None:
    trace = trace_from_text(
        "thread 1 | main 0-100 | small 1-3 | needle 1-1.5 | " + " | ".join(f"f{n} {n}-{n + 5}" for n in range(5, 90, 6))
    )
    first = trace.info.start_ns
    found = calls(trace, CallsParams(t0_ns=first, t1_ns=first + 200_000, q="needle", top=8))
    assert len(found.nodes) == 8
    (needle,) = (found.nodes[place] for place in found.hits)
    assert (needle.name, found.nodes[needle.parent or 0].name) == ("needle", "small")
    unsought = calls(trace, CallsParams(t0_ns=first, t1_ns=first + 200_000, top=8))
    assert found.nodes[:6] == unsought.nodes[:6]  # what a link says of these holds
    assert all(node.parent is None or node.parent < place for place, node in enumerate(found.nodes))


def _naive(whole: TimelineCalls, edits: Iterable[tuple[str, str]], *, by_class: bool) -> dict[Path_, tuple[int, int, int, int]]:
    """Total, self time, calls and longest call of each path that is left."""
    own: dict[Path_, list[int]] = defaultdict(lambda: [0, 0, 0])
    for path, node in zip(_paths(whole), whole.nodes, strict=True):
        if by_class:
            path = tuple((kind, class_text(name)) for kind, name in path)
        is_call = True
        for action, asked in edits:
            meant = [asked in (name, class_text(name)) for _kind, name in path]
            if action == "focus":
                path = path[meant.index(True) :] if any(meant) else ()
            elif action == "drop":
                path = () if any(meant) else path
            elif path:
                is_call &= not meant[-1]
                path = tuple(each for each, is_meant in zip(path, meant, strict=True) if not is_meant)
        if path:
            self_ns, count, longest = own[path]
            own[path] = [
                self_ns + node.self_ns,
                count + is_call * node.count,
                max(longest, is_call * node.longest.duration_ns),
            ]
    total: dict[Path_, int] = defaultdict(int)
    for path, (self_ns, _count, _longest) in own.items():
        for end in range(1, len(path) + 1):
            total[path[:end]] += self_ns
    return {path: (total_ns, *own[path]) for path, total_ns in total.items() if total_ns}  # type: ignore[misc]


def _given(found: TimelineCalls) -> Mapping[Path_, tuple[int, int, int, int]]:
    told = ((node.time_ns, node.self_ns, node.count, node.longest.duration_ns) for node in found.nodes)
    return dict(zip(_paths(found), told, strict=True))


def _drawn(rng: random.Random) -> Trace:
    """Calls in calls, each with time of its own."""
    events: list[str] = []

    def draw(start: int, end: int, depth: int) -> None:
        at = start
        while at + 4 < end and depth < 6:
            until = rng.randint(at + 3, end - 1)
            events.append(f"{rng.choice(('a', 'b', 'c', 'nn.Module: M_0', 'nn.Module: M_1', 'nn.Module: N_0'))} {at}-{until}")
            draw(at + 1, until - 1, depth + 1)
            at = until + rng.randint(1, 9)

    draw(0, 200, 0)
    return trace_from_text(f"thread 1 | {' | '.join(events)}")


_ACTIONS = ("focus", "merge", "drop")


def _some_edits(rng: random.Random, names: list[str]) -> list[tuple[str, str]]:
    return [(rng.choice(_ACTIONS), rng.choice(names)) for _ in range(rng.randint(1, 3))]


@pytest.mark.parametrize("seed", range(30))
def test_edits_of_drawn_calls_are_those_of_a_walk(seed: int) -> None:
    rng = random.Random(seed)
    trace = _drawn(rng)
    whole = _asked(trace)
    for by_class in (False, True):
        edits = _some_edits(rng, ["a", "b", "nn.Module: M_*"])
        found = _asked(trace, by_class=by_class, edit="\n".join(map(":".join, edits)))
        assert _given(found) == _naive(whole, edits, by_class=by_class)


@over(SAMPLES + real("h100_bert_small", "a100_nccl"))
def test_edits_of_recorded_calls_are_those_of_a_walk(path: Path) -> None:
    trace = trace_of(path)
    rng = random.Random(path.name)
    for side in ("host", "device"):
        whole = _asked(trace, side=side)
        if len(whole.nodes) < whole.n_nodes or not whole.nodes:
            continue
        frequent = sorted({node.name for node in whole.nodes if "\n" not in node.name})
        for by_class in (False, True):
            edits = [(action, class_text(name) if by_class else name) for action, name in _some_edits(rng, frequent)]
            found = _asked(trace, side=side, by_class=by_class, edit="\n".join(map(":".join, edits)))
            wanted = _naive(whole, edits, by_class=by_class)
            assert {at: told[:2] for at, told in _given(found).items()} == {at: told[:2] for at, told in wanted.items()}
            assert found.time_ns == sum(told[1] for told in wanted.values())


@over(SAMPLES)
def test_what_a_search_finds_is_what_a_walk_finds(path: Path) -> None:
    trace = trace_of(path)
    for side in ("host", "device"):
        found = _asked(trace, side=side, q="mm", frames="operators")
        hits = {place for place, node in enumerate(found.nodes) if "mm" in node.name.lower()}
        assert set(found.hits) == hits
        inside = (
            node.self_ns
            for path_, node in zip(_paths(found), found.nodes, strict=True)
            if any("mm" in name.lower() for _, name in path_)
        )
        assert len(found.nodes) < found.n_nodes or found.found_ns == sum(inside)
