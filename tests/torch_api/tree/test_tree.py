"""`profile.tree()` is torch's own `experimental_event_tree()`: our file in everything, a stock one in all it holds."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tb_plugin
from tests.torch_api import recordings
from tests.torch_api.recordings import ALL
from tests.torch_api.tree import same_tree, tree_programs

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.torch_api.recordings import Recording

pytest.importorskip("torch", reason="torch records the profile")
pytestmark = pytest.mark.torch

ROOT = Path(__file__).resolve().parents[3]


def assert_same(recording: Recording) -> dict[str, int]:
    stored, stock = tb_plugin.load(recording.stored).tree(), tb_plugin.load(recording.json).tree()
    n_nodes = same_tree.assert_same_shape(stored, recording.torch)
    assert same_tree.assert_same_shape(stock, recording.torch) == n_nodes > 10
    same_tree.assert_same_fields_without_ids(stock, recording.torch)
    return same_tree.assert_same_fields(stored, recording.torch)


@pytest.mark.parametrize(
    "program",
    [
        tree_programs.cnn_with_workers,
        tree_programs.identities,
        recordings.transformer,
        recordings.script,
        recordings.double_backward,
        recordings.fork,
        recordings.threads,
        recordings.gloo,
    ],
    ids=lambda program: program.__name__,
)
def test_the_tree_and_all_that_nodes_know_is_torchs(program: Callable[[], Callable[[], None]], tmp_path: Path) -> None:
    n = assert_same(recordings.record(tmp_path, program, {"record_python_gc_info": True}, **ALL))
    assert n["frames"] > 20
    assert n["tensors"] > 5
    if program in (tree_programs.cnn_with_workers, recordings.transformer):
        assert n["optimizers"] == 2
        assert n["modules"] > 5


@pytest.mark.parametrize("program", [recordings.ranges, recordings.threads], ids=lambda program: program.__name__)
def test_without_options_too(program: Callable[[], Callable[[], None]], tmp_path: Path) -> None:
    recording = recordings.record(tmp_path, program, {})
    stored, stock = tb_plugin.load(recording.stored), tb_plugin.load(recording.json)
    assert same_tree.assert_same_shape(stored.tree(), recording.torch) == same_tree.assert_same_shape(
        stock.tree(), recording.torch
    )
    assert len(stored.trace.tensors) == len(stored.trace.frames) == 0


@pytest.mark.parametrize("by_python", [False, True], ids=["C++", "Python"])
@pytest.mark.parametrize(
    "program", [recordings.left_open, recordings.ranges, tree_programs.odd_names], ids=lambda one: one.__name__
)
def test_both_writers_of_torch(program: Callable[[], Callable[[], None]], by_python: bool, tmp_path: Path) -> None:
    assert_same(recordings.record(tmp_path, program, {}, use_python_export=by_python, **ALL))


def test_overload_names_stand_apart(tmp_path: Path) -> None:
    config = {"capture_overload_names": True, "verbose": True}
    recording = recordings.record(tmp_path, recordings.double_backward, config, **ALL)
    assert_same(recording)
    tree = tb_plugin.load(recording.stored).tree()
    found = [
        (node.overload_name, wanted.overload_name)
        for node, wanted in same_tree.pairs(tree, same_tree.torch_roots(recording.torch))
    ]
    assert all(ours == wanted for ours, wanted in found)
    assert ("Tensor", "Tensor") in found


@pytest.mark.parametrize("options", [{}, {"with_stack": True}, ALL], ids=["plain", "stacks", "all"])
def test_what_a_backward_thread_runs_hangs_on_the_thread_of_its_forward_operators(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    recording = recordings.record(tmp_path, tree_programs.backward_elsewhere, {"profile_all_threads": True}, **options)
    stored, stock = tb_plugin.load(recording.stored).tree(), tb_plugin.load(recording.json).tree()
    n_nodes = same_tree.assert_same_shape(stored, recording.torch)
    assert n_nodes == same_tree.assert_same_shape(stock, recording.torch)
    for tree in (stored, stock):
        crossing = [node for node in tree.nodes() if node.parent and node.parent.start_tid != node.start_tid]
        assert len(crossing) >= 2 * 3
        assert any("SumBackward0" in node.name for node in crossing)
        assert all(node in node.parent.children for node in crossing if node.parent)


def test_threads_that_share_a_weight_hang_on_each_other_as_the_live_tree_says(tmp_path: Path) -> None:
    # Whose thread an AccumulateGrad belongs to is in no stock file: it has no sequence number.
    recording = recordings.record(tmp_path, recordings.threads, {"profile_all_threads": True}, **ALL)
    tree = tb_plugin.load(recording.stored).tree()
    same_tree.assert_same_shape(tree, recording.torch)
    same_tree.assert_same_fields(tree, recording.torch)


def test_numbers_of_tensors_outlive_addresses_and_storages(tmp_path: Path) -> None:
    recording = recordings.record(tmp_path, tree_programs.identities, {}, **ALL)
    tensors = tb_plugin.load(recording.stored).trace.tensors
    known = tensors.tensor_id >= 0

    def n_per(key: Any, value: Any) -> int:
        pairs = np.unique(np.stack([key[known], value[known]]), axis=1)
        return int(np.unique(pairs[0], return_counts=True)[1].max())

    assert n_per(tensors.storage, tensors.tensor_id) > 1
    assert n_per(tensors.tensor_id, tensors.allocation_id) > 1
    assert n_per(tensors.allocation_id, tensors.tensor_id) == 1


@pytest.mark.slow
def test_compiled_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not any(map(shutil.which, ("g++", "clang++", "c++"))):
        pytest.skip("torch.compile needs a C++ compiler")
    import torch._inductor.config

    monkeypatch.setattr(torch._inductor.config, "compile_threads", 1)
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "logs").mkdir()
    assert_same(recordings.record(tmp_path / "logs", tree_programs.compiled, {}, **ALL))


@pytest.mark.slow
def test_ranks_of_ddp_and_fsdp(tmp_path: Path) -> None:
    code = (
        "import json, sys; from pathlib import Path; from tests.torch_api.tree.tree_programs import compare_ranks;"
        "print(json.dumps(compare_ranks(Path(sys.argv[1]))))"
    )
    environment = {**os.environ, "GROUP_FOLDER": str(tmp_path), "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    ranks = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path)],
            cwd=ROOT,
            env={**environment, "RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    try:
        for rank in ranks:
            out, error = rank.communicate(timeout=240)
            assert rank.returncode == 0, error[-3000:]
            found = json.loads(out.splitlines()[-1])
            assert found["ddp"]["nodes"] > 500
            assert found["fsdp"]["nodes"] > 1000
            assert found["fsdp"]["optimizers"] == 2
    finally:
        for rank in ranks:
            rank.kill()
            rank.wait()
