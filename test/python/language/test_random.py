# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rand`, `randint` and their families, against what Triton printed on a GPU, to the bit."""

import eft
import eft.language as tl
import numpy as np
import pytest
import reference
from support import DATA, assert_mistake, assert_same_bits

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
def normals(out_ptr, seed, base, wide: tl.constexpr, four: tl.constexpr, N: tl.constexpr):
    index = tl.arange(0, N)
    offset = base.to(tl.int64) + index if wide else base + index
    if four:
        a, b, c, d = tl.randn4x(seed, offset)
        tl.store(out_ptr + index, a)
        tl.store(out_ptr + N + index, b)
        tl.store(out_ptr + 2 * N + index, c)
        tl.store(out_ptr + 3 * N + index, d)
    else:
        tl.store(out_ptr + index, tl.randn(seed, offset))


@pytest.mark.parametrize(
    "name, seed, base, width", [case for case in CASES if case[0].startswith("randn")]
)
def test_normals_against_triton(device, name, seed, base, width):
    expected = GOLDEN[f"{name}|seed={seed}|base={base}|{width}"]
    rows = 4 if name == "randn4x" else 1
    out = device.put(np.zeros(64 * rows, np.float32))
    normals[1](out, seed, base, wide=width == "i64", four=rows == 4, N=64)
    found = device.get(out).reshape(rows, 64)[:, :N].reshape(-1)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)


@eft.jit
def one_seed_per_row(seeds_ptr, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.arange(0, ROWS)[:, None]
    column = tl.arange(0, COLUMNS)[None, :]
    seeds = tl.load(seeds_ptr + row)
    tl.store(out_ptr + row * COLUMNS + column, tl.rand(seeds, column))


def test_one_seed_per_row(device):
    seeds = np.array([1, -5, 2**31 - 1, 77], np.int32)
    out = device.put(np.zeros((4, 32), np.float32))
    one_seed_per_row[1](device.put(seeds), out, ROWS=4, COLUMNS=32)
    columns = np.arange(32, dtype=np.int32)
    expected = [reference.rand(int(seed), columns) for seed in seeds]
    assert_same_bits(device.get(out), np.array(expected))


@eft.jit
def wide_words(out_ptr, key, ROUNDS: tl.constexpr, N: tl.constexpr):
    index = tl.arange(0, N)
    c = index.to(tl.uint64)
    a = tl.philox(key, c, c + 1, c * 0, c * 0, ROUNDS)
    k = tl.full((N,), 3, tl.uint64)
    b = tl.philox_impl(c, c + 1, c * 0, c * 0, k, k + 1, n_rounds=ROUNDS)
    for i in tl.static_range(4):
        tl.store(out_ptr + i * N + index, a[i])
        tl.store(out_ptr + (4 + i) * N + index, b[i])


@pytest.mark.parametrize("rounds", [1, 10])
def test_words_of_64_bits(device, rounds):
    out = device.put(np.zeros((8, 64), np.uint64))
    wide_words[1](out, -7, ROUNDS=rounds, N=64)
    found = device.get(out)
    for i in (0, 1, 63):
        first = reference.philox4x64((i, i + 1, 0, 0), (2**64 - 7, 0), rounds)
        second = reference.philox4x64((i, i + 1, 0, 0), (3, 4), rounds)
        assert found[:, i].tolist() == [*first, *second]


def test_the_reference_of_64_bits():
    # The results that the generator's authors publish for counter 0 and key 0.
    assert reference.philox4x64((0, 0, 0, 0), (0, 0), 10) == (
        0x16554D9ECA36314C,
        0xDB20FE9D672D0FDC,
        0xD7E772CEE186176B,
        0x7E68B68AEC7BA23B,
    )


@eft.jit
def words_of_32_bits(out_ptr, N: tl.constexpr):
    index = tl.arange(0, N)
    c = index.to(tl.uint32)
    a, b, c, d = tl.philox_impl(c, c * 0, c * 0, c * 0, c * 0 + 5, c * 0)
    tl.store(out_ptr + index, a)
    tl.store(out_ptr + N + index, d)


def test_the_rounds_by_themselves(device):
    out = device.put(np.zeros((2, 64), np.uint32))
    words_of_32_bits[1](out, N=64)
    words = reference.philox(5, np.arange(64, dtype=np.int32))
    assert_same_bits(device.get(out), np.array([words[0], words[3]]))


@eft.jit
def uniforms_of_64_bits(words_ptr, out_ptr, N: tl.constexpr):
    index = tl.arange(0, N)
    tl.store(out_ptr + index, tl.uint_to_uniform_float(tl.load(words_ptr + index)))


def test_uniforms_of_64_bits(device):
    words = np.random.default_rng(0).integers(0, 2**64, 64, np.uint64, endpoint=False)
    words[:4] = [0, 2**63 - 1, 2**63, 2**64 - 1]
    out = device.put(np.zeros(64, np.float32))
    uniforms_of_64_bits[1](device.put(words), out, N=64)
    signed = words.view(np.int64)
    magnitude = np.where(signed < 0, ~signed, signed)
    expected = magnitude.astype(np.float32) * np.float32(1.0842020432385337e-19)
    assert (device.get(out) < 1).all()
    assert_same_bits(device.get(out), expected)


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
    tl.uint_to_uniform_float(seed.to(tl.int16))


@eft.jit
def signed_words(out_ptr, seed):
    tl.philox_impl(seed, seed, seed, seed, seed, seed)


@eft.jit
def mixed_words(out_ptr, seed):
    word = seed.to(tl.uint32)
    tl.philox_impl(word, word, word, word, word, word.to(tl.uint64))


@eft.jit
def integers_as_uniforms(out_ptr, seed):
    tl.pair_uniform_to_normal(seed, seed)


@eft.jit
def pointer_as_seed(out_ptr, seed):
    tl.randn(out_ptr, tl.arange(0, 4))


@eft.jit
def float_as_seed(out_ptr, seed):
    tl.randn4x(1.5, tl.arange(0, 4))


@pytest.mark.parametrize(
    "kernel, message",
    [
        (bad_rounds, "randint needs 1 to 16 rounds, known at compile time, got 0"),
        (too_many_rounds, "philox needs 1 to 16 rounds, known at compile time, got 17"),
        (bad_counter, "philox needs counters of 32 bits, or all of 64, got int64"),
        (bad_word, "uint_to_uniform_float needs a word of 32 or 64 bits, got int16"),
        (signed_words, "philox_impl needs words of type uint32 or uint64, got int32"),
        (mixed_words, "philox_impl needs words of one type, got uint32 and uint64"),
        (integers_as_uniforms, "pair_uniform_to_normal needs a floating-point operand, got int32"),
        (pointer_as_seed, "randn needs an integer as its seed, got a pointer: load the seed first"),
        (float_as_seed, "randn4x needs an integer as its seed, got 1.5"),
    ],
)
def test_mistakes(kernel, message):
    assert_mistake(kernel, "tl.", message, "*i32 i32")
