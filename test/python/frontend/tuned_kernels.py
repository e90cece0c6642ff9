# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of the autotuning tests, their configurations, and a stand-in for `do_bench`."""

import eft
import eft.language as tl
import numpy as np
from eft import Config


def fill(x_ptr, n, value, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, value, mask=offsets < n)


def add(x_ptr, n, value, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(x_ptr + offsets, x + value, mask=offsets < n)


def grid(meta):
    return (eft.cdiv(meta["n"], meta["BLOCK"]),)


SMALL, LARGE = Config({"BLOCK": 16}), Config({"BLOCK": 64}, num_warps=2)


class Bench:
    """A `do_bench` that returns the given times in turn, beginning anew after the last."""

    def __init__(self, *times):
        self.times = times
        self.calls = 0

    def __call__(self, call, quantiles):
        assert quantiles == (0.5, 0.2, 0.8)
        call()
        self.calls += 1
        return [self.times[(self.calls - 1) % len(self.times)]] * 3


def tuned(function=fill, configs=(SMALL, LARGE), key=("n",), **options):
    """An autotuned kernel. Its choices go to the disk cache only with `cache_results=True`."""
    options.setdefault("cache_results", False)
    return eft.autotune(list(configs), key, **options)(eft.jit(function))


def zeros(device, size=100, dtype=np.float32):
    return device.put(np.zeros(size, dtype))


class Trouble(Exception):
    pass


def trouble(*args, **kwargs):
    raise Trouble("of the user's")
