# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that compute element by element."""

import numpy as np
import triton
import triton.language as tl
from arrays import BF16, integers, normal, positive, zeros
from program import launched
from triton.language.extra import libdevice


@launched(
    normal(1000), normal(1000, seed=1), zeros(1000), 1000, BLOCK=256, grid=(4,),
    expected=lambda x, y, out: x + y,
)  # fmt: skip
@triton.jit
def adds(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask), mask=mask)


@triton.jit
def integers_meet(x_ptr, y_ptr, out_ptr, OP: tl.constexpr):
    offsets = tl.arange(0, 256)
    x = tl.load(x_ptr + offsets)
    y = tl.load(y_ptr + offsets)
    if OP == "divide":
        z = x // y
    elif OP == "remainder":
        z = x % y
    elif OP == "multiply":
        z = x * y
    elif OP == "bits":
        z = (x & y) | (x ^ ~y)
    elif OP == "shift":
        z = (x << 3) ^ (x >> 2)
    elif OP == "compare":
        z = ((x < y) | (x == 7)).to(x.dtype) + (x >= y)
    else:
        z = -x + y
    tl.store(out_ptr + offsets, z)


def _divisors(seed=1):
    found = integers(256, seed=seed)
    return np.where(found == 0, 3, found).astype("int32")


for _name, _meaning in {
    "divide": lambda x, y, out: np.trunc(x / y).astype("int32"),
    "remainder": lambda x, y, out: np.fmod(x, y),
    "multiply": lambda x, y, out: x * y,
    "bits": lambda x, y, out: (x & y) | (x ^ ~y),
    "shift": lambda x, y, out: (x << 3) ^ (x >> 2),
    "compare": lambda x, y, out: ((x < y) | (x == 7)).astype("int32") + (x >= y),
    "negate": lambda x, y, out: y - x,
}.items():
    launched(
        integers(256), _divisors(), zeros(256, dtype="int32"), _name,
        expected=_meaning, case=_name,
    )(integers_meet)  # fmt: skip


@triton.jit
def converts(x_ptr, out_ptr):
    offsets = tl.arange(0, 256)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets).to(out_ptr.dtype.element_ty))


for _case, _from, _to in (
    ("f32_to_f16", normal(256), "float16"),
    ("f32_to_bf16", normal(256), BF16),
    ("f16_to_f32", normal(256, dtype="float16"), "float32"),
    ("f64_to_f32", normal(256, dtype="float64"), "float32"),
    ("f32_to_i32", normal(256) * 50, "int32"),
    ("f32_to_i8", np.trunc(normal(256) * 20).astype("float32"), "int8"),
    ("i32_to_f32", integers(256, high=2**31 - 1), "float32"),
    ("i64_to_f32", integers(256, high=2**62, dtype="int64"), "float32"),
    ("i64_to_i32", integers(256, high=2**62, dtype="int64"), "int32"),
    ("i8_to_i64", integers(256, dtype="int8"), "int64"),
    ("u8_to_i32", integers(256, low=0, high=255, dtype="uint8"), "int32"),
    ("i32_to_bool", integers(256, low=-1, high=2), "bool"),
):
    launched(_from, zeros(256, dtype=_to), expected=lambda x, out: x.astype(out.dtype), case=_case)(
        converts
    )


@launched(
    normal(256), zeros(256, dtype="int32"), expected=lambda x, out: x.view("int32") ^ 0x55555555
)
@triton.jit
def takes_the_bits(x_ptr, out_ptr):
    offsets = tl.arange(0, 256)
    x = tl.load(x_ptr + offsets).to(tl.int32, bitcast=True)
    tl.store(out_ptr + offsets, x ^ 0x55555555)


@triton.jit
def mathematics(x_ptr, out_ptr, NAME: tl.constexpr):
    offsets = tl.arange(0, 256)
    x = tl.load(x_ptr + offsets)
    tl.store(out_ptr + offsets, getattr(tl, NAME)(x))


def _erf(x):
    import math

    return np.vectorize(math.erf)(x)


for _name, _meaning, _bound in (
    ("exp", np.exp, 3e-6),
    ("exp2", np.exp2, 3e-6),
    ("log", np.log, 3e-6),
    ("log2", np.log2, 3e-6),
    ("sin", np.sin, 1e-6),
    ("cos", np.cos, 1e-6),
    ("sqrt", np.sqrt, 3e-7),
    ("sqrt_rn", np.sqrt, 0.0),
    ("rsqrt", lambda x: 1 / np.sqrt(x), 1e-6),
    ("erf", _erf, 1e-6),
    ("sigmoid", lambda x: 1 / (1 + np.exp(-x)), 1e-6),
    ("floor", np.floor, 0.0),
    ("ceil", np.ceil, 0.0),
    ("abs", np.abs, 0.0),
):
    launched(
        positive(256), zeros(256), _name, bound=_bound, case=_name,
        expected=lambda x, out, f=_meaning: f(x.astype("float64")).astype("float32"),
    )(mathematics)  # fmt: skip


