# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops with matrix products whose factors have loaded addresses, for example from a table of
pages. A GPU loads an address one or more iterations before it copies the factor. Tables have
entries only for iterations that run."""

import eft
import eft.language as tl
import numpy as np
import pytest
from support import assert_same_bits


def small(shape, seed):
    """Small integers, whose sums and products are exact."""
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float16)


def shuffled(count, seed):
    return np.random.default_rng(seed).permutation(max(count, 1)).astype(np.int32)


@eft.jit
def rows_by_table(a_ptr, b_ptr, table_ptr, inner_ptr, out_ptr, m_size, n_size, k_size,
                  BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                  LEVELS: tl.constexpr):  # fmt: skip
    m, n = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k_size, BK):
        k = start + tl.arange(0, BK)
        inside = k < k_size
        rows = tl.load(table_ptr + k, mask=inside, other=0)
        if LEVELS == 2:
            rows = tl.load(inner_ptr + rows, mask=inside, other=0)
        a = tl.load(a_ptr + m[:, None] * k_size + k, mask=(m < m_size)[:, None] & inside, other=0)
        b = tl.load(
            b_ptr + rows[:, None] * n_size + n, mask=inside[:, None] & (n < n_size), other=0
        )
        total += tl.dot(a, b)
    tl.store(out_ptr + m[:, None] * n_size + n, total, mask=(m < m_size)[:, None] & (n < n_size))


@pytest.mark.parametrize("stages", [1, 2, 3, 5])
@pytest.mark.parametrize("blocks", [(16, 32, 32, 4), (64, 64, 32, 4), (128, 64, 64, 8)])
@pytest.mark.parametrize("k", [0, 1, 64, 200])
@pytest.mark.parametrize("levels", [1, 2])
def test_rows_by_a_table(device, stages, blocks, k, levels):
    m, n = 100, 72
    bm, bn, bk, warps = blocks
    a, b, table, inner = small((m, k), 1), small((k, n), 2), shuffled(k, 3), shuffled(k, 4)
    rows = inner[table] if levels == 2 else table
    out = device.put(np.full((m, n), np.nan, np.float32))
    none = np.zeros(1, np.float16)
    arrays = [device.put(each if each.size else none) for each in (a, b, table, inner)]
    grid = (eft.cdiv(m, bm), eft.cdiv(n, bn))
    options = dict(LEVELS=levels, num_warps=warps, num_stages=stages)
    rows_by_table[grid](*arrays, out, m, n, k, BM=bm, BN=bn, BK=bk, **options)
    expected = a.astype(np.float32) @ b[rows[:k]].astype(np.float32)
    assert_same_bits(device.get(out), expected)


@eft.jit
def pages(a_ptr, b_ptr, table_ptr, out_ptr, count, STAGES: tl.constexpr, LINKED: tl.constexpr):
    i = tl.arange(0, 16)
    square = i[:, None] * 16 + i[None, :]
    total = tl.zeros((16, 16), tl.float32)
    page = 0
    for turn in tl.range(count, num_stages=STAGES):
        page = tl.load(table_ptr + (page if LINKED else turn))
        a = tl.load(a_ptr + page * 256 + square)
        b = tl.load(b_ptr + turn * 256 + square)
        total = tl.dot(a, b, total) + page
    tl.store(out_ptr + square, total)


@pytest.mark.parametrize("stages", [1, 2, 3, 4])
@pytest.mark.parametrize("count", [0, 1, 2, 9])
@pytest.mark.parametrize("linked", [False, True])
def test_pages(device, stages, count, linked):
    a, b, table = (
        small((max(count, 1), 16, 16), 1),
        small((max(count, 1), 16, 16), 2),
        shuffled(count, 3),
    )
    out = device.put(np.full((16, 16), np.nan, np.float32))
    arrays = [device.put(each) for each in (a, b, table)]
    pages[1](*arrays, out, count, STAGES=stages, LINKED=linked)
    expected, page = np.zeros((16, 16), np.float32), 0
    for turn in range(count):
        page = table[page if linked else turn]
        expected += a[page].astype(np.float32) @ b[turn].astype(np.float32) + page
    assert_same_bits(device.get(out), expected)


@eft.jit
def list_of_pages(a_ptr, b_ptr, next_ptr, out_ptr, count, STAGES: tl.constexpr):
    i = tl.arange(0, 16)
    square = i[:, None] * 16 + i[None, :]
    b = tl.load(b_ptr + square)
    total = tl.zeros((16, 16), tl.float32)
    page = tl.load(next_ptr)
    for _ in tl.range(count, num_stages=STAGES):
        total = tl.dot(tl.load(a_ptr + page * 256 + square), b, total)
        page = tl.load(next_ptr + page)
    tl.store(out_ptr + square, total)


@pytest.mark.parametrize("stages", [1, 2, 3, 4])
@pytest.mark.parametrize("count", [0, 1, 2, 9])
def test_a_page_says_which_is_the_next(device, stages, count):
    a, b = small((9, 16, 16), 1), small((16, 16), 2)
    following = np.roll(np.arange(9), -4).astype(np.int32)
    out = device.put(np.full((16, 16), np.nan, np.float32))
    arrays = [device.put(each) for each in (a, b, following)]
    list_of_pages[1](*arrays, out, count, STAGES=stages)
    expected, page = np.zeros((16, 16), np.float32), following[0]
    for _ in range(count):
        expected += a[page].astype(np.float32) @ b.astype(np.float32)
        page = following[page]
    assert_same_bits(device.get(out), expected)


@eft.jit
def scaled_columns(a_ptr, b_ptr, group_ptr, scale_ptr, out_ptr, count, N: tl.constexpr,
                   STAGES: tl.constexpr):  # fmt: skip
    """The loaded number `group` is added to the sum, and is the index of a loaded scale."""
    i = tl.arange(0, N)
    square = i[:, None] * N + i[None, :]
    total = tl.zeros((N, N), tl.float32)
    for turn in tl.range(count, num_stages=STAGES):
        a = tl.load(a_ptr + turn * N * N + square)
        b = tl.load(b_ptr + turn * N * N + square)
        group = tl.load(group_ptr + turn * N + i)
        scale = tl.load(scale_ptr + group)
        total += tl.dot(a, b) * scale[None, :] + group[None, :]
    tl.store(out_ptr + square, total)


@pytest.mark.parametrize("stages", [1, 2, 3])
@pytest.mark.parametrize("count", [0, 1, 4])
@pytest.mark.parametrize("n", [32, 64])
def test_scales_of_groups(device, stages, count, n):
    a, b = (small((max(count, 1), n, n), seed) for seed in (1, 2))
    group = np.random.default_rng(3).integers(0, 8, (max(count, 1), n)).astype(np.int32)
    scale = small(8, 4).astype(np.float32)
    out = device.put(np.full((n, n), np.nan, np.float32))
    arrays = [device.put(each) for each in (a, b, group, scale)]
    scaled_columns[1](*arrays, out, count, N=n, STAGES=stages)
    expected = np.zeros((n, n), np.float32)
    for turn in range(count):
        product = a[turn].astype(np.float32) @ b[turn].astype(np.float32)
        expected += product * scale[group[turn]] + group[turn]
    assert_same_bits(device.get(out), expected)


@eft.jit
def tiles_of_pages(a_ptr, b_ptr, table_ptr, out_ptr, tiles, count, STAGES: tl.constexpr,
                   FLATTEN: tl.constexpr, SOME: tl.constexpr):  # fmt: skip
    i = tl.arange(0, 64)
    square = i[:, None] * 64 + i[None, :]
    for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0), flatten=FLATTEN):
        total = tl.zeros((64, 64), tl.float32)
        for turn in tl.range(count, num_stages=STAGES):
            page = tl.load(table_ptr + tile * count + turn)
            a = tl.load(a_ptr + page * 4096 + square)
            inside = i[None, :] < 64 - turn if SOME else i[None, :] < 64
            b = tl.load(b_ptr + turn * 4096 + square, mask=inside, other=0)
            total = tl.dot(a, b, total)
        tl.store(out_ptr + tile * 4096 + square, total)


@pytest.mark.parametrize("stages", [1, 2, 3])
@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("flatten", [False, True])
@pytest.mark.parametrize("some", [False, True])
def test_tiles_whose_pages_stand_in_a_table(device, stages, count, flatten, some):
    tiles = 5
    a, b = small((7, 64, 64), 1), small((max(count, 1), 64, 64), 2)
    table = np.random.default_rng(3).integers(0, 7, (tiles, max(count, 1))).astype(np.int32)
    out = device.put(np.full((tiles, 64, 64), np.nan, np.float32))
    arrays = [device.put(each) for each in (a, b, table)]
    options = dict(STAGES=stages, FLATTEN=flatten, SOME=some)
    tiles_of_pages[2](*arrays, out, tiles, count, **options)
    expected = np.zeros((tiles, 64, 64), np.float32)
    for tile in range(tiles):
        for turn in range(count):
            factor = b[turn].astype(np.float32)
            factor[:, 64 - turn if some else 64 :] = 0
            expected[tile] += a[table[tile, turn]].astype(np.float32) @ factor
    assert_same_bits(device.get(out), expected)
