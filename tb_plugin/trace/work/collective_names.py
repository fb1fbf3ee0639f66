"""Names of communication: of kernels that are a collective, and of host ranges around one."""

from __future__ import annotations

import re
from typing import Final

from tb_plugin.trace import vendors
from tb_plugin.trace.vendors.vendor import Word

KERNELS_OF_NOBODY: Final = (
    Word("ccl_", "ccl_reduce"),
    Word("cross_device_reduce", "cross_device_reduce_1stage<__half, 8>"),
    Word("all_?reduce|all_?gather|reduce_?scatter|all_?to_?all", "one_shot_all_reduce_kernel<float, 8>"),
    Word("deep_ep::", "void deep_ep::intranode::dispatch<8, 768>"),
    Word("userbuffers_", "userbuffers_fp16_sum_inplace_gpu_rr_rs_oop<4>"),
)
"""No vendor's: torch's own, vLLM's, TensorRT-LLM's, DeepEP's, Transformer Engine's."""

_KERNELS: Final = (*(word for vendor in vendors.ALL for word in vendor.collective_kernels), *KERNELS_OF_NOBODY)
_PROCESS_GROUPS: Final = ("gloo", "mpi", "ucc", *(name for vendor in vendors.ALL for name in vendor.process_groups))

COLLECTIVE_NAME: Final = re.compile("|".join(dict.fromkeys(word.pattern for word in _KERNELS)), re.IGNORECASE)
"""A device kernel that is communication, by name. Sample: `ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)`."""

COLLECTIVE_RANGE: Final = re.compile(f"({'|'.join(dict.fromkeys(_PROCESS_GROUPS))}):")
"""Ranges around a collective's work, which c10d's Work ends from any thread. Sample: `gloo:all_reduce`."""

HOST_WAIT_NAME: Final = re.compile(r"_?c10d_functional(?:_autograd)?::wait_tensor")
"""In which a host stands until a functional collective is over. Sample: `_c10d_functional::wait_tensor`."""

HOST_MESSAGE_NAME: Final = re.compile(r"c10d::(?:send|recv_|recv_any_source_)$")
"""In which a host hands a message over or asks for one: gloo's block until the pair is free. Sample: `c10d::recv_`."""

HOST_COLLECTIVE_NAME: Final = re.compile(rf"{COLLECTIVE_RANGE.pattern}|c10d::|{HOST_WAIT_NAME.pattern}")
"""Host ranges of a collective. Samples: `gloo:all_reduce`, `c10d::allreduce_`, `_c10d_functional::wait_tensor`."""