@triton.jit
def device_library(x_ptr, y_ptr, out_ptr, NAME: tl.constexpr):
    offsets = tl.arange(0, 256)
    x = tl.load(x_ptr + offsets)
    if NAME == "pow":
        z = libdevice.pow(x, tl.load(y_ptr + offsets))
    elif NAME == "atan2":
        z = libdevice.atan2(tl.load(y_ptr + offsets), x)
    elif NAME == "fmod":
        z = libdevice.fmod(x, tl.load(y_ptr + offsets))
    elif NAME == "div_rn":
        z = libdevice.div_rn(x, tl.load(y_ptr + offsets))
    elif NAME == "tanh":
        z = libdevice.tanh(x)
    elif NAME == "log1p":
        z = libdevice.log1p(x)
    elif NAME == "expm1":
        z = libdevice.expm1(x)
    elif NAME == "rint":
        z = libdevice.rint(x * 10)
    else:
        z = libdevice.trunc(x * 10)
    tl.store(out_ptr + offsets, z)


for _name, _meaning, _bound in (
    ("pow", lambda x, y: x**y, 2e-6),
    ("atan2", lambda x, y: np.arctan2(y, x), 1e-6),
    ("fmod", np.fmod, 0.0),
    ("div_rn", np.divide, 0.0),
    ("tanh", lambda x, y: np.tanh(x), 1e-6),
    ("log1p", lambda x, y: np.log1p(x), 1e-6),
    ("expm1", lambda x, y: np.expm1(x), 2e-6),
    ("rint", lambda x, y: np.rint(x * np.float32(10)), 0.0),
    ("trunc", lambda x, y: np.trunc(x * np.float32(10)), 0.0),
):
    launched(
        positive(256), positive(256, seed=1), zeros(256), _name, bound=_bound, case=_name,
        expected=lambda x, y, out, f=_meaning: f(x, y).astype("float32"),
    )(device_library)  # fmt: skip


@launched(
    normal(256), normal(256, seed=1), normal(256, seed=2), zeros(256),
    expected=lambda x, y, z, out: (x.astype("float64") * y + z).astype("float32"),
)  # fmt: skip
@triton.jit
def multiplies_and_adds_at_once(x_ptr, y_ptr, z_ptr, out_ptr):
    offsets = tl.arange(0, 256)
    x, y = tl.load(x_ptr + offsets), tl.load(y_ptr + offsets)
    tl.store(out_ptr + offsets, tl.fma(x, y, tl.load(z_ptr + offsets)))


@launched(
    normal(256), zeros(256), zeros(256), zeros(256),
    expected=lambda x, *_: (np.clip(x, -0.5, 0.5), np.maximum(x, 0), np.minimum(x, 0.25)),
)  # fmt: skip
@triton.jit
def bounds_from_both_sides(x_ptr, clamped_ptr, above_ptr, below_ptr):
    offsets = tl.arange(0, 256)
    x = tl.load(x_ptr + offsets)
    tl.store(clamped_ptr + offsets, tl.clamp(x, -0.5, 0.5))
    tl.store(above_ptr + offsets, tl.maximum(x, 0.0))
    tl.store(below_ptr + offsets, tl.minimum(x, 0.25))


@launched(
    integers(256, high=2**31 - 1), zeros(256, dtype="int32"),
    expected=lambda x, out: (x.view("uint32").astype("uint64") * 0x9E3779B9 >> 32)
    .astype("uint32").view("int32"),
)  # fmt: skip
@triton.jit
def high_half_of_a_product(x_ptr, out_ptr):
    offsets = tl.arange(0, 256)
    x = tl.load(x_ptr + offsets).to(tl.uint32, bitcast=True)
    y = tl.full((256,), 0x9E3779B9, tl.uint32)
    tl.store(out_ptr + offsets, tl.umulhi(x, y).to(tl.int32, bitcast=True))


@launched(
    normal(256, dtype="float16"), integers(256), zeros(256, dtype="float16"), bound=2e-3,
    expected=lambda x, y, out: x * y.astype("float16") + np.float16(0.1),
)  # fmt: skip
@triton.jit
def types_meet(x_ptr, y_ptr, out_ptr):
    offsets = tl.arange(0, 256)
    product = tl.load(x_ptr + offsets) * tl.load(y_ptr + offsets)
    tl.static_assert(product.dtype == tl.float16)
    tl.store(out_ptr + offsets, product + 0.1)


@launched(
    integers(256, dtype="int8"), zeros(256, dtype="int8"),
    expected=lambda x, out: (x.astype("int32") * 5 + 100).astype("int8"),
)  # fmt: skip
@triton.jit
def small_integers_wrap(x_ptr, out_ptr):
    offsets = tl.arange(0, 256)
    x = tl.load(x_ptr + offsets)
    tl.store(out_ptr + offsets, x * 5 + 100)


@launched(
    normal(256), zeros(256),
    expected=lambda x, out: np.where((x > 0) & ~(x > 1), x * 2, np.where(x < -1, 0, x)),
)  # fmt: skip
@triton.jit
def chooses(x_ptr, out_ptr):
    offsets = tl.arange(0, 256)
    x = tl.load(x_ptr + offsets)
    chosen = tl.where((x > 0) & ~(x > 1), x * 2, tl.where(x < -1, 0.0, x))
    tl.store(out_ptr + offsets, chosen)
