"""What NVIDIA's devices can do at most: dense values (half of the sheet's where that states sparsity)."""

from __future__ import annotations

from typing import Final

from tb_plugin.trace.vendors.peak import Peak, peak

_P100: Final = "NVIDIA P100 data sheet, 2016"
_V100: Final = "NVIDIA V100 data sheet, 2020"
_T4: Final = "NVIDIA T4 data sheet"
_A10: Final = "NVIDIA A10 data sheet"
_A30: Final = "NVIDIA A30 data sheet"
_A40: Final = "NVIDIA A40 data sheet"
_L4: Final = "NVIDIA L4 data sheet (half of the values with sparsity)"
_L40S: Final = "NVIDIA L40S data sheet (half of the values with sparsity)"
_A100: Final = "NVIDIA A100 data sheet, 2022"
_H100: Final = "NVIDIA H100 architecture white paper, table 2; H100 data sheet"
_H200: Final = "NVIDIA H200 data sheet (half of the values with sparsity)"
_H20: Final = "tables of vendors in public repositories"
_GH200: Final = "NVIDIA GH200 data sheet (half of the values with sparsity)"
_B200: Final = "NVIDIA HGX B200 data sheet, per GPU (half of the values with sparsity)"
_GB200: Final = "NVIDIA GB200 NVL72 data sheet / 72 / 2; other tables have B200's 2250 TFLOP/s"
_B300: Final = "verda.com's note on B300 and GB300; NVIDIA's page on Blackwell Ultra"

NVIDIA_PEAKS: Final[tuple[Peak, ...]] = (
    #    name                     title              sample                    fp16 bf16 tf32 fp32 fp64 fp8    GB/s
    peak(r"P100", "P100 SXM2", "Tesla P100-SXM2-16GB", (21.2, None, None, 10.6, 5.3, None), 732, _P100, units=56, gib=16),
    peak(r"V100S", "V100S PCIe", "Tesla V100S-PCIE-32GB", (130, None, None, 16.4, 8.2, None), 1134, _V100),
    peak(r"V100.*PCIE", "V100 PCIe", "Tesla V100-PCIE-16GB", (112, None, None, 14, 7, None), 900, _V100),
    peak(r"V100", "V100 SXM2", "Tesla V100-DGXS-32GB", (125, None, None, 15.7, 7.8, None), 900, _V100),
    peak(r"\bT4\b", "T4", "Tesla T4", (65, None, None, 8.1, None, None), 320, _T4, units=40, gib=16),
    peak(r"\bA10\b", "A10", "NVIDIA A10", (125, 125, 62.5, 31.2, None, None), 600, _A10, units=72, gib=24),
    peak(r"\bA30\b", "A30", "NVIDIA A30", (165, 165, 82, 10.3, 10.3, None), 933, _A30, units=56, gib=24),
    peak(r"\bA40\b", "A40", "NVIDIA A40", (149.7, 149.7, 74.8, 37.4, None, None), 696, _A40, units=84, gib=48),
    peak(r"\bL4\b", "L4", "NVIDIA L4", (121, 121, 60, 30.3, None, 242), 300, _L4, units=58, gib=24),
    peak(r"\bL40S\b", "L40S", "NVIDIA L40S", (362, 362, 183, 91.6, None, 733), 864, _L40S, units=142, gib=48),
    peak(
        r"A100.*80GB.*PCIe|A100.*PCIe.*80GB",
        "A100 80GB PCIe",
        "NVIDIA A100 80GB PCIe",
        (312, 312, 156, 19.5, 19.5, None),
        1935,
        _A100,
    ),
    peak(r"A100.*80GB", "A100 80GB SXM", "NVIDIA A100-SXM4-80GB", (312, 312, 156, 19.5, 19.5, None), 2039, _A100),
    peak(r"A100", "A100 40GB", "NVIDIA A100-PG509-200", (312, 312, 156, 19.5, 19.5, None), 1555, _A100, units=108, gib=40),
    peak(r"GH200.*HBM3e", "GH200 HBM3e", "NVIDIA GH200 144G HBM3e", (989, 989, 494, 67, 67, 1979), 4900, _GH200),
    peak(r"GH200", "GH200 HBM3", "NVIDIA GH200 480GB", (989, 989, 494, 67, 67, 1979), 4000, _GH200, units=132, gib=96),
    peak(r"H100.*PCIe", "H100 PCIe", "NVIDIA H100 PCIe", (756, 756, 378, 51, 51, 1513), 2000, _H100, units=114, gib=80),
    peak(r"H100.*NVL", "H100 NVL", "NVIDIA H100 NVL", (835.5, 835.5, 417.5, 60, 60, 1671), 3900, _H100),
    peak(
        r"H100",
        "H100 SXM",
        "NVIDIA H100 80GB HBM3",
        (989.4, 989.4, 494.7, 66.9, 66.9, 1978.9),
        3350,
        _H100,
        units=132,
        gib=80,
    ),
    peak(r"\bH800", "H800 SXM", "NVIDIA H800", (989, 989, 494, 67, 1, 1979), 3350, _H20),
    peak(r"\bH200.*NVL", "H200 NVL", "NVIDIA H200 NVL", (835.5, 835.5, 417.5, 60, 60, 1670.5), 4800, _H200),
    peak(r"\bH200", "H200 SXM", "NVIDIA H200", (989.5, 989.5, 494.5, 67, 67, 1979), 4800, _H200, units=132, gib=141),
    peak(r"\bH20\b", "H20", "NVIDIA H20", (148, 148, 74, 44, 1, 296), 4000, _H20, units=78, gib=96),
    peak(r"\bGB200", "GB200, per GPU", "NVIDIA GB200", (2500, 2500, 1250, 80, 40, 5000), 8000, _GB200, fp4=10000),
    peak(r"\bB200", "B200", "NVIDIA B200", (2250, 2250, 1125, 75, 37, 4500), 7700, _B200),
    peak(r"\bGB300", "GB300, per GPU", "NVIDIA GB300", (2500, 2500, 1250, 80, 1.2, 5000), 8000, _B300, fp4=15000),
    peak(r"\bB300", "B300", "NVIDIA B300 SXM6 AC", (2250, 2250, 1100, 75, 1.2, 4500), 7700, _B300, fp4=14000),
)
"""The first whose pattern is found in a device's name."""
