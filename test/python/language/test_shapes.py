# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that reshape, join and split blocks, or move their elements."""

import eft
import eft.language as tl
import numpy as np
import pytest
from blocks import cases, offsets, run, samples
from support import DTYPES, assert_same_bits

NAMES = ["int1", "int8", "fp16", "bf16", "int32", "fp32", "int64", "fp64"]


@eft.jit
def indexed(x_ptr, y_ptr, z_ptr, out_ptr):
    a = tl.load(x_ptr + tl.arange(0, 4))
    b = tl.load(y_ptr + tl.arange(0, 8))
    c = tl.load(z_ptr + tl.arange(0, 16))
    total = a[:, None, None] * 100 + (b[:, None] * 10 + c[None])[None]
    tl.store(out_ptr + offsets(total.shape), total)


def test_indexing_by_none(device):
    x, y, z = (samples("int32", (n,), n) for n in (4, 8, 16))
    expected = x[:, None, None] * 100 + (y[:, None] * 10 + z[None])[None]
    assert_same_bits(run(device, indexed, (x, y, z), (4, 8, 16), np.int32), expected)


@eft.jit
def number_as_block(x_ptr, out_ptr):
    x = tl.load(x_ptr)
    tl.store(out_ptr + offsets((1, 1)), x[None, None])
    tl.store(out_ptr + 1 + offsets((1,)), x.expand_dims(0))
    tl.store(out_ptr + 2 + offsets((2, 2)), x.broadcast_to(2, 2))
    tl.store(out_ptr + 6 + offsets((1, 1, 1)), tl.reshape(x, 1, 1, 1))


def test_numbers_become_blocks(device):
    x = np.array([7], np.int32)
    assert run(device, number_as_block, (x,), 7, np.int32).tolist() == [7] * 7


@eft.jit
def expanded(x_ptr, out_ptr, SHAPE: tl.constexpr, AXIS: tl.constexpr):
    y = tl.expand_dims(tl.load(x_ptr + offsets(SHAPE)), AXIS)
    tl.store(out_ptr + offsets(y.shape), y)
    if not isinstance(AXIS, tuple):
        z = y.squeeze(AXIS).unsqueeze(AXIS)
        tl.store(out_ptr + y.numel + offsets(z.shape), z)


@pytest.mark.parametrize("shape", [(16,), (4, 8), (2, 4, 8)])
@pytest.mark.parametrize("axis", [0, 1, -1, -2, (0, 1), (-1, 0), (1, -1)])
def test_expand_dims(device, shape, axis):
    x = samples("fp32", shape)
    y = np.expand_dims(x, axis)
    expected = np.stack([y, y]) if isinstance(axis, int) else y[None]
    found = run(device, expanded, (x,), expected.shape, x.dtype, SHAPE=shape, AXIS=axis)
    assert_same_bits(found, expected)


@eft.jit
def broadcasted(x_ptr, y_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr):
    x = tl.load(x_ptr + offsets(A))
    y = tl.load(y_ptr + offsets(B))
    u, v = tl.broadcast(x, y)
    tl.store(out_ptr + offsets(u.shape), u)
    tl.store(out_ptr + u.numel + offsets(v.shape), v)
    tl.store(out_ptr + 2 * u.numel + offsets(u.shape), x.broadcast_to(*u.shape))
    tl.store(out_ptr + 3 * u.numel + offsets(u.shape), tl.zeros_like(u))


@pytest.mark.parametrize(
    "a, b",
    [((8,), (8,)), ((8, 1), (4,)), ((1, 16), (4, 1, 1)), ((2, 1, 8), (4, 8)), ((1,), (4, 64))],
)
def test_broadcasting(device, a, b):
    x, y = samples("int32", a, 1), samples("int32", b, 2)
    u, v = np.broadcast_arrays(x, y)
    expected = np.stack([u, v, u, np.zeros_like(u)])
    found = run(device, broadcasted, (x, y), expected.shape, x.dtype, A=a, B=b)
    assert_same_bits(found, expected)


