# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of Triton's that kernels seldom use: a GPU's clock, the number of a multiprocessor, types
by their names, polling, the last stage of sorting."""

import eft
import eft.language as tl
import numpy as np
import pytest
from eft.language.extra import cuda
from support import assert_at, assert_mistake, fails, mistakes

N = 64


@eft.jit
def merge(x_ptr, out_ptr, N: tl.constexpr, DESCENDING: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.bitonic_merge(tl.load(x_ptr + i), descending=DESCENDING))


@pytest.mark.parametrize("descending", [False, True])
def test_bitonic_merge(device, descending):
    x = np.sort(np.random.default_rng(0).standard_normal(N)).astype(np.float32)
    x = np.concatenate([x[::2], x[1::2][::-1]])  # rises, then falls
    out = device.put(np.zeros_like(x))
    merge[1](device.put(x), out, N=N, DESCENDING=descending)
    expected = np.sort(x)
    assert np.array_equal(device.get(out), expected[::-1] if descending else expected)


@eft.jit
def several(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    numbers = (1, 20, 300, 4000)
    middle = numbers[tl.slice(1, 3, None)]
    tl.store(out_ptr, middle[0] + middle[1])
    count = 0
    while tl.condition(count < 5, disable_licm=True):
        count += 1
    tl.store(out_ptr + 1, count)
    tl.store(out_ptr + 2, cuda.num_warps())
    tl.store(out_ptr + 3, tl.extra.cuda.num_threads())
    largest = tl.standard.sort_impl(tl.load(x_ptr + i), k=2, descending=True)
    tl.store(out_ptr + 4 + tl.arange(0, 2), largest)


@pytest.mark.parametrize("num_warps", [1, 8])
def test_values_that_are_known_at_compile_time(device, num_warps):
    x = np.random.default_rng(1).permutation(N).astype(np.int32)
    out = device.put(np.zeros(6, np.int32))
    several[1](device.put(x), out, N=N, num_warps=num_warps)
    assert list(device.get(out)) == [320, 5, num_warps, 32 * num_warps, N - 1, N - 2]


def test_types_by_name():
    assert tl.str_to_ty("*i32", None) == tl.pi32_t == tl.pointer_type(tl.int32)
    assert tl.str_to_ty("*kbf16", None) == tl.pointer_type(tl.bfloat16, const=True)
    assert tl.str_to_ty("constexpr", 4) == tl.constexpr_type(4) != tl.constexpr_type(5)
    pair = tl.str_to_ty(("i32", ("fp32", "u1")), None)
    assert pair == tl.tuple_type([tl.int32, tl.tuple_type([tl.float32, tl.int1])])
    assert repr(tl.constexpr_type(tl.constexpr(4))) == "constexpr_type[4]"
    assert repr(tl.tuple_type([tl.int32], ["x"])) == "[x:int32]"
    assert list(pair)[0] == pair[0] == tl.int32
    assert len({pair, tl.tuple_type(pair.types), tl.constexpr_type(1), tl.constexpr_type(1)}) == 2


@eft.jit
def follow(values, flags):
    """Program i waits for program i - 1."""
    i = tl.program_id(0)
    if i > 0:
        tl.atomic_poll(flags + i - 1, 7)
        tl.store(values + i, tl.load(values + i - 1, volatile=True) + 1)
    tl.atomic_store(flags + i, 7)


def test_polling_one_place(device):
    values, flags = device.put(np.zeros(16, np.int64)), device.put(np.zeros(16, np.int16))
    follow[16](values, flags)
    assert np.array_equal(device.get(values), np.arange(16))


@eft.jit
def gather_all(flags, out_ptr, N: tl.constexpr):
    i = tl.program_id(0)
    if i == 0:
        j = tl.arange(0, N)
        found = tl.atomic_poll(flags + j, j + 1, sem="relaxed", scope="sys")
        tl.store(out_ptr + j, found.to(tl.int32))
    else:
        tl.atomic_store(flags + i, i + 1)


def test_polling_a_block(device):
    flags, out = device.put(np.ones(8, np.int32)), device.put(np.zeros(8, np.int32))
    gather_all[8](flags, out, N=8)
    assert list(device.get(out)) == [1] * 8


@eft.jit
def polls_in_vain(flags, out_ptr, wait):
    j = tl.arange(0, 8)
    found = tl.atomic_poll(flags + j, j, timeout_ns=wait)
    tl.store(out_ptr + j, found.to(tl.int32))


def test_polling_ends(device):
    if device.name == "cpu":
        pytest.skip("it needs a GPU's clock")
    flags, out = device.put(np.full(8, 3, np.int32)), device.put(np.zeros(8, np.int32))
    polls_in_vain[1](flags, out, 1000)
    assert list(device.get(out)) == [0, 0, 0, 1, 0, 0, 0, 0]


@eft.jit
def times(out_ptr):
    before = cuda.globaltimer()
    start = tl.extra.cuda.clock()
    tl.debug_barrier()
    tl.store(out_ptr, tl.extra.cuda.clock() - start)
    tl.store(out_ptr + 1, cuda.globaltimer() - before)
    tl.store(out_ptr + 2, tl.extra.cuda.smid().to(tl.int64))


def test_clocks_and_places(device):
    if device.name == "cpu":
        pytest.skip("a CPU has neither")
    out = device.put(np.full(3, -1))
    times[1](out)
    cycles, nanoseconds, multiprocessor = device.get(out)
    assert cycles > 0 and nanoseconds >= 0 and 0 <= multiprocessor < 1024


def test_registers_of_clocks_and_places():
    ptx = times.warmup(tl.int64, target="sm_90").asm["ptx"]
    assert ptx.count("%clock64;") == ptx.count("%globaltimer;") == 2
    assert ptx.count("%smid;") == 1


@eft.jit
def float8s(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    code = cuda.convert_custom_float8_sm80(x, tl.float8e4b15)
    tl.store(out_ptr + i, cuda.convert_custom_float8_sm70(code, tl.float32))
    half = cuda.utils.convert_fp8e4b15_to_float16(code)
    code = cuda.utils.convert_float16_to_fp8e4b15(half, True)
    tl.store(out_ptr + N + i, cuda.utils.convert_custom_float8(code, tl.float32, None, False))


def test_custom_floats_of_eight_bits(device):
    x = np.linspace(-1.75, 1.75, 8, dtype=np.float32)
    out = device.put(np.zeros((2, 8), np.float32))
    float8s[1](device.put(x), out, N=8)
    assert np.array_equal(device.get(out), [x, x])


@eft.jit
def underflows(x_ptr, out_ptr):
    x = tl.load(x_ptr)
    tl.store(out_ptr, tl.expect_zero(x, x < 1))


def test_expected_zeros(device):
    out = device.put(np.zeros(1, np.float32))
    underflows[1](device.put(np.full(1, 0.5, np.float32)), out)
    assert device.get(out)[0] == 0.5
    underflows[1](device.put(np.full(1, 2.0, np.float32)), out, debug=True)
    assert device.get(out)[0] == 2
    with pytest.raises(eft.DeviceAssertionError, match="a number is not 0 where the mask is true"):
        underflows[1](device.put(np.full(1, 0.5, np.float32)), out, debug=True)


def test_a_cpu_has_no_clock():
    with pytest.raises(eft.CompilationError) as raised:
        times.warmup(tl.int64, target="cpu")
    assert raised.value.message == "tl.extra.cuda.globaltimer asks a GPU, and can't run on a CPU"
    assert_at(raised.value, "cuda.globaltimer()")


@eft.jit
def polls_floats(x_ptr, n):
    tl.atomic_poll(x_ptr, 1)


@eft.jit
def converts_others(x_ptr, n):
    cuda.convert_custom_float8_sm80(n, tl.float8e4b15)


@eft.jit
def converts_fp32(x_ptr, n):
    cuda.utils.convert_fp8e4b15_to_float16(tl.load(x_ptr))


@eft.jit
def unsure(x_ptr, n):
    tl.condition(n, disable_licm="yes")


@mistakes(
    (
        polls_floats,
        "tl.atomic_poll(",
        "atomic_poll does not work on fp32: expected one of int16, uint16, int32, uint32, int64, "
        "uint64",
    ),
    (
        converts_others,
        "cuda.convert_custom_float8_sm80(",
        "convert_custom_float8_sm80 converts between fp8e4b15 and fp16 or fp32, got int32",
    ),
    (
        converts_fp32,
        "cuda.utils.convert_fp8e4b15_to_float16(",
        "convert_fp8e4b15_to_float16 needs an operand of type fp8e4b15, got fp32",
    ),
    (unsure, "tl.condition(", "a hint of tl.condition must be True or False, got 'yes'"),
)
def test_mistakes(kernel, marker, message):
    assert_mistake(kernel, marker, message)


@eft.jit
def polls_backwards(x_ptr, n):
    tl.atomic_poll(x_ptr, 1, timeout_ns=-1)


@eft.jit
def polls_and_releases(x_ptr, n):
    tl.atomic_poll(x_ptr, 1, sem="release")


def test_mistakes_of_polls():
    error = fails(polls_backwards, "*i32 i32")
    assert error.message == "atomic_poll needs a timeout_ns of 0 or more, got -1"
    error = fails(polls_and_releases, "*i32 i32")
    assert error.message == "sem must be one of 'relaxed', 'acquire', got 'release'"
