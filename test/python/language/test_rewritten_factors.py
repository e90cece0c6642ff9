# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of factors that warpgroups cannot read in the order in which memory has them. For some
types, neighbours in shared memory must be neighbours along k. Copies keep the order of memory, and
then threads rewrite the factors. Every result is exact."""

import eft
import eft.language as tl
import numpy as np
import pytest
from float8 import encode
from products import matmul
from support import assert_same_bits

#: By name: the factors' type (None for 8-bit floats), the sums' type, and the largest factor.
TYPES = {
    "int8": (np.int8, np.int32, 127),
    "fp8e4nv": (None, np.float32, 8),
    "fp8e5": (None, np.float32, 4),
    "fp32": (np.float32, np.float32, 8),
}
#: For A and for B, whether neighbours in memory are neighbours along k.
TURNED = {"AB": (True, False), "AtB": (False, False), "AtBt": (False, True)}


def codes(matrix, name):
    """The matrix in the given type; 8-bit floats become bytes."""
    if TYPES[name][0] is not None:
        return matrix.astype(TYPES[name][0])
    return encode(matrix.astype(np.float64), name)


def place(device, matrix, name, along_rows, offset, pad):
    """The matrix on the device, and its strides. It begins `offset` elements after the beginning of
    an array, and has `pad` elements between rows, or between columns if it is stored by columns."""
    stored = codes(matrix if along_rows else matrix.T, name)
    rows, columns = stored.shape
    stride = columns + pad
    array = np.full(offset + rows * stride, 1, stored.dtype)
    array[offset:].reshape(rows, stride)[:, :columns] = stored
    # The last row (or column) ends where the array ends.
    view = device.put(array[: array.size - pad])[offset:]
    return view, (stride, 1) if along_rows else (1, stride)


def factor(shape, name, seed):
    most = TYPES[name][2]
    return np.random.default_rng(seed).integers(-most, most + 1, shape)


@eft.jit
def matmul_of_codes(
    a_ptr, b_ptr, c_ptr, m, n, k, a_row, a_column, b_row, b_column, TYPE: tl.constexpr,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """Computes what `matmul` does, for 8-bit floats that arrays hold as bytes."""
    a_ptr = a_ptr.to(tl.pointer_type(TYPE), bitcast=True)
    b_ptr = b_ptr.to(tl.pointer_type(TYPE), bitcast=True)
    matmul(a_ptr, b_ptr, c_ptr, m, n, k, a_row, a_column, b_row, b_column, BM, BN, BK)


def run(device, name, turned, shape, block, offset=0, pads=(0, 0), **options):
    m, n, k = shape
    a, b = factor((m, k), name, m), factor((k, n), name, n)
    placed_a, a_strides = place(device, a, name, TURNED[turned][0], offset, pads[0])
    # Neighbours along k are stored together if A lies by rows, and if B lies by columns.
    placed_b, b_strides = place(device, b, name, not TURNED[turned][1], offset, pads[1])
    total = TYPES[name][1]
    out = device.put(np.full((m, n), 77, total))
    bm, bn, bk = block
    blocks = dict(BM=bm, BN=bn, BK=bk, **options)
    arguments = (placed_a, placed_b, out, m, n, k, *a_strides, *b_strides)
    grid = (-(-m // bm), -(-n // bn))
    if TYPES[name][0] is None:
        matmul_of_codes[grid](*arguments, TYPE=tl.dtype(name), **blocks)
    else:
        matmul[grid](*arguments, **blocks)
    assert_same_bits(device.get(out), (a @ b).astype(total))


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("turned", TURNED)
@pytest.mark.parametrize("block", [(64, 64, 64), (128, 64, 128), (64, 128, 32), (128, 128, 64)])
@pytest.mark.parametrize("warps, stages", [(4, 1), (4, 3), (8, 2), (8, 4)])
def test_blocks(device, name, turned, block, warps, stages):
    run(device, name, turned, (192, 160, 320), block, num_warps=warps, num_stages=stages)


@pytest.mark.parametrize("name", ["int8", "fp8e5", "fp32"])
@pytest.mark.parametrize("turned", TURNED)
@pytest.mark.parametrize("shape", [(129, 131, 193), (64, 255, 65), (200, 127, 64), (1, 67, 3)])
@pytest.mark.parametrize("offset, pads", [(0, (0, 0)), (1, (0, 1)), (4, (3, 4)), (16, (16, 8))])
def test_rows_that_begin_anywhere(device, name, turned, shape, offset, pads):
    run(device, name, turned, shape, (64, 64, 64), offset, pads)


@eft.jit
def combine(
    a_ptr, b_ptr, out_ptr, k, KIND: tl.constexpr, SIZE: tl.constexpr, BK: tl.constexpr,
    STAGES: tl.constexpr,
):  # fmt: skip
    """Scales the sum, uses a factor in two products, or reduces a product."""
    i, j = tl.arange(0, SIZE), tl.arange(0, BK)
    one = tl.zeros((SIZE, SIZE), tl.float32)
    other = tl.zeros((SIZE, SIZE), tl.float32)
    for start in tl.range(0, k, BK, num_stages=STAGES):
        a = tl.load(a_ptr + i[:, None] * k + start + j[None, :])
        b = tl.load(b_ptr + (start + j[:, None]) * SIZE + i[None, :])
        if KIND == "scaled":
            one = tl.dot(a, b, one * 2)
        elif KIND == "twice":
            one = tl.dot(a, b, one)
            other = tl.dot(a * 2, b, other)
        elif KIND == "both turned":
            one = tl.dot(a, b, one)
            other = tl.dot(b.T, a.T, other)
        else:
            one += tl.max(tl.dot(a, b), 1)[:, None]
    tl.store(out_ptr + i[:, None] * SIZE + i[None, :], one + other)


@pytest.mark.parametrize("kind", ["scaled", "twice", "both turned", "reduced"])
@pytest.mark.parametrize("stages", [1, 2, 4])
@pytest.mark.parametrize("steps", [0, 1, 2, 5])
def test_loops_of_other_forms(device, kind, stages, steps):
    size, bk = 64, 32
    a, b = factor((size, steps * bk), "fp32", 1), factor((steps * bk, size), "fp32", 2)
    one, other = np.zeros((size, size)), np.zeros((size, size))
    for start in range(0, steps * bk, bk):
        product = a[:, start : start + bk] @ b[start : start + bk]
        if kind == "scaled":
            one = one * 2 + product
        elif kind == "reduced":
            one += product.max(1)[:, None]
        else:
            one += product
        if kind == "twice":
            other += 2 * product
        elif kind == "both turned":
            other += product.T
    placed = [device.put(x.astype(np.float32)) for x in (a, b)]
    out = device.put(np.full((size, size), np.nan, np.float32))
    combine[(1,)](*placed, out, steps * bk, KIND=kind, SIZE=size, BK=bk, STAGES=stages)
    assert_same_bits(device.get(out), (one + other).astype(np.float32))


@eft.jit
def persistent(
    a_ptr, b_ptr, c_ptr, m, n, k, FLATTEN: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
    BK: tl.constexpr, PROGRAMS: tl.constexpr,
):  # fmt: skip
    """c = a @ b for whole tiles. A program computes every PROGRAMS-th tile."""
    across = n // BN
    inner = tl.arange(0, BK)
    for tile in tl.range(tl.program_id(0), m // BM * across, PROGRAMS, flatten=FLATTEN):
        rows = tile // across * BM + tl.arange(0, BM)
        columns = tile % across * BN + tl.arange(0, BN)
        total = tl.zeros((BM, BN), c_ptr.dtype.element_ty)
        for start in range(0, k, BK):
            a = tl.load(a_ptr + rows[:, None] * k + (start + inner)[None, :])
            b = tl.load(b_ptr + (start + inner)[:, None] * n + columns[None, :])
            total = tl.dot(a, b, total)
        tl.store(c_ptr + rows[:, None] * n + columns[None, :], total)


@pytest.mark.parametrize("name", ["int8", "fp32"])
@pytest.mark.parametrize("flatten", [False, True])
@pytest.mark.parametrize("programs", [1, 3])
@pytest.mark.parametrize("k", [32, 64, 192])
def test_persistent_programs(device, name, flatten, programs, k):
    m, n = 256, 192
    a, b = factor((m, k), name, 3), factor((k, n), name, 4)
    placed = [device.put(codes(x, name)) for x in (a, b)]
    out = device.put(np.full((m, n), 77, TYPES[name][1]))
    persistent[(programs,)](
        *placed, out, m, n, k, FLATTEN=flatten, BM=64, BN=64, BK=32, PROGRAMS=programs
    )
    assert_same_bits(device.get(out), (a @ b).astype(TYPES[name][1]))
