# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The timers that `eft.testing.do_bench` uses: events on a GPU, the wall clock on a CPU.

The data that a kernel reads may still be in a cache from the previous call. The kernel is then
faster than in a program that does other work between the calls. So before every call that it times,
a timer flushes the caches: it fills a large buffer.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import perf_counter

#: Larger than the second-level cache of any GPU so far.
_GPU_FLUSH_BYTES = 256 << 20
#: The largest buffer on a CPU. A last-level cache of hundreds of MiB is shared by many cores, and
#: filling a buffer of that size takes longer than most calls.
_MOST_CPU_FLUSH_BYTES = 64 << 20
#: The least number of samples, for a median and quantiles that mean something.
_FEWEST_SAMPLES = 10
#: More samples are taken only as long as all flushes together take no longer than this multiple of
#: `rep`.
_FLUSH_SHARE = 2


#: Three functions. They are called in this order, and only the second is timed.
Run = tuple[Callable, Callable, Callable]


class CpuTimer:
    """Times calls by the wall clock."""

    def __init__(self):
        import numpy

        buffer = numpy.zeros(min(_last_cache_bytes(), _MOST_CPU_FLUSH_BYTES), numpy.uint8)
        self._flush = lambda: buffer.fill(0)
        self._flush()  # at the first write to the buffer, the system allocates its memory

    def measure(self, fn: Callable, warmup: float, rep: float, prepare: Callable) -> list[float]:
        """Returns the milliseconds of each call that was timed.

        Warms up until the calls have taken `warmup` milliseconds together, without flushing. Let t
        be the time of the fastest of these calls, and f the time of a flush. The number of calls
        that are timed is the smaller of rep / t and 2 rep / f, and at least ten. `prepare` and a
        flush precede each of them.
        """
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
        """Returns the milliseconds of one call of each run, in the order of the runs."""
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
    """Times calls by events in a stream: PyTorch's current stream if PyTorch is loaded, else the
    default stream."""

    def __init__(self, device: int = 0):
        """`device` is the GPU on which events are recorded if PyTorch is not loaded. With PyTorch,
        it is ignored, and PyTorch's current GPU is used."""
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
        """Returns the milliseconds of each call that was timed.

        Let t be the average time of a flush and a call, measured first. There are warmup / t calls
        to warm up, without flushing, and then rep / t calls that are timed; at least one of each.
        `prepare` and a flush precede each call that is timed. The host waits for the GPU only at
        the end.
        """
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
        """Returns the milliseconds of one call of each run, in the order of the runs. The host
        waits for the GPU only at the end."""
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
    """Returns a timer for "cuda" or "cpu". None means "cuda" if there is a GPU, else "cpu".

    Raises:
        ValueError: `device` is none of these.
        RuntimeError: `device` is "cuda" and there is no GPU.
    """
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
    """Returns a function that fills a buffer of CuPy. If CuPy is not loaded, the function does
    nothing, because nothing else here can allocate a buffer on the GPU."""
    cupy = sys.modules.get("cupy")
    if cupy is None:
        return lambda: None
    buffer = cupy.empty(_GPU_FLUSH_BYTES // 4, cupy.int32)
    return lambda: buffer.fill(0)


def _last_cache_bytes() -> int:
    """Returns twice the size of the largest cache of the first core, as Linux reports it; 64 MiB if
    Linux reports none."""
    from pathlib import Path

    sizes = []
    for path in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"):
        text = path.read_text().strip()
        if text.endswith("K"):
            sizes.append(int(text[:-1]) << 10)
    return 2 * max(sizes, default=32 << 20)
