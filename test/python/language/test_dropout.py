# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout with a mask and with a seed, to the bit, on every device: every size, type and block."""

import functools

import eft
import eft.language as tl
import numpy as np
import pytest
import reference
from support import DTYPES, assert_same_bits

GUARD = 64  # elements before and after the output that must stay as they are
FLOATS = ("fp16", "bf16", "fp32", "fp64")
PROBABILITIES = (0.0, 0.1, 0.5, 0.9)


@eft.jit
def masked_dropout(x_ptr, x_keep_ptr, output_ptr, n_elements, p, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    block_start = pid * BLOCK_SIZE
    offsets = block_start + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    x_keep = tl.load(x_keep_ptr + offsets, mask=mask)
    output = tl.where(x_keep, x / (1 - p), 0.0)
    tl.store(output_ptr + offsets, output, mask=mask)


@eft.jit
def seeded_dropout(x_ptr, output_ptr, n_elements, p, seed, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    block_start = pid * BLOCK_SIZE
    offsets = block_start + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    random = tl.rand(seed, offsets)
    x_keep = random > p
    output = tl.where(x_keep, x / (1 - p), 0.0)
    tl.store(output_ptr + offsets, output, mask=mask)


@functools.lru_cache(maxsize=1)  # both kernels get the same inputs
def inputs(n: int, dtype: np.dtype, seed: int) -> np.ndarray:
    """Normally distributed numbers, and all special numbers among them."""
    generator = np.random.default_rng(seed)
    x = generator.standard_normal(n).astype(dtype)
    special = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0], np.float64).astype(dtype)
    unsigned = np.dtype(f"u{dtype.itemsize}")
    # The smallest denormal, a large denormal, and the largest finite number.
    infinity = int(special[1].view(unsigned))
    mantissa = {"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52}[dtype.name]
    patterns = np.array([1, (1 << mantissa) - 3, infinity - 1], unsigned).view(dtype)
    special = np.concatenate([special, patterns, -patterns])[:n]
    x[generator.choice(n, len(special), replace=False)] = special
    return x


class Guarded:
    """An output with a pattern around it. It begins `shift` elements after an aligned address."""

    def __init__(self, device, n: int, dtype: np.dtype, shift: int):
        self.device = device
        pattern = np.random.default_rng(1).bytes((n + 2 * GUARD) * dtype.itemsize)
        self.before = np.frombuffer(pattern, dtype)
        self.memory = device.put(self.before)
        self.place = slice(GUARD + shift, GUARD + shift + n)

    @property
    def output(self):
        return self.memory[self.place]

    def check(self, expected: np.ndarray):
        after = self.device.get(self.memory)
        assert_same_bits(after[self.place], expected)
        for outside in (slice(None, self.place.start), slice(self.place.stop, None)):
            assert after[outside].tobytes() == self.before[outside].tobytes()


def shifted(device, array: np.ndarray, shift: int):
    """`array` on the device. It begins `shift` elements after an aligned address."""
    memory = np.concatenate([np.zeros(GUARD + shift, array.dtype), array])
    return device.put(memory)[GUARD + shift :]


def run_masked(device, n, dtype, block, warps=4, shift=0, probabilities=PROBABILITIES):
    x = inputs(n, dtype, seed=n)
    kept = np.random.default_rng(2).integers(-1, 2, n).astype(np.int32)
    on_device = shifted(device, x, shift), shifted(device, kept, shift)
    for p in probabilities:
        out = Guarded(device, n, dtype, shift)
        grid = (eft.cdiv(n, block),)
        masked_dropout[grid](*on_device, out.output, n, p, BLOCK_SIZE=block, num_warps=warps)
        out.check(reference.keep(x, kept != 0, p))


@functools.lru_cache(maxsize=1)
def expected_random(seed: int, n: int) -> np.ndarray:
    """`tl.rand` of the first n offsets, cached: for large n, NumPy is slower than a kernel."""
    return reference.rand(seed, np.arange(n, dtype=np.int32))


def run_seeded(
    device,
    n,
    dtype,
    block,
    warps=4,
    shift=0,
    seeds=(123, -(2**40) - 7),
    probabilities=PROBABILITIES,
):
    x = inputs(n, dtype, seed=n)
    on_device = shifted(device, x, shift)
    for seed in seeds:
        random = expected_random(seed, n)
        for p in probabilities:
            out = Guarded(device, n, dtype, shift)
            arguments = on_device, out.output, n, p, seed
            seeded_dropout[lambda meta: (eft.cdiv(n, meta["BLOCK_SIZE"]),)](
                *arguments, BLOCK_SIZE=block, num_warps=warps
            )
            out.check(reference.keep(x, random > np.float32(p), p))


pytestmark = pytest.mark.filterwarnings("ignore:where takes a condition of type int1")


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("n", [1, 10, 1023, 1024, 1025, 10**6 + 1])
def test_every_size(device, n, dtype):
    run_masked(device, n, DTYPES[dtype], 1024)
    run_seeded(device, n, DTYPES[dtype], 1024, seeds=(123,))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("block", [2**k for k in range(5, 14)])
def test_every_block(device, block, dtype):
    n = 3 * block + 17
    run_masked(device, n, DTYPES[dtype], block)
    run_seeded(device, n, DTYPES[dtype], block)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("warps", [1, 2, 4, 8])
@pytest.mark.parametrize("block", [32, 1024, 8192])
def test_every_number_of_warps(device, block, warps, dtype):
    n = 2 * block + 5
    run_masked(device, n, DTYPES[dtype], block, warps=warps, probabilities=(0.5,))
    run_seeded(device, n, DTYPES[dtype], block, warps=warps, seeds=(5,))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shift", [1, 3])
@pytest.mark.parametrize("n", [1, 1023, 1024, 5000])
def test_pointers_off_their_alignment(device, n, shift, dtype):
    run_masked(device, n, DTYPES[dtype], 256, shift=shift)
    run_seeded(device, n, DTYPES[dtype], 256, shift=shift, seeds=(9,))


@pytest.mark.parametrize("dtype", FLOATS)
def test_many_elements(device, dtype):
    run_masked(device, 2**24, DTYPES[dtype], 1024, probabilities=(0.5,))
    run_seeded(device, 2**24, DTYPES[dtype], 1024, seeds=(2**63 - 1,), probabilities=(0.5,))


def test_a_mask_of_integers_is_warned_of_at_its_line(device):
    @eft.jit
    def kernel(x_ptr, output_ptr, N: tl.constexpr):
        offsets = tl.arange(0, N)
        kept = tl.load(x_ptr + offsets)
        tl.store(output_ptr + offsets, tl.where(kept, 1.5, 2))

    out = device.put(np.zeros(4, np.float32))
    with pytest.warns(UserWarning) as warned:
        kernel[1](device.put(np.array([0, 1, 2, -3], np.int32)), out, N=4)
    assert device.get(out).tolist() == [2.0, 1.5, 1.5, 1.5]
    assert {str(each.message) for each in warned} == {
        "where takes a condition of type int1, got int32: what is not zero counts as true; write "
        "`condition != 0`"
    }
    assert {(each.filename, each.lineno) for each in warned} == {
        (__file__, kernel.fn.__code__.co_firstlineno + 4)
    }
