# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The clocks behind `eft.testing.do_bench`: events on a GPU, the wall clock on a CPU.

What a kernel reads may still be in a cache from the call before, and then it looks faster than it
is in a program that does other things in between. So each clock fills a buffer larger than the last
cache before every call that it times.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import perf_counter

#: More than the second-level cache of any GPU so far.
_GPU_FLUSH_BYTES = 256 << 20


class CpuTimer:
    """Times calls by the wall clock."""

    def __init__(self):
        import numpy

        self._buffer = numpy.zeros(_last_cache_bytes(), numpy.uint8)

    def seconds_per_call(self, fn: Callable, calls: int) -> float:
        start = perf_counter()
        for _ in range(calls):
            self._buffer.fill(0)
            fn()
        return (perf_counter() - start) / calls

    def measure(self, fn: Callable, calls: int, prepare: Callable) -> list[float]:
        """Milliseconds of each call."""
        times = []
        for _ in range(calls):
            prepare()
            self._buffer.fill(0)
            start = perf_counter()
            fn()
            times.append((perf_counter() - start) * 1e3)
        return times


class GpuTimer:
    """Times calls by events in the current stream: PyTorch's if it is loaded, else the default
    one."""

    def __init__(self):
        torch = sys.modules.get("torch")
        if torch and torch.cuda.is_available():
            self._use_torch(torch)
        else:
            self._use_driver()

    def _use_torch(self, torch):
        buffer = torch.empty(_GPU_FLUSH_BYTES // 4, dtype=torch.int32, device="cuda")
        self._flush = buffer.zero_
        self._event = lambda: torch.cuda.Event(enable_timing=True)
        self._synchronize = torch.cuda.synchronize
        self._milliseconds = lambda start, end: start.elapsed_time(end)

    def _use_driver(self):
        from eft import _runtime

        self._flush = _flush_by_cupy()
        self._event = _runtime.CudaEvent
        self._synchronize = _runtime.synchronize
        self._milliseconds = lambda start, end: end.elapsed_ms(start)

    def seconds_per_call(self, fn: Callable, calls: int) -> float:
        start, end = self._event(), self._event()
        start.record()
        for _ in range(calls):
            self._flush()
            fn()
        end.record()
        self._synchronize()
        return self._milliseconds(start, end) / 1e3 / calls

    def measure(self, fn: Callable, calls: int, prepare: Callable) -> list[float]:
        """Milliseconds of each call. The GPU is not waited for in between."""
        marks = [(self._event(), self._event()) for _ in range(calls)]
        for start, end in marks:
            prepare()
            self._flush()
            start.record()
            fn()
            end.record()
        self._synchronize()
        return [self._milliseconds(start, end) for start, end in marks]


def make_timer(device: str | None) -> CpuTimer | GpuTimer:
    """The clock for "cuda", "cpu", or None: a GPU if there is one."""
    if device not in (None, "cuda", "cpu"):
        raise ValueError(f"device must be 'cuda' or 'cpu', got {device!r}")
    if device == "cpu":
        return CpuTimer()
    from eft import _runtime

    if _runtime.device_count() > 0:
        return GpuTimer()
    if device == "cuda":
        raise RuntimeError("there is no GPU to time on")
    return CpuTimer()


def _flush_by_cupy() -> Callable:
    """Fills a buffer of CuPy's if that is loaded. Else nothing here could allocate one."""
    cupy = sys.modules.get("cupy")
    if cupy is None:
        return lambda: None
    buffer = cupy.empty(_GPU_FLUSH_BYTES // 4, cupy.int32)
    return lambda: buffer.fill(0)


def _last_cache_bytes() -> int:
    """Twice the largest cache of the first core, as Linux tells it; 64 MiB where it doesn't."""
    from pathlib import Path

    sizes = []
    for path in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"):
        text = path.read_text().strip()
        if text.endswith("K"):
            sizes.append(int(text[:-1]) << 10)
    return 2 * max(sizes, default=32 << 20)
