# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that the tests compile ahead of time."""

import triton
import triton.language as tl


@triton.jit
def mixed(x_ptr, y_ptr, n, factor, shift, negate, step, BLOCK: tl.constexpr):
    """y = factor * x + shift, negated if `negate`, for n elements with the stride `step`."""
    program = tl.program_id(0) + tl.num_programs(0) * tl.program_id(1)
    offsets = program * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets * step, mask=inside)
    y = factor * x + shift.to(tl.float32)
    tl.store(y_ptr + offsets * step, tl.where(negate, -y, y), mask=inside)


@triton.jit
def narrow(x_ptr, y_ptr, factor, n, BLOCK: tl.constexpr):
    """y = factor * x. The types of x and y can be any float types."""
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    y = x.to(tl.float32) * factor.to(tl.float32)
    tl.store(y_ptr + offsets, y, mask=offsets < n)


@triton.jit
def product(a_ptr, b_ptr, c_ptr, SIZE: tl.constexpr):
    """c = a @ b. On a GPU the kernel needs shared memory."""
    rows, columns = tl.arange(0, SIZE)[:, None], tl.arange(0, SIZE)[None, :]
    places = rows * SIZE + columns
    tl.store(c_ptr + places, tl.dot(tl.load(a_ptr + places), tl.load(b_ptr + places)))


@triton.jit
def long_product(a_ptr, b_ptr, c_ptr, turns, SIZE: tl.constexpr):
    """c = the sum of products a @ b. On a GPU, the loop is pipelined."""
    places = tl.arange(0, SIZE)[:, None] * SIZE + tl.arange(0, SIZE)[None, :]
    total = tl.zeros((SIZE, SIZE), tl.float32)
    for turn in range(turns):
        more = turn * SIZE * SIZE
        total = tl.dot(tl.load(a_ptr + places + more), tl.load(b_ptr + places + more), total)
    tl.store(c_ptr + places, total)


@triton.jit
def mark():
    pass


@triton.jit(debug=True)
def prints(n):
    tl.device_assert(n > 0)
    tl.device_print("n", n)


def helper(x):
    return x
