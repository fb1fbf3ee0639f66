"""What a process group is for, by the words that Megatron, DeepSpeed, torch's DeviceMesh and vLLM describe it with, and, where it
was not described, by what one rank does in it. What all ranks together tell of it is `job/own/dimensions.py`.

only sends and receives          pipeline
only all-to-all                  expert
all ranks                        world, which is not marked
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.trace.collectives import kinds

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.collectives.groups import ProcessGroup

DIMENSIONS: Final = ("tensor", "pipeline", "data", "expert", "context", "model", "world")
SHORT: Final = {"dp": "data", "tp": "tensor", "pp": "pipeline", "ep": "expert", "cp": "context", "mp": "model"}
"""As people call them."""
NOT_RECORDED: Final = "not recorded"

_WORDS: Final = (
    (r"expert|(?:^|_)ep\d*(?:_|$)", "expert"),
    (r"context|(?:^|_)cp\d*(?:_|$)", "context"),
    (r"tensor_and|tensor_model|tensor|(?:^|_)tp\d*(?:_|$)|infer_tp|(?:^|_)sp\d*(?:_|$)|sequence", "tensor"),
    (r"pipeline|embedding|(?:^|_)pp\d*(?:_|$)", "pipeline"),
    (r"data|fsdp|(?:^|_)dp\d*(?:_|$)|dp_shard|dp_replicate|zero|ddp|hsdp", "data"),
    (r"model_parallel", "model"),
)
"""The first that is found in the description, in small letters. MODEL_PARALLEL_GROUP is tensor and pipeline at once."""

_RULES: Final = tuple((re.compile(words), dimension) for words, dimension in _WORDS)
_WORLD: Final = re.compile(r"default_pg|default|world", re.IGNORECASE)


def dimension_of(group: ProcessGroup) -> str | None:
    """One of DIMENSIONS by the description; None where that tells nothing."""
    text = group.description.lower()
    found = next((dimension for rule, dimension in _RULES if rule.search(text)), None)
    return "world" if found is None and _WORLD.search(text) else found


def dimension_told(group: ProcessGroup, kind: Int64Array, world_size: int | None) -> tuple[str, bool] | None:
    """(one of DIMENSIONS, whether only by its use); None where neither tells. `kind`: of all collectives of the group."""
    said = dimension_of(group)
    if said not in (None, "world"):
        return said, False
    if np.isin(kind, (kinds.SEND, kinds.RECV)).all():
        return "pipeline", True
    if said is not None:
        return said, False
    if (kind == kinds.ALL_TO_ALL).all():
        return "expert", True
    if world_size is not None and world_size > 1 and group.size == world_size:
        return "world", False
    return None
