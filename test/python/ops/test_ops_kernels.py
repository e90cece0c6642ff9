# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of dropout that eft.ops has for GPUs only, each with shapes at its limits. They are
compiled for the CPU here, too; eft.ops chooses them by the shape."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from dropout_reference import uniforms

FOLDER = Path(__file__).parents[3] / "runtime" / "ops"
SEED, P, SCALE = 0x123456789ABCDEF, 0.25, 1.5
GUARD = 40


def _module(name: str):
    spec = importlib.util.spec_from_file_location(f"kernels_of_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


dropout, unaligned = _module("dropout"), _module("dropout_unaligned")


def check(device, kernel, grid, shape, extra, offset=0, with_mask=True, **options):
    """Runs a kernel and compares all that it wrote; `offset` is that of the arrays."""
    rows, columns = shape
    count = rows * columns

    def guarded(values):
        padded = np.full(GUARD + offset + count + GUARD, 77, values.dtype)
        padded[GUARD + offset :][:count] = values.ravel()
        return padded

    x = np.random.default_rng(0).standard_normal(count).astype(np.float32) + 3
    empty = np.full(count, 77)
    arrays = [device.put(guarded(each)) for each in (x, empty.astype("f4"), empty.astype("i4"))]
    views = [each[GUARD + offset : -GUARD] for each in arrays]
    if not with_mask:
        views[2] = None
    numbers = (rows, columns, SEED, int(P * 2**32), True, SCALE)
    kernel[grid](*views, *numbers, *extra, **options)
    kept = (uniforms(SEED, rows, columns) >= P).ravel()
    y = np.where(kept, x * np.float32(SCALE), np.float32(0))
    np.testing.assert_array_equal(device.get(arrays[1]), guarded(y.astype("f4")))
    mask = guarded((kept if with_mask else empty).astype("i4"))
    np.testing.assert_array_equal(device.get(arrays[2]), mask)


@pytest.mark.parametrize("with_mask", [True, False])
@pytest.mark.parametrize(
    ("batches", "turns", "widths"),
    [
        (2, 3, (1, 15, 17, 33)),
        (2, 5, (34, 49, 63, 64)),
        (1, 9, (65, 128)),
        (1, 17, (129, 255, 256)),
    ],
)
def test_whole_rows(device, batches, turns, widths, with_mask):
    for columns, rows, shift in zip(widths, (35, 16, 1, 20), (0, 5, 15, 11), strict=False):
        each = 8 * batches
        constexprs = {"ROWS": 8, "BATCHES": batches, "TURNS": turns}
        grid = (1, 2, -(-rows // (2 * each)))
        shape = (rows, columns)
        check(
            *(device, unaligned.by_rows, grid, shape, (shift,)),
            **({"offset": shift % 4, "with_mask": with_mask} | constexprs),
        )


@pytest.mark.parametrize("with_mask", [True, False])
@pytest.mark.parametrize(("each", "strips"), [(8, 1), (1, 8)])
def test_strips_of_rows(device, each, strips, with_mask):
    for columns, rows, shift in [(257, 9, 0), (1023, 11, 7), (2033, 3, 15), (2304, 1, 4)]:
        grid = (-(-(columns + 15) // (256 * strips)), -(-rows // each), 1)
        constexprs = {"ROWS": each, "STRIPS": strips, "GROUPS": 4}
        check(
            *(device, unaligned.by_strips, grid, (rows, columns), (shift,)),
            **({"offset": shift % 4, "with_mask": with_mask} | constexprs),
        )


@pytest.mark.parametrize("with_mask", [True, False])
@pytest.mark.parametrize(("words", "widths"), [(1, (1, 2, 7, 13, 16)), (2, (17, 23, 24))])
def test_rows_of_few_columns(device, words, widths, with_mask):
    for columns in widths:
        eights = 2048 // columns // 8
        rows = 8 * eights * 3 - 5
        check(
            *(device, dropout.narrow, (1, 2, 2), (rows, columns)),
            (eights, -(-(1 << 20) // columns)),
            **{"with_mask": with_mask, "BLOCK": 2048, "WORDS": words, "offset": columns % 4},
        )
