# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that load, change and store their block in parts. The source and the target are disjoint
or share memory."""

import eft
import eft.language as tl
import numpy as np
import pytest
from support import assert_same_bits

PART = 256


@eft.jit
def change(x_ptr, y_ptr, offsets, n, factor):
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    tl.store(y_ptr + offsets, (x * factor + offsets % 64).to(x.dtype), mask=inside)


@eft.jit
def change_in_parts(x_ptr, y_ptr, n, factor, PART: tl.constexpr, STEP: tl.constexpr):
    first = tl.program_id(0) * 4 * PART + tl.arange(0, PART)
    first += 3 * PART if STEP < 0 else 0
    for part in tl.static_range(4):
        change(x_ptr, y_ptr, first + part * STEP * PART, n, factor)


@pytest.mark.parametrize("dtype", (np.float32, np.float16, np.int32))
@pytest.mark.parametrize("n", (4 * PART, 4 * PART - 1, 2 * PART + 3, 5))
@pytest.mark.parametrize("distance", (0, 1, 2, 3, -1, -2, -3, 4, -4))
def test_one_program(device, distance, n, dtype):
    """Y begins `distance` parts after X, so a part can load what earlier parts have stored."""
    for step in (1, -1):
        for shift in (0, 1):  # elements
            memory = np.random.default_rng(n).integers(0, 64, 12 * PART + 1).astype(dtype)
            array, expected = device.put(memory), memory.copy()
            x = 4 * PART + shift
            y = x + distance * PART
            change_in_parts[(1,)](array[x:], array[y:], n, 2, PART=PART, STEP=step)
            for part in range(4)[::step]:
                at = np.arange(part * PART, (part + 1) * PART)
                at = at[at < n]
                expected[y + at] = (expected[x + at] * dtype(2) + at % 64).astype(dtype)
            assert_same_bits(device.get(array), expected)


@pytest.mark.parametrize("dtype", (np.float32, np.float16))
@pytest.mark.parametrize("is_in_place", (False, True))
@pytest.mark.parametrize("n", (40 * PART, 40 * PART - 7, 39 * PART + 1))
def test_many_programs(device, n, is_in_place, dtype):
    x = np.random.default_rng(n).integers(0, 64, n).astype(dtype)
    source = device.put(x)
    result = source if is_in_place else device.put(np.zeros_like(x))
    change_in_parts[(10,)](source, result, n, 2, PART=PART, STEP=1)
    assert_same_bits(device.get(result), (x * dtype(2) + np.arange(n) % 64).astype(dtype))
    if not is_in_place:
        assert_same_bits(device.get(source), x)
