# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""eft.ops.dropout of arrays of every float type, rank and layout."""

from __future__ import annotations

import eft.ops
import numpy as np
import pytest
from dropout_reference import uniforms
from eft import _ops
from eft.ops.arrays import library_of
from support import DTYPES

SEED, P = 0x123456789ABCDEF, 0.3
TYPES = ["fp16", "bf16", "fp32", "fp64"]


def numbers(shape, dtype: str) -> np.ndarray:
    random = np.random.default_rng(1)
    return (random.standard_normal(shape) * 8).astype(DTYPES[dtype])


def kept_of(shape) -> np.ndarray:
    """The mask, by the definition in docs/operators.md."""
    columns = shape[-1] if shape else 1
    rows = int(np.prod(shape[:-1]))
    return (uniforms(SEED, rows, columns) >= np.float32(P)).reshape(shape)


def dropped(x: np.ndarray, kept: np.ndarray) -> np.ndarray:
    of = np.float64 if x.dtype == np.float64 else np.float32
    scale = of(1) / (of(1) - of(np.float32(P)))
    return np.where(kept, x.astype(of) * scale, of(0)).astype(x.dtype)


def view_like(stored, whole: np.ndarray, view: np.ndarray) -> tuple:
    """The operators' view of the elements of `stored` that correspond to `view`. `stored` is a copy
    of the array `whole`, and `view` is a NumPy view of `whole`."""
    size = whole.itemsize
    address, _, _, *rest = library_of(stored).view(stored)
    strides = tuple(stride // size for stride in view.strides)
    return address + view.ctypes.data - whole.ctypes.data, view.shape, strides, *rest


SHAPES = [(), (5,), (1, 1), (9, 1009), (3, 5, 100), (1, 1, 1, 1, 1, 1, 1, 7), (1041, 130)]
#: More than 1024 rows. The number of columns is a multiple of 4, or of 8.
SHAPES += [(1163, 36), (1163, 40)]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [*SHAPES, (2, 600, 33)])
def test_every_type_and_rank(device, shape, dtype):
    x = numbers(shape, dtype)
    y, mask = eft.ops.dropout(device.put(x), P, SEED)
    kept = kept_of(shape)
    np.testing.assert_array_equal(device.get(mask), kept)
    found = device.get(y)
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(found, dropped(x, kept))
    alone, _ = eft.ops.dropout(device.put(x), P, SEED, return_mask=False)
    np.testing.assert_array_equal(device.get(alone), found)
    for back in (
        eft.ops.dropout_backward(device.put(x), mask, P),
        eft.ops.dropout_seed_backward(device.put(x), SEED, P),
    ):
        np.testing.assert_array_equal(device.get(back), found)


#: By name, the shape of an array, and a function that takes a view of the array.
LAYOUTS = {
    "gaps between rows": ((70, 300), lambda x: x[:, 5:265]),
    "gaps between columns": ((1100, 90), lambda x: x[:, ::3]),
    "turned": ((130, 1150), lambda x: x.T),
    "turned, with gaps": ((130, 1150), lambda x: x.T[::2, 3:]),
    "backwards": ((1100, 40), lambda x: x[::-1, ::-1]),
    "few columns of many": ((2000, 8), lambda x: x[:, :3]),
    "one column": ((3000, 2), lambda x: x[:, 1:]),
    "channels last": ((2, 9, 70, 33), lambda x: x.transpose(0, 3, 1, 2)),
    "windows": ((4, 6, 4, 6, 17), lambda x: x.transpose(0, 2, 1, 3, 4)),
    "all axes in the reverse order": ((2, 3, 4, 5, 2, 3, 2, 4), lambda x: x.T),
    "repeated": ((1, 40, 1), lambda x: np.broadcast_to(x, (30, 40, 70))),
    # Neighbours in memory form units of 16 bytes that begin at multiples of 16 bytes.
    "aligned rows": ((1100, 144), lambda x: x[:, 16:]),
    "aligned, turned": ((104, 1168), lambda x: x.T),
    "aligned, few rows turned": ((200, 40), lambda x: x.T),
    "aligned heads": ((2, 700, 3, 72), lambda x: x.transpose(0, 2, 1, 3)),
    "aligned outputs of heads": ((2, 3, 700, 72), lambda x: x.transpose(0, 2, 1, 3)),
    "aligned, turned in parts": ((3, 40, 800), lambda x: x.transpose(0, 2, 1)),
    "aligned, turned in small parts": ((70, 40, 24), lambda x: x.transpose(0, 2, 1)),
    "aligned, three axes": ((2, 8, 9, 11, 16), lambda x: x.transpose(3, 2, 0, 1, 4)),
    "aligned, four axes": ((2, 8, 9, 11, 16), lambda x: x.transpose(3, 2, 1, 0, 4)),
    # Neighbours in memory lie in different rows, and not in neighbouring ones.
    "images": ((3, 20, 10, 32), lambda x: x.transpose(0, 3, 1, 2)),
    "images with gaps": ((3, 20, 12, 48), lambda x: x.transpose(0, 3, 1, 2)[:, :32, :, 1:11]),
    "few channels": ((2, 40, 90, 12), lambda x: x.transpose(0, 3, 1, 2)),
    "volumes": ((2, 3, 4, 5, 8), lambda x: x.transpose(0, 4, 1, 2, 3)),
    "matrices in the reverse order": ((40, 30, 48), lambda x: x.T),
}

