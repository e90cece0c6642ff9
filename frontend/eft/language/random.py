# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counter-based random numbers: the same seed and offset give the same number on every target.

The generator is Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as
1, 2, 3", SC 2011). The key is the seed, extended to 64 bits. The counter consists of four words:
the low 32 bits of the offset, its high 32 bits (0 for an offset of at most 32 bits), 0 and 0.
"""

from __future__ import annotations

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.builtin import builtin
from eft.language.casts import bitcast_to, cast_to
from eft.language.constants import constant, to_tensor
from eft.language.dtypes import describe
from eft.language.elementary import check_floats, cos, log, sin, sqrt
from eft.language.math import maximum, umulhi, where
from eft.language.promotion import broadcast_shape, broadcast_to_shape
from eft.language.tensor import ops, tensor

#: The largest float32 whose product with each int32 that is not negative is below 1.
_TO_UNIFORM = 4.6566127342e-10

#: The same for every int64.
_TO_UNIFORM_64 = 1.0842020432385337e-19

_LEAST_UNIFORM = 1.0e-7
_TWO_PI = 6.283185307179586

# Philox4x64.
_MULTIPLIER_A, _MULTIPLIER_B = 0xD2E7470EE14C6C93, 0xCA5A826395121157
_KEY_STEP_A, _KEY_STEP_B = 0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B

#: The largest number of rounds. More rounds would make the code longer and the words no better.
_MOST_ROUNDS = 16


def _integer(name: str, what: str, given) -> tensor:
    value = to_tensor(given)
    if value.dtype.is_ptr():
        raise Mistake(
            f"{name} needs an integer as its {what}, got a pointer: load the {what} first"
        )
    if not value.dtype.is_int():
        raise Mistake(f"{name} needs an integer as its {what}, got {describe(given)}")
    return value


def _check_rounds(name: str, n_rounds):
    if type(n_rounds) is not int or not 1 <= n_rounds <= _MOST_ROUNDS:
        raise Mistake(
            f"{name} needs 1 to {_MOST_ROUNDS} rounds, known at compile time, got "
            f"{describe(n_rounds)}"
        )


@builtin
def philox(seed, c0, c1, c2, c3, n_rounds=10):
    """Returns a tuple of four random words, each a number or a block. The random words are uint32,
    computed by Philox4x32. If the words of the counter have 64 bits, the random words are uint64,
    computed by Philox4x64 with the key (seed, 0).

    Args:
        seed: an integer of at most 64 bits. A signed seed is extended to 64 bits by its sign bit,
            an unsigned one by zeros.
        c0, c1, c2, c3: the words of the counter: integers that all have 32 bits or all have 64
            bits. They are broadcast with the seed.
        n_rounds: the number of rounds, from 1 to 16, known at compile time. With 10 rounds Philox
            passes all tests of TestU01's BigCrush.
    """
    _check_rounds("philox", n_rounds)
    seed = cast_to(_integer("philox", "seed", seed), dtypes.int64)
    words = [_integer("philox", "counter", word) for word in (c0, c1, c2, c3)]
    widths = {word.dtype.primitive_bitwidth for word in words}
    if widths == {64}:
        words = [bitcast_to(word, dtypes.uint64) for word in words]
        key = bitcast_to(seed, dtypes.uint64)
        return _philox4x64(*words, key, constant(0, key.type), n_rounds)
    for word in words:
        if word.dtype.primitive_bitwidth != 32:
            raise Mistake(f"philox needs counters of 32 bits, or all of 64, got {word.dtype}")
    shape = seed.shape
    for word in words:
        shape = broadcast_shape(shape, word.shape)
    words = [broadcast_to_shape(bitcast_to(word, dtypes.uint32), shape) for word in words]
    if seed.shape:
        seed = broadcast_to_shape(seed, shape)
    types = [word.type for word in words]
    return tuple(ops("eft.philox", [seed, *words], types, rounds=f"{n_rounds} : i32"))


@builtin
def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds=10):
    """Computes the rounds of the generator: turns the four words of a counter and the two words of
    a key into a tuple of four random words. The generator is Philox4x32 for uint32, Philox4x64 for
    uint64.

    Args:
        c0, c1, c2, c3: the words of the counter; uint32 or uint64.
        k0, k1: the words of the key, of the same type. All six words are broadcast to one shape.
        n_rounds: the number of rounds, from 1 to 16, known at compile time.
    """
    _check_rounds("philox_impl", n_rounds)
    words = [_integer("philox_impl", "word", word) for word in (c0, c1, c2, c3, k0, k1)]
    own = words[0].dtype
    if own not in (dtypes.uint32, dtypes.uint64):
        raise Mistake(f"philox_impl needs words of type uint32 or uint64, got {own}")
    for word in words:
        if word.dtype != own:
            raise Mistake(f"philox_impl needs words of one type, got {own} and {word.dtype}")
    if own == dtypes.uint64:
        return _philox4x64(*words, n_rounds)
    low, high = (cast_to(word, dtypes.uint64) for word in words[4:])
    return philox(low | (high << 32), *words[:4], n_rounds)


def _philox4x64(c0, c1, c2, c3, k0, k1, n_rounds: int) -> tuple[tensor, ...]:
    for _ in range(n_rounds):
        c0, c1, c2, c3 = (
            umulhi(_MULTIPLIER_B, c2) ^ c1 ^ k0,
            c2 * _MULTIPLIER_B,
            umulhi(_MULTIPLIER_A, c0) ^ c3 ^ k1,
            c0 * _MULTIPLIER_A,
        )
        k0, k1 = k0 + _KEY_STEP_A, k1 + _KEY_STEP_B
    return c0, c1, c2, c3


def _words(name: str, seed, offset, n_rounds):
    """The four random words for an offset. `name` is the builtin that the kernel calls, for
    messages."""
    _check_rounds(name, n_rounds)
    seed, offset = _integer(name, "seed", seed), _integer(name, "offset", offset)
    low = cast_to(offset, dtypes.uint32)
    zero = constant(0, low.type)
    high = cast_to(offset >> 32, dtypes.uint32) if offset.dtype.primitive_bitwidth > 32 else zero
    return philox(seed, low, high, zero, zero, n_rounds)


@builtin
def randint4x(seed, offset, n_rounds=10):
    """Four uniform random words of 32 bits for each offset: a tuple of four uint32 values in the
    shape of `offset`. They cost little more than one word. The arguments are those of `rand`."""
    return _words("randint4x", seed, offset, n_rounds)


@builtin
def randint(seed, offset, n_rounds=10):
    """A uniform random word of 32 bits for each offset, as uint32. The arguments are those of
    `rand`."""
    return _words("randint", seed, offset, n_rounds)[0]


@builtin
def uint_to_uniform_float(x):
    """Converts a random word, an integer of 32 or 64 bits, to an fp32 in [0, 1), as `rand` does."""
    word = _integer("uint_to_uniform_float", "word", x)
    width = word.dtype.primitive_bitwidth
    if width not in (32, 64):
        raise Mistake(f"uint_to_uniform_float needs a word of 32 or 64 bits, got {word.dtype}")
    word = bitcast_to(word, dtypes.int32 if width == 32 else dtypes.int64)
    return where(word < 0, ~word, word) * (_TO_UNIFORM if width == 32 else _TO_UNIFORM_64)


@builtin
def rand(seed, offset, n_rounds=10):
    """A uniform random fp32 in [0, 1) for each offset.

    Args:
        seed: an integer of at most 64 bits, or a block of such integers, which is broadcast with
            the offsets.
        offset: an integer of at most 64 bits, or a block of such integers.
        n_rounds: the number of rounds of Philox, from 1 to 16, known at compile time.
    """
    return uint_to_uniform_float(_words("rand", seed, offset, n_rounds)[0])


@builtin
def rand4x(seed, offsets, n_rounds=10):
    """Four uniform random fp32 in [0, 1) for each offset: a tuple of four values in the shape of
    `offsets`. They cost little more than one. The arguments are those of `rand`."""
    words = _words("rand4x", seed, offsets, n_rounds)
    return tuple(uint_to_uniform_float(word) for word in words)


@builtin
def pair_uniform_to_normal(u1, u2):
    """Turns two uniform numbers in [0, 1) into two independent normally distributed numbers, by the
    transform of Box and Muller ("A note on the generation of random normal deviates", 1958). A `u1`
    below 1e-7 counts as 1e-7."""
    u1, u2 = to_tensor(u1), to_tensor(u2)
    check_floats("pair_uniform_to_normal", u1, u2)
    radius = sqrt(log(maximum(u1, _LEAST_UNIFORM)) * -2.0)
    angle = u2 * _TWO_PI
    return radius * cos(angle), radius * sin(angle)


@builtin
def randn(seed, offset, n_rounds=10):
    """A normally distributed random fp32, with mean 0 and variance 1, for each offset. The
    arguments are those of `rand`."""
    u1, u2, _, _ = map(uint_to_uniform_float, _words("randn", seed, offset, n_rounds))
    return pair_uniform_to_normal(u1, u2)[0]


@builtin
def randn4x(seed, offset, n_rounds=10):
    """Four normally distributed random fp32 for each offset: a tuple of four values in the shape of
    `offset`. They cost little more than one. The arguments are those of `rand`."""
    u1, u2, u3, u4 = map(uint_to_uniform_float, _words("randn4x", seed, offset, n_rounds))
    return (*pair_uniform_to_normal(u1, u2), *pair_uniform_to_normal(u3, u4))
