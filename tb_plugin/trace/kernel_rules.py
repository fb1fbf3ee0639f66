"""Kernel names to categories, as data: the first rule whose pattern is found in a name decides (`trace.taxonomy`).

Each rule has a name that it was written for, shortened: a test checks that the sample gets this category and that no
earlier rule takes it. New kernels are new rows here.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from tb_plugin.trace.kinds import COLLECTIVE_NAME


class Rule(NamedTuple):
    """`category` is the id of a category of `trace.taxonomy`."""

    category: str
    pattern: re.Pattern[str]
    sample: str


_COMMUNICATION = Rule(
    "communication", COLLECTIVE_NAME, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
)

_COMPILED = (  # by torch.compile, which writes kind and fused operators into the name
    ("attention", r"^triton_tem\w*_(?:flex_|scaled_dot_product)", "triton_tem_fused_flex_attention_0"),
    ("convolution", r"^triton_tem\w*_convolution", "triton_tem_fused_convolution_3"),
    ("matmul", r"^triton_(?:tem|mm|bmm)", "triton_tem_fused_addmm_relu_2"),
    ("matmul", r"^triton_\w*_(?:mm|bmm|addmm|baddbmm)(?:_|$)", "triton_red_fused_mm_4"),
    (
        "normalisation",
        r"^triton_(?:red|per|mix)\w*_(?:softmax|\w*norm|rsqrt|var_mean)",
        "triton_per_fused_native_layer_norm_add_5",
    ),
    ("reduction", r"^triton_(?:red|per|mix|spl)", "triton_red_fused_sum_1"),
    ("elementwise", r"^triton_(?:poi|for)", "triton_poi_fused_add_mul_relu_0"),
    ("fused", r"^triton_", "triton__0d1d2d3d4d5d6d"),
)

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
    ("elementwise", r"elementwise_kernel", "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>"),
    ("elementwise", r"multi_tensor_apply_kernel", "void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>>"),
)

_ATTENTION = (  # before what it is made of
    ("attention", r"flash_(?:fwd|bwd|attn)|flash::|FlashAttn", "void pytorch_flash::flash_fwd_kernel<64, 128, 128, 4>"),
    ("attention", r"fmha|Fmha|FMHA", "fmha_cutlassF_bf16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel::Params)"),
    ("attention", r"attn_(?:fwd|bwd)|bwd_kernel_d[kq]|bwd_preprocess", "attn_fwd"),
    ("attention", r"[Aa]ttention|_sdpa_", "kernel_unified_attention_3d"),
    ("attention", r"^reduce_segments$|(?<![a-z])mla_", "reduce_segments"),
    ("attention", r"Batch(?:Decode|Prefill)With|Single(?:Decode|Prefill)With", "void BatchDecodeWithPagedKVCacheKernel<1>"),
)

_CONVOLUTION = (
    ("indexing", r"[Nn][Cc]?[Hh][Ww][Cc]?(?:To|2|_to_)|CNHW2", "void cudnn::ops::nchwToNhwcKernel<float, float>"),
    ("indexing", r"batched_transpose_|transpose_NCHW", "batched_transpose_64x32_pack_4x2_ediv_2x1_half"),
    ("convolution", r"[Cc]onvol", "void implicit_convolve_sgemm<float, float, 1024, 5, 5, 3, 3, 3, 1>"),
    ("convolution", r"fprop|wgrad|dgrad", "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc"),
    ("convolution", r"[sh]cudnn_|cask_\w*cudnn", "volta_scudnn_128x64_relu_interior_nn_v1"),
    ("convolution", r"[Ww]inograd|fft2d_|im2col|Im2[cC]ol|col2im|Col2Im", "void fft2d_r2c_32x32<float, false, 0u>"),
    ("convolution", r"igemm_(?:fwd|bwd|wrw)|_bwd_weight|_bwd_data", "igemm_wrw_gtcx2_nhwc_bf16_bx0_ex1_bt256x128x16"),
    ("convolution", r"[Cc]onv(?:\d|_|[A-Z]|fwd|bwd)|miopenSp3Asm", "kernel_grouped_conv_fwd_xdl_cshuffle_v3"),
)

_NORMALISATION = (
    ("normalisation", r"[Bb]atch_?[Nn]orm|bn_(?:fw|bw)|BnFwd|BnBwd", "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, 512>"),
    (
        "normalisation",
        r"[Ll]ayer_?[Nn]orm|ln_(?:fwd|bwd)|RowwiseMoments|GammaBeta",
        "void vectorized_layer_norm_kernel<float, float>",
    ),
    ("normalisation", r"(?:[Rr][Mm][Ss]|[Gg]roup|[Ii]nstance)_?[Nn]orm", "_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16b"),
    ("normalisation", r"[Ss]oft_?[Mm]ax", "void (anonymous namespace)::softmax_warp_forward<float, float, float, 10>"),
)

_MATMUL = (
    ("matmul", r"nvjet_", "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NTT"),
    ("matmul", r"Cijk_", "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x32x64_MI16x16x1_SN"),
    ("matmul", r"(?<!fb)(?:[Gg]emm|GEMM)", "ampere_sgemm_128x64_nn"),  # fbgemm has embeddings and quantisation too
    ("matmul", r"[Gg]emv|GEMV", "void gemv2T_kernel_val<int, int, float, float, float, float, 128, 16, 2, 2>"),
    ("matmul", r"[Ss]plitK|LLMM", "void splitKreduce_kernel<32, 16, int, float, float, float>"),
    ("matmul", r"[Mm]at_?[Mm]ul|[Mm]arlin|fused_moe_kernel", "_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1_swiglu"),
    ("matmul", r"cublas", "void scal_kernel<float, float, 1, false, 6, 5, 5, 3>(cublasTransposeParams<float>, float const*)"),
)

_INDEXING = (
    ("elementwise", r"[Rr]otary", "void vllm::rotary_embedding_kernel<c10::BFloat16, true>"),
    ("indexing", r"[Ii]ndex|[Ii]ndices|[Gg]ather|[Ss]catter", "void indexSelectLargeIndex<c10::BFloat16, long, unsigned int>"),
    ("indexing", r"[Ee]mbedding|pooled_emb|sparse_data|sparse_features", "void split_embedding_codegen_forward_kernel<float>"),
    ("indexing", r"CatArray|[Cc]oncat|chunk_cat", "void at::native::CatArrayBatchedCopy<float, unsigned int, 2, 128, 1>"),
    ("indexing", r"[Ss]ort|[Tt]op_?[Kk]|[Uu]nique|searchsorted|bucketize", "void cub::DeviceRadixSortOnesweepKernel<long, int>"),
    (
        "indexing",
        r"[Tt]ranspose|[Pp]ermute|repeat_interleave|compute_cuda_kernel",
        "void fbgemm_gpu::permute_2D_data_kernel<int>",
    ),
    ("indexing", r"kv_?cache|reshape_and_cache", "void store_kvcache<2048l, 4, false, long>"),
    ("indexing", r"[Cc]ompact|DeviceSelect|[Nn]onzero|[Mm]asked_?[Ss]elect", "void cub::DeviceCompactInitKernel<int>"),
    ("indexing", r"[Uu]psample|interpolat|grid_sampler|_pad\d", "void upsample_bilinear2d_out_frame<float, float>"),
    ("indexing", r"routing|bitmatrix|moe_align|offsets_range|token_ids", "_combined_routing_compute"),
)

_REDUCTION = (
    ("reduction", r"[Rr]educe|[Rr]eduction", "void cub::DeviceReduceByKeyKernel<long, int>"),
    ("reduction", r"[Ss]can(?:_|[A-Z])|cumsum|cumprod", "void cub::DeviceScanKernel<AgentScanPolicy<128, 15, int>>"),
    ("reduction", r"[Pp]ool(?:ing|_|\d|[A-Z])|average_pool", "void at::native::max_pool_forward_nchw<float, float>"),
    (
        "reduction",
        r"NLLCriterion|nll_loss|[Cc]ross_?[Ee]ntropy|[Ll]oss_",
        "void cunn_ClassNLLCriterion_updateOutput_kernel<float>",
    ),
    ("reduction", r"[Hh]istogram|bincount|arg_?max|arg_?min|multinomial", "void kernelHistogram1D<int, int, long, 1, 2>"),
)

_ELEMENTWISE = (
    ("elementwise", r"[Ee]lement_?[Ww]ise|[Pp]ointwise", "miopenElementwiseKernel"),
    (
        "elementwise",
        r"[Dd]ropout|distribution_|[Pp]hilox",
        "void fused_dropout_kernel_vec<float, float, unsigned int, 1, 4, bool>",
    ),
    (
        "elementwise",
        r"act_and_mul|[Ss]ilu|[Gg]elu|[Ss]wiglu|[Rr]elu|[Aa]dam",
        "_ZN7sgl_hip10activation18act_and_mul_kernelI14__hip_bfloat16",
    ),
    ("elementwise", r"[Qq]uant|FP8", "void fbgemm_gpu::_compute_FP8_quantize_cuda_kernel<float>"),
    ("elementwise", r"SubTensorOp|scalePackedTensor|OpTensor|scal_kernel", "SubTensorOpWithScalar1d"),
    ("elementwise", r"triu_tril|tril_triu|clamp_|copy_kernel", "void triu_tril_kernel<float, int, true, 1, false>"),
)

_MEMORY = (  # copies and fills that run as kernels
    ("set", r"rocclr_fill|[Mm]emset", "__amd_rocclr_fillBufferAligned"),
    ("copy", r"rocclr_copy|[Mm]emcpy|dma_request", "__amd_rocclr_copyBuffer"),
)

KERNEL_RULES: Final[tuple[Rule, ...]] = (
    _COMMUNICATION,
    *(
        Rule(category, re.compile(pattern), sample)
        for block in (
            _COMPILED,
            _ATEN,
            _ATTENTION,
            _CONVOLUTION,
            _NORMALISATION,
            _MATMUL,
            _INDEXING,
            _REDUCTION,
            _ELEMENTWISE,
            _MEMORY,
        )
        for category, pattern, sample in block
    ),
)
