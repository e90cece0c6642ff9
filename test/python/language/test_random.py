# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rand`, `randint` and their families, against what Triton printed on a GPU, to the bit."""

import eft
import eft.language as tl
import numpy as np
import pytest
import reference
from support import DATA, assert_same_bits, lower

GOLDEN = np.load(DATA / "philox_golden.npz")
KEYS = [key.split("|") for key in GOLDEN.files]
CASES = [(f, int(seed[5:]), int(base[5:]), width) for f, seed, base, width in KEYS]
N = 48


@eft.jit
def one_word(out_ptr, seed, base, wide: tl.constexpr, uniform: tl.constexpr, N: tl.constexpr):
    index = tl.arange(0, N)
    offset = base.to(tl.int64) + index if wide else base + index
    value = tl.rand(seed, offset) if uniform else tl.randint(seed, offset)
    tl.store(out_ptr + index, value)


@eft.jit
def four_words(out_ptr, seed, base, wide: tl.constexpr, uniform: tl.constexpr, N: tl.constexpr):
    index = tl.arange(0, N)
    offset = base.to(tl.int64) + index if wide else base + index
    if uniform:
        a, b, c, d = tl.rand4x(seed, offset)
    else:
        a, b, c, d = tl.randint4x(seed, offset)
    tl.store(out_ptr + index, a)
    tl.store(out_ptr + N + index, b)
    tl.store(out_ptr + 2 * N + index, c)
    tl.store(out_ptr + 3 * N + index, d)


def generate(device, kernel, dtype, seed, base, width, uniform):
    blocks = 4 if kernel is four_words else 1
    out = device.put(np.zeros(64 * blocks, dtype))
    kernel[1](out, seed, base, wide=width == "i64", uniform=uniform, N=64)
    return device.get(out).reshape(blocks, 64)[:, :N]


@pytest.mark.parametrize(
    "name, seed, base, width", [case for case in CASES if case[0] in ("rand", "randint")]
)
def test_against_triton(device, name, seed, base, width):
    expected = GOLDEN[f"{name}|seed={seed}|base={base}|{width}"]
    uniform = name == "rand"
    found = generate(device, one_word, expected.dtype, seed, base, width, uniform)
    assert_same_bits(found[0], expected)


@pytest.mark.parametrize(
    "name, seed, base, width", [case for case in CASES if case[0] == "randint4x_bcd"]
)
def test_the_other_words(device, name, seed, base, width):
    expected = GOLDEN[f"{name}|seed={seed}|base={base}|{width}"]
    found = generate(device, four_words, expected.dtype, seed, base, width, False)
    assert_same_bits(found[1:].reshape(-1), expected)


@pytest.mark.parametrize("seed", [0, -1, 2**31, 2**32 - 1, 2**63 - 1, -(2**63), 12345678901234567])
def test_four_uniforms(device, seed):
    offsets = np.arange(N, dtype=np.int32) + 7
    found = generate(device, four_words, np.float32, seed, 7, "i32", True)
    for row, words in zip(found, reference.philox(seed, offsets), strict=True):
        assert_same_bits(row, reference.uniform(words))
        assert (row >= 0).all() and (row < 1).all()


@eft.jit
def constant_seed(out_ptr, SEED: tl.constexpr, N: tl.constexpr, ROUNDS: tl.constexpr):
    index = tl.arange(0, N)
    tl.store(out_ptr + index, tl.randint(SEED, index, n_rounds=ROUNDS))


@pytest.mark.parametrize("seed", [5, -5, 3_000_000_000, 2**40 + 1])
@pytest.mark.parametrize("rounds", [7, 10, 16])
def test_a_seed_and_rounds_that_are_known_at_compile_time(device, seed, rounds):
    out = device.put(np.zeros(64, np.uint32))
    constant_seed[1](out, SEED=seed, N=64, ROUNDS=rounds)
    expected = reference.philox(seed, np.arange(64, dtype=np.int32), rounds)[0]
    assert_same_bits(device.get(out), expected)


@eft.jit
def block_of_seeds(out_ptr, N: tl.constexpr):
    index = tl.arange(0, N)
    tl.store(out_ptr + index, tl.randint(index - 3, 9))


def test_a_block_of_seeds(device):
    out = device.put(np.zeros(8, np.uint32))
    block_of_seeds[1](out, N=8)
    nine = np.array([9], np.int32)
    expected = [reference.philox(seed, nine)[0][0] for seed in range(-3, 5)]
    assert_same_bits(device.get(out), np.array(expected, np.uint32))


@eft.jit
def bad_rounds(out_ptr, seed):
    tl.randint(seed, 0, n_rounds=0)


@eft.jit
def too_many_rounds(out_ptr, seed):
    tl.philox(seed, 0, 0, 0, 0, n_rounds=17)


@eft.jit
def bad_counter(out_ptr, seed):
    tl.philox(seed, tl.arange(0, 4).to(tl.int64), 0, 0, 0)


@eft.jit
def bad_word(out_ptr, seed):
    tl.uint_to_uniform_float(seed.to(tl.int64))


@pytest.mark.parametrize(
    "kernel, message",
    [
        (bad_rounds, "randint needs 1 to 16 rounds, known at compile time, got 0"),
        (too_many_rounds, "philox needs 1 to 16 rounds, known at compile time, got 17"),
        (bad_counter, "philox needs counters of 32 bits, got int64"),
        (bad_word, "uint_to_uniform_float needs a word of 32 bits, got int64"),
    ],
)
def test_mistakes(kernel, message):
    with pytest.raises(eft.CompilationError) as raised:
        lower(kernel, "*i32 i32")
    assert raised.value.message == message
