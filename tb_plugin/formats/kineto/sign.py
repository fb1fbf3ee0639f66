"""How Kineto's JSON is told from any other, without the reader: a scan of a directory meets thousands of `*.json`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tb_plugin.formats.content import Content

# torch writes some of these before the events, which may stand megabytes later.
_KEY = re.compile(rb'"(traceEvents|schemaVersion|deviceProperties|distributedInfo|baseTimeNanoseconds|displayTimeUnit)"\s*:')
_EVENT_KEY = re.compile(rb'"ph"\s*:')


def is_ours(content: Content) -> bool:
    text = content.text
    if text[:1] == b"[":
        return text[1:].lstrip()[:1] == b"{" and _EVENT_KEY.search(text) is not None
    return text[:1] == b"{" and _KEY.search(text) is not None
