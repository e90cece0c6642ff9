# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The conversions of libdevice, against NumPy."""

import numpy as np
import pytest
from elementary import operands
from libdevice_calls import N, away_from_zero, run
from support import assert_same_bits


@pytest.mark.parametrize(
    "mode, function",
    [("rn", np.rint), ("rz", np.trunc), ("rd", np.floor), ("ru", np.ceil)],
)
@pytest.mark.parametrize("target", ["int", "uint", "ll", "ull"])
@pytest.mark.parametrize("source, dtype", [("float", "fp32"), ("double", "fp64")])
def test_floats_to_integers(device, source, dtype, target, mode, function):
    integer = {"int": np.int32, "uint": np.uint32, "ll": np.int64, "ull": np.uint64}[target]
    info = np.iinfo(integer)
    x = operands(dtype, -1000, 1000, N)
    x[:6] = [2.5, 3.5, -0.5, 1e30, -1e30, 0.5]
    found = run(device, f"{source}2{target}_{mode}", x, dtype=integer)
    expected = [
        0
        if np.isnan(v)
        else min(max(int(v), info.min), info.max)
        if np.isfinite(v)
        else (info.max if v > 0 else info.min)
        for v in function(x.astype(np.float64))
    ]
    assert found.tolist() == expected


@pytest.mark.parametrize("name, mode", [("llrint", np.rint), ("llround", away_from_zero)])
def test_floats_to_the_nearest_integers(device, name, mode):
    x = (np.arange(N) / 4 - 7).astype(np.float32)
    found = run(device, name, x, dtype=np.int64)
    assert found.tolist() == mode(x.astype(np.float64)).astype(np.int64).tolist()


@pytest.mark.parametrize("source", ["int", "uint", "ll", "ull"])
@pytest.mark.parametrize("target, dtype", [("float", np.float32), ("double", np.float64)])
def test_integers_to_floats(device, source, target, dtype):
    integer = {"int": np.int32, "uint": np.uint32, "ll": np.int64, "ull": np.uint64}[source]
    info = np.iinfo(integer)
    x = np.random.default_rng(0).integers(info.min, info.max, N, integer, endpoint=True)
    assert_same_bits(run(device, f"{source}2{target}_rn", x, dtype=dtype), x.astype(dtype))


def test_fp64_to_fp32(device):
    x = operands("fp64", -10, 10, N)
    assert_same_bits(run(device, "double2float_rn", x, dtype=np.float32), x.astype(np.float32))


REINTERPRETATIONS = [
    ("float_as_int", np.float32, np.int32),
    ("float_as_uint", np.float32, np.uint32),
    ("int_as_float", np.int32, np.float32),
    ("uint_as_float", np.uint32, np.float32),
    ("double_as_longlong", np.float64, np.int64),
    ("longlong_as_double", np.int64, np.float64),
]


@pytest.mark.parametrize("name, source, target", REINTERPRETATIONS)
def test_reinterpretations(device, name, source, target):
    x = np.arange(N).astype(source)
    np.testing.assert_array_equal(run(device, name, x, dtype=target), x.view(target))


def test_halves_of_fp64(device):
    x = operands("fp64", -10, 10, N)
    x = np.where(np.isnan(x), 1, x)
    high = run(device, "double2hiint", x, dtype=np.int32)
    low = run(device, "double2loint", x, dtype=np.int32)
    assert_same_bits(high, (x.view(np.int64) >> 32).astype(np.int32))
    assert_same_bits(low, x.view(np.int64).astype(np.int32))
    assert_same_bits(run(device, "hiloint2double", high, low, dtype=np.float64), x)
