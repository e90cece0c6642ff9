# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that access arrays by tensor descriptors."""

import numpy as np
import triton
import triton.language as tl
from arrays import normal, zeros
from program import launched, program, raised
from triton.tools.tensor_descriptor import TensorDescriptor


def _allocate(size: int, alignment: int, stream):
    import torch

    return torch.empty(size, device="cuda", dtype=torch.int8)


triton.set_allocator(_allocate)


@launched(normal(100, 64), zeros(100, 64), 100, 64, grid=(4, 2), expected=lambda x, out: x + 1)
@triton.jit
def describes_arrays_itself(x_ptr, out_ptr, M, N):
    x = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [32, 32])
    out = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[N, 1], block_shape=[32, 32])
    row, column = tl.program_id(0) * 32, tl.program_id(1) * 32
    out.store([row, column], x.load([row, column]) + 1.0)


@launched(
    normal(100, 64), zeros(64, 64), 100, 64,
    expected=lambda x, out: np.concatenate([x[80:], np.zeros((44, 64), "float32")]),
)  # fmt: skip
@triton.jit
def reads_zeros_beyond_the_end(x_ptr, out_ptr, M, N):
    x = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [64, 64])
    offsets = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    tl.store(out_ptr + offsets, tl.load_tensor_descriptor(x, [80, 0]))


@triton.jit
def _doubles(x, out, BLOCK: tl.constexpr):
    tl.static_assert(x.block_shape[0] == BLOCK)
    row = tl.program_id(0) * BLOCK
    out.store([row, 0], x.load([row, 0]) * 2)


@program
def gets_descriptors(device):
    x = normal(96, 32, dtype="float16")
    given, out = device.put(x), device.put(zeros(96, 32, dtype="float16"))
    source = TensorDescriptor(given, [96, 32], [32, 1], [32, 32])
    target = TensorDescriptor.from_tensor(out, [32, 32])
    _doubles[(3,)](source, target, 32)
    return device.get(out), x * 2


@program
def checks_descriptors(device):
    x = device.put(zeros(96, 32))
    return [
        raised(AssertionError, "", lambda: TensorDescriptor(x, [96, 32], [32], [32, 32])),
        raised(AssertionError, "", lambda: TensorDescriptor(x, [96, 32], [32, 2], [32, 32])),
        (list(TensorDescriptor.from_tensor(x, [8, 8]).strides), [32, 1]),
    ]
