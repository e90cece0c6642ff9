# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions of 8-bit floats in NumPy, by tables of their values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Format(NamedTuple):
    exponent_bits: int
    fraction_bits: int
    bias: int
    greatest: int  # the code to which overflows are rounded
    nan: int  # a code of NaN


FORMATS = {
    "fp8e4nv": Format(4, 3, 7, 0x7E, 0x7F),
    "fp8e5": Format(5, 2, 15, 0x7B, 0x7F),
    "fp8e4b8": Format(4, 3, 8, 0x7F, 0x80),
    "fp8e5b16": Format(5, 2, 16, 0x7F, 0x80),
    "fp8e4b15": Format(4, 3, 15, 0x7E, 0x7E),
}

#: The name of each format in ml_dtypes and PyTorch.
ARRAY_NAMES = {
    "fp8e4nv": "float8_e4m3fn",
    "fp8e5": "float8_e5m2",
    "fp8e4b8": "float8_e4m3fnuz",
    "fp8e5b16": "float8_e5m2fnuz",
}


def table(name: str) -> np.ndarray:
    """The values of all 256 codes, in fp64."""
    exponent_bits, fraction_bits, bias, _, nan = FORMATS[name]
    codes = np.arange(256)
    exponents = (codes & 0x7F) >> fraction_bits
    fractions = (codes & ((1 << fraction_bits) - 1)) / 2.0**fraction_bits
    normal = (1 + fractions) * 2.0 ** (exponents - bias)
    values = np.where(exponents == 0, fractions * 2.0 ** (1 - bias), normal)
    values = np.copysign(values, np.where(codes & 0x80, -1.0, 1.0))
    if name == "fp8e5":
        values[0x7C], values[0xFC] = np.inf, -np.inf
        values[0x7D:0x80] = values[0xFD:] = np.nan
    elif name == "fp8e4nv":
        values[[0x7F, 0xFF]] = np.nan
    elif nan == 0x80:
        values[0x80] = np.nan
    return values


def encode(x: np.ndarray, name: str, toward_zero: bool = False) -> np.ndarray:
    """The codes of numbers, rounded to nearest even or toward zero. Overflows saturate."""
    form = FORMATS[name]
    x = np.asarray(x, np.float64)
    sizes = table(name)[: form.greatest + 1]
    size = np.minimum(np.where(np.isnan(x), 0, np.abs(x)), sizes[-1])
    above = np.searchsorted(sizes, size)
    below = np.where(sizes[above] == size, above, above - 1)
    middle = (sizes[below] + sizes[above]) / 2
    goes_up = (size > middle) | ((size == middle) & (below % 2 == 1))
    codes = np.where(goes_up & (not toward_zero), above, below)
    has_sign = np.signbit(x) & ((form.nan != 0x80) | (codes != 0))
    return np.where(np.isnan(x), form.nan, codes | (has_sign << 7)).astype(np.uint8)
