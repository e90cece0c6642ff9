# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the time of a launch, with a kernel that does nothing: on the host, and on a GPU if
PyTorch finds one.

    PYTHONPATH=<build>/python python test/python/runtime/launch_overhead.py
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from eft import _runtime as runtime
from runtime_kernels import address_of, load_library, parameters

PTX = """
.version 8.5
.target sm_80
.address_size 64
.visible .entry nothing(.param .b64 x, .param .b64 y, .param .b32 n, .param .b32 p, .param .b32 s)
{ ret; }
"""


class Nothing(runtime.KernelBase):
    """A kernel of two arrays and three numbers."""

    def __init__(self, library):
        super().__init__("nothing", parameters("x, y, n, p, seed, BLOCK: constexpr"))
        self.library = library

    def _address_parameters(self, *args):
        return [], None

    def _compile(self, target, device, types, constexprs, options, specialization, known):
        if target == "cpu":
            return runtime.LoadedKernel.load_host(
                address_of(self.library, "nothing"), self.library, "nothing"
            )
        cubin = runtime.link_ptx(device, PTX, "nothing")
        return runtime.LoadedKernel.load_cuda(device, cubin, "nothing", 4, 0)


def nanoseconds(call, calls=20000, rounds=9) -> float:
    """The mean time of a call in nanoseconds, in the fastest of several rounds."""
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        best = min(best, (time.perf_counter() - begin) / calls)
        if runtime.device_count() > 0:
            runtime.synchronize()
    return best * 1e9


def main():
    with tempfile.TemporaryDirectory() as folder:
        kernel = Nothing(load_library(Path(folder)))
        arrays = {"NumPy, host": np.zeros(4096, np.float32)}
        try:
            import torch

            arrays["PyTorch, host"] = torch.zeros(4096)
            if torch.cuda.is_available():
                arrays["PyTorch, GPU"] = torch.zeros(4096, device="cuda")
        except ImportError:
            print("PyTorch is not installed", file=sys.stderr)
        print(f"{'arrays':16} {'tuple grid':>12} {'grid function':>14}   ns")
        for name, x in arrays.items():
            grid, function = (4,), lambda meta: (4,)
            plain = nanoseconds(lambda x=x, g=grid: kernel[g](x, x, 4096, 0.5, 3, BLOCK=1024))
            lazy = nanoseconds(lambda x=x, g=function: kernel[g](x, x, 4096, 0.5, 3, BLOCK=1024))
            print(f"{name:16} {plain:12.0f} {lazy:14.0f}")


if __name__ == "__main__":
    main()
