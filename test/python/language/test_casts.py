# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions between all types, to the bit."""

import eft
import eft.language as tl
import numpy as np
import pytest
import reference
from support import DTYPES, assert_same_bits

N = 256


@eft.jit
def convert(x_ptr, out_ptr, DTYPE: tl.constexpr, BITCAST: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i).to(DTYPE, bitcast=BITCAST))


def samples(name: str) -> np.ndarray:
    """Values at which a wrong conversion shows: ends of ranges, powers of two, ties."""
    generator = np.random.default_rng(len(name))
    dtype = DTYPES[name]
    if dtype == np.bool_:
        return generator.integers(0, 2, N).astype(dtype)
    powers = [2**k + d for k in range(64) for d in (-1, 0, 1)]
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        # Middles between two neighbouring narrow floats, and the integers next to them.
        halves = [(1 << k) + (1 << k - 9) + d for k in range(9, 63) for d in (-1, 0, 1)]
        values = powers + halves + [limits.min, limits.max] + [-value for value in powers]
        values = [value for value in values if limits.min <= value <= limits.max]
        values = generator.permutation(np.array(values, dtype))[: N - 2]
        return np.concatenate([values, np.array([limits.min, limits.max], dtype)]).repeat(3)[:N]
    with np.errstate(all="ignore"):
        halves = [
            1 + 2.0**-k + d for k in (8, 9, 11, 12, 24, 25) for d in (-(2.0**-40), 0, 2.0**-40)
        ]
        values = [
            0.0,
            -0.0,
            0.49,
            0.5,
            0.99,
            -0.99,
            -1.0,
            1e-8,
            6e-8,
            1e-40,
            65504.0,
            65519.9,
            65520.0,
        ]
        values += [3.3e38, 3.4028235677973366e38, 1e300, np.inf, -np.inf, np.nan]
        values += powers[-60:] + [value + 0.5 for value in powers[:60]] + halves
        values += [-value for value in values]
        return generator.permutation(np.array(values, np.float64))[:N].astype(dtype)


def check(device, x, target, bitcast, expected):
    length = 1 << (len(x) - 1).bit_length()
    x = np.concatenate([x, np.zeros(length - len(x), x.dtype)])
    expected = np.concatenate([expected, np.zeros(length - len(expected), expected.dtype)])
    out = device.put(np.zeros(length, DTYPES[target]))
    dtype = tl.dtype(target)
    convert[1](device.put(x), out, DTYPE=dtype, BITCAST=bitcast, N=length)
    assert_same_bits(device.get(out), expected)


@pytest.mark.parametrize("target", list(DTYPES))
@pytest.mark.parametrize("source", list(DTYPES))
def test_every_pair(device, source, target):
    x = samples(source)
    check(device, x, target, False, reference.convert(x, DTYPES[target]))


@eft.jit
def convert_through(x_ptr, out_ptr, THROUGH: tl.constexpr, DTYPE: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i).to(THROUGH).to(DTYPE))


@pytest.mark.parametrize("target", ["fp16", "bf16", "fp32", "fp64"])
@pytest.mark.parametrize("through", ["uint32", "uint64"])
@pytest.mark.parametrize("source", ["int8", "int16", "int32"])
def test_signed_numbers_that_become_floats_as_unsigned_ones(device, source, through, target):
    """A thread loads 32 bits at once: four bytes, or two integers of 16 bits. On a GPU, the
    conversion takes the 32 bits apart."""
    x = np.resize(samples(source), N)
    out = device.put(np.zeros(N, DTYPES[target]))
    types = {"THROUGH": tl.dtype(through), "DTYPE": tl.dtype(target)}
    convert_through[1](device.put(x), out, **types, N=N, num_warps=1)
    expected = reference.convert(x.astype(DTYPES[through]), DTYPES[target])
    assert_same_bits(device.get(out), expected)


def test_the_reference_on_known_values():
    def one(value, source, target):
        found = reference.convert(np.array([value], DTYPES[source]), DTYPES[target])
        return float(found[0]) if target in ("fp16", "bf16", "fp32", "fp64") else int(found[0])

    assert one(2**24 + 1, "int32", "fp32") == 2.0**24
    assert one(float("nan"), "fp32", "int32") == 0
    assert one(1e20, "fp64", "int64") == 2**63 - 1
    assert one(-1.5, "fp32", "uint8") == 0
    assert one(-1.5, "fp32", "int8") == -1
    assert one(float("-inf"), "fp16", "int16") == -(2**15)
    # The numbers are just above a middle: rounding twice would round them down.
    assert one(1 + 2**-8 + 2**-40, "fp64", "bf16") == 1 + 2**-7
    assert one(1 + 2**-11 + 2**-40, "fp64", "fp16") == 1 + 2**-10
    assert one((1 << 40) + (1 << 32) + 1, "int64", "bf16") == (1 << 40) + (1 << 33)
    assert one(1e300, "fp64", "bf16") == float("inf")
    assert one(-1, "int8", "uint64") == 2**64 - 1


