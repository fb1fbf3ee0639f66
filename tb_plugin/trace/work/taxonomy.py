"""What kind of work a kernel or an operator is: one list of categories for device and host, told by the name.

The rules are data (`kernel_rules`, `operator_rules`): a pattern, a category, and a name it was written for. The first
rule that fits decides. A kernel whose name tells nothing is what the innermost operator around its launch is whose name does
tell; where there is none it is what the call says that launched it: a compiled program, else "other", never guessed. Names are
judged once each.

    void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, ...>    ELEMENTWISE
    ampere_sgemm_128x64_nn                                                                  MATMUL
    aten::convolution_backward, ConvolutionBackward0                                        CONVOLUTION
    kernel_1, launched by aten::addmm                                                       MATMUL
    merge, launched by runFunction                                                          FUSED
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from tb_plugin.base.units import NONE
from tb_plugin.compute.nesting import marked_around
from tb_plugin.trace import vendors
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import Kind, is_kind
from tb_plugin.trace.names import judged, rows_named
from tb_plugin.trace.work.kernel_rules import KERNEL_RULES
from tb_plugin.trace.work.operator_rules import OPERATOR_RULES, plain_operator

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray
    from tb_plugin.trace.model import Trace


class Category(IntEnum):
    """In the order in which they are drawn. Stored nowhere: numbers may change."""

    MATMUL = 0
    CONVOLUTION = 1
    ATTENTION = 2
    NORMALISATION = 3
    ELEMENTWISE = 4
    REDUCTION = 5
    INDEXING = 6
    FUSED = 7
    OTHER = 8
    COMMUNICATION = 9
    COPY = 10
    SET = 11


NO_CATEGORY: Final = 255
"""Of rows that are neither device work nor an operator or range."""


CategoryId = Literal[
    "matmul",
    "convolution",
    "attention",
    "normalisation",
    "elementwise",
    "reduction",
    "indexing",
    "fused",
    "other",
    "communication",
    "copy",
    "set",
]


class CategoryInfo(NamedTuple):
    """How a category is written: `id` on the wire and in theme.css, `title` and `definition` on the page."""

    id: CategoryId
    title: str
    definition: str


CATEGORIES: Final[tuple[CategoryInfo, ...]] = (
    CategoryInfo("matmul", "Matrix multiply", "Products of matrices and vectors, with what is fused into them."),
    CategoryInfo("convolution", "Convolution", "Convolutions forward and backward, by any algorithm."),
    CategoryInfo("attention", "Attention", "Fused attention: flash, memory efficient, paged."),
    CategoryInfo("normalisation", "Normalisation", "Batch, layer, group and RMS norm; softmax."),
    CategoryInfo(
        "elementwise", "Elementwise", "One output per input: arithmetic, activations, casts, dropout, fused optimizers."
    ),
    CategoryInfo("reduction", "Reduction", "Sums, means, maxima, scans, pooling, losses."),
    CategoryInfo("indexing", "Indexing and layout", "Gather, scatter, embedding, sort, concatenation, transposition."),
    CategoryInfo(
        "fused",
        "Compiled kernels",
        "Made by a compiler, of some operators (Triton) or of a model (programs of MTIA), with names that do not tell.",
    ),
    CategoryInfo("other", "Other", "Neither the name nor an operator around the launch tells."),
    CategoryInfo("communication", "Communication", "Collectives and sends. Much of their time may be waiting for others."),
    CategoryInfo("copy", "Copy", "Copies between and on devices."),
    CategoryInfo("set", "Set", "Memory filled with a value."),
)
"""Indexed by Category."""

MULTIPLIES: Final = (Category.MATMUL, Category.CONVOLUTION, Category.ATTENTION)
"""What matrix cores are for."""

_SILENT: Final = (Category.OTHER, Category.FUSED)
"""Of kernels whose name does not tell what they do."""

_RUNS_PROGRAMS: Final = frozenset(name for vendor in vendors.ALL for name in vendor.runs_programs)

_BY_ID: Final[dict[str, Category]] = {info.id: Category(place) for place, info in enumerate(CATEGORIES)}


@lru_cache(maxsize=1 << 16)
def category_of_kernel(name: str) -> Category:
    """The category of a kernel by its name."""
    return next((_BY_ID[rule.category] for rule in KERNEL_RULES if rule.pattern.search(name)), Category.OTHER)


@lru_cache(maxsize=1 << 16)
def category_of_operator(name: str) -> Category:
    """The category of an operator, autograd node or range by its name."""
    plain = plain_operator(name)
    return next((_BY_ID[rule.category] for rule in OPERATOR_RULES if rule.pattern.search(plain)), Category.OTHER)


@once_per_trace
def category_by_row(trace: Trace) -> npt.NDArray[np.uint8]:
    """The Category of every event row: of device work, operators and ranges; else NO_CATEGORY."""
    kind = trace.events.kind
    category = np.full(len(kind), NO_CATEGORY, np.uint8)
    category[kind == Kind.COPY] = Category.COPY
    category[kind == Kind.SET] = Category.SET
    for rows, category_of in (
        (np.flatnonzero(kind == Kind.KERNEL), category_of_kernel),
        (np.flatnonzero((kind == Kind.OPERATOR) | (kind == Kind.ANNOTATION)), category_of_operator),
    ):
        category[rows] = judged(trace, rows, category_of, category_of(""))
    silent = np.flatnonzero((kind == Kind.KERNEL) & is_kind(category, _SILENT) & (trace.events.owner != NONE))
    if len(silent):
        tells = (kind == Kind.OPERATOR) & (category != Category.OTHER)
        owner = trace.events.owner[silent]
        category[silent[rows_named(trace, trace.events.launch[silent], _RUNS_PROGRAMS.__contains__)]] = Category.FUSED
        operator = marked_around(trace.events.nest_parent, tells, owner)
        category[silent[operator != NONE]] = category[operator[operator != NONE]]
    category.flags.writeable = False  # shared
    return category


def collective_kernels(trace: Trace) -> BoolArray:
    """For every event row: is it a kernel that is communication?"""
    is_collective: BoolArray = (category_by_row(trace) == Category.COMMUNICATION) & (trace.events.kind == Kind.KERNEL)
    return is_collective
