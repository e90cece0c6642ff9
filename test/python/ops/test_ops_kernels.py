# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels that eft.ops has compiled ahead of time. Here each runs on GPUs and on CPUs, with
blocks so small that a few rows cover all cases."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest
from dropout_reference import uniforms

FOLDER = Path(__file__).parents[3] / "ops"
SEED, P, SCALE = 0x123456789ABCDEF, 0.25, 1.5
GUARD = 40


def load(module: str):
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        return importlib.import_module(module)


@pytest.fixture(scope="module")
def forward():
    return load("dropout_forward").forward


@pytest.fixture(scope="module")
def wide():
    return load("dropout_wide").wide


def ceil_divide(number: int, by: int) -> int:
    return -(-number // by)


def division(columns: int) -> tuple:
    """The factor and the exponent by which kernels divide by `columns` without a division."""
    exponent = (columns - 1).bit_length()
    return np.uint64(ceil_divide(2 ** (60 + exponent), columns)), np.uint64(exponent)


def gpu_launch(rows: int, columns: int, shift: int):
    """The number of programs, the plan and the constexprs of a launch for a GPU."""
    row_programs = ceil_divide(columns + 15, 4 * 2 * 64)
    draws = columns * (max(rows - 1024, 0) // 64 * 16 + min(max(rows - 1024, 0) % 64, 16))
    late = ceil_divide(draws + shift, 128) if draws else 0
    plan = (*division(columns), row_programs, shift, None, None, None)
    return row_programs * min(rows, 1024) + late, plan, {"ON_GPU": True, "SIZES": (4, 2, 128, 1)}


def aligned_gpu_launch(rows: int, columns: int, shift: int):
    """A launch as of `gpu_launch`, with eight draws side by side if they span two rows or less."""
    programs, plan, constexprs = gpu_launch(rows, columns, shift // 8 * 8)
    width = 8 if columns > 8 else 1
    return programs, plan, {**constexprs, "SIZES": (4, 2, 128, width)}


def cpu_launch(rows: int, columns: int, shift: int):
    row_programs, program_rows = ceil_divide(columns, 512), 6
    block_programs, program_blocks = ceil_divide(16 * columns, 1024), 2
    early = row_programs * ceil_divide(min(rows, 1024), program_rows)
    late = block_programs * ceil_divide(max(rows - 1024, 0), 64 * program_blocks)
    sizes = program_rows, block_programs, program_blocks
    plan = (*division(columns), row_programs, None, *sizes)
    return early + late, plan, {"ON_GPU": False, "SIZES": (512, 1024, 64)}


@pytest.mark.parametrize("launch", [gpu_launch, aligned_gpu_launch, cpu_launch])
@pytest.mark.parametrize("with_mask", [True, False])
@pytest.mark.parametrize(
    ("shape", "shift"),
    [
        *[((1, 1), 0), ((2, 1100), 3), ((3, 257), 15), ((1023, 16), 1), ((1024, 63), 7)],
        *[((1025, 1), 5), ((4000, 1), 0), ((1989, 3), 15), ((1343, 16), 0), ((1560, 17), 9)],
        *[((1089, 127), 4), ((1105, 128), 0), ((1152, 129), 15), ((1153, 130), 11)],
        *[((1025, 600), 14), ((1041, 513), 2)],
    ],
)
def test_forward(device, forward, shape, shift, with_mask, launch):
    rows, columns = shape
    count = rows * columns
    offset = shift % 4  # in elements of 4 bytes; breaks the 16-byte alignment unless 0

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
    programs, plan, constexprs = launch(rows, columns, shift)
    sizes = np.int64(rows), np.int64(columns)
    arguments = (*views, *sizes, SEED, np.uint32(P * 2**32), True, SCALE, *plan)
    forward[(programs,)](*arguments, **constexprs, num_warps=2)
    kept = (uniforms(SEED, rows, columns) >= P).ravel()
    y = np.where(kept, x * np.float32(SCALE), np.float32(0))
    np.testing.assert_array_equal(device.get(arrays[1]), guarded(y.astype("f4")))
    mask = guarded((kept if with_mask else empty).astype("i4"))
    np.testing.assert_array_equal(device.get(arrays[2]), mask)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("with_mask, may_keep", [(True, True), (False, True), (False, False)])
@pytest.mark.parametrize(("width", "block"), [(8, 16), (8, 64), (4, 64)])
@pytest.mark.parametrize(
    "shape",
    [
        *[(1, 8), (3, 64), (2, 72), (5, 1096), (1024, 16), (1025, 8), (1040, 24), (1041, 32)],
        *[(1089, 8), (1153, 40), (1989, 128), (1152, 136), (1105, 520)],
    ],
)
def test_wide_rows(device, wide, shape, width, block, may_keep, with_mask, dtype):
    rows, columns = shape
    count = rows * columns

    def guarded(values):
        padded = np.full(GUARD + count + GUARD, 77, values.dtype)  # this keeps the alignment
        padded[GUARD:][:count] = values.ravel()
        return padded

    x = (np.random.default_rng(0).standard_normal(count) + 3).astype(dtype)
    x[::7] = np.nan  # dropped elements become 0, even if they are NaN
    empty = np.full(count, 77)
    arrays = [device.put(guarded(each)) for each in (x, empty.astype(dtype), empty.astype("i4"))]
    views = [each[GUARD:-GUARD] for each in arrays]
    if not with_mask:
        views[2] = None
    late = max(rows - 1024, 0)
    draw_units = (late // 64 * 16 + min(late % 64, 16)) * (columns // width)
    row_programs = ceil_divide(ceil_divide(columns, 64) * (16 // width), block)
    programs = row_programs * min(rows, 1024) + ceil_divide(draw_units, block)
    threshold = np.uint32(P * 2**32) if may_keep else np.uint32(2**32 - 1)
    plan = (*division(columns // width), row_programs)
    sizes = np.int64(rows), np.int64(columns)
    arguments = (*views, *sizes, SEED, threshold, may_keep, SCALE, *plan)
    wide[(programs,)](*arguments, WIDTH=width, BLOCK=block, num_warps=2)
    kept = (uniforms(SEED, rows, columns) >= P).ravel() & may_keep
    y = np.where(kept, (x.astype("f4") * np.float32(SCALE)).astype(dtype), dtype(0))
    np.testing.assert_array_equal(device.get(arrays[1]), guarded(y))
    mask = guarded((kept if with_mask else empty).astype("i4"))
    np.testing.assert_array_equal(device.get(arrays[2]), mask)
