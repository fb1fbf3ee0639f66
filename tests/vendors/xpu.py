"""Intel: PTI's words. Work names a SYCL queue where others name a stream, and times of its way to the device."""

from __future__ import annotations

from typing import ClassVar, Final

from tests.vendors.vendor import Args, Row, Stream, Vendor, Work

KERNELS: Final = {
    "matmul": "gemm_kernel",
    "attention": "micro_sdpa",
    "norm": "at::native::xpu::VectorizedLayerNormKernelFunctor<float, float, 4>",
    "softmax": "at::native::xpu::DispatchSoftmaxForwardKernelFunctor<float, float, float, unsigned int, true>",
    "elementwise": "at::native::xpu::VectorizedElementwiseKernel<4, at::native::xpu::GeluErfFunctor<float> >",
    "optimizer": "at::native::xpu::MultiTensorApplyKernelFunctor<at::native::xpu::TensorListMetadata<4> >",
    "allreduce": "oneccl_allreduce_ring_float",
}
COPIES: Final = {"to device": "Memcpy M2D (Memory -> Device)", "to host": "Memcpy D2M (Device -> Memory)"}
CALLS: Final = {"kernel": "urEnqueueKernelLaunch", "copy": "urEnqueueUSMMemcpy", "set": "urEnqueueUSMFill"}
CALLED: Final = {"copy": "zeCommandListAppendMemoryCopy", "set": "zeCommandListAppendMemoryFill"}


class Xpu(Vendor):
    name = "xpu"
    pid = 0
    label = "XPU 0"
    device_type = 12
    streams: ClassVar[dict[Stream, int]] = {"compute": 1, "copy": 1, "communication": 2}
    head: ClassVar[Args] = {
        "deviceProperties": [],
        "with_stack": 1,
        "profile_memory": 1,
        "record_shapes": 1,
        "distributedInfo": {"backend": "xccl", "rank": 0, "world_size": 2, "pg_count": 1},
    }
    collectives = "xccl:all_reduce"
    projects_annotations = False
    memory_args: ClassVar[Args] = {"finished": False}

    def call(self, work: Work, correlation: int) -> Row:
        return Row("xpu_runtime", CALLS[work.kind], {"correlation": correlation})

    def work(self, work: Work, correlation: int) -> Row:
        queue = self.streams[work.stream]
        where = {"correlation": correlation, "appended_rel_to_start": "-3.115", "submitted_rel_to_start": "-2.870"}
        where |= {"device": 0, "context": "0x00000000055e1b40", "sycl queue": queue, "l0 queue": "0x0000000005fa92c8"}
        if work.kind == "kernel":
            numbers = {"kernel_id": correlation, "sycl_node_id": 0, "sycl_invocation_id": 0}
            return Row("kernel", KERNELS[work.name], where | numbers | work.collective)
        moved = {"l0 call": CALLED[work.kind], "memory opration id": correlation, "bytes": work.bytes}  # PTI's own spelling
        moved |= {"memory bandwidth (GB/s)": work.bytes / work.duration_ns}
        if work.kind == "set":
            return Row("gpu_memset", "Memset (0 -> Device)", where | moved)
        return Row("gpu_memcpy", COPIES[work.name], where | moved)

    def wait(self, correlation: int) -> tuple[Row, Row | None]:
        return Row("xpu_runtime", "urEventWait", {"correlation": correlation}), None

    def others(self) -> list[tuple[int, int, Row]]:
        waits = {"correlation": 2_000, "Type": "HOST_EVENT", "Number_wait_events": 1, "Return_code": 0}
        overhead = {"overhead cost": 5_100, "overhead occupancy": "72%", "overhead count": 3}
        return [
            (-1, 4200, Row("xpu_sync", "zeEventHostSynchronize", waits)),
            (-1, 4200, Row("overhead", "BUFFER TIME", overhead)),
        ]
