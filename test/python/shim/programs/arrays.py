# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that make the arrays of programs. Every run makes the same arrays."""

from __future__ import annotations

import ml_dtypes
import numpy as np

BF16 = np.dtype(ml_dtypes.bfloat16)


def normal(*shape: int, seed: int = 0, dtype="float32") -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def integers(*shape: int, low=-100, high=100, seed: int = 0, dtype="int32") -> np.ndarray:
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


def positive(*shape: int, seed: int = 0, dtype="float32") -> np.ndarray:
    """Random numbers of at least 0.1."""
    return (np.abs(normal(*shape, seed=seed)) + np.float32(0.1)).astype(dtype)


def zeros(*shape: int, dtype="float32") -> np.ndarray:
    return np.zeros(shape, dtype)