@eft.jit
def reshaped(x_ptr, out_ptr, SHAPE: tl.constexpr, TO: tl.constexpr):
    x = tl.load(x_ptr + offsets(SHAPE))
    y = tl.reshape(x, TO)
    tl.store(out_ptr + offsets(TO), y)
    tl.store(out_ptr + x.numel + offsets(TO), x.reshape(*TO, can_reorder=True))
    tl.store(out_ptr + 2 * x.numel + offsets((x.numel,)), y.ravel())
    tl.store(out_ptr + 3 * x.numel + offsets(SHAPE), y.view(SHAPE))


@pytest.mark.parametrize(
    "name, shape, to",
    cases(
        NAMES,
        [
            ((4, 16), (4, 2, 8)),
            ((512,), (32, 16)),
            ((64,), (8, 8)),
            ((4, 2, 8), (64,)),
            ((1, 64), (64, 1)),
            ((32, 64), (64, 32)),
            ((1,), (1, 1)),
        ],
    ),
)
def test_reshape(device, name, shape, to):
    x = samples(name, shape)
    found = run(device, reshaped, (x,), (4, x.size), x.dtype, SHAPE=shape, TO=to)
    assert_same_bits(found, np.stack([x.reshape(-1)] * 4))


@eft.jit
def one_element(x_ptr, out_ptr):
    x = tl.load(x_ptr + offsets((1, 1)))
    tl.store(out_ptr, x.item())
    tl.store(out_ptr + 1, tl.reshape(x, ()))
    tl.store(out_ptr + 2, tl.item(x.item()))


def test_item(device):
    assert run(device, one_element, (np.array([3.5]),), 3, np.float64).tolist() == [3.5] * 3


@eft.jit
def transposed(x_ptr, out_ptr, SHAPE: tl.constexpr, ORDER: tl.constexpr):
    y = tl.load(x_ptr + offsets(SHAPE)).permute(ORDER)
    tl.store(out_ptr + offsets(y.shape), y)
    z = tl.trans(tl.load(x_ptr + offsets(SHAPE)), *ORDER)
    tl.store(out_ptr + y.numel + offsets(y.shape), z)


@pytest.mark.parametrize(
    "name, shape, order",
    cases(
        NAMES,
        [
            ((16, 32), (1, 0)),
            ((2, 4, 8), (2, 0, 1)),
            ((64, 32), (1, 0)),
            ((1, 16), (1, 0)),
            ((16, 2, 32), (1, 2, 0)),
            ((2, 2, 4, 8), (3, 1, 0, 2)),
            ((8,), (0,)),
        ],
    ),
)
def test_permutations(device, name, shape, order):
    x = samples(name, shape)
    y = x.transpose(order)
    found = run(device, transposed, (x,), (2, *y.shape), x.dtype, SHAPE=shape, ORDER=order)
    assert_same_bits(found, np.stack([y, y]))


@eft.jit
def last_two_swapped(x_ptr, out_ptr, SHAPE: tl.constexpr):
    x = tl.load(x_ptr + offsets(SHAPE))
    tl.store(out_ptr + offsets(x.T.shape), x.T)
    tl.store(out_ptr + x.numel + offsets(x.T.shape), tl.trans(x))


@pytest.mark.parametrize("shape", [(4, 8), (2, 4, 8), (32, 64)])
def test_transposition(device, shape):
    x = samples("fp32", shape)
    y = x.swapaxes(-1, -2)
    found = run(device, last_two_swapped, (x,), (2, *y.shape), x.dtype, SHAPE=shape)
    assert_same_bits(found, np.stack([y, y]))


@eft.jit
def joined(x_ptr, y_ptr, out_ptr, SHAPE: tl.constexpr):
    x = tl.load(x_ptr + offsets(SHAPE))
    y = tl.load(y_ptr + offsets(SHAPE))
    both = tl.join(x, y)
    tl.store(out_ptr + offsets(both.shape), both)
    mixed = tl.interleave(x, y)
    tl.store(out_ptr + both.numel + offsets(mixed.shape), mixed)
    low, high = both.split()
    again = tl.join(high, low)
    tl.store(out_ptr + 2 * both.numel + offsets(both.shape), again)


