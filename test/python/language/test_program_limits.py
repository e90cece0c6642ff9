# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that divide the numbers of their elements. These wrap around for grids of many programs,
for which such a kernel is compiled a second time."""

import eft
import eft.language as tl
import numpy as np
import pytest

ALL = 2**31 - 1
BLOCK = 32768


@eft.jit
def rows_and_columns(out_ptr, first: tl.int32, length, BLOCK: tl.constexpr):
    """Stores the row and the column of the elements of all programs from `first` on."""
    program = tl.program_id(0)
    if program >= first:
        number = program * BLOCK + tl.arange(0, BLOCK)
        at = out_ptr + 2 * ((program - first) * BLOCK + tl.arange(0, BLOCK))
        tl.store(at, number // length)
        tl.store(at + 1, number % length)


def expected(first, programs, length):
    number = np.arange(first * BLOCK, programs * BLOCK).astype(np.int32)
    row = np.trunc(number / np.float64(length)).astype(np.int32)
    return np.stack([row, number - row * np.int32(length)], 1)


def launch(device, first, programs, length):
    out = device.put(np.zeros(((programs - first) * BLOCK, 2), np.int32))
    kernel = rows_and_columns[programs,](out, first, length, BLOCK)
    assert np.array_equal(device.get(out), expected(first, programs, length))
    return kernel


@pytest.mark.parametrize("length", [48, 56, 7])
def test_numbers_that_wrap_around(device, length):
    """With 2**16 programs the largest number is 2**31 - 1."""
    most_y = ALL if device.name == "cpu" else 65535
    few = launch(device, 2**16 - 2, 2**16, length)
    assert few.metadata.max_programs == (2**16, most_y, most_y)
    many = launch(device, 2**16 - 1, 2**16 + 2, length)
    assert many.metadata.max_programs == (ALL, most_y, most_y)
    assert launch(device, 0, 2, length) is few
    assert launch(device, 2**16, 2**16 + 1, length) is many


def test_a_compiled_kernel_refuses_more_programs(device):
    out = device.put(np.zeros((BLOCK, 2), np.int32))
    compiled = rows_and_columns.warmup(out, 0, 48, BLOCK)
    compiled[1,](out, 0, 48, BLOCK)
    assert np.array_equal(device.get(out), expected(0, 1, 48))
    with pytest.raises(ValueError) as error:
        compiled[2**16 + 1,](out, 2**16, 48, BLOCK)
    x, y, z = compiled.metadata.max_programs
    assert str(error.value) == (
        "grid of kernel 'rows_and_columns' has 65537 × 1 × 1 programs, but the kernel was compiled "
        f"for at most {x} × {y} × {z}"
    )


def test_the_limit_is_in_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("EFT_CACHE_DIR", str(tmp_path))
    for _ in range(2):  # the second time, nothing is compiled
        kernel = rows_and_columns.warmup(tl.int32, 0, 48, BLOCK, target="cuda:90")
        assert kernel.metadata.max_programs == (2**16, 65535, 65535)
        assert kernel.max_programs == (2**16, 65535, 65535)
        monkeypatch.delattr("eft.compiling.compile_here", raising=False)


def test_grids_that_launch_nothing_compile_nothing(device):
    kernel = eft.jit(rows_and_columns.fn)
    out = device.put(np.zeros((BLOCK, 2), np.int32))
    few = kernel[0,](out, 0, 24, BLOCK)
    assert kernel[2**20, 0](out, 0, 24, BLOCK) is few
    with pytest.raises(ValueError, match="has 1099511627776 programs in x, expected 0 to "):
        kernel[2**40,](out, 0, 24, BLOCK)
    assert len(kernel.compiled[few.device]) == 1


@eft.jit
def columns(out_ptr, length, BLOCK: tl.constexpr):
    number = tl.program_id(1) * BLOCK + tl.program_id(0) * 4 * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + number, number % length)


def test_two_axes(device):
    """Both axes have the same limit. A GPU has few programs along y in any case."""
    out = device.put(np.zeros(64 * 12, np.int32))
    kernel = columns[3, 4](out, 48, 64)
    x, y, z = kernel.metadata.max_programs
    # The largest number is 256 x - 256 + 64 y - 64 + 63.
    most = (2**31 - 1 + 257) // (256 + 64)
    assert (x, y) == (most, most if device.name == "cpu" else 65535)
    assert np.array_equal(device.get(out), np.arange(64 * 12) % 48)


def test_why_a_kernel_is_compiled_again(device, caplog, monkeypatch):
    monkeypatch.setenv("EFT_ALWAYS_COMPILE", "1")
    kernel = eft.jit(rows_and_columns.fn)  # one without variants from other tests
    out = device.put(np.zeros((BLOCK, 2), np.int32))
    with caplog.at_level("INFO", "eft"):
        kernel[1,](out, 0, 40, BLOCK)
        kernel[2**16 + 1,](out, 2**16, 40, BLOCK)
    texts = [record.getMessage() for record in caplog.records if record.name == "eft"]
    assert [text.split(": ")[-1] for text in texts] == ["first use", "the grid has more programs"]
