from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tb_plugin.formats import reader
from tb_plugin.trace import kernel_rules, matrix_cores, operator_rules
from tb_plugin.trace.kinds import COLLECTIVE_NAME, DEVICE_KINDS, Kind
from tb_plugin.trace.matrix_cores import Use, matrix_core_use, matrix_core_use_by_row
from tb_plugin.trace.taxonomy import (
    CATEGORIES,
    NO_CATEGORY,
    Category,
    category_by_row,
    category_of_kernel,
    category_of_operator,
)
from tests.trace_text import trace_from_text

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("rule", kernel_rules.KERNEL_RULES, ids=lambda rule: rule.sample[:40])
def test_each_kernel_rule_takes_its_sample_before_all_others(rule: kernel_rules.Rule) -> None:
    assert next(each for each in kernel_rules.KERNEL_RULES if each.pattern.search(rule.sample)) is rule
    assert CATEGORIES[category_of_kernel(rule.sample)].id == rule.category


@pytest.mark.parametrize("rule", operator_rules.OPERATOR_RULES, ids=lambda rule: rule.sample)
def test_each_operator_rule_takes_its_sample_before_all_others(rule: kernel_rules.Rule) -> None:
    plain = operator_rules.plain_operator(rule.sample)
    assert next(each for each in operator_rules.OPERATOR_RULES if each.pattern.search(plain)) is rule
    assert CATEGORIES[category_of_operator(rule.sample)].id == rule.category


@pytest.mark.parametrize("rule", matrix_cores.MATRIX_RULES, ids=lambda rule: rule.sample[:40])
def test_each_matrix_rule_takes_its_sample_before_all_others(rule: matrix_cores.MatrixRule) -> None:
    assert next(each for each in matrix_cores.MATRIX_RULES if each.pattern.search(rule.sample)) is rule
    assert matrix_core_use(rule.sample) is rule.use


@pytest.mark.parametrize(
    ("name", "category"),
    [
        # A name inside of template arguments is not what the kernel does.
        ("void at::native::vectorized_elementwise_kernel<4, binary_cross_entropy_out_kernel>", Category.ELEMENTWISE),
        ("void at::native::reduce_kernel<512, 1, ReduceOp<float, NormTwoOps<float, float>>>", Category.REDUCTION),
        ("void (anonymous namespace)::elementwise_kernel_with_index<int, arange_cuda_out>", Category.ELEMENTWISE),
        ("void unrolled_elementwise_kernel_for_multi_outputs<3, batch_norm_update_stats_and_invert>", Category.NORMALISATION),
        ("void fbgemm_gpu::permute_2D_data_kernel<false, int>", Category.INDEXING),
        ("void fbgemm_gpu::(anonymous namespace)::_compute_FP8_quantize_cuda_kernel<float>", Category.ELEMENTWISE),
        ("void pytorch_flash::flash_bwd_convert_dq_kernel<softmax, gemm>", Category.ATTENTION),
        ("_ZN7ck_tile6kentryILi1ENS_12Rmsnorm2dFwdINS_19Generic2dB", Category.NORMALISATION),
        ("triton_per_fused__softmax_add_1", Category.NORMALISATION),
        ("triton_poi_fused_embedding_mul_3", Category.ELEMENTWISE),
        ("cross_device_reduce_1stage<__half, 8>", Category.COMMUNICATION),
        ("my_kernel", Category.OTHER),
    ],
)
def test_kernels_are_told_by_what_they_do(name: str, category: Category) -> None:
    assert category_of_kernel(name) is category


