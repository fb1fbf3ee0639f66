from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from tb_plugin.formats import reader
from tb_plugin.trace.kinds import DEVICE_KINDS, Kind
from tb_plugin.trace.work import kernel_rules, matrix_cores, operator_rules
from tb_plugin.trace.work.collective_names import COLLECTIVE_NAME, KERNELS_OF_NOBODY
from tb_plugin.trace.work.matrix_cores import Use, matrix_core_use, matrix_core_use_by_row
from tb_plugin.trace.work.taxonomy import (
    CATEGORIES,
    NO_CATEGORY,
    Category,
    category_by_row,
    category_of_kernel,
    category_of_operator,
)
from tests.profiles import DEVICES, over, real, trace_of
from tests.trace_text import trace_from_text

ROOT = Path(__file__).parents[3]
RUNS = "runFunction - job_prep_and_submit_for_execution"


@pytest.mark.parametrize("rule", kernel_rules.KERNEL_RULES, ids=lambda rule: rule.sample[:40])
def test_each_kernel_rule_takes_its_sample_before_all_others(rule: kernel_rules.Rule) -> None:
    assert next(each for each in kernel_rules.KERNEL_RULES if each.pattern.search(rule.sample)) is rule
    assert CATEGORIES[category_of_kernel(rule.sample)].id == rule.category


@pytest.mark.parametrize(("pattern", "sample"), KERNELS_OF_NOBODY)
def test_collectives_that_are_no_vendors_are_communication(pattern: str, sample: str) -> None:
    assert re.search(pattern, sample)
    assert category_of_kernel(sample) is Category.COMMUNICATION


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
        # torch.compile names all that it fused; what multiplies is a template.
        ("triton_poi_fused_addmm_gelu_3", Category.ELEMENTWISE),
        ("triton_red_fused_addmm_sum_4", Category.REDUCTION),
        ("triton_per_fused_linalg_vector_norm_3", Category.REDUCTION),
        ("triton_red_fused_all_gather_into_tensor_mean_3", Category.REDUCTION),
        ("triton_per_fused_addmm_native_layer_norm_5", Category.NORMALISATION),
        ("triton_red_fused__to_copy_add_mean_mul_pow_rsqrt_0", Category.NORMALISATION),
        ("triton_per_fused__log_softmax_bmm_1", Category.NORMALISATION),
        ("triton_tem_fused__to_copy_mm_native_layer_norm_7", Category.MATMUL),
        ("triton_mm", Category.MATMUL),
        ("triton_rms_norm_kernel", Category.NORMALISATION),  # a person's, not the compiler's
        # Products in eight and four bits, and others with a short name.
        ("bmm_Bfloat16_E2m1E2m1_Fp32_t128x8x512u2_s6_et64x8_m128x8x64_cga1x1x1_16dp256b_sm100f", Category.MATMUL),
        ("_scaled_mm_kernel", Category.MATMUL),
        ("fused_comm_kernel", Category.OTHER),
        ("fusedQKNormRopeKernel", Category.NORMALISATION),
        ("void multi_tensor_apply_kernel<TensorListMetadata<1>, L2NormFunctor<float>>", Category.REDUCTION),
        ("at::native::xpu::MultiTensorApplyKernelFunctor<at::native::xpu::TensorListMetadata<4> >", Category.ELEMENTWISE),
        ("micro_sdpa", Category.ATTENTION),
        ("hcom_allReduce__303_0_1", Category.COMMUNICATION),
        ("void tensorrt_llm::kernels::moeAllToAllKernel", Category.COMMUNICATION),
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
        ("attn_fwd", Use.YES),
        ("bwd_kernel_dk_dv", Use.YES),
        ("_attn_bwd_preprocess", Use.NO),
        ("bmm_E4m3_E4m3E4m3_Fp32_t128x8x128u2_s6_et64x8_m64x8x32_cga1x1x1_16dp256b_sm100a", Use.YES),
        ("void deep_gemm::sm90_fp8_gemm_1d2d_impl<0u, 2112u, 7168u>", Use.YES),
        ("void gemvNSP_kernel<__nv_fp8_e4m3, float>", Use.NO),
        ("void vllm::dynamic_per_token_scaled_fp8_quant_kernel<float>", Use.NO),
        ("void paged_decode_attention<float, fp8_e4m3>", Use.UNKNOWN),  # what it reads has eight bits, not what it multiplies
        ("triton_poi_fused_addmm_gelu_3", Use.NO),
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


