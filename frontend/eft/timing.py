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
#: Last caches of hundreds of MiB are shared by many cores; to fill them takes longer than most
#: calls.
_MOST_CPU_FLUSH_BYTES = 64 << 20
#: So many samples have a median and quantiles.
_FEWEST_SAMPLES = 10
#: Beyond those, filling the buffer may take so many times as long as what is measured.
_FLUSH_SHARE = 2


#: Three functions: one to call before a call that is timed, that call, and one to call after it.
Run = tuple[Callable, Callable, Callable]


class CpuTimer:
    """Times calls by the wall clock."""

    def __init__(self):
        import numpy

        buffer = numpy.zeros(min(_last_cache_bytes(), _MOST_CPU_FLUSH_BYTES), numpy.uint8)
        self._flush = lambda: buffer.fill(0)
        self._flush()  # the first time the system finds the memory

    def measure(self, fn: Callable, warmup: float, rep: float, prepare: Callable) -> list[float]:
        """Milliseconds of each call, of ten at least. The calls that warm up take `warmup`
        milliseconds together at most, and those that are timed `rep`. Flushing the caches does not
        count, but bounds the calls beyond ten."""
        fn()
        flush = _milliseconds_of(self._flush)
        per_call = spent = _milliseconds_of(fn)
        while spent < warmup:
            latest = _milliseconds_of(fn)
            per_call = min(per_call, latest)
            spent += latest
        affordable = min(rep / max(per_call, 1e-4), _FLUSH_SHARE * rep / flush)
        times = []
        for _ in range(max(_FEWEST_SAMPLES, int(affordable))):
            prepare()
            self._flush()
            times.append(_milliseconds_of(fn))
        return times

    def measure_in_turn(self, runs: list[Run]) -> list[float]:
        """Milliseconds of one call of each, in their order."""
        times = []
        for prepare, fn, finish in runs:
            prepare()
            try:
                self._flush()
                times.append(_milliseconds_of(fn))
            finally:
                finish()
        return times


def _milliseconds_of(fn: Callable) -> float:
    start = perf_counter()
    fn()
    return (perf_counter() - start) * 1e3


class GpuTimer:
    """Times calls by events in the current stream: PyTorch's if it is loaded, else the default
    one."""

    def __init__(self, device: int = 0):
        """`device` is the GPU, where neither PyTorch nor CuPy has a current one."""
        torch = sys.modules.get("torch")
        if torch and torch.cuda.is_available():
            self._use_torch(torch)
        else:
            self._use_driver(device)

    def _use_torch(self, torch):
        buffer = torch.empty(_GPU_FLUSH_BYTES // 4, dtype=torch.int32, device="cuda")
        self._flush = buffer.zero_
        self._event = lambda: torch.cuda.Event(enable_timing=True)
        self._synchronize = torch.cuda.synchronize
        self._milliseconds = lambda start, end: start.elapsed_time(end)

    def _use_driver(self, device: int):
        from eft import _runtime

        self._flush = _flush_by_cupy()
        self._event = lambda: _runtime.CudaEvent(device)
        self._synchronize = lambda: _runtime.synchronize(device)
        self._milliseconds = lambda start, end: end.elapsed_ms(start)

    def measure(self, fn: Callable, warmup: float, rep: float, prepare: Callable) -> list[float]:
        """Milliseconds of each call. The calls that warm up take about `warmup` milliseconds
        together, and those that are timed `rep`, flushing included. The GPU is not waited for in
        between."""
        fn()
        estimate = self._milliseconds_per_call(fn, calls=5)
        for _ in range(max(1, int(warmup / estimate))):
            fn()
        marks = [(self._event(), self._event()) for _ in range(max(1, int(rep / estimate)))]
        for start, end in marks:
            prepare()
            self._flush()
            start.record()
            fn()
            end.record()
        self._synchronize()
        return [self._milliseconds(start, end) for start, end in marks]

    def measure_in_turn(self, runs: list[Run]) -> list[float]:
        """Milliseconds of one call of each, in their order. The GPU is only waited for at the
        end."""
        marks = []
        for prepare, fn, finish in runs:
            prepare()
            try:
                self._flush()
                marks.append((self._event(), self._event()))
                marks[-1][0].record()
                fn()
                marks[-1][1].record()
            finally:
                finish()
        self._synchronize()
        return [self._milliseconds(start, end) for start, end in marks]

    def _milliseconds_per_call(self, fn: Callable, calls: int) -> float:
        start, end = self._event(), self._event()
        start.record()
        for _ in range(calls):
            self._flush()
            fn()
        end.record()
        self._synchronize()
        return self._milliseconds(start, end) / calls


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
