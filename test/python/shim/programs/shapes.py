# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that reshape blocks, and move their elements."""

import numpy as np
import triton
import triton.language as tl
from arrays import integers, normal, zeros
from program import launched


@triton.jit
def changes_shape(x_ptr, out_ptr, HOW: tl.constexpr):
    offsets = tl.arange(0, 64)
    x = tl.load(x_ptr + offsets)
    matrix = x.reshape(8, 8)
    if HOW == "trans":
        y = tl.trans(matrix).reshape(64)
    elif HOW == "permute":
        y = tl.permute(x.reshape(4, 2, 8), (2, 0, 1)).reshape(64)
    elif HOW == "flip":
        y = tl.flip(x, 0)
    elif HOW == "ravel":
        y = tl.ravel(matrix + 1.0)
    elif HOW == "split":
        even, odd = tl.split(x.reshape(32, 2))
        y = tl.join(odd, even).reshape(64)
    elif HOW == "interleave":
        even, odd = tl.split(x.reshape(32, 2))
        y = tl.interleave(odd, even)
    elif HOW == "cat":
        even, odd = tl.split(x.reshape(32, 2))
        y = tl.cat(tl.sort(even), tl.sort(odd), can_reorder=True)
        y = tl.sort(y)
    elif HOW == "broadcast":
        y = (tl.sum(matrix, 1)[:, None] + tl.zeros((8, 8), tl.float32)).reshape(64)
    elif HOW == "expand":
        row = tl.expand_dims(tl.max(matrix, 0), 0)
        y = tl.broadcast_to(row, (8, 8)).reshape(64)
    else:
        y = tl.gather(x, 63 - offsets, 0)
    tl.store(out_ptr + offsets, y)


def _pairs_exchanged(x):
    return x.reshape(32, 2)[:, ::-1].reshape(64)


for _how, _meaning in {
    "trans": lambda x: x.reshape(8, 8).T.reshape(64),
    "permute": lambda x: x.reshape(4, 2, 8).transpose(2, 0, 1).reshape(64),
    "flip": lambda x: x[::-1],
    "ravel": lambda x: x + 1,
    "split": _pairs_exchanged,
    "interleave": _pairs_exchanged,
    "cat": np.sort,
    "broadcast": lambda x: np.repeat(x.reshape(8, 8).sum(1), 8),
    "expand": lambda x: np.tile(x.reshape(8, 8).max(0), 8),
    "gather": lambda x: x[::-1],
}.items():
    launched(
        integers(64).astype("float32"), zeros(64), _how, case=_how,
        expected=lambda x, out, f=_meaning: f(x),
    )(changes_shape)  # fmt: skip


@launched(
    normal(16, 64), integers(16, 64, low=0, high=64), zeros(16, 64),
    expected=lambda x, places, out: np.take_along_axis(x, places, 1),
)  # fmt: skip
@triton.jit
def gathers_along_rows(x_ptr, places_ptr, out_ptr):
    offsets = tl.arange(0, 16)[:, None] * 64 + tl.arange(0, 64)[None, :]
    x = tl.load(x_ptr + offsets)
    tl.store(out_ptr + offsets, tl.gather(x, tl.load(places_ptr + offsets), 1))


@launched(zeros(4, 4, dtype="int32"), expected=lambda out: _swizzled())
@triton.jit
def orders_tiles_in_groups(out_ptr):
    for i in range(4):
        for j in range(4):
            row, column = tl.swizzle2d(i, j, 4, 4, 2)
            tl.store(out_ptr + row * 4 + column, i * 4 + j)


def _swizzled():
    found = np.zeros((4, 4), "int32")
    for number in range(16):
        group, within = divmod(number, 8)
        found[group * 2 + within % 2, within // 2] = number
    return found
