"""TorchScript's "Module Hierarchy": where in a scripted model an operator ran, as one text an operator.

    TOP(ResNet)::forward.SELF(ResNet)::_forward_impl.layer1(Sequential)::forward.0(BasicBlock)::forward.

One entry for each function on the interpreter's stack (`moduleHierarchy` in torch/csrc/jit/runtime/interpreter.cpp):
`instance(type)::function`. TOP is the model that Python called, SELF the same module as in the entry before; a free function
has no instance. `TOP()` is a graph without a module of its own, such as one that autograd differentiates as a whole.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, Int32Array
from tb_plugin.trace.compact import compact, nothing
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import Kind

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_ENTRY: Final = re.compile(r"(?P<instance>[^(:]*)\((?P<type>[^)]*)\)::")
"""Of a module's method. Free functions, `::relu` and `CALL_FUNCTION::f(T)::f`, do not match."""

_SAME: Final = ("SELF", "")


class ScriptModule(NamedTuple):
    """One module of a hierarchy: `0(BasicBlock)`. The outermost has no instance name."""

    instance: str
    class_name: str


class Hierarchy(NamedTuple):
    """A parsed text. `top` is its first entry, equal for all operators of one run of the interpreter."""

    top: str
    modules: tuple[ScriptModule, ...]


class Hierarchies(NamedTuple):
    """`of_row[row]` is a place in `texts`, or NONE."""

    of_row: Int32Array
    texts: tuple[str, ...]


@once_per_trace
def hierarchies(trace: Trace) -> Hierarchies:
    """What the file says of each operator. Reads stored arguments only where the options allow that there are any."""
    info = trace.info
    says_nothing = (info.with_modules, info.with_stack, info.record_shapes, info.profile_memory) == (None,) * 4
    if not (info.with_modules or (says_nothing and info.torch_version is None)):
        return Hierarchies(nothing((len(trace.events),), np.dtype(np.int32), NONE), ())
    of_row, texts = trace.args.texts(trace.events.order, np.flatnonzero(trace.events.kind == Kind.OPERATOR), "Module Hierarchy")
    return Hierarchies(compact(of_row, NONE, None), tuple(texts))


def parse(text: str) -> Hierarchy:
    """The modules of a hierarchy, outermost first. Functions of the same module, and free ones, add none."""
    modules = []
    for entry in text.split("."):
        match = _ENTRY.match(entry)
        if match is None or match["instance"] in _SAME:
            continue
        if match["instance"] != "TOP":
            modules.append(ScriptModule(match["instance"], match["type"]))
        elif match["type"]:
            modules.append(ScriptModule("", match["type"]))
    return Hierarchy(text.partition("::")[0], tuple(modules))
