"""Do chains of small operations write to memory what the next one reads again, where one fused kernel would not?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, format_ns
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.modules.paths import module_paths
from tb_plugin.trace.names import without_overload
from tb_plugin.trace.scope.recorded import DEVICE, HOST, LAUNCHES
from tb_plugin.trace.work.handed_on import handed_on
from tb_plugin.trace.work.memory_chains import MemoryChains, memory_chains, memory_kernels

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.findings.facts import Facts

_KINDS: Final[tuple[tuple[str, frozenset[str]], ...]] = (
    ("rotary embedding", frozenset(("neg", "cat", "mul", "add"))),
    ("RMSNorm", frozenset(("pow", "mean", "rsqrt", "mul"))),
    ("QuickGELU", frozenset(("sigmoid", "mul"))),
    ("GELU", frozenset(("tanh", "pow", "mul"))),
    ("SwiGLU", frozenset(("silu", "mul"))),
)
"""What chains with these operators, and others, are known as."""

_KINDS_NAMED: Final = 3
_OPERATORS_NAMED: Final = 6


class _Kind(NamedTuple):
    """Chains of one kind."""

    name: str
    n_chains: int
    time_ns: int
    in_class: str  # of modules; empty where none was recorded


def find(facts: Facts) -> Seen | None:
    rows = facts.in_window(facts.busiest)
    optimizers = facts.named(lambda name: name.startswith("Optimizer."), Kind.ANNOTATION, Kind.OPERATOR)
    chains = memory_chains(facts.trace, rows[~np.isin(rows, facts.work_of(optimizers))])
    if len(chains.kernel) == 0:
        return None
    time_ns = facts.window_part(facts.union_of(chains.kernel))
    saved_ns, known_ns = _saved(facts, chains)
    gain_ns = min(round(float(saved_ns.sum())), time_ns)
    if facts.share(gain_ns if known_ns else time_ns) < (worth.REWRITE if known_ns else worth.ALWAYS_SOME):
        return None
    kinds = _kinds(facts, chains)
    n_chains = int(chains.of[-1]) + 1
    named = ", ".join(f"{kind.name} {format_ns(kind.time_ns)}" for kind in kinds)
    return Seen(
        title="Fuse chains of small operations: torch.compile, or fused layers in their place",
        what=f"{counted(n_chains, 'time')} three or more kernels that only move memory ran one after the other over "
        f"the same tensors, for {format_ns(time_ns)} ({percent(facts.share(time_ns))}): {named}.",
        evidence=[
            Evidence(text="kernels in chains", value=len(chains.kernel), unit="count"),
            Evidence(text="their time", value=time_ns, unit="ns"),
            *(
                Evidence(text=f"{counted(kind.n_chains, 'time')} {kind.name}{kind.in_class}", value=kind.time_ns, unit="ns")
                for kind in kinds
            ),
            *([Evidence(text="of known sizes", value=known_ns, unit="ns")] if known_ns else []),
            Evidence(text="all kernels that only move memory", value=_moving_ns(facts), unit="ns"),
        ],
        rows=chains.kernel,
        weight=saved_ns.astype(np.int64),
        gain_ns=gain_ns,
        gain_how="time of each chain less that of its longest kernel, as if the others came for free: input shapes, which would "
        "tell what is handed on, were not recorded (record_shapes=True)."
        if not known_ns
        else "time of each chain x its bytes that one kernel hands to the next, written and read, of all that it moves. By "
        "sizes: what is used again later has to be written all the same. What is kept for backward counts as written.",
        without=("fuse=0",),
        confidence="likely" if known_ns else "maybe",
    )


def _moving_ns(facts: Facts) -> int:
    """Time of all kernels of these categories and operators, in chains or not."""
    return facts.window_part(facts.union_of(memory_kernels(facts.trace, facts.in_window(facts.busiest))))


def _saved(facts: Facts, chains: MemoryChains) -> tuple[Float64Array, int]:
    """(time of each kernel that goes to what is handed on in its chain, time of those of known bytes), ns."""
    sizes = handed_on(facts.trace, chains)
    if not sizes.is_known.any():
        return _beside_the_longest(facts.duration(chains.kernel), chains), 0
    duration = facts.duration(chains.kernel) * sizes.is_known
    share = 1 - sizes.needed / np.maximum(sizes.moved, 1)
    return duration * share[chains.of], int(duration.sum())


def _beside_the_longest(duration_ns: Int64Array, chains: MemoryChains) -> Float64Array:
    """Of each kernel the part that its chain takes longer than its longest kernel."""
    longest = np.zeros(int(chains.of[-1]) + 1)
    np.maximum.at(longest, chains.of, duration_ns)
    all_ns = np.bincount(chains.of, weights=duration_ns)
    share: Float64Array = duration_ns * (1 - longest / np.maximum(all_ns, 1))[chains.of]
    return share


def _kinds(facts: Facts, chains: MemoryChains) -> list[_Kind]:
    """The kinds with the most time, the largest first."""
    owner = facts.trace.events.owner[chains.kernel].astype(np.int64)
    first = np.flatnonzero(~chains.follows)
    time_ns = np.bincount(chains.of, weights=facts.duration(chains.kernel))
    names = facts.trace.events.name_id[owner]
    kind_of: dict[bytes, str] = {}
    by_kind: dict[str, list[int]] = {}
    for chain, (begin, end) in enumerate(zip(first.tolist(), [*first[1:].tolist(), len(owner)], strict=True)):
        key = names[begin:end].tobytes()
        if key not in kind_of:
            kind_of[key] = _kind([facts.name(row) for row in owner[begin:end].tolist()])
        by_kind.setdefault(kind_of[key], []).append(chain)
    timed = [(round(float(time_ns[of].sum())), name, of) for name, of in by_kind.items()]
    longest = sorted(timed, key=lambda kind: -kind[0])[:_KINDS_NAMED]
    return [_Kind(name, len(of), ns, _class_of(facts, chains.kernel[np.isin(chains.of, of)])) for ns, name, of in longest]


def _kind(operators: list[str]) -> str:
    plain = [without_overload(name).removeprefix("aten::") for name in operators]
    roots = {name.removesuffix("_") for name in plain}
    normalised = next((name for name in roots if "batch_norm" in name), None)
    if normalised is not None:
        return "batch norm and what is around it" + (" (backward)" if "backward" in normalised else "")
    known = [title for title, needed in _KINDS if needed <= roots]
    if known:
        return " and ".join(known)
    return " ".join(plain[:_OPERATORS_NAMED]) + (" ..." if len(plain) > _OPERATORS_NAMED else "")


def _class_of(facts: Facts, kernels: Int64Array) -> str:
    """` in Qwen3RMSNorm`: the class of the modules that most of their time is in."""
    paths = module_paths(facts.trace)
    inside = paths.of_rows(facts.trace.events.owner[kernels].astype(np.int64))
    by_class: dict[str, int] = {}
    for path, time_ns in zip(inside.tolist(), facts.duration(kernels).tolist(), strict=True):
        if path != NONE:
            name = paths.class_names[path]
            by_class[name] = by_class.get(name, 0) + time_ns
    return f" in {max(by_class, key=lambda name: by_class[name])}" if by_class else ""


CHECK: Final = Check(
    id="fusable_chain",
    looks_for="chains of small operations that one kernel could do",
    needs=(HOST, DEVICE, LAUNCHES),
    find=find,
    code="""\
model = torch.compile(model)
# or by hand: torch.nn.RMSNorm, and fused rotary embeddings and activations of a kernel library""",
    unless="Shapes change with every call (try dynamic=True), or the host launches no faster than the device works: fusing then "
    "gains less until launching costs less too.",
    link="https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
)
