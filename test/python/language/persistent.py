# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Persistent kernels for products of matrices, in their usual forms: with pointers, and with tensor
descriptors. Each of a fixed number of programs computes several tiles, one after the other."""

import eft
import eft.language as tl


@eft.jit
def tile_at(number, across, rows, GROUP: tl.constexpr):
    """The row and the column of a tile. Tiles are numbered in groups of GROUP rows of tiles."""
    in_group = GROUP * across
    first = number // in_group * GROUP
    height = min(rows - first, GROUP)
    return first + number % height, number % in_group // height


@eft.jit
def by_pointers(
    a_ptr, b_ptr, c_ptr, m, n, k, a_row, a_column, b_row, b_column, c_row, c_column,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
    PROGRAMS: tl.constexpr, FLATTEN: tl.constexpr,
):  # fmt: skip
    """c = a @ b. After its product, a tile's place in c is computed anew from the tile's number."""
    rows, across = tl.cdiv(m, BM), tl.cdiv(n, BN)
    stored = tl.program_id(0) - PROGRAMS
    inner = tl.arange(0, BK)
    for number in tl.range(tl.program_id(0), rows * across, PROGRAMS, flatten=FLATTEN):
        row, column = tile_at(number, across, rows, GROUP)
        of_a = row * BM + tl.arange(0, BM)
        of_b = column * BN + tl.arange(0, BN)
        of_a = tl.where(of_a < m, of_a, 0)
        of_b = tl.where(of_b < n, of_b, 0)
        of_a = tl.max_contiguous(tl.multiple_of(of_a, BM), BM)
        of_b = tl.max_contiguous(tl.multiple_of(of_b, BN), BN)
        total = tl.zeros((BM, BN), tl.float32)
        for step in range(tl.cdiv(k, BK)):
            along = step * BK + inner
            a_block = a_ptr + of_a[:, None] * a_row + along[None, :] * a_column
            b_block = b_ptr + along[:, None] * b_row + of_b[None, :] * b_column
            a = tl.load(a_block, mask=inner[None, :] < k - step * BK, other=0.0)
            b = tl.load(b_block, mask=inner[:, None] < k - step * BK, other=0.0)
            total = tl.dot(a, b, total)
        stored += PROGRAMS
        row, column = tile_at(stored, across, rows, GROUP)
        of_a = row * BM + tl.arange(0, BM)
        of_b = column * BN + tl.arange(0, BN)
        inside = (of_a[:, None] < m) & (of_b[None, :] < n)
        place = c_ptr + c_row * of_a[:, None] + c_column * of_b[None, :]
        tl.store(place, total.to(c_ptr.dtype.element_ty), mask=inside)


@eft.jit
def by_descriptors(
    a_desc, b_desc, c_desc, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    GROUP: tl.constexpr, PROGRAMS: tl.constexpr, HALVES: tl.constexpr, FLATTEN: tl.constexpr,
    SPECIALIZE: tl.constexpr,
):  # fmt: skip
    """c = a @ b.T. With HALVES, a tile is stored as two halves, each a block of c's descriptor."""
    rows, across = tl.cdiv(m, BM), tl.cdiv(n, BN)
    for number in tl.range(
        tl.program_id(0), rows * across, PROGRAMS, flatten=FLATTEN, warp_specialize=SPECIALIZE
    ):
        row, column = tile_at(number, across, rows, GROUP)
        total = tl.zeros((BM, BN), tl.float32)
        for step in range(tl.cdiv(k, BK)):
            a = a_desc.load([row * BM, step * BK])
            b = b_desc.load([column * BN, step * BK])
            total = tl.dot(a, b.T, total)
        if HALVES:
            parts = tl.permute(tl.reshape(total, (BM, 2, BN // 2)), (0, 2, 1))
            left, right = tl.split(parts)
            c_desc.store([row * BM, column * BN], left.to(c_desc.dtype))
            c_desc.store([row * BM, column * BN + BN // 2], right.to(c_desc.dtype))
        else:
            c_desc.store([row * BM, column * BN], total.to(c_desc.dtype))


@eft.jit
def with_own_descriptors(
    a_ptr, b_ptr, c_ptr, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    GROUP: tl.constexpr, PROGRAMS: tl.constexpr, HALVES: tl.constexpr, FLATTEN: tl.constexpr,
    SPECIALIZE: tl.constexpr,
):  # fmt: skip
    """Computes what `by_descriptors` does, with descriptors that the kernel makes."""
    a_desc = tl.make_tensor_descriptor(a_ptr, [m, k], [k, 1], [BM, BK])
    b_desc = tl.make_tensor_descriptor(b_ptr, [n, k], [k, 1], [BN, BK])
    c_desc = tl.make_tensor_descriptor(c_ptr, [m, n], [n, 1], [BM, BN // 2 if HALVES else BN])
    by_descriptors(
        a_desc, b_desc, c_desc, m, n, k, BM, BN, BK, GROUP, PROGRAMS, HALVES, FLATTEN, SPECIALIZE
    )
