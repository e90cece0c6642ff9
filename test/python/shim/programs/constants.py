# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that use values known at compile time."""

import numpy as np
import triton
import triton.language as tl
from arrays import normal, zeros
from program import launched

FACTOR = tl.constexpr(3)
NAMES = tl.constexpr(("a", "b"))


@launched(
    zeros(8, dtype="int32"), 5, expected=lambda out: np.array([8, 2, 1, 25, 1, 0, 3, 32], "int32")
)
@triton.jit
def computes_while_compiling(out_ptr, N: tl.constexpr):
    POWER: tl.constexpr = 2**N
    tl.store(out_ptr, N + FACTOR)
    tl.store(out_ptr + 1, N // 2)
    tl.store(out_ptr + 2, N % 2)
    tl.store(out_ptr + 3, N * N)
    tl.store(out_ptr + 4, (N > 3 and FACTOR == 3) + 0)
    tl.store(out_ptr + 5, (N < 3 or not FACTOR) + 0)
    tl.store(out_ptr + 6, triton.cdiv(N, 2))
    tl.store(out_ptr + 7, POWER)
    tl.static_assert(POWER == 32, "five twos")
    tl.static_assert(len(NAMES) == 2 and NAMES[1] == "b")


@triton.constexpr_function
def _largest_power(n):
    return 1 << (n.bit_length() - 1)


@launched(
    zeros(64, dtype="int32"), 37,
    expected=lambda out: np.where(np.arange(64) < 32, np.arange(64), 0).astype("int32"),
)  # fmt: skip
@triton.jit
def calls_python_while_compiling(out_ptr, N: tl.constexpr):
    BLOCK: tl.constexpr = _largest_power(N)
    offsets = tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, offsets)


@triton.jit
def _halve(x):
    return x / 2


@triton.jit
def chosen_by_constants(x_ptr, out_ptr, bias_ptr, TYPE: tl.constexpr, FUNCTION: tl.constexpr):
    offsets = tl.arange(0, 64)
    x = tl.load(x_ptr + offsets).to(TYPE)
    if bias_ptr is not None:
        x += tl.load(bias_ptr + offsets).to(TYPE)
    if FUNCTION is not None:
        x = FUNCTION(x)
    tl.store(out_ptr + offsets, x)


launched(
    normal(64), zeros(64, dtype="float16"), None, tl.float16, _halve, case="function",
    expected=lambda x, out: x.astype("float16") / 2,
)(chosen_by_constants)  # fmt: skip
launched(
    normal(64), normal(64, seed=1), normal(64, seed=1), tl.float32, None, case="none",
    expected=lambda x, out, bias: (x + bias, bias),
)(chosen_by_constants)  # fmt: skip


@launched(
    zeros(4, dtype="int32"), ACTIVATION="relu", SHAPE=(2, 2), EXTRA=(1, (2, 3)),
    expected=lambda out: np.array([7, 7, 7, 7], "int32"),
)  # fmt: skip
@triton.jit
def gets_texts_and_tuples(
    out_ptr, ACTIVATION: tl.constexpr, SHAPE: tl.constexpr, EXTRA: tl.constexpr
):
    value = tl.full(SHAPE, 1 if ACTIVATION == "relu" else 0, tl.int32)
    value = value + EXTRA[0] + EXTRA[1][0] + EXTRA[1][1]
    tl.store(out_ptr + tl.arange(0, 2)[:, None] * 2 + tl.arange(0, 2)[None, :], value)


@launched(zeros(3), 1, 1.5, True, flag=False, expected=lambda out: np.array([1, 1.5, 1], "float32"))
@triton.jit
def takes_numbers(out_ptr, i, x, yes, flag, DEFAULT: tl.constexpr = 4):
    tl.static_assert(DEFAULT == 4)
    tl.store(out_ptr, i)
    tl.store(out_ptr + 1, x)
    if yes:
        tl.store(out_ptr + 2, 1.0)
    if flag:
        tl.store(out_ptr + 2, 5.0)


@launched(
    normal(64), zeros(64), 0.5, expected=lambda x, out: (x * np.float32(0.5)).astype("float32")
)
@triton.jit
def is_annotated(x_ptr: "tl.pointer_type", out_ptr, scale: tl.float32, N: tl.constexpr = 64):
    offsets: tl.tensor = tl.arange(0, N)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets) * scale)
