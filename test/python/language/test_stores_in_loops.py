# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops with matrix products and stores. A GPU copies factors ahead only if the loop stores nothing
that it loads. The kernel compares the addresses at run time. If an iteration loads what an earlier
iteration has stored, the result must be the same as without copies."""

import eft
import eft.language as tl
import numpy as np
import pytest
from support import assert_same_bits


def small(shape, seed):
    """Small integers, of which every sum is exact in fp16."""
    return np.random.default_rng(seed).integers(-2, 3, shape).astype(np.float16)


@eft.jit
def states(k_ptr, v_ptr, h_ptr, last_ptr, t_size, k_stride, v_stride,
           K: tl.constexpr, V: tl.constexpr, BT: tl.constexpr, EVERY: tl.constexpr,
           FORM: tl.constexpr):  # fmt: skip
    """Adds up products kᵀ v of chunks of k and v. Before every EVERY-th chunk, stores the sum."""
    state = tl.zeros((K, V), tl.float32)
    i, j, t = tl.arange(0, K), tl.arange(0, V), tl.arange(0, BT)
    square = i[:, None] * V + j[None, :]
    k_at = k_ptr + i[:, None] + t[None, :] * k_stride
    v_at = v_ptr + t[:, None] * v_stride + j[None, :]
    for c in range(tl.cdiv(t_size, BT)):
        if c % EVERY == 0:
            tl.store(h_ptr + (c // EVERY) * K * V + square, state.to(tl.float16))
        if FORM == "blocks":
            k_block = tl.make_block_ptr(
                k_ptr, (K, t_size), (1, k_stride), (0, c * BT), (K, BT), (0, 1)
            )
            v_block = tl.make_block_ptr(
                v_ptr, (t_size, V), (v_stride, 1), (c * BT, 0), (BT, V), (1, 0)
            )
            k = tl.load(k_block, boundary_check=(0, 1), padding_option="zero")
            v = tl.load(v_block, boundary_check=(0, 1), padding_option="zero")
        elif FORM == "carried":
            inside = c * BT + t < t_size
            k = tl.load(k_at, mask=inside[None, :], other=0)
            v = tl.load(v_at, mask=inside[:, None], other=0)
            k_at += BT * k_stride
            v_at += BT * v_stride
        else:
            row = c * BT + t
            k = tl.load(
                k_ptr + i[:, None] + row[None, :] * k_stride, mask=row[None, :] < t_size, other=0
            )
            v = tl.load(
                v_ptr + row[:, None] * v_stride + j[None, :], mask=row[:, None] < t_size, other=0
            )
        state += tl.dot(k, v)
    tl.store(last_ptr + square, state)


@pytest.mark.parametrize("form", ["blocks", "carried", "rows"])
@pytest.mark.parametrize("every", [1, 2])
@pytest.mark.parametrize("stages", [1, 2, 4])
@pytest.mark.parametrize("sizes", [(64, 64, 64, 4), (32, 16, 16, 1), (128, 64, 32, 8)])
@pytest.mark.parametrize("t_size", [0, 1, 64, 203])
def test_states(device, form, every, stages, sizes, t_size):
    k_size, v_size, chunk, warps = sizes
    k, v = small((max(t_size, 1), k_size), 1), small((max(t_size, 1), v_size), 2)
    chunks = -(-t_size // chunk)
    stored = -(-chunks // every)
    h = device.put(np.full((max(stored, 1), k_size, v_size), np.nan, np.float16))
    last = device.put(np.full((k_size, v_size), np.nan, np.float32))
    options = dict(K=k_size, V=v_size, BT=chunk, EVERY=every, FORM=form)
    states[1](device.put(k), device.put(v), h, last, t_size, k_size, v_size, **options,
              num_warps=warps, num_stages=stages)  # fmt: skip
    state, expected = np.zeros((k_size, v_size), np.float32), []
    for c in range(chunks):
        if c % every == 0:
            expected.append(state.astype(np.float16))
        part = slice(c * chunk, min(t_size, (c + 1) * chunk))
        state = state + k[part].T.astype(np.float32) @ v[part].astype(np.float32)
    assert_same_bits(device.get(last), state)
    if expected:
        assert_same_bits(device.get(h), np.stack(expected))


@eft.jit
def chain(x_ptr, y_ptr, one_ptr, count, stride, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    i = tl.arange(0, BLOCK)
    square = i[:, None] * BLOCK + i[None, :]
    one = tl.load(one_ptr + square)
    for turn in tl.range(count, num_stages=STAGES):
        x = tl.load(x_ptr + turn * stride + square)
        tl.store(y_ptr + turn * stride + square, (tl.dot(x, one) + 1).to(tl.float16))


@pytest.mark.parametrize("stages", [1, 2, 3, 5])
@pytest.mark.parametrize("block, warps", [(16, 1), (64, 4)])
@pytest.mark.parametrize("distance", [-9, -8, -3, -1, 0, 1, 2, 3, 7, 8, 9])
@pytest.mark.parametrize("forward", [True, False])
def test_arrays_that_overlap(device, stages, block, warps, distance, forward):
    """The array to which the loop stores begins `distance` blocks after the array from which it
    loads. At a distance of eight blocks the arrays have no element in common."""
    count, size = 8, block * block
    memory = small((32, size), 3)
    array = device.put(memory.reshape(-1).copy())
    first = 12 if forward else 12 + count - 1
    step = 1 if forward else -1
    chain[1](array[first * size :], array[(first + distance) * size :],
             device.put(np.eye(block, dtype=np.float16)), count, step * size, BLOCK=block,
             STAGES=stages, num_warps=warps)  # fmt: skip
    for turn in range(count):
        row = first + turn * step
        memory[row + distance] = memory[row] + np.float16(1)
    assert_same_bits(device.get(array), memory.reshape(-1))


@eft.jit
def wrapping(x_ptr, y_ptr, one_ptr, count, a, b):
    i = tl.arange(0, 16)
    square = i[:, None] * 16 + i[None, :]
    one = tl.load(one_ptr + square)
    for turn in range(count):
        x = tl.load(x_ptr + turn * a * b + square)
        tl.store(y_ptr + turn * 256 + square, (tl.dot(x, one) + 1).to(tl.float16))


@pytest.mark.parametrize("distance", [-2, -1, 0, 1, 2, 8])
@pytest.mark.parametrize("a", [3, 5, -7])
def test_offsets_that_wrap_around(device, distance, a):
    """The product a · b is 256 as an integer of 32 bits, and far from it without wrap-around."""
    count, size = 8, 256
    b = size * pow(a, -1, 2**32) % 2**32
    b -= 2**32 if b >= 2**31 else 0
    memory = small((32, size), 4)
    array = device.put(memory.reshape(-1).copy())
    first = 12
    wrapping[1](array[first * size :], array[(first + distance) * size :],
                device.put(np.eye(16, dtype=np.float16)), count, a, b)  # fmt: skip
    for turn in range(count):
        memory[first + distance + turn] = memory[first + turn] + np.float16(1)
    assert_same_bits(device.get(array), memory.reshape(-1))
