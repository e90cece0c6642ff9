# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that draw random numbers. Both compilers must draw the same numbers."""

import numpy as np
import triton
import triton.language as tl
from arrays import zeros
from program import launched


def philox(seed: int, counters: np.ndarray) -> list[np.ndarray]:
    """The four words of Philox4x32-10 for each counter."""
    c = [counters.astype("uint64"), *(np.zeros_like(counters, "uint64") for _ in range(3))]
    low = np.uint64(0xFFFFFFFF)
    k0, k1 = np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)
    for _ in range(10):
        first, second = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [
            (second >> np.uint64(32)) ^ c[1] ^ k0,
            second & low,
            (first >> np.uint64(32)) ^ c[3] ^ k1,
            first & low,
        ]
        k0, k1 = (k0 + np.uint64(0x9E3779B9)) & low, (k1 + np.uint64(0xBB67AE85)) & low
    return [each.astype("uint32") for each in c]


_SEED = 0x123456789
_WORDS = philox(_SEED, np.arange(128))


@triton.jit
def draws(out_ptr, seed, HOW: tl.constexpr):
    offsets = tl.arange(0, 128)
    if HOW == "randint":
        tl.store(out_ptr + offsets, tl.randint(seed, offsets))
    elif HOW == "randint4x":
        a, b, c, d = tl.randint4x(seed, offsets)
        tl.store(out_ptr + offsets, (a ^ b) + (c ^ d))
    elif HOW == "rand":
        tl.store(out_ptr + offsets, tl.rand(seed, offsets))
    elif HOW == "rand4x":
        a, b, c, d = tl.rand4x(seed, offsets)
        tl.store(out_ptr + offsets, (a + b) + (c + d))
    else:
        tl.store(out_ptr + offsets, tl.randn(seed, offsets))


def _uniform(words):
    signed = words.view("int32")
    return np.where(signed < 0, -signed - 1, signed).astype("float32") * np.float32(
        4.6566127342e-10
    )


def _normal():
    u, v = (_uniform(words).astype("float64") for words in _WORDS[:2])
    return np.sqrt(-2 * np.log(np.maximum(1e-7, u))) * np.cos(6.283185307179586 * v)


for _how, _dtype, _found, _bound in (
    ("randint", "int32", _WORDS[0].view("int32"), 0.0),
    ("randint4x", "int32", ((_WORDS[0] ^ _WORDS[1]) + (_WORDS[2] ^ _WORDS[3])).view("int32"), 0.0),
    ("rand", "float32", _uniform(_WORDS[0]), 0.0),
    (
        "rand4x",
        "float32",
        (_uniform(_WORDS[0]) + _uniform(_WORDS[1])) + (_uniform(_WORDS[2]) + _uniform(_WORDS[3])),
        3e-7,
    ),
    ("randn", "float32", _normal().astype("float32"), 2e-5),
):
    launched(
        zeros(128, dtype=_dtype), _SEED, _how, case=_how, bound=_bound,
        expected=lambda out, found=_found: found,
    )(draws)  # fmt: skip


@launched(
    zeros(128, dtype="int32"), 7, expected=lambda out: philox(7, np.arange(128))[2].view("int32")
)
@triton.jit
def draws_by_itself(out_ptr, seed):
    offsets = tl.arange(0, 128)
    none = offsets * 0
    _, _, third, _ = tl.philox(seed.to(tl.uint64), offsets, none, none, none)
    tl.store(out_ptr + offsets, third)


@launched(
    np.ones(1000, "float32"), zeros(1000), 1000, 0.25, 9, BLOCK=512, grid=(2,),
    expected=lambda x, out: np.where(
        _uniform(philox(9, np.arange(1000))[0]) > np.float32(0.25), x / np.float32(0.75), 0
    ).astype("float32"),
    bound=5e-7,
)  # fmt: skip
@triton.jit
def drops(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    keep = tl.rand(seed, offsets) > p
    tl.store(out_ptr + offsets, tl.where(keep, x / (1 - p), 0.0), mask=mask)