def test_a_kernel_whose_name_tells_nothing_is_what_its_operator_is() -> None:
    trace = trace_from_text("""
        thread 1 | aten::linear 0-50 | <my matmul> 60-90   | aten::conv2d 100-150
        thread 1 | aten::addmm  0-40 | aten::foo   60-90   | aten::mul 100-110
        stream 7 | kernel_1    5-15 <- aten::addmm | kernel_2 65-70 <- aten::foo | kernel_3 105-110 <- aten::mul
        stream 7 | triton__0d1 20-30 <- aten::linear | softmax_warp_forward 31-35 <- aten::addmm | kernel_4 200-210
    """)
    category, use = category_by_row(trace), matrix_core_use_by_row(trace)
    found = {
        trace.text(trace.events.name_id[row]): (Category(category[row]), Use(use[row]))
        for row in np.flatnonzero(trace.events.kind == Kind.KERNEL).tolist()
    }
    assert found == {
        "kernel_1": (Category.MATMUL, Use.UNKNOWN),
        "triton__0d1": (Category.MATMUL, Use.UNKNOWN),
        "softmax_warp_forward": (Category.NORMALISATION, Use.NO),
        "kernel_2": (Category.OTHER, Use.UNKNOWN),  # a range is named by a person
        "kernel_3": (Category.ELEMENTWISE, Use.NO),
        "kernel_4": (Category.OTHER, Use.UNKNOWN),
    }


def test_what_a_compiler_made_of_a_model_is_compiled_kernels(tmp_path: Path) -> None:
    """MTIA runs programs under names of their users: the call says that it is one. An operator around it says more."""

    def call(at: int, correlation: int) -> dict[str, object]:
        args = {"correlation": correlation}
        return {"ph": "X", "cat": "mtia_runtime", "name": RUNS, "pid": 1, "tid": 2, "ts": at, "dur": 2, "args": args}

    def ran(name: str, at: int, **args: int) -> dict[str, object]:
        return {"ph": "X", "cat": "mtia_ccp_events", "name": name, "pid": 17, "tid": 3, "ts": at, "dur": 5, "args": args}

    multiply = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 2, "ts": 19, "dur": 9}
    events = [call(10, 1), multiply, call(20, 2), ran("merge", 30, correlation=1), ran("remote", 40, correlation=2)]
    path = tmp_path / "x.pt.trace.json"
    path.write_text(json.dumps({"traceEvents": [*events, ran("pe_exe", 50), ran("odd", 60)]}))
    trace = reader.read(path)
    rows = np.flatnonzero(trace.events.kind == Kind.KERNEL).tolist()
    assert {trace.text(trace.events.name_id[row]): Category(category_by_row(trace)[row]) for row in rows} == {
        "merge": Category.FUSED,
        "remote": Category.MATMUL,
        "pe_exe": Category.FUSED,
        "odd": Category.OTHER,
    }


def test_every_category_has_its_colour_in_both_themes() -> None:
    theme = (ROOT / "frontend/src/base/theme.css").read_text()
    assert [each.id for each in CATEGORIES if theme.count(f"--c-{each.id}:") != 2] == []


@over(
    DEVICES
    + real(
        "mtia_inference",
        "h100_qwen",
        "mi300_resnet_ddp_checkpoint",
        "a100_nccl",
        "v100_resnet50_workers0_a",
        "mi300_vllm_decode_graph",
    )
)
def test_nearly_all_device_time_has_a_category(path: Path) -> None:
    trace = trace_of(path)
    work = np.flatnonzero(np.isin(trace.events.kind, DEVICE_KINDS))
    duration, category = (trace.events.end_ns - trace.events.start_ns)[work], category_by_row(trace)[work]
    assert (category < len(CATEGORIES)).all()
    assert duration[category == Category.OTHER].sum() <= 0.05 * duration.sum()
    # Communication is exactly what the other views take for it.
    kernels = work[trace.events.kind[work] == Kind.KERNEL]
    collective = {n for n in set(trace.events.name_id[kernels].tolist()) if COLLECTIVE_NAME.search(trace.text(n))}
    by_name = np.isin(trace.events.name_id[kernels], list(collective))
    assert ((category_by_row(trace)[kernels] == Category.COMMUNICATION) == by_name).all()
