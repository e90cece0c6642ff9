# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor descriptors as arguments of launches, against slices of NumPy arrays."""

import re

import eft
import eft.language as tl
import numpy as np
import pytest
from eft import TensorDescriptor
from support import DTYPES, assert_same_bits
from test_descriptors import expected_load, expected_store

#: The extents of arrays whose rows have multiples of 16 bytes, and the extents of blocks.
RANKS = [
    ((300,), (64,)),
    ((21, 36), (8, 16)),
    ((5, 7, 20), (4, 2, 8)),
    ((3, 4, 5, 12), (2, 1, 4, 8)),
    ((2, 3, 2, 5, 12), (2, 2, 1, 4, 16)),
]


def described(device, array, block, padding="zero"):
    """A descriptor of an array that is copied to the device."""
    return TensorDescriptor.from_tensor(device.put(array), list(block), padding)


@eft.jit
def copies(source, target, zero, OFFSETS: tl.constexpr):
    # Adding `zero` makes the offsets unknown at compile time.
    target.store([0 for _ in OFFSETS], source.load([offset + zero for offset in OFFSETS]))


@pytest.mark.parametrize("shape, block", RANKS)
@pytest.mark.parametrize("place", [0, 0.4, -0.2, 0.9, 1])
@pytest.mark.parametrize("padding, value", [("zero", 0), ("nan", np.nan)])
def test_loads_of_every_rank(device, shape, block, place, padding, value):
    x = np.arange(1, 1 + np.prod(shape), dtype=np.float32).reshape(shape)
    offsets = tuple(int(np.floor(place * extent)) for extent in shape)
    out = described(device, np.full(block, -1, np.float32), block)
    copies[1](described(device, x, block, padding), out, 0, offsets)
    assert_same_bits(device.get(out.base), expected_load(x, offsets, block, value))


@eft.jit
def puts(source, target, zero, OFFSETS: tl.constexpr):
    target.store([offset + zero for offset in OFFSETS], source.load([0 for _ in OFFSETS]))


@pytest.mark.parametrize("shape, block", RANKS)
@pytest.mark.parametrize("place", [0, 0.4, -0.2, 0.9, 1])
def test_stores_of_every_rank(device, shape, block, place):
    x = np.arange(1, 1 + np.prod(shape), dtype=np.int32).reshape(shape)
    value = -np.arange(1, 1 + np.prod(block), dtype=np.int32).reshape(block)
    offsets = tuple(int(np.floor(place * extent)) for extent in shape)
    out = described(device, x, block)
    puts[1](described(device, value, block), out, 0, offsets)
    assert_same_bits(device.get(out.base), expected_store(x, offsets, value))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("columns", [48, 41])
def test_every_dtype(device, dtype, columns):
    """The row stride is 48. With 41 columns, accesses of several elements could cross the end."""
    numbers = np.random.default_rng(0).integers(0, 2 if dtype == "int1" else 100, (9, 48))
    x = numbers.astype(DTYPES[dtype])
    memory, out = device.put(x), device.put(np.ones((8, 64), x.dtype))
    source = TensorDescriptor(memory, [9, columns], [48, 1], [8, 64])
    copies[1](source, TensorDescriptor.from_tensor(out, [8, 64]), 0, (3, -2))
    assert_same_bits(device.get(out), expected_load(x[:, :columns], (3, -2), (8, 64)))


@eft.jit
def moves_rows(source, rows_ptr, target, column, R: tl.constexpr):
    rows = tl.load(rows_ptr + tl.arange(0, R))
    target.scatter(source.gather(rows, column), rows, column)


def test_rows_by_their_numbers(device):
    x = np.arange(1, 21 * 36 + 1, dtype=np.float32).reshape(21, 36)
    rows = np.array([3, 0, 20, -1, 21, 7, 1, 12], np.int32)
    out = described(device, 0 * x, [1, 16])
    moves_rows[1](described(device, x, [1, 16]), device.put(rows), out, 25, R=8)
    expected = 0 * x
    for row in rows[(rows >= 0) & (rows < 21)]:
        expected[row, 25:] = x[row, 25:]
    assert_same_bits(device.get(out.base), expected)


@eft.jit
def adds(source, target, i, j):
    target.atomic_add([i, j], source.load([0, 0]))


def test_updates_stay_in_the_array(device):
    x = np.arange(13 * 20, dtype=np.int32).reshape(13, 20)
    value = np.arange(8 * 16, dtype=np.int32).reshape(8, 16)
    out = described(device, x, [8, 16])
    adds[1](described(device, value, [8, 16]), out, 9, 10)
    held = expected_load(x, (9, 10), (8, 16))
    assert_same_bits(device.get(out.base), expected_store(x, (9, 10), held + value))


@eft.jit
def looks_at_one(x, y_ptr, n: tl.constexpr):
    tl.static_assert(isinstance(x, tl.tensor_descriptor))
    tl.static_assert(x.dtype == tl.float32 and x.block_shape == (4, 8))
    for number in tl.static_range(2):
        tl.store(y_ptr + number, x.shape[number])
        tl.store(y_ptr + 2 + number, x.strides[number])


@pytest.mark.parametrize("extent", [5, 2**31])
def test_what_a_kernel_sees(device, extent):
    out = device.put(np.zeros(4, np.int64))
    x = TensorDescriptor(device.put(np.zeros(4, np.float32)), [extent, 3], [2**40, 1], [4, 8])
    looks_at_one[1](x, out, 1)
    assert device.get(out).tolist() == [extent, 3, 2**40, 1]


@eft.jit
def scaled(x, i, by):
    return x.load([i, 0]) * by


