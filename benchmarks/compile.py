# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The time that kernels take to compile, by block size, number of warps and unrolled loop length.

Each figure is the processor time of one compile in milliseconds. A process of its own measures it.
The process first compiles another kernel, whose time does not count; then it compiles up to five
times and reports the least time. A process that exceeds a limit of processor time is killed.
"""

from __future__ import annotations

import math
import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

import eft
import eft.language as tl
from common import arguments
from report import Report

LIMIT = 60  # seconds of processor time
TARGETS = ("cpu", "cuda:90")
#: The numbers of elements of a block, measured with 4 warps and one step in the loop.
BLOCKS = (1024, 8192, 65536)
#: The numbers of warps, measured with a block of 16384 elements and one step in the loop.
WARPS = (1, 4, 16, 32)
#: The numbers of steps in a kernel's unrolled loop, measured with a block of 1024 elements and 4
#: warps.
LENGTHS = (4, 16, 64, 256)


@eft.jit
def add(x, y, n, BLOCK: tl.constexpr, LENGTH: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + offsets, mask=offsets < n)
    for i in tl.static_range(LENGTH):
        a = a * a + tl.load(x + i * n + offsets, mask=offsets < n)
    tl.store(y + offsets, a, mask=offsets < n)


@eft.jit
def sine(x, y, n, BLOCK: tl.constexpr, LENGTH: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    a = tl.load(x + offsets)
    for i in tl.static_range(LENGTH):
        a += tl.sin(a) * tl.load(x + i * n + offsets)
    tl.store(y + offsets, a)


@eft.jit
def divide(x, y, n, BLOCK: tl.constexpr, LENGTH: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    a = tl.load(x + offsets).to(tl.int32)
    for _ in tl.static_range(LENGTH):
        a = a // (offsets + 3) + a % (offsets + 5)
    tl.store(y + offsets, a)


@eft.jit
def draw(x, y, n, BLOCK: tl.constexpr, LENGTH: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    a = tl.load(x + offsets)
    for i in tl.static_range(LENGTH):
        a *= tl.rand(n + i, offsets)
    tl.store(y + offsets, a)


@eft.jit
def sum_of_row(x, y, n, BLOCK: tl.constexpr, LENGTH: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    for i in tl.static_range(LENGTH):
        tl.store(y + i, tl.sum(tl.load(x + i * n + offsets)))


@eft.jit
def sum_of_eight_rows(x, y, n, BLOCK: tl.constexpr, LENGTH: tl.constexpr):
    rows, columns = tl.arange(0, 8), tl.arange(0, BLOCK // 8)
    a = tl.load(x + rows[:, None] * n + columns[None, :])
    for _ in tl.static_range(LENGTH):
        a -= tl.sum(a, axis=1)[:, None]
    tl.store(y + rows, tl.sum(a, axis=1))


@eft.jit
def sum_of_columns(x, y, n, BLOCK: tl.constexpr, LENGTH: tl.constexpr):
    rows, columns = tl.arange(0, BLOCK // 32), tl.arange(0, 32)
    a = tl.load(x + rows[:, None] * n + columns[None, :])
    for _ in tl.static_range(LENGTH):
        a -= tl.sum(a, axis=0)[None, :]
    tl.store(y + columns, tl.sum(a, axis=0))


@eft.jit
def join_moments(mean, square, weight, other_mean, other_square, other_weight):
    delta = other_mean - mean
    both = weight + other_weight
    share = tl.where(both == 0.0, 0.0, other_weight / both)
    square += other_square + delta * delta * weight * share
    return mean + delta * share, square, both


@eft.jit
def moments(x, y, n, BLOCK: tl.constexpr, LENGTH: tl.constexpr):
    rows, columns = tl.arange(0, 8), tl.arange(0, BLOCK // 8)
    a = tl.load(x + rows[:, None] * n + columns[None, :])
    for _ in tl.static_range(LENGTH):
        mean, square, weight = tl.reduce((a, a * 0, a * 0 + 1), 1, join_moments)
        a = (a - mean[:, None]) * tl.rsqrt(square / weight)[:, None]
    tl.store(y + rows[:, None] * n + columns[None, :], a)


@eft.jit
def place_of_maximum(x, y, n, BLOCK: tl.constexpr, LENGTH: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    a = tl.load(x + offsets)
    for i in tl.static_range(LENGTH):
        place = tl.argmax(a, axis=0)
        a = tl.where(offsets == place, 0.0, a)
        tl.store(y + i, place)


@eft.jit
def softmax(x, y, n, BLOCK: tl.constexpr, LENGTH: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    a = tl.load(x + offsets, mask=offsets < n, other=-float("inf"))
    for _ in tl.static_range(LENGTH):
        a = tl.exp(a - tl.max(a, axis=0))
        a /= tl.sum(a, axis=0)
    tl.store(y + offsets, a, mask=offsets < n)


@eft.jit
def running_sum(x, y, n, BLOCK: tl.constexpr, LENGTH: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    a = tl.load(x + offsets)
    for _ in tl.static_range(LENGTH):
        a = tl.cumsum(a, axis=0)
    tl.store(y + offsets, a)


@eft.jit
def sort(x, y, n, BLOCK: tl.constexpr, LENGTH: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    a = tl.load(x + offsets)
    for _ in tl.static_range(LENGTH):
        a = tl.sort(a) * offsets
    tl.store(y + offsets, a)


@eft.jit
def histogram(x, y, n, BLOCK: tl.constexpr, LENGTH: tl.constexpr):
    offsets, bins = tl.arange(0, BLOCK), tl.arange(0, 256)
    a = tl.load(x + offsets).to(tl.int32)
    for i in tl.static_range(LENGTH):
        tl.store(y + i * 256 + bins, tl.histogram(a + i, 256))


@eft.jit
def compare_and_exchange(x, y, n, BLOCK: tl.constexpr, LENGTH: tl.constexpr):
    """Compares and exchanges elements whose indices differ in one bit, by tensor operations: LENGTH
    steps of a handwritten sorting network."""
    offsets = tl.arange(0, BLOCK)
    a = tl.load(x + offsets)
    for i in tl.static_range(LENGTH):
        b = tl.reshape(a, (BLOCK // 2 // 2 ** (i % 9), 2, 2 ** (i % 9)))
        middle = tl.arange(0, 2)[None, :, None]
        first = tl.sum(tl.where(middle == 0, b, 0.0), axis=1)
        second = tl.sum(tl.where(middle == 1, b, 0.0), axis=1)
        lower, upper = tl.minimum(first, second), tl.maximum(first, second)
        a = tl.where(middle == 0, lower[:, None, :], upper[:, None, :]).reshape((BLOCK,))
    tl.store(y + offsets, a)


@eft.jit
def turn(x, y, n, BLOCK: tl.constexpr, LENGTH: tl.constexpr):
    rows, columns = tl.arange(0, BLOCK // 32), tl.arange(0, 32)
    a = tl.load(x + rows[:, None] * n + columns[None, :])
    for _ in tl.static_range(LENGTH):
        a = tl.trans(tl.flip(a, 1)) + 1
        a = tl.trans(a.reshape((32, BLOCK // 32)))
    tl.store(y + rows[:, None] * n + columns[None, :], a)


@eft.jit
def pick(x, y, n, BLOCK: tl.constexpr, LENGTH: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    a = tl.load(x + offsets)
    for _ in tl.static_range(LENGTH):
        a = tl.gather(a, a.to(tl.int32) & (BLOCK - 1), 0) + 1
    tl.store(y + offsets, a)


@eft.jit
def extent_of(BLOCK: tl.constexpr):
    if BLOCK < 8192:
        return 32
    if BLOCK < 16384:
        return 64
    return 128 if BLOCK < 65536 else 256


@eft.jit
def dot(x, y, n, BLOCK: tl.constexpr, LENGTH: tl.constexpr):
    EXTENT: tl.constexpr = (
        32 if BLOCK < 8192 else 64 if BLOCK < 16384 else 128 if BLOCK < 65536 else 256
    )
    rows, columns = tl.arange(0, EXTENT)[:, None], tl.arange(0, EXTENT)[None, :]
    sums = tl.zeros((EXTENT, EXTENT), tl.float32)
    for _ in range(n):
        for i in tl.static_range(LENGTH):
            a = tl.load(x + rows * n + columns + i).to(tl.float16)
            sums = tl.dot(a, tl.load(x + rows * n + columns - i).to(tl.float16), sums)
    tl.store(y + rows * n + columns, sums)


@eft.jit
def dot_of_fp32(x, y, n, BLOCK: tl.constexpr, LENGTH: tl.constexpr):
    EXTENT: tl.constexpr = (
        32 if BLOCK < 8192 else 64 if BLOCK < 16384 else 128 if BLOCK < 65536 else 256
    )
    rows, columns = tl.arange(0, EXTENT)[:, None], tl.arange(0, EXTENT)[None, :]
    sums = tl.zeros((EXTENT, EXTENT), tl.float32)
    for i in tl.static_range(LENGTH):
        a = tl.load(x + rows * n + columns + i)
        sums = tl.dot(a, tl.load(x + rows * n + columns - i), sums, input_precision="ieee")
    tl.store(y + rows * n + columns, sums)


@eft.jit
def carry(x, y, n, BLOCK: tl.constexpr, LENGTH: tl.constexpr):
    rows, columns = tl.arange(0, 4)[:, None], tl.arange(0, BLOCK // 4)[None, :]
    a = tl.load(x + rows * n + columns)
    while tl.max(tl.max(a, axis=1), axis=0) > 1:
        for _ in tl.static_range(LENGTH):
            place = tl.argmin(a, axis=1)
            b = tl.flip(a, 1).to(tl.int32)
            a = tl.where(columns == place[:, None], b.to(tl.float32), a / 2)
    tl.store(y + rows * n + columns, a)


OPERATIONS = (
    add,
    sine,
    divide,
    draw,
    sum_of_row,
    sum_of_eight_rows,
    sum_of_columns,
    moments,
    place_of_maximum,
    softmax,
    running_sum,
    sort,
    histogram,
    compare_and_exchange,
    turn,
    pick,
    dot,
    dot_of_fp32,
    carry,
)


def seconds_to_compile(operation, target: str, block: int, warps: int, length: int) -> float:
    """Compiles a kernel, and returns the processor time of the compile."""
    arrays = [eft.MockTensor(tl.float32), eft.MockTensor(tl.float32)]
    before = time.process_time()
    operation.warmup(*arrays, 1000, BLOCK=block, LENGTH=length, num_warps=warps, target=target)
    return time.process_time() - before


def child(name: str, target: str, *numbers: str) -> None:
    """Compiles the kernel up to five times, until the times add up to half a second, and prints the
    least time."""
    operation = next(each for each in OPERATIONS if each.__name__ == name)
    times = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["EFT_CACHE_DIR"] = folder
        os.environ["EFT_CACHE_SIZE"] = "0"
        seconds_to_compile(add, target, 256, 4, 1)
        while len(times) < 5 and sum(times) < 0.5:
            times.append(seconds_to_compile(operation, target, *map(int, numbers)))
    print(min(times))


def milliseconds(operation, target: str, block: int, warps: int, length: int, limit: float):
    """Returns the time that a new process measures. Without a time, returns a text: "> LIMIT" if
    the process took too long, "refused" if Eft reported a compilation error, or else "failed"."""
    numbers = map(str, (block, warps, length))
    command = [sys.executable, __file__, "--child", operation.__name__, target, *numbers]
    bound = (math.ceil(limit), math.ceil(limit) + 1)
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, bound),
    )
    if done.returncode == -signal.SIGXCPU:
        return f"> {limit * 1e3:.0f}"
    if done.returncode != 0:
        print(done.stderr, file=sys.stderr)
        return "refused" if "CompilationError" in done.stderr else "failed"
    return float(done.stdout) * 1e3


def measure(operation, target: str, limit: float) -> Iterator[tuple[str, float | str]]:
    """Yields the name and the value of each column of the operation's row."""
    for block in BLOCKS:
        yield f"block {block}", milliseconds(operation, target, block, 4, 1, limit)
    for warps in WARPS:
        yield f"warps {warps}", milliseconds(operation, target, 16384, warps, 1, limit)
    for length in LENGTHS:
        yield f"{length} times", milliseconds(operation, target, 1024, 4, length, limit)


