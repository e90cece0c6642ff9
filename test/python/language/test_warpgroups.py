# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products of sizes that warpgroups compute on GPUs that have them: loops of all lengths,
with factors that lie by rows or by columns, and with exact sums."""

import eft
import eft.language as tl
import ml_dtypes
import numpy as np
import pytest
from assembler import log_of_ptxas
from products import matmul
from support import DTYPES, assert_same_bits


def factors(device, m, n, k, turned_a, turned_b, dtype):
    """Matrices of small integers with exact sums of products, their strides, and the result."""
    numbers = np.random.default_rng(m + n + k)
    a, b = (numbers.integers(-4, 5, shape).astype(dtype) for shape in ((m, k), (k, n)))
    sums = np.int32 if dtype is np.int8 else np.float32
    expected = a.astype(sums) @ b.astype(sums)
    a = a.T.copy().T if turned_a else a
    b = b.T.copy().T if turned_b else b
    strides = [each // a.itemsize for each in (*a.strides, *b.strides)]
    one = np.zeros(1, dtype)
    arrays = [device.put(each.ravel(order="K") if each.size else one) for each in (a, b)]
    return arrays, strides, expected


TILES = [
    (64, 16, 16, 4),
    (64, 32, 32, 4),
    (64, 64, 64, 4),
    (64, 64, 128, 8),
    (64, 256, 16, 4),
    (64, 16, 32, 8),
    (128, 16, 64, 8),
    (128, 32, 64, 16),
    (128, 128, 32, 4),
    (128, 128, 64, 8),
    (128, 256, 64, 8),
    (256, 64, 32, 8),
    (256, 128, 16, 16),
]


@pytest.mark.parametrize("dtype", [np.float16, np.int8, np.float32, ml_dtypes.float8_e4m3fn])
@pytest.mark.parametrize("bm, bn, bk, warps", TILES)
@pytest.mark.parametrize("turned_a", [False, True])
@pytest.mark.parametrize("turned_b", [False, True])
def test_tiles_and_orders(device, dtype, bm, bn, bk, warps, turned_a, turned_b):
    for m, n, k in ((bm, bn, 5 * bk), (2 * bm - 7, bn + 9, 3 * bk - 5), (bm, 2 * bn, 0)):
        arrays, strides, expected = factors(device, m, n, k, turned_a, turned_b, dtype)
        grid = (-(-m // bm), -(-n // bn))
        # A CPU has no stages.
        for num_stages in (1, 2, 3, 4, 6) if device.name == "cuda" else (3,):
            out = device.put(np.full((m, n), 77, expected.dtype))
            options = {"num_warps": warps, "num_stages": num_stages}
            matmul[grid](*arrays, out, m, n, k, *strides, BM=bm, BN=bn, BK=bk, **options)
            assert_same_bits(device.get(out), expected)


@eft.jit
def dequantized(a_ptr, b_ptr, c_ptr, turns, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """c = s - 2 tᵀ with s = a @ b and t = bᵀ @ aᵀ. The kernel computes b from bytes."""
    i, j, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    turned = tl.zeros((BN, BM), tl.float32)
    for turn in range(turns):
        a = tl.load(a_ptr + i[:, None] * BK * turns + k[None, :] + turn * BK)
        b = tl.load(b_ptr + (k[:, None] + turn * BK) * BN + j[None, :]).to(a.dtype) * 0.5
        total = tl.dot(a, b, total)
        turned = tl.dot(b.T, a.T, turned)
    tl.store(c_ptr + i[:, None] * BN + j[None, :], total - turned.T * 2)


@pytest.mark.parametrize("num_stages", [1, 3])
@pytest.mark.parametrize("bm, bn, bk, warps", [(64, 64, 32, 4), (128, 64, 64, 8), (64, 128, 16, 4)])
def test_factors_that_a_kernel_computes(device, bm, bn, bk, warps, num_stages):
    numbers = np.random.default_rng(bm + bn)
    for turns in (0, 1, 2, 5):
        a = numbers.integers(-4, 5, (bm, bk * turns)).astype(np.float16)
        b = numbers.integers(-8, 9, (bk * turns, bn)).astype(np.int8)
        expected = -(a.astype(np.float32) @ b.astype(np.float32)) * 0.5 + 0.0
        out = device.put(np.full((bm, bn), np.nan, np.float32))
        a, b = (np.append(each, each.dtype.type(0)) for each in (a, b))  # so that no array is empty
        arrays = [device.put(each) for each in (a, b)]
        dequantized[(1,)](
            *arrays, out, turns, BM=bm, BN=bn, BK=bk, num_warps=warps, num_stages=num_stages
        )
        assert_same_bits(device.get(out) + 0.0, expected)


@eft.jit
def attention(
    q_ptr, k_ptr, v_ptr, out_ptr, turns, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr
):
    """Scores without a softmax: out = (q @ k.T * 2 + 1) @ v, whose sums are exact."""
    i, j, d = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    q = tl.load(q_ptr + i[:, None] * D + d[None, :])
    out = tl.zeros((M, D), tl.float32)
    for turn in range(turns):
        rows = (turn * N + j[:, None]) * D + d[None, :]
        scores = tl.dot(q, tl.trans(tl.load(k_ptr + rows))) * 2 + 1
        out = out * 1.0 + tl.dot(scores.to(q.dtype), tl.load(v_ptr + rows))
    tl.store(out_ptr + i[:, None] * D + d[None, :], out)


@pytest.mark.parametrize("num_stages", [1, 2, 3])
@pytest.mark.parametrize("m, n, d, warps", [(64, 64, 64, 4), (128, 32, 128, 8), (128, 128, 16, 4)])
def test_a_product_of_a_product(device, m, n, d, warps, num_stages):
    numbers = np.random.default_rng(m + n + d)
    for turns in (0, 1, 2, 3, 7):
        q, k, v = (
            numbers.integers(-1, 2, (rows, d)).astype(np.float16) for rows in (m, n * 8, n * 8)
        )
        k, v = k[: n * turns], v[: n * turns]
        scores = q.astype(np.float32) @ k.astype(np.float32).T * 2 + 1
        expected = scores @ v.astype(np.float32) + 0.0
        out = device.put(np.full((m, d), np.nan, np.float32))
        arrays = [device.put(np.append(each, np.float16(0))) for each in (q, k, v)]
        attention[(1,)](*arrays, out, turns, M=m, N=n, D=d, num_warps=warps, num_stages=num_stages)
        assert_same_bits(device.get(out) + 0.0, expected)


@eft.jit
def branches(a_ptr, b_ptr, which_ptr, out_ptr, turns, SIZE: tl.constexpr):
    """A number in memory selects what each turn does: first += a b, first -= b a or first = a b.
    Each turn also does second += b a."""
    i = tl.arange(0, SIZE)
    places = i[:, None] * SIZE + i[None, :]
    first = tl.zeros((SIZE, SIZE), tl.float32)
    second = tl.zeros((SIZE, SIZE), tl.float32)
    for turn in range(turns):
        a = tl.load(a_ptr + turn * SIZE * SIZE + places)
        b = tl.load(b_ptr + turn * SIZE * SIZE + places)
        which = tl.load(which_ptr + turn)
        if which == 1:
            first = tl.dot(a, b, first)
        elif which == 2:
            first = first - tl.dot(b, a)
        else:
            first = tl.dot(a, b)
        second = tl.dot(b, a, second)
    tl.store(out_ptr + places, first)
    tl.store(out_ptr + SIZE * SIZE + places, second)


@pytest.mark.parametrize("num_stages", [1, 3])
@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
def test_products_in_branches(device, num_stages, dtype):
    size, turns = 64, 5
    numbers = np.random.default_rng(7)
    a, b = (numbers.integers(-3, 4, (turns, size, size)).astype(np.float32) for _ in "ab")
    for which in ([1, 1, 1, 1, 1], [0, 2, 1, 2, 1], [1, 2, 0, 0, 2]):
        first, second = np.zeros((2, size, size), np.float32)
        for turn, kind in enumerate(which):
            forth, back = a[turn] @ b[turn], b[turn] @ a[turn]
            first = first + forth if kind == 1 else first - back if kind == 2 else forth
            second = second + back
        out = device.put(np.full((2, size, size), np.nan, np.float32))
        factors = [device.put(each.astype(DTYPES[dtype])) for each in (a, b)]
        branches[(1,)](
            *factors, device.put(np.int32(which)), out, turns, SIZE=size, num_stages=num_stages
        )
        assert_same_bits(device.get(out) + 0.0, np.stack([first, second]) + 0.0)


def assembler_log(kernel, *arguments, **options) -> str:
    return log_of_ptxas(kernel.warmup(*arguments, **options, target="sm_90").asm["ptx"])


@pytest.mark.parametrize("size", [1023, 1024])
@pytest.mark.parametrize("num_stages", [1, 3])
@pytest.mark.parametrize("bm, bn, bk, warps", TILES)
def test_the_assembler_keeps_products_under_way(bm, bn, bk, warps, num_stages, size):
    """If code touches the registers of products under way, ptxas logs that it serializes them."""
    half = eft.MockTensor(tl.float16)
    arguments = [half, half, eft.MockTensor(tl.float32), size, size, size, size, 1, size, 1]
    blocks = {"BM": bm, "BN": bn, "BK": bk}
    log = assembler_log(matmul, *arguments, **blocks, num_warps=warps, num_stages=num_stages)
    assert "serialized" not in log


@pytest.mark.parametrize("m, n, d, warps", [(64, 64, 64, 4), (128, 64, 128, 8), (128, 128, 64, 4)])
def test_the_assembler_keeps_products_of_products_under_way(m, n, d, warps):
    half = eft.MockTensor(tl.float16)
    arguments = [half, half, half, eft.MockTensor(tl.float32), 16]
    log = assembler_log(attention, *arguments, M=m, N=n, D=d, num_warps=warps)
    assert "serialized" not in log


@eft.jit
def computed(a_ptr, b_ptr, turns_ptr, x_ptr, out_ptr, turns, M: tl.constexpr, SIZE: tl.constexpr):
    """The sum of max(a, 0) @ b over the turns, plus sums of blocks of x. Each turn loads the number
    of blocks that it adds."""
    i, j = tl.arange(0, M), tl.arange(0, SIZE)
    acc = tl.zeros((M, SIZE), tl.float32)
    numbers = 0.0
    for turn in range(turns):
        a = tl.load(a_ptr + (turn * M + i[:, None]) * SIZE + j[None, :])
        b = tl.load(b_ptr + (turn * SIZE + j[:, None]) * SIZE + j[None, :])
        acc = tl.dot(tl.maximum(a, 0), b, acc)
        for k in range(tl.load(turns_ptr + turn)):
            numbers += tl.sum(tl.load(x_ptr + k * 256 + tl.arange(0, 256)))
    tl.store(out_ptr + i[:, None] * SIZE + j[None, :], acc + numbers)


@pytest.mark.parametrize("num_stages", [1, 3, 8])
@pytest.mark.parametrize("m", [16, 64, 128])
def test_factors_and_bounds_that_change_in_the_loop(device, m, num_stages):
    """No iteration overwrites shared memory that a product of an earlier one still reads."""
    size, turns = 64, 12
    numbers = np.random.default_rng(m)
    a = numbers.integers(-3, 4, (turns, m, size)).astype(np.float16)
    b = numbers.integers(-3, 4, (turns, size, size)).astype(np.float16)
    x = numbers.integers(-3, 4, 5 * 256).astype(np.float32)
    counts = numbers.integers(0, 6, turns).astype(np.int32)
    expected = (np.maximum(a, 0).astype(np.float32) @ b.astype(np.float32)).sum(0)
    expected += sum(x[: count * 256].sum() for count in counts)
    out = device.put(np.full((m, size), np.nan, np.float32))
    arrays = [device.put(each) for each in (a, b, counts, x)]
    computed[(1,)](*arrays, out, turns, M=m, SIZE=size, num_stages=num_stages)
    assert_same_bits(device.get(out) + 0.0, expected + 0.0)


@eft.jit
def counted(a_ptr, b_ptr, out_ptr, TURNS: tl.constexpr, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    places = i[:, None] * SIZE + i[None, :]
    acc = tl.full((SIZE, SIZE), 1.0, tl.float32)
    for turn in range(TURNS):
        block = turn * SIZE * SIZE + places
        acc = tl.dot(tl.load(a_ptr + block), tl.load(b_ptr + block), acc)
    again = tl.dot(tl.load(a_ptr + places), tl.load(b_ptr + places), acc)
    tl.store(out_ptr + places, acc)
    tl.store(out_ptr + SIZE * SIZE + places, again)


@pytest.mark.parametrize("num_stages", [1, 2, 3, 7, 8])
def test_few_iterations_and_sums_that_are_used_twice(device, num_stages):
    size = 64
    numbers = np.random.default_rng(num_stages)
    a, b = (numbers.integers(-3, 4, (9, size, size)).astype(np.float16) for _ in "ab")
    products = a.astype(np.float32) @ b.astype(np.float32)
    for turns in (0, 1, 2, 3, 9):
        acc = 1 + products[:turns].sum(0)
        out = device.put(np.full((2, size, size), np.nan, np.float32))
        counted[(1,)](
            device.put(a), device.put(b), out, TURNS=turns, SIZE=size, num_stages=num_stages
        )
        assert_same_bits(device.get(out) + 0.0, np.stack([acc, acc + products[0]]) + 0.0)


@eft.jit
def repeated(a_ptr, b_ptr, out_ptr, turns, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    places = i[:, None] * SIZE + i[None, :]
    a = tl.load(a_ptr + places)
    acc = tl.zeros((SIZE, SIZE), tl.float32)
    for turn in range(turns):
        acc = tl.dot(a, tl.load(b_ptr + turn * SIZE * SIZE + places), acc)
    tl.store(out_ptr + places, acc)


@pytest.mark.parametrize("num_stages", [1, 3])
def test_a_first_factor_from_before_the_loop(device, num_stages):
    """The first factor stays in its registers while products are under way."""
    size, turns = 64, 20
    numbers = np.random.default_rng(3)
    a = numbers.integers(-3, 4, (size, size)).astype(np.float16)
    b = numbers.integers(-3, 4, (turns, size, size)).astype(np.float16)
    out = device.put(np.full((size, size), np.nan, np.float32))
    repeated[(1,)](device.put(a), device.put(b), out, turns, SIZE=size, num_stages=num_stages)
    expected = (a.astype(np.float32) @ b.astype(np.float32)).sum(0)
    assert_same_bits(device.get(out) + 0.0, expected + 0.0)
