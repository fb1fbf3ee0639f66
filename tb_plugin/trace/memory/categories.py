"""What memory is for: parameters, gradients, optimizer state, activations, inputs, temporaries, autograd's own.

The rules are those of `torch.profiler.profile._memory_profile()` (torch/profiler/_memory_profiler.py), over the columns of
`tensor_flow` and without its assertions, which real profiles break. A category belongs to a tensor whatever its storage (`by
id`), to one storage (`by tensor`), or to one version of it; the first of these that is known counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.distinct import distinct
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.memory.tensor_flow import BACKWARD_FUNCTION, TensorFlow, tensor_flow
from tb_plugin.trace.model import TensorPart
from tb_plugin.trace.names import rows_named

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


class MemoryCategory(IntEnum):
    """In the order in which they are stacked."""

    PARAMETER = 0
    GRADIENT = 1
    OPTIMIZER_STATE = 2
    ACTIVATION = 3
    INPUT = 4
    TEMPORARY = 5
    AUTOGRAD_DETAIL = 6
    UNKNOWN = 7


class MemoryCategoryWords(NamedTuple):
    """How a category is written."""

    id: str
    title: str
    definition: str


CATEGORIES: Final[tuple[MemoryCategoryWords, ...]] = (
    MemoryCategoryWords("parameter", "Parameters", "Parameters of modules, and what an optimizer updates."),
    MemoryCategoryWords("gradient", "Gradients", "The .grad of parameters, and what autograd accumulates into them."),
    MemoryCategoryWords("optimizer_state", "Optimizer state", "What an optimizer keeps for each parameter, such as momentum."),
    MemoryCategoryWords("activation", "Activations", "Made from inputs and parameters in the forward pass."),
    MemoryCategoryWords("input", "Inputs", "Used to compute gradients, and never made from parameters or gradients."),
    MemoryCategoryWords("temporary", "Temporaries", "Made and freed inside one operator."),
    MemoryCategoryWords("autograd_detail", "Autograd", "Made in the backward pass, and no gradient of a parameter."),
    MemoryCategoryWords("unknown", "Unknown", "No rule tells what it is, or its tensor was not recorded."),
)
"""Indexed by MemoryCategory."""

_GRADIENT_PARTS: Final = (TensorPart.MODULE_GRADIENT, TensorPart.OPTIMIZER_GRADIENT)
_PARAMETER_PARTS: Final = (TensorPart.MODULE_PARAMETER, TensorPart.OPTIMIZER_PARAMETER)
_UNSET: Final = 255


@dataclass(frozen=True, kw_only=True)
class MemoryCategories:
    """`is_recorded`: tensors have ids, so categories can be told. See `tensor_flow` for tensors and versions."""

    is_recorded: bool
    of_memory: npt.NDArray[np.uint8]  # MemoryCategory of each row of trace.memory
    of_version: npt.NDArray[np.uint8]  # MemoryCategory of each version of each tensor
    flow: TensorFlow | None


@once_per_trace
def memory_categories(trace: Trace) -> MemoryCategories:
    """The category of every allocation: that of its tensor's first version that has one. Releases have it too."""
    unknown = np.full(len(trace.memory), MemoryCategory.UNKNOWN, np.uint8)
    if not (len(trace.tensors) and len(trace.memory)):
        return MemoryCategories(is_recorded=False, of_memory=unknown, of_version=unknown[:0], flow=None)
    flow = tensor_flow(trace)
    of_version = _Rules(trace, flow).apply()
    of_tensor = _first_known(of_version, flow.first_version)
    known = flow.of_memory != NONE
    unknown[known] = of_tensor[flow.of_memory[known]]
    unknown.flags.writeable = of_version.flags.writeable = False
    return MemoryCategories(is_recorded=True, of_memory=unknown, of_version=of_version, flow=flow)


