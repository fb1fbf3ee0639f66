"""Names of modules as the model has them (`layer1.0.conv1`), joined to torch's frames, which only count (`Conv2d_3`).

torch's tracer knows the address of each module it sees called, and that is its `id()`. Names are listed in the training loop,
where the modules live; the join needs the written trace and happens in the child process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tb_plugin.trace.model import Trace

_FRAME_PREFIX: Final = "nn.Module: "


class Model(Protocol):
    """torch.nn.Module, as far as it is asked."""

    def named_modules(self) -> Iterable[tuple[str, Any]]: ...


def by_id(model: Model) -> dict[str, list[str]]:
    """`id()` of each module: its name and its class. The model itself has no name and is left out. 0.3 us a module."""
    return {str(id(module)): [name, type(module).__name__] for name, module in model.named_modules() if name}


def of_frames(trace: Trace, names: Mapping[str, list[str]]) -> dict[str, str]:
    """Names by frame: `{"Conv2d_3": "layer1.0.conv1"}`.

    A module may have died and its address be another's since: the class must fit. Two classes of one name share their numbers:
    a frame's name that two modules have is left out.
    """
    frames = trace.frames
    name_ids = trace.events.name_id[frames.row].tolist()
    found: dict[str, str] = {}
    pointer_of: dict[str, int] = {}
    for name_id, class_id, pointer in set(zip(name_ids, frames.class_id.tolist(), frames.self_pointer.tolist(), strict=True)):
        if class_id < 0 or not trace.text(name_id).startswith(_FRAME_PREFIX):
            continue
        frame = trace.text(name_id).removeprefix(_FRAME_PREFIX)
        if pointer_of.setdefault(frame, pointer) != pointer:
            found[frame] = ""
            continue
        qualified, class_name = names.get(str(pointer), ("", ""))
        if class_name == trace.text(class_id):
            found.setdefault(frame, qualified)
    return {frame: qualified for frame, qualified in sorted(found.items()) if qualified}
