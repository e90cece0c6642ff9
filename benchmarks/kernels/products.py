# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices.

`common.load_kernels` defines `jit` and `tl` in this module before the kernels.
"""


@jit
def multiply(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP: tl.constexpr,
):
    """C = A B for row-major matrices without gaps between rows. M, N and K must be multiples of
    BLOCK_M, BLOCK_N and BLOCK_K. To use the cache well, C is divided into groups of GROUP rows of
    blocks. Consecutive programs compute the blocks of one group, column by column."""
    across = tl.cdiv(N, BLOCK_N)
    program = tl.program_id(0)
    group = program // (GROUP * across)
    rows = tl.minimum(tl.cdiv(M, BLOCK_M) - group * GROUP, GROUP)
    within = program % (GROUP * across)
    m = (group * GROUP + within % rows) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = within // rows * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    a_offsets = m[:, None] * K + k[None, :]
    b_offsets = k[:, None] * N + n[None, :]
    sums = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for _ in range(0, K, BLOCK_K):
        sums = tl.dot(tl.load(a_ptr + a_offsets), tl.load(b_ptr + b_offsets), sums)
        a_ptr += BLOCK_K
        b_ptr += BLOCK_K * N
    c = sums.to(c_ptr.dtype.element_ty)
    tl.store(c_ptr + m[:, None] * N + n[None, :], c)


@jit
def multiply_strided(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    a_row,
    a_column,
    b_row,
    b_column,
    c_row,
    c_column,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP: tl.constexpr,
    SUM: tl.constexpr = tl.float32,
):
    """C = A B for matrices of any size and strides, in the form of Triton's tutorial. The row
    indices of A and the column indices of B wrap around at the end of the matrix, by `%`. A mask
    excludes elements beyond K. The loop carries blocks of pointers."""
    program = tl.program_id(axis=0)
    across = tl.cdiv(N, BLOCK_N)
    in_group = GROUP * across
    first = program // in_group * GROUP
    rows = min(tl.cdiv(M, BLOCK_M) - first, GROUP)
    program_m = first + (program % in_group) % rows
    program_n = (program % in_group) // rows
    m = (program_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    n = (program_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (m[:, None] * a_row + k[None, :] * a_column)
    b_ptrs = b_ptr + (k[:, None] * b_row + n[None, :] * b_column)
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=SUM)
    for step in range(0, tl.cdiv(K, BLOCK_K)):
        left = K - step * BLOCK_K
        a = tl.load(a_ptrs, mask=k[None, :] < left, other=0.0)
        b = tl.load(b_ptrs, mask=k[:, None] < left, other=0.0)
        sums = tl.dot(a, b, sums, out_dtype=SUM)
        a_ptrs += BLOCK_K * a_column
        b_ptrs += BLOCK_K * b_row
    c = sums.to(c_ptr.dtype.element_ty)
    m = program_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = program_n * BLOCK_N + tl.arange(0, BLOCK_N)
    c_ptrs = c_ptr + c_row * m[:, None] + c_column * n[None, :]
    tl.store(c_ptrs, c, mask=(m[:, None] < M) & (n[None, :] < N))
