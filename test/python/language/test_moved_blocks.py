# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element moves of large blocks, outside of loops and on carried blocks, against NumPy."""

import eft
import eft.language as tl
import numpy as np
import pytest
from blocks import offsets, run, samples
from support import assert_same_bits

NAMES = ["int1", "int8", "bf16", "fp16", "fp32", "int64"]


@eft.jit
def transposed(x_ptr, out_ptr, SHAPE: tl.constexpr, ORDER: tl.constexpr):
    y = tl.permute(tl.load(x_ptr + offsets(SHAPE)), ORDER)
    tl.store(out_ptr + offsets(y.shape), y)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [(64, 64), (8, 256), (512, 4)])
def test_transposed_blocks(device, name, shape):
    x = samples(name, shape)
    found = run(device, transposed, (x,), shape[::-1], x.dtype, SHAPE=shape, ORDER=(1, 0))
    assert_same_bits(found, x.T)


@pytest.mark.parametrize("order", [(0, 2, 1), (2, 0, 1), (2, 1, 0), (1, 0, 2)])
@pytest.mark.parametrize("shape", [(16, 8, 32), (2, 256, 4)])
def test_permuted_blocks(device, shape, order):
    x = samples("fp32", shape)
    expected = x.transpose(order)
    found = run(device, transposed, (x,), expected.shape, x.dtype, SHAPE=shape, ORDER=order)
    assert_same_bits(found, expected)


