# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Minima and maxima of fp16 and bf16: their bits, and one instruction for each on a GPU."""

from __future__ import annotations

import re

import eft
import eft.language as tl
import numpy as np
import pytest
from eft.triton.backends.compiler import GPUTarget
from eft.triton.compiler import compiler
from support import DTYPES, assert_same_bits


@eft.jit
def extremes(x_ptr, y_ptr, low_ptr, high_ptr, IS_NAN_KEPT: tl.constexpr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    x, y = tl.load(x_ptr + offsets), tl.load(y_ptr + offsets)
    rule: tl.constexpr = tl.PropagateNan.ALL if IS_NAN_KEPT else tl.PropagateNan.NONE
    tl.store(low_ptr + offsets, tl.minimum(x, y, propagate_nan=rule))
    tl.store(high_ptr + offsets, tl.maximum(x, y, propagate_nan=rule))


def ordered(x, y) -> tuple[np.ndarray, np.ndarray]:
    """The lesser and the greater number of each pair, with -0 less than +0."""
    is_first = (x < y) | ((x == y) & np.signbit(x))
    return np.where(is_first, x, y), np.where(is_first, y, x)


SPECIAL = [-np.inf, -1.5, -1e-6, -1e-40, -0.0, 0.0, 1e-40, 1e-6, 1.5, np.inf, np.nan]


@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
@pytest.mark.parametrize("is_nan_kept", [False, True])
def test_every_pair_of_special_values(device, dtype, is_nan_kept):
    values = np.resize(np.array(SPECIAL, DTYPES[dtype]), 16)
    x, y = (each.ravel() for each in np.meshgrid(values, values))
    low, high = (device.put(np.zeros_like(x)) for _ in range(2))
    extremes[1](device.put(x), device.put(y), low, high, is_nan_kept, N=x.size)
    with np.errstate(invalid="ignore"):  # NaNs and infinities would warn
        either = np.isnan(x) | np.isnan(y)
        other = x + y if is_nan_kept else np.where(np.isnan(x), y, x)
        expected = [np.where(either, other, each) for each in ordered(x, y)]
    assert_same_bits(device.get(low), expected[0].astype(x.dtype))
    assert_same_bits(device.get(high), expected[1].astype(x.dtype))


@pytest.mark.parametrize("dtype, name", [("fp16", "f16"), ("bf16", "bf16")])
@pytest.mark.parametrize("rule", ["", ".NaN"])
@pytest.mark.parametrize("target", [80, 90])
def test_a_gpu_has_an_instruction_for_each(dtype, name, rule, target):
    pointers = dict.fromkeys(("x_ptr", "y_ptr", "low_ptr", "high_ptr"), f"*{dtype}")
    constants = {"IS_NAN_KEPT": bool(rule), "N": 256}
    source = compiler.ASTSource(
        extremes, pointers | dict.fromkeys(constants, "constexpr"), constants
    )
    text = compiler.compile(source, target=GPUTarget("cuda", target, 32)).asm["ptx"]
    assert re.search(rf"\bmin{rule}\.{name}\b", text)
    assert re.search(rf"\bmax{rule}\.{name}\b", text)
    assert "cvt" not in re.sub(r"cvt\.u64\.u32", "", text)
