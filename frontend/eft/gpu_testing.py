# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of `eft.testing` that needs a GPU: what it can reach, and times in CUDA graphs."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import contextmanager

from eft import _runtime
from eft.testing import check_summary, summary

#: Operations of one of an SM's four parts in a clock, on sm_80 and later: by the bits of a number,
#: with tensor cores and without.
_TENSOR_CORE_OPERATIONS = {32: 256, 16: 512, 8: 1024}
_SIMD_OPERATIONS = {32: 32, 16: 64}
#: The types that a GPU counts by these bits.
_BITS = {
    "float32": 32, "fp32": 32, "int32": 32, "float16": 16, "fp16": 16, "bfloat16": 16, "bf16": 16,
    "int16": 16, "int8": 8, "float8e4nv": 8, "float8e4b15": 8, "float8e5": 8, "fp8e4nv": 8,
    "fp8e4b15": 8, "fp8e5": 8, "float8_e4m3fn": 8, "float8_e5m2": 8,
}  # fmt: skip


def do_bench_cudagraph(
    fn: Callable[[], object],
    rep: float = 20,
    grad_to_none: Sequence | None = None,
    quantiles: Sequence[float] | None = None,
    return_mode: str = "mean",
):
    """Times a function by a CUDA graph of many calls, so that what the host does for a launch does
    not count. The caches are not flushed. Needs PyTorch and a GPU.

    Args:
        fn: what to time; takes no arguments and can be captured.
        rep: how many milliseconds the calls of one graph take together; it is run ten times.
        grad_to_none, quantiles, return_mode: as for `do_bench`.

    Returns:
        Milliseconds of a call, as `do_bench` does.
    """
    check_summary(quantiles, return_mode)
    import torch

    def clear_gradients():
        for tensor in grad_to_none or ():
            tensor.grad = None

    def timed(work) -> float:
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        work()
        end.record()
        torch.cuda.synchronize()
        return start.elapsed_time(end)

    def several():
        for _ in range(5):
            fn()

    with torch.cuda.stream(torch.cuda.Stream()):
        fn()
        for tensor in grad_to_none or ():
            tensor.detach_()
            tensor.requires_grad_(True)
        clear_gradients()
        estimate = timed(several) / 5
        calls = max(1, int(rep / estimate)) if estimate > 0 else 1000
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(calls):
                clear_gradients()
                fn()
        torch.cuda.synchronize()
        times = [timed(graph.replay) / calls for _ in range(10)]
    return summary(times, quantiles, return_mode)


def _properties(device: int | None) -> dict:
    if device is None:
        torch = sys.modules.get("torch")
        device = torch.cuda.current_device() if torch else 0
    return _runtime.device_properties(device)


def get_dram_gbps(device: int | None = None) -> float:
    """The gigabytes that a GPU's memory can move in a second: two transfers a clock."""
    facts = _properties(device)
    return facts["memory_clock_khz"] * facts["memory_bus_bits"] * 2 / 8 / 1e6


def get_max_tensorcore_tflops(dtype, clock_rate: float, device: int | None = None) -> float:
    """The 10¹² operations that a GPU's tensor cores do in a second with `mma.sync`.

    Args:
        dtype: the operands' type, one of PyTorch's or `tl`'s.
        clock_rate: the clock in kHz.

    Raises:
        RuntimeError: they don't take the type.
    """
    return _tflops(_TENSOR_CORE_OPERATIONS, dtype, clock_rate, device)


def get_max_simd_tflops(dtype, clock_rate: float, device: int | None = None) -> float:
    """The 10¹² operations that a GPU's other units do in a second; see
    `get_max_tensorcore_tflops`."""
    return _tflops(_SIMD_OPERATIONS, dtype, clock_rate, device)


def _tflops(operations: dict, dtype, clock_rate: float, device: int | None) -> float:
    bits = _BITS.get(str(getattr(dtype, "__name__", dtype)).rpartition(".")[2])
    if bits not in operations:
        raise RuntimeError(f"dtype must be one of {sorted(operations)} bits, got {dtype}")
    parts = _properties(device)["multiprocessor_count"] * 4
    return parts * clock_rate * operations[bits] * 1e-9


def nvsmi(attrs: Sequence[str]) -> list[int]:
    """The numbers that nvidia-smi has for the first GPU, by its names for them."""
    command = ["nvidia-smi", "-i", "0", f"--query-gpu={','.join(attrs)}"]
    command.append("--format=csv,noheader,nounits")
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [int(number) for number in said.split(",")]


@contextmanager
def set_gpu_clock(ref_sm_clock: int = 1350, ref_mem_clock: int = 1215):
    """Within it, the first GPU runs at fixed clocks, in MHz. Needs the right to set them.

    Yields:
        10¹² operations a second of its tensor cores in 16 bits, and gigabytes a second of its
        memory, at these clocks.
    """

    def command(*arguments):
        subprocess.run(["nvidia-smi", "-i", "0", *arguments], capture_output=True, check=True)

    try:
        command("-pm", "1")
        command(f"--lock-gpu-clocks={ref_sm_clock},{ref_sm_clock}")
        command(f"--lock-memory-clocks={ref_mem_clock},{ref_mem_clock}")
        clocks = nvsmi(["clocks.current.sm", "clocks.current.memory"])
        for found, wanted in zip(clocks, (ref_sm_clock, ref_mem_clock), strict=True):
            if abs(found - wanted) >= 10:
                raise RuntimeError(f"the GPU must run at {wanted} MHz, got {found}")
        tflops = get_max_tensorcore_tflops("float16", ref_sm_clock * 1e3, 0)
        yield tflops, ref_mem_clock * _properties(0)["memory_bus_bits"] * 2 / 8 / 1e3
    finally:
        command("-rgc")
        command("-rmc")
        command("-pm", "0")


def cuda_memcheck(**target_kwargs):
    """Makes a test of pytest's run under the CUDA toolkit's compute-sanitizer where it is called
    with these arguments; it needs a fixture `request`."""

    def decorate(test):
        @functools.wraps(test)
        def checked(*args, **kwargs):
            inside = "EFT_MEMCHECK" in os.environ
            if inside or not target_kwargs.items() <= kwargs.items():
                return test(*args, **kwargs)
            name = kwargs["request"].node.nodeid
            environment = {**os.environ, "EFT_MEMCHECK": "1", "PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
            command = ["compute-sanitizer", sys.executable, "-m", "pytest", "-vs", name]
            done = subprocess.run(command, capture_output=True, text=True, env=environment)
            if done.returncode != 0 or "ERROR SUMMARY: 0 errors" not in done.stdout:
                raise AssertionError(f"compute-sanitizer found errors:\n{done.stdout}")

        return checked

    return decorate
