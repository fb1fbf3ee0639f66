"""Names for the numbers in CUPTI's records, as Kineto writes them: `Memcpy HtoD (Pinned -> Device)`, `cudaLaunchKernel`."""

from __future__ import annotations

import re
from typing import Final

COPY_KINDS: Final = dict(enumerate(("", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"))) | {
    11: "Unified HtoD",
    12: "Unified DtoH",
    13: "Unified DtoD",
}
"""CUpti_ActivityMemcpyKind; nsys adds the last three."""

MEMORY_KINDS: Final = dict(
    enumerate(("Unknown", "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static"))
)
"""CUpti_ActivityMemoryKind. nsys counts from Pageable = 0."""

SYNC_KINDS: Final = {1: "Event Sync", 2: "Stream Wait Event", 3: "Stream Sync", 4: "Context Sync"}

# Those that PyTorch and its libraries call; the rest is shown by number.
_RUNTIME_CALLS: Final = """
3 cudaGetDeviceCount 4 cudaGetDeviceProperties 8 cudaConfigureCall 9 cudaSetupArgument 10 cudaGetLastError
11 cudaPeekAtLastError 13 cudaLaunch 15 cudaFuncGetAttributes 16 cudaSetDevice 17 cudaGetDevice 19 cudaSetDeviceFlags
20 cudaMalloc 22 cudaFree 25 cudaMallocHost 26 cudaFreeHost 27 cudaHostAlloc 28 cudaHostGetDevicePointer 30 cudaMemGetInfo
31 cudaMemcpy 32 cudaMemcpy2D 39 cudaMemcpyToSymbol 40 cudaMemcpyFromSymbol 41 cudaMemcpyAsync 44 cudaMemcpy2DAsync
47 cudaMemcpyToSymbolAsync 48 cudaMemcpyFromSymbolAsync 49 cudaMemset 50 cudaMemset2D 51 cudaMemsetAsync 52 cudaMemset2DAsync
126 cudaThreadSynchronize 129 cudaStreamCreate 130 cudaStreamDestroy 131 cudaStreamSynchronize 132 cudaStreamQuery
133 cudaEventCreate 134 cudaEventCreateWithFlags 135 cudaEventRecord 136 cudaEventDestroy 137 cudaEventSynchronize
138 cudaEventQuery 139 cudaEventElapsedTime 144 cudaMemcpy3D 145 cudaMemcpy3DAsync 147 cudaStreamWaitEvent
151 cudaPointerGetAttributes 152 cudaHostRegister 160 cudaMemcpyPeer 161 cudaMemcpyPeerAsync 164 cudaDeviceReset
165 cudaDeviceSynchronize 197 cudaStreamAddCallback 198 cudaStreamCreateWithFlags 200 cudaDeviceGetAttribute
201 cudaStreamDestroy 202 cudaStreamCreateWithPriority 205 cudaDeviceGetStreamPriorityRange 206 cudaMallocManaged
207 cudaOccupancyMaxActiveBlocksPerMultiprocessor 210 cudaOccupancyMaxActiveBlocksPerMultiprocessor 211 cudaLaunchKernel
214 cudaLaunchKernel_ptsz 251 cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags 269 cudaLaunchCooperativeKernel
272 cudaLaunchCooperativeKernelMultiDevice 273 cudaFuncSetAttribute 284 cudaLaunchHostFunc 310 cudaGraphInstantiate
311 cudaGraphLaunch 315 cudaStreamBeginCapture 317 cudaStreamIsCapturing 319 cudaStreamEndCapture 370 cudaEventRecordWithFlags
373 cudaMallocAsync 375 cudaFreeAsync 430 cudaLaunchKernelExC
"""

_DRIVER_CALLS: Final = """
1 cuInit 17 cuCtxSynchronize 19 cuModuleLoadData 20 cuModuleLoadDataEx 23 cuModuleGetFunction 85 cuFuncGetAttribute
115 cuLaunch 116 cuLaunchGrid 117 cuLaunchGridAsync 118 cuEventCreate 119 cuEventRecord 120 cuEventQuery
121 cuEventSynchronize 126 cuStreamSynchronize 243 cuMemAlloc_v2 245 cuMemFree_v2 276 cuMemcpyHtoD_v2
277 cuMemcpyHtoDAsync_v2 278 cuMemcpyDtoH_v2 279 cuMemcpyDtoHAsync_v2 280 cuMemcpyDtoD_v2 281 cuMemcpyDtoDAsync_v2
295 cuStreamWaitEvent 307 cuLaunchKernel 477 cuLaunchCooperativeKernel 481 cuFuncSetAttribute 514 cuGraphLaunch
"""

_VERSION = re.compile(r"_v\d{4,}\Z")


def _numbered(listed: str) -> dict[int, str]:
    words = listed.split()
    return {int(number): name for number, name in zip(words[::2], words[1::2], strict=True)}


RUNTIME_CALLS: Final = _numbered(_RUNTIME_CALLS)
"""Names by CUPTI_RUNTIME_TRACE_CBID_*, without their version."""

DRIVER_CALLS: Final = _numbered(_DRIVER_CALLS)
"""Names by CUPTI_DRIVER_TRACE_CBID_*."""


def call_name(text: str) -> str:
    """`cudaLaunchKernel_v7000`, as nsys writes it, as `cudaLaunchKernel`, as Kineto and people do."""
    return _VERSION.sub("", text)


def copy_name(kind: int, source: str, target: str) -> str:
    where = COPY_KINDS.get(kind, f"kind {kind}")
    return " ".join(filter(None, ("Memcpy", where, f"({source} -> {target})")))
