# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads, stores, offsets and the grid."""

import eft
import eft.language as tl
import numpy as np
import pytest
from support import DTYPES, assert_same_bits


@eft.jit
def copy(x_ptr, y_ptr, n, OTHER: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n, other=OTHER))


@pytest.mark.parametrize("name", list(DTYPES))
@pytest.mark.parametrize("other", [None, 1])
def test_a_masked_load(device, name, other):
    x = np.arange(1, 65).astype(DTYPES[name])
    out = device.put(np.full(64, 9).astype(DTYPES[name]))
    copy[1](device.put(x), out, 37, OTHER=other, N=64)
    x[37:] = other or 0
    assert_same_bits(device.get(out), x)


@eft.jit
def masked_store(y_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, i, mask=(i % 3 == 0) & (i < n))


def test_a_scattered_mask(device):
    out = device.put(np.full(64, -1, np.int32))
    masked_store[1](out, 50, N=64)
    expected = [i if i % 3 == 0 and i < 50 else -1 for i in range(64)]
    assert device.get(out).tolist() == expected


@eft.jit
def constant_masks(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=True, other=5.0))
    tl.store(y_ptr + N + i, tl.load(x_ptr + i, mask=False, other=5.0))
    tl.store(y_ptr + i, 7.0, mask=False)


def test_masks_that_are_known_at_compile_time(device):
    out = device.put(np.zeros(16, np.float32))
    constant_masks[1](device.put(np.arange(8, dtype=np.float32)), out, N=8)
    assert device.get(out).tolist() == [*range(8), *[5.0] * 8]


@eft.jit
def gather(x_ptr, index_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    index = tl.load(index_ptr + i)
    tl.store(y_ptr + i, tl.load(x_ptr + index))


@pytest.mark.parametrize(
    "name", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
)
def test_offsets_of_every_type(device, name):
    x = np.arange(256, dtype=np.float32)
    index = np.random.default_rng(0).integers(0, 128, 64).astype(DTYPES[name])
    if name == "uint8":
        index += 100  # some indices exceed the largest int8
    out = device.put(np.zeros(64, np.float32))
    gather[1](device.put(x), device.put(index), out, N=64)
    np.testing.assert_array_equal(device.get(out), x[index.astype(int)])


@eft.jit
def reverse(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + N - 1 - i, tl.load(x_ptr + i))


def test_negative_offsets(device):
    x = np.arange(64, dtype=np.int16)
    out = device.put(np.zeros(64, np.int16))
    reverse[1](device.put(x), out, N=64)
    np.testing.assert_array_equal(device.get(out), x[::-1])


@eft.jit
def far(x_ptr, offset, back):
    # `offset - back` is small, but neither of the two fits into 32 bits.
    p = x_ptr + (offset + tl.arange(0, 4))
    tl.store(p - back, tl.arange(0, 4) + 1)


def test_offsets_of_64_bits(device):
    out = device.put(np.zeros(8, np.int32))
    far[1](out, 2**40 + 2, 2**40)
    assert device.get(out).tolist() == [0, 0, 1, 2, 3, 4, 0, 0]


@eft.jit
def back_from(x_ptr, back_ptr):
    tl.store(x_ptr + 256 - tl.load(back_ptr), 1)


@pytest.mark.parametrize(
    "name, back",
    [("int1", 1), ("int8", -128), ("uint8", 200), ("int16", -(2**15)), ("int32", -7), ("int64", 7)],
)
def test_an_offset_that_is_taken_away_is_widened_first(device, name, back):
    out = device.put(np.zeros(2**16, np.int32))
    back_from[1](out, device.put(np.full(1, back).astype(DTYPES[name])))
    assert np.flatnonzero(device.get(out)).tolist() == [256 - back]


@eft.jit
def places(out_ptr, N: tl.constexpr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(axis=2)
    index = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x
    value = z * 100 + y * 10 + x + tl.num_programs(2) * 1000
    tl.store(out_ptr + index * N + tl.arange(0, N), value)


def test_a_grid_of_three_dimensions(device):
    out = device.put(np.zeros(2 * 3 * 4 * 8, np.int32))
    places[(4, 3, 2)](out, N=8)
    expected = [
        [2000 + z * 100 + y * 10 + x] * 8 for z in range(2) for y in range(3) for x in range(4)
    ]
    assert device.get(out).reshape(-1, 8).tolist() == expected


@eft.jit
def scalar_store(x_ptr, y_ptr, n):
    x = tl.load(x_ptr + 1, mask=n > 1, other=-1.0)
    tl.store(y_ptr, x, mask=n > 0)


@pytest.mark.parametrize("n, expected", [(0, 7.0), (1, -1.0), (2, 4.0)])
def test_single_elements(device, n, expected):
    x, out = np.array([3.0, 4.0], np.float32), device.put(np.array([7.0], np.float32))
    scalar_store[1](device.put(x), out, n)
    assert device.get(out)[0] == expected


@eft.jit
def hints(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i, cache_modifier=".cg", eviction_policy="evict_last")
    tl.store(y_ptr + i, x, cache_modifier=".cs", eviction_policy="evict_first")


def test_hints_change_no_result(device):
    x, out = np.arange(32.0, dtype=np.float32), device.put(np.zeros(32, np.float32))
    hints[1](device.put(x), out, N=32)
    np.testing.assert_array_equal(device.get(out), x)


@eft.jit
def filled(out_ptr, value, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.full((N,), value, tl.float32))
    tl.store(out_ptr + N + i, tl.full((N,), 2, tl.int64))
    tl.store(out_ptr + 2 * N + i, tl.zeros([N], dtype=tl.int8))


def test_full_and_zeros(device):
    out = device.put(np.ones(48, np.float32))
    filled[1](out, 1.5, N=16)
    assert device.get(out).tolist() == [1.5] * 16 + [2.0] * 16 + [0.0] * 16


def test_an_unsupported_dtype():
    with pytest.raises(TypeError) as raised:
        copy[1](np.zeros(4, np.complex64), np.zeros(4, np.float32), 4, OTHER=None, N=4)
    assert "complex64" in str(raised.value)


def test_a_read_only_array():
    x, out = np.ones(4, np.float32), np.zeros(4, np.float32)
    for array in (x, out):
        array.flags.writeable = False
    with pytest.raises(eft.CompilationError) as raised:
        copy[1](x, out, 4, OTHER=None, N=4)
    assert raised.value.message == "can't store through a pointer to read-only memory"
    assert not out.any()
