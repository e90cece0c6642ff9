# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands for elementary functions, and comparisons of results with exact values."""

from __future__ import annotations

import ml_dtypes
import mpmath
import numpy as np
from support import DTYPES

#: The largest error, in units in the last place, that a function may have. Results in fp16 and
#: bf16 are computed in fp32, and then rounded.
BOUNDS = {"fp16": 0.51, "bf16": 0.51, "fp32": 2.0, "fp64": 2.0}

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 10.0]


def operands(name: str, low: float, high: float, count: int, seed: int = 0) -> np.ndarray:
    """Numbers between `low` and `high`, numbers of every magnitude, and special ones."""
    dtype = DTYPES[name]
    generator = np.random.default_rng(seed)
    x = generator.uniform(low, high, count)
    spread = 2.0 ** generator.uniform(-40, 10, count // 2)
    x[: count // 2] = np.clip(spread * generator.choice([-1, 1], count // 2), low, high)
    with np.errstate(over="ignore"):
        x = x.astype(dtype)
        x[: len(SPECIAL)] = np.array(SPECIAL).astype(dtype)
    return generator.permutation(x)


def exact(function, *arguments) -> mpmath.mpf:
    """The exact value with many digits, or NaN where the function has no real value."""
    with mpmath.workprec(240):
        try:
            value = function(*(mpmath.mpf(float(x)) for x in arguments))
        except (ValueError, ZeroDivisionError, OverflowError):
            return mpmath.nan
        return value if isinstance(value, mpmath.mpf) else mpmath.nan


def ulps(found: np.ndarray, values: list) -> float:
    """The largest error, in units in the last place that the exact value has in the type of
    `found`. Checks that the same elements are NaN. An infinity counts as 2 ** maxexp."""
    info = ml_dtypes.finfo(found.dtype)
    least, digits = info.minexp, info.nmant
    worst = 0.0
    for got, value in zip(found.astype(np.float64), values, strict=True):
        if mpmath.isnan(value) or np.isnan(got):
            assert mpmath.isnan(value) and np.isnan(got), (got, value)
            continue
        top = mpmath.mpf(2) ** info.maxexp
        value = max(min(value, top), -top)
        got = mpmath.mpf(max(min(float(got), float(2.0**1023 * 2)), -np.inf))
        got = max(min(got, top), -top)
        exponent = max(int(mpmath.frexp(value)[1]) - 1, least) if value else least
        unit = mpmath.mpf(2) ** (min(exponent, info.maxexp - 1) - digits)
        worst = max(worst, float(abs(got - value) / unit))
    return worst
