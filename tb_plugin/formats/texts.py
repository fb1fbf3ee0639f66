"""Texts of a file as every view can show them: not longer than one can look at, and nothing that UTF-8 cannot say."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

import msgspec

from tb_plugin.base.readable import is_readable, readable_name
from tb_plugin.trace.model import Issue

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

LONGEST: Final = 1 << 15
"""Characters. Names of C++ templates have some thousands, shapes of a list of tensors ten thousand."""


def sound_texts(trace: Trace) -> Trace:
    """The same trace with such strings; those that were cut are an issue."""
    if not is_readable(trace.info.source):  # a file's name
        trace = dataclasses.replace(trace, info=msgspec.structs.replace(trace.info, source=readable_name(trace.info.source)))
    strings = trace.strings
    long = [place for place, text in enumerate(strings) if len(text) > LONGEST]
    odd = [place for place, text in enumerate(strings) if not text.isascii() and not _is_utf8(text)]
    if not long and not odd:
        return trace
    changed = list(strings)
    for place in long:
        changed[place] = f"{strings[place][:LONGEST]}…"
    for place in odd:
        changed[place] = changed[place].encode("utf-8", "replace").decode()
    issues = trace.issues
    if long:
        text = f"names and other texts of more than {LONGEST:,} characters are cut"
        issues = (*issues, Issue(kind="long text", count=len(long), text=text))
    return dataclasses.replace(trace, strings=tuple(changed), issues=issues)


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
