"""What a Nsight Systems export says of the machine: devices, processes, clock, version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.trace.model import Device

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.formats.nvidia.sqlite_tables import Tables

_GPU_FACTS = ("id", "cuDevice", "totalMemory", "smCount", "computeMajor", "computeMinor")
_LATEST = 1 << 61
_VERSIONS = {"EXPORT_PRODUCT_VERSION": "nsys_version", "EXPORT_SCHEMA_VERSION": "nsys_schema_version"}


class TargetMachine:
    """Asks the small tables of an open file; each may be missing."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._gpus = tables.read("TARGET_INFO_GPU", _GPU_FACTS, ("name",))
        cuda = tables.read("TARGET_INFO_CUDA_DEVICE", ("gpuId", "cudaId", "pid"))
        self._cuda = list(zip(*(cuda[name].tolist() for name in ("pid", "cudaId", "gpuId")), strict=True))

    def devices(self, *, physical: bool) -> tuple[Device, ...]:
        """The machine's devices, by its own numbers or by those that CUDA gives them in the one process of the file."""
        number_of = {gpu: cuda for _pid, cuda, gpu in self._cuda}
        found: dict[int, Device] = {}
        facts = zip(*(self._gpus[name].tolist() for name in _GPU_FACTS), self._gpus.others["name"], strict=True)
        for gpu, cuda, memory, sms, major, minor, name in facts:
            index = gpu if physical else number_of.get(gpu, cuda if cuda >= 0 or self._cuda else gpu)
            if index < 0 or index in found:
                continue
            found[index] = Device(
                index=index,
                name=name if isinstance(name, str) else "",
                memory_bytes=memory if memory > 0 else None,
                multiprocessors=sms if sms > 0 else None,
                compute_capability=f"{major}.{max(minor, 0)}" if major > 0 else None,
            )
        return tuple(found[index] for index in sorted(found))

    def physical(self, process: Int64Array, device: Int64Array) -> Int64Array:
        """The machine's numbers for the devices of processes, where the file says which they are."""
        numbers: Int64Array = device.copy()
        for pid, cuda, gpu in self._cuda:
            numbers[(process == pid) & (device == cuda)] = gpu
        return numbers

    def process_names(self) -> dict[str, str]:
        rows = self._tables.read("PROCESSES", ("pid",), ("name",))
        names = zip(rows["pid"].tolist(), rows.others["name"], strict=True)
        return {str(pid): name.rsplit("/", 1)[-1] for pid, name in names if isinstance(name, str)}

    def memory_kinds(self) -> dict[int, str]:
        return self._tables.texts("ENUM_CUDA_MEM_KIND", "id", "label")

    def start_ns(self) -> int:
        """Unix time of the session's start, ns; 0 when the file does not say."""
        rows = self._tables.read("TARGET_INFO_SESSION_START_TIME", ("utcEpochNs",))
        return int(rows["utcEpochNs"].clip(0, _LATEST).max(initial=0))

    def host(self) -> str | None:
        return self._facts("TARGET_INFO_SYSTEM_ENV").get("Hostname")

    def version(self) -> dict[str, str]:
        facts = self._facts("META_DATA_EXPORT")
        return {ours: facts[theirs] for theirs, ours in _VERSIONS.items() if theirs in facts}

    def _facts(self, table: str) -> dict[str, str]:
        rows = self._tables.read(table, (), ("name", "value"))
        pairs = zip(rows.others["name"], rows.others["value"], strict=True)
        return {name: value for name, value in pairs if isinstance(name, str) and isinstance(value, str) and value}
