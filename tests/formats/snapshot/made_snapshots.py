"""Memory snapshots as `torch.cuda.memory._dump_snapshot` writes them, made by a small caching allocator."""

from __future__ import annotations

import random
from typing import Any

SEGMENT = 2 << 20
BASE = 0x7F00_0000_0000
ROUND = 512


def frame(line: int, name: str, filename: str = "/data/user/train.py") -> dict[str, Any]:
    return {"filename": filename, "line": line, "name": name}


STACKS = {
    "forward": [
        frame(91, "operator()", "/build/aten/src/ATen/core/boxing.h"),
        frame(1775, "_call_impl", "/env/site-packages/torch/nn/modules/module.py"),
        frame(14, "forward"),
        frame(30, "step"),
        frame(50, "<module>"),
    ],
    "loss": [frame(20, "loss"), frame(31, "step"), frame(50, "<module>")],
    "optimizer": [
        frame(493, "wrapper", "/env/site-packages/torch/optim/optimizer.py"),
        frame(35, "step"),
        frame(50, "<module>"),
    ],
    "model": [frame(5, "build"), frame(45, "<module>")],
}


class Allocator:
    """Blocks one after another in segments of 2 MiB; `history` may begin late, as with `max_entries`."""

    def __init__(self, device: int = 0) -> None:
        self.device = device
        self.entries: list[dict[str, Any]] = []
        self.segments: list[dict[str, Any]] = []
        self.time_us = 1_700_000_000_000_000
        self._live: dict[int, dict[str, Any]] = {}

    def alloc(self, size: int, stack: str) -> int:
        """The address of a new block."""
        rounded = -(-size // ROUND) * ROUND
        frames = STACKS[stack]
        for segment in self.segments:
            for place, block in enumerate(segment["blocks"]):
                if block["state"] == "inactive" and block["size"] >= rounded:
                    return self._take(segment, place, size, rounded, frames)
        total = -(-rounded // SEGMENT) * SEGMENT
        address = BASE + (self.device << 40) + 0x1000_0000 * len(self.segments)
        empty = {"address": address, "size": total, "requested_size": 0, "state": "inactive", "frames": []}
        self.segments.append(
            {
                "device": self.device, "address": address, "total_size": total, "allocated_size": 0, "active_size": 0,
                "requested_size": 0, "stream": 0, "segment_type": "large" if total > SEGMENT else "small",
                "segment_pool_id": (0, 0), "is_expandable": False, "frames": frames, "blocks": [empty],
            }
        )  # fmt: skip
        self._note("segment_alloc", address, total, frames)
        return self._take(self.segments[-1], 0, size, rounded, frames)

    def free(self, address: int, *, completes: bool = True) -> None:
        block = self._live.pop(address)
        self._note("free_requested", address, block["requested_size"], STACKS["loss"])
        block["state"] = "inactive" if completes else "active_awaiting_free"
        if completes:
            self._note("free_completed", address, block["requested_size"], STACKS["loss"])
            block["requested_size"] = 0

    def oom(self, size: int) -> None:
        self.time_us += 3
        self.entries.append(
            {"action": "oom", "device_free": 1000, "size": size, "stream": 0, "frames": STACKS["loss"], "time_us": self.time_us}
        )

    def _take(self, segment: dict[str, Any], place: int, size: int, rounded: int, frames: list[dict[str, Any]]) -> int:
        block = segment["blocks"][place]
        rest = block["size"] - rounded
        block.update(size=rounded, requested_size=size, state="active_allocated", frames=frames)
        if rest:
            after = {"address": block["address"] + rounded, "size": rest, "requested_size": 0, "state": "inactive", "frames": []}
            segment["blocks"].insert(place + 1, after)
        self._live[block["address"]] = block
        self._note("alloc", block["address"], size, frames)
        return int(block["address"])

    def _note(self, action: str, address: int, size: int, frames: list[dict[str, Any]]) -> None:
        self.time_us += random.Random(len(self.entries)).choice((0, 0, 1, 7))
        entry = {"action": action, "addr": address, "size": size, "stream": 0, "time_us": self.time_us, "frames": frames}
        self.entries.append({**entry, "compile_context": "N/A", "user_metadata": ""})


def snapshot(*allocators: Allocator, last: int | None = None) -> dict[str, Any]:
    """Of these devices in order, with only the `last` entries of each."""
    for allocator in allocators:
        for segment in allocator.segments:
            held = [block for block in segment["blocks"] if block["state"] == "active_allocated"]
            active = [block for block in segment["blocks"] if block["state"] != "inactive"]
            segment["allocated_size"] = sum(block["size"] for block in held)
            segment["requested_size"] = sum(block["requested_size"] for block in held)
            segment["active_size"] = sum(block["size"] for block in active)
    return {
        "segments": [segment for allocator in allocators for segment in allocator.segments],
        "device_traces": [allocator.entries[-last if last else None :] for allocator in allocators],
        "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1, "expandable_segments": False},
        "external_annotations": [],
    }


def training(steps: int = 6, device: int = 0, scale: int = 1) -> Allocator:
    """A model, then steps that allocate in the forward pass and free; optimizer state stays from the first step on."""
    allocator = Allocator(device)
    for layer in range(4):
        allocator.alloc((300_000 + 1000 * layer) * scale, "model")
    for step in range(steps):
        kept = [allocator.alloc((70_001 + 9_000 * layer) * scale, "forward") for layer in range(8)]
        kept.append(allocator.alloc(5 * scale, "loss"))
        if step == 0:
            for _ in range(2):
                allocator.alloc(600_000 * scale, "optimizer")
        for address in reversed(kept[1:] if step == steps - 1 else kept):
            allocator.free(address)
    return allocator
