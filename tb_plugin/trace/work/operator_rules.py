"""Operator names to categories, as data: as `kernel_rules`, on names made plain.

aten::_softmax_backward_data                                    softmax_backward_data
autograd::engine::evaluate_function: CudnnBatchNormBackward0    cudnn_batch_norm_backward
"""

from __future__ import annotations

import re
from typing import Final

from tb_plugin.trace.work.collective_names import HOST_COLLECTIVE_NAME
from tb_plugin.trace.work.kernel_rules import Rule

_NAMESPACE = re.compile(r"^(?:autograd::engine::evaluate_function: )?(?:torch::autograd::)?(?:[\w<>]+::)*_*")
_OVERLOAD = re.compile(r"\.\w+$")
_NODE_NUMBER = re.compile(r"(?<=Backward)\d+$")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def plain_operator(name: str) -> str:
    """The name without namespace, overload and leading underscores, words joined by underscores. Collectives keep theirs."""
    if HOST_COLLECTIVE_NAME.search(name):
        return name
    bare = _NODE_NUMBER.sub("", _OVERLOAD.sub("", _NAMESPACE.sub("", name)))
    return _CAMEL.sub("_", bare).lower() if "Backward" in bare else bare


_RULES: Final = (
    (
        "communication",
        r"^record_param_comms$|^(?:all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|broadcast_?$|wait_tensor)",
        "_c10d_functional::all_reduce",
    ),
    (
        "attention",
        r"scaled_dot_product|flash_attention|efficient_attention|multi_head_attention|transformer_encoder",
        "aten::_flash_attention_forward",
    ),
    (
        "attention",
        r"flex_attention|flash_attn|fmha|paged_attention|unified_attention|mha_(?:fwd|bwd|varlen)",
        "flash_attn::_flash_attn_varlen_forward",
    ),
    (
        "convolution",
        r"conv(?:\d|olution|_transpose|_tbc|_depthwise)|slow_conv|thnn_conv",
        "autograd::engine::evaluate_function: ConvolutionBackward0",
    ),
    ("normalisation", r"(?:batch|layer|group|rms|instance|local_response)_?norm", "aten::native_layer_norm_backward"),
    ("normalisation", r"softmax", "aten::_log_softmax_backward_data"),
    ("matmul", r"^(?:add)?(?:mm|bmm|mv|bmv|r)(?:_|$)|^baddbmm|^addbmm", "aten::addmm"),
    ("matmul", r"matmul|^linear(?:_|$)|einsum|tensordot|^dot$|^vdot$|^bilinear|(?<!fb)gemm", "aten::linear"),
    ("matmul", r"(?:scaled|int|grouped|weight_int\w+pack|sparse_semi_structured|scaled_grouped)_mm", "aten::_scaled_mm"),
    ("matmul", r"fused_moe|_experts$", "vllm::fused_moe"),
    (
        "indexing",
        r"^index|gather|^scatter|^take|embedding|^select_(?:backward|scatter)|^slice_(?:backward|scatter)",
        "aten::index_select",
    ),
    ("indexing", r"^cat(?:_|$)|^stack|^concat|_cat$|^fast_cat|^roll|^flip|^repeat|^sort|^topk|^unique|^nonzero", "aten::cat"),
    (
        "indexing",
        r"^permute_|bucketize|searchsorted|upsample|interpolate|grid_sampler|pad(?:_nd|\d|$)|masked_select",
        "fbgemm::permute_2D_sparse_data",
    ),
    ("elementwise", r"binary_cross_entropy|(?:mse|l1|huber)_loss", "aten::mse_loss"),
    (
        "reduction",
        r"^(?:sum|mean|max|min|amax|amin|argmax|argmin|prod|std|var|var_mean|any|all|median|mode)(?:_(?!pool)|$)",
        "aten::mean",
    ),
    (
        "reduction",
        r"norm(?:_|$)|cumsum|cumprod|logsumexp|pool(?!ed)|_loss|cross_entropy|bincount|histc|multinomial|diff$",
        "aten::max_pool2d",
    ),
    ("copy", r"^(?:copy|to|to_copy|clone|contiguous|pin_memory|local_scalar_dense|item)_?(?:_backward)?$", "aten::copy_"),
    ("set", r"^(?:fill|zero|zeros|ones|full|zeros_like|ones_like|full_like|new_zeros|new_ones|new_full)_?$", "aten::zero_"),
    (
        "elementwise",
        r"^(?:add|sub|rsub|mul|div|pow|sqrt|rsqrt|exp|log|log2|log1p|neg|abs|sign|sgn|square|reciprocal)_?(?:_backward)?$",
        "aten::add_",
    ),
    (
        "elementwise",
        r"^(?:sin|cos|tan|tanh|sigmoid|logit|erf|floor|ceil|round|clamp\w*|addcmul|addcdiv|lerp|where|fmod|remainder)_?(?:_backward)?$",
        "aten::clamp_min_",
    ),
    (
        "elementwise",
        r"^(?:relu|relu6|gelu|silu|elu|selu|leaky_relu|hardtanh|hardswish|softplus|mish|threshold|glu|prelu)_?(?:_backward)?$",
        "aten::silu",
    ),
    (
        "elementwise",
        r"^(?:eq|ne|lt|le|gt|ge|logical_\w+|bitwise_\w+|maximum|minimum|isnan|isfinite|nan_to_num|masked_fill)_?$",
        "aten::masked_fill_",
    ),
    (
        "elementwise",
        r"dropout|^(?:uniform|normal|bernoulli|random|rand|randn|arange|exponential|tril|triu)_?$",
        "aten::native_dropout",
    ),
    ("elementwise", r"^foreach_|^fused_(?:adam|adamw|sgd|adagrad)|quantiz|^amp_|rotary", "aten::_foreach_add_"),
)

OPERATOR_RULES: Final[tuple[Rule, ...]] = (
    Rule("communication", HOST_COLLECTIVE_NAME, "c10d::allreduce_"),
    *(Rule(category, re.compile(pattern), sample) for category, pattern, sample in _RULES),
)
