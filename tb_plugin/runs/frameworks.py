r"""How frameworks name their profiles: patterns as data, each with a sample that a test runs. The first that fits is taken.

A name without its ending is matched (`names.py`), and the folder it lies in. Groups of a pattern:

    rank                  the GLOBAL rank, nothing else: Lightning's number is a local one, SGLang's TP a place
    dp pp tp cp dcp ep    the place in the mesh
    group                 a prefix that tells roles apart: shown where a run has several
    time                  when, of 10 to 19 digits
    worker, span          the names in links, where they differ from those that every file has
    stage                 a part of the span's name: prefill, decode
    number                sorts spans that are counted, not timed
    memory                there for a memory snapshot
    cut_...               does not belong to the worker's name

What a pattern does not say is not said: a name is a guess, and the content of a file overrules it. Names that differ
from job to job in no known way are left out: one wrong label is worse than ten plain ones.
"""

from __future__ import annotations

import functools
import re
from typing import Literal, NamedTuple

from tb_plugin.runs.names import UNNAMED_SPAN, FileName, time_ns

Kind = Literal["trace", "memory"]

PLACES = ("tp", "pp", "dp", "cp", "dcp", "ep")


class NamePattern(NamedTuple):
    """One framework's way. Of the labels' parts those are shown whose groups are there."""

    who: str
    has: str
    """Stands in each of its names: looked for first, because it takes no time."""
    pattern: str
    sample: str
    worker: tuple[str, ...] = ()
    span: tuple[str, ...] = ()
    listed_last: bool = False


_TIME = r"\.(?P<time>\d{13,19})"
_STEP = r"(?P<span>(?P<what>step|iteration|iter|it|batch)[-_]?(?P<number>\d{1,15}))"

ROWS = (
    NamePattern(
        "vLLM",
        "_rank",
        r"(?:(?P<group>.+)_)?dp(?P<dp>\d{1,7})_pp(?P<pp>\d{1,7})_tp(?P<tp>\d{1,7})_dcp(?P<dcp>\d{1,7})_ep(?P<ep>\d{1,7})_rank(?P<rank>\d{1,7})"
        + _TIME,
        "dp0_pp0_tp1_dcp0_ep1_rank1.1717000000123456789",
    ),
    NamePattern(
        "vLLM's front end",
        ".async_llm",
        r"(?P<host>.+)_(?P<pid>\d+)\.async_llm" + _TIME,
        "node7_4242.async_llm.1717000000123456789",
        worker=("front end",),
        listed_last=True,
    ),
    NamePattern(
        "SGLang",
        "-TP-",
        r"(?P<span>(?:(?P<request>.+)-)?(?:(?P<time>\d{10})\.\d+)|(?P<other>.+?))"
        r"-(?P<worker>TP-(?P<tp>\d{1,7})(?:-DP-(?P<dp>\d{1,7}))?(?:-PP-(?P<pp>\d{1,7}))?(?:-EP-(?P<ep>\d{1,7}))?)"
        r"(?:-(?P<memory>memory))?(?:-(?P<stage>[A-Za-z_]+))?(?:\.trace)?",
        "1717000000.1234567-TP-0-EP-1-DECODE.trace",
        span=("{request}", "{other}", "{stage}"),
    ),
    NamePattern(
        "Lightning",
        "-",
        r"(?P<phase>fit|validate|test|predict)-(?:(?P<group>.+?)-)?(?P<local>\d{1,7})-"
        r"(?:[^-]*[.\]])?(?P<hook>[^-.\]]*(?:_step|_epoch|training)[^-.\]]*)" + _TIME,
        "fit-perf-0-[Strategy]DDPStrategy.training_step.1717000000123456789",
        worker=("local {local}", "{phase}", "{hook}"),
    ),
    NamePattern("Composer", "rank", r"rank(?P<rank>\d{1,7})\.(?P<number>\d{1,9})", "rank3.7", span=("batch {number}",)),
    NamePattern(
        "detectron2",
        "profiler-trace-iter",
        r"profiler-trace(?P<cut_span>-(?P<span>iter(?P<number>\d{1,15})))",
        "profiler-trace-iter20",
        span=("iteration {number}",),
    ),
    NamePattern("Accelerate", "profile_", r"profile_(?P<rank>\d{1,7})", "profile_3"),
    NamePattern(
        "Kineto on demand, dynolog",
        "libkineto_",
        r"libkineto_(?:activities|trace).*?_(?P<pid>\d+)",
        "libkineto_activities_4242",
        worker=("process {pid}",),
    ),
    NamePattern(
        "torchtitan, torchtune, Megatron, NeMo, verl, TensorRT-LLM, vLLM-Omni and all who write the rank as a word",
        "rank",
        r"(?:(?P<group>.+?)[._-]+)?rank[-_.]?(?P<rank>\d{1,7})(?:[-_.].*?)??"
        rf"(?P<cut_span>[-_.]{_STEP})?(?P<cut_memory>[-_.](?P<memory>memory(?:_snapshot)?))?(?:[._-]trace)?(?:\.(?P<time>\d{{10,19}}))?",
        "trace_rank_3_step_120",
        span=("{what} {number}",),
    ),
    NamePattern(
        "torch",
        "_",
        r"(?P<host>.+(?<!step)(?<!iter)(?<!iteration)(?<!epoch)(?<!worker)(?<!gpu)(?<!stage))_(?P<pid>\d+)" + _TIME,
        "node7_4242.1717000000123456789",
        worker=("{host}, process {pid}",),
    ),
)

