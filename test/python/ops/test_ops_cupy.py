# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""eft.ops on arrays of CuPy."""

from __future__ import annotations

import eft.ops
import numpy as np
import pytest
from eft.ops import places

cupy = pytest.importorskip("cupy")


@pytest.fixture(autouse=True)
def gpu():
    if not cupy.cuda.is_available():
        pytest.skip("there is no GPU")


def numbers(*shape) -> np.ndarray:
    return np.random.default_rng(1).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("shape", [(1, 1), (70, 64), (33, 100), (9, 257), (500, 13), (0, 5)])
def test_gives_what_numpys_arrays_give(shape):
    x, dy = numbers(*shape), numbers(*shape)
    y, mask = eft.ops.dropout(cupy.asarray(x), 0.25, 7)
    assert type(y) is type(mask) is cupy.ndarray
    expected, kept = eft.ops.dropout(x, 0.25, 7)
    np.testing.assert_array_equal(y.get(), expected)
    np.testing.assert_array_equal(mask.get(), kept)
    gradient = eft.ops.dropout_backward(dy, kept, 0.25)
    given = eft.ops.dropout_backward(cupy.asarray(dy), mask, 0.25)
    np.testing.assert_array_equal(given.get(), gradient)
    seeded = eft.ops.dropout_seed_backward(cupy.asarray(dy), 7, 0.25)
    np.testing.assert_array_equal(seeded.get(), gradient)


def test_a_matrix_that_is_not_row_major():
    x = numbers(40, 30)
    y, _ = eft.ops.dropout(cupy.asarray(x).T, 0.5, 3)
    np.testing.assert_array_equal(y.get(), eft.ops.dropout(x.T, 0.5, 3)[0])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_any_type_rank_and_strides(dtype):
    x = numbers(3, 40, 2, 30).astype(dtype)[:, ::-2].transpose(3, 0, 2, 1)
    on_gpu = cupy.asarray(x.base)[:, ::-2].transpose(3, 0, 2, 1)
    assert on_gpu.strides == x.strides
    y, mask = eft.ops.dropout(on_gpu, 0.5, 3)
    expected, kept = eft.ops.dropout(x, 0.5, 3)
    np.testing.assert_array_equal(y.get(), expected)
    np.testing.assert_array_equal(mask.get(), kept)


def test_works_in_the_current_stream():
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        x = cupy.zeros((3000, 1001), cupy.float32)
        x += 3
        y, _ = eft.ops.dropout(x, 0.5, 3)
        y += 1
    stream.synchronize()
    expected, _ = eft.ops.dropout(np.full((3000, 1001), 3, np.float32), 0.5, 3)
    np.testing.assert_array_equal(y.get(), expected + 1)


def test_holds_numpys_arrays_where_there_is_no_pytorch(monkeypatch):
    monkeypatch.setattr(places, "_find", lambda name: cupy if name == "cupy" else None)
    x = numbers(20, 300)
    y, mask = eft.ops.dropout(x, 0.5, 5, device="cuda:0")
    assert type(y) is type(mask) is np.ndarray
    expected, kept = eft.ops.dropout(x, 0.5, 5)
    np.testing.assert_array_equal(y, expected)
    np.testing.assert_array_equal(mask, kept)


def test_a_mistake():
    with pytest.raises(ValueError, match="X has dtype i32, expected fp16, bf16, fp32 or fp64"):
        eft.ops.dropout(cupy.ones((4, 6), "i4"))
    with pytest.raises(TypeError, match="dY and mask must be of one library, got <class 'cupy"):
        eft.ops.dropout_backward(cupy.ones((2, 2), "f4"), np.ones((2, 2), np.int32), 0.5)
