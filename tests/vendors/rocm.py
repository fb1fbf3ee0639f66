"""AMD: roctracer's words. The call says how a kernel was launched, the row on the device does not; no occupancy."""

from __future__ import annotations

from typing import ClassVar, Final

from tests.vendors.vendor import Args, Row, Stream, Vendor, Work

KERNELS: Final = {
    "matmul": "Cijk_Ailk_Bljk_SB_MT128x128x16_MI32x32x2x1_SN_1LDSB0_APM1_AF0EM1_AMAS3_BL1_ISA942_WG32_4_1",
    "attention": "attn_fwd.kd",
    "norm": "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(int, float, float const*)",
    "softmax": "void (anonymous namespace)::softmax_warp_forward<float, float, float, 7, true, false, 64>(float*, int)",
    "elementwise": "void at::native::vectorized_elementwise_kernel<8, at::native::GeluCUDAKernelImpl>(int, array<char*, 2ul>)",
    "optimizer": "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<TensorListMetadata<4> >(float)",
    "allreduce": "ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)",
}
COPIES: Final = {"to device": ("Memcpy HtoD (Host -> Device)", "HtoD"), "to host": ("Memcpy DtoH (Device -> Host)", "DtoH")}
KINDS: Final = {"to device": "1", "to host": "2"}


class Rocm(Vendor):
    name = "rocm"
    pid = 2
    label = "GPU 2"
    device_type = 6
    streams: ClassVar[dict[Stream, int]] = {"compute": 0, "copy": 0, "communication": 3}
    head: ClassVar[Args] = {
        "deviceProperties": [
            {
                "id": place,
                "name": "AMD Instinct MI300X",
                "totalGlobalMem": 206_141_652_992,
                "computeMajor": 9,
                "computeMinor": 4,
                "maxThreadsPerBlock": 1024,
                "maxThreadsPerMultiprocessor": 2048,
                "regsPerBlock": 65536,
                "warpSize": 64,
                "sharedMemPerBlock": 65536,
                "numSms": 304,
                "maxSharedMemoryPerMultiProcessor": 65536,
            }
            for place in range(2)
        ],
        "roctracer_version": 4.1,
        "hip_runtime_version": 60_443_483,
        "hip_driver_version": 60_443_483,
        "with_stack": 1,
        "profile_memory": 1,
        "record_shapes": 1,
        "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 2, "pg_count": 1, "nccl_version": "2.22.3"},
    }
    collectives = "nccl:all_reduce"
    projects_annotations = True
    memory_args: ClassVar[Args] = {"finished": True}

    def call(self, work: Work, correlation: int) -> Row:
        if work.kind == "copy":
            moved = {"src": "0x7f0e4a7e8000", "dst": "0x7f0e79800400", "bytes": str(work.bytes), "kind": KINDS[work.name]}
            return Row("cuda_runtime", "hipMemcpyAsync", {"cid": 134, "correlation": correlation, **moved})
        if work.kind == "set":
            return Row("cuda_runtime", "hipMemsetAsync", {"cid": 159, "correlation": correlation})
        name, cid = ("hipExtModuleLaunchKernel", 65) if work.name == "matmul" else ("hipLaunchKernel", 107)
        shape = {"grid": [work.blocks, 1, 1], "block": [work.threads, 1, 1], "shared memory": work.shared_bytes}
        return Row("cuda_runtime", name, {"kernel": KERNELS[work.name], "cid": cid, "correlation": correlation, **shape})

    def work(self, work: Work, correlation: int) -> Row:
        where = {"device": self.pid, "stream": self.streams[work.stream], "correlation": correlation}
        if work.kind == "kernel":
            return Row("kernel", KERNELS[work.name], {**where, "kind": "Dispatch Kernel", **work.collective})
        if work.kind == "set":
            return Row("gpu_memset", "Memset (Device)", {**where, "kind": "Device"})
        name, kind = COPIES[work.name]
        return Row("gpu_memcpy", name, {**where, "kind": kind})

    def wait(self, correlation: int) -> tuple[Row, Row | None]:
        return Row("cuda_runtime", "hipStreamSynchronize", {"cid": 234, "correlation": correlation}), None

    def others(self) -> list[tuple[int, int, Row]]:
        return []
