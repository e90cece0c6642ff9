# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tl.map_elementwise`, with functions that have control flow, against NumPy."""

import eft
import eft.language as tl
import numpy as np
import pytest
from support import DTYPES, assert_at, assert_mistake, fails, mistakes


@eft.jit
def collatz(n, most):
    """The number of Collatz steps from n to 1, at most `most`. Each element runs its own loop."""
    steps = 0
    while (n > 1) and (steps < most):
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@eft.jit
def count_steps(x_ptr, out_ptr, n, most, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i, mask=i < n, other=1)
    tl.store(out_ptr + i, tl.map_elementwise(collatz, x, most), mask=i < n)


def steps_of(n: int) -> int:
    steps = 0
    while n > 1:
        n, steps = (n // 2 if n % 2 == 0 else 3 * n + 1), steps + 1
    return steps


@pytest.mark.parametrize("size", [1, 16, 256, 8192])
def test_each_element_has_a_loop_of_its_own(device, size):
    x = np.random.default_rng(0).integers(1, 1000, size).astype(np.int32)
    out = device.put(np.full(size, -1, np.int32))
    n = size - size // 4
    count_steps[1](device.put(x), out, n, 500, N=size)
    expected = [steps_of(int(each)) for each in x[:n]] + [-1] * (size - n)
    assert np.array_equal(device.get(out), expected)


@eft.jit
def quotients(a0, a1, b0, b1):
    return a0 // b0, a1 // b1, a0 % b0, a1 % b1


@eft.jit
def divide(a_ptr, b_ptr, q_ptr, r_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    q, r = tl.map_elementwise(quotients, tl.load(a_ptr + i), tl.load(b_ptr + i), pack=2)
    tl.store(q_ptr + i, q)
    tl.store(r_ptr + i, r)


@pytest.mark.parametrize("size", [1, 2, 128, 1024])
def test_several_elements_in_a_call(device, size):
    draw = np.random.default_rng(1)
    a, b = draw.integers(0, 1000, size, np.int32), draw.integers(1, 40, size, np.int32)
    q, r = (device.put(np.zeros(size, np.int32)) for _ in range(2))
    divide[1](device.put(a), device.put(b), q, r, N=size)
    assert np.array_equal(device.get(q), a // b)
    assert np.array_equal(device.get(r), a % b)


@eft.jit
def selu(x, alpha):
    if x > 0:
        return x
    else:
        return (alpha * (tl.exp(x.to(tl.float32)) - 1)).to(x.dtype)


@eft.jit
def selus(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.map_elementwise(selu, tl.load(x_ptr + i), 2.0))


@pytest.mark.parametrize("name", ["fp16", "bf16", "fp32"])
def test_floats(device, name):
    x = np.linspace(-4, 4, 256).astype(DTYPES[name])
    out = device.put(np.zeros_like(x))
    selus[1](device.put(x), out, N=256)
    wide = x.astype(np.float32)
    expected = np.where(wide > 0, wide, 2 * np.expm1(wide)).astype(x.dtype)
    close = np.testing.assert_allclose
    close(device.get(out).astype(np.float32), expected.astype(np.float32), rtol=1e-2, atol=1e-6)


@eft.jit
def compare(x, y):
    return x < y, x


@eft.jit
def compare_blocks(x_ptr, y_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, M))[:, None]
    y = tl.load(y_ptr + tl.arange(0, N))
    less, same = tl.map_elementwise(compare, x, y)
    offsets = tl.arange(0, M)[:, None] * N + tl.arange(0, N)
    tl.store(out_ptr + offsets, tl.where(less, same, -1))


def test_operands_broadcast_and_results_have_types_of_their_own(device):
    x, y = np.arange(8, dtype=np.int32), np.arange(2, 18, dtype=np.int32)
    out = device.put(np.zeros((8, 16), np.int32))
    compare_blocks[1](device.put(x), device.put(y), out, M=8, N=16)
    expected = np.where(x[:, None] < y, x[:, None], -1)
    assert np.array_equal(device.get(out), expected)


@eft.jit
def same(x):
    return x


@eft.jit
def two(x, y):
    return x, y


@eft.jit
def block(x):
    return tl.zeros((4,), tl.float32)


@eft.jit
def loads(x):
    return x + tl.program_id(0)


@eft.jit
def maps_numbers(x_ptr, n):
    tl.map_elementwise(same, n)


@eft.jit
def maps_pointers(x_ptr, n):
    tl.map_elementwise(same, x_ptr + tl.arange(0, 4))


@eft.jit
def maps_nothing(x_ptr, n):
    tl.map_elementwise(same)


@eft.jit
def maps_by_python(x_ptr, n):
    tl.map_elementwise(tl.exp, tl.arange(0, 4))


@eft.jit
def packs_none(x_ptr, n):
    tl.map_elementwise(same, tl.arange(0, 4), pack=0)


@eft.jit
def gives_block(x_ptr, n):
    tl.map_elementwise(block, tl.arange(0, 4))


@eft.jit
def gives_one_of_two(x_ptr, n):
    tl.map_elementwise(first_of_two, tl.arange(0, 4), pack=2)


@eft.jit
def first_of_two(x, y):
    return x


@eft.jit
def two_types(x, y):
    return x, y * 1.0


@eft.jit
def gives_two_types(x_ptr, n):
    tl.map_elementwise(two_types, tl.arange(0, 4), pack=2)


MAP = "tl.map_elementwise("


@mistakes(
    (
        maps_numbers,
        MAP,
        "map_elementwise needs a block among its values: call the function itself",
    ),
    (maps_pointers, MAP, "map_elementwise maps numbers, got a block of type pointer<fp32>[4]"),
    (maps_nothing, MAP, "map_elementwise needs at least one value to map"),
    (packs_none, MAP, "map_elementwise needs pack to be an int from 1 to 64, got 0"),
    (
        gives_block,
        MAP,
        "map_elementwise needs a function that gives numbers, got a block of type fp32[4]",
    ),
    (
        gives_one_of_two,
        MAP,
        "map_elementwise with pack 2 needs a function that gives 2 numbers of each result, got 1",
    ),
    (
        gives_two_types,
        MAP,
        "map_elementwise needs a function that gives 2 numbers of one type of each result, got "
        "int32 and fp32",
    ),
)
def test_mistakes(kernel, marker, message):
    assert_mistake(kernel, marker, message)


def test_other_functions_are_refused():
    error = fails(maps_by_python)
    assert error.message.startswith("map_elementwise needs a function under @eft.jit, got ")
    assert_at(error, MAP)


@eft.jit
def asks_for_program(out_ptr):
    i = tl.arange(0, 4)
    tl.store(out_ptr + i, tl.map_elementwise(loads, i))


@pytest.mark.parametrize("target", ["cpu", "sm_90"])
def test_a_function_of_more_than_its_numbers_is_refused_at_its_place(target):
    with pytest.raises(eft.CompilationError) as raised:
        asks_for_program.warmup(tl.int32, target=target)
    assert raised.value.message == (
        "this can't be a part of a mapped function, which computes with its numbers alone, without "
        "blocks and memory"
    )
    assert_at(raised.value, "tl.program_id(0)")