def worst(report: Report, first: list[str], last: list[str]) -> str:
    """Computes for each row the largest time of the columns `last` divided by the median time of
    the columns `first`. Returns the largest of these quotients, with its operation and target, as
    text. A column of `last` without a time counts as LIMIT. A row without any time in `first` has
    the quotient 1."""

    def quotient(row) -> float:
        numbers = [
            row[column] if isinstance(row[column], float) else LIMIT * 1e3 for column in last
        ]
        known = [row[column] for column in first if isinstance(row[column], float)]
        return max(numbers) / statistics.median(known) if known else 1.0

    row = max(report.rows, key=quotient)
    return f"{quotient(row):.1f} ({row['operation']}, {row['target']})"


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", help="the operations to measure, by name")
    parser.add_argument("--targets", nargs="+", default=TARGETS)
    parser.add_argument(
        "--limit", type=float, default=LIMIT, help="seconds of the processor for a figure"
    )
    parser.add_argument("--child", nargs="+", help="what a measured process is started with")
    options = parser.parse_args()
    if options.child:
        child(*options.child)
        return
    report = Report("compile", "How long kernels take to compile, in milliseconds", options.out)
    for target in options.targets:
        for operation in OPERATIONS:
            if options.only is None or operation.__name__ in options.only:
                columns = dict(measure(operation, target, options.limit))
                report.add(target=target, operation=operation.__name__, **columns)
    blocks, warps = [f"block {n}" for n in BLOCKS], [f"warps {n}" for n in WARPS]
    report.notes += [
        f"the largest block against the smallest, at most: {worst(report, blocks[:1], blocks)}",
        f"any number of warps against the median, at most: {worst(report, warps, warps)}",
        f"256 times against 64 times, at most: {worst(report, ['64 times'], ['256 times'])}",
    ]
    report.save()


if __name__ == "__main__":
    main()