@eft.jit
def rearranged(x_ptr, y_ptr, out_ptr, SHAPE: tl.constexpr):
    """Applies several kinds of moves in sequence."""
    x, y = tl.load(x_ptr + offsets(SHAPE)), tl.load(y_ptr + offsets(SHAPE))
    z = tl.flip(tl.cat(x, y, dim=1), 0)
    tl.store(out_ptr + offsets(z.shape), z)
    even, odd = tl.split(tl.reshape(z, (z.numel // 2, 2)))
    tl.store(out_ptr + z.numel + offsets(odd.shape), odd)
    z = tl.trans(tl.reshape(tl.interleave(odd, even), (SHAPE[1], 2 * SHAPE[0])))
    tl.store(out_ptr + 2 * z.numel + offsets(z.shape), tl.flip(z, 1))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [(32, 64), (128, 8)])
def test_moves_after_moves(device, name, shape):
    x, y = samples(name, shape, 1), samples(name, shape, 2)
    z = np.flip(np.concatenate([x, y], 1), 0)
    pairs = z.reshape(-1, 2)
    turned = np.flip(pairs[:, ::-1].reshape(shape[1], -1).T, 1)
    out = np.zeros(3 * z.size, x.dtype)
    out[: z.size], out[z.size : z.size + z.size // 2] = z.ravel(), pairs[:, 1]
    out[2 * z.size :] = turned.ravel()
    assert_same_bits(run(device, rearranged, (x, y), out.size, x.dtype, SHAPE=shape), out)


@eft.jit
def picked(x_ptr, i_ptr, out_ptr, SHAPE: tl.constexpr, INDICES: tl.constexpr, AXIS: tl.constexpr):
    x, i = tl.load(x_ptr + offsets(SHAPE)), tl.load(i_ptr + offsets(INDICES))
    tl.store(out_ptr + offsets(INDICES), tl.gather(x, i, AXIS))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("index", ["int16", "int32", "int64"])
@pytest.mark.parametrize(
    "shape, indices, axis",
    [((4096,), (64,), 0), ((16,), (2048,), 0), ((64, 32), (64, 128), 1), ((64, 32), (8, 32), 0)],
)
def test_gathered_blocks(device, name, index, shape, indices, axis):
    x = samples(name, shape)
    i = np.random.default_rng(3).integers(0, shape[axis], indices).astype(index)
    options = {"SHAPE": shape, "INDICES": indices, "AXIS": axis}
    found = run(device, picked, (x, i), indices, x.dtype, **options)
    assert_same_bits(found, np.take_along_axis(x, i.astype(np.int64), axis))


@eft.jit
def turned_in_loop(x_ptr, n_ptr, out_ptr, SIZE: tl.constexpr):
    """The loop moves elements within the block that it carries. A large one has one buffer."""
    at = offsets((SIZE, SIZE))
    x = tl.load(x_ptr + at)
    before = x
    for k in range(tl.load(n_ptr)):
        before = x
        x = tl.trans(x) - tl.flip(x) + k
        if k % 2 == 1:
            x = tl.flip(x, 0)
    tl.store(out_ptr + at, x)
    tl.store(out_ptr + SIZE * SIZE + at, before)


@pytest.mark.parametrize("size", [16, 64])
@pytest.mark.parametrize("n", [0, 1, 4])
def test_carried_blocks_move(device, size, n):
    x = samples("int32", (size, size))
    expected = before = x
    for k in range(n):
        before = expected
        expected = expected.T - np.flip(expected, 1) + np.int32(k)
        expected = np.flip(expected, 0) if k % 2 == 1 else expected
    result = np.stack([expected, before])
    found = run(
        device, turned_in_loop, (x, np.array([n], np.int32)), result.shape, x.dtype, SIZE=size
    )
    assert_same_bits(found, result)


@eft.jit
def sorted_sums(x_ptr, n_ptr, out_ptr, SIZE: tl.constexpr):
    """Sorts, scans, gathers and reduces a block that a loop carries."""
    i = tl.arange(0, SIZE)
    x = tl.load(x_ptr + i)
    for k in range(tl.load(n_ptr)):
        running = tl.cumsum(tl.sort(x, descending=True))
        x = tl.gather(running, (i * 7 + k) % SIZE, 0) - tl.max(running) + tl.sort(x)
    tl.store(out_ptr + i, x)


@pytest.mark.parametrize("size", [32, 2048])
def test_carried_blocks_are_sorted(device, size):
    x = samples("int32", (size,))
    expected = x
    for k in range(3):
        running = np.cumsum(np.sort(expected)[::-1], dtype=np.int32)
        picked = running[(np.arange(size) * 7 + k) % size]
        expected = picked - running.max() + np.sort(expected)
    found = run(device, sorted_sums, (x, np.array([3], np.int32)), size, x.dtype, SIZE=size)
    assert_same_bits(found, expected)


@eft.jit
def moved_on_one_side(x_ptr, flag_ptr, out_ptr, SIZE: tl.constexpr):
    at = offsets((SIZE, SIZE))
    x = tl.load(x_ptr + at)
    y = x + 1
    if tl.load(flag_ptr) > 0:
        y = tl.trans(x)
        x = tl.flip(y)
    tl.store(out_ptr + at, x)
    tl.store(out_ptr + SIZE * SIZE + at, y)


@pytest.mark.parametrize("flag", [0, 1])
def test_moves_in_a_branch(device, flag):
    x = samples("int32", (64, 64))
    expected = [np.flip(x.T, 1), x.T] if flag else [x, x + 1]
    found = run(
        device, moved_on_one_side, (x, np.array([flag], np.int32)), (2, 64, 64), x.dtype, SIZE=64
    )
    assert_same_bits(found, np.stack(expected))


@eft.jit
def turned_one_by_one(x_ptr, out_ptr, EXTENT: tl.constexpr, COUNT: tl.constexpr):
    for i in tl.static_range(COUNT):
        x = tl.load(x_ptr + i * EXTENT + tl.arange(0, EXTENT))
        tl.store(out_ptr + i * EXTENT + tl.arange(0, EXTENT), tl.flip(x, 0))


def test_many_large_blocks_share_the_stack(host):
    """Together, the blocks are larger than the stack of a CPU's thread."""
    x = samples("int64", (40, 32768))
    found = run(host, turned_one_by_one, (x,), x.shape, x.dtype, EXTENT=32768, COUNT=40)
    assert_same_bits(found, x[:, ::-1])
