# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The random numbers of dropout, by the definition in docs/operators.md."""

from __future__ import annotations

import numpy as np


def uniforms(seed: int, rows: int, columns: int) -> np.ndarray:
    """The random number of each element of a matrix."""
    return uniforms_at(seed, *np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij"))


def uniforms_at(seed: int, row: np.ndarray, column: np.ndarray) -> np.ndarray:
    """The random numbers of the elements in the given rows and columns."""
    early = row < 1024
    word = np.where(early, column, row) // 16 % 4
    row, column = np.where(early, row, row - 16 * word), np.where(early, column - 16 * word, column)
    counter = [column & 0xFFFFFFFF, column >> 32, row & 0xFFFFFFFF, row >> 32]
    drawn = philox(seed, *(part.astype(np.uint64) for part in counter))
    return np.choose(word, drawn) / 2.0**32


def philox(seed, c0, c1, c2, c3):
    """The four words of Philox4x32-10 for each counter."""
    low = np.uint64(0xFFFFFFFF)
    k0, k1 = np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * c0, np.uint64(0xCD9E8D57) * c2
        shift = np.uint64(32)
        c0, c1, c2, c3 = (b >> shift) ^ c1 ^ k0, b & low, (a >> shift) ^ c3 ^ k1, a & low
        k0, k1 = (k0 + np.uint64(0x9E3779B9)) & low, (k1 + np.uint64(0xBB67AE85)) & low
    return c0, c1, c2, c3
