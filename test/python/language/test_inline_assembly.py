# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inline PTX in kernels: its results on a GPU, and the errors for wrong uses."""

import eft
import eft.language as tl
import numpy as np
import pytest
from support import assert_at, assert_mistake, mistakes

N = 512


@pytest.fixture
def gpu(device):
    if device.name == "cpu":
        pytest.skip("a CPU runs no PTX")
    return device


@eft.jit
def doubled(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.inline_asm_elementwise("add.f32 $0, $1, $1;", "=f,f", [x], tl.float32, True, 1)
    tl.store(out_ptr + i, y)


def test_a_function_of_each_element(gpu):
    x = np.random.default_rng(0).standard_normal(N).astype(np.float32)
    out = gpu.put(np.zeros_like(x))
    doubled[1](gpu.put(x), out, N=N)
    assert np.array_equal(gpu.get(out), x + x)


def test_a_cpu_refuses_it_at_its_place():
    with pytest.raises(eft.CompilationError) as raised:
        doubled.warmup(tl.float32, tl.float32, N=N, target="cpu")
    assert raised.value.message == "inline assembly is for GPUs, and can't run on a CPU"
    assert_at(raised.value, "tl.inline_asm_elementwise(")


@eft.jit
def bytes_and_floats(x_ptr, y_ptr, out_ptr, greatest_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    number, greatest = tl.inline_asm_elementwise(
        asm="""
        {
            .reg .b8 byte<4>;
            mov.b32 {byte0, byte1, byte2, byte3}, $8;
            cvt.u32.u8 $0, byte0;
            cvt.u32.u8 $1, byte1;
            cvt.u32.u8 $2, byte2;
            cvt.u32.u8 $3, byte3;
        }
        cvt.rn.f32.s32 $4, $0;
        cvt.rn.f32.s32 $5, $1;
        cvt.rn.f32.s32 $6, $2;
        cvt.rn.f32.s32 $7, $3;
        max.f32 $4, $4, $9;
        max.f32 $5, $5, $10;
        max.f32 $6, $6, $11;
        max.f32 $7, $7, $12;
        """,
        constraints="=r,=r,=r,=r,=f,=f,=f,=f,r,f,f,f,f",
        args=[tl.load(x_ptr + i), tl.load(y_ptr + i)],
        dtype=(tl.int32, tl.float32),
        is_pure=True,
        pack=4,
    )
    tl.store(out_ptr + i, number)
    tl.store(greatest_ptr + i, greatest)


@pytest.mark.parametrize("size", [4, 64, N, 4096])
def test_elements_that_share_a_register(gpu, size):
    draw = np.random.default_rng(1)
    x = draw.integers(0, 256, size).astype(np.uint8)
    y = draw.uniform(0, 256, size).astype(np.float32)
    out, greatest = gpu.put(np.zeros(size, np.int32)), gpu.put(np.zeros(size, np.float32))
    bytes_and_floats[1](gpu.put(x), gpu.put(y), out, greatest, N=size)
    assert np.array_equal(gpu.get(out), x)
    assert np.array_equal(gpu.get(greatest), np.maximum(x, y))


@eft.jit
def of_a_row_and_a_number(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    row = tl.load(x_ptr + tl.arange(0, N))
    column = tl.arange(0, M)[:, None]
    y = tl.inline_asm_elementwise(
        "mad.lo.s32 $0, $1, $2, $3;", "=r,r,r,r", [row, column, 7], tl.int32, True, 1
    )
    tl.store(out_ptr + column * N + tl.arange(0, N), y)


def test_operands_broadcast(gpu):
    x = np.arange(16, dtype=np.int32)
    out = gpu.put(np.zeros((8, 16), np.int32))
    of_a_row_and_a_number[1](gpu.put(x), out, M=8, N=16)
    assert np.array_equal(gpu.get(out), x * np.arange(8)[:, None] + 7)


@eft.jit
def adds_by_address(p, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    old = tl.inline_asm_elementwise(
        "atom.global.add.s32 $0, [$1], $2;", "=r,l,r", [p + i, i], tl.int32, False, 1
    )
    tl.debug_barrier()
    tl.store(out_ptr + i, tl.load(p + i) - old)


def test_what_changes_memory_happens_once(gpu):
    p, out = gpu.put(np.full(N, 5, np.int32)), gpu.put(np.zeros(N, np.int32))
    adds_by_address[1](p, out, N=N)
    assert np.array_equal(gpu.get(p), 5 + np.arange(N))
    assert np.array_equal(gpu.get(out), np.arange(N))


@eft.jit
def squared(x):
    return tl.inline_asm_elementwise("mul.f32 $0, $1, $1;", "=f,f", [x], tl.float32, True, 1)


@eft.jit
def branches(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    lane = tl.inline_asm_elementwise("mov.u32 $0, %laneid;", "=r", [], tl.int32, True, 1)
    total = tl.zeros((N,), tl.float32)
    # The condition is true in some threads only, but all threads take the branch.
    if lane == 0:
        total += tl.sum(squared(tl.load(x_ptr + i)), axis=0)
    tl.store(out_ptr + i, total)


def test_threads_agree_on_a_condition(gpu):
    x = np.arange(64, dtype=np.float32)
    out = gpu.put(np.zeros(64, np.float32))
    branches[1](gpu.put(x), out, N=64)
    assert np.array_equal(gpu.get(out), np.full(64, (x * x).sum()))


def test_large_blocks_are_cut_into_tiles():
    ptx = doubled.warmup(tl.float32, tl.float32, N=65536, target="sm_90").asm["ptx"]
    assert 1 <= ptx.count("// begin inline asm") <= 32


@eft.jit
def no_text(x_ptr, n):
    tl.inline_asm_elementwise(n, "=r", [], tl.int32, True, 1)


@eft.jit
def no_list(x_ptr, n):
    tl.inline_asm_elementwise("", "=r,r", n, tl.int32, True, 1)


@eft.jit
def no_dtype(x_ptr, n):
    tl.inline_asm_elementwise("", "=r,r", [n], 32, True, 1)


@eft.jit
def no_result(x_ptr, n):
    tl.inline_asm_elementwise("", "r", [n], (), True, 1)


@eft.jit
def no_pack(x_ptr, n):
    tl.inline_asm_elementwise("", "=r,r", [n], tl.int32, True, 0)


@eft.jit
def unsure(x_ptr, n):
    tl.inline_asm_elementwise("", "=r,r", [n], tl.int32, n, 1)


@mistakes(
    (
        no_text,
        "tl.inline_asm_elementwise(",
        "inline_asm_elementwise needs asm to be a text known at compile time, got a value of type "
        "int32",
    ),
    (
        no_list,
        "tl.inline_asm_elementwise(",
        "inline_asm_elementwise needs args that are a list or a tuple, got a value of type int32",
    ),
    (
        no_dtype,
        "tl.inline_asm_elementwise(",
        "inline_asm_elementwise needs a dtype or a tuple of them, got 32",
    ),
    (
        no_result,
        "tl.inline_asm_elementwise(",
        "inline_asm_elementwise needs at least one result, got no dtype",
    ),
    (
        no_pack,
        "tl.inline_asm_elementwise(",
        "inline_asm_elementwise needs pack to be an int from 1 to 1024, got 0",
    ),
    (
        unsure,
        "tl.inline_asm_elementwise(",
        "inline_asm_elementwise needs is_pure to be known at compile time, got a value of type "
        "int32",
    ),
)
def test_mistakes(kernel, marker, message):
    assert_mistake(kernel, marker, message)


@eft.jit
def names_a_third(x_ptr, n):
    tl.store(x_ptr, tl.inline_asm_elementwise("mov.b32 $0, $2;", "=f,r", [n], tl.float32, True, 1))


def test_mistakes_in_the_assembly_are_told_at_its_place():
    with pytest.raises(eft.CompilationError) as raised:
        names_a_third.warmup(tl.float32, 3, target="sm_90")
    assert raised.value.message == "inline assembly has 2 operands, and names $2"
    assert_at(raised.value, "tl.inline_asm_elementwise(")
