# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels whose code is so long that it is split into several functions."""

import re

import eft
import eft.language as tl
import numpy as np
import pytest


def parts(compilation) -> int:
    """The number of functions into which a kernel is split, by their names: KERNEL.part0, or in PTX
    KERNEL_$_part0."""
    return len(set(re.findall(rb"[._]part(\d+)", compilation.binary)))


@eft.jit
def step(k, a, scale, mask, at, x):
    """Changes a vector, a scalar, booleans and pointers, by a sum over all elements."""
    b = tl.where(mask, a * scale + k, a ^ tl.load(at))
    total = tl.sum(b, axis=0)
    return b - total // 64, scale ^ (total & 3), mask ^ (b > total), x + (total & 15)


@eft.jit
def unrolled(x, out, n, steps, STEPS: tl.constexpr):
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    a, scale, mask, at = tl.load(x + i, mask=i < n, other=0), tl.load(x), i % 3 == 0, x
    for k in tl.static_range(STEPS):
        a, scale, mask, at = step(k, a, scale, mask, at, x)
    tl.store(out + i, tl.where(mask, a, -a), mask=i < n)


@eft.jit
def looped(x, out, n, steps, STEPS: tl.constexpr):
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    a, scale, mask, at = tl.load(x + i, mask=i < n, other=0), tl.load(x), i % 3 == 0, x
    for k in range(steps):
        a, scale, mask, at = step(k, a, scale, mask, at, x)
    tl.store(out + i, tl.where(mask, a, -a), mask=i < n)


@eft.jit
def unrolled_in_a_loop(x, out, n, steps, STEPS: tl.constexpr):
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    a, scale, mask, at = tl.load(x + i, mask=i < n, other=0), tl.load(x), i % 3 == 0, x
    for first in range(0, steps, STEPS):
        for k in tl.static_range(STEPS):
            a, scale, mask, at = step(first + k, a, scale, mask, at, x)
    tl.store(out + i, tl.where(mask, a, -a), mask=i < n)


@pytest.mark.parametrize("kernel, turns, num_warps", [(unrolled, 1, 4), (unrolled_in_a_loop, 3, 1)])
def test_the_parts_of_a_kernel(device, kernel, turns, num_warps):
    n, length = 200, 400 if device.name == "cpu" else 700
    x = np.random.default_rng(5).integers(-1000, 1000, n).astype(np.int32)
    outs = []
    for each in (kernel, looped):
        out = device.put(np.zeros_like(x))
        options = {"STEPS": length, "num_warps": num_warps}
        grid = (eft.cdiv(n, 64),)
        compiled = each[grid](device.put(x), out, n, turns * length, **options)
        assert (parts(compiled.compilation) > 0) == (each is kernel)
        outs.append(device.get(out))
    np.testing.assert_array_equal(*outs)


@eft.jit
def rows(x, out, n, ROWS: tl.constexpr):
    i = tl.arange(0, 1024)
    sums = tl.zeros((1024,), tl.float32)
    before = tl.zeros((1024,), tl.bfloat16)
    for row in tl.static_range(ROWS):
        a = tl.load(x + row * n + i, mask=i < n, other=0)
        tl.store(out + row * n + i, tl.cumsum(a), mask=i < n)
        sums += tl.sort(a) * before
        before = a.to(tl.bfloat16)
    tl.store(out + ROWS * n + i, sums, mask=i < n)


def test_arrays_of_parts(device):
    n, count = 1000, 64 if device.name == "cpu" else 40
    x = np.random.default_rng(6).integers(-9, 9, (count, n)).astype(np.float32)
    out = device.put(np.zeros((count + 1) * n, np.float32))
    compiled = rows[(1,)](device.put(x), out, n, ROWS=count)
    assert parts(compiled.compilation) > 1
    ordered = np.sort(np.pad(x, ((0, 0), (0, 24))), axis=1)[1:, :n]
    expected = np.cumsum(x, axis=1), (ordered * x[:-1]).sum(axis=0)[None, :]
    np.testing.assert_array_equal(device.get(out).reshape(-1, n), np.concatenate(expected))


@eft.jit
def checked(x, out, n, STEPS: tl.constexpr):
    i = tl.arange(0, 64)
    a = tl.load(x + i)
    for k in tl.static_range(STEPS):
        a += 1 + (tl.sum(a) & 7)
        tl.device_assert(a < n, "too large")
        tl.store(out + k * 64 + i, a)


def test_an_assertion_ends_all_parts():
    x, steps = np.arange(64, dtype=np.int32), 400
    out = np.zeros((steps, 64), np.int32)
    whole = checked[(1,)](x, out, 10000, STEPS=steps, debug=True)
    assert parts(whole.compilation) > 1
    bound = int(out[300].max())
    partly = np.zeros_like(out)
    with pytest.raises(eft.DeviceAssertionError, match="too large"):
        checked[(1,)](x, partly, bound, STEPS=steps, debug=True)
    done = int((out.max(axis=1) < bound).sum())
    assert 0 < done <= 300
    np.testing.assert_array_equal(partly[:done], out[:done])
    assert not partly[done:].any()


@pytest.mark.parametrize("target, steps", [("cpu", 400), ("sm_90", 700)])
def test_functions_have_a_bounded_length(target, steps):
    compiled = unrolled.warmup(tl.int32, tl.int32, 200, steps, STEPS=steps, target=target)
    assert parts(compiled) > 0
    bodies = re.findall(r"^define .*?^}", compiled.asm["llvm"], re.MULTILINE | re.DOTALL)
    # The limit is 16384 operations; an operation becomes less than two lines on average.
    assert max(body.count("\n") for body in bodies) < 2 * 16384
