"""Perfetto's protobuf messages, from the package `perfetto`, and the numbers of its enumerations that we use."""

from __future__ import annotations

from typing import Any, Final

from tb_plugin.base.errors import UsageError

EXTRA: Final = "perfetto"
"""The extra of this package that brings the messages."""

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4  # TrackEvent.Type
STATE_CLEARED, NEEDS_STATE = 1, 2  # TracePacket.SequenceFlags
REALTIME, BOOTTIME = 1, 6  # BuiltinClock
UNIT_BYTES = 3  # CounterDescriptor.Unit
BY_KEY = 3  # TrackDescriptor.SiblingMergeBehavior
BY_RANK = 3  # TrackDescriptor.ChildTracksOrdering.EXPLICIT

ADDED: Final = "sums that the [memory] events tell"
"""Description of counters that repeat what other events hold."""
UNNAMED: Final = "unnamed"
"""In descriptions of tracks whose name is made up by us."""


def messages() -> Any:
    """The module with the messages; UsageError that says how to get it."""
    try:
        from perfetto.protos.perfetto.trace import perfetto_trace_pb2
    except ImportError as error:
        wanted = f"Perfetto's messages are not installed: pip install 'torch-tb-plugin[{EXTRA}]'"
        raise UsageError(f"{wanted} ({error})") from error
    return perfetto_trace_pb2


def decode_error() -> type[Exception]:
    """What parsing raises."""
    from google.protobuf.message import DecodeError

    return DecodeError
