# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sorting, the largest elements, and histograms."""

import eft
import eft.language as tl
import numpy as np
import pytest
from blocks import cases, offsets, run, samples
from support import DTYPES, assert_same_bits

SHAPES = [((32,), None), ((4, 8), 0), ((1,), None), ((2,), 0), ((8, 16), 1), ((2, 16, 4), 1)]
SHAPES += [((256,), 0), ((2048,), 0), ((128, 16), 0), ((32, 64), 1), ((4, 32, 8), 1)]


def in_order(x: np.ndarray, axis: int) -> np.ndarray:
    """The sorted elements along an axis, with -0 before +0, and NaN last."""
    if x.dtype.kind in "iub":
        return np.sort(x, axis)
    wide = x.astype(np.float64)
    order = np.lexsort((~np.signbit(wide), wide), axis)
    return np.take_along_axis(x, order, axis)


@eft.jit
def sorted_block(x_ptr, out_ptr, SHAPE: tl.constexpr, DIM: tl.constexpr, DOWN: tl.constexpr):
    x = tl.load(x_ptr + offsets(SHAPE))
    tl.store(out_ptr + offsets(SHAPE), tl.sort(x, DIM, descending=DOWN))


@pytest.mark.parametrize("down", [False, True])
@pytest.mark.parametrize("name, shape, dim", cases(list(DTYPES), SHAPES))
def test_sort(device, name, shape, dim, down):
    x = samples(name, shape)
    axis = -1 if dim is None else dim
    expected = in_order(x, axis)
    expected = np.flip(expected, axis) if down else expected
    found = run(device, sorted_block, (x,), shape, x.dtype, SHAPE=shape, DIM=dim, DOWN=down)
    assert_same_bits(found, np.ascontiguousarray(expected))


@eft.jit
def sorted_constant(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr + tl.arange(0, N), tl.sort(x == x) & tl.sort(tl.full((N,), True, tl.int1)))


def test_sort_of_what_is_known_at_compile_time(device):
    x = np.arange(256, dtype=np.int32)
    assert run(device, sorted_constant, (x,), 256, np.bool_, N=256).all()


def test_sort_with_nan_of_both_signs(device):
    x = np.array([np.nan, 1, -np.nan, -np.inf, 0.0, -0.0, np.inf, -1], np.float32)
    for down in (False, True):
        expected = in_order(x, 0)[:: -1 if down else 1].copy()
        found = run(device, sorted_block, (x,), 8, x.dtype, SHAPE=(8,), DIM=0, DOWN=down)
        assert_same_bits(found, expected)


@eft.jit
def best(
    x_ptr, out_ptr, SHAPE: tl.constexpr, K: tl.constexpr, DIM: tl.constexpr, DOWN: tl.constexpr
):
    y = tl.topk(tl.load(x_ptr + offsets(SHAPE)), K, DIM, DOWN)
    tl.store(out_ptr + offsets(y.shape), y)


@pytest.mark.parametrize("down", [False, True])
@pytest.mark.parametrize(
    "shape, dim, k",
    [
        ((64,), None, 1),
        ((64,), 0, 8),
        ((64,), 0, 64),
        ((1,), 0, 1),
        ((8, 16), 0, 2),
        ((8, 16), 1, 4),
    ],
)
@pytest.mark.parametrize("name", ["int8", "uint32", "fp16", "fp32", "int64"])
def test_topk(device, name, shape, dim, k, down):
    x = samples(name, shape)
    axis = len(shape) - 1 if dim is None else dim
    expected = in_order(x, axis)
    expected = np.flip(expected, axis) if down else expected
    expected = np.ascontiguousarray(np.take(expected, range(k), axis))
    found = run(device, best, (x,), expected.shape, x.dtype, SHAPE=shape, K=k, DIM=dim, DOWN=down)
    assert_same_bits(found, expected)


@eft.jit
def counted(x_ptr, m_ptr, out_ptr, N: tl.constexpr, BINS: tl.constexpr, MASKED: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    mask = tl.load(m_ptr + tl.arange(0, N)) if MASKED else None
    tl.store(out_ptr + tl.arange(0, BINS), tl.histogram(x, BINS, mask))


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize(
    "n, bins",
    [(1, 1), (1, 8), (32, 2), (32, 32), (128, 16), (256, 64), (16, 2048), (4096, 1), (2048, 16384)],
)
@pytest.mark.parametrize("name", ["int32", "uint32"])
def test_histogram(device, name, n, bins, masked):
    generator = np.random.default_rng(n + bins)
    x = generator.integers(0, bins + bins // 2 + 1, n).astype(DTYPES[name])
    limits = np.iinfo(x.dtype)
    outside = generator.random(n) < 0.2
    x[outside] = generator.choice([limits.min if limits.min else bins, limits.max], outside.sum())
    mask = generator.random(n) < 0.7
    counts = (x >= 0) & (x < bins) & (mask | (not masked))
    expected = np.bincount(x[counts].astype(np.int64), minlength=bins).astype(np.int32)
    found = run(device, counted, (x, mask), bins, np.int32, N=n, BINS=bins, MASKED=masked)
    assert_same_bits(found, expected)


@eft.jit
def counted_in_a_loop(x_ptr, out_ptr, times, N: tl.constexpr, BINS: tl.constexpr):
    bins = tl.arange(0, BINS)
    total = tl.zeros((BINS,), tl.int32)
    for i in range(times):
        x = tl.load(x_ptr + i * N + tl.arange(0, N))
        if tl.sum(x) > 0:
            total += tl.histogram(x, BINS) - tl.histogram(x // 2, BINS)
    tl.store(out_ptr + bins, total)


@pytest.mark.parametrize("warps", [1, 2, 8])
def test_histograms_in_a_loop(device, warps):
    x = np.random.default_rng(warps).integers(0, 50, (7, 256)).astype(np.int32)
    x[3] = 0
    out = device.put(np.zeros(32, np.int32))
    counted_in_a_loop[1](device.put(x), out, 7, N=256, BINS=32, num_warps=warps)
    rest = np.delete(x, 3, axis=0).ravel()
    expected = np.bincount(rest, minlength=64) - np.bincount(rest // 2, minlength=64)
    assert device.get(out).tolist() == expected[:32].tolist()


@eft.jit
def counted_by_method(x_ptr, out_ptr, keep):
    x = tl.load(x_ptr + tl.arange(0, 64))
    tl.store(out_ptr + tl.arange(0, 4), x.histogram(4, mask=keep > 0))


def test_histogram_with_one_mask_for_all(device):
    x = np.arange(64, dtype=np.int32) % 4
    for keep, expected in ((1, [16] * 4), (0, [0] * 4)):
        out = device.put(np.zeros(4, np.int32))
        counted_by_method[1](device.put(x), out, keep)
        assert device.get(out).tolist() == expected
