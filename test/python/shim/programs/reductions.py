# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that reduce, scan and sort."""

import numpy as np
import triton
import triton.language as tl
from arrays import integers, normal, positive, zeros
from program import launched


@triton.jit
def reduces(x_ptr, out_ptr, NAME: tl.constexpr, AXIS: tl.constexpr):
    offsets = tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :]
    x = tl.load(x_ptr + offsets)
    tl.store(out_ptr + tl.arange(0, 32), getattr(tl, NAME)(x, axis=AXIS))


for _name, _meaning in {
    "sum": np.sum,
    "max": np.max,
    "min": np.min,
    "argmax": np.argmax,
    "argmin": np.argmin,
    "xor_sum": np.bitwise_xor.reduce,
}.items():
    for _axis in (0, 1):
        launched(
            integers(32, 32, high=20), zeros(32, dtype="int32"), _name, _axis,
            case=f"{_name}_{_axis}",
            expected=lambda x, out, f=_meaning, axis=_axis: f(x, axis=axis).astype("int32"),
        )(reduces)  # fmt: skip


@launched(
    normal(512), zeros(3), bound=1e-5,
    expected=lambda x, out: np.array([x.sum(), x.max(), np.square(x).sum()], "float32"),
)  # fmt: skip
@triton.jit
def reduces_to_numbers(x_ptr, out_ptr):
    x = tl.load(x_ptr + tl.arange(0, 512))
    tl.store(out_ptr, tl.sum(x))
    tl.store(out_ptr + 1, tl.max(x, axis=0))
    tl.store(out_ptr + 2, tl.sum(x * x, axis=0))


@launched(
    normal(16, 16), zeros(16, 16), bound=1e-6,
    expected=lambda x, out: x - x.max(1, keepdims=True) + x.sum(0, keepdims=True),
)  # fmt: skip
@triton.jit
def keeps_dimensions(x_ptr, out_ptr):
    offsets = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    x = tl.load(x_ptr + offsets)
    y = x - tl.max(x, axis=1, keep_dims=True) + tl.sum(x, axis=0, keep_dims=True)
    tl.store(out_ptr + offsets, y)


@launched(
    integers(64, high=5).astype("float32"), zeros(2), zeros(2, dtype="int32"),
    expected=lambda x, *_: (
        np.array([x.max(), x.min()]),
        np.array([x.argmax(), x.argmin()], "int32"),
    ),
)  # fmt: skip
@triton.jit
def extremes_with_their_first_places(x_ptr, value_ptr, place_ptr):
    x = tl.load(x_ptr + tl.arange(0, 64))
    most, where_most = tl.max(x, axis=0, return_indices=True)
    least, where_least = tl.min(x, axis=0, return_indices=True, return_indices_tie_break_left=True)
    tl.store(value_ptr, most)
    tl.store(value_ptr + 1, least)
    tl.store(place_ptr, where_most)
    tl.store(place_ptr + 1, where_least)


@triton.jit
def _multiply(a, b):
    return a * b


@launched(positive(64), zeros(1), bound=1e-4, expected=lambda x, out: x.prod(keepdims=True))
@triton.jit
def reduces_by_a_function(x_ptr, out_ptr):
    tl.store(out_ptr, tl.reduce(tl.load(x_ptr + tl.arange(0, 64)), 0, _multiply))


@triton.jit
def _merge(mean, square, count, other_mean, other_square, other_count):
    total = count + other_count
    difference = other_mean - mean
    mean += difference * other_count / total
    square += other_square + difference * difference * count * other_count / total
    return mean, square, total


@launched(
    normal(256), zeros(2), bound=1e-5,
    expected=lambda x, out: np.array([x.mean(), x.var()], "float32"),
)  # fmt: skip
@triton.jit
def reduces_several_blocks_at_once(x_ptr, out_ptr):
    x = tl.load(x_ptr + tl.arange(0, 256))
    zero, one = tl.zeros((256,), tl.float32), tl.full((256,), 1.0, tl.float32)
    mean, square, count = tl.reduce((x, zero, one), 0, _merge)
    tl.store(out_ptr, mean)
    tl.store(out_ptr + 1, square / count)


