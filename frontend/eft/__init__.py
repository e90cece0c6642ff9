# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft: a small JIT compiler for block-level kernels written in Python, for NVIDIA GPUs and CPUs.

This example defines a kernel and launches it:

    import eft
    import eft.language as tl

    @eft.jit
    def double(x_ptr, n, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < n
        tl.store(x_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) * 2, mask=mask)

    double[(eft.cdiv(x.size, 1024),)](x, x.size, BLOCK=1024)
"""

from __future__ import annotations

from operator import index

from eft import language
from eft._runtime import DeviceAssertionError
from eft.errors import AutotunerError, CompilationError, InternalError
from eft.jit import JITFunction, KernelInterface, jit
from eft.language.builtin import constexpr_function
from eft.mock import MockTensor
from eft.version import __version__

__all__ = [
    "AutotunerError",
    "CompilationError",
    "CompiledKernel",
    "Config",
    "DeviceAssertionError",
    "InternalError",
    "JITFunction",
    "KernelInterface",
    "MockTensor",
    "TensorDescriptor",
    "__version__",
    "aggregate",
    "autotune",
    "cdiv",
    "constexpr_function",
    "heuristics",
    "jit",
    "language",
    "next_power_of_2",
]


TYPE_CHECKING = False  # type checkers know this name; importing `typing` takes milliseconds
if TYPE_CHECKING:
    from eft.kernel import CompiledKernel
    from eft.language.aggregates import aggregate
    from eft.tuning import Config, autotune, heuristics


@constexpr_function
def cdiv(x: int, y: int) -> int:
    """Returns `x` divided by `y`, rounded up: the number of blocks of `y` elements that cover `x`
    elements."""
    return -(-x // y)


@constexpr_function
def next_power_of_2(n: int) -> int:
    """Returns the smallest power of two that is at least `n`, or 1 if `n` is less than 1."""
    return 1 if n <= 1 else 1 << (index(n) - 1).bit_length()


def __getattr__(name: str):
    if name == "CompiledKernel":  # only needed once a kernel is compiled
        from eft.kernel import CompiledKernel

        return CompiledKernel
    if name in ("Config", "autotune", "heuristics"):  # only needed by kernels with configurations
        from eft.tuning import Config, autotune, heuristics

        globals().update(Config=Config, autotune=autotune, heuristics=heuristics)
        return globals()[name]
    if name == "aggregate":  # only needed by kernels with user-defined classes
        from eft.language.aggregates import aggregate

        return aggregate
    if name == "TensorDescriptor":  # only needed by kernels that take a tensor descriptor
        from eft.tensor_descriptor import TensorDescriptor

        return TensorDescriptor
    raise AttributeError(f"module 'eft' has no attribute {name!r}")