@pytest.mark.parametrize(
    "name, shape", cases(NAMES, [((32,),), ((4, 8),), ((1,),), ((1024,),), ((2, 4, 16),)])
)
def test_join_interleave_and_split(device, name, shape):
    x, y = samples(name, shape, 1), samples(name, shape, 2)
    both, again = np.stack([x, y], -1), np.stack([y, x], -1)
    found = run(device, joined, (x, y), (3, *both.shape), x.dtype, SHAPE=shape)
    assert_same_bits(found, np.stack([both, both, again]))


@eft.jit
def parts(x_ptr, y_ptr, out_ptr):
    # `split` turns a block of two elements into two numbers, and `join` does the reverse.
    a, b = tl.load(x_ptr + tl.arange(0, 2)).split()
    tl.store(out_ptr + tl.arange(0, 2), tl.join(b, a))
    tl.store(out_ptr + 2 + tl.arange(0, 2), tl.interleave(a, 5))
    # `split` takes the columns of a matrix apart.
    m = tl.load(y_ptr + offsets((4, 2, 2)))
    even, odd = m.split()
    first, second = even.split()
    tl.store(out_ptr + 4 + tl.arange(0, 4), first)
    tl.store(out_ptr + 8 + tl.arange(0, 4), second)
    # The operands of `join` are converted to a common shape and type.
    tl.store(out_ptr + 12 + offsets((4, 2)), tl.join(first, 1.5))


def test_numbers_and_columns(device):
    x, y = np.array([3.0, 4.0], np.float32), np.arange(16, dtype=np.float32)
    expected = [4, 3, 3, 5, 0, 4, 8, 12, 2, 6, 10, 14, 0, 1.5, 4, 1.5, 8, 1.5, 12, 1.5]
    assert run(device, parts, (x, y), 20, np.float32).tolist() == expected


@eft.jit
def concatenated(x_ptr, y_ptr, out_ptr, SHAPE: tl.constexpr, DIM: tl.constexpr):
    x = tl.load(x_ptr + offsets(SHAPE))
    y = tl.load(y_ptr + offsets(SHAPE))
    both = tl.cat(x, y, dim=DIM)
    tl.store(out_ptr + offsets(both.shape), both)
    if len(SHAPE) == 1:
        tl.store(out_ptr + offsets(both.shape), tl.cat(x, y, can_reorder=True))


@pytest.mark.parametrize("name", ["int8", "fp32", "int64"])
@pytest.mark.parametrize(
    "shape, dim", [((1,), 0), ((64,), -1), ((4, 8), 0), ((4, 8), 1), ((2, 4, 8), 1)]
)
def test_cat(device, name, shape, dim):
    x, y = samples(name, shape, 1), samples(name, shape, 2)
    expected = np.concatenate([x, y], dim)
    found = run(device, concatenated, (x, y), expected.shape, x.dtype, SHAPE=shape, DIM=dim)
    assert_same_bits(found, expected)


@eft.jit
def flipped(x_ptr, out_ptr, SHAPE: tl.constexpr, DIM: tl.constexpr):
    y = tl.load(x_ptr + offsets(SHAPE)).flip(DIM)
    tl.store(out_ptr + offsets(SHAPE), y)


@pytest.mark.parametrize(
    "name, shape, dim",
    cases(
        NAMES,
        [
            ((512,), None),
            ((4, 8), 0),
            ((8,), 0),
            ((2048,), 0),
            ((4, 8), -1),
            ((64, 32), 0),
            ((2, 4, 8), 1),
        ],
    ),
)
def test_flip(device, name, shape, dim):
    x = samples(name, shape)
    expected = np.flip(x, -1 if dim is None else dim)
    found = run(device, flipped, (x,), shape, x.dtype, SHAPE=shape, DIM=dim)
    assert_same_bits(found, expected)


@eft.jit
def gathered(x_ptr, i_ptr, out_ptr, FROM: tl.constexpr, TO: tl.constexpr, AXIS: tl.constexpr):
    index = tl.load(i_ptr + offsets(TO))
    y = tl.load(x_ptr + offsets(FROM)).gather(index, AXIS)
    tl.store(out_ptr + offsets(TO), y)


