# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans along every axis, to the bit."""

import eft
import eft.language as tl
import numpy as np
import pytest
from blocks import FLOATS, INTEGERS, cases, offsets, run, samples
from eft.reference import scan_in_order
from support import DTYPES, assert_same_bits

SHAPES = [
    ((128,), 0),
    ((4, 8), 1),
    ((1,), 0),
    ((8,), 0),
    ((1024,), -1),
    ((4, 8), 0),
    ((32, 16), 0),
    ((2, 4, 8), 1),
    ((16, 4, 8), 0),
]


@eft.jit
def sums(x_ptr, out_ptr, SHAPE: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    x = tl.load(x_ptr + offsets(SHAPE))
    tl.store(out_ptr + offsets(SHAPE), tl.cumsum(x, AXIS, reverse=REVERSE))


@eft.jit
def products(x_ptr, out_ptr, SHAPE: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    x = tl.load(x_ptr + offsets(SHAPE))
    tl.store(out_ptr + offsets(SHAPE), x.cumprod(AXIS, REVERSE))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name, shape, axis", cases(FLOATS, SHAPES))
def test_scans_of_floats(device, name, shape, axis, reverse):
    x = samples(name, shape, special=False)
    for kernel, combine in ((sums, np.add), (products, np.multiply)):
        with np.errstate(all="ignore"):
            expected = scan_in_order(x, axis, combine, reverse)
        found = run(device, kernel, (x,), shape, x.dtype, SHAPE=shape, AXIS=axis, REVERSE=reverse)
        assert_same_bits(found, expected)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name, shape, axis", cases(INTEGERS, SHAPES, "int32"))
def test_scans_of_integers(device, name, shape, axis, reverse):
    x = samples(name, shape)
    dtype = x.dtype
    if dtype.itemsize < 4:
        dtype = np.dtype(np.int32 if dtype.kind == "i" else np.uint32)
    for kernel, scan in ((sums, np.cumsum), (products, np.cumprod)):
        source = np.flip(x, axis) if reverse else x
        expected = scan(source, axis, dtype)
        expected = np.flip(expected, axis) if reverse else expected
        found = run(device, kernel, (x,), shape, dtype, SHAPE=shape, AXIS=axis, REVERSE=reverse)
        assert_same_bits(found, np.ascontiguousarray(expected))


@eft.jit
def sums_in_type(x_ptr, out_ptr, DTYPE: tl.constexpr):
    i = tl.arange(0, 64)
    tl.store(out_ptr + i, tl.cumsum(tl.load(x_ptr + i), dtype=DTYPE))


@pytest.mark.parametrize(
    "name, dtype, wanted",
    [("int8", tl.int8, "int8"), ("int8", tl.int64, "int64"), ("fp16", tl.float64, "fp64")],
)
def test_sums_in_another_type(device, name, dtype, wanted):
    x = samples(name, (64,), special=False)
    expected = scan_in_order(x.astype(DTYPES[wanted]), 0, np.add)
    assert_same_bits(run(device, sums_in_type, (x,), 64, DTYPES[wanted], DTYPE=dtype), expected)


@eft.jit
def affine(a, b, c, d):
    """The composition of x ↦ a x + b with x ↦ c x + d, which is applied second."""
    return a * c, b * c + d


@eft.jit
def recurrence(
    a_ptr, b_ptr, out_ptr, SHAPE: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr
):
    i = offsets(SHAPE)
    scale, shift = tl.associative_scan(
        (tl.load(a_ptr + i), tl.load(b_ptr + i)), AXIS, affine, reverse=REVERSE
    )
    tl.store(out_ptr + i, scale)
    tl.store(out_ptr + scale.numel + i, shift)


def recurrence_in_order(a, b, axis, reverse):
    def combine(a, b, c, d):
        return a * c, b * c + d

    with np.errstate(over="ignore"):
        return np.stack(scan_in_order((a, b), axis, combine, reverse))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("shape, axis", SHAPES)
def test_functions_of_two_values(device, shape, axis, reverse):
    a, b = (samples("int32", shape, seed) for seed in (1, 2))
    constants = {"SHAPE": shape, "AXIS": axis, "REVERSE": reverse}
    found = run(device, recurrence, (a, b), (2, *shape), a.dtype, **constants)
    assert_same_bits(found, recurrence_in_order(a, b, axis, reverse))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    "shape, axis, num_warps",
    [((16384,), 0, 8), ((16384,), 0, 16), ((8192, 2), 0, 16), ((4, 4096), 1, 16)],
)
def test_scans_of_many_parts(device, shape, axis, num_warps, reverse):
    """A scan joins parts of an axis. Here a thread can't keep the last elements of all parts, so
    the lanes of a warp share them."""
    constants = {"SHAPE": shape, "AXIS": axis, "REVERSE": reverse}
    x = samples("fp32", shape, special=False)
    expected = scan_in_order(x, axis, np.add, reverse)
    found = run(device, sums, (x,), shape, x.dtype, num_warps, **constants)
    assert_same_bits(found, expected)

    a, b = (samples("int32", shape, seed) for seed in (1, 2))
    found = run(device, recurrence, (a, b), (2, *shape), a.dtype, num_warps, **constants)
    assert_same_bits(found, recurrence_in_order(a, b, axis, reverse))


@eft.jit
def larger(a, b):
    return tl.maximum(a, b)


@eft.jit
def running_maximum(x_ptr, out_ptr, REVERSE: tl.constexpr):
    i = tl.arange(0, 256)
    tl.store(out_ptr + i, tl.load(x_ptr + i).associative_scan(0, larger, REVERSE))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", ["int8", "uint16", "fp16", "bf16", "fp32", "fp64"])
def test_running_maxima(device, name, reverse):
    x = samples(name, (256,))
    x[x == 0] = 1
    expected = scan_in_order(x, 0, np.fmax, reverse)
    found = run(device, running_maximum, (x,), 256, x.dtype, REVERSE=reverse)
    assert_same_bits(found, expected)
