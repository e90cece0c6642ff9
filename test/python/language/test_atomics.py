# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomic operations: alone, under contention, and as locks."""

import eft
import eft.language as tl
import numpy as np
import pytest
from support import DTYPES, assert_at, assert_same_bits, fails

INTEGERS = ["int32", "uint32", "int64", "uint64"]
FLOATS = ["fp32", "fp64"]
HALVES = ["fp16", "bf16"]
NAN = float("nan")


@eft.jit
def add_once(p, x_ptr, old_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    old = tl.atomic_add(p + i, tl.load(x_ptr + i), mask=i < n)
    tl.store(old_ptr + i, old)


@pytest.mark.parametrize("name", [*INTEGERS, *FLOATS, *HALVES])
@pytest.mark.parametrize("size", [1, 8, 64, 4096])
def test_each_element_of_a_block(device, name, size):
    dtype = DTYPES[name]
    before, x = np.arange(size).astype(dtype), (np.arange(size) * 3 % 7 + 1).astype(dtype)
    p, old = device.put(before), device.put(np.full(size, 9).astype(dtype))
    n = size - size // 4
    add_once[1](p, device.put(x), old, n, N=size)
    inside = np.arange(size) < n
    assert_same_bits(device.get(p), np.where(inside, before + x, before).astype(dtype))
    assert_same_bits(device.get(old), np.where(inside, before, 0).astype(dtype))


@eft.jit
def add_block(p, x_ptr, old_ptr, rows, columns, stride, ORDER: tl.constexpr, M: tl.constexpr,
              N: tl.constexpr, KEEPS: tl.constexpr):  # fmt: skip
    i, j = tl.arange(0, M)[:, None], tl.program_id(0) * N + tl.arange(0, N)[None, :]
    mask = (i < rows) & (j < columns)
    x = tl.load(x_ptr + i * columns + j, mask=mask)
    old = tl.atomic_add(p + i * stride + j, x, mask=mask, sem=ORDER)
    if KEEPS:
        tl.store(old_ptr + i * columns + j, old, mask=mask)


@pytest.mark.parametrize("name", [*FLOATS, *HALVES])
@pytest.mark.parametrize("order", ["relaxed", "release", "acq_rel"])
@pytest.mark.parametrize(("columns", "stride"), [(64, 64), (48, 80), (36, 40), (63, 65), (64, 33)])
@pytest.mark.parametrize("keeps", [False, True])
def test_rows_whose_neighbours_are_added_together(device, name, order, columns, stride, keeps):
    dtype, rows = DTYPES[name], 13
    size = rows * stride + 64
    rng = np.random.default_rng(columns)
    before = rng.integers(-20, 20, size).astype(dtype)
    x = rng.integers(-20, 20, (rows, columns)).astype(dtype)
    p, old = device.put(before), device.put(np.full((rows, columns), 9).astype(dtype))
    arguments = device.put(x), old, rows, columns, stride
    add_block[2](p, *arguments, ORDER=order, M=16, N=32, KEEPS=keeps, num_warps=1)
    place = np.arange(rows)[:, None] * stride + np.arange(columns)
    expected = before.astype(np.float64)
    np.add.at(expected, place, x.astype(np.float64))
    assert_same_bits(device.get(p), expected.astype(dtype))
    # If rows overlap, an element gets two additions in any order, and old values vary.
    if keeps and stride >= columns:
        assert_same_bits(device.get(old), before[place])


@pytest.mark.parametrize("name, words", [("fp32", "add.v4.f32"), ("fp16", "add.noftz.v4.f16x2")])
def test_a_bound_tells_which_neighbours_have_one_mask(name, words):
    x = np.zeros(1024, DTYPES[name])
    ptx = add_once.warmup(x, x, x, 512, N=2048, grid=(1,), target="sm_90").asm["ptx"]
    assert words in ptx
    assert words not in add_once.warmup(x, x, x, 511, N=2048, grid=(1,), target="sm_90").asm["ptx"]


@eft.jit
def every_kind(p, x_ptr, old_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(old_ptr + i, tl.atomic_max(p + i, x))
    tl.store(old_ptr + N + i, tl.atomic_min(p + N + i, x))
    if p.dtype.element_ty.primitive_bitwidth > 16:
        tl.store(old_ptr + 2 * N + i, tl.atomic_xchg(p + 2 * N + i, x))
    if p.dtype.element_ty.is_int():
        tl.store(old_ptr + 3 * N + i, tl.atomic_and(p + 3 * N + i, x))
        tl.store(old_ptr + 4 * N + i, tl.atomic_or(p + 4 * N + i, x))
        tl.store(old_ptr + 5 * N + i, tl.atomic_xor(p + 5 * N + i, x))


@pytest.mark.parametrize("name", INTEGERS)
def test_every_kind_on_integers(device, name):
    dtype, n = DTYPES[name], 128
    info = np.iinfo(dtype)
    draw = np.random.default_rng(1).integers
    before, x = (draw(info.min, info.max, size, dtype, True) for size in (6 * n, n))
    p, old = device.put(before), device.put(np.zeros(6 * n, dtype))
    every_kind[1](p, device.put(x), old, N=n)
    b = before.reshape(6, n)
    expected = [np.maximum(b[0], x), np.minimum(b[1], x), x, b[3] & x, b[4] | x, b[5] ^ x]
    assert_same_bits(device.get(old), before)
    assert_same_bits(device.get(p), np.concatenate(expected))


@pytest.mark.parametrize("name", [*FLOATS, *HALVES])
def test_extremes_of_floats(device, name):
    dtype = DTYPES[name]
    values = np.array([-np.inf, -2.5, -1e-40, -0.0, 0.0, 1e-40, 1.0, np.inf], dtype)
    x, y = (each.ravel() for each in np.meshgrid(values, values))
    # Atomic maxima and minima take -0 as less than +0.
    above = (x > y) | ((x == y) & (np.signbit(y) | ~np.signbit(x)))
    expected = [np.where(above, x, y), np.where(above, y, x)]
    if name in FLOATS:  # `every_kind` also exchanges floats
        expected.append(y)
    before = np.concatenate([x] * len(expected))
    p, old = device.put(before), device.put(np.zeros(before.size, dtype))
    every_kind[1](p, device.put(y), old, N=x.size)
    assert_same_bits(device.get(old), before)
    assert_same_bits(device.get(p), np.concatenate(expected))


@pytest.mark.parametrize("name", [*FLOATS, *HALVES])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_value_that_is_nan_is_greater_than_any_number(device, name, sign):
    dtype = DTYPES[name]
    values = np.array([-np.inf, -1.0, 1.0, np.inf], dtype)
    p, old = device.put(np.tile(values, 3)), device.put(np.zeros(12, dtype))
    every_kind[1](p, device.put(np.copysign(np.full(4, NAN, dtype), dtype.type(sign))), old, N=4)
    result = device.get(p).reshape(3, 4)
    assert np.isnan(result[0]).all()
    assert_same_bits(result[1], values)


@eft.jit
def swap(p, expected_ptr, x_ptr, old_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    old = tl.atomic_cas(p + i, tl.load(expected_ptr + i), tl.load(x_ptr + i), sem="relaxed")
    tl.store(old_ptr + i, old)


@pytest.mark.parametrize("name", ["int16", "uint16", *HALVES, *INTEGERS, *FLOATS])
def test_compare_and_swap(device, name):
    dtype, n = DTYPES[name], 64
    before, x = np.arange(n).astype(dtype), (np.arange(n) + 1).astype(dtype)
    compared = np.where(np.arange(n) % 3 == 0, before, x).astype(dtype)
    p, old = device.put(before), device.put(np.zeros(n, dtype))
    swap[1](p, device.put(compared), device.put(x), old, N=n)
    assert_same_bits(device.get(old), before)
    assert_same_bits(device.get(p), np.where(np.arange(n) % 3 == 0, x, before).astype(dtype))


@eft.jit
def tickets(counter, seen_ptr, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    ticket = tl.atomic_add(counter + tl.zeros((N,), tl.int32), 1, mask=i < n, sem="relaxed")
    tl.store(seen_ptr + i, ticket, mask=i < n)


def test_every_program_and_element_gets_a_ticket_of_its_own(device):
    n, size = 10_000, 256
    counter, seen = device.put(np.zeros(1, np.int32)), device.put(np.full(n, -1, np.int32))
    tickets[(eft.cdiv(n, size),)](counter, seen, n, N=size)
    assert device.get(counter)[0] == n
    np.testing.assert_array_equal(np.sort(device.get(seen)), np.arange(n))


@eft.jit
def extremes(p, x_ptr, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.atomic_max(p + tl.zeros((N,), tl.int32), x, mask=i < n, sem="relaxed")
    tl.atomic_min(p + 1 + tl.zeros((N,), tl.int32), x, mask=i < n, sem="relaxed")


@pytest.mark.parametrize("name", [*FLOATS, *HALVES])
def test_many_programs_find_the_extremes(device, name):
    x = np.random.default_rng(2).normal(size=5000).astype(DTYPES[name])
    p = device.put(np.zeros(2, x.dtype))
    extremes[(20,)](p, device.put(x), x.size, N=256)
    assert_same_bits(device.get(p), np.array([x.max(), x.min()], x.dtype))


@eft.jit
def count(counts, x_ptr, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.atomic_add(counts + x, 1.0, mask=i < n)


@pytest.mark.parametrize("name", ["fp16", "bf16", "fp32", "fp64", "int32", "uint64"])
@pytest.mark.parametrize("size", [64, 2048])
def test_a_histogram_by_many_programs(device, name, size):
    n, bins = 20_000, 200
    x = np.random.default_rng(0).integers(0, bins, n).astype(np.int32)
    counts = device.put(np.zeros(bins, DTYPES[name]))
    count[(eft.cdiv(n, size),)](counts, device.put(x), n, N=size)
    # No count exceeds 256, so that even bf16 holds each count exactly.
    assert_same_bits(device.get(counts), np.bincount(x, minlength=bins).astype(DTYPES[name]))


@eft.jit
def scalar_results(p, old_ptr, n):
    program = tl.program_id(0)
    old = tl.atomic_add(p, 1, mask=program < n)
    tl.store(old_ptr + program, old + p.atomic_max(old))
    i = tl.arange(0, 32)
    # Every thread of the program gets the result.
    tl.store(old_ptr + tl.num_programs(0) + program * 32 + i, tl.atomic_or(p + 1, 0) + i)


def test_the_results_of_single_elements(device):
    programs, n = 40, 30
    p, old = device.put(np.array([0, 5], np.int32)), device.put(np.zeros(programs * 33, np.int32))
    scalar_results[(programs,)](p, old, n)
    assert device.get(p).tolist() == [n, 5]
    blocks = device.get(old)[programs:].reshape(programs, 32)
    np.testing.assert_array_equal(blocks, np.tile(np.arange(32) + 5, (programs, 1)))


@eft.jit
def in_order(p, out_ptr):
    tl.store(p, 5)
    before = tl.load(p)
    tl.atomic_add(p, 2, sem="relaxed")
    between = tl.load(p)
    old = tl.atomic_xchg(p, 20, sem="relaxed")
    tl.store(out_ptr, before)
    tl.store(out_ptr + 1, between)
    tl.store(out_ptr + 2, old)
    tl.store(out_ptr + 3, tl.load(p))


def test_a_program_sees_its_own_accesses_in_order(device):
    p, out = device.put(np.zeros(1, np.int64)), device.put(np.zeros(4, np.int64))
    in_order[1](p, out, num_warps=8)
    assert device.get(out).tolist() == [5, 7, 7, 20]


@eft.jit
def last_one_sums(x_ptr, partial_ptr, count_ptr, out_ptr, N: tl.constexpr):
    program = tl.program_id(0)
    i = tl.arange(0, N)
    tl.store(partial_ptr + program * N + i, tl.load(x_ptr + program * N + i) * 2)
    finished = tl.atomic_add(count_ptr, 1)
    if finished == tl.num_programs(0) - 1:
        total = tl.zeros((N,), tl.float32)
        for row in range(tl.num_programs(0)):
            total += tl.load(partial_ptr + row * N + i)
        tl.store(out_ptr + i, total)


def test_the_last_program_sees_what_all_others_wrote(device):
    programs, n = 50, 128
    x = np.arange(programs * n, dtype=np.float32).reshape(programs, n) % 17
    partial, out = device.put(np.zeros_like(x)), device.put(np.zeros(n, np.float32))
    last_one_sums[(programs,)](device.put(x), partial, device.put(np.zeros(1, np.int32)), out, N=n)
    np.testing.assert_array_equal(device.get(out), 2 * x.sum(0))


@eft.jit
def under_a_lock(lock, total_ptr, x_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + tl.program_id(0) * N + i)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(total_ptr + i, tl.load(total_ptr + i) + x)
    tl.atomic_xchg(lock, 0)


def test_a_lock_lets_one_program_in_at_a_time(device):
    programs, n = 64, 256
    x = np.random.default_rng(2).integers(0, 9, (programs, n)).astype(np.float32)
    lock, total = device.put(np.zeros(1, np.int32)), device.put(np.zeros(n, np.float32))
    under_a_lock[(programs,)](lock, total, device.put(x), N=n)
    np.testing.assert_array_equal(device.get(total), x.sum(0))
    assert device.get(lock)[0] == 0


@eft.jit
def through_another_type(p, N: tl.constexpr):
    i = tl.arange(0, N)
    bits = tl.load((p + i).to(tl.pointer_type(tl.int32)))
    tl.store((p + N).to(tl.pointer_type(tl.int32), bitcast=True) + i, bits + 1)


def test_a_pointer_takes_another_type(device):
    x = np.arange(1, 65, dtype=np.float32)
    p = device.put(np.concatenate([x, np.zeros(64, np.float32)]))
    through_another_type[1](p, N=64)
    assert_same_bits(device.get(p)[64:], (x.view(np.int32) + 1).view(np.float32))


def test_errors():
    @eft.jit
    def narrow(p, n):
        tl.atomic_add(p, 1)

    error = fails(narrow, "*i8 i32")
    assert str(error.message) == (
        "atomic_add does not work on int8: expected one of int32, uint32, int64, uint64, fp16, "
        "bf16, fp32, fp64"
    )
    assert_at(error, "tl.atomic_add(p, 1)")

    @eft.jit
    def bits_of_float(p, n):
        tl.atomic_and(p, 1)

    assert "atomic_and does not work on fp32: expected one of int32" in str(fails(bits_of_float))

    @eft.jit
    def half(p, n):
        tl.atomic_max(p, 1.0)

    assert "atomic_max does not work on int16" in str(fails(half, "*i16 i32"))

    @eft.jit
    def read_only(p, n):
        tl.atomic_xchg(p, 1.0)

    expected = "atomic_xchg can't write through a pointer to read-only memory"
    assert expected in str(fails(read_only, "*kfp32 i32"))

    @eft.jit
    def no_pointer(p, n):
        tl.atomic_add(n, 1)

    expected = "atomic_add needs a pointer or a block of pointers, got a value of type int32"
    assert expected in str(fails(no_pointer))

    @eft.jit
    def semantics(p, n):
        tl.atomic_add(p, 1.0, sem="seq_cst")

    expected = "sem must be one of 'relaxed', 'acquire', 'release', 'acq_rel', got 'seq_cst'"
    assert expected in str(fails(semantics))

    @eft.jit
    def scope(p, n):
        tl.atomic_cas(p, 0.0, 1.0, scope="device")

    assert "scope must be one of 'cta', 'gpu', 'sys', got 'device'" in str(fails(scope))

    @eft.jit
    def shape(p, n):
        tl.atomic_cas(p, tl.zeros((4,), tl.float32), 1.0)

    expected = "the expected value of shape [4] does not fit a pointer of shape []"
    assert expected in str(fails(shape))

    @eft.jit
    def mask(p, n):
        tl.atomic_add(p, 1.0, mask=n)

    assert "atomic_add needs a mask of type int1, got" in str(fails(mask))


@eft.jit
def copies(p, out_ptr, n, ORDER: tl.constexpr, SCOPE: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.atomic_load(p + i, mask=i < n, sem=ORDER and "acquire", scope=SCOPE)
    tl.atomic_store(out_ptr + i, x, i < n, sem=ORDER and "release", scope=SCOPE)


@pytest.mark.parametrize("name", [*DTYPES])
@pytest.mark.parametrize("scope", [None, "cta", "gpu", "sys"])
def test_loads_and_stores(device, name, scope):
    size, n = 256, 200
    x = (np.arange(size) % 7).astype(DTYPES[name])
    out = device.put(np.ones(size, x.dtype))
    copies[1](device.put(x), out, n, ORDER=scope, SCOPE=scope, N=size)
    expected = np.where(np.arange(size) < n, x, np.ones_like(x))
    assert_same_bits(device.get(out), expected)


@eft.jit
def passes_on(values, flags):
    """Program i waits for program i - 1, and then reads the value that program i - 1 has stored."""
    i = tl.program_id(0)
    if i > 0:
        while tl.atomic_load(flags + i - 1) == 0:
            pass
        tl.store(values + i, tl.load(values + i - 1, volatile=True) + 1)
    tl.atomic_store(flags + i, 1)


def test_what_a_store_releases_a_load_acquires(device):
    values, flags = device.put(np.zeros(64, np.int32)), device.put(np.zeros(64, np.int32))
    passes_on[64](values, flags)
    assert np.array_equal(device.get(values), np.arange(64))


@eft.jit
def load_that_releases(x_ptr, n):
    tl.atomic_load(x_ptr, sem="release")


@eft.jit
def store_that_acquires(x_ptr, n):
    tl.atomic_store(x_ptr, 1.0, sem="acq_rel")


@eft.jit
def store_to_constant(x_ptr: tl.const, n):
    tl.atomic_store(x_ptr, 1.0)


@pytest.mark.parametrize(
    "kernel, message",
    [
        (load_that_releases, "sem must be one of 'relaxed', 'acquire', got 'release'"),
        (store_that_acquires, "sem must be one of 'relaxed', 'release', got 'acq_rel'"),
        (store_to_constant, "atomic_store can't write through a pointer to read-only memory"),
    ],
)
def test_wrong_loads_and_stores(kernel, message):
    error = fails(kernel)
    assert error.message == message
    assert_at(error, "tl.atomic_")