@pytest.mark.parametrize(
    "name, shape, to, axis",
    cases(
        NAMES,
        [
            ((64,), (256,), 0),
            ((4, 8), (16, 8), 0),
            ((64,), (64,), 0),
            ((1024,), (16,), -1),
            ((4, 8), (4, 2), 1),
            ((32, 16), (32, 16), 0),
            ((2, 4, 8), (2, 16, 8), -2),
        ],
    ),
)
def test_gather(device, name, shape, to, axis):
    x = samples(name, shape)
    index = np.random.default_rng(3).integers(0, shape[axis], to).astype(np.int32)
    found = run(device, gathered, (x, index), to, x.dtype, FROM=shape, TO=to, AXIS=axis)
    assert_same_bits(found, np.take_along_axis(x, index.astype(np.int64), axis))


@pytest.mark.parametrize("name", ["int8", "uint8", "uint16", "uint32", "int64", "uint64"])
def test_gather_by_every_type_of_index(device, name):
    x = samples("fp32", (64,))
    index = np.random.default_rng(3).integers(0, 64, 32).astype(DTYPES[name])
    found = run(device, gathered, (x, index), 32, x.dtype, FROM=(64,), TO=(32,), AXIS=0)
    assert_same_bits(found, x[index.astype(np.int64)])


@eft.jit
def gathered_from_anywhere(x_ptr, i_ptr, out_ptr):
    i = tl.arange(0, 16)
    tl.store(out_ptr + i, tl.load(x_ptr + i).gather(tl.load(i_ptr + i), 0))


def test_gather_outside_of_the_source_gives_one_of_its_elements(device):
    x = samples("int32", (16,))
    index = np.array([-1, 16, 2**31 - 1, -(2**31), 1 << 20, *range(11)], np.int32)
    found = run(device, gathered_from_anywhere, (x, index), 16, np.int32)
    assert set(found[:5].tolist()) <= set(x.tolist())
    assert_same_bits(found[5:], x[:11])


@eft.jit
def chain(x_ptr, out_ptr, SHAPE: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + offsets(SHAPE))
    y = tl.cat(x.T.flip(0), x.reshape(SHAPE[1], SHAPE[0]), dim=1)
    low, high = y.reshape(N, 2).T.reshape(N, 2).split()
    z = low.gather(tl.arange(0, N) ^ 5, 0) - high
    tl.store(out_ptr + tl.arange(0, N), z.flip())


@pytest.mark.parametrize("shape", [(4, 8), (32, 16), (16, 128)])
@pytest.mark.parametrize("num_warps", [1, 4])
def test_many_moves(device, shape, num_warps):
    x = samples("int32", shape)
    n = x.size
    y = np.concatenate([np.flip(x.T, 0), x.reshape(shape[::-1])], 1)
    pairs = y.reshape(n, 2).T.reshape(n, 2)
    expected = np.flip(pairs[np.arange(n) ^ 5, 0] - pairs[:, 1])
    found = run(device, chain, (x,), n, x.dtype, SHAPE=shape, N=n, num_warps=num_warps)
    assert_same_bits(found, expected)


@eft.jit
def small_for_many(x_ptr, y_ptr, out_ptr, SHAPE: tl.constexpr, N: tl.constexpr):
    largest = tl.max(tl.load(x_ptr + offsets((8, N))), 0)
    tl.store(out_ptr + offsets(SHAPE), tl.load(y_ptr + offsets(SHAPE)) + largest)


@pytest.mark.parametrize("shape", [(2, 8, 64), (128, 8, 64), (4096, 2)])
def test_a_small_block_for_each_row_of_a_large_one(device, shape):
    n = shape[-1]
    x, y = samples("int32", (8, n)), samples("int32", shape, 1)
    found = run(device, small_for_many, (x, y), shape, np.int32, SHAPE=shape, N=n)
    assert_same_bits(found, y + x.max(0))
