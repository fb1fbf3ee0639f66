"""Each vendor's record: every rule has a sample, which is told by it and by no rule that is another vendor's alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tb_plugin.base.errors import UsageError
from tb_plugin.trace import vendors
from tb_plugin.trace.file_categories import kind_of
from tb_plugin.trace.memory.driver_calls import RETURNS, TAKES
from tb_plugin.trace.model import Device
from tb_plugin.trace.patterns.fp32_matmul import has_tf32
from tb_plugin.trace.times.idle import WAITS
from tb_plugin.trace.work.collective_names import COLLECTIVE_RANGE, HOST_COLLECTIVE_NAME
from tb_plugin.trace.work.copy_names import BETWEEN_HOST_AND_DEVICE, FROM_PAGEABLE, NOT_FROM_PAGEABLE, copy_ends
from tb_plugin.trace.work.device_peaks import DEVICE_PEAKS, device_peak, guessed_peak, overridden, vendor_of
from tb_plugin.trace.work.matrix_cores import Use, matrix_core_use
from tb_plugin.trace.work.matrix_operators import matrix_types
from tb_plugin.trace.work.taxonomy import CATEGORIES, Category, category_of_kernel, category_of_operator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tb_plugin.trace.vendors.vendor import Vendor

every_vendor = pytest.mark.parametrize("vendor", vendors.ALL, ids=lambda vendor: vendor.title)


def others(vendor: Vendor, patterns: Callable[[Vendor], Iterable[str]]) -> set[str]:
    """Patterns of one rule that are other vendors' alone."""
    return {pattern for other in vendors.ALL for pattern in patterns(other)} - set(patterns(vendor))


def test_every_category_has_the_kind_that_its_vendor_says() -> None:
    for vendor in vendors.ALL:
        assert {category: kind_of(category, "X", "sample") for category in vendor.categories} == vendor.categories
        of_names = {(category, name): kind_of(category, "X", name) for category, name in vendor.kinds_by_name}
        assert of_names == vendor.kinds_by_name


def test_no_two_vendors_claim_a_category() -> None:
    claimed = [category for vendor in vendors.ALL for category in vendor.categories]
    assert len(claimed) == len(set(claimed))


@every_vendor
def test_its_collectives_are_communication(vendor: Vendor) -> None:
    exclusive = others(vendor, lambda each: [word.pattern for word in each.collective_kernels])
    for pattern, sample in vendor.collective_kernels:
        assert re.search(pattern, sample, re.IGNORECASE)
        assert category_of_kernel(sample) is Category.COMMUNICATION
        assert not any(re.search(other, sample, re.IGNORECASE) for other in exclusive)
    for name in vendor.process_groups:
        assert COLLECTIVE_RANGE.match(f"{name}:all_reduce")
        assert HOST_COLLECTIVE_NAME.match(f"{name}:all_reduce")
        assert category_of_operator(f"{name}:all_reduce") is Category.COMMUNICATION


def test_a_call_is_one_vendors_and_does_one_thing() -> None:
    calls = [name for vendor in vendors.ALL for name in (*vendor.waits, *vendor.takes_memory, *vendor.returns_memory)]
    assert len(calls) == len(set(calls))
    assert set(calls) == WAITS | TAKES | RETURNS
    assert "cudaMemcpyAsync" not in calls


@pytest.mark.parametrize("vendor", [each for each in vendors.ALL if each.copies], ids=lambda vendor: vendor.title)
def test_its_copies_say_where_they_go(vendor: Vendor) -> None:
    copies = vendor.copies
    assert copies
    of_others = [other.copies.ends for other in vendors.ALL if other.copies and other is not vendor]
    for name, ends in ((copies.to_device, ("host", "device")), (copies.to_host, ("device", "host"))):
        assert copy_ends(name) == ends
        assert not any(re.search(other, name) for other in of_others)
        assert BETWEEN_HOST_AND_DEVICE.match(name)
        assert NOT_FROM_PAGEABLE.match(f"{name} (Pinned -> Device)")
        assert bool(NOT_FROM_PAGEABLE.match(name)) is not copies.names_memory
    assert bool(FROM_PAGEABLE.match(f"{copies.to_device} (Pageable -> Device)")) is copies.names_memory
    assert not FROM_PAGEABLE.match(f"{copies.to_host} (Pageable -> Device)")
    assert set(copies.places.values()) <= {"host", "device", "peer", "array"}


@every_vendor
def test_its_kernels_have_their_category(vendor: Vendor) -> None:
    exclusive = others(vendor, lambda each: [rule.pattern for rule in each.kernels])
    for category, pattern, sample in vendor.kernels:
        assert re.search(pattern, sample)
        assert CATEGORIES[category_of_kernel(sample)].id == category
        assert not any(re.search(other, sample) for other in exclusive)


@every_vendor
def test_its_kernels_use_matrix_cores_or_not(vendor: Vendor) -> None:
    exclusive = others(vendor, lambda each: [rule.pattern for rule in (*each.matrix_stated, *each.matrix_known)])
    for uses_cores, pattern, sample in (*vendor.matrix_stated, *vendor.matrix_known):
        assert re.search(pattern, sample)
        assert matrix_core_use(sample) is (Use.YES if uses_cores else Use.NO)
        assert not any(re.search(other, sample) for other in exclusive)