def _first_known(of_version: npt.NDArray[np.uint8], first_version: Int64Array) -> npt.NDArray[np.uint8]:
    versions = np.flatnonzero(of_version != MemoryCategory.UNKNOWN)[::-1]
    tensor = np.searchsorted(first_version, versions, side="right") - 1
    found = np.full(len(first_version) - 1, MemoryCategory.UNKNOWN, np.uint8)
    found[tensor] = of_version[versions]  # the last one written is the first version
    return found


class _Step(NamedTuple):
    """One step of the flow as sets of versions and of torch's tensor ids."""

    inputs: frozenset[int]
    outputs: frozenset[int]
    output_ids: frozenset[int]
    in_backward: bool


class _Rules:
    """The rules in torch's order. Each one sees what the ones before have found."""

    def __init__(self, trace: Trace, flow: TensorFlow) -> None:
        self._trace = trace
        self._flow = flow
        self._tensor_of = np.repeat(np.arange(len(flow.tensor_id)), np.diff(flow.first_version))
        self._id_of = flow.tensor_id[self._tensor_of].tolist()  # torch's tensor id of each version
        self._by_id: dict[int, int] = {}
        self._by_tensor: dict[int, int] = {}
        self._by_version: dict[int, int] = {}
        self._steps = _steps(flow)
        self._tensor_list = self._tensor_of.tolist()

    def apply(self) -> npt.NDArray[np.uint8]:
        self._set_gradients_and_temporaries()
        self._set_by_id(self._ids_of(_PARAMETER_PARTS), MemoryCategory.PARAMETER)
        self._set_inputs()
        self._set_parameters_from_flow()
        self._set_activations()
        self._set_by_id(self._ids_of((TensorPart.OPTIMIZER_STATE,)), MemoryCategory.OPTIMIZER_STATE)
        self._set_autograd_detail()
        found = [self._category(version) for version in range(len(self._id_of))]
        return np.array([MemoryCategory.UNKNOWN if category == _UNSET else category for category in found], np.uint8)

    def _category(self, version: int) -> int:
        found = self._by_id.get(self._id_of[version])
        if found is None:
            found = self._by_tensor.get(self._tensor_list[version])
        return self._by_version.get(version, _UNSET) if found is None else found

    def _set_by_id(self, ids: Int64Array, category: MemoryCategory) -> None:
        self._by_id.update(dict.fromkeys(ids.tolist(), int(category)))

    def _ids_of(self, parts: tuple[TensorPart, ...]) -> Int64Array:
        tensors, of_tensors = self._trace.tensors, self._flow.of_tensors
        rows = np.flatnonzero(np.isin(tensors.part, parts) & (of_tensors != NONE))
        return distinct(tensors.tensor_id[rows])

    def _set_gradients_and_temporaries(self) -> None:
        self._set_by_id(self._ids_of(_GRADIENT_PARTS), MemoryCategory.GRADIENT)
        self._set_by_id(self._accumulated(), MemoryCategory.GRADIENT)
        flow = self._flow
        inside = flow.edge_tensor[flow.edge_makes & flow.edge_frees]
        self._by_tensor.update(dict.fromkeys(inside.tolist(), int(MemoryCategory.TEMPORARY)))

    def _accumulated(self) -> Int64Array:
        """Gradients that AccumulateGrad keeps or adds to: the first argument of the operator that it begins with."""
        trace, events = self._trace, self._trace.events
        rows = np.flatnonzero(self._flow.scope == BACKWARD_FUNCTION)
        rows = rows[rows_named(trace, rows, "torch::autograd::AccumulateGrad".__eq__)]
        child = rows + 1  # by start, so the first one
        child = child[(child < len(events)) & (events.parent[np.minimum(child, len(events) - 1)] == rows)]
        child = child[rows_named(trace, child, {"aten::detach", "aten::add_"}.__contains__)]
        tensors = trace.tensors
        is_first = (tensors.part == TensorPart.INPUT) & (tensors.place == 0) & (tensors.item == NONE)
        mine = is_first & np.isin(tensors.row, child) & (self._flow.of_tensors != NONE)
        return distinct(tensors.tensor_id[mine])

    def _depends_on_gradient(self) -> set[int]:
        """Tensor ids of which any version is made from a gradient or parameter, directly or not; loops close through updates."""
        wanted = {MemoryCategory.GRADIENT, MemoryCategory.PARAMETER}
        found: set[int] = set()
        while True:
            n_before = len(found)
            for step in self._steps:
                ids = {self._id_of[v] for v in step.inputs if self._category(v) in wanted or self._id_of[v] in found}
                if ids:
                    found |= ids
                    found |= step.output_ids
            if len(found) == n_before:
                return found

    def _set_inputs(self) -> None:
        depends = self._depends_on_gradient()
        wanted = {MemoryCategory.GRADIENT, MemoryCategory.PARAMETER}
        produces: set[int] = set()
        for step in reversed(self._steps):
            versions = step.inputs | step.outputs
            if any(v in produces or self._category(v) in wanted for v in versions):
                produces |= versions
        for step in self._steps:
            if step.in_backward:
                produces -= step.outputs
        for version in produces:
            if self._id_of[version] not in depends:
                self._by_version.setdefault(version, int(MemoryCategory.INPUT))

    def _set_parameters_from_flow(self) -> None:
        """What a forward pass reads and does not make, that gradients are made with, and that a gradient changes."""
        forward = {v for v in range(len(self._id_of)) if self._category(v) == MemoryCategory.INPUT}
        candidates: set[int] = set()
        for step in self._steps:
            is_forward = not step.in_backward and not self._any_gradient(step.inputs) and not self._any_gradient(step.outputs)
            if is_forward and not forward.isdisjoint(step.inputs):
                forward |= step.outputs
                candidates |= step.inputs - forward
        used: set[int] = set()
        for step in reversed(self._steps):
            if not used.isdisjoint(step.outputs) or self._any_gradient(step.outputs):
                used |= step.inputs
        ids = {self._id_of[v] for v in candidates & used} & self._depends_on_gradient()
        self._set_by_id(np.array(sorted(ids), np.int64), MemoryCategory.PARAMETER)

    def _any_gradient(self, versions: frozenset[int]) -> bool:
        return any(self._category(v) == MemoryCategory.GRADIENT for v in versions)

    def _set_activations(self) -> None:
        required = {MemoryCategory.INPUT, MemoryCategory.ACTIVATION}
        allowed = required | {MemoryCategory.PARAMETER, MemoryCategory.TEMPORARY}
        for step in self._steps:
            if step.in_backward:
                continue
            found = {self._category(v) for v in step.inputs}
            if found & required and found <= allowed:
                for version in step.outputs:
                    self._by_version.setdefault(version, int(MemoryCategory.ACTIVATION))

    def _set_autograd_detail(self) -> None:
        prior = {_UNSET, MemoryCategory.AUTOGRAD_DETAIL}
        first = set(self._flow.first_version[:-1].tolist())
        for step in self._steps:
            if step.in_backward:
                for version in sorted(step.outputs):
                    if version in first or self._category(version - 1) in prior:
                        self._by_version.setdefault(version, int(MemoryCategory.AUTOGRAD_DETAIL))


def _steps(flow: TensorFlow) -> list[_Step]:
    before = flow.first_version[flow.edge_tensor] + flow.edge_version
    is_output: BoolArray = (flow.edge_makes & ~flow.edge_frees) | flow.edge_writes
    after = before + (flow.edge_writes & ~flow.edge_makes)
    ids = flow.tensor_id[flow.edge_tensor].tolist()
    reads, outputs = flow.edge_reads.tolist(), is_output.tolist()
    before_list, after_list = before.tolist(), after.tolist()
    steps = []
    for low, high, in_backward in zip(
        flow.edge_first[:-1].tolist(), flow.edge_first[1:].tolist(), flow.in_backward.tolist(), strict=True
    ):
        edges = range(low, high)
        steps.append(
            _Step(
                inputs=frozenset(before_list[e] for e in edges if reads[e]),
                outputs=frozenset(after_list[e] for e in edges if outputs[e]),
                output_ids=frozenset(ids[e] for e in edges if outputs[e]),
                in_backward=in_backward,
            )
        )
    return steps
