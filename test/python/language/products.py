# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The usual kernel for a product of matrices, for tests of its loop."""

import eft
import eft.language as tl


@eft.jit
def matmul(
    a_ptr,
    b_ptr,
    c_ptr,
    m,
    n,
    k,
    a_row,
    a_column,
    b_row,
    b_column,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    """c = a @ b, summed in the type of c. Rows and columns wrap around, and k is masked."""
    rows = (tl.program_id(0) * BM + tl.arange(0, BM)) % m
    columns = (tl.program_id(1) * BN + tl.arange(0, BN)) % n
    inner = tl.arange(0, BK)
    a_block = a_ptr + rows[:, None] * a_row + inner[None, :] * a_column
    b_block = b_ptr + inner[:, None] * b_row + columns[None, :] * b_column
    total = tl.zeros((BM, BN), c_ptr.dtype.element_ty)
    for start in range(0, tl.cdiv(k, BK)):
        a = tl.load(a_block, mask=inner[None, :] < k - start * BK, other=0)
        b = tl.load(b_block, mask=inner[:, None] < k - start * BK, other=0)
        total = tl.dot(a, b, total)
        a_block += BK * a_column
        b_block += BK * b_row
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inside = (rows[:, None] < m) & (columns[None, :] < n)
    tl.store(c_ptr + rows[:, None] * n + columns[None, :], total, mask=inside)
