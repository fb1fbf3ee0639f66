"""NVIDIA: CUPTI's words, the CUDA runtime (`cuda...`) and driver (`cu...`), NCCL, cuBLAS, cuDNN, CUTLASS."""

from __future__ import annotations

from typing import Final

from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.vendors.element_types import DOUBLE, FLOAT, FP8, HALF, HALVES, INT8
from tb_plugin.trace.vendors.nvidia_peaks import NVIDIA_PEAKS
from tb_plugin.trace.vendors.torch_device import CUDA
from tb_plugin.trace.vendors.vendor import Copies, KernelWord, MatrixWord, Vendor, Word

_AMPERE: Final = HALVES | INT8 | FLOAT

NVIDIA: Final = Vendor(
    title="NVIDIA",
    torch=CUDA,
    categories={"cuda_sync": Kind.SYNC, "cuda_event": Kind.SYNC, "cuda_profiler_range": Kind.PROFILER_RANGE},
    waits=(
        "cudaStreamSynchronize",
        "cudaDeviceSynchronize",
        "cudaEventSynchronize",
        "cudaMemcpy",
        "cuStreamSynchronize",
        "cuCtxSynchronize",
        "cuEventSynchronize",
    ),
    takes_memory=("cudaMalloc", "cuMemCreate", "cuMemMap"),
    returns_memory=("cudaFree", "cuMemRelease", "cuMemUnmap"),
    copies=Copies(
        ends=r"\b([HDAP])to([HDAP])\b",
        places={"H": "host", "D": "device", "A": "array", "P": "peer"},
        to_device="Memcpy HtoD",
        to_host="Memcpy DtoH",
        names_memory=True,
    ),
    process_groups=("nccl",),
    collective_kernels=(
        Word("nccl", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"),
        Word("multimem_all_", "multimem_all_reduce_kernel<c10::BFloat16, 16>"),
        Word("nvshmem", "nvshmemi_transfer_rma_p"),
    ),
    kernels=(
        KernelWord("convolution", r"[sh]cudnn_|cask_\w*cudnn", "volta_scudnn_128x64_relu_interior_nn_v1"),
        KernelWord("matmul", r"nvjet_", "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NTT"),
        KernelWord("matmul", r"cublas", "void scal_kernel<float, float, 1, false, 6, 5, 5, 3>(cublasTransposeParams<float>)"),
        KernelWord("elementwise", r"scalePackedTensor|scal_kernel", "void cudnn::ops::scalePackedTensor_kernel<float, float>"),
    ),
    matrix_stated=(  # h884 is of sm70, s16816 of sm80, gmma of sm90, utcmma of sm100
        # First, since a kernel built for tensor cores may still be its SIMT variant.
        MatrixWord(
            False, r"_simt_|_ffma_|(?:fp16|bf16)_sgemm", "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>"
        ),
        MatrixWord(True, r"[hsci](?:884|1688|16816|16832|161616|8816)|_[hs]884", "volta_fp16_s884gemm_fp16_128x64_ldg8_f2f_nn"),
        MatrixWord(
            True, r"tensorop|_tensor\d+x\d+x\d+", "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_tensor16x8x8_execute_kernel"
        ),
        MatrixWord(True, r"[hid]mma_|[Gg]mma|utcmma|tcgen05|_umma|Umma", "sm100_fprop_wo_smem_bf16_utcmma_256x128"),
        MatrixWord(True, r"warpgroupsize\d", "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1"),
        MatrixWord(True, r"nvjet_", "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NTT"),
    ),
    matrix_known=(
        # Attention: half types only, or told by type and architecture.
        MatrixWord(
            False,
            r"flash_(?:bwd_dot_do_o|bwd_convert|fwd_splitkv_combine)",
            "void pytorch_flash::flash_bwd_dot_do_o_kernel<true>",
        ),
        MatrixWord(True, r"flash_(?:fwd|bwd)_\w*kernel", "void pytorch_flash::flash_fwd_kernel<64, 128, 128, 4>"),
        MatrixWord(True, r"FlashAttn(?:Fwd|Bwd)Sm\d|fmhaSm\d", "void cutlass::device_kernel<flash::FlashAttnFwdSm90<2>>"),
        MatrixWord(True, r"fmha_cutlass[FB]_b?f16_\w+_sm(?:7|8|9|1\d)\d", "fmha_cutlassF_bf16_aligned_64x64_rf_sm80"),
        MatrixWord(True, r"fmha_cutlass[FB]_f32_\w+_sm[89]\d", "fmha_cutlassB_f32_aligned_64x64_k64_sm80"),
        MatrixWord(False, r"fmha_cutlass[FB]_\w+_sm[57]\d", "fmha_cutlassF_f32_aligned_64x64_rf_sm75"),
        # Hand-written FP32 kernels of before and beside tensor cores.
        MatrixWord(False, r"(?:maxwell|volta|turing|ampere)_(?:s|h|c|gc)gemm", "ampere_sgemm_128x64_nn"),
        MatrixWord(False, r"scudnn_", "volta_scudnn_128x64_relu_interior_nn_v1"),
        MatrixWord(
            False,
            r"[Gg]emv|gemmk1_|dot_kernel|reduce_1Block|scal_kernel",
            "void gemv2T_kernel_val<int, int, float, float, float, float>",
        ),
        MatrixWord(
            False,
            r"(?:im|ex)plicit_convolve_sgemm|alg0_engine|dgrad_engine",
            "void implicit_convolve_sgemm<float, float, 1024, 5, 5>",
        ),
        MatrixWord(
            False,
            r"winograd_nonfused|fft2d_|generateWinogradTiles",
            "void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>",
        ),
        MatrixWord(
            False, r"sgemm_largek|splitK_?[rR]educe|globalKernel", "void cublasLt::splitKreduce_kernel<32, 16, int, float>"
        ),
        MatrixWord(
            False,
            r"compute\w*OffsetsKernel\w*|im2col|reduce_wgrad",
            "cask_cudnn::computeOffsetsKernel(cask_cudnn::ComputeOffsetsParams)",
        ),
    ),
    device_words=("NVIDIA", "Tesla", "GeForce", "Quadro", "TITAN"),
    peaks=NVIDIA_PEAKS,
    matrix_types=(  # floats as TF32
        ((7, 0), HALF),
        ((7, 2), HALF | INT8),
        ((8, 0), _AMPERE | DOUBLE),
        ((8, 1), _AMPERE),
        ((8, 9), _AMPERE | FP8),
        ((9, 0), _AMPERE | FP8 | DOUBLE),
        ((9, 1), _AMPERE | FP8),
        ((10, 0), _AMPERE | FP8 | DOUBLE),
        ((10, 1), _AMPERE | FP8),
        ((11, 0), _AMPERE | FP8 | DOUBLE),
        ((11, 1), _AMPERE | FP8),
    ),
)
