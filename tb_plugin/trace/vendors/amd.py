"""AMD: ROCm. HIP (`hip...`), RCCL, rocBLAS and Tensile (`Cijk_`), MIOpen, composable kernel."""

from __future__ import annotations

from typing import Final

from tb_plugin.trace.vendors.element_types import DOUBLE, FLOAT, FP8, HALVES, INT8
from tb_plugin.trace.vendors.peak import peak
from tb_plugin.trace.vendors.torch_device import CUDA
from tb_plugin.trace.vendors.vendor import Copies, KernelWord, MatrixWord, Vendor, Word

_MI100: Final = "AMD Instinct MI100 brochure"
_MI210: Final = "AMD Instinct MI210 data sheet"
_MI250X: Final = "AMD Instinct MI250X data sheet, half of it; torchtitan"
_MI300A: Final = "AMD Instinct MI300A data sheet; torch/_inductor/analysis/device_info.py"
_MI300X: Final = "AMD Instinct MI300X data sheet"
_MI325X: Final = "AMD Instinct MI325X data sheet"
_MI350X: Final = "AMD Instinct MI350X brochure; torch/_inductor/analysis/device_info.py"
_MI355X: Final = "AMD Instinct MI355X data sheet"
_CDNA: Final = HALVES | INT8 | FLOAT | DOUBLE

AMD: Final = Vendor(
    title="AMD",
    torch=CUDA,
    waits=("hipStreamSynchronize", "hipDeviceSynchronize", "hipEventSynchronize", "hipMemcpy", "hipMemcpyWithStream"),
    takes_memory=("hipMalloc",),
    returns_memory=("hipFree",),
    copies=Copies(
        ends=r"Copy(Host|Device|Peer)To(Host|Device|Peer)",
        places={"Host": "host", "Device": "device", "Peer": "peer"},
        to_device="CopyHostToDevice",
        to_host="CopyDeviceToHost",
        names_memory=False,
    ),
    process_groups=("nccl",),  # RCCL keeps NCCL's names
    collective_kernels=(
        Word("nccl", "ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)"),
        Word("rccl", "void rcclGenericKernel<1, false>(ncclDevKernelArgsStorage<4096ul>)"),
        Word("msccl", "mscclKernel_Sum_half_Simple_false(ncclDevComm*, mscclAlgo*, mscclWork*)"),
    ),
    kernels=(
        KernelWord("indexing", r"batched_transpose_|transpose_NCHW", "batched_transpose_64x32_pack_4x2_ediv_2x1_half"),
        KernelWord(
            "convolution", r"igemm_(?:fwd|bwd|wrw)|_bwd_weight|_bwd_data", "igemm_wrw_gtcx2_nhwc_bf16_bx0_ex1_bt256x128x16"
        ),
        KernelWord("convolution", r"miopenSp3Asm", "miopenSp3AsmConv_v21_1_2_gfx9_fp32_stride1"),
        KernelWord("matmul", r"Cijk_", "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x32x64_MI16x16x1_SN"),
        KernelWord("elementwise", r"SubTensorOp|OpTensor", "SubTensorOpWithScalar1d"),
        KernelWord("set", r"rocclr_fill", "__amd_rocclr_fillBufferAligned"),
        KernelWord("copy", r"rocclr_copy", "__amd_rocclr_copyBuffer"),
    ),
    matrix_stated=(  # the MFMA shape
        MatrixWord(True, r"mfma|xdl|Xdl|gtcx\d?_", "igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x128x32_wt32x32x8"),
        MatrixWord(True, r"Cijk_\w*_MI\d+x\d+", "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x32x64_MI16x16x1_SN"),
        MatrixWord(True, r"fmha_(?:fwd|bwd)_hd\d+_b?f", "_ZN5aiter30fmha_fwd_hd128_bf16_causal_groupE"),
        MatrixWord(False, r"Cijk_\w*_TT\d+_\d+", "Cijk_Ailk_Bljk_SB_MT64x64x16_SE_K1_TT4_4_USFGRO0_WG16_16_1"),
    ),
    device_words=("AMD", "Instinct"),
    warp_size=64,
    peaks=(
        #    name       title     sample                    fp16    bf16    tf32   fp32   fp64   fp8     GB/s
        peak(r"MI100", "MI100", "AMD Instinct MI100", (184.6, 92.3, None, 46.1, 11.5, None), 1229, _MI100, units=120, gib=32),
        peak(r"MI210", "MI210", "AMD Instinct MI210", (181, 181, None, 45.3, 45.3, None), 1638.4, _MI210, units=104, gib=64),
        peak(
            r"MI250X",
            "MI250X, per die",
            "AMD Instinct MI250X",
            (191.5, 191.5, None, 47.9, 47.9, None),
            1638,
            _MI250X,
            units=110,
            gib=64,
        ),
        peak(
            r"MI300A",
            "MI300A",
            "AMD Instinct MI300A",
            (980.6, 980.6, 490.3, 122.6, 122.6, 1961),
            5300,
            _MI300A,
            units=228,
            gib=128,
        ),
        peak(
            r"MI300X",
            "MI300X",
            "AMD Instinct MI300X VF",
            (1307.4, 1307.4, 653.7, 163.4, 163.4, 2614.9),
            5300,
            _MI300X,
            units=304,
            gib=192,
        ),
        peak(
            r"MI325X",
            "MI325X",
            "AMD Instinct MI325X",
            (1307.4, 1307.4, 653.7, 163.4, 163.4, 2614.9),
            6000,
            _MI325X,
            units=304,
            gib=256,
        ),
        peak(
            r"MI350X",
            "MI350X",
            "AMD Instinct MI350X",
            (2309.6, 2309.6, None, 144.2, 72.1, 4614),
            8000,
            _MI350X,
            fp4=9227,
        ),
        peak(r"MI355X", "MI355X", "AMD Instinct MI355X", (2516.6, 2516.6, None, 157.3, 78.6, 5033.2), 8000, _MI355X),
    ),
    fp32_peak_is_of_matrix_cores=True,
    matrix_types=(
        ((9, 0), _CDNA),  # gfx908, gfx90a
        ((9, 4), _CDNA | FP8),  # gfx942, gfx950
        ((10, 0), frozenset()),
        ((11, 0), HALVES | INT8),  # RDNA 3 has WMMA
    ),
)
