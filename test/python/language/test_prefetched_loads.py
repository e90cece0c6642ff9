# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops without matrix products under `tl.range(num_stages=…)`. A GPU loads the blocks of the next
iteration before it computes this one, unless a store of this iteration may write them. Results are
the same as without stages."""

import eft
import eft.language as tl
import numpy as np
import pytest
from support import assert_same_bits

DTYPES = ["int8", "int32", "int64", "float16", "float32", "float64"]


def numbers(shape, dtype, seed=1):
    """Small integers, of which every sum is exact."""
    return np.random.default_rng(seed).integers(-2, 3, shape).astype(dtype)


@eft.jit
def rows(x_ptr, y_ptr, out_ptr, first, last, step, columns, stride, behind,
         N: tl.constexpr, STAGES: tl.constexpr):  # fmt: skip
    """Stores 2 x + y of each row, `behind` rows further down in `out`."""
    column = tl.arange(0, N)
    for row in tl.range(first, last, step, num_stages=STAGES):
        inside = column < columns
        x = tl.load(x_ptr + row * stride + column, mask=inside, other=1)
        y = tl.load(y_ptr + row * stride + column, mask=inside)
        tl.store(out_ptr + (row + behind) * stride + column, x + x + y, mask=inside)


ROWS = [
    (0, 0, 1),
    (3, 3, 1),
    (4, 3, 1),
    (0, 1, 1),
    (0, 2, 1),
    (0, 9, 1),
    (1, 9, 3),
    (8, -1, -1),
    (7, 1, -4),
]


@pytest.mark.parametrize("bounds", ROWS)
@pytest.mark.parametrize("stages", [1, 2, 4])
@pytest.mark.parametrize("columns, stride, warps", [(64, 64, 4), (37, 41, 1), (48, 64, 2)])
def test_rows(device, bounds, stages, columns, stride, warps):
    x, y = numbers((9, stride), "float32"), numbers((9, stride), "float32", 2)
    out = device.put(np.full((9, stride), 7, np.float32))
    rows[1](device.put(x), device.put(y), out, *bounds, columns, stride, 0, N=64, STAGES=stages,
            num_warps=warps)  # fmt: skip
    expected = np.full((9, stride), 7, np.float32)
    for row in range(*bounds):
        expected[row, :columns] = (x[row] + x[row] + y[row])[:columns]
    assert_same_bits(device.get(out), expected)


@eft.jit
def sums_of_parts(x_ptr, bounds_ptr, out_ptr, N: tl.constexpr, STAGES: tl.constexpr):
    """Each program sums the rows between two bounds that it loads."""
    part = tl.program_id(0)
    first, last = tl.load(bounds_ptr + part), tl.load(bounds_ptr + part + 1)
    column = tl.arange(0, N)
    total = tl.zeros((N,), tl.float32)
    for row in tl.range(first, last, num_stages=STAGES):
        x = tl.load(x_ptr + row * N + column)
        total += x + tl.max(x, 0)
    tl.store(out_ptr + part * N + column, total)


@pytest.mark.parametrize("stages", [1, 2, 4])
@pytest.mark.parametrize("warps", [1, 4])
def test_loaded_bounds(device, stages, warps):
    bounds = np.array([0, 3, 3, 4, 2, 9], np.int32)
    x, out = numbers((9, 64), "float32"), device.put(np.full((5, 64), np.nan, np.float32))
    sums_of_parts[5](device.put(x), device.put(bounds), out, N=64, STAGES=stages, num_warps=warps)
    each = x + x.max(1, keepdims=True)
    expected = [each[a:b].sum(0) for a, b in zip(bounds[:-1], bounds[1:], strict=True)]
    assert_same_bits(device.get(out), np.array(expected, np.float32))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("stages", [1, 3])
def test_types(device, dtype, stages):
    x, y = numbers((6, 256), dtype), numbers((6, 256), dtype, 2)
    out = device.put(np.zeros((6, 256), dtype))
    rows[1](device.put(x), device.put(y), out, 0, 6, 1, 256, 256, 0, N=256, STAGES=stages)
    assert_same_bits(device.get(out), x + x + y)


@pytest.mark.parametrize("behind", [0, 1, 2, 3])
@pytest.mark.parametrize("stages", [1, 2, 4])
@pytest.mark.parametrize("apart", [False, True])
def test_a_row_may_have_been_stored_by_an_earlier_iteration(device, behind, stages, apart):
    x, y = numbers((12, 32), "int32"), numbers((12, 32), "int32", 2)
    source = device.put(x)
    out = device.put(x) if apart else source
    rows[1](source, device.put(y), out, 0, 9, 1, 32, 32, behind, N=32, STAGES=stages, num_warps=1)
    stored = x.copy()
    for row in range(9):
        loaded = x[row] if apart else stored[row].copy()
        stored[row + behind] = loaded + loaded + y[row]
    assert_same_bits(device.get(out), stored)


@pytest.mark.parametrize("gap", [0, 1, 31, 32, 33])
def test_arrays_that_touch(device, gap):
    """The output begins `gap` elements behind the end of the input, in the same array."""
    x, y = numbers(4 * 32, "int32"), numbers((4, 32), "int32", 2)
    together = device.put(np.concatenate([x, np.zeros(4 * 32 + gap, np.int32)]))
    rows[1](together, device.put(y), together[4 * 32 + gap :], 0, 4, 1, 32, 32, 0, N=32, STAGES=2)
    got = device.get(together)
    assert_same_bits(got[4 * 32 + gap :].reshape(4, 32), 2 * x.reshape(4, 32) + y)
    assert_same_bits(got[: 4 * 32], x)


@eft.jit
def forms(x_ptr, index_ptr, out_ptr, count, FORM: tl.constexpr, STAGES: tl.constexpr):
    column = tl.arange(0, 32)
    total = tl.zeros((32,), tl.int32)
    last = tl.full((32,), -1, tl.int32)
    at = x_ptr + column
    for turn in tl.range(count, num_stages=STAGES):
        x = tl.load(x_ptr + turn * 32 + column)
        if FORM == "carried address":
            x += tl.load(at)
            at += 32
        elif FORM == "loaded address":
            x += tl.load(x_ptr + tl.load(index_ptr + turn) * 32 + column)
        elif FORM == "scalar":
            x += tl.load(index_ptr + turn)
        elif FORM == "conditional":
            if turn % 2 == 1:
                x += tl.load(index_ptr + turn)
        elif FORM == "mask of a loaded block":
            x += tl.load(x_ptr + turn * 32 + column, mask=x > 0, other=5)
        elif FORM == "volatile":
            x += tl.load(x_ptr + turn * 32 + column, volatile=True)
        elif FORM == "reduced":
            x += tl.sum(x) + tl.cumsum(x)
        elif FORM == "inner loop":
            for inner in tl.range(turn, num_stages=STAGES):
                x += tl.load(x_ptr + inner * 32 + column)
        elif FORM == "atomic":
            tl.atomic_add(index_ptr + turn, 1)
        elif FORM == "barrier":
            tl.debug_barrier()
        if FORM == "after":
            last = tl.load(x_ptr + turn * 32 + column)
        total = total * 3 + x
    tl.store(out_ptr + column, total + last)


FORMS = ["carried address", "loaded address", "scalar", "conditional", "mask of a loaded block",
         "volatile", "reduced", "inner loop", "atomic", "barrier", "after"]  # fmt: skip


def expected_of(form, x, index):
    total, last = np.zeros(32, np.int32), np.full(32, -1, np.int32)
    for turn in range(len(index)):
        row = x[turn].copy()
        if form in ("carried address", "volatile"):
            row += x[turn]
        elif form == "loaded address":
            row += x[index[turn]]
        elif form == "scalar" or (form == "conditional" and turn % 2 == 1):
            row += index[turn]
        elif form == "mask of a loaded block":
            row += np.where(row > 0, row, 5)
        elif form == "reduced":
            row += row.sum(dtype=np.int32) + row.cumsum(dtype=np.int32)
        elif form == "inner loop":
            row += x[:turn].sum(0, dtype=np.int32)
        elif form == "after":
            last = x[turn]
        total = total * 3 + row
    return total + last


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("stages", [1, 2])
@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_forms(device, form, stages, count):
    x = numbers((count, 32), "int32")
    index = np.random.default_rng(4).permutation(count).astype(np.int32)
    out = device.put(np.zeros(32, np.int32))
    arrays = [
        device.put(each) if count else device.put(np.zeros(1, np.int32)) for each in (x, index)
    ]
    forms[1](*arrays, out, count, FORM=form, STAGES=stages, num_warps=1)
    assert_same_bits(device.get(out), expected_of(form, x, index))


@eft.jit
def softmax(out_ptr, x_ptr, n_rows, n_cols, BLOCK: tl.constexpr, num_stages: tl.constexpr):
    for row in tl.range(tl.program_id(0), n_rows, tl.num_programs(0), num_stages=num_stages):
        column = tl.arange(0, BLOCK)
        inside = column < n_cols
        x = tl.load(x_ptr + row * n_cols + column, mask=inside, other=-float("inf"))
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(out_ptr + row * n_cols + column, e / tl.sum(e, axis=0), mask=inside)


@pytest.mark.parametrize("n_cols, warps", [(1, 1), (781, 4), (1024, 8), (4000, 4)])
@pytest.mark.parametrize("in_place", [False, True])
def test_softmax_by_persistent_programs(device, n_cols, warps, in_place):
    x = np.random.default_rng(1).standard_normal((37, n_cols), np.float32)
    results = []
    for stages in (1, 2, 4):
        source = device.put(x)
        out = source if in_place else device.put(np.zeros_like(x))
        block = eft.next_power_of_2(n_cols)
        softmax[5,](out, source, 37, n_cols, BLOCK=block, num_stages=stages, num_warps=warps)
        results.append(device.get(out))
    for result in results[1:]:
        assert_same_bits(result, results[0])
    e = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(results[0], e / e.sum(1, keepdims=True), rtol=1e-5)
