# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops with matrix products that also load scalars. A GPU loads a scalar some iterations before
the iteration that needs it. Arrays have no scalars for iterations that do not run."""

import eft
import eft.language as tl
import numpy as np
import pytest
from support import assert_same_bits


def small(shape, seed, dtype=np.float16):
    """Small integers, of which every sum is exact."""
    return np.random.default_rng(seed).integers(-2, 3, shape).astype(dtype)


@eft.jit
def scaled(a_ptr, b_ptr, scale_ptr, index_ptr, out_ptr, last_ptr, count, limit,
           FORM: tl.constexpr, STAGES: tl.constexpr):  # fmt: skip
    i = tl.arange(0, 16)
    square = i[:, None] * 16 + i[None, :]
    total = tl.zeros((16, 16), tl.float32)
    scale = 7.0
    before = 1.0
    for turn in tl.range(count, num_stages=STAGES):
        a = tl.load(a_ptr + turn * 256 + square)
        b = tl.load(b_ptr + turn * 256 + square)
        if FORM == "indexed":
            scale = tl.load(scale_ptr + tl.load(index_ptr + turn))
        elif FORM == "masked":
            scale = tl.load(scale_ptr + turn, mask=turn < limit, other=3.0)
        else:
            scale = tl.load(scale_ptr + turn)
        if FORM == "before":
            total = tl.dot(a, b, total) + before
            before = scale
        elif FORM == "several":
            more = tl.load(scale_ptr + turn // 2) + tl.load(scale_ptr)
            more += tl.load(index_ptr + turn) + tl.load(index_ptr) + tl.load(index_ptr + turn // 2)
            total = tl.dot(a, b, total) + scale * more
        else:
            total = tl.dot(a, b, total) + scale
    tl.store(out_ptr + square, total)
    if FORM != "inside":
        tl.store(last_ptr, scale)


@pytest.mark.parametrize("form", ["inside", "after", "before", "masked", "indexed", "several"])
@pytest.mark.parametrize("stages", [1, 2, 3, 5])
@pytest.mark.parametrize("warps", [1, 4])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 9])
def test_scalars(device, form, stages, warps, count):
    size = max(count, 1)
    a, b = small((size, 16, 16), 1), small((size, 16, 16), 2)
    scales = small(size, 3, np.float32)
    index = np.random.default_rng(4).permutation(size).astype(np.int32)
    out = device.put(np.full((16, 16), np.nan, np.float32))
    last = device.put(np.full(1, np.nan, np.float32))
    arrays = [device.put(each) for each in (a, b, scales, index)]
    scaled[1](*arrays, out, last, count, 2, FORM=form, STAGES=stages, num_warps=warps)
    total, scale, before = np.zeros((16, 16), np.float32), np.float32(7), np.float32(1)
    for turn in range(count):
        total = total + a[turn].astype(np.float32) @ b[turn].astype(np.float32)
        scale = scales[index[turn]] if form == "indexed" else scales[turn]
        if form == "masked" and turn >= 2:
            scale = np.float32(3)
        if form == "before":
            total, before = total + before, scale
        elif form == "several":
            more = scales[turn // 2] + scales[0] + index[turn] + index[0] + index[turn // 2]
            total = total + scale * np.float32(more)
        else:
            total = total + scale
    assert_same_bits(device.get(out), total)
    if form != "inside":
        assert_same_bits(device.get(last), np.array([scale], np.float32))
