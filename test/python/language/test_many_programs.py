# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grids of so many small programs that on a GPU several of them share a thread block."""

import eft
import eft.language as tl
import numpy as np
import pytest
from eft import _runtime

#: Grids of at least 10,000 programs. An H200 holds 4224 blocks, and programs share blocks from
#: twice this number on. 10,007 is a prime number; the others have various divisors.
GRIDS = [
    *[(12_000,), (12_003,), (12_005,), (11_011,), (10_006,), (10_007,)],
    *[(9_000, 2), (8_500, 1, 3)],
]


@eft.jit
def tell_position(out_ptr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    across, down = tl.num_programs(0), tl.num_programs(1)
    row = out_ptr + ((z * down + y) * across + x) * 6
    tl.store(row + 0, x)
    tl.store(row + 1, y)
    tl.store(row + 2, z)
    tl.store(row + 3, across)
    tl.store(row + 4, down)
    tl.store(row + 5, tl.num_programs(2))


@pytest.mark.parametrize("num_warps", [1, 2, 4])
@pytest.mark.parametrize("grid", GRIDS)
def test_every_program_knows_its_position(device, grid, num_warps):
    extents = (*grid, 1, 1)[:3]
    out = device.put(np.full((extents[2], extents[1], extents[0], 6), -1, np.int32))
    kernel = tell_position[grid](out, num_warps=num_warps)
    assert kernel.metadata.programs_per_block == (
        1 if device.name == "cpu" else {1: 7, 2: 4, 4: 2}[num_warps]
    )
    z, y, x = np.indices(extents[::-1], dtype=np.int32)
    everywhere = [np.full_like(x, extent) for extent in extents]
    np.testing.assert_array_equal(device.get(out), np.stack([x, y, z, *everywhere], axis=-1))


@eft.jit
def scale_rows(x_ptr, times_ptr, out_ptr, COLUMNS: tl.constexpr):
    """Divides each row by its sum, zero to two times. Leaves every seventh row."""
    row = tl.program_id(0)
    if row % 7 == 3:
        return
    columns = tl.arange(0, COLUMNS)
    x = tl.load(x_ptr + row * COLUMNS + columns)
    times = tl.load(times_ptr + row)
    if times > 0:
        x = x / tl.sum(x, 0) + 1
        if times > 1:
            x = x / tl.sum(x, 0) + 1
    tl.store(out_ptr + row * COLUMNS + columns, x)


@pytest.mark.parametrize("rows", [12_000, 12_003, 10_007])
def test_programs_of_different_lengths(device, rows):
    rng = np.random.default_rng(rows)
    x = rng.random((rows, 64), np.float32)
    times = rng.integers(0, 3, rows, np.int32)
    out = device.put(np.zeros_like(x))
    arrays = device.put(x), device.put(times), out
    kernel = scale_rows[(rows,)](*arrays, COLUMNS=64, num_warps=1)
    assert kernel.metadata.programs_per_block == (1 if device.name == "cpu" else 7)
    expected = x.astype(np.float64)
    for step in range(2):
        scaled = expected / expected.sum(1, keepdims=True) + 1
        expected = np.where((times > step)[:, None], scaled, expected)
    expected[np.arange(rows) % 7 == 3] = 0
    np.testing.assert_allclose(device.get(out), expected, rtol=1e-6)


@eft.jit
def drop(x_ptr, seeds_ptr, out_ptr, COLUMNS: tl.constexpr):
    row, columns = tl.program_id(0), tl.arange(0, COLUMNS)
    x = tl.load(x_ptr + row * COLUMNS + columns)
    keep = tl.rand(tl.load(seeds_ptr + row), columns) > 0.5
    tl.store(out_ptr + row * COLUMNS + columns, tl.where(keep, x / 0.5, 0.0))


@pytest.mark.parametrize("columns", [1, 8, 32, 128])
def test_a_block_of_one_program_gives_the_same_bits(device, columns):
    """A launch of few programs does not share blocks."""
    rows = 9_000
    rng = np.random.default_rng(columns)
    x = rng.standard_normal((rows, columns), np.float32)
    seeds = rng.integers(-(2**31), 2**31, rows, np.int32)
    together, apart = (device.put(np.zeros_like(x)) for _ in range(2))
    inputs = device.put(x), device.put(seeds)
    kernel = drop[(rows,)](*inputs, together, COLUMNS=columns, num_warps=1)
    assert kernel.metadata.programs_per_block == (1 if device.name == "cpu" else 7)
    for start in range(0, rows, 1_000):
        x_part, seeds_part, part = (each[start : start + 1_000] for each in (*inputs, apart))
        drop[(1_000,)](x_part, seeds_part, part, COLUMNS=columns, num_warps=1)
    result = device.get(together)
    np.testing.assert_array_equal(result, device.get(apart))
    assert 0.4 < np.mean(result == 0) < 0.6


@eft.jit
def count(total_ptr, highest_ptr):
    tl.atomic_add(total_ptr, 1)
    tl.atomic_max(highest_ptr, tl.program_id(0))


@pytest.mark.parametrize("num_warps", [1, 2, 4])
def test_every_program_updates_memory_once(device, num_warps):
    total, highest = (device.put(np.zeros(1, np.int32)) for _ in range(2))
    count[(30_030,)](total, highest, num_warps=num_warps)
    assert (device.get(total)[0], device.get(highest)[0]) == (30_030, 30_029)


@eft.jit
def check_program(bad):
    tl.device_assert(tl.program_id(0) != bad, "this program")


@pytest.mark.parametrize("num_warps", [1, 4])
def test_an_assertion_names_its_program(device, num_warps):
    with pytest.raises(eft.DeviceAssertionError, match=r"in program \(7777, 0, 0\)"):
        check_program[(12_000,)](7777, num_warps=num_warps, debug=True)


@eft.jit
def print_last(n):
    if tl.program_id(0) >= n - 2:
        tl.device_print("program", tl.program_id(0))


def test_printing_names_its_program(device, capfd):
    kernel = print_last[(12_000,)](12_000, num_warps=1)
    assert kernel.metadata.programs_per_block == (1 if device.name == "cpu" else 7)
    if device.name == "cuda":
        _runtime.synchronize(0)
    lines = sorted(capfd.readouterr().out.splitlines())
    assert lines == [f"pid ({x}, 0, 0) idx () program: {x}" for x in (11_998, 11_999)]
