# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sequences of masked loads: with masks that depend on earlier loads, and with many masks."""

import time

import eft
import eft.language as tl
import numpy as np
import pytest


@eft.jit
def chosen(x, y, z, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    first = tl.load(x + i)
    a = tl.load(y + first, mask=first < n, other=0)
    total = tl.sum(a)
    second = tl.where(first < n, first, total)
    b = tl.load(z + second, mask=second < n, other=0)
    c = tl.load(z + first, mask=first < n, other=0)
    tl.store(out + i, b + c)


@pytest.mark.parametrize("warps, size", [(1, 32), (4, 128), (4, 64), (2, 256)])
@pytest.mark.parametrize("n", [0, 20, 1000])
def test_a_mask_of_what_another_mask_chose(device, warps, size, n):
    x = np.random.default_rng(n).permutation(size).astype(np.int32)
    y, z = (np.arange(size, dtype=np.int32) * k % 7 for k in (3, 5))
    inside = x < n
    total = y[x[inside]].sum()
    second = np.where(inside, x, total)
    b = np.where((second < n) & (second < size), z[second % size], 0)
    expected = b + np.where(inside, z[x], 0)
    out = device.put(np.zeros(size, np.int32))
    chosen[1](device.put(x), device.put(y), device.put(z), out, n, N=size, num_warps=warps)
    assert device.get(out).tolist() == expected.tolist()


@eft.jit
def sums(x, y, out, n, BLOCK: tl.constexpr, LENGTH: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    for i in tl.static_range(LENGTH):
        inside = offsets + i * BLOCK < n
        a = tl.load(x + i * BLOCK + offsets, mask=inside, other=0)
        b = tl.load(y + i * BLOCK + offsets, mask=inside, other=0)
        tl.store(out + i, tl.sum(a * b))


@pytest.mark.parametrize("n", [0, 70_001, 143_360])
def test_many_masked_sums(device, n):
    """The kernel's code has more than a thousand masks, and thousands of basic blocks."""
    x, y = np.random.default_rng(n).integers(-9, 9, (2, 140, 1024)).astype(np.int32)
    inside = np.arange(140 * 1024).reshape(140, 1024) < n
    out = device.put(np.zeros(140, np.int32))
    sums[1](device.put(x), device.put(y), out, n, BLOCK=1024, LENGTH=140)
    expected = np.where(inside, x * y, 0).sum(axis=1)
    assert device.get(out).tolist() == expected.tolist()


def seconds_to_compile(length: int) -> float:
    """The processor time for compiling `sums` for a GPU."""
    element = eft.MockTensor(tl.int32)
    before = time.process_time()
    options = {"BLOCK": 128, "LENGTH": length, "target": "cuda:90"}
    sums.warmup(element, element, element, 1000, **options)
    return time.process_time() - before


def test_time_to_compile_grows_with_the_number_of_masks(monkeypatch):
    """Four times as many masked sums take about four times as long to compile. If each mask were
    compared with all others, they would take up to 16 times as long."""
    monkeypatch.setenv("EFT_CACHE_SIZE", "0")
    seconds_to_compile(4)
    few = min(seconds_to_compile(50) for _ in range(3))
    assert min(seconds_to_compile(200) for _ in range(2)) < 9 * few
