# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole kernels in the usual idioms, which combine many parts of the language."""

import eft
import eft.language as tl
import numpy as np
import pytest

# -- attention with an online softmax, causal in two stages ----------------------------------------


@eft.jit
def attend(
    acc, total, highest, q, k_ptr, v_ptr, first, last, scale,
    ROWS: tl.constexpr, offs_m: tl.constexpr, offs_n: tl.constexpr, offs_d: tl.constexpr,
    DIAGONAL: tl.constexpr,
):  # fmt: skip
    """The offsets are annotated as constexpr though they are blocks, as in Triton's tutorial."""
    WIDTH: tl.constexpr = offs_d.shape[0]
    for start in range(first, last, ROWS):
        start = tl.multiple_of(start, ROWS)
        k = tl.load(k_ptr + (start + offs_n)[None, :] * WIDTH + offs_d[:, None])
        scores = tl.dot(q, k) * scale
        if DIAGONAL:
            scores += tl.where(offs_m[:, None] >= start + offs_n[None, :], 0, -1.0e6)
        higher = tl.maximum(highest, tl.max(scores, 1))
        p = tl.math.exp2(scores - higher[:, None])
        alpha = tl.math.exp2(highest - higher)
        total = total * alpha + tl.sum(p, 1)
        acc *= alpha[:, None]
        v = tl.load(v_ptr + (start + offs_n)[:, None] * WIDTH + offs_d[None, :])
        acc = tl.dot(p.to(v.dtype), v, acc)
        highest = higher
    return acc, total, highest


@eft.jit
def attention(
    q_ptr, k_ptr, v_ptr, out_ptr, scale, n,
    M: tl.constexpr, N: tl.constexpr, WIDTH: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    place = tl.program_id(0)
    base = tl.program_id(1).to(tl.int64) * n * WIDTH
    offs_m = place * M + tl.arange(0, M)
    offs_n, offs_d = tl.arange(0, N), tl.arange(0, WIDTH)
    highest = tl.zeros([M], dtype=tl.float32) - float("inf")
    total = tl.zeros([M], dtype=tl.float32)
    acc = tl.zeros([M, WIDTH], dtype=tl.float32)
    scale *= 1.44269504
    q = tl.load(q_ptr + base + offs_m[:, None] * WIDTH + offs_d[None, :])
    k_ptr += base
    v_ptr += base
    whole = place * M if CAUSAL else n
    acc, total, highest = attend(
        acc, total, highest, q, k_ptr, v_ptr, 0, whole, scale, N, offs_m, offs_n, offs_d, False
    )
    if CAUSAL:
        acc, total, highest = attend(
            acc, total, highest, q, k_ptr, v_ptr, whole, whole + M, scale,
            N, offs_m, offs_n, offs_d, True,
        )  # fmt: skip
    out = out_ptr + base + offs_m[:, None] * WIDTH + offs_d[None, :]
    tl.store(out, (acc / total[:, None]).to(out_ptr.type.element_ty))


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("causal", [False, True])
def test_attention(device, dtype, causal):
    heads, n, width = 3, 64, 16
    generator = np.random.default_rng(0)
    q, k, v = (generator.standard_normal((heads, n, width)).astype(dtype) for _ in range(3))
    out = device.put(np.zeros_like(q))
    places = [device.put(x) for x in (q, k, v)]
    attention[(2, heads)](*places, out, 0.3, n, M=32, N=16, WIDTH=width, CAUSAL=causal)
    scores = 0.3 * np.einsum("hmd,hnd->hmn", q, k, dtype=np.float64)
    if causal:
        scores[:, np.triu(np.ones((n, n), bool), 1)] = -np.inf
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    expected = np.einsum("hmn,hnd->hmd", weights / weights.sum(-1, keepdims=True), v)
    np.testing.assert_allclose(device.get(out), expected, atol=1e-2)  # fp16 has 11 bits


# -- products of many matrices, whose addresses are in a table -------------------------------------


@eft.jit
def grouped_products(
    table, sizes, count, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr
):  # fmt: skip
    tile = tl.program_id(0)
    end = 0
    for group in range(count):
        m, n, k = [tl.load(sizes + 3 * group + place) for place in range(3)]
        across = tl.cdiv(n, N)
        tiles = tl.cdiv(m, M) * across
        while tile >= end and tile < end + tiles:
            a, b, c = [
                tl.load(table + 3 * group + place).to(tl.pointer_type(tl.float32))
                for place in range(3)
            ]
            rows = (tile - end) // across * M + tl.arange(0, M)[:, None]
            columns = (tile - end) % across * N + tl.arange(0, N)[None, :]
            total = tl.zeros((M, N), dtype=tl.float32)
            for start in range(0, k, K):
                deep = start + tl.arange(0, K)
                x = tl.load(a + rows * k + deep[None, :], (rows < m) & (deep < k)[None, :], 0.0)
                y = tl.load(b + deep[:, None] * n + columns, (deep < k)[:, None] & (columns < n), 0)
                total += tl.dot(x, y, input_precision="ieee")
            tl.store(c + rows * n + columns, total, mask=(rows < m) & (columns < n))
            tile += tl.num_programs(0)
        end += tiles


def address(array) -> int:
    return array.data_ptr() if hasattr(array, "data_ptr") else array.ctypes.data


def test_grouped_products(device):
    sizes = [(20, 33, 18), (16, 16, 16), (5, 40, 7)]
    generator = np.random.default_rng(0)
    groups = [
        [generator.integers(-4, 5, shape).astype(np.float32) for shape in ((m, k), (k, n))]
        for m, n, k in sizes
    ]
    placed = [
        [*map(device.put, pair), device.put(np.zeros((m, n), np.float32))]
        for pair, (m, n, _) in zip(groups, sizes, strict=True)
    ]
    table = device.put(np.array([[address(x) for x in group] for group in placed]))
    extents = device.put(np.array(sizes, np.int32))
    grouped_products[(4,)](table, extents, len(sizes), M=16, N=16, K=16)
    for (a, b), (*_, c) in zip(groups, placed, strict=True):
        np.testing.assert_array_equal(device.get(c), a @ b)


# -- a sum over all programs, each of which waits for it -------------------------------------------


@eft.jit
def running_sums(x_ptr, out_ptr, counter, flags, sums, n, BLOCK: tl.constexpr):
    pid = tl.atomic_add(counter, 1)
    i = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    before = 0
    if pid > 0:
        while tl.atomic_add(flags + pid - 1, 0, sem="acquire") == 0:
            pass
        before = tl.load(sums + pid - 1, volatile=True)
    tl.store(sums + pid, before + tl.sum(x, axis=0))
    tl.atomic_xchg(flags + pid, 1, sem="release")
    tl.store(out_ptr + i, tl.cumsum(x, axis=0) + before, mask=i < n)


def test_programs_wait_for_the_one_before(device):
    n, block = 3000, 128
    x = np.random.default_rng(0).integers(-9, 10, n).astype(np.int32)
    programs = eft.cdiv(n, block)
    counter, flags, sums, out = (
        device.put(np.zeros(size, np.int32)) for size in (1, programs, programs, n)
    )
    running_sums[(programs,)](device.put(x), out, counter, flags, sums, n, BLOCK=block)
    np.testing.assert_array_equal(device.get(out), np.cumsum(x))