@pytest.mark.parametrize(
    ("name", "category"),
    [
        ("aten::mm", Category.MATMUL),
        ("aten::add.Tensor", Category.ELEMENTWISE),
        ("MmBackward0", Category.MATMUL),
        ("autograd::engine::evaluate_function: CudnnBatchNormBackward0", Category.NORMALISATION),
        ("aten::convolution_backward", Category.CONVOLUTION),
        ("aten::_scaled_dot_product_flash_attention_backward", Category.ATTENTION),
        ("nccl:all_reduce", Category.COMMUNICATION),
        ("aten::embedding_dense_backward", Category.INDEXING),
        ("aten::as_strided", Category.OTHER),
        ("torch::autograd::CppNode<fbgemm_gpu::PermutePooledEmbsFunction>", Category.OTHER),
    ],
)
def test_operators_are_told_by_name_forward_and_backward(name: str, category: Category) -> None:
    assert category_of_operator(name) is category


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("volta_h884gemm_128x64_nn", Use.YES),  # sm70
        ("turing_fp16_s1688gemm_fp16_128x64_sliced1x2_ldg8_f2f_tn", Use.YES),  # sm75
        ("ampere_bf16_s16816gemm_bf16_64x64_ldg8_f2f_stages_64x5_nn", Use.YES),  # sm80
        ("ampere_fp16_sgemm_fp16_64x64_nn", Use.NO),  # half in memory, FP32 arithmetic
        ("void cutlass::device_kernel<cutlass3x_sm90_tensorop_s64x128x16gemm_bf16_bf16_f32>", Use.YES),  # sm90
        ("cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_6", Use.YES),
        ("nvjet_tst_128x256_64x4_2x1_v_bz_coopA_NTT", Use.YES),  # sm100
        ("cutlass3x_sm120_bstensorop_s16864gemm_block_scaled_ue4m3xf4", Use.YES),  # sm120
        ("triton_tem_fused_mm_3", Use.UNKNOWN),
        ("attn_fwd", Use.UNKNOWN),
        ("void at::native::vectorized_elementwise_kernel<4, AddFunctor>", Use.NO),
        ("Cijk_Ailk_Bljk_SB_MT64x64x16_SE_K1", Use.UNKNOWN),  # neither MFMA nor thread tile in the name
    ],
)
def test_matrix_core_use_is_told_by_name_or_unknown(name: str, use: Use) -> None:
    assert matrix_core_use(name) is use


def test_every_row_has_its_category() -> None:
    trace = trace_from_text("""
        thread 1 | <my range> 0-50 | aten::mm 0-15 | nn.Module: Net_0 20-30
        stream 7 | ampere_sgemm_128x64_nn 5-15 <- aten::mm | Memcpy HtoD 20-25 | Memset 26-27 | ncclDevKernel_AllReduce 30-40
    """)
    found = {trace.text(n): c for n, c in zip(trace.events.name_id.tolist(), category_by_row(trace).tolist(), strict=True)}
    assert found == {
        "my range": Category.OTHER,
        "aten::mm": Category.MATMUL,
        "nn.Module: Net_0": NO_CATEGORY,
        "cudaLaunchKernel": NO_CATEGORY,
        "ampere_sgemm_128x64_nn": Category.MATMUL,
        "Memcpy HtoD": Category.COPY,
        "Memset": Category.SET,
        "ncclDevKernel_AllReduce": Category.COMMUNICATION,
    }
    assert not matrix_core_use_by_row(trace).any()


def test_the_page_has_the_same_categories_in_the_same_order() -> None:
    page = (ROOT / "frontend/src/base/categories.ts").read_text()
    listed = page[page.index("KERNEL_CATEGORIES") :]
    calls = re.findall(r"category\(\s*'([^']+)',\s*'([^']+)',\s*'([^']+)',\s*'([^']+)',?\s*\)", listed)
    assert [(each.id, each.title, each.id, each.definition) for each in CATEGORIES] == calls
    theme = (ROOT / "frontend/src/base/theme.css").read_text()
    assert all(theme.count(f"--c-{each.id}:") == 2 for each in CATEGORIES)


@pytest.mark.parametrize(
    "name", ["h100_qwen", "mi300_resnet_ddp_checkpoint", "a100_nccl", "v100_resnet50_workers0_a", "mi300_vllm_decode_graph"]
)
def test_on_real_traces_nearly_all_device_time_has_a_category(traces: Path, name: str) -> None:
    trace = reader.read(traces / f"{name}.json.gz")
    work = np.flatnonzero(np.isin(trace.events.kind, DEVICE_KINDS))
    duration, category = (trace.events.end_ns - trace.events.start_ns)[work], category_by_row(trace)[work]
    assert (category < len(CATEGORIES)).all()
    assert duration[category == Category.OTHER].sum() <= 0.05 * duration.sum()
    # Communication is exactly what the other views take for it.
    kernels = work[trace.events.kind[work] == Kind.KERNEL]
    collective = {n for n in set(trace.events.name_id[kernels].tolist()) if COLLECTIVE_NAME.search(trace.text(n))}
    by_name = np.isin(trace.events.name_id[kernels], list(collective))
    assert ((category_by_row(trace)[kernels] == Category.COMMUNICATION) == by_name).all()
