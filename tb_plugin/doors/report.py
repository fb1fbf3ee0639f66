"""The page with a profile in it, as one file that asks nobody: `tb-plugin report PATH -o report.html`.

The built page's `report.html`, with the answers (`answers/report.py`) as base 64 in it. Its policy lets only its own script
run and no request leave; text of the profile stands in the answers and in the title alone, never in a script.
"""

from __future__ import annotations

import base64
import hashlib
import html
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tb_plugin import __version__, views
from tb_plugin.answers import here, report
from tb_plugin.answers.bounded import json_of
from tb_plugin.base import child_process
from tb_plugin.base.errors import TbPluginError
from tb_plugin.base.fast_gzip import smallest
from tb_plugin.base.readable import readable_name
from tb_plugin.doors import definitions, replies, static_files, terminal
from tb_plugin.doors.reading import Reading, limits
from tb_plugin.formats import whole_file
from tb_plugin.runs import frameworks, logdirs, names
from tb_plugin.trace.scope.recorded import HOW_TO_RECORD
from tb_plugin.trace.scope.recording import is_cut_off

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from tb_plugin.base.progress import OnProgress
    from tb_plugin.trace.model import Trace

MAX_BYTES: Final = 3_000_000
"""What still goes with a mail or into a ticket."""

_HEAD_BYTES: Final = 200_000  # the index: the names of what is carried, and what was left for the head
_SCRIPT: Final = '<script type="module">'
_POLICY: Final = "default-src 'none'; script-src 'sha256-{}'; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'"


def add_parser(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.description = (
        "Writes one HTML file under 3 MB that shows a profile without a server and without the network: overview, "
        "tables, advice and the timeline at a bounded resolution. What has no room in it, it says."
    )
    parser.add_argument("path", metavar="PATH", help="a profile, or a log directory")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, required=True, help="where to write; replaced at once")
    terminal.add_profile_options(parser)
    terminal.add_no_limits(parser)
    parser.set_defaults(command=_report)


def _report(options: argparse.Namespace) -> None:
    reading = Reading(options.no_limits)
    with terminal.Progress() as progress:
        which = (getattr(options, name) for name in terminal.WHICH)
        trace = here.open_profile(options.path, *which, on_progress=progress, say=terminal.say, read=reading.read)
        source = reading.path
        (asked,) = logdirs.from_flags(options.path, None)
        below = source.parent.relative_to(asked.path).as_posix() if Path(asked.path).is_dir() else "."
        run = readable_name(source.parent.resolve().name if below == "." else below)
        with limits(None if options.no_limits else child_process.most_for_answer(len(trace.events))):
            left_out = write(trace, source, run, options.output.expanduser(), progress, no_limits=options.no_limits)
    for sentence in (*reading.notes, *dict.fromkeys(left_out)):
        terminal.say(sentence)


def write(
    trace: Trace, source: Path, run: str, target: Path, on_progress: OnProgress, *, no_limits: bool = False
) -> Sequence[str]:
    """Says what is left out. `source` is the file that the Trace was read from, for its name; `run` what the page calls where
    it lies.
    """
    page = static_files.find("report.html", static_files.FOLDER).content.decode()
    script = page.partition(_SCRIPT)[2].partition("</script>")[0]
    explained = smallest(json_of([definitions.texts(view) for view in definitions.view_ids()]))
    room_bytes = MAX_BYTES - len(page.encode()) - len(base64.b64encode(explained)) - _HEAD_BYTES
    baked = report.bake(trace, room_bytes, on_progress, no_limits=no_limits)
    last = len(baked.pieces)
    index = {
        "runs": _runs(trace, source, run, {name.partition("?")[0] for name in baked.answers}),
        "questions": baked.questions,
        "answers": baked.answers
        | {f"definitions?view={view}": (last, place) for place, view in enumerate(definitions.view_ids())},
        "windows": baked.windows,
    }
    pieces = [smallest(json_of(index)), *baked.pieces, explained]
    # Base 64 has no letter that HTML would read.
    answers = ",".join(f'"{base64.b64encode(piece).decode()}"' for piece in pieces)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    parts = {
        "policy": f'<meta http-equiv="Content-Security-Policy" content="{_POLICY.format(digest)}" />',
        "title": f"<title>{html.escape(readable_name(source.name))} · PyTorch Profiler</title>",
        "answers": f'<script type="application/json" id="tb-plugin-answers">[{answers}]</script>',
    }
    for name, part in parts.items():
        page = page.replace(f"<!-- {name} -->", part, 1)
    try:
        with whole_file.written(target) as file:
            file.write(page.encode(errors="replace"))
    except OSError as error:
        raise TbPluginError(f"{target}: {error.strerror or error}") from error
    return baked.left_out


def _runs(trace: Trace, source: Path, run: str, carried: set[str]) -> replies.RunsReply:
    """What a server would say of a log directory with this one profile in it, and of the views that were answered."""
    own = readable_name(source.name)
    named = names.parse(own)
    said = None if named is None else frameworks.read("", named)
    stem = own.partition(".")[0]
    rank = trace.info.rank
    span = replies.SpanState(
        name=stem if said is None else said.span,
        label=None,
        time_ms=None if said is None or said.time_ns is None else said.time_ns // 10**6,
        foreign=False,
        no_profile=False,
        is_dumps=False,
        was=None,
        state="ready",
        is_cut_off=is_cut_off(trace),
        progress=1.0,
        stage="",
        error=None,
        size_bytes=source.stat().st_size,
        files=[own],
    )
    worker_name = stem if said is None else said.worker
    worker = replies.WorkerState(
        name=worker_name,
        label=worker_name if rank is None else f"rank {rank}",
        rank=rank,
        rank_from=None if rank is None else "content",
        place={},
        note=None,
        opens=span.name,
        in_ranks=span.name,
        spans=[span],
    )
    return replies.RunsReply(
        logdirs=[run],
        scanning=False,
        searched=[],
        looked_into=[],
        problems=[],
        takes_files=False,
        how_to_record=HOW_TO_RECORD,
        version=__version__,
        views=[
            replies.ViewInfo(id=view.id, title=view.title, question=view.question, of_many=False)
            for view in views.ALL
            if f"view/{view.id}" in carried
        ],
        opens=run,
        runs=[replies.RunState(name=run, opens=worker.name, workers=[worker])],
    )
