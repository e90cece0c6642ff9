# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks of which a GPU's thread has 64 elements or more: in most tests more than fit into its
registers."""

import eft
import eft.language as tl
import numpy as np
import pytest
from blocks import cases, offsets, run, samples
from eft.reference import reduce_in_order, scan_in_order
from reduced import store
from support import assert_same_bits
from test_sorting import in_order, sorted_block

# With one warp, a thread holds 256 of 8192 elements.
SHAPES = [((8192,), 0), ((64, 128), 1), ((64, 128), 0), ((16, 32, 16), 1), ((4096, 2), 0)]
SHAPES += [((2, 4096), 1), ((4096,), 0), ((16384,), 0)]
NUMBERS = ["int8", "uint16", "int64", "fp16", "bf16", "fp32", "fp64"]


@pytest.mark.parametrize("down", [False, True])
@pytest.mark.parametrize("name, shape, dim", cases(NUMBERS, SHAPES))
def test_sort(device, name, shape, dim, down):
    x = samples(name, shape)
    expected = in_order(x, dim)
    expected = np.flip(expected, dim) if down else expected
    found = run(device, sorted_block, (x,), shape, x.dtype, 1, SHAPE=shape, DIM=dim, DOWN=down)
    assert_same_bits(found, np.ascontiguousarray(expected))


@eft.jit
def best(x_ptr, out_ptr, N: tl.constexpr, K: tl.constexpr, DOWN: tl.constexpr):
    y = tl.topk(tl.load(x_ptr + tl.arange(0, N)), K, descending=DOWN)
    tl.store(out_ptr + tl.arange(0, K), y)


@pytest.mark.parametrize("k", [1, 32, 4096])
@pytest.mark.parametrize("down", [False, True])
def test_topk(device, k, down):
    x = samples("fp32", (8192,))
    expected = in_order(x, 0)
    expected = expected[::-1][:k] if down else expected[:k]
    found = run(device, best, (x,), k, x.dtype, 1, N=8192, K=k, DOWN=down)
    assert_same_bits(found, np.ascontiguousarray(expected))


@eft.jit
def sums(x_ptr, out_ptr, SHAPE: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    x = tl.load(x_ptr + offsets(SHAPE))
    tl.store(out_ptr + offsets(SHAPE), tl.cumsum(x, AXIS, reverse=REVERSE))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("num_warps", [1, 2])
@pytest.mark.parametrize("name, shape, axis", cases(["fp32", "fp64", "fp16"], SHAPES))
def test_scan(device, name, shape, axis, num_warps, reverse):
    x = samples(name, shape, special=False)
    with np.errstate(over="ignore", invalid="ignore"):
        expected = scan_in_order(x, axis, np.add, reverse)
    constants = {"SHAPE": shape, "AXIS": axis, "REVERSE": reverse}
    found = run(device, sums, (x,), shape, x.dtype, num_warps, **constants)
    assert_same_bits(found, expected)


@eft.jit
def either(a, b):
    return a | b


@eft.jit
def seen(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.associative_scan(tl.load(x_ptr + i) > 100, 0, either))


def test_scan_of_booleans(device):
    x = np.zeros(8192, np.int32)
    x[5000] = 101
    assert_same_bits(run(device, seen, (x,), 8192, np.bool_, 1, N=8192), np.arange(8192) >= 5000)


@eft.jit
def affine(a, b, c, d):
    return a * c, b * c + d


@eft.jit
def recurrence(a_ptr, b_ptr, out_ptr, N: tl.constexpr, REVERSE: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(a_ptr + i), tl.load(b_ptr + i)
    _, y = tl.associative_scan((a, b), 0, affine, REVERSE)
    tl.store(out_ptr + i, y)


@pytest.mark.parametrize("reverse", [False, True])
def test_scan_of_two_blocks(device, reverse):
    """The combiner is not commutative, and both blocks have the same type."""
    generator = np.random.default_rng(0)
    a, b = generator.integers(-3, 4, (2, 8192)).astype(np.int32)
    expected, last = np.zeros_like(b), np.int32(0)
    with np.errstate(over="ignore"):
        for i in range(8192)[:: -1 if reverse else 1]:
            expected[i] = last = last * a[i] + b[i]
    found = run(device, recurrence, (a, b), 8192, np.int32, 1, N=8192, REVERSE=reverse)
    assert_same_bits(found, expected)


@eft.jit
def total(x_ptr, out_ptr, SHAPE: tl.constexpr, AXIS: tl.constexpr):
    store(out_ptr, tl.sum(tl.load(x_ptr + offsets(SHAPE)), axis=AXIS))


@pytest.mark.parametrize("num_warps", [1, 2])
@pytest.mark.parametrize("name, shape, axis", cases(["fp32", "fp64", "fp16"], SHAPES))
def test_sum(device, name, shape, axis, num_warps):
    x = samples(name, shape, special=False)
    expected = reduce_in_order(x, axis, np.add, num_warps)
    found = run(device, total, (x,), expected.shape, x.dtype, num_warps, SHAPE=shape, AXIS=axis)
    assert_same_bits(found, np.asarray(expected, x.dtype))


@eft.jit
def softmax_in_place(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = x_ptr + tl.program_id(0) * n
    x = tl.load(row + i, mask=i < n, other=-float("inf"))
    x = tl.exp(x - tl.max(x, axis=0))
    tl.store(row + i, x / tl.sum(x, axis=0), mask=i < n)


@pytest.mark.parametrize("n", [8192, 8191, 5000, 3, 1])
def test_softmax_in_place(device, n):
    x = np.random.default_rng(n).standard_normal((3, n)).astype(np.float32)
    array = device.put(x)
    softmax_in_place[(3,)](array, n, BLOCK=8192, num_warps=1)
    wide = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    expected = wide / wide.sum(1, keepdims=True)
    np.testing.assert_allclose(device.get(array), expected, 2e-6, 1e-30)


@eft.jit
def normalize_rows(x_ptr, out_ptr, place_ptr, R: tl.constexpr, C: tl.constexpr):
    rows, columns = tl.arange(0, R), tl.arange(0, C)
    at = rows[:, None] * C + columns[None, :]
    x = tl.load(x_ptr + at)
    mean = tl.sum(x, axis=1) / C
    x -= mean[:, None]
    tl.store(place_ptr + rows, tl.argmax(x, axis=1))
    deviation = tl.sqrt(tl.sum(x * x, axis=1) / C)
    tl.store(out_ptr + at, x / deviation[:, None] + tl.max(x, axis=0)[None, :])


def test_reductions_of_rows_and_columns(device):
    x = np.random.default_rng(0).standard_normal((32, 256)).astype(np.float32)
    out, place = device.put(np.zeros_like(x)), device.put(np.zeros(32, np.int32))
    normalize_rows[1](device.put(x), out, place, R=32, C=256, num_warps=1)
    centred = x.astype(np.float64) - x.mean(1, keepdims=True, dtype=np.float64)
    expected = centred / centred.std(1, keepdims=True) + centred.max(0)
    np.testing.assert_allclose(device.get(out), expected, 1e-5, 1e-5)
    assert_same_bits(device.get(place), x.argmax(1).astype(np.int32))


@eft.jit
def two_sorts(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    """The first sorted block is still needed after the second sort."""
    i = tl.arange(0, N)
    a = tl.sort(tl.load(x_ptr + i))
    b = tl.sort(tl.load(y_ptr + i), descending=True)
    tl.store(out_ptr + i, a * 3 + b)
    tl.store(out_ptr + N + i, tl.cumsum(a - b, 0))


def test_results_that_are_kept(device):
    x, y = np.random.default_rng(0).integers(-99, 99, (2, 8192)).astype(np.int32)
    a, b = np.sort(x), np.sort(y)[::-1]
    expected = np.concatenate([a * 3 + b, np.cumsum(a - b, dtype=np.int32)])
    assert_same_bits(run(device, two_sorts, (x, y), 16384, np.int32, 1, N=8192), expected)


@eft.jit
def sort_or_scan(x_ptr, out_ptr, turns, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    for turn in range(turns):
        x = tl.cumsum(x, 0) & 1023
        if tl.sum(x, axis=0) % 2 == turn % 2:
            x = tl.sort(x) + turn
        else:
            x = tl.flip(x)
    tl.store(out_ptr + i, x)


@pytest.mark.parametrize("turns", [0, 1, 5])
def test_carried_block(device, turns):
    x = expected = np.random.default_rng(0).integers(-99, 99, 8192).astype(np.int32)
    for turn in range(turns):
        expected = np.cumsum(expected, dtype=np.int32) & 1023
        if expected.sum() % 2 == turn % 2:
            expected = np.sort(expected) + np.int32(turn)
        else:
            expected = np.flip(expected)
    out = device.put(np.zeros_like(x))
    sort_or_scan[1](device.put(x), out, turns, N=8192, num_warps=1)
    assert_same_bits(device.get(out), np.ascontiguousarray(expected))


@eft.jit
def gathered(x_ptr, at_ptr, out_ptr, SHAPE: tl.constexpr, AXIS: tl.constexpr):
    x, at = tl.load(x_ptr + offsets(SHAPE)), tl.load(at_ptr + offsets(SHAPE))
    tl.store(out_ptr + offsets(SHAPE), tl.gather(x, at, AXIS))


@pytest.mark.parametrize("num_warps", [1, 4])
@pytest.mark.parametrize("shape, axis", [((16384,), 0), ((32768,), 0), ((128, 128), 0)])
@pytest.mark.parametrize("name", ["int8", "fp16", "fp32", "int64"])
def test_gather(device, name, shape, axis, num_warps):
    """Blocks larger than shared memory pass through it in several rounds."""
    x = samples(name, shape)
    at = np.random.default_rng(0).integers(0, shape[axis], shape).astype(np.int32)
    expected = np.take_along_axis(x, at, axis)
    found = run(device, gathered, (x, at), shape, x.dtype, num_warps, SHAPE=shape, AXIS=axis)
    assert_same_bits(found, expected)


@eft.jit
def next_of_each(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(y + i, tl.gather(a, (a + 1) & (N - 1), 0))


def test_blocks_of_which_a_thread_would_hold_too_many_elements():
    message = (
        "block of 1048576 elements is too large to be held in registers at once: expected at most "
        "524288 elements, got 1048576; use a smaller block or more warps"
    )
    with pytest.raises(eft.CompilationError, match=message) as raised:
        next_of_each.warmup(tl.int32, tl.int32, N=1 << 20, target="cuda:90")
    assert "tl.gather(a, (a + 1) & (N - 1), 0)" in str(raised.value)
