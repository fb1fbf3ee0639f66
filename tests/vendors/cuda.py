"""NVIDIA: CUPTI's words. Kernels say how they were launched and how full they keep the device."""

from __future__ import annotations

from typing import ClassVar, Final

from tests.vendors.vendor import Args, Row, Stream, Vendor, Work

N_SMS: Final = 132
KERNELS: Final = {
    "matmul": "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x32_warpgroupsize1x1x1_execute_kernel__5x_cublas",
    "attention": "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 64, 4>, true>(Flash_fwd_params)",
    "norm": "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(int, float, float const*)",
    "softmax": "void (anonymous namespace)::softmax_warp_forward<float, float, float, 7, true, false>(float*, int)",
    "elementwise": "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl>(int, array<char*, 2ul>)",
    "optimizer": "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<TensorListMetadata<4> >(float)",
    "allreduce": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
}
COPIES: Final = {"to device": "Memcpy HtoD (Pinned -> Device)", "to host": "Memcpy DtoH (Device -> Pageable)"}
CALLS: Final = {"kernel": ("cudaLaunchKernel", 211), "copy": ("cudaMemcpyAsync", 41), "set": ("cudaMemsetAsync", 51)}


class Cuda(Vendor):
    name = "cuda"
    pid = 0
    label = "GPU 0"
    device_type = 1
    streams: ClassVar[dict[Stream, int]] = {"compute": 7, "copy": 20, "communication": 24}
    head: ClassVar[Args] = {
        "deviceProperties": [
            {
                "id": 0,
                "name": "NVIDIA H100 80GB HBM3",
                "totalGlobalMem": 85_018_279_936,
                "computeMajor": 9,
                "computeMinor": 0,
                "maxThreadsPerBlock": 1024,
                "maxThreadsPerMultiprocessor": 2048,
                "regsPerBlock": 65536,
                "warpSize": 32,
                "sharedMemPerBlock": 49152,
                "numSms": N_SMS,
                "regsPerMultiprocessor": 65536,
                "sharedMemPerBlockOptin": 232_448,
                "sharedMemPerMultiprocessor": 233_472,
            }
        ],
        "cupti_version": 26,
        "cuda_runtime_version": 12080,
        "cuda_driver_version": 12090,
        "with_stack": 1,
        "profile_memory": 1,
        "record_shapes": 1,
        "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 2, "pg_count": 1, "nccl_version": "2.26.2"},
    }
    collectives = "nccl:all_reduce"
    projects_annotations = True
    memory_args: ClassVar[Args] = {}

    def call(self, work: Work, correlation: int) -> Row:
        if work.name == "matmul":  # cuBLAS calls the driver
            return Row("cuda_driver", "cuLaunchKernelEx", {"cbid": 652, "correlation": correlation})
        name, cbid = CALLS[work.kind]
        return Row("cuda_runtime", name, {"cbid": cbid, "correlation": correlation})

    def work(self, work: Work, correlation: int) -> Row:
        where = {"device": 0, "context": 1, "stream": self.streams[work.stream], "correlation": correlation}
        if work.kind == "kernel":
            warps = work.blocks * work.threads / 32
            how = {
                "registers per thread": work.registers,
                "shared memory": work.shared_bytes,
                "blocks per SM": round(work.blocks / N_SMS, 6),
                "warps per SM": round(warps / N_SMS, 6),
                "grid": [work.blocks, 1, 1],
                "block": [work.threads, 1, 1],
                "est. achieved occupancy %": min(100, round(100 * warps / N_SMS / 64)),
            }
            return Row("kernel", KERNELS[work.name], {"queued": 0, **where, **how, **work.collective})
        moved = {"bytes": work.bytes, "memory bandwidth (GB/s)": work.bytes / work.duration_ns}
        if work.kind == "set":
            return Row("gpu_memset", "Memset (Device)", {**where, **moved})
        return Row("gpu_memcpy", COPIES[work.name], {**where, **moved})

    def wait(self, correlation: int) -> tuple[Row, Row | None]:
        where = {"stream": 7, "correlation": correlation, "device": 0, "context": 1}
        shown = Row("cuda_sync", "Stream Synchronize", {"cuda_sync_kind": "Stream Synchronize", **where})
        return Row("cuda_runtime", "cudaStreamSynchronize", {"cbid": 131, "correlation": correlation}), shown

    def others(self) -> list[tuple[int, int, Row]]:
        waits = {"cuda_sync_kind": "Stream Wait Event", "stream": 24, "correlation": 2_000, "device": 0, "context": 1}
        return [
            (-1, 0, Row("overhead", "Activity Buffer Request", {})),
            (
                0,
                24,
                Row("cuda_sync", "Stream Wait Event", waits | {"wait_on_stream": 7, "wait_on_cuda_event_record_corr_id": 1_999}),
            ),
        ]
