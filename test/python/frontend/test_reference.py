# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The orders in which `eft.reference` combines elements, as text with parentheses."""

import numpy as np
import pytest
from eft.reference import ReductionOrder, reduce_in_order, reduction_order, scan_in_order


@pytest.mark.parametrize(
    "shape, axis, itemsize, num_warps, steps, tree",
    [
        ((4096,), 0, 4, 4, 8, (2, 1, 64, 32, 16, 8, 4, 256, 128)),
        ((64,), 0, 4, 4, 1, (16, 8, 4, 2, 1, 32)),
        ((256,), 0, 4, 4, 1, (1, 32, 16, 8, 4, 2, 128, 64)),
        ((1024,), 0, 2, 1, 4, (4, 2, 1, 128, 64, 32, 16, 8)),
        ((64, 32), 1, 4, 4, 1, (2, 1, 16, 8, 4)),
        ((64, 32), 0, 4, 4, 4, (2, 1, 8, 4)),
        ((64, 2048), 0, 4, 4, 64, ()),
        ((1, 1), 0, 8, 4, 1, ()),
        ((2, 4, 8), -2, 8, 1, 1, (2, 1)),
    ],
)
def test_orders_of_reductions(shape, axis, itemsize, num_warps, steps, tree):
    assert reduction_order(shape, axis, itemsize, num_warps) == ReductionOrder(steps, tree)


@pytest.mark.parametrize(
    "shape, axis, num_warps, tree",
    [
        ((128, 64), 1, 4, (32, 16, 8, 1, 4, 2)),
        ((128, 64), -1, 8, (32, 16, 8, 1, 4, 2)),
        ((128, 64), 0, 4, (64, 8, 4, 2, 1, 32, 16)),
        ((256, 64), 0, 8, (64, 8, 4, 2, 1, 128, 32, 16)),
        ((32, 64), 1, 4, (16, 8, 1, 4, 2, 32)),
        ((16, 16), 1, 32, (1, 4, 2, 8)),
        ((16, 16), 0, 1, (8, 4, 2, 1)),
    ],
)
def test_orders_of_products(shape, axis, num_warps, tree):
    found = reduction_order(shape, axis, 4, num_warps, of_product=True)
    assert found == ReductionOrder(1, tree)


def letters(n: int) -> np.ndarray:
    return np.array([chr(ord("a") + i) for i in range(n)], dtype=object)


def joined(x, y):
    return "(" + x + y + ")"


def test_steps_come_one_after_the_other_and_the_rest_folds():
    # Elements of 8 bytes make vectors of 2. With 32 threads, a tree spans 64 of the 256 elements.
    x = np.repeat(letters(4), 64)[:256]
    text = reduce_in_order(x, 0, joined, num_warps=1)
    part = "(((ab)c)d)"
    for _ in range(6):
        part = f"({part}{part})"
    assert text == part


def test_the_highest_bit_folds_first():
    assert reduce_in_order(letters(8), 0, joined) == "(((ae)(cg))((bf)(dh)))"
    assert reduce_in_order(letters(8).reshape(4, 2), None, joined) == "(((ae)(cg))((bf)(dh)))"
    assert reduce_in_order(letters(8).reshape(4, 2), 0, joined).tolist() == [
        "((ae)(cg))",
        "((bf)(dh))",
    ]


def test_a_row_of_a_product_folds_registers_before_lanes():
    row = np.repeat(letters(16)[None], 16, 0)
    inner = "(((ai)(bj))((em)(fn)))", "(((ck)(dl))((go)(hp)))"
    assert reduce_in_order(row, 1, joined, of_product=True, num_warps=1)[0] == f"({''.join(inner)})"
    with pytest.raises(ValueError, match=r"product has two dimensions of at least 16, got \(8,\)"):
        reduction_order((8,), 0, 4, of_product=True)


def test_scans():
    assert scan_in_order(letters(4), 0, joined).tolist() == ["a", "(ab)", "((ab)c)", "((ab)(cd))"]
    assert scan_in_order(letters(4), 0, joined, reverse=True).tolist() == [
        "((dc)(ba))",
        "((dc)b)",
        "(dc)",
        "d",
    ]


def test_several_values():
    x = np.arange(8).reshape(2, 4)
    total, count = reduce_in_order((x, np.ones_like(x)), 1, lambda a, m, b, n: (a + b, m + n))
    assert total.tolist() == [6, 22] and count.tolist() == [4, 4]
    total, count = scan_in_order((x, np.ones_like(x)), 1, lambda a, m, b, n: (a + b, m + n))
    np.testing.assert_array_equal(total, np.cumsum(x, 1))
    np.testing.assert_array_equal(count, [[1, 2, 3, 4]] * 2)
