# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program that ends while its daemon threads call Eft: `exit_at_work.py SITUATION`."""

import logging
import sys
import threading
import time

import eft
import eft.language as tl
import numpy as np
from eft import _runtime


@eft.jit
def scale(x, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    tl.store(x + offsets, tl.exp(tl.load(x + offsets, mask=inside)), mask=inside)


@eft.jit
def unrolled(x, STEPS: tl.constexpr):
    tl.static_print("compiling", STEPS)
    offsets = tl.arange(0, 256)
    for step in tl.static_range(10):
        tl.store(x + offsets, tl.load(x + offsets) * (step + STEPS))


def launch(size):
    x = np.zeros(size, np.float32)

    def again():
        scale[(eft.cdiv(size, 1024),)](x, size, BLOCK=1024)

    return again


def grid_function():
    x = np.zeros(1000, np.float32)

    def grid(meta):
        return (sum(1 for _ in range(2000)) // 2000,)

    return lambda: scale[grid](x, 1000, BLOCK=1024)


def compile_new():
    x = np.zeros(256, np.float32)
    numbers = iter(range(threading.get_native_id() * 100_000, 1 << 60))
    return lambda: unrolled[1](x, STEPS=next(numbers))


def compile_the_same():
    """One thread compiles a variant, and the other threads wait for it."""
    x = np.zeros(256, np.float32)
    return lambda: unrolled[1](x, STEPS=int(time.monotonic() * 5))


def warm_up():
    numbers = iter(range(threading.get_native_id() * 100_000, 1 << 60))
    return lambda: unrolled.warmup(tl.float32, STEPS=next(numbers), grid=(1,))


def use_cache():
    return lambda: (_runtime.cache_put("key", bytes(100_000)), _runtime.cache_get("key"))


SITUATIONS = {
    "small-launches": lambda: launch(1000),
    "large-launches": lambda: launch(3_000_000),
    "grid-functions": grid_function,
    "compiles": compile_new,
    "one-compile": compile_the_same,
    "warmups": warm_up,
    "cache": use_cache,
}


def main():
    logging.basicConfig(level=logging.INFO)
    begun = threading.Barrier(5)

    def work():
        step = SITUATIONS[sys.argv[1]]()
        step()
        begun.wait(60)
        while True:
            step()

    for _ in range(4):
        threading.Thread(target=work, daemon=True).start()
    begun.wait(60)
    time.sleep(0.05)
    print("the end", flush=True)


main()
