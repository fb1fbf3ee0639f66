"""One sample against its goldens, and against itself in other clothes."""

from __future__ import annotations

import dataclasses
import difflib
import shutil
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from tb_plugin.formats import reader
from tb_plugin.formats.stored import profile_pb
from tb_plugin.trace.check import check
from tests.formats.same_trace import assert_same_profile
from tests.goldens.goldens import as_text
from tests.goldens.questions import answers
from tests.profiles import trace_of

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

EXPECTED: Final = Path(__file__).parent / "expected"
MOST_LINES = 40  # of a difference


def name_of(sample: Path) -> str:
    """`cnn/node1_1`, or `cnn/node1_1_stored` for the file in our own format."""
    return f"{sample.parent.name}/{sample.name.split('.')[0]}{'_stored' if sample.suffix == '.pb' else ''}"


def check_sample(sample: Path, folder: Path, *, update: bool = False) -> None:
    """Every view answers as its golden says; so does the same profile by another name, and stored. `folder` is for both."""
    trace = trace_of(sample)
    check(trace)
    texts = _texts(trace)
    expected = EXPECTED / name_of(sample)
    if update:
        shutil.rmtree(expected, ignore_errors=True)
        expected.mkdir(parents=True)
        for golden, text in texts.items():
            (expected / golden).write_text(text, encoding="utf-8")
    _compare(texts, {path.name: path.read_text(encoding="utf-8") for path in expected.glob("*.json")})
    unknown, stored = folder / "unknown", folder / "stored.pb"
    shutil.copyfile(sample, unknown)
    assert_same_profile(reader.read(unknown), trace)
    profile_pb.write(trace, stored)
    again = reader.read(stored)
    check(again)
    named = msgspec.structs.replace(again.info, source=trace.info.source, format=trace.info.format)
    _compare(_texts(dataclasses.replace(again, info=named)), texts)


def _texts(trace: Trace) -> dict[str, str]:
    """The goldens by file name."""
    of_file: dict[str, dict[str, Any]] = defaultdict(dict)
    for golden, title, answer in answers(trace):
        assert title not in of_file[golden], title
        of_file[golden][title] = answer
    return {f"{golden}.json": as_text(found) for golden, found in of_file.items()}


def _compare(found: dict[str, str], expected: dict[str, str]) -> None:
    different: list[str] = []
    for name in sorted({*found, *expected}):
        old, new = (texts.get(name, "").splitlines() for texts in (expected, found))
        different += difflib.unified_diff(old, new, f"expected {name}", f"found {name}", lineterm="", n=1)
    shown = "\n".join(different[:MOST_LINES])
    assert not different, f"pytest tests/goldens --update-goldens, if this is meant:\n{shown}\n({len(different)} lines in all)"
