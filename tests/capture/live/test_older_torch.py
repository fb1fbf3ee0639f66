"""Before 2.13 torch's events do not say whether they are frames of Python."""

from __future__ import annotations

import threading

from tb_plugin.capture.live import reader
from tb_plugin.capture.pace import Pace


class Event:
    def __init__(self, name: str) -> None:
        self._name = name

    def name(self) -> str:
        return self._name

    def start_ns(self) -> int:
        return 5

    def end_ns(self) -> int:
        return 9

    def start_thread_id(self) -> int:
        return 1

    def end_thread_id(self) -> int:
        return 1

    def scope(self) -> int:
        return 7

    def is_async(self) -> bool:
        return False


class Results:
    def __init__(self, *names: str) -> None:
        self._names = names

    def events(self) -> list[Event]:
        return [Event(name) for name in self._names]

    def experimental_event_tree(self) -> list[object]:
        return []


def test_frames_are_told_by_their_names_and_all_else_is_read() -> None:
    frames = ("train.py(12): step", "<built-in method apply of type object>", "nn.Module: Linear_0")
    read = reader.read(Results("aten::mm", *frames, "step (1)", "ProfilerStep#3"), Pace(threading.Event()))
    assert read.texts == ["aten::mm", "step (1)", "ProfilerStep#3"]