@launched(normal(16, 64), zeros(16, 64), bound=3e-6, expected=lambda x, out: _softmax(x))
@triton.jit
def softmax_of_rows(x_ptr, out_ptr):
    offsets = tl.arange(0, 16)[:, None] * 64 + tl.arange(0, 64)[None, :]
    x = tl.load(x_ptr + offsets)
    powers = tl.exp(x - tl.max(x, 1)[:, None])
    tl.store(out_ptr + offsets, powers / tl.sum(powers, 1)[:, None])


def _softmax(x):
    powers = np.exp(x - x.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


@triton.jit
def _last_that_is_not_zero(a, b):
    return tl.where(b == 0, a, b)


@triton.jit
def scans(x_ptr, out_ptr, HOW: tl.constexpr):
    offsets = tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :]
    x = tl.load(x_ptr + offsets)
    if HOW == "cumsum":
        y = tl.cumsum(x, 1)
    elif HOW == "cumsum_reverse":
        y = tl.cumsum(x, 0, reverse=True)
    elif HOW == "cumprod":
        y = tl.cumprod(x, 1)
    else:
        y = tl.associative_scan(x, 1, _last_that_is_not_zero)
    tl.store(out_ptr + offsets, y)


def _carried(x):
    found = x.copy()
    for i in range(1, 32):
        found[:, i] = np.where(x[:, i] == 0, found[:, i - 1], x[:, i])
    return found


for _how, _meaning in {
    "cumsum": lambda x: np.cumsum(x, 1, dtype="int32"),
    "cumsum_reverse": lambda x: np.cumsum(x[::-1], 0, dtype="int32")[::-1],
    "cumprod": lambda x: np.cumprod(x, 1, dtype="int32"),
    "associative": _carried,
}.items():
    launched(
        integers(16, 32, low=-2, high=3), zeros(16, 32, dtype="int32"), _how, case=_how,
        expected=lambda x, out, f=_meaning: f(x),
    )(scans)  # fmt: skip


@triton.jit
def _linear(a, b, c, d):
    return a * c, b * c + d


@launched(
    positive(64) * np.float32(0.5), normal(64, seed=1), zeros(64), bound=1e-4,
    expected=lambda a, b, out: _recurrence(a, b),
)  # fmt: skip
@triton.jit
def scans_a_recurrence(a_ptr, b_ptr, out_ptr):
    offsets = tl.arange(0, 64)
    a, b = tl.load(a_ptr + offsets), tl.load(b_ptr + offsets)
    _, h = tl.associative_scan((a, b), 0, _linear)
    tl.store(out_ptr + offsets, h)


def _recurrence(a, b):
    found, h = np.zeros(64), 0.0
    for i in range(64):
        h = found[i] = a[i] * h + b[i]
    return found.astype("float32")


@triton.jit
def sorts(x_ptr, out_ptr, HOW: tl.constexpr):
    offsets = tl.arange(0, 8)[:, None] * 64 + tl.arange(0, 64)[None, :]
    x = tl.load(x_ptr + offsets)
    if HOW == "topk":
        y = tl.topk(x, 16)
        places = tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :]
        tl.store(out_ptr + places, y)
    else:
        tl.store(out_ptr + offsets, tl.sort(x, descending=HOW == "descending"))


for _how, _meaning, _columns in (
    ("ascending", lambda x: np.sort(x, 1), 64),
    ("descending", lambda x: np.sort(x, 1)[:, ::-1], 64),
    ("topk", lambda x: np.sort(x, 1)[:, ::-1][:, :16], 16),
):
    launched(
        normal(8, 64), zeros(8, _columns), _how, case=_how,
        expected=lambda x, out, f=_meaning: f(x),
    )(sorts)  # fmt: skip


@launched(
    integers(256, low=0, high=16), zeros(16, dtype="int32"),
    expected=lambda x, out: np.bincount(x, minlength=16).astype("int32"),
)  # fmt: skip
@triton.jit
def counts_in_a_histogram(x_ptr, out_ptr):
    found = tl.histogram(tl.load(x_ptr + tl.arange(0, 256)), 16)
    tl.store(out_ptr + tl.arange(0, 16), found)
