# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The size of code. It does not grow with the size of blocks that do not fit into registers. On a
CPU, it does not grow with the number of warps, which only sets the order of reductions."""

import re

import eft
import eft.language as tl
import pytest
from blocks import offsets


@eft.jit
def sums(x, out, n, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    total = tl.zeros((SIZE,), tl.float64)
    for k in range(n):
        total += tl.load(x + k * SIZE + i)
    tl.store(out + i, total)


@eft.jit
def choices(x, out, n, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    a, b = tl.load(x + i), tl.load(x + SIZE + i)
    while (n > 0) & (tl.sum(a) > 0.0):
        if n % 2 == 0:
            a, b = b, a
        else:
            a = a - b
        n -= 1
    tl.store(out + i, a)


@eft.jit
def running(x, out, n, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    tl.store(out + i, tl.cumsum(tl.load(x + i)))


@eft.jit
def products(x, out, n, SIZE: tl.constexpr):
    side: tl.constexpr = 16 if SIZE < 4096 else 64
    i = tl.arange(0, side)
    at = i[:, None] * side + i[None, :]
    total = tl.zeros((side, side), tl.float32)
    for k in range(n):
        a = tl.load(x + at, mask=i[None, :] < n - k)
        total = tl.dot(a, tl.load(x + side + at), total)
        x += side
    tl.store(out + at, total)


@eft.jit
def transposed(x, out, n, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    at = offsets((SIZE // 16, 16))
    tl.store(out + i, tl.reshape(tl.trans(tl.load(x + at)), SIZE))


@eft.jit
def together(x, out, n, SIZE: tl.constexpr):
    half = tl.arange(0, SIZE // 2)
    both = tl.cat(tl.load(x + half), tl.load(x + n + half))
    tl.store(out + tl.arange(0, SIZE), tl.flip(both))


@eft.jit
def apart(x, out, n, SIZE: tl.constexpr):
    half = tl.arange(0, SIZE // 2)
    a, b = tl.split(tl.reshape(tl.load(x + tl.arange(0, SIZE)), (SIZE // 2, 2)))
    tl.store(out + half, tl.interleave(b, a).sum() + a - b)


@eft.jit
def gathered(x, out, n, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    tl.store(out + i, tl.gather(tl.load(x + i), (i * n) % SIZE, 0))


@eft.jit
def in_order(x, out, n, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    tl.store(out + i, tl.sort(tl.load(x + i)))


@eft.jit
def printed(x, out, n, SIZE: tl.constexpr):
    tl.device_print("x", tl.load(x + tl.arange(0, SIZE)))


@eft.jit
def quotients(x, out, n, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    a, b = tl.load(x + i), tl.load(x + SIZE + i)
    tl.store(out + i, a // b + a % b + a // tl.load(x + n) + tl.cdiv(b, a) + a % 7)


@eft.jit
def sum_of_quotients(x, out, n, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    inside = i < n
    a, b = tl.load(x + i, inside, 0), tl.load(x + SIZE + i, inside, 1)
    tl.store(out, tl.sum(a // b))


@eft.jit
def moments(mean, square, weight, other_mean, other_square, other_weight):
    delta = other_mean - mean
    both = weight + other_weight
    share = other_weight / both
    return mean + delta * share, square + other_square + delta * delta * weight * share, both


@eft.jit
def normalised(x, out, n, SIZE: tl.constexpr):
    at = offsets((8, SIZE))
    a = tl.load(x + at)
    mean, square, weight = tl.reduce((a, a * 0, a * 0 + 1), 1, moments, keep_dims=True)
    tl.store(out + at, (a - mean) / (square / weight))


@eft.jit
def row_sums(x, out, n, SIZE: tl.constexpr):
    tl.store(out + tl.arange(0, 8), tl.sum(tl.load(x + offsets((8, SIZE))), axis=1))


@eft.jit
def place_of_least(x, out, n, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    tl.store(out, tl.argmin(tl.load(x + i, mask=i < n, other=0), axis=0))


@eft.jit
def halved(x, out, n, SIZE: tl.constexpr):
    at = offsets((4, SIZE))
    a = tl.load(x + at)
    while tl.max(tl.max(a, axis=1), axis=0) > 1:
        least = tl.argmin(a, axis=1, keep_dims=True)
        a = tl.where(at == least, tl.flip(a, 1).to(tl.int32).to(tl.float32), a / 2)
    tl.store(out + at, a)


@eft.jit
def shares(x, out, n, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    a = tl.load(x + i, mask=i < n, other=-float("inf"))
    a = tl.exp(a - tl.max(a, axis=0))
    tl.store(out + i, a / tl.sum(a, axis=0), mask=i < n)


def code_for(target: str, kernel, element, size: int, num_warps: int = 4) -> str:
    options = {"SIZE": size, "num_warps": num_warps, "target": target}
    return kernel.warmup(element, element, 7, **options).asm["llvm"]


def vector_bytes(code: str) -> int:
    """The size in bytes of the longest vector of floats in the code."""
    return 4 * max(int(length) for length in re.findall(r"<(\d+) x float>", code))


def instructions(code: str) -> int:
    """The number of instructions in a kernel's code."""
    bodies = re.findall(r"^define .*?^}", code, re.MULTILINE | re.DOTALL)
    return sum(line.startswith("  ") for body in bodies for line in body.splitlines())


