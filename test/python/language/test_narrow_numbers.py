# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""16-bit floats that are used after branches and loops keep their bits, also as denormals."""

import eft
import eft.language as tl
import numpy as np
import pytest
from support import DTYPES, assert_same_bits


@eft.jit
def loaded_before_a_branch(x, y, n, s):
    a = tl.load(x)
    number = tl.load(s)
    if a > 1:
        for i in range(n):
            number = tl.maximum(number, i.to(tl.float32))
    tl.store(s, number)
    tl.store(y, a)


@eft.jit
def changing_places(x, y, n, s):
    a, b = tl.load(x), tl.load(x + 1)
    while n > 0:
        a, b = b, a
        n -= 1
    tl.store(y, a)
    tl.store(y + 1, b)


@eft.jit
def loaded_in_a_loop(x, y, n, s):
    a = tl.load(x)
    for i in range(n):
        if tl.load(s + i) > 0:
            a = tl.load(x + i)
    tl.store(y, a)
    tl.store(y + 1, -a)


@eft.jit
def chosen(x, y, n, s):
    a, b = tl.load(x), tl.load(x + 1)
    tl.store(y, a if n > 2 else b)
    tl.store(y + 1, tl.where(n > 2, b, a))


@eft.jit
def reduced(x, y, n, s):
    block = tl.load(x + tl.arange(0, 8))
    least, last = tl.min(block, 0).to(x.dtype.element_ty), tl.load(x + 7)
    if n > 2:
        least, last = last, least
        tl.store(s, least.to(tl.float32))
    tl.store(y, least)
    tl.store(y + 1, last)


@eft.jit
def before_a_branch(x, y, n, s):
    a = tl.full((), 1e-40, tl.bfloat16).to(x.dtype.element_ty)
    b = tl.load(x + 1)
    if n > 2:
        tl.store(s, 1.0)
        a = b
    tl.store(y, a)
    tl.store(y + 1, tl.atomic_add(x + 2, a))


@eft.jit
def added(x, y, n, s):
    a, b = tl.load(x), tl.load(x + 1)
    if n > 2:
        tl.store(s, 1.0)
        a += b
    tl.store(y, a)
    tl.store(y + 1, a * b)


def expected(name: str, x: np.ndarray, n: int) -> list:
    """The numbers that a kernel stores."""
    a, b = x[0], x[1]
    tiny = np.float32(1e-40).astype(DTYPES["bf16"]).astype(x.dtype)
    return {
        "loaded_before_a_branch": [a, 0],
        "changing_places": [b, a] if n % 2 else [a, b],
        "loaded_in_a_loop": [x[n - 1], -x[n - 1]],
        "chosen": [a, b] if n > 2 else [b, a],
        "reduced": [x[7], x.min()] if n > 2 else [x.min(), x[7]],
        "before_a_branch": [b if n > 2 else tiny, x[2]],
        "added": [a + b, (a + b) * b] if n > 2 else [a, a * b],
    }[name]


KERNELS = pytest.mark.parametrize(
    "kernel",
    [
        loaded_before_a_branch,
        changing_places,
        loaded_in_a_loop,
        chosen,
        reduced,
        before_a_branch,
        added,
    ],
    ids=lambda kernel: kernel.__name__,
)


def check(device, kernel, name: str):
    # Denormals, and two normal numbers, 0x0480 and 0x4480, in both types.
    x = np.array([0x0001, 0x8003, 0x007F, 4, 5, 0x0480, 0x4480, 0x8007], np.uint16)
    x = x.view(DTYPES[name])
    for n in (1, 4):
        y, s = device.put(np.zeros(2, x.dtype)), device.put(np.ones(8, np.float32))
        kernel[1](device.put(x), y, n, s)
        assert_same_bits(device.get(y), np.array(expected(kernel.__name__, x, n), x.dtype))


@pytest.mark.parametrize("name", ["bf16", "fp16"])
@KERNELS
def test_denormals_are_kept(device, kernel, name):
    check(device, kernel, name)


@pytest.mark.parametrize("cpu", ["native,-avx512bf16,-avx512fp16", "x86-64-v3", "x86-64"])
@pytest.mark.parametrize("name", ["bf16", "fp16"])
@KERNELS
def test_denormals_are_kept_on_older_processors(host, monkeypatch, kernel, name, cpu):
    monkeypatch.setenv("EFT_CPU", cpu)
    check(host, eft.jit(kernel.fn), name)


@KERNELS
def test_no_bf16_reaches_the_code_generator(kernel):
    compiled = kernel.warmup(tl.bfloat16, tl.bfloat16, 4, tl.float32, target="cpu")
    assert "bf16" in compiled.asm["placed"]
    assert "bfloat" not in compiled.asm["llvm"]
