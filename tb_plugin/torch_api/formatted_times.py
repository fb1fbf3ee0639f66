"""Times that an event and a row of averages both have, per call and as text."""

from __future__ import annotations

import warnings

from tb_plugin.torch_api.words import time_text


class FormattedTimes:
    """Averages per call, and times as text. Times in µs."""

    count: int
    cpu_time_total: float
    device_time_total: float
    self_cpu_time_total: float
    self_device_time_total: float

    @property
    def cpu_time(self) -> float:
        return 0.0 if self.count == 0 else 1.0 * self.cpu_time_total / self.count

    @property
    def device_time(self) -> float:
        return 0.0 if self.count == 0 else 1.0 * self.device_time_total / self.count

    @property
    def cuda_time(self) -> float:
        warnings.warn("`cuda_time` is deprecated, please use `device_time` instead.", FutureWarning, stacklevel=2)
        return self.device_time

    @property
    def cpu_time_str(self) -> str:
        return time_text(self.cpu_time)

    @property
    def device_time_str(self) -> str:
        return time_text(self.device_time)

    @property
    def cpu_time_total_str(self) -> str:
        return time_text(self.cpu_time_total)

    @property
    def device_time_total_str(self) -> str:
        return time_text(self.device_time_total)

    @property
    def self_cpu_time_total_str(self) -> str:
        return time_text(self.self_cpu_time_total)

    @property
    def self_device_time_total_str(self) -> str:
        return time_text(self.self_device_time_total)
