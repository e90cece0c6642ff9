# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops with two products of one loaded block, as in attention's backward pass. Sums of integers
are exact in any order."""

import eft
import eft.language as tl
import numpy as np
import pytest
from support import DTYPES, assert_same_bits

COUNTS = [0, 1, 2, 3, 5]


@eft.jit
def both_ways(
    x_ptr,
    b_ptr,
    scale_ptr,
    out_ptr,
    turns,
    rows,
    M: tl.constexpr,
    N: tl.constexpr,
    D: tl.constexpr,
    TURNED: tl.constexpr,
):
    """The sum of ((x b) * scale) bᵀ over blocks b of N columns. Only the first `rows` columns have
    a scale; other scales are 0. With TURNED, b is stored by columns."""
    m, n, d = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    x = tl.load(x_ptr + m[:, None] * D + d[None, :])
    acc = tl.zeros((M, D), tl.float32)
    at = b_ptr + (d[:, None] + n[None, :] * D if TURNED else d[:, None] * N + n[None, :])
    for turn in range(turns):
        b = tl.load(at)
        scale = tl.load(scale_ptr + turn * N + n, mask=turn * N + n < rows, other=0)
        scaled = tl.dot(x, b, out_dtype=tl.float32) * scale[None, :]
        acc = tl.dot(scaled.to(x_ptr.dtype.element_ty), tl.trans(b), acc)
        at += N * D
    tl.store(out_ptr + m[:, None] * D + d[None, :], acc)


@pytest.mark.parametrize("turns", COUNTS)
@pytest.mark.parametrize("num_stages", [1, 2, 4])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    "dtype, m, n, d, num_warps",
    [
        ("fp16", 64, 64, 64, 4),
        ("fp16", 128, 32, 64, 4),
        ("bf16", 128, 64, 32, 8),
        ("fp16", 16, 32, 16, 1),
        ("bf16", 32, 32, 32, 2),
        ("fp32", 64, 32, 32, 4),
    ],
)
def test_a_factor_of_two_products(device, dtype, m, n, d, num_warps, turned, num_stages, turns):
    random = np.random.default_rng(turns)
    x = random.integers(-1, 2, (m, d)).astype(np.float32)
    b = random.integers(-1, 2, (turns, d, n)).astype(np.float32)
    rows = max(turns * n - 5, 0)
    scale = random.integers(0, 3, max(rows, 1)).astype(np.float32)
    expected = np.zeros((m, d), np.float32)
    for turn in range(turns):
        of_turn = np.zeros(n, np.float32)
        own = scale[:rows][turn * n : (turn + 1) * n]
        of_turn[: len(own)] = own
        expected += (x @ b[turn] * of_turn) @ b[turn].T
    blocks = np.ascontiguousarray(b.transpose(0, 2, 1) if turned else b)
    out = device.put(np.full((m, d), np.nan, np.float32))
    both_ways[1,](
        device.put(x.astype(DTYPES[dtype])),
        device.put(np.concatenate([blocks.ravel(), [0]]).astype(DTYPES[dtype])),
        device.put(scale), out, turns, rows,
        M=m, N=n, D=d, TURNED=turned, num_warps=num_warps, num_stages=num_stages,
    )  # fmt: skip
    assert_same_bits(device.get(out) + 0.0, expected + 0.0)


def code_of_both_ways(n: int, turned: bool) -> str:
    half = eft.MockTensor(tl.float16)
    return both_ways.warmup(
        half, half, eft.MockTensor(tl.float32), eft.MockTensor(tl.float32), 16, 1024,
        M=64, N=n, D=64, TURNED=turned, num_warps=4, target="sm_90",
    ).asm["ptx"]  # fmt: skip


@pytest.mark.parametrize("n", [32, 64])
@pytest.mark.parametrize("turned", [False, True])
def test_copies_bring_all_that_the_loop_loads(n, turned):
    ptx = code_of_both_ways(n, turned)
    loop = ptx.split("cp.async.wait_group")[1].split("bra")[0]
    assert "ld.global" not in loop
    assert ptx.count("wgmma.fence") > 1


@eft.jit
def stored_before(x_ptr, work_ptr, out_ptr, turns, SIZE: tl.constexpr):
    """Stores blocks of x, loads them transposed, and sums their products with x's first block, on
    the left and on the right."""
    i, j = tl.arange(0, SIZE), tl.arange(0, SIZE)
    by_rows = i[:, None] * SIZE + j[None, :]
    first = tl.load(x_ptr + by_rows)
    total = tl.zeros((SIZE, SIZE), tl.float32)
    for turn in range(turns):
        block = tl.load(x_ptr + turn * SIZE * SIZE + by_rows)
        tl.store(work_ptr + by_rows, block)
        tl.store(work_ptr + SIZE * SIZE + by_rows, block + 1)
        for part in range(2):
            at = work_ptr + part * SIZE * SIZE
            b = tl.load(at + i[:, None] + j[None, :] * SIZE)
            total = tl.dot(first, b, total)
            total = tl.dot(b, first, total)
        tl.debug_barrier()
    tl.store(out_ptr + by_rows, total)


@pytest.mark.parametrize("size, num_warps", [(64, 4), (32, 4), (16, 1)])
@pytest.mark.parametrize("num_stages", [1, 3])
def test_factors_that_were_stored_before_the_loop(device, size, num_warps, num_stages):
    turns = 4
    x = np.random.default_rng(size).integers(-3, 4, (turns, size, size)).astype(np.float16)
    expected = np.zeros((size, size), np.float32)
    first = x[0].astype(np.float32)
    for block in x.astype(np.float32):
        for b in (block.T, (block + 1).T):
            expected += first @ b + b @ first
    out = device.put(np.full((size, size), np.nan, np.float32))
    work = device.put(np.zeros((2, size, size), np.float16))
    options = {"num_warps": num_warps, "num_stages": num_stages}
    stored_before[1,](device.put(x), work, out, turns, SIZE=size, **options)
    assert_same_bits(device.get(out) + 0.0, expected + 0.0)


def test_a_barrier_stands_before_factors_in_another_layout():
    half = eft.MockTensor(tl.float16)
    arguments = half, half, eft.MockTensor(tl.float32), 4
    text = stored_before.warmup(*arguments, SIZE=64, target="sm_90").asm["placed"]
    behind_stores = text.split("eft.store")[2]
    assert "eft.barrier" in behind_stores.split("scf.for")[0]
    assert "eft.load" in behind_stores and "{run = 1" not in behind_stores