@eft.jit
def in_functions_and_loops(first, second, out_ptr, other, turns, N: tl.constexpr):
    x = first
    if other:
        x = second
    total = tl.zeros((N, N), tl.float32)
    for turn in range(turns):
        total += scaled(x, turn * N, turn)
    out = tl.make_tensor_descriptor(out_ptr, [N, N], [N, 1], [N, N])
    out.store([0, 0], total)


@pytest.mark.parametrize("other", [False, True])
def test_functions_loops_and_choices_take_them(device, other):
    x = np.arange(24 * 8, dtype=np.float32).reshape(24, 8)
    out = device.put(np.zeros((8, 8), np.float32))
    first, second = (described(device, each, [8, 8]) for each in (x, x + 1000))
    in_functions_and_loops[1](first, second, out, other, 3, N=8)
    blocks = (x + 1000 * other).reshape(3, 8, 8)
    assert_same_bits(device.get(out), blocks[1] + 2 * blocks[2])


# -- variants --------------------------------------------------------------------------------------


def variant(*facts):
    x = TensorDescriptor(np.zeros(64, np.float32), *facts)
    return looks_at_one.warmup(x, np.zeros(4, np.int64), 1)


def test_what_makes_a_variant():
    facts = [5, 8], [8, 1], [4, 8]
    first = variant(*facts)
    assert variant([6, 12], [16, 1], [4, 8]) is first
    assert variant([6, 12], [16, 1], [4, 8], "nan") is not first
    assert variant([6, 11], [16, 1], [4, 8]) is not first
    assert variant([2**31, 12], [16, 1], [4, 8]) is not first
    types, specials = zip(
        *((each.types, each.specialization) for each in looks_at_one.variants), strict=True
    )
    assert "tensordesc<fp32[4, 8], nan>" in {each[0] for each in types}
    assert "tensordesc<fp32[4, 8], i64>" in {each[0] for each in types}
    assert {each[0] for each in specials} == {"4", ""}


def test_a_block_shape_that_is_set_later():
    x = np.arange(64, dtype=np.float32).reshape(8, 8)
    source, target = (TensorDescriptor.from_tensor(each, [1, 1]) for each in (x, 0 * x))
    source.block_shape = target.block_shape = [4, 8]
    copies[1](source, target, 0, (2, 0))
    assert_same_bits(target.base[:4], x[2:6])


@pytest.mark.parametrize("target", ["cpu", "cuda:90"])
@pytest.mark.parametrize("columns, special", [(24, "8"), (20, "")])
def test_a_warmup_without_arrays(target, columns, special):
    x = eft.MockTensor(tl.float16, (16, 24))
    source = TensorDescriptor(x, [16, columns], x.stride(), [8, 32])
    compilation = copies.warmup(source, source, 5, (0, 3), target=target)
    text = "%arg0: !eft.ptr<f16> {eft.divisibility = 16 : i32}"
    extent = f"i32 {{eft.divisibility = {special} : i32}}" if special else "i32"
    assert text in compilation.asm["ir"]
    assert f"%arg4: {extent}, %arg5: i64 {{eft.divisibility = 8 : i32}}" in compilation.asm["ir"]


def test_memory_that_is_only_read():
    x = np.arange(64, dtype=np.float32).reshape(8, 8)
    x.flags.writeable = False
    source = TensorDescriptor.from_tensor(x, [8, 8])
    with pytest.raises(eft.CompilationError, match="can't store through a pointer to read-only"):
        copies[1](source, source, 0, (0, 0))


@eft.jit
def annotated(x: tl.int32):
    pass


def test_mistakes():
    x = TensorDescriptor.from_tensor(np.zeros((8, 8), np.int32), [8, 8])
    with pytest.raises(eft.CompilationError) as raised:
        annotated[1](x)
    text = "the parameter 'x' is annotated as int32, got a tensor descriptor"
    assert str(raised.value).split("\n")[0].endswith(text)
    x.padding = "nan"
    with pytest.raises(eft.CompilationError, match="padding_option 'nan' needs floats, got int32"):
        copies[1](x, x, 0, (0, 0))


# -- matrix products -------------------------------------------------------------------------------


@eft.jit
def matmul(a_desc, b_desc, c_desc, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """c = a @ b.T, one tile a program."""
    m, n = tl.program_id(0) * M, tl.program_id(1) * N
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, k, K):
        total = tl.dot(a_desc.load([m, start]), b_desc.load([n, start]).T, total)
    c_desc.store([m, n], total.to(c_desc.dtype))


@pytest.mark.parametrize("m, n, k", [(200, 136, 72), (130, 24, 200), (64, 128, 1000)])
def test_products(device, m, n, k):
    random = np.random.default_rng(k)
    a, b = (random.integers(-4, 5, shape).astype(np.float16) for shape in ((m, k), (n, k)))
    c = described(device, np.full((m, n), -1, np.float32), [128, 128])
    a_desc, b_desc = (described(device, each, [128, 64]) for each in (a, b))
    matmul[-(-m // 128), -(-n // 128)](a_desc, b_desc, c, k, M=128, N=128, K=64)
    assert_same_bits(device.get(c.base), a.astype(np.float32) @ b.astype(np.float32).T)


def test_products_are_made_from_copies_of_16_bytes():
    def described(m, n, block):
        return TensorDescriptor.from_tensor(eft.MockTensor(tl.float16, (m, n)), block)

    a, b = described(4096, 1000, [128, 64]), described(512, 1000, [128, 64])
    c = described(4096, 512, [128, 128])
    ptx = matmul.warmup(a, b, c, 1000, M=128, N=128, K=64, target="sm_90").asm["ptx"]
    assert "wgmma.mma_async" in ptx and "ld.global" not in ptx
    assert set(re.findall(r"cp\.async\.(c[ag]).*\], (\d+)", ptx)) == {("cg", "16")}
    assert "st.global.v4" in ptx
