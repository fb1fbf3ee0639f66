"""Meta's MTIA: no names of CUDA at all. Programs are submitted by name, copies are DMA requests, streams wait for events."""

from __future__ import annotations

from typing import ClassVar, Final

from tests.vendors.vendor import Args, Row, Stream, Vendor, Work

DIRECTIONS: Final = {"to device": "HOST_TO_DEVICE", "to host": "DEVICE_TO_HOST"}
COPY_CALLS: Final = {"to device": "enqueueCommand memcpyHtoDAsync", "to host": "enqueueCommand memcpyDtoHAsync"}


class Mtia(Vendor):
    name = "mtia"
    pid = 17
    label = "MTIA 17"
    device_type = 19
    streams: ClassVar[dict[Stream, int]] = {"compute": 3536, "copy": 3672, "communication": 3774}
    head: ClassVar[Args] = {"deviceProperties": [], "with_stack": 1, "profile_memory": 1, "record_shapes": 1}
    collectives = None
    projects_annotations = False
    memory_args: ClassVar[Args] = {}

    def call(self, work: Work, correlation: int) -> Row:
        where = {"correlation": correlation, "device": self.pid, "stream_id": self._stream(work.stream)}
        if work.kind == "copy":
            return Row("mtia_runtime", COPY_CALLS[work.name], where | {"mem size": f"{work.bytes} bytes"})
        return Row("mtia_runtime", "runFunction - job_prep_and_submit_for_execution", where | {"executable_name": work.name})

    def work(self, work: Work, correlation: int) -> Row:
        where = {"correlation": correlation, "stream": self._stream(work.stream)}
        if work.kind == "copy":
            moved = {"direction": DIRECTIONS[work.name], "size": work.bytes, "packet_ptr": 8, "sqid": 8}
            return Row("mtia_ccp_events", "dma_request", where | moved)
        return Row("mtia_ccp_events", work.name, where | {"column": "0", "row": "0", "packet_ptr": 4})

    def wait(self, correlation: int) -> tuple[Row, Row | None]:
        where = {"correlation": correlation, "device": self.pid, "stream_id": self._stream("compute")}
        shown = Row("mtia_ccp_events", "event_record", {"stream": self._stream("compute"), "seq_num": correlation, "host_ctx": 1})
        return Row("mtia_runtime", "synchronizeStream", where), shown

    def others(self) -> list[tuple[int, int, Row]]:
        waits = {"stream": self._stream("communication"), "wait_on_stream": self._stream("compute"), "seq_num": 12, "host_ctx": 1}
        return [(self.pid, self.streams["communication"], Row("mtia_ccp_events", "event_wait", waits))]

    def _stream(self, name: Stream) -> int:
        """The stream's number, which is not the row's `tid`."""
        return {"compute": 101, "copy": 105, "communication": 108}[name]
