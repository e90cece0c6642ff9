# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A script in Triton's language that passes NumPy arrays to its kernels."""

import numpy as np
import triton
import triton.language as tl


@triton.jit
def seeded(x_ptr, output_ptr, n, p, seed, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    tl.store(
        output_ptr + offsets, tl.where(tl.rand(seed, offsets) > p, x / (1 - p), 0.0), mask=inside
    )


@triton.jit
def masked(x_ptr, keep_ptr, output_ptr, n, p, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, inside)
    keep = tl.load(keep_ptr + offsets, inside)
    tl.store(output_ptr + offsets, tl.where(keep != 0, x / (1 - p), 0), inside)


n = 1025
x = np.random.default_rng(3).standard_normal(n, dtype=np.float32)
with_seed, with_mask = np.full_like(x, np.nan), np.full_like(x, np.nan)
seeded[lambda meta: (triton.cdiv(n, meta["BLOCK_SIZE"]),)](
    x, with_seed, n, 0.25, -3, BLOCK_SIZE=128
)
keep = (with_seed != 0).astype(np.int32)
masked[(triton.cdiv(n, 256),)](x, keep, with_mask, n, 0.25, BLOCK_SIZE=256)
np.testing.assert_array_equal(with_seed, with_mask)
assert 0.7 < keep.mean() < 0.8
print("the same with a mask and a seed")