@pytest.mark.parametrize(
    "source, target",
    [
        (source, target)
        for source in list(DTYPES)[1:]
        for target in list(DTYPES)[1:]
        if DTYPES[source].itemsize == DTYPES[target].itemsize
    ],
)
def test_bitcasts(device, source, target):
    x = samples(source)
    check(device, x, target, True, x.view(DTYPES[target]))


@eft.jit
def stored(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i))


def test_a_store_converts_to_the_type_of_the_memory(device):
    x = np.array([1.5, -1.5, 300.0, np.nan], np.float32)
    for dtype in DTYPES.values():
        out = device.put(np.zeros(4, dtype))
        stored[1](device.put(x), out, N=4)
        assert_same_bits(device.get(out), reference.convert(x, dtype))


@eft.jit
def cast_function(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.cast(tl.load(x_ptr + i), tl.float16, fp_downcast_rounding="rtne")
    tl.store(out_ptr + i, tl.cast(x, tl.int32))


def test_cast_as_a_function(device):
    out = device.put(np.zeros(4, np.int32))
    cast_function[1](device.put(np.array([2049.0, 2051.0, -3.7, 0.1], np.float32)), out, N=4)
    assert device.get(out).tolist() == [2048, 2052, -3, 0]


def address(array) -> int:
    return array.data_ptr() if hasattr(array, "data_ptr") else array.ctypes.data


@eft.jit
def rows_of_a_table(table, lengths, out, ROWS: tl.constexpr, N: tl.constexpr):
    rows, i = tl.arange(0, ROWS), tl.arange(0, N)
    starts = tl.load(table + rows).to(tl.pointer_type(tl.float32))
    inside = i[None, :] < tl.load(lengths + rows)[:, None]
    x = tl.load(starts[:, None] + i[None, :], mask=inside, other=-1)
    first = tl.load(table).to(tl.pointer_type(tl.float32))
    tl.store(first + i, x.sum(0), mask=i < tl.load(lengths))
    tl.store(out + rows[:, None] * N + i[None, :], x)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_pointers_from_a_table_of_addresses(device, dtype):
    lengths = np.array([5, 16, 1, 9], np.int32)
    rows = [np.arange(n, 2 * n, dtype=np.float32) for n in lengths]
    placed = [device.put(row) for row in rows]
    table = device.put(np.array([address(row) for row in placed], dtype))
    out = device.put(np.zeros((4, 16), np.float32))
    rows_of_a_table[1](table, device.put(lengths), out, ROWS=4, N=16)
    expected = np.stack([np.pad(row, (0, 16 - len(row)), constant_values=-1) for row in rows])
    np.testing.assert_array_equal(device.get(out), expected)
    np.testing.assert_array_equal(device.get(placed[0]), expected.sum(0)[:5])


@eft.jit
def computes_addresses(x_ptr, address, out, N: tl.constexpr):
    i = tl.arange(0, N)
    same = (x_ptr.to(tl.int64) + 8 * i.to(tl.int64)).to(tl.pointer_type(tl.float64))
    passed = tl.cast(address, tl.pointer_type(tl.float64)) + i
    distance = passed.to(tl.uint64, bitcast=True) - x_ptr.to(tl.uint64)
    nothing = tl.cast(0, tl.pointer_type(tl.int8))
    flags = x_ptr.to(tl.int1).to(tl.int32) * 2 + nothing.to(tl.int1).to(tl.int32)
    tl.store(out + i, tl.load(same) + tl.load(passed) + distance + flags)


def test_addresses_are_numbers(device):
    x, out = device.put(np.arange(8) / 4), device.put(np.zeros(8))
    computes_addresses[1](x, address(x), out, N=8)
    np.testing.assert_array_equal(device.get(out), np.arange(8) / 2 + np.arange(8) * 8 + 2)


@eft.jit
def stored_as_the_array_has_it(x_ptr, out_ptr, ROUNDING: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, x.to(out_ptr.dtype.element_ty, fp_downcast_rounding=ROUNDING))


@pytest.mark.parametrize("rounding", ["rtne", "rtz"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32])
def test_a_rounding_of_what_has_the_type_already(device, dtype, rounding):
    x = np.arange(-8, 8).astype(dtype)
    out = device.put(np.zeros_like(x))
    stored_as_the_array_has_it[1](device.put(x), out, ROUNDING=rounding, N=16)
    np.testing.assert_array_equal(device.get(out), x)