@every_vendor
def test_its_devices_are_found_by_the_names_that_drivers_give(vendor: Vendor) -> None:
    exclusive = others(vendor, lambda each: [peak.pattern for peak in each.peaks])
    for peak in vendor.peaks:
        device = Device(index=0, name=peak.sample, multiprocessors=peak.units)
        assert device_peak(device) is peak
        assert vendor_of(device) is vendor
        assert not any(re.search(other, peak.sample, re.IGNORECASE) for other in exclusive)
    for word in vendor.device_words:
        assert vendor_of(Device(index=0, name=f"{word} 1")) is vendor
    if vendor.warp_size is not None:
        assert vendor_of(Device(index=0, properties={"warpSize": vendor.warp_size})) is vendor
    capabilities = [least for least, _types in vendor.matrix_types]
    assert capabilities == sorted(set(capabilities))
    for (major, minor), types in vendor.matrix_types:
        assert matrix_types(Device(index=0, name=vendor.device_words[0], compute_capability=f"{major}.{minor}")) == types


@pytest.mark.parametrize(
    ("name", "is_known", "is_tf32"),
    [
        ("NVIDIA GeForce RTX 4090", True, True),
        ("A100-SXM4-40GB", True, True),  # older drivers leave the maker out
        ("AMD Instinct MI300X", True, False),
        ("Instinct MI300X", True, False),
        ("Intel(R) Data Center GPU Max 1550", False, False),
        ("Ascend910B2", False, False),
        ("Unheard of", False, False),
        ("", False, False),
    ],
)
def test_a_device_is_judged_by_its_own_makers_rules_or_not_at_all(name: str, is_known: bool, is_tf32: bool) -> None:
    device = Device(index=0, name=name, compute_capability="9.0")
    assert (matrix_types(device) is not None) is is_known
    assert has_tf32(device) is is_tf32
    assert not has_tf32(Device(index=0, name=name, compute_capability="7.5"))


def test_a_device_without_a_known_name_has_no_peak() -> None:
    assert device_peak(Device(index=0, name="")) is None
    assert device_peak(None) is None


@pytest.mark.parametrize(
    ("name", "units", "title"),
    [
        ("AMD Instinct MI300X VF", 304, "MI300X"),
        ("AMD Instinct MI300X VF", 76, None),  # a quarter of one
        ("AMD Instinct MI300X VF", None, None),
        ("NVIDIA A100-SXM4-80GB MIG 3g.40gb", 42, None),
        ("NVIDIA GH200 480GB", 132, "GH200 HBM3"),  # whose name holds H200
        ("NVIDIA H20", 78, "H20"),
        ("NVIDIA H200", 132, "H200 SXM"),
        ("NVIDIA GB200", 148, "GB200, per GPU"),
        ("NVIDIA A100-PG509-200", 108, "A100 40GB"),
        ("NVIDIA RTX A4000", 48, None),
        ("NVIDIA A10G", 80, None),
        ("NVIDIA L40", 142, None),
    ],
)
def test_a_name_has_the_peaks_of_that_device_alone_and_a_part_not_those_of_the_whole(
    name: str, units: int | None, title: str | None
) -> None:
    found = device_peak(Device(index=0, name=name, multiprocessors=units))
    assert (found.title if found else None) == title


def test_every_peak_has_its_source_and_an_own_title() -> None:
    assert all(peak.source for peak in DEVICE_PEAKS)
    assert len({peak.title for peak in DEVICE_PEAKS}) == len(DEVICE_PEAKS)


@pytest.mark.parametrize(
    ("units", "gib", "warp", "title"),
    [
        (304, 191.98, 64, "MI300X"),
        (304, 255.98, 64, "MI325X"),
        (304, 191.98, 32, None),  # no device of that width
        (132, 79.2, 32, "H100 SXM"),
        (132, 139.8, 32, "H200 SXM"),
        (80, 31.7, 32, None),  # several kinds of V100
        (77, 12.0, 32, None),
    ],
)
def test_a_device_without_a_name_is_guessed_where_one_alone_looks_so(
    units: int, gib: float, warp: int, title: str | None
) -> None:
    device = Device(index=0, multiprocessors=units, memory_bytes=int(gib * 2**30), properties={"warpSize": warp})
    found = guessed_peak(device)
    assert (found.title if found else None) == title
    assert device_peak(device) is None  # never silently


def test_a_device_with_a_name_is_not_guessed() -> None:
    assert guessed_peak(Device(index=0, name="Unheard of", multiprocessors=304, memory_bytes=192 * 2**30)) is None


def test_who_knows_better_says_so() -> None:
    h100 = device_peak(Device(index=0, name="NVIDIA H100 80GB HBM3"))
    assert overridden(h100, "") is h100
    changed = overridden(h100, "bf16=700, bandwidth=3000")
    assert changed
    assert h100
    assert (changed.bf16, changed.bytes_per_s, changed.fp16) == (700e12, 3000e9, h100.fp16)
    assert "given: bf16=700" in changed.source
    new = overridden(None, "fp16=100")
    assert new
    assert (new.fp16, new.bf16) == (100e12, None)
    assert new.bytes_per_s != new.bytes_per_s  # not known


@pytest.mark.parametrize("text", ["bf17=3", "bf16", "bf16=", "bf16=-1", "bf16=nan", "bf16=fast", "=3", "bf16=1,,"])
def test_what_is_no_peak_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="peak"):
        overridden(None, text)
