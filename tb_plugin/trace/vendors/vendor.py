"""The record of a vendor. The rules of `trace` and of what lies above it are made of the records of all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tb_plugin.trace.kinds import Kind
    from tb_plugin.trace.vendors.peak import Peak
    from tb_plugin.trace.vendors.torch_device import TorchDevice


class Word(NamedTuple):
    """A regular expression for names of events, and a name that it was written for, shortened."""

    pattern: str
    sample: str


class KernelWord(NamedTuple):
    """As a row of `kernel_rules`: the id of a category of `taxonomy`, and as in Word."""

    category: str
    pattern: str
    sample: str


class MatrixWord(NamedTuple):
    """Does a kernel whose name has this pattern use tensor or matrix cores? Else as in Word."""

    uses_cores: bool
    pattern: str
    sample: str


@dataclass(frozen=True, kw_only=True)
class Copies:
    """How names of copies say from where to where: `Memcpy HtoD (Pageable -> Device)`, `CopyHostToDevice`."""

    ends: str
    """A regular expression with two groups, where from and where to: `HtoD`."""

    places: Mapping[str, str]
    """What the groups can be, and mean: `H` is `host`. Others are `device`, `peer` and `array`."""

    to_device: str
    """How the name of a copy from the host to the device begins: `Memcpy HtoD`."""

    to_host: str
    """How the name of a copy back begins: `Memcpy DtoH`."""

    names_memory: bool
    """Whether the kinds of memory at both ends follow in brackets: `(Pageable -> Device)`."""


@dataclass(frozen=True, kw_only=True)
class Vendor:
    """What a file says in a vendor's own words. A file does not say whose it is: it is read by the rules of all vendors.

    The defaults mean "nothing of its own".
    """

    title: str
    """As texts write it: `AMD`."""

    torch: TorchDevice
    """What torch takes its devices for."""

    categories: Mapping[str, Kind] = field(default_factory=dict)
    """Kinds of a file's categories, in lower case, that `file_categories` has no general rule for: `cuda_sync` is SYNC."""

    kinds_by_name: Mapping[tuple[str, str], Kind] = field(default_factory=dict)
    """Where a category holds several kinds, by category and name: `mtia_ccp_events`, `event_wait` is SYNC."""

    process_groups: tuple[str, ...] = ()
    """Backends of torch.distributed that are its own, as ranges of collectives name them: `nccl` of `nccl:all_reduce`."""

    collective_kernels: tuple[Word, ...] = ()
    """Searched in the name of a kernel, in any case: it is communication."""

    waits: tuple[str, ...] = ()
    """Whole names of calls that return when the device is done: `cudaStreamSynchronize`, but not `cudaMemcpyAsync`."""

    runs_programs: tuple[str, ...] = ()
    """Whole names of calls that run what a compiler made of a model or a part of it, under whatever name: `runFunction`."""

    takes_memory: tuple[str, ...] = ()
    """Whole names of calls that take memory from the driver, as the caching allocator does: `cudaMalloc`."""

    returns_memory: tuple[str, ...] = ()
    """Whole names of calls that give it back: `cudaFree`."""

    copies: Copies | None = None

    kernels: tuple[KernelWord, ...] = ()
    """Kernels of its own libraries. Those of a category are asked before the general rules of that category."""

    matrix_stated: tuple[MatrixWord, ...] = ()
    """Kernels whose name states the instruction. The first rule that is found decides, all of these before `matrix_known`."""

    matrix_known: tuple[MatrixWord, ...] = ()
    """Kernels of its libraries that are known to use the cores or not, though their name states nothing."""

    device_words: tuple[str, ...] = ()
    """Words in the names of its devices, in any case: `Instinct`. Those of no vendor have no rules: what they can is unknown."""

    warp_size: int | None = None
    """Threads that run in step, where no other vendor has so many: tells its devices where a file lacks their names."""

    peaks: tuple[Peak, ...] = ()
    """Of its devices; the first whose pattern is found in a device's name."""

    fp32_peak_is_of_matrix_cores: bool = False
    """Whose `fp32` the peaks are: of the vector units, or of matrix cores that take floats as they are."""

    matrix_types: tuple[tuple[tuple[int, int], frozenset[str]], ...] = ()
    """Element types that its matrix cores take (its programming guide), from a compute capability up to the next row."""
