# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transposed copies: the array that is loaded is contiguous along the block's rows, and the array
that is stored is contiguous along the block's columns."""

import eft
import eft.language as tl
import numpy as np
import pytest


@eft.jit
def transpose(x_ptr, y_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    inside = (m[:, None] < M) & (n[None, :] < N)
    x = tl.load(x_ptr + m[:, None] * N + n[None, :], mask=inside)
    tl.store(y_ptr + n[None, :] * M + m[:, None], x, mask=inside)


@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32, np.float64])
@pytest.mark.parametrize("blocks", [(64, 64), (32, 128), (128, 16)])
@pytest.mark.parametrize("num_warps", [1, 4, 8])
@pytest.mark.parametrize("shape", [(128, 256), (100, 131)])
def test_transposed_copy(device, shape, num_warps, blocks, dtype):
    x = np.random.default_rng(0).integers(-100, 100, shape).astype(dtype)
    y = device.put(np.zeros(shape[::-1], dtype))
    grid = (eft.cdiv(shape[0], blocks[0]), eft.cdiv(shape[1], blocks[1]))
    arguments = {"BLOCK_M": blocks[0], "BLOCK_N": blocks[1], "num_warps": num_warps}
    transpose[grid](device.put(x), y, *shape, **arguments)
    np.testing.assert_array_equal(device.get(y), x.T)