ITERATION = NamePattern(
    "torchtitan, torchtune: an iteration is a folder",
    "_",
    r"(?:(?P<run>.+)/)?(?P<folder_span>(?P<folder_what>iteration|iter|global_step|step)_(?P<folder_number>\d{1,15})"
    r"(?:_(?P<exit>exit))?)(?:/(?P<replica>replica[-_]?\w+))?",
    "profile_traces/iteration_100/replica_0",
    worker=("{replica}",),
    span=("{folder_what} {folder_number}", "{exit}"),
)
"""Of a folder: what stands above it is the run, and every profile in it belongs to one span."""

NPU = NamePattern(
    "torch_npu",
    "_ascend_pt/",
    r"(?:(?P<run>.+)/)?(?P<worker>(?P<host>[^/]+)_(?P<pid>\d+))_(?P<span>(?P<time>\d{17}))_ascend_pt"
    r"/ASCEND_PROFILER_OUTPUT/trace_view",
    "logs/node7_4242_20261121101010123_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view",
    worker=("{host}, process {pid}",),
)
"""Of a folder and a name: the folder says all."""

NPU_RANK = re.compile(r"profiler_info_(\d{1,7})\.json\Z")
"""A file in torch_npu's folder `..._ascend_pt` has the rank in its name."""

_ROWS = tuple((row.has, row, re.compile(row.pattern)) for row in ROWS)
_ITERATION = re.compile(ITERATION.pattern)
_NPU = re.compile(NPU.pattern)
_NONE = NamePattern("", "", "", "")

Groups = dict[str, str]


class Said(NamedTuple):
    """What folder and name say together. `worker` and `span` are the names in links, the parts are for people."""

    run: str
    """Relative to the logdir."""
    worker: str
    span: str
    kind: Kind
    rank: int | None
    place: tuple[tuple[str, int], ...]
    group: str
    worker_parts: tuple[str, ...]
    span_parts: tuple[str, ...]
    number: int | None
    time_ns: int | None
    listed_last: bool


def read(folder: str, name: FileName) -> Said:
    """`folder` is relative to the logdir."""
    npu = _NPU.fullmatch(f"{folder}/{name.stem}") if NPU.has in folder else None
    if npu is not None:
        return _said(NPU, {"run": "", **_groups(npu)}, name)
    row, groups = of_stem(name.stem)
    iteration = _ITERATION.fullmatch(folder)
    if iteration is None:
        return _said(row, {"run": folder, **groups}, name)
    return _said(row, {"run": "", **_groups(iteration), **groups}, name)


def of_stem(stem: str) -> tuple[NamePattern, Groups]:
    """The first row that fits a name without its ending, and its groups."""
    for has, row, pattern in _ROWS:
        if has in stem:
            match = pattern.fullmatch(stem)
            if match is not None:
                return row, _groups(match)
    return _NONE, {}


def _said(row: NamePattern, groups: Groups, name: FileName) -> Said:
    worker = groups.get("worker", name.worker)
    for cut in (groups[key] for key in ("cut_span", "cut_memory") if key in groups):
        before, _, after = worker.rpartition(cut)
        worker = before + after
    if "replica" in groups:
        worker = f"{groups['replica']}/{worker}"
    time = time_ns(groups.get("time", name.span))
    span = "-".join(groups[part] for part in ("span", "stage") if part in groups) or name.span
    if "folder_span" in groups:
        # The ranks of one iteration have different times.
        span = groups["folder_span"] if time is not None or span == UNNAMED_SPAN else f"{groups['folder_span']}/{span}"
    number = groups.get("folder_number", groups.get("number", "" if time is not None else name.span))
    return Said(
        run=groups["run"],
        worker=worker,
        span=span,
        kind="memory" if "memory" in groups or name.ending == ".pickle" else "trace",
        rank=int(groups["rank"]) if "rank" in groups else None,
        place=tuple((place, int(groups[place])) for place in PLACES if place in groups),
        group=groups.get("group", ""),
        worker_parts=_parts(ITERATION.worker, groups) + _parts(row.worker, groups),
        span_parts=_parts(ITERATION.span, groups) + _parts(row.span, groups),
        number=int(number) if number.isdecimal() else None,
        time_ns=time,
        listed_last=row.listed_last,
    )


def _groups(match: re.Match[str]) -> Groups:
    return {key: text for key, text in match.groupdict().items() if text is not None}


def _parts(templates: tuple[str, ...], groups: Groups) -> tuple[str, ...]:
    return tuple(template.format_map(groups) for template in templates if _fields(template) <= groups.keys())


@functools.cache
def _fields(template: str) -> frozenset[str]:
    return frozenset(re.findall(r"\{(\w+)\}", template))
