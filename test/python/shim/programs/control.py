# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with branches, loops and calls."""

from typing import NamedTuple

import numpy as np
import triton
import triton.language as tl
from arrays import integers, normal, zeros
from program import launched


@launched(zeros(8, dtype="int32"), 10, expected=lambda out: np.array(
    [sum(range(10)), sum(range(2, 10)), sum(range(1, 10, 3)), sum(range(10, 1, -2)), 0, 0, 0, 0],
    "int32",
))  # fmt: skip
@triton.jit
def repeats(out_ptr, n):
    total = 0
    for i in range(n):
        total += i
    tl.store(out_ptr, total)
    total = 0
    for i in range(2, n):
        total += i
    tl.store(out_ptr + 1, total)
    total = 0
    for i in tl.range(1, n, 3, num_stages=2):
        total += i
    tl.store(out_ptr + 2, total)
    total = 0
    for i in range(n, 1, -2):
        total += i
    tl.store(out_ptr + 3, total)
    total = 0
    for i in range(n, 0):
        total += i
    tl.store(out_ptr + 4, total)


@launched(zeros(4, dtype="int32"), 27, expected=lambda out: np.array([111, 9232, 0, 0], "int32"))
@triton.jit
def repeats_while(out_ptr, n):
    steps = 0
    most = n
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        most = max(most, n)
        steps += 1
    tl.store(out_ptr, steps)
    tl.store(out_ptr + 1, most)


@launched(
    integers(16), zeros(16, dtype="int32"), grid=(16,),
    expected=lambda x, out: np.where(x < -50, -1, np.where(x < 0, 0, np.where(x == 7, 7, x * 2))),
)  # fmt: skip
@triton.jit
def chooses_among_many(x_ptr, out_ptr):
    i = tl.program_id(0)
    x = tl.load(x_ptr + i)
    if x < -50:
        y = -1
    elif x < 0:
        y = 0
    elif x == 7:
        y = 7
    else:
        y = x * 2
    tl.store(out_ptr + i, y)


@launched(
    integers(16), zeros(16, dtype="int32"), grid=(16,),
    expected=lambda x, out: np.where(x < 0, 0, np.minimum(x, 50)),
)  # fmt: skip
@triton.jit
def returns_early(x_ptr, out_ptr):
    i = tl.program_id(0)
    x = tl.load(x_ptr + i)
    if x < 0:
        return
    tl.store(out_ptr + i, x if x < 50 else 50)


@launched(zeros(64), expected=lambda out: np.arange(64, dtype="float32") * 6 + 10)
@triton.jit
def unrolls(out_ptr):
    offsets = tl.arange(0, 64)
    y = tl.zeros((64,), tl.float32)
    for i in tl.static_range(4):
        if i % 2 == 0:
            y += offsets * i
        else:
            y += offsets * i + 5 * (i // 2 + 1) - i // 2 * 5
    tl.store(out_ptr + offsets, y)


@triton.jit
def _twice_and_sum(x, y=1.0, SCALE: tl.constexpr = 2):
    return x * SCALE, x + y


@triton.jit
def _through(x):
    doubled, added = _twice_and_sum(x, SCALE=3)
    return _twice_and_sum(doubled, y=added)


@launched(
    normal(64), zeros(64), zeros(64), bound=1e-6,
    expected=lambda x, *_: (x * 6, x * 3 + (x + 1)),
)  # fmt: skip
@triton.jit
def calls_functions(x_ptr, first_ptr, second_ptr):
    offsets = tl.arange(0, 64)
    first, second = _through(tl.load(x_ptr + offsets))
    tl.store(first_ptr + offsets, first)
    tl.store(second_ptr + offsets, second)


@triton.jit
def _sign(x):
    if x > 0:
        return 1
    else:
        return -1


@launched(
    integers(8, low=1) - 50, zeros(8, dtype="int32"), grid=(8,),
    expected=lambda x, out: np.where(x > 0, 1, -1).astype("int32"),
)  # fmt: skip
@triton.jit
def returns_from_both_sides(x_ptr, out_ptr):
    i = tl.program_id(0)
    tl.store(out_ptr + i, _sign(tl.load(x_ptr + i)))


@launched(zeros(64), 5, expected=lambda out: np.full(64, 120, "float32"))
@triton.jit
def carries_several_values(out_ptr, n):
    block = tl.full((64,), 1.0, tl.float32)
    i = 1
    pointer = out_ptr + tl.arange(0, 64)
    while i <= n:
        block = block * i
        i += 1
    tl.store(pointer, block)


@launched(zeros(16, dtype="int32"), 4, expected=lambda out: _table())
@triton.jit
def nests_loops(out_ptr, n):
    for i in range(n):
        for j in range(i, n):
            if i != j:
                tl.store(out_ptr + i * n + j, i * 10 + j)


def _table():
    i, j = np.indices((4, 4))
    return np.where(i < j, i * 10 + j, 0).astype("int32").reshape(16)


@launched(zeros(4, dtype="int32"), 3, 5, expected=lambda out: np.array([1, 1, 0, 1], "int32"))
@triton.jit
def combines_conditions(out_ptr, a, b):
    if a < b and b < 10:
        tl.store(out_ptr, 1)
    if a > b or b == 5:
        tl.store(out_ptr + 1, 1)
    if not (a < b):
        tl.store(out_ptr + 2, 1)
    if (a == 3) & (b != 3):
        tl.store(out_ptr + 3, 1)


class Pair(NamedTuple):
    low: tl.tensor
    high: tl.tensor


@triton.jit
def _ordered(pair):
    return Pair(tl.minimum(pair.low, pair.high), high=tl.maximum(pair.low, pair.high))


@launched(
    normal(32), normal(32, seed=1), zeros(32),
    expected=lambda x, y, out: np.maximum(x, y) - np.minimum(x, y),
)  # fmt: skip
@triton.jit
def passes_named_tuples(x_ptr, y_ptr, out_ptr):
    offsets = tl.arange(0, 32)
    pair = _ordered(Pair(tl.load(x_ptr + offsets), tl.load(y_ptr + offsets)))
    tl.store(out_ptr + offsets, pair.high - pair.low)


@launched(zeros(4, dtype="int32"), expected=lambda out: np.array([6, 3, 2, 24], "int32"))
@triton.jit
def takes_tuples_apart(out_ptr):
    numbers = (1, 2, 3)
    total = 0
    for i in tl.static_range(len(numbers)):
        total += numbers[i]
    first, _ = (3, 2), 0
    tl.store(out_ptr, total)
    tl.store(out_ptr + 1, first[0])
    tl.store(out_ptr + 2, first[1])
    tl.store(out_ptr + 3, numbers[2] * 8)
