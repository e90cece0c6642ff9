# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counter-based random numbers: the same seed and offset give the same number on every target.

The generator is Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as
1, 2, 3", SC 2011). The key is the seed, extended to 64 bits; the counter is (low 32 bits of the
offset, its high 32 bits if it has them, 0, 0).
"""

from __future__ import annotations

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.builtin import builtin
from eft.language.casts import bitcast_to, cast_to
from eft.language.constants import constant, to_tensor
from eft.language.dtypes import describe
from eft.language.math import where
from eft.language.promotion import broadcast_shape, broadcast_to_shape
from eft.language.tensor import ops, tensor

#: The largest float32 with which every int32 that is not negative stays below 1.
_TO_UNIFORM = 4.6566127342e-10

#: More rounds make the words no better, only the code longer.
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
    """Four words of the generator, as uint32.

    Args:
        seed: an integer, extended to 64 bits by its sign if it has one.
        c0, c1, c2, c3: the counter's words; integers of 32 bits, broadcast together.
        n_rounds: how many rounds, 1 to 16; 10 is what passes every known test.
    """
    _check_rounds("philox", n_rounds)
    seed = cast_to(_integer("philox", "seed", seed), dtypes.int64)
    words = [_integer("philox", "counter", word) for word in (c0, c1, c2, c3)]
    for word in words:
        if word.dtype.primitive_bitwidth != 32:
            raise Mistake(f"philox needs counters of 32 bits, got {word.dtype}")
    shape = seed.shape
    for word in words:
        shape = broadcast_shape(shape, word.shape)
    words = [broadcast_to_shape(bitcast_to(word, dtypes.uint32), shape) for word in words]
    if seed.shape:
        seed = broadcast_to_shape(seed, shape)
    types = [word.type for word in words]
    return tuple(ops("eft.philox", [seed, *words], types, rounds=f"{n_rounds} : i32"))


def _words(name: str, seed, offset, n_rounds):
    """The four words of an offset; `name` is the function that the kernel calls."""
    _check_rounds(name, n_rounds)
    seed, offset = _integer(name, "seed", seed), _integer(name, "offset", offset)
    low = cast_to(offset, dtypes.uint32)
    zero = constant(0, low.type)
    high = cast_to(offset >> 32, dtypes.uint32) if offset.dtype.primitive_bitwidth > 32 else zero
    return philox(seed, low, high, zero, zero, n_rounds)


@builtin
def randint4x(seed, offset, n_rounds=10):
    """Four blocks of uniform random 32-bit words for each offset, as uint32: the cheapest way to
    have many. See `rand` for the arguments."""
    return _words("randint4x", seed, offset, n_rounds)


@builtin
def randint(seed, offset, n_rounds=10):
    """A uniform random 32-bit word for each offset, as uint32. See `rand` for the arguments."""
    return _words("randint", seed, offset, n_rounds)[0]


@builtin
def uint_to_uniform_float(x):
    """The fp32 in [0, 1) that `rand` makes of a random 32-bit word."""
    word = _integer("uint_to_uniform_float", "word", x)
    if word.dtype.primitive_bitwidth != 32:
        raise Mistake(f"uint_to_uniform_float needs a word of 32 bits, got {word.dtype}")
    word = bitcast_to(word, dtypes.int32)
    return where(word < 0, ~word, word) * _TO_UNIFORM


@builtin
def rand(seed, offset, n_rounds=10):
    """A uniform random fp32 in [0, 1) for each offset.

    Args:
        seed: an integer of at most 64 bits, the same for all offsets or a block of them.
        offset: an integer or a block of them, of at most 64 bits.
        n_rounds: the rounds of Philox.
    """
    return uint_to_uniform_float(_words("rand", seed, offset, n_rounds)[0])


@builtin
def rand4x(seed, offset, n_rounds=10):
    """Four blocks of uniform random fp32 in [0, 1) for each offset: the cheapest way to have
    many."""
    words = _words("rand4x", seed, offset, n_rounds)
    return tuple(uint_to_uniform_float(word) for word in words)