#: The layouts in `LAYOUTS` that can be written.
WRITTEN = [name for name in LAYOUTS if name != "repeated"]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout_is_read(device, name, dtype):
    shape, view_of = LAYOUTS[name]
    whole = numbers(shape, dtype)
    x = view_of(whole)
    kept = kept_of(x.shape)
    stored = device.put(whole)
    library = library_of(stored)
    X, stream = view_like(stored, whole, x), library.stream(stored)
    for has_mask in (True, False):
        y = device.put(np.full(x.shape, 77, DTYPES[dtype]))
        mask = device.put(np.full(x.shape, 77, np.int32))
        M = library.view(mask) if has_mask else None
        _ops.dropout(X, library.view(y), M, P, True, SEED, stream)
        np.testing.assert_array_equal(device.get(y), dropped(x, kept))
        np.testing.assert_array_equal(device.get(mask), kept if has_mask else 77)
    mask, dx = device.put(kept.astype(np.int32)), device.put(np.full(x.shape, 77, DTYPES[dtype]))
    _ops.dropout_backward(X, library.view(mask), library.view(dx), P, True, stream)
    np.testing.assert_array_equal(device.get(dx), dropped(x, kept))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", WRITTEN)
def test_every_layout_is_written(device, name, dtype):
    shape, view_of = LAYOUTS[name]
    whole, masks = np.full(shape, 77, DTYPES[dtype]), np.full(shape, 77, np.int32)
    y, mask = view_of(whole), view_of(masks)
    x = numbers(y.shape, dtype)
    kept = kept_of(x.shape)
    stored_x, stored, stored_mask = device.put(x), device.put(whole), device.put(masks)
    library = library_of(stored)
    Y, M = view_like(stored, whole, y), view_like(stored_mask, masks, mask)
    X, stream = library.view(stored_x), library.stream(stored)
    _ops.dropout(X, Y, M, P, True, SEED, stream)
    untouched = whole.copy()
    y[...], mask[...] = dropped(x, kept), kept
    np.testing.assert_array_equal(device.get(stored), whole)
    np.testing.assert_array_equal(device.get(stored_mask), masks)
    stored = device.put(untouched)
    _ops.dropout_backward(X, M, view_like(stored, whole, y), P, True, stream)
    np.testing.assert_array_equal(device.get(stored), whole)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", WRITTEN)
def test_all_arrays_of_the_same_layout(device, name, dtype):
    shape, view_of = LAYOUTS[name]
    whole, masks = numbers(shape, dtype), np.full(shape, 77, np.int32)
    outputs = np.full(shape, 77, DTYPES[dtype])
    x, y, mask = view_of(whole), view_of(outputs), view_of(masks)
    kept = kept_of(x.shape)
    stored_x, stored_mask = device.put(whole), device.put(masks)
    library = library_of(stored_x)
    X, M = view_like(stored_x, whole, x), view_like(stored_mask, masks, mask)
    stream = library.stream(stored_x)

    def check(run):
        stored = device.put(outputs)
        run(view_like(stored, outputs, y))
        expected = outputs.copy()
        view_of(expected)[...] = dropped(x, kept)
        np.testing.assert_array_equal(device.get(stored), expected)

    check(lambda Y: _ops.dropout(X, Y, M, P, True, SEED, stream))
    mask[...] = kept
    np.testing.assert_array_equal(device.get(stored_mask), masks)
    check(lambda Y: _ops.dropout(X, Y, None, P, True, SEED, stream))
    check(lambda Y: _ops.dropout_backward(X, M, Y, P, True, stream))


@pytest.mark.parametrize("dtype", ["fp16", "fp32"])
@pytest.mark.parametrize("name", WRITTEN)
def test_every_layout_in_place(device, name, dtype):
    shape, view_of = LAYOUTS[name]
    whole = numbers(shape, dtype)
    x = view_of(whole)
    stored = device.put(whole)
    view = view_like(stored, whole, x)
    _ops.dropout(view, view, None, P, True, SEED, library_of(stored).stream(stored))
    x[...] = dropped(x, kept_of(x.shape))
    np.testing.assert_array_equal(device.get(stored), whole)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("columns", [36, 40, 255])
def test_late_rows_in_place(device, columns, dtype):
    x = numbers((1163, columns), dtype)
    stored = device.put(x)
    library = library_of(stored)
    view = library.view(stored)
    _ops.dropout(view, view, None, P, True, SEED, library.stream(stored))
    np.testing.assert_array_equal(device.get(stored), dropped(x, kept_of(x.shape)))


@pytest.mark.parametrize("name", LAYOUTS)
def test_views_of_numpy(host, name):
    shape, view_of = LAYOUTS[name]
    x = view_of(numbers(shape, "fp16"))
    y, mask = eft.ops.dropout(x, P, SEED)
    kept = kept_of(x.shape)
    np.testing.assert_array_equal(y, dropped(x, kept))
    np.testing.assert_array_equal(mask, kept)
    np.testing.assert_array_equal(eft.ops.dropout_backward(x, mask, P), y)
    np.testing.assert_array_equal(eft.ops.dropout_seed_backward(x, SEED, P), y)


def test_the_layout_is_kept(host):
    x = np.ones((20, 30, 40), np.float32).transpose(2, 0, 1)
    y, mask = eft.ops.dropout(x, P, SEED)
    assert y.strides == mask.strides == x.strides
    y, _ = eft.ops.dropout(x[:, ::2], P, SEED)
    assert y.flags.c_contiguous or y.transpose(1, 2, 0).flags.c_contiguous
