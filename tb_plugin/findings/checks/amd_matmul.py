"""On AMD: do large products stay far below the peak? Its libraries choose among kernels that may be tuned for the sizes at hand.

`Cijk_Alik_Bljk_BBS_BH_..._MT64x32x256_...`: a kernel of hipBLASLt or rocBLAS, with its tile (MT) in the name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.findings.check import Check, Seen
from tb_plugin.findings.checks.slow_matmul import Usual, is_of_amd, slow_products
from tb_plugin.trace.scope.recorded import DEVICE, HOST, LAUNCHES, TYPES

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

_TITLE: Final = "Tune matrix products for their sizes: TunableOp, which tries the kernels of hipBLASLt and rocBLAS"

_USUAL: Final = Usual(
    0.4,
    "which large products of a real recording reach (MI300X: 35 to 40 %)",
    "a partition of the device",
    "matrix cores",
    """\
rocm-smi --showclocks --showmaxpower --showpower  # the clock now, the power limit
rocm-smi --showcomputepartition  # is it a part of the device?""",
)


def find(facts: Facts) -> Seen | None:
    return slow_products(facts, _TITLE, _USUAL) if is_of_amd(facts) else None


CHECK: Final = Check(
    id="amd_matmul",
    looks_for="large matrix products on AMD that tuning may speed up",
    needs=(HOST, DEVICE, LAUNCHES, TYPES),
    find=find,
    code="""\
torch.cuda.tunable.enable()  # or PYTORCH_TUNABLEOP_ENABLED=1: once for each size, kept in a file
torch.cuda.tunable.set_filename("tuned.csv")
torch.backends.cuda.preferred_blas_library("hipblaslt")""",
    unless="Sizes change with every call, or the device is limited on purpose: then hold it against its own peak "
    "(--peak bf16=...).",
    link="https://rocm.docs.amd.com/en/latest/how-to/rocm-for-ai/inference-optimization/workload.html",
)
