# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of `eft.testing` that needs a GPU: its peak rates, its clocks, times measured in CUDA
graphs, and checks of memory accesses."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import contextmanager

from eft import _runtime
from eft.testing import check_summary, summary

#: Operations per clock of one of the four parts of an SM, by the number of bits of an operand: with
#: tensor cores, and without. The numbers are those of sm_80.
_TENSOR_CORE_OPERATIONS = {32: 256, 16: 512, 8: 1024}
_SIMD_OPERATIONS = {32: 32, 16: 64}
#: The number of bits under which the two tables have an operand's type.
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
    """Times a function by running a CUDA graph of many calls, so that the host's work for a launch
    is not measured. Does not flush the caches. Needs PyTorch and a GPU.

    Args:
        fn: the function to time; takes no arguments. It must be possible to capture it in a graph.
        rep: the milliseconds that all calls of one graph take together. The graph runs ten times.
        grad_to_none, quantiles, return_mode: as in `do_bench`.

    Returns:
        The milliseconds of one call, in the form in which `do_bench` returns them.
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
    """Returns the peak rate of a GPU's memory in 10⁹ bytes per second: twice the width of its bus
    per clock."""
    facts = _properties(device)
    return facts["memory_clock_khz"] * facts["memory_bus_bits"] * 2 / 8 / 1e6


def get_max_tensorcore_tflops(dtype, clock_rate: float, device: int | None = None) -> float:
    """Returns the peak rate of a GPU's tensor cores with `mma.sync`, in 10¹² operations per second.
    Assumes the operations per clock of sm_80.

    Args:
        dtype: the operands' type, a dtype of PyTorch or `tl`, or its name.
        clock_rate: the clock in kHz.

    Raises:
        RuntimeError: tensor cores don't multiply this type.
    """
    return _tflops(_TENSOR_CORE_OPERATIONS, dtype, clock_rate, device)


def get_max_simd_tflops(dtype, clock_rate: float, device: int | None = None) -> float:
    """Returns the peak rate of a GPU without its tensor cores, in 10¹² operations per second. The
    arguments are those of `get_max_tensorcore_tflops`."""
    return _tflops(_SIMD_OPERATIONS, dtype, clock_rate, device)


def _tflops(operations: dict, dtype, clock_rate: float, device: int | None) -> float:
    bits = _BITS.get(str(getattr(dtype, "__name__", dtype)).rpartition(".")[2])
    if bits not in operations:
        raise RuntimeError(f"dtype must be one of {sorted(operations)} bits, got {dtype}")
    parts = _properties(device)["multiprocessor_count"] * 4
    return parts * clock_rate * operations[bits] * 1e-9


def nvsmi(attrs: Sequence[str]) -> list[int]:
    """Returns the values of the properties `attrs` of the first GPU. `attrs` are nvidia-smi's
    names, such as "clocks.current.sm"."""
    command = ["nvidia-smi", "-i", "0", f"--query-gpu={','.join(attrs)}"]
    command.append("--format=csv,noheader,nounits")
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [int(number) for number in said.split(",")]


@contextmanager
def set_gpu_clock(ref_sm_clock: int = 1350, ref_mem_clock: int = 1215):
    """A context in which the first GPU runs at fixed clocks, given in MHz. The user must have the
    right to set the clocks.

    Yields:
        Two peak rates at these clocks: that of the tensor cores on 16-bit operands, in 10¹²
        operations per second, and that of the memory, in 10⁹ bytes per second.

    Raises:
        RuntimeError: a clock differs from the given one by 10 MHz or more.
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
    """A decorator for tests of pytest. A call of the test whose keyword arguments include
    `target_kwargs` runs in a new process, under the CUDA toolkit's compute-sanitizer. Other calls
    run as usual. The test must take the fixture `request`."""

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
