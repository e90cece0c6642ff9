# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of libdevice on integers, against Python."""

import eft
import eft.language as tl
import numpy as np
import pytest
from libdevice_calls import N, run
from support import assert_same_bits


def integers(dtype, seed):
    info = np.iinfo(dtype)
    generator = np.random.default_rng(seed)
    x = generator.integers(info.min, info.max, N, dtype, endpoint=True)
    x[: N // 2] >>= generator.integers(0, info.bits, N // 2).astype(dtype)
    x[:3] = [info.min, info.max, 0]
    return x


def bits_of(x, width):
    return f"{int(x) % 2**width:0{width}b}"


BITS = {
    "clz": lambda x, w: w - len(bits_of(x, w).lstrip("0")),
    "popc": lambda x, w: bits_of(x, w).count("1"),
    "ffs": lambda x, w: bits_of(x, w)[::-1].find("1") + 1,
}


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32])
@pytest.mark.parametrize("name", BITS)
def test_counts_of_bits(device, name, dtype):
    x = integers(dtype, 1)
    expected = [BITS[name](each, 8 * x.itemsize) for each in x]
    assert run(device, name, x, dtype=np.int32).tolist() == expected


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_bits_in_reverse(device, dtype):
    x = integers(dtype, 2)
    width = 8 * x.itemsize
    expected = np.array([int(bits_of(each, width)[::-1], 2) for each in x], f"u{x.itemsize}")
    assert_same_bits(run(device, "brev", x), expected.view(dtype))


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64])
@pytest.mark.parametrize("name", ["mulhi", "umulhi", "tl.umulhi"])
def test_upper_halves_of_products(device, name, dtype):
    x, y = integers(dtype, 3), integers(dtype, 4)
    width = 8 * x.itemsize
    modulus = 1 if name == "mulhi" else 2**width

    def operand(value):
        return int(value) % 2**width if modulus > 1 else int(value)

    products = [operand(a) * operand(b) >> width for a, b in zip(x, y, strict=True)]
    expected = np.array([each % 2**width for each in products], f"u{x.itemsize}").view(dtype)
    if name == "tl.umulhi":
        out = device.put(np.zeros(N, dtype))
        of_language[1](device.put(x), device.put(y), out, N=N)
        assert_same_bits(device.get(out), expected)
    else:
        assert_same_bits(run(device, name, x, y), expected)


@eft.jit
def of_language(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.umulhi(tl.load(x_ptr + i), tl.load(y_ptr + i)))


WORDS = {
    "mul24": lambda a, b: _low24(a) * _low24(b),
    "hadd": lambda a, b: (a + b) >> 1,
    "rhadd": lambda a, b: (a + b + 1) >> 1,
}


def _low24(x):
    return (x + 2**23) % 2**24 - 2**23


@pytest.mark.parametrize("name", WORDS)
def test_words(device, name):
    x, y = integers(np.int32, 5), integers(np.int32, 6)
    values = [WORDS[name](int(a), int(b)) % 2**32 for a, b in zip(x, y, strict=True)]
    assert_same_bits(run(device, name, x, y), np.array(values, np.uint32).view(np.int32))


def test_sum_of_distances(device):
    x, y = integers(np.int32, 7), integers(np.int32, 8)
    z = integers(np.uint32, 9)
    values = [(abs(int(a) - int(b)) + int(c)) % 2**32 for a, b, c in zip(x, y, z, strict=True)]
    assert_same_bits(run(device, "sad", x, y, z, dtype=np.uint32), np.array(values, np.uint32))


def test_chosen_bytes(device):
    x, y, selector = (integers(np.int32, seed) for seed in (10, 11, 12))

    def one(a, b, s):
        source = (int(a) % 2**32).to_bytes(4, "little") + (int(b) % 2**32).to_bytes(4, "little")
        return int.from_bytes([source[(int(s) >> 4 * i) & 7] for i in range(4)], "little")

    expected = np.array([one(*each) for each in zip(x, y, selector, strict=True)], np.uint32)
    assert_same_bits(run(device, "byte_perm", x, y, selector), expected.view(np.int32))
