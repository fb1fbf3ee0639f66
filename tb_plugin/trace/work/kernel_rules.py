"""Kernel names to categories, as data: the first rule whose pattern is found in a name decides (`trace.taxonomy`).

Each rule has a name that it was written for, shortened: a test checks that the sample gets this category and that no
earlier rule takes it. New kernels are new rows here, or in the record of their vendor (`trace/vendors`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from tb_plugin.trace import vendors
from tb_plugin.trace.work.collective_names import COLLECTIVE_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tb_plugin.trace.vendors.vendor import KernelWord


class Rule(NamedTuple):
    """`category` is the id of a category of `trace.taxonomy`."""

    category: str
    pattern: re.Pattern[str]
    sample: str


_COMMUNICATION = Rule(
    "communication", COLLECTIVE_NAME, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
)


def _of_vendors(category: str) -> Iterator[KernelWord]:
    """Before the general rules of the category."""
    return (rule for vendor in vendors.ALL for rule in vendor.kernels if rule.category == category)


_COMPILED = (  # by torch.compile, which names a kernel by its kind and all it fuses: only templates (tem, mm, bmm) multiply
    ("attention", r"^triton_tem\w*_(?:flex_|scaled_dot_product)", "triton_tem_fused_flex_attention_0"),
    ("convolution", r"^triton_tem\w*_convolution", "triton_tem_fused_convolution_3"),
    ("matmul", r"^triton_(?:tem|mm|bmm)", "triton_tem_fused_addmm_relu_2"),
    (
        "normalisation",
        r"^triton_(?:red|per|mix)_\w*_(?:softmax|(?:batch|layer|group|instance|rms)_norm|rsqrt|var_mean)",
        "triton_per_fused_addmm_native_layer_norm_5",
    ),
    ("reduction", r"^triton_(?:red|per|mix|spl)_", "triton_red_fused_mm_sum_1"),
    ("elementwise", r"^triton_(?:poi|for)_", "triton_poi_fused_addmm_relu_0"),
)

_UNTOLD = (*_of_vendors("fused"), ("fused", r"^triton_", "triton__0d1d2d3d4d5d6d"))

_ATEN = (  # ATen's templates: what they are made for stands in their arguments, and may name anything
    (
        "normalisation",
        r"native::batch_norm|batch_norm_\w+_and_",
        "void at::native::batch_norm_backward_kernel<float, float, float, int>",
    ),
    ("indexing", r"(?:index|gather)_elementwise_kernel", "void at::native::index_elementwise_kernel<128, 4, gpu_index_kernel>"),
    (
        "reduction",
        r"native::reduce_kernel<",
        "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, MeanOps<float>>>",
    ),
    ("reduction", r"multi_tensor_apply_kernel.*NormFunctor|lpnorm_", "void multi_tensor_apply_kernel<LpNormFunctor<float, 1>>"),
    ("elementwise", r"elementwise_kernel", "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>"),
    (
        "elementwise",
        r"[Mm]ulti_?[Tt]ensor_?[Aa]pply",
        "void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>>",
    ),
)

_ATTENTION = (  # before what it is made of
    *_of_vendors("attention"),
    ("attention", r"flash_(?:fwd|bwd|attn)|flash::|FlashAttn", "void pytorch_flash::flash_fwd_kernel<64, 128, 128, 4>"),
    ("attention", r"fmha|Fmha|FMHA", "fmha_cutlassF_bf16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel::Params)"),
    ("attention", r"attn_(?:fwd|bwd)|bwd_kernel_d[kq]|bwd_preprocess", "attn_fwd"),
    ("attention", r"fwd_(?:grouped_)?kernel_stage\d|flash_decod", "_fwd_grouped_kernel_stage1"),
    ("attention", r"[Aa]ttention|(?<![a-z])sdpa(?![a-z])", "kernel_unified_attention_3d"),
    ("attention", r"^reduce_segments$|(?<![a-z])mla_", "reduce_segments"),
    ("attention", r"Batch(?:Decode|Prefill)With|Single(?:Decode|Prefill)With", "void BatchDecodeWithPagedKVCacheKernel<1>"),
)

_CONVOLUTION = (
    ("indexing", r"[Nn][Cc]?[Hh][Ww][Cc]?(?:To|2|_to_)|CNHW2|tensorTransform", "void cudnn::ops::nchwToNhwcKernel<float, float>"),
    *_of_vendors("indexing"),  # layouts
    *_of_vendors("convolution"),
    ("convolution", r"[Cc]onvol", "void implicit_convolve_sgemm<float, float, 1024, 5, 5, 3, 3, 3, 1>"),
    ("convolution", r"fprop|wgrad|dgrad", "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc"),
    ("convolution", r"[Ww]inograd|fft2d_|im2col|Im2[cC]ol|col2im|Col2Im", "void fft2d_r2c_32x32<float, false, 0u>"),
    ("convolution", r"[Cc]onv(?:\d|_|[A-Z]|fwd|bwd)", "kernel_grouped_conv_fwd_xdl_cshuffle_v3"),
)

_NORMALISATION = (
    *_of_vendors("normalisation"),
    ("normalisation", r"[Bb]atch_?[Nn]orm|bn_(?:fw|bw)|BnFwd|BnBwd", "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, 512>"),
    (
        "normalisation",
        r"[Ll]ayer_?[Nn]orm|ln_(?:fwd|bwd)|RowwiseMoments|GammaBeta|cuComputeGradInput",
        "void vectorized_layer_norm_kernel<float, float>",
    ),
    (
        "normalisation",
        r"(?:[Rr][Mm][Ss]|[Gg]roup|[Ii]nstance|[Ww]eight|[Qq][Kk]|[Ll]2)_?[Nn]orm",
        "_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16b",
    ),
    ("normalisation", r"[Ss]oft_?[Mm]ax", "void (anonymous namespace)::softmax_warp_forward<float, float, float, 10>"),
)

_MATMUL = (
    *_of_vendors("matmul"),
    ("matmul", r"(?<!fb)(?:[Gg]emm|GEMM)", "ampere_sgemm_128x64_nn"),  # fbgemm has embeddings and quantisation too
    ("matmul", r"[Gg]emv|GEMV", "void gemv2T_kernel_val<int, int, float, float, float, float, 128, 16, 2, 2>"),
    ("matmul", r"[Ss]plitK|LLMM", "void splitKreduce_kernel<32, 16, int, float, float, float>"),
    ("matmul", r"(?<![A-Za-z])(?:b|add|baddb|scaled_|grouped_)?mm_", "bmm_E4m3_E4m3E4m3_Fp32_t128x8x128u2_s6_et64x8_schedS"),
    ("matmul", r"[Mm]at_?[Mm]ul|[Mm]arlin|fused_moe_kernel", "_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1_swiglu"),
)

_INDEXING = (
    (
        "elementwise",
        r"[Rr]otary|(?<![A-Za-z])rope_|R[Oo][Pp][Ee]|Rope",
        "void vllm::rotary_embedding_kernel<c10::BFloat16, true>",
    ),
    ("indexing", r"[Ii]ndex|[Ii]ndices|[Gg]ather|[Ss]catter", "void indexSelectLargeIndex<c10::BFloat16, long, unsigned int>"),
    ("indexing", r"[Ee]mbedding|pooled_emb|sparse_data|sparse_features", "void split_embedding_codegen_forward_kernel<float>"),
    ("indexing", r"CatArray|[Cc]oncat|chunk_cat", "void at::native::CatArrayBatchedCopy<float, unsigned int, 2, 128, 1>"),
    ("indexing", r"[Ss]ort|[Tt]op_?[Kk]|[Uu]nique|searchsorted|bucketize", "void cub::DeviceRadixSortOnesweepKernel<long, int>"),
    (
        "indexing",
        r"[Tt]ranspose|[Pp]ermute|repeat_interleave|compute_cuda_kernel",
        "void fbgemm_gpu::permute_2D_data_kernel<int>",
    ),
    ("indexing", r"(?<![a-z])(?:flip|roll)_", "void at::native::roll_cuda_kernel<float>"),
    ("indexing", r"kv_?cache|reshape_and_cache", "void store_kvcache<2048l, 4, false, long>"),
    ("indexing", r"[Cc]ompact|DeviceSelect|[Nn]onzero|[Mm]asked_?[Ss]elect", "void cub::DeviceCompactInitKernel<int>"),
    ("indexing", r"[Uu]psample|interpolat|grid_sampler|_pad\d", "void upsample_bilinear2d_out_frame<float, float>"),
    ("indexing", r"routing|bitmatrix|moe_align|offsets_range|token_ids", "_combined_routing_compute"),
)

_REDUCTION = (
    *_of_vendors("reduction"),
    ("reduction", r"[Rr]educe|[Rr]eduction", "void cub::DeviceReduceByKeyKernel<long, int>"),
    ("reduction", r"[Ss]can(?:_|[A-Z])|cumsum|cumprod", "void cub::DeviceScanKernel<AgentScanPolicy<128, 15, int>>"),
    ("reduction", r"[Pp]ool(?:ing|_|\d|[A-Z])|(?:average|max)_pool", "void at::native::max_pool_forward_nchw<float, float>"),
    (
        "reduction",
        r"NLLCriterion|nll_loss|[Cc]ross_?[Ee]ntropy|[Ll]oss_",
        "void cunn_ClassNLLCriterion_updateOutput_kernel<float>",
    ),
    ("reduction", r"[Hh]istogram|bincount|arg_?max|arg_?min|multinomial", "void kernelHistogram1D<int, int, long, 1, 2>"),
)

_ELEMENTWISE = (
    *_of_vendors("elementwise"),
    ("elementwise", r"[Ee]lement_?[Ww]ise|[Pp]ointwise", "miopenElementwiseKernel"),
    (
        "elementwise",
        r"[Dd]ropout|distribution_|[Pp]hilox",
        "void fused_dropout_kernel_vec<float, float, unsigned int, 1, 4, bool>",
    ),
    (
        "elementwise",
        r"act_and_mul|gated_act|[Ss]ilu|[Gg]elu|[Ss]wiglu|[Rr]elu|[Aa]dam|[Oo]ptimizer",
        "_ZN7sgl_hip10activation18act_and_mul_kernelI14__hip_bfloat16",
    ),
    ("elementwise", r"[Qq]uant|FP8", "void fbgemm_gpu::_compute_FP8_quantize_cuda_kernel<float>"),
    ("elementwise", r"triu_tril|tril_triu|clamp_|copy_kernel", "void triu_tril_kernel<float, int, true, 1, false>"),
)

_MEMORY = (  # copies and fills that run as kernels
    *_of_vendors("set"),
    ("set", r"[Mm]emset", "Memset (Device)"),
    *_of_vendors("copy"),
    ("copy", r"[Mm]emcpy", "void cub::detail::batch_memcpy::MultiBlockBatchMemcpyKernel<int>"),
)

KERNEL_RULES: Final[tuple[Rule, ...]] = (
    *(Rule(category, re.compile(pattern), sample) for category, pattern, sample in _COMPILED),
    _COMMUNICATION,
    *(
        Rule(category, re.compile(pattern), sample)
        for block in (
            _ATEN,
            _ATTENTION,
            _CONVOLUTION,
            _NORMALISATION,
            _MATMUL,
            _INDEXING,
            _REDUCTION,
            _ELEMENTWISE,
            _MEMORY,
            _UNTOLD,
        )
        for category, pattern, sample in block
    ),
)
