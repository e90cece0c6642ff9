# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor descriptors that kernels make, against slices of NumPy arrays."""

import re
from typing import NamedTuple

import eft
import eft.language as tl
import numpy as np
import pytest
from support import DTYPES, assert_same_bits, lower


def inside(shape, offsets, block):
    """The slices of an array and of a block at `offsets` in which the two overlap."""
    first = [max(offset, 0) for offset in offsets]
    last = [
        max(begin, min(extent, offset + length))
        for begin, extent, offset, length in zip(first, shape, offsets, block, strict=True)
    ]
    return (
        tuple(map(slice, first, last)),
        tuple(
            slice(begin - offset, end - offset)
            for begin, end, offset in zip(first, last, offsets, strict=True)
        ),
    )


def expected_load(x, offsets, block, padding=0):
    result = np.full(block, padding, x.dtype)
    of_array, of_block = inside(x.shape, offsets, block)
    result[of_block] = x[of_array]
    return result


def expected_store(x, offsets, value):
    result = x.copy()
    of_array, of_block = inside(x.shape, offsets, value.shape)
    result[of_array] = value[of_block]
    return result


def element_strides(x):
    return tuple(stride // x.itemsize for stride in x.strides)


# -- loads and stores ------------------------------------------------------------------------------


@eft.jit
def load_block(
    x_ptr, y_ptr, zero, SHAPE: tl.constexpr, STRIDES: tl.constexpr, OFFSETS: tl.constexpr,
    BLOCK: tl.constexpr, DENSE: tl.constexpr, PADDING: tl.constexpr,
):  # fmt: skip
    # Adding `zero` makes the extents and offsets unknown at compile time.
    shape = [extent + zero for extent in SHAPE]
    x = tl.make_tensor_descriptor(x_ptr, shape, STRIDES, BLOCK, padding_option=PADDING)
    y = tl.make_tensor_descriptor(y_ptr, BLOCK, DENSE, BLOCK)
    y.store([zero for _ in BLOCK], x.load([offset + zero for offset in OFFSETS]))


@eft.jit
def store_block(
    x_ptr, y_ptr, zero, SHAPE: tl.constexpr, STRIDES: tl.constexpr, OFFSETS: tl.constexpr,
    BLOCK: tl.constexpr, DENSE: tl.constexpr,
):  # fmt: skip
    x = tl.make_tensor_descriptor(x_ptr, [n + zero for n in SHAPE], STRIDES, BLOCK)
    y = tl.make_tensor_descriptor(y_ptr, BLOCK, DENSE, BLOCK)
    x.store([offset + zero for offset in OFFSETS], y.load([0 for _ in BLOCK]))


def dense(block):
    return element_strides(np.empty(block, np.int8))


#: The extents of arrays, and the extents of blocks.
RANKS = [
    ((300,), (64,)),
    ((21, 37), (8, 16)),
    ((5, 7, 19), (4, 2, 8)),
    ((3, 4, 5, 9), (2, 1, 4, 8)),
    ((2, 3, 2, 5, 11), (2, 2, 1, 4, 16)),
]

#: The first index of a block, as a multiple of the array's extents: inside the array, before its
#: beginning, across its end, and wholly outside.
PLACES = [0, 0.4, -0.2, 0.9, -9, 1, 9]


@pytest.mark.parametrize("shape, block", RANKS)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("padding, value", [("", 0), ("zero", 0), ("nan", np.nan)])
def test_loads_of_every_rank(device, shape, block, place, padding, value):
    x = np.arange(1, 1 + np.prod(shape), dtype=np.float32).reshape(shape)
    offsets = tuple(int(np.floor(place * extent)) for extent in shape)
    out = device.put(np.full(block, -1, np.float32))
    load_block[1](
        device.put(x), out, 0, shape, element_strides(x), offsets, block, dense(block), padding
    )
    assert_same_bits(device.get(out), expected_load(x, offsets, block, value))


@pytest.mark.parametrize("shape, block", RANKS)
@pytest.mark.parametrize("place", PLACES)
def test_stores_of_every_rank(device, shape, block, place):
    x = np.arange(1, 1 + np.prod(shape), dtype=np.int32).reshape(shape)
    value = -np.arange(1, 1 + np.prod(block), dtype=np.int32).reshape(block)
    offsets = tuple(int(np.floor(place * extent)) for extent in shape)
    out = device.put(x)
    store_block[1](
        out, device.put(value), 0, shape, element_strides(x), offsets, block, dense(block)
    )
    assert_same_bits(device.get(out), expected_store(x, offsets, value))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("place", [-16, -7, 1, 35])
def test_bounds_along_one_dimension(device, axis, place):
    x = np.arange(1, 37 * 37 + 1, dtype=np.int16).reshape(37, 37)
    offsets = tuple(np.where(np.arange(2) == axis, place, 3).tolist())
    out = device.put(np.full((8, 16), -1, np.int16))
    load_block[1](device.put(x), out, 0, (37, 37), (37, 1), offsets, (8, 16), (16, 1), "zero")
    assert_same_bits(device.get(out), expected_load(x, offsets, (8, 16)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(device, dtype):
    numbers = np.random.default_rng(0).integers(0, 2 if dtype == "int1" else 100, (9, 13))
    x = numbers.astype(DTYPES[dtype])
    out = device.put(np.ones((8, 16), x.dtype))
    load_block[1](device.put(x), out, 0, (9, 13), (13, 1), (3, -2), (8, 16), (16, 1), "zero")
    assert_same_bits(device.get(out), expected_load(x, (3, -2), (8, 16)))


@pytest.mark.parametrize("first, pitch", [(0, 64), (1, 41), (3, 39)])
@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float64])
def test_no_alignment_is_needed(device, first, pitch, dtype):
    """The array begins at any element, and has any row stride."""
    memory = np.random.default_rng(0).integers(-9, 9, 21 * 64 + 3).astype(dtype)
    rows = memory[first : first + 21 * pitch].reshape(21, pitch)
    out = device.put(np.ones((16, 16), dtype))
    x = device.put(memory)[first:]
    load_block[1](x, out, 0, (21, 37), (pitch, 1), (11, 27), (16, 16), (16, 1), "zero")
    assert_same_bits(device.get(out), expected_load(rows[:, :37], (11, 27), (16, 16)))


@eft.jit
def overlapping_rows(x_ptr, y_ptr, n, row_stride, M: tl.constexpr, N: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [n, n], [row_stride, 1], [M, N])
    tl.make_tensor_descriptor(y_ptr, [M, N], [N, 1], [M, N]).store([0, 0], x.load([0, 0]))


@pytest.mark.parametrize("row_stride", [0, 1, -1])
def test_rows_at_any_distance(device, row_stride):
    x = np.arange(64, dtype=np.int32)
    out = device.put(np.zeros((4, 8), np.int32))
    overlapping_rows[1](device.put(x)[32:], out, 30, row_stride, M=4, N=8)
    rows, columns = np.mgrid[:4, :8]
    assert_same_bits(device.get(out), x[32 + rows * row_stride + columns])


@eft.jit
def last_stride_at_run_time(x_ptr, y_ptr, m, n, row_stride, column_stride, N: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [m, n], [row_stride, column_stride], [N, N])
    tl.make_tensor_descriptor(y_ptr, [N, N], [N, 1], [N, N]).store([0, 0], x.load([1, 2]))


@pytest.mark.parametrize("turned", [False, True])
def test_a_last_stride_that_is_an_argument(device, turned):
    """The last stride is 1, or 23 for the transposed array."""
    x = np.arange(19 * 23, dtype=np.float32).reshape(19, 23)
    seen = x.T if turned else x
    out = device.put(np.zeros((16, 16), np.float32))
    last_stride_at_run_time[1](device.put(x), out, *seen.shape, *element_strides(seen), N=16)
    assert_same_bits(device.get(out), expected_load(seen, (1, 2), (16, 16)))


@eft.jit
def what_is_left(x_ptr, y_ptr, n, start, N: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [n - start], [1], [N])
    y = tl.make_tensor_descriptor(y_ptr, [n - start], [1], [N])
    tl.store(y_ptr + N + tl.arange(0, N), x.load([0]))
    y.store([0], tl.zeros((N,), tl.int32))
    y.atomic_add([0], tl.full((N,), 7, tl.int32))


@pytest.mark.parametrize("start, left", [(2, 3), (5, 0), (6, 0), (9, 0)])
def test_nothing_lies_in_an_array_of_no_extent(device, start, left):
    x, out = np.arange(1, 9, dtype=np.int32), device.put(np.full(16, -1, np.int32))
    what_is_left[1](device.put(x), out, 5, start, N=8)
    expected = np.r_[np.full(8, -1), np.zeros(8)].astype(np.int32)
    expected[:left], expected[8 : 8 + left] = 7, x[:left]
    assert_same_bits(device.get(out), expected)


@eft.jit
def far_offsets(x_ptr, y_ptr, n, offset, N: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [N, N])
    y = tl.make_tensor_descriptor(y_ptr, [N, N], [N, 1], [N, N])
    y.store([0, 0], x.load([offset, offset]))


@pytest.mark.parametrize("offset", [-(2**31), -(2**31) + 7, 2**31 - 1, 2**31 - 4])
def test_offsets_at_the_ends_of_int32(device, offset):
    x, out = np.ones((8, 8), np.float32), device.put(np.ones((8, 8), np.float32))
    far_offsets[1](device.put(x), out, 8, offset, N=8)
    assert_same_bits(device.get(out), np.zeros((8, 8), np.float32))


@eft.jit
def by_functions(x_ptr, y_ptr, n, N: tl.constexpr):
    x = tl.make_tensor_descriptor(base=x_ptr, shape=[n, n], strides=[n, 1], block_shape=[N, N])
    y = tl.make_tensor_descriptor(y_ptr, (n, n), (n, 1), (N, N))
    # The stored integers are converted to the type of the array's elements.
    block = tl.load_tensor_descriptor(x, [1, 2]).to(tl.int32)
    tl.store_tensor_descriptor(y, [-1, 3], value=block)


def test_the_functions_are_the_methods(device):
    x = np.arange(13 * 13, dtype=np.float32).reshape(13, 13)
    out = device.put(np.zeros((13, 13), np.float32))
    by_functions[1](device.put(x), out, 13, N=8)
    expected = expected_store(0 * x, (-1, 3), expected_load(x, (1, 2), (8, 8)))
    assert_same_bits(device.get(out), expected)


# -- atomic operations -----------------------------------------------------------------------------


@eft.jit
def updates(x_ptr, y_ptr, m, n, i, j, M: tl.constexpr, N: tl.constexpr, KIND: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [m, n], [n, 1], [M, N])
    value = tl.make_tensor_descriptor(y_ptr, [M, N], [N, 1], [M, N]).load([0, 0])
    getattr(x, KIND)([i, j], value)


KINDS = {
    "atomic_add": np.add,
    "atomic_min": np.minimum,
    "atomic_max": np.maximum,
    "atomic_and": np.bitwise_and,
    "atomic_or": np.bitwise_or,
    "atomic_xor": np.bitwise_xor,
}
FLOATS = ["fp16", "bf16", "fp32", "fp64"]
WORDS = ["int32", "uint32", "int64", "uint64"]
UPDATED = [(kind, dtype) for kind in KINDS for dtype in WORDS] + [
    *(("atomic_add", dtype) for dtype in FLOATS),
    *((f"atomic_{end}", dtype) for end in ("min", "max") for dtype in FLOATS),
]


@pytest.mark.parametrize("kind, dtype", UPDATED)
@pytest.mark.parametrize("offsets", [(2, 1), (-3, 9), (10, -12), (4, 20)])
def test_updates_stay_in_the_array(device, kind, dtype, offsets):
    numbers = np.random.default_rng(len(kind))
    x = numbers.integers(0, 99, (13, 17)).astype(DTYPES[dtype])
    value = numbers.integers(0, 99, (8, 16)).astype(DTYPES[dtype])
    out = device.put(x)
    updates[1](out, device.put(value), 13, 17, *offsets, M=8, N=16, KIND=kind)
    held = expected_load(x, offsets, (8, 16))
    assert_same_bits(device.get(out), expected_store(x, offsets, KINDS[kind](held, value)))


@eft.jit
def counts(x_ptr, n, N: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [n], [1], [N])
    x.atomic_add([tl.program_id(0) % 3], tl.full((N,), 1, tl.int32))


def test_programs_that_update_one_array(device):
    out = device.put(np.zeros(40, np.int32))
    counts[(300,)](out, 33, N=32)
    expected = np.zeros(40, np.int32)
    for start in range(3):
        expected[start : min(start + 32, 33)] += 100
    assert_same_bits(device.get(out), expected)


# -- rows ------------------------------------------------------------------------------------------


@eft.jit
def gathered(x_ptr, rows_ptr, y_ptr, m, n, column, R: tl.constexpr, N: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [m, n], [n, 1], [1, N], padding_option="nan")
    rows = x.gather(tl.load(rows_ptr + tl.arange(0, R)), column)
    tl.make_tensor_descriptor(y_ptr, [R, N], [N, 1], [R, N]).store([0, 0], rows)


@eft.jit
def scattered(x_ptr, rows_ptr, y_ptr, m, n, column, R: tl.constexpr, N: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [m, n], [n, 1], [1, N])
    value = tl.make_tensor_descriptor(y_ptr, [R, N], [N, 1], [R, N]).load([0, 0])
    x.scatter(value, tl.load(rows_ptr + tl.arange(0, R)), column)


ROWS = [3, 0, 20, -1, 21, 7, -(2**31), 2**31 - 1]


@pytest.mark.parametrize("column", [0, 5, 30, -4, 37, -16])
def test_rows_by_their_numbers(device, column):
    x = np.arange(1, 21 * 37 + 1, dtype=np.float32).reshape(21, 37)
    out = device.put(np.zeros((8, 16), np.float32))
    rows = device.put(np.array(ROWS, np.int32))
    gathered[1](device.put(x), rows, out, 21, 37, column, R=8, N=16)
    expected = [expected_load(x, (row, column), (1, 16), np.nan)[0] for row in ROWS]
    assert_same_bits(device.get(out), np.array(expected))

    value = -np.arange(1, 8 * 16 + 1, dtype=np.float32).reshape(8, 16)
    out = device.put(x)
    scattered[1](out, rows, device.put(value), 21, 37, column, R=8, N=16)
    expected = x
    for row, each in zip(ROWS, value, strict=True):
        expected = expected_store(expected, (row, column), each[None])
    assert_same_bits(device.get(out), expected)


@eft.jit
def rows_twice(x_ptr, y_ptr, n, N: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [1, N])
    y = tl.make_tensor_descriptor(y_ptr, [N, N], [N, 1], [N, N])
    y.store([0, 0], x.gather((tl.arange(0, N) // 2).to(tl.int8), 0))


def test_one_row_twice(device):
    x = np.arange(64, dtype=np.int16).reshape(8, 8)
    out = device.put(np.zeros((8, 8), np.int16))
    rows_twice[1](device.put(x), out, 8, N=8)
    assert_same_bits(device.get(out), x[np.arange(8) // 2])


# -- values of a kernel ----------------------------------------------------------------------------


@eft.jit
def looks_at_one(x_ptr, y_ptr, n, wide):
    x = tl.make_tensor_descriptor(x_ptr, [n, 7, wide], [n, 16, 1], [1, 4, 8], "nan")
    tl.static_assert(isinstance(x, tl.tensor_descriptor) and not isinstance(x, tl.tensor))
    tl.static_assert(isinstance(x.type, tl.tensor_descriptor_type))
    tl.static_assert(x.dtype == tl.float32 and x.block_shape == (1, 4, 8))
    tl.static_assert(x.block_type == tl.zeros((1, 4, 8), tl.float32).type)
    tl.static_assert(x.type.block_type == x.block_type)
    tl.static_assert(len(x.shape) == 3 and len(x.strides) == 3)
    tl.static_assert(x.shape[0].dtype == tl.int32 and x.shape[2].dtype == tl.int64)
    tl.static_assert(x.strides[0].dtype == tl.int64)
    for number in tl.static_range(3):
        tl.store(y_ptr + number, x.shape[number])
        tl.store(y_ptr + 3 + number, x.strides[number])


def test_what_a_kernel_sees_of_a_descriptor(device):
    x, out = device.put(np.zeros(4, np.float32)), device.put(np.zeros(6, np.int64))
    looks_at_one[1](x, out, 5, 2**31)
    assert device.get(out).tolist() == [5, 7, 2**31, 5, 16, 1]


def test_types_as_text():
    assert str(tl.tensor_descriptor_type(tl.block_type(tl.float16, [8, 16]))) == (
        "tensor_descriptor<fp16[8, 16]>"
    )
    shown = tl.tensor_descriptor(tl.tensor(None, tl.pointer_type(tl.int8)), (), (), (4,), "zero")
    assert repr(shown) == "tensor_descriptor<int8[4]>"


class Pair(NamedTuple):
    source: tl.tensor_descriptor
    target: tl.tensor_descriptor
    scale: tl.constexpr


@eft.jit
def as_descriptor(x, n, N: tl.constexpr):
    if isinstance(x, tl.tensor_descriptor):
        return x
    else:
        return tl.make_tensor_descriptor(x, [n, n], [n, 1], [N, N])


@eft.jit
def copies_block(pair, i, j):
    pair.target.store([i, j], pair.source.load([i, j]) * pair.scale)
    return pair, pair.source


@eft.jit
def many_ways(x_ptr, other_ptr, y_ptr, n, second, N: tl.constexpr):
    x = as_descriptor(as_descriptor(x_ptr, n, N), n, N)
    if second:
        x = tl.make_tensor_descriptor(other_ptr, [n - 1, n], [n, 1], [N, N])
    pair = Pair(x, as_descriptor(y_ptr, n, N), 3)
    i = 0
    while i < n:
        for j in range(0, n, N):
            pair, x = copies_block(pair, i, j)
        i += N


@pytest.mark.parametrize("second", [False, True])
def test_functions_loops_and_choices_carry_descriptors(device, second):
    x = np.arange(19 * 19, dtype=np.float32).reshape(19, 19)
    other = x + 1000
    out = device.put(np.full((19, 19), -1, np.float32))
    many_ways[1](device.put(x), device.put(other), out, 19, second, N=8)
    expected = other * 3 if second else x * 3
    if second:
        expected[18] = 0
    assert_same_bits(device.get(out), expected)


# -- matrix products -------------------------------------------------------------------------------


@eft.jit
def matmul(
    a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
):  # fmt: skip
    """c = a @ b.T, one tile a program."""
    pid = tl.program_id(axis=0)
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    in_group = GROUP_M * tiles_n
    first_m = pid // in_group * GROUP_M
    group = min(tiles_m - first_m, GROUP_M)
    i = (first_m + pid % in_group % group) * BLOCK_M
    j = pid % in_group // group * BLOCK_N
    a = tl.make_tensor_descriptor(
        a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K]
    )
    b = tl.make_tensor_descriptor(
        b_ptr, shape=[N, K], strides=[K, 1], block_shape=[BLOCK_N, BLOCK_K]
    )
    c = tl.make_tensor_descriptor(
        c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N // 2]
    )
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in tl.range(tl.cdiv(K, BLOCK_K)):
        k = step * BLOCK_K
        total = tl.dot(a.load([i, k]), b.load([j, k]).T, total)
    halves = tl.permute(tl.reshape(total, (BLOCK_M, 2, BLOCK_N // 2)), (0, 2, 1))
    left, right = tl.split(halves)
    c.store([i, j], left.to(c.dtype))
    c.store([i, j + BLOCK_N // 2], right.to(c.dtype))


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("m, n, k", [(64, 64, 96), (128, 80, 48), (70, 33, 100), (16, 300, 1)])
@pytest.mark.parametrize("stages", [1, 3])
def test_matrix_products(device, dtype, m, n, k, stages):
    numbers = np.random.default_rng(m + n + k)
    a, b = (numbers.integers(-4, 5, shape).astype(dtype) for shape in ((m, k), (n, k)))
    out = device.put(np.full((m, n), np.nan, dtype))
    grid = (eft.cdiv(m, 64) * eft.cdiv(n, 32),)
    blocks = dict(BLOCK_M=64, BLOCK_N=32, BLOCK_K=32, GROUP_M=2)
    matmul[grid](device.put(a), device.put(b), out, m, n, k, **blocks, num_stages=stages)
    expected = a.astype(np.float32) @ b.astype(np.float32).T
    assert_same_bits(device.get(out), expected.astype(dtype))


def compiled(m, n, k, target):
    blocks = dict(BLOCK_M=128, BLOCK_N=128, BLOCK_K=64, GROUP_M=8)
    return matmul.warmup(*[tl.float16] * 3, m, n, k, **blocks, target=target)


@pytest.mark.parametrize("target, product", [("cuda:80", "mma.sync"), ("cuda:90", "wgmma")])
def test_copies_bring_the_blocks_of_a_product_to_shared_memory(target, product):
    made = compiled(1000, 1024, 512, target)
    loads = re.findall(r"eft\.load .*", made.asm["placed"])
    assert len(loads) == 2
    assert all("run = 8 : i32, uniformRuns" in load for load in loads)
    ptx = made.asm["ptx"]
    # The loop has three stages. So the code copies the blocks of the first two iterations before
    # the loop, and those of a later iteration in the loop: three times one copy for each of the
    # two factors. Each copy has at least one instruction.
    assert ptx.count("cp.async.cg.shared.global") >= 2 * 3
    assert product in ptx


def test_a_descriptor_that_nothing_uses_is_no_code():
    @eft.jit
    def kernel(x_ptr, n):
        tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [8, 8])

    assert "eft." not in lower(kernel, "*fp32 i32").replace("!eft.ptr", "")
