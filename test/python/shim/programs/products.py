# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that multiply matrices."""

import math

import ml_dtypes
import numpy as np
import triton
import triton.language as tl
from arrays import BF16, integers, normal, zeros
from program import launched


@triton.jit
def multiplies(x_ptr, y_ptr, out_ptr, K: tl.constexpr, PRECISION: tl.constexpr, OUT: tl.constexpr):
    m, n, k = tl.arange(0, 32), tl.arange(0, 64), tl.arange(0, K)
    x = tl.load(x_ptr + m[:, None] * K + k[None, :])
    y = tl.load(y_ptr + k[:, None] * 64 + n[None, :])
    z = tl.dot(x, y, input_precision=PRECISION, out_dtype=OUT)
    tl.store(out_ptr + m[:, None] * 64 + n[None, :], z)


def _product(x, y, out):
    return (x.astype("float64") @ y.astype("float64")).astype(out.dtype)


# Error bounds for sums of _K products of normally distributed numbers. Such a sum, and the sum of
# random errors, grows with √_K. Of some thousand sums, none exceeds _RARE standard deviations.
_K, _RARE = 64, 6
#: Each term and each partial sum is rounded or truncated, with an error of 2⁻²³ of the sum.
_FP32 = 2 * _RARE * math.sqrt(_K) * 2**-23
#: Factors are rounded to ten fraction bits: both together change a term by at most 2⁻¹⁰ of it.
_TF32 = _RARE * math.sqrt(_K) * 2**-10
#: A compiler may round to fp16 after each 16 terms: five roundings of a sum of up to _RARE √_K.
_FP16_SUMS = _RARE * math.sqrt(_K) * math.sqrt(_K // 16 + 1) * 2**-11
#: A tensor core for 8-bit floats truncates terms at 2⁻¹³ of the largest term or sum.
_FLOAT8 = math.sqrt(_K) * _RARE * math.sqrt(_K) * 2**-13

for _case, _dtype, _precision, _bound in (
    ("f16", "float16", None, _FP32),
    ("bf16", BF16, None, _FP32),
    ("f32", "float32", "ieee", _FP32),
    ("tf32", "float32", "tf32", _TF32),
    ("tf32x3", "float32", "tf32x3", _FP32),
):
    launched(
        normal(32, _K, dtype=_dtype), normal(_K, 64, seed=1, dtype=_dtype), zeros(32, 64), _K,
        _precision, tl.float32, expected=_product, bound=_bound, case=_case,
    )(multiplies)  # fmt: skip
launched(
    integers(32, _K, dtype="int8"), integers(_K, 64, seed=1, dtype="int8"),
    zeros(32, 64, dtype="int32"), _K, None, tl.int32, expected=_product, case="i8",
)(multiplies)  # fmt: skip
launched(
    normal(32, _K, dtype="float16"), normal(_K, 64, seed=1, dtype="float16"),
    zeros(32, 64, dtype="float16"), _K, None, tl.float16, expected=_product, bound=_FP16_SUMS,
    case="f16_sums",
)(multiplies)  # fmt: skip
for _case in ("float8_e4m3fn", "float8_e5m2"):
    launched(
        normal(32, _K).astype(getattr(ml_dtypes, _case)),
        normal(_K, 64, seed=1).astype(getattr(ml_dtypes, _case)), zeros(32, 64), _K, None,
        tl.float32, expected=_product, bound=_FLOAT8, case=_case,
    )(multiplies)  # fmt: skip


@launched(
    normal(70, 100, dtype="float16"), normal(100, 50, seed=1, dtype="float16"), zeros(70, 50),
    70, 50, 100, grid=(2, 1), bound=1e-5, BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, num_stages=3,
    expected=lambda x, y, out: x.astype("float32") @ y.astype("float32"),
)  # fmt: skip
@triton.jit
def multiplies_in_a_loop(
    x_ptr, y_ptr, out_ptr, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, tl.cdiv(K, BLOCK_K)):
        inside = start * BLOCK_K + k
        x_mask = (m[:, None] < M) & (inside[None, :] < K)
        y_mask = (inside[:, None] < K) & (n[None, :] < N)
        x = tl.load(x_ptr + m[:, None] * K + inside[None, :], mask=x_mask, other=0.0)
        y = tl.load(y_ptr + inside[:, None] * N + n[None, :], mask=y_mask, other=0.0)
        sums = tl.dot(x, y, sums)
    tl.store(out_ptr + m[:, None] * N + n[None, :], sums, mask=(m[:, None] < M) & (n[None, :] < N))


@launched(
    normal(4, 32, 32, dtype="float16"), normal(4, 32, 32, seed=1, dtype="float16"),
    zeros(4, 32, 32), bound=1e-5,
    expected=lambda x, y, out: x.astype("float32") @ y.astype("float32"),
)  # fmt: skip
@triton.jit
def multiplies_batches(x_ptr, y_ptr, out_ptr):
    offsets = (
        tl.arange(0, 4)[:, None, None] * 1024
        + tl.arange(0, 32)[None, :, None] * 32
        + tl.arange(0, 32)[None, None, :]
    )
    tl.store(out_ptr + offsets, tl.dot(tl.load(x_ptr + offsets), tl.load(y_ptr + offsets)))


@launched(
    normal(64, 64, dtype="float16"), normal(64, 64, seed=1, dtype="float16"), zeros(64, 64),
    bound=2e-3, expected=lambda q, k, out: _attention(q, k),
)  # fmt: skip
@triton.jit
def two_products_with_a_softmax_between(q_ptr, k_ptr, out_ptr):
    offsets = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    q, k = tl.load(q_ptr + offsets), tl.load(k_ptr + offsets)
    scores = tl.dot(q, tl.trans(k)) * 0.125
    powers = tl.exp(scores - tl.max(scores, 1)[:, None])
    sums = tl.sum(powers, 1)
    tl.store(out_ptr + offsets, tl.dot(powers.to(tl.float16), k) / sums[:, None])


def _attention(q, k):
    q, k = q.astype("float32"), k.astype("float32")
    scores = q @ k.T / 8
    powers = np.exp(scores - scores.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True) @ k
