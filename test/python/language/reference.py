# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy functions that compute the results of kernels to the bit."""

from __future__ import annotations

import ml_dtypes
import numpy as np

BF16 = np.dtype(ml_dtypes.bfloat16)


def philox(seed: int, offsets: np.ndarray, rounds: int = 10) -> list[np.ndarray]:
    """The four words of Philox4x32 for each offset."""
    # Computes parts that fit into the CPU's cache.
    parts = [
        _philox(seed, offsets[start : start + 2**15], rounds)
        for start in range(0, len(offsets), 2**15)
    ]
    return [np.concatenate(words) for words in zip(*parts, strict=True)]


def _philox(seed: int, offsets: np.ndarray, rounds: int) -> list[np.ndarray]:
    with np.errstate(over="ignore"):
        low = np.uint64(0xFFFFFFFF)
        counters = offsets.astype(np.int64).view(np.uint64)
        wide = offsets.dtype.itemsize == 8
        c = [counters & low, (counters >> np.uint64(32)) if wide else counters * 0]
        c += [np.zeros_like(counters), np.zeros_like(counters)]
        key = np.uint64(seed % 2**64)
        k0, k1 = key & low, key >> np.uint64(32)
        for _ in range(rounds):
            a = np.uint64(0xD2511F53) * c[0]
            b = np.uint64(0xCD9E8D57) * c[2]
            c = [
                (b >> np.uint64(32)) ^ c[1] ^ k0,
                b & low,
                (a >> np.uint64(32)) ^ c[3] ^ k1,
                a & low,
            ]
            k0 = (k0 + np.uint64(0x9E3779B9)) & low
            k1 = (k1 + np.uint64(0xBB67AE85)) & low
        return [word.astype(np.uint32) for word in c]


def philox4x64(counter, key, rounds: int) -> tuple[int, ...]:
    """The four words of Philox4x64, computed with Python's integers."""
    low = 2**64 - 1
    (c0, c1, c2, c3), (k0, k1) = counter, key
    for _ in range(rounds):
        a, b = 0xD2E7470EE14C6C93 * c0, 0xCA5A826395121157 * c2
        c0, c1, c2, c3 = (b >> 64) ^ c1 ^ k0, b & low, (a >> 64) ^ c3 ^ k1, a & low
        k0, k1 = (k0 + 0x9E3779B97F4A7C15) & low, (k1 + 0xBB67AE8584CAA73B) & low
    return c0, c1, c2, c3


def uniform(words: np.ndarray) -> np.ndarray:
    """The float32 in [0, 1) that `rand` makes of random words."""
    x = words.view(np.int32)
    return np.where(x < 0, ~x, x).astype(np.float32) * np.float32(4.6566127342e-10)


def rand(seed: int, offsets: np.ndarray) -> np.ndarray:
    return uniform(philox(seed, offsets)[0])


def divide(x: np.ndarray, p: float) -> np.ndarray:
    """`x / (1 - p)` where p is an fp32 argument: in fp64 if x is fp64, else in fp32."""
    wide = np.float64 if x.dtype == np.float64 else np.float32
    divisor = np.float32(1) - np.float32(p)
    with np.errstate(all="ignore"):
        return x.astype(wide) / wide(divisor)


def keep(x: np.ndarray, kept: np.ndarray, p: float) -> np.ndarray:
    """Dropout that keeps the elements where `kept` is true."""
    quotient = divide(x, p)
    return convert(np.where(kept, quotient, quotient.dtype.type(0)), x.dtype)


def convert(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Eft's conversion between any two types: see eft/language/casts.py."""
    source_is_float = x.dtype.kind in "fV"
    with np.errstate(all="ignore"):
        if dtype == np.bool_:
            return x.astype(np.float64) != 0 if source_is_float else x != 0
        if dtype.kind in "iu":
            return _to_integer(x, dtype) if source_is_float else x.astype(dtype)
        # NumPy converts to float32 first, and so would round twice.
        if dtype == BF16 and (x.dtype.itemsize == 8 or x.dtype.kind in "iu"):
            return _to_odd_float32(x).astype(BF16)
        if dtype == np.float16 and x.dtype.kind in "iu":
            return _to_odd_float32(x).astype(np.float16)
        return x.astype(np.float32).astype(dtype) if x.dtype == BF16 else x.astype(dtype)


def _to_integer(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Rounds toward zero. Out-of-range numbers become the nearest limit; NaN becomes 0."""
    limits = np.iinfo(dtype)

    def one(value: float) -> int:
        if value != value:
            return 0
        if value in (float("inf"), float("-inf")):
            return limits.max if value > 0 else limits.min
        return min(max(int(value), limits.min), limits.max)

    return np.array([one(value) for value in x.astype(np.float64).tolist()], dtype)


def _to_odd_float32(x: np.ndarray) -> np.ndarray:
    """`x` rounded to odd in float32. Rounding the result to a 16-bit float gives what rounding `x`
    itself gives."""
    nearest = x.astype(np.float32)

    def one(value, near: np.float32) -> np.float32:
        # Python compares the two numbers exactly; NumPy would round one of them first.
        exact = float(near)
        if not np.isfinite(near) or exact == value:
            return _largest(near, value)
        below = near if abs(exact) < abs(value) else np.nextafter(near, np.float32(0))
        bits = int(np.float32(below).view(np.uint32)) | 1
        return np.uint32(bits).view(np.float32)

    return np.array([one(*pair) for pair in zip(x.tolist(), nearest, strict=True)], np.float32)


def _largest(near: np.float32, value) -> np.float32:
    """`near`, or the largest float32 if rounding made a finite value infinite."""
    if np.isinf(near) and not (isinstance(value, float) and np.isinf(value)):
        return np.copysign(np.finfo(np.float32).max, near)
    return near
