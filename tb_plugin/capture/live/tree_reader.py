"""Reads from the live event tree what no file of torch holds: ids of tensors, and who called and who owns Python frames.

Torch numbers tensors where shapes and memory are recorded, and traces Python with `with_stack`; 3 to 5 us a node. Nodes are
visited one by one from a stack, in slices as in `live_reader`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tb_plugin.capture.live.columns import NONE
from tb_plugin.capture.live.reader import in_slices
from tb_plugin.trace.device_types import TORCH_NAMES, DeviceType

if TYPE_CHECKING:
    from tb_plugin.capture.live.columns import LiveColumns
    from tb_plugin.capture.live.reader import KinetoResults
    from tb_plugin.capture.pace import Pace

READS: Final = ("operators", "allocations", "frames", "tensors")
"""Tables of `LiveColumns` that are filled here."""

_DEVICE_TYPES: Final = {name: number for number, name in TORCH_NAMES.items()}
"""A name that is not here is that of a private device."""
_TAGGED: Final = 1 << 63

_ROWS_TOGETHER: Final = 256
"""Turning rows into columns costs as much for one row as for many."""

# Numbers of `tb_plugin.trace.model.TensorPart`, which needs NumPy: a training job must not load it for us.
_INPUT, _MODULE_PARAMETER, _MODULE_GRADIENT, _OPTIMIZER_PARAMETER, _OPTIMIZER_GRADIENT, _OPTIMIZER_STATE = range(6)


def read(kineto_results: KinetoResults, live: LiveColumns, pace: Pace, *, with_tensors: bool, with_frames: bool) -> None:
    """Adds to `live`. `with_tensors`: torch has numbered tensors; `with_frames`: it has Python frames."""
    if not (with_tensors or with_frames):
        return
    with pace.slice():
        nodes = [(node, None, 0) for node in kineto_results.experimental_event_tree()]
    reader = _NodeReader(live, with_tensors=with_tensors)

    def read_some(size: int) -> None:
        for _ in range(min(size, len(nodes))):
            node, parent, parent_thread = nodes.pop()
            thread = node.start_tid
            reader.read(node, None if thread == parent_thread else parent)
            nodes.extend([(child, node, thread) for child in node.children])
        reader.flush(_ROWS_TOGETHER)

    in_slices(read_some, lambda: bool(nodes), pace)
    reader.flush()


class _NodeReader:
    def __init__(self, live: LiveColumns, *, with_tensors: bool) -> None:
        self._live = live
        self._with_tensors = with_tensors
        self._n_frames = 0
        self._rows: dict[str, list[tuple[int, ...]]] = {table: [] for table in READS}
        self._tensors = self._rows["tensors"]
        self._kinds: dict[tuple[object, ...], tuple[int, int, int, int]] = {}
        self._numbers: dict[tuple[int, ...], int] = {}
        # By the name of the class of `extra_fields`: asking for the tag takes ten times as long.
        self._handlers: dict[type, Any] = {}

    def flush(self, least: int = 1) -> None:
        """Moves rows into columns, of tables that have so many."""
        for table, rows in self._rows.items():
            if len(rows) >= least:
                self._live.add(table, rows)
                rows.clear()

    def read(self, node: Any, parent_elsewhere: Any) -> None:
        """`parent_elsewhere`: the parent where it is an event of another thread."""
        try:
            fields = node.extra_fields
        except (RuntimeError, TypeError):  # garbage collection has no class of its own in Python
            return
        kind = type(fields)
        handler = self._handlers.get(kind)
        if handler is None:
            name = kind.__name__.removeprefix("_ExtraFields_")
            known = {"TorchOp": self._operator, "Allocation": self._allocation, "PyCall": self._call, "PyCCall": self._c_call}
            handler = self._handlers[kind] = known.get(name, _nothing)
        handler(node, fields, parent_elsewhere)

    def _operator(self, node: Any, fields: Any, parent_elsewhere: Any) -> None:
        correlation = node.correlation_id
        parent_start = NONE if parent_elsewhere is None else parent_elsewhere.start_time_ns
        self._rows["operators"].append((correlation, parent_start, fields.allow_tf32_cublas))
        if not self._with_tensors:
            return
        for place, argument in enumerate(fields.inputs):
            if argument is None or isinstance(argument, (bool, int, float, complex)):
                continue
            if isinstance(argument, list):
                for item, tensor in enumerate(argument):
                    self._tensor(correlation, tensor, _INPUT, place, item)
            else:
                self._tensor(correlation, argument, _INPUT, place)

    def _allocation(self, node: Any, fields: Any, _parent: Any) -> None:
        if self._with_tensors:
            ids = (_known(fields.id), _known(fields.allocation_id))
            self._rows["allocations"].append((node.start_time_ns, _signed(fields.ptr), fields.alloc_size, *ids))

    def _c_call(self, node: Any, fields: Any, _parent: Any) -> None:
        self._frame(node, fields.caller, is_c=True)

    def _call(self, node: Any, fields: Any, _parent: Any) -> None:
        module, optimizer = fields.module, fields.optimizer
        owner = self._n_frames
        if module is None:
            self._frame(node, fields.caller, pointer=NONE if optimizer is None else _signed(optimizer.self_ptr))
        else:
            self._frame(node, fields.caller, callsite=fields.callsite, module=module)
            if self._with_tensors:
                for place, (name, tensor, gradient) in enumerate(module.parameters):
                    name_id = self._live.text_id(name)
                    self._tensor(owner, tensor, _MODULE_PARAMETER, place, name_id=name_id)
                    self._tensor(owner, gradient, _MODULE_GRADIENT, place, name_id=name_id)
        if optimizer is not None and self._with_tensors:
            for place, (tensor, gradient, states) in enumerate(optimizer.parameters):
                self._tensor(owner, tensor, _OPTIMIZER_PARAMETER, place)
                self._tensor(owner, gradient, _OPTIMIZER_GRADIENT, place)
                for item, (name, state) in enumerate(states):
                    self._tensor(owner, state, _OPTIMIZER_STATE, place, item, self._live.text_id(name))

    def _frame(
        self, node: Any, caller: Any, *, is_c: bool = False, pointer: int = NONE, callsite: Any = None, module: Any = None
    ) -> None:
        text_id = self._live.text_id
        try:
            name = text_id(node.name)
            called_from = (text_id(caller.file_name), caller.line_number, text_id(caller.function_name))
        except UnicodeDecodeError:  # nameless in Python, as in `live_reader`
            name, called_from = NONE, (NONE, NONE, NONE)
        own, of_class = (NONE, NONE, NONE), (NONE, NONE)
        if module is not None:
            own = (text_id(callsite.file_name), callsite.line_number, text_id(callsite.function_name))
            pointer = _signed(module.self_ptr)
            of_class = (_signed(module.cls_ptr), text_id(module.cls_name))
        row = (node.start_time_ns, of_class[0], pointer, name, *called_from, *own, of_class[1], is_c)
        self._rows["frames"].append((*row, not is_c and module is None and pointer != NONE))
        self._n_frames += 1

    def _tensor(self, owner: int, tensor: Any, part: int, place: int, item: int = NONE, name_id: int = NONE) -> None:
        if tensor is None:
            return
        # What is the same for most tensors is looked up, and not made again: this is most of the time of reading a tree.
        kind, sizes, strides = (tensor.dtype, tensor.layout, tensor.device), tuple(tensor.sizes), tuple(tensor.strides)
        numbers, known = self._numbers, self._kinds.get(kind)
        if known is None:
            known = self._kinds[kind] = self._kind(*kind)
        dtype_id, layout_id, device_type, device_index = known
        sizes_id, strides_id = numbers.get(sizes), numbers.get(strides)
        if sizes_id is None:
            sizes_id = numbers[sizes] = self._list(sizes)
        if strides_id is None:
            strides_id = numbers[strides] = self._list(strides)
        tensor_id, allocation_id = tensor.id, tensor.allocation_id
        self._tensors.append(
            (
                owner,
                NONE if tensor_id is None else tensor_id,
                NONE if allocation_id is None else allocation_id,
                _signed(tensor.impl_ptr),
                _signed(tensor.storage_data_ptr),
                place,
                item,
                name_id,
                dtype_id,
                layout_id,
                sizes_id,
                strides_id,
                device_type,
                device_index,
                part,
            )
        )

    def _kind(self, dtype: Any, layout: Any, device: Any) -> tuple[int, int, int, int]:
        """Text ids of `float32` (of torch.float32) and `strided`, number of the device's type, its index."""
        words = (self._live.text_id(str(word).removeprefix("torch.")) for word in (dtype, layout))
        return (*words, _DEVICE_TYPES.get(device.type, DeviceType.PrivateUse1.value), _known(device.index))  # type: ignore[return-value]

    def _list(self, values: tuple[int, ...]) -> int:
        return self._live.text_id(f"[{','.join(map(str, values))}]")


def _nothing(node: Any, fields: Any, parent: Any) -> None:
    """For nodes of which the JSON says everything: device work, out of memory."""


def _known(value: int | None) -> int:
    return NONE if value is None else value


def _signed(pointer: int | None) -> int:
    """An address as int64; tagged ones may have the highest bit."""
    if pointer is None:
        return NONE
    return pointer if pointer < _TAGGED else pointer - (1 << 64)
