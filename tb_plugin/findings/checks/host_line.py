"""Which line of the user's code does the device wait for?

Looks at all time in which nothing was queued: also before the first work of a step, after its last and, where Python frames
tell what runs in it, inside the data loader. Calls that wait are `synchronising`'s, many short gaps `host_bound`'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.compute.intervals import EMPTY, intersect, join, length, subtract
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.idle_lines import BETWEEN, IdleLine, idle_lines
from tb_plugin.replay.less import Less
from tb_plugin.replay.lines import line_times
from tb_plugin.trace.kinds import DATA_LOADER_NAME, Kind
from tb_plugin.trace.scope.recorded import DEVICE, HOST, LAUNCHES, STACKS, WHOLE

if TYPE_CHECKING:
    from tb_plugin.compute.intervals import Merged
    from tb_plugin.findings.check import Confidence
    from tb_plugin.findings.facts import Facts

_LINES_SHOWN: Final = 5
_LOADER: Final = """\
loader = DataLoader(dataset, num_workers=8, pin_memory=True, persistent_workers=True)
# or prepare the next batch in a thread while the device works on this one:
following = ThreadPoolExecutor(1).submit(prepare, next_batch)"""
_ALONE: Final = 0.25
"""Of the idle time: a line with less is one of many, and naming it would be no answer."""


def find(facts: Facts) -> Seen | None:
    pace = facts.launch_pace
    if pace is None:
        return None
    # Where launching is too slow, short gaps are `host_bound`'s: what remains is a line's if it is long and one place alone.
    waiting = pace.elsewhere if pace.is_limit else facts.when("waiting_for_host")
    idle, loading = subtract(waiting, facts.unusual), facts.union_of(facts.loader_rows)
    # Of the steps that these times are of. There may be none.
    some_ns = max(1, worth.ALWAYS_SOME * length(subtract(facts.window, facts.unusual)))
    if length(idle) < some_ns:
        return None
    # Where nothing tells what the loader does, its time is a finding of its own.
    lines = idle_lines(facts.trace, facts.busiest, idle) if facts.has(Kind.PYTHON) else None
    if lines is None or DATA_LOADER_NAME.match(_short(lines[0])):
        idle = subtract(idle, loading)
        lines = idle_lines(facts.trace, facts.busiest, idle)
    idle_ns = length(idle)
    if idle_ns < some_ns:
        return None
    first = lines[0]
    is_alone = first.idle_ns > _ALONE * idle_ns
    if not is_alone and (pace.is_limit or facts.share(idle_ns) < worth.EVERYWHERE):
        return None
    in_loader_ns = length(intersect(idle, loading))
    named = "" if STACKS.is_there(facts.trace) else f" {STACKS.why_not(facts.trace)}"
    gaps = " in gaps with room for ten launches and more" if pace.is_limit else ""
    loader = f" {format_ns(in_loader_ns)} of it lie inside the DataLoader." if in_loader_ns else ""
    return Seen(
        title=f"Shorten what the device waits for on the host, or do it beside the device's work: {_short(first)}"
        if is_alone
        else "Do less on the host between launches: the device waits for it, for no line alone",
        what=f"The device had nothing to do for {format_ns(idle_ns)} ({percent(facts.share(idle_ns))}){gaps}: for "
        f"{format_ns(first.idle_ns)} the host was in {_described(first)}.{loader}{named}",
        evidence=[
            Evidence(text=f"device idle, with nothing launched{gaps}", value=idle_ns, unit="ns"),
            *(Evidence(text=f"of it in {_described(line)}", value=line.idle_ns, unit="ns") for line in lines[:_LINES_SHOWN]),
            Evidence(text="places", value=len(lines), unit="count"),
        ],
        rows=first.rows,
        weight=first.row_ns,
        gain_ns=first.idle_ns if is_alone else idle_ns,
        time=_time_of(facts, first, idle) if is_alone else idle,
        gain_how=f"time {'under this line' if is_alone else ''} in which the busiest device did nothing and nothing was queued, "
        "as on the overview; each instant is of the innermost event that is open on the thread that launches the next work. "
        "Profiling itself slows the host, so the true figure is smaller.".replace("  ", " "),
        less=Less(line=None if first.text == BETWEEN else first.text, during=idle) if is_alone else None,
        estimate_how="this line takes no time while the device waits for it.",
        confidence=_confidence(facts, first, is_alone),
        explains=("data_loader",),
        code=_LOADER if facts.is_loading(facts.union_of(first.rows)) else "",
    )


def _time_of(facts: Facts, line: IdleLine, idle: Merged) -> Merged:
    """When the device waits for this line, on whichever thread."""
    if line.text == BETWEEN:
        return idle
    return join(EMPTY, *(intersect(times, idle) for times in line_times(facts.trace, line.text).values()))


def _short(line: IdleLine) -> str:
    return line.inside or line.text


def _described(line: IdleLine) -> str:
    return f"{line.text}, {line.inside}" if line.inside else line.text


def _confidence(facts: Facts, first: IdleLine, is_alone: bool) -> Confidence:
    if not is_alone or len(first.rows) == 0:
        return "maybe"
    return "sure" if facts.has(Kind.PYTHON) else "likely"


CHECK: Final = Check(
    id="host_line",
    looks_for="lines of the host that the device waits for",
    needs=(HOST, DEVICE, LAUNCHES, WHOLE),
    find=find,
    code="""\
# once before the loop, or for the next step in a thread, while the device works on this one:
following = ThreadPoolExecutor(1).submit(work_of_the_host, next_batch)""",
    unless="the line is one that profiling itself makes slow, as many short Python calls are: record once with with_stack=False.",
    link="https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
)