@pytest.mark.parametrize(
    ("kernel", "element", "bound"),
    [
        (sums, tl.float64, 200),
        (choices, tl.float64, 700),
        (running, tl.float32, 400),
        (products, tl.float32, 400),
        (transposed, tl.float32, 300),
        (together, tl.float32, 300),
        (apart, tl.int8, 600),
        (gathered, tl.float64, 200),
        (in_order, tl.float32, 1000),
        (printed, tl.float32, 150),
        (quotients, tl.int8, 400),
        (quotients, tl.uint16, 400),
        (quotients, tl.int32, 400),
        (quotients, tl.int64, 700),
        (sum_of_quotients, tl.int32, 700),
        (sum_of_quotients, tl.int64, 700),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_large_blocks_take_no_more_code(kernel, element, bound):
    large, larger = (instructions(code_for("cpu", kernel, element, size)) for size in (1024, 4096))
    assert larger <= bound
    # Loops of known length may be unrolled differently, and a scan has a loop for each index bit.
    assert larger <= large * 1.4


@pytest.mark.parametrize(
    ("kernel", "bound"),
    [(normalised, 1200), (row_sums, 400), (place_of_least, 900), (halved, 2500)],
    ids=lambda value: getattr(value, "__name__", None),
)
@pytest.mark.parametrize("num_warps", [1, 8, 16, 32])
def test_warps_of_a_reduction_take_no_more_code(kernel, bound, num_warps):
    code = code_for("cpu", kernel, tl.float32, 16384, num_warps)
    # The bounds hold for vectors of 64 bytes. Shorter vectors need more instructions.
    assert instructions(code) <= bound * 64 // vector_bytes(code)


@eft.jit
def many_scans(x, out, n, SIZE: tl.constexpr):
    i = tl.arange(0, 16384)
    for k in tl.static_range(SIZE):
        tl.store(out + k * n + i, tl.cumsum(tl.load(x + k * n + i)))


def test_scans_after_each_other_share_their_stack():
    # A scan needs 128 KiB. Without sharing, 33 scans would exceed the limit for a kernel's stack.
    assert many_scans.warmup(tl.float64, tl.float64, 7, target="cpu", SIZE=33).binary


@eft.jit
def many_sums(x, out, n, SIZE: tl.constexpr):
    i = tl.arange(0, 1024)
    for k in tl.static_range(SIZE):
        tl.store(out + k, tl.sum(tl.load(x + k * n + i)))


@eft.jit
def many_histograms(x, out, n, SIZE: tl.constexpr):
    i, bins = tl.arange(0, 1024), tl.arange(0, 32)
    for k in tl.static_range(SIZE):
        tl.store(out + k * 32 + bins, tl.histogram(tl.load(x + k * n + i), 32))


@pytest.mark.parametrize(
    ("kernel", "element"), [(many_sums, tl.float32), (many_histograms, tl.int32)]
)
def test_many_loops_in_a_row_are_cut(kernel, element):
    # LLVM's time for a loop grows with the conditions that dominate it. So Eft cuts the sequence of
    # loops by detours: a condition before a detour does not dominate the loops after it.
    def cuts(size: int) -> int:
        compiled = kernel.warmup(element, element, 7, target="cpu", SIZE=size)
        return compiled.asm["llvm"].count("\ndetour")

    few, many = cuts(64), cuts(128)
    assert cuts(4) == 0
    assert few >= 64 // 16
    assert many >= 2 * few - 4


@eft.jit
def many_scans_in_a_loop(x, out, n, SIZE: tl.constexpr):
    i = tl.arange(0, 16384)
    for _ in range(n):
        for k in tl.static_range(SIZE):
            tl.store(out + k * n + i, tl.cumsum(tl.load(x + k * n + i)))


def test_scans_of_an_iteration_share_their_stack():
    options = {"target": "cpu", "SIZE": 33}
    assert many_scans_in_a_loop.warmup(tl.float64, tl.float64, 7, **options).binary


@eft.jit
def one_product(x, out, n, SIZE: tl.constexpr, PRECISION: tl.constexpr):
    at = offsets((SIZE, SIZE))
    a, b = tl.load(x + at), tl.load(x + n + at)
    tl.store(out + at, tl.dot(a, b, input_precision=PRECISION))


@pytest.mark.parametrize(
    ("element", "size", "precision", "num_warps", "bound"),
    [
        (tl.float16, 256, "tf32", 4, 8000),
        (tl.float16, 256, "tf32", 8, 7000),
        (tl.float32, 256, "tf32", 8, 6000),
        (tl.float32, 256, "ieee", 8, 4000),
        (tl.float32, 1024, "ieee", 32, 17000),
        (tl.float64, 256, "ieee", 8, 5000),
        (tl.float64, 512, "ieee", 32, 7000),
    ],
)
def test_large_products_are_loops_on_a_gpu(element, size, precision, num_warps, bound):
    options = {"SIZE": size, "PRECISION": precision, "num_warps": num_warps, "target": "cuda:90"}
    code = one_product.warmup(element, tl.float32, 7, **options).asm["ptx"]
    assert code.count(";") <= bound  # instructions; lines with places have no semicolon


@eft.jit
def conjunctions(x_ptr, y_ptr, c_ptr, n, STEPS: tl.constexpr):
    i = tl.arange(0, 256)
    mask = i < n
    for step in tl.static_range(STEPS):
        mask = (mask & (tl.load(c_ptr) > step)) & (mask & (tl.load(c_ptr + 1) != step))
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=mask) * 2, mask=mask)


def test_masks_that_are_used_twice():
    array = eft.MockTensor(tl.int32)
    code = [
        conjunctions.warmup(array, array, array, 77, STEPS=steps, num_warps=2, target="sm_90")
        for steps in (6, 12)
    ]
    short, long = (len(each.asm["ptx"]) for each in code)
    assert long < 2.5 * short


@pytest.mark.parametrize(
    ("kernel", "size"),
    [
        (running, 32768),
        (in_order, 32768),
        (shares, 32768),
        (place_of_least, 32768),
        (row_sums, 4096),
        (normalised, 4096),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_blocks_larger_than_registers_take_no_more_code_on_a_gpu(kernel, size):
    """With 4 warps, a thread has 256 elements of the small block, and 1024 of the large one."""
    large, larger = (
        instructions(code_for("cuda:90", kernel, tl.float32, each)) for each in (size, 4 * size)
    )
    # Loops of known length may be unrolled differently, and each stage of a sort has its loops.
    assert larger <= large * (1.7 if kernel is in_order else 1.4)
