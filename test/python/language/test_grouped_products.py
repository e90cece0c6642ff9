# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grouped GEMM: a kernel computes the tiles of several products. It loads the addresses, extents
and row strides of their matrices from tables in memory."""

import eft
import eft.language as tl
import numpy as np
import pytest
from eft.warmup import address_of
from support import assert_same_bits


@eft.jit
def by_pointers(
    a_table, b_table, c_table, extents, pitches, count, PROGRAMS: tl.constexpr, BM: tl.constexpr,
    BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """Computes products of whole tiles. The hints about carried pointers are statements, and hold
    for all later uses of the pointers."""
    tile = tl.program_id(0)
    first = 0
    for group in range(count):
        m = tl.load(extents + group * 3)
        n = tl.load(extents + group * 3 + 1)
        k = tl.load(extents + group * 3 + 2)
        across = tl.cdiv(n, BN)
        tiles = tl.cdiv(m, BM) * across
        while tile >= first and tile < first + tiles:
            a_pitch = tl.load(pitches + group * 3)
            b_pitch = tl.load(pitches + group * 3 + 1)
            c_pitch = tl.load(pitches + group * 3 + 2)
            a = tl.load(a_table + group).to(tl.pointer_type(tl.float16))
            b = tl.load(b_table + group).to(tl.pointer_type(tl.float16))
            c = tl.load(c_table + group).to(tl.pointer_type(tl.float16))
            rows = (tile - first) // across * BM + tl.arange(0, BM)
            columns = (tile - first) % across * BN + tl.arange(0, BN)
            inner = tl.arange(0, BK)
            a_block = a + rows[:, None] * a_pitch + inner[None, :]
            b_block = b + inner[:, None] * b_pitch + columns[None, :]
            total = tl.zeros((BM, BN), dtype=tl.float32)
            for _ in range(0, tl.cdiv(k, BK)):
                tl.multiple_of(a_block, [16, 16])
                tl.multiple_of(b_block, [16, 16])
                total += tl.dot(tl.load(a_block), tl.load(b_block))
                a_block += BK
                b_block += BK * b_pitch
            tl.store(c + rows[:, None] * c_pitch + columns[None, :], total.to(tl.float16))
            tile += PROGRAMS
        first = first + tiles


@eft.jit
def by_descriptors(
    a_table, b_table, c_table, extents, pitches, count, PROGRAMS: tl.constexpr, BM: tl.constexpr,
    BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """Computes products of any extents, by descriptors that the kernel makes. B lies by columns."""
    tile = tl.program_id(0)
    first = 0
    for group in range(count):
        m = tl.load(extents + group * 3)
        n = tl.load(extents + group * 3 + 1)
        k = tl.load(extents + group * 3 + 2)
        across = tl.cdiv(n, BN)
        tiles = tl.cdiv(m, BM) * across
        if tile >= first and tile < first + tiles:
            a = tl.make_tensor_descriptor(
                tl.load(a_table + group).to(tl.pointer_type(tl.float16)),
                shape=[m, k], strides=[tl.load(pitches + group * 3), 1], block_shape=[BM, BK],
            )  # fmt: skip
            b = tl.make_tensor_descriptor(
                tl.load(b_table + group).to(tl.pointer_type(tl.float16)),
                shape=[n, k], strides=[tl.load(pitches + group * 3 + 1), 1], block_shape=[BN, BK],
            )  # fmt: skip
            c = tl.make_tensor_descriptor(
                tl.load(c_table + group).to(tl.pointer_type(tl.float16)),
                shape=[m, n], strides=[tl.load(pitches + group * 3 + 2), 1], block_shape=[BM, BN],
            )  # fmt: skip
            while tile >= first and tile < first + tiles:
                row, column = (tile - first) // across * BM, (tile - first) % across * BN
                total = tl.zeros((BM, BN), dtype=tl.float32)
                for step in range(0, tl.cdiv(k, BK)):
                    total += tl.dot(a.load([row, step * BK]), b.load([column, step * BK]).T)
                c.store([row, column], total.to(tl.float16))
                tile += PROGRAMS
        first = first + tiles


def launch(kernel, device, sizes, programs, by_columns, first=0, gap=8):
    """Computes products of small integers, and compares them with NumPy's. The matrices begin
    `first` elements after a multiple of 16 bytes, and have `gap` unused elements between their
    rows."""
    random = np.random.default_rng(3)
    matrices, expected, pitches = [], [], []
    for m, n, k in sizes:
        shapes = (m, k), ((n, k) if by_columns else (k, n)), (m, n)
        factors = [random.integers(-2, 3, shape).astype(np.float16) for shape in shapes[:2]]
        expected.append(factors[0].astype(np.float32) @ (
            factors[1].T if by_columns else factors[1]
        ).astype(np.float32))  # fmt: skip
        own = []
        for shape, values in zip(shapes, (*factors, None), strict=True):
            memory = np.full(first + shape[0] * (shape[1] + gap), 99, np.float16)
            if values is not None:
                memory[first:].reshape(shape[0], -1)[:, : shape[1]] = values
            own.append(device.put(memory))
        matrices.append(own)
        pitches.append([shape[1] + gap for shape in shapes])
    tables = [
        device.put(np.array([address_of(own[i]) + 2 * first for own in matrices], np.int64))
        for i in range(3)
    ]
    numbers = [device.put(np.array(each, np.int32)) for each in (sizes, pitches)]
    kernel[programs,](*tables, *numbers, len(sizes), PROGRAMS=programs, BM=64, BN=64, BK=32)
    for (_, _, c), exact in zip(matrices, expected, strict=True):
        rows = device.get(c)[first:].reshape(len(exact), -1)
        assert_same_bits(rows[:, : exact.shape[1]], exact.astype(np.float16))
        assert np.all(rows[:, exact.shape[1] :] == 99)


WHOLE = [(128, 64, 96), (64, 192, 32), (192, 128, 64)]
ANY = [(100, 72, 40), (1, 8, 8), (64, 130, 33), (200, 64, 64)]


@pytest.mark.parametrize("programs", [1, 3, 40])
def test_whole_tiles_by_pointers(device, programs):
    launch(by_pointers, device, WHOLE, programs, by_columns=False)


@pytest.mark.parametrize("programs", [1, 3, 40])
@pytest.mark.parametrize("first, gap", [(0, 8), (0, 0), (1, 8), (8, 3), (4, 4)])
def test_any_extents_and_places_by_descriptors(device, programs, first, gap):
    launch(by_descriptors, device, ANY, programs, by_columns=True, first=first, gap=gap)


def compiled(kernel, columns=128):
    return kernel.warmup(
        tl.int64, tl.int64, tl.int64, tl.int32, tl.int32, 4, PROGRAMS=132, BM=128, BN=columns,
        BK=64, num_warps=columns // 32, target="sm_90",
    )  # fmt: skip


def test_hints_that_are_statements_make_copies():
    ptx = compiled(by_pointers).asm["ptx"]
    assert "wgmma.mma_async" in ptx and "ld.global.b16" not in ptx
    assert "cp.async.cg" in ptx and "cp.async.ca" not in ptx


def test_hints_take_no_shared_memory_from_copies():
    """Shared memory has slots for the factors of four iterations: two that are being copied, and
    two that are being multiplied."""
    assert compiled(by_pointers, columns=256).metadata.shared >= 4 * (128 + 256) * 64 * 2


def test_loops_have_a_version_for_addresses_that_are_multiples():
    """The other version of the loop loads element by element."""
    ptx = compiled(by_descriptors).asm["ptx"]
    assert ptx.count("wgmma.mma_async") > 1
    assert "cp.async.cg" in ptx and "st.global.v4" in ptx and "ld.global.b16" in ptx
