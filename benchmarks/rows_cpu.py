# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax, layer norm, reductions, scans and sorting of rows on a CPU, beside PyTorch and NumPy.

All matrices have 2^22 float32 elements. The histogram counts 2^22 int32 numbers.
"""

from __future__ import annotations

import sys
import time

from common import arguments, load_kernels, peer, seconds_on_cpu, take_threads

take_threads(sys.argv)

import eft  # noqa: E402
import eft.language as tl  # noqa: E402
import numpy as np  # noqa: E402
from eft import _runtime  # noqa: E402
from report import Report  # noqa: E402

BINS = 256
# The elements that a program of the histogram counts. With fewer elements for each program, most of
# the time would go to the atomic additions of the programs' counts.
COUNTED = 16384
SHAPES = {"softmax": ((4096, 1024), (1024, 4096)), "layer norm": ((4096, 1024), (1024, 4096))}
#: The order in which a reduction combines elements depends on the number of warps, on a CPU as
#: well. On a CPU, the order for one warp is the fastest.
WARPS = {"num_warps": 1}
KERNELS = ("softmax", "layer norm", "sum", "max", "argmax", "cumsum", "sort", "histogram")


@eft.jit
def reduce_rows(x_ptr, y_ptr, columns, KIND: tl.constexpr, BLOCK: tl.constexpr):
    """Stores for each row its sum, its greatest element, or the index of that element, as KIND
    says."""
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=-float("inf"))
    if KIND == "sum":
        y = tl.sum(tl.where(offsets < columns, x, 0.0))
    elif KIND == "max":
        y = tl.max(x)
    else:
        y = tl.argmax(x, 0)
    tl.store(y_ptr + row, y)


@eft.jit
def scan_rows(x_ptr, y_ptr, columns, KIND: tl.constexpr, BLOCK: tl.constexpr):
    """Stores for each row its cumulative sums, or its elements in ascending order, as KIND says."""
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=inside, other=float("inf"))
    y = tl.cumsum(tl.where(inside, x, 0.0)) if KIND == "cumsum" else tl.sort(x)
    tl.store(y_ptr + row * columns + offsets, y, mask=inside)


@eft.jit
def count(x_ptr, counts_ptr, BINS: tl.constexpr, BLOCK: tl.constexpr):
    """Adds to count number i the number of elements that equal i, for i from 0 to BINS - 1."""
    x = tl.load(x_ptr + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    tl.atomic_add(counts_ptr + tl.arange(0, BINS), tl.histogram(x, BINS), sem="relaxed")


class Case:
    """The arrays for one kernel, and functions that run it by Eft, NumPy and PyTorch."""

    def __init__(self, kernel: str, shape: tuple[int, int], torch):
        random = np.random.default_rng(1)
        self.kernel, self.shape, self.torch = kernel, shape, torch
        self.x = random.standard_normal(shape, dtype=np.float32)
        self.numbers = random.integers(0, BINS, shape[0] * shape[1], dtype=np.int32)
        self.weight, self.bias = random.standard_normal((2, shape[1]), dtype=np.float32)
        self.y = np.empty_like(self.x)
        self.row = np.empty(shape[0], np.int32 if kernel == "argmax" else np.float32)
        self.counts = np.empty(BINS, np.int32)
        self.kernels = load_kernels(eft.jit, tl, "rows")

    def eft(self):
        (rows, columns), grid = self.shape, (self.shape[0],)
        block = 1 << (columns - 1).bit_length()
        if self.kernel == "softmax":
            self.kernels.softmax[grid](self.x, self.y, columns, BLOCK=block, **WARPS)
            return self.y
        if self.kernel == "layer norm":
            arrays = self.x, self.weight, self.bias, self.y
            self.kernels.layer_norm[grid](*arrays, columns, 1e-5, BLOCK=block, **WARPS)
            return self.y
        if self.kernel in ("cumsum", "sort"):
            scan_rows[grid](self.x, self.y, columns, KIND=self.kernel, BLOCK=block)
            return self.y
        if self.kernel == "histogram":
            self.counts.fill(0)
            blocks = rows * columns // COUNTED
            count[(blocks,)](self.numbers, self.counts, BINS=BINS, BLOCK=COUNTED)
            return self.counts
        reduce_rows[grid](self.x, self.row, columns, KIND=self.kernel, BLOCK=block, **WARPS)
        return self.row

    def numpy(self):
        x = self.x
        return {
            "sum": lambda: x.sum(1),
            "max": lambda: x.max(1),
            "argmax": lambda: x.argmax(1),
            "cumsum": lambda: x.cumsum(1),
            "sort": lambda: np.sort(x, 1),
            "histogram": lambda: np.bincount(self.numbers, minlength=BINS),
        }.get(self.kernel)

    def pytorch(self):
        torch = self.torch
        x, numbers = torch.from_numpy(self.x), torch.from_numpy(self.numbers)
        weight, bias = torch.from_numpy(self.weight), torch.from_numpy(self.bias)
        columns = (self.shape[1],)
        return {
            "softmax": lambda: torch.softmax(x, 1),
            "layer norm": lambda: torch.nn.functional.layer_norm(x, columns, weight, bias, 1e-5),
            "sum": lambda: x.sum(1),
            "max": lambda: x.amax(1),
            "argmax": lambda: x.argmax(1),
            "cumsum": lambda: x.cumsum(1),
            "sort": lambda: x.sort(1).values,
            "histogram": lambda: torch.bincount(numbers, minlength=BINS),
        }[self.kernel]

    def systems(self) -> dict:
        found = {"Eft": self.eft}
        if self.numpy():
            found["NumPy"] = self.numpy()
        if self.torch:
            found["PyTorch"] = self.pytorch()
        return found

    def check(self) -> None:
        """Checks that all systems give the same results, up to some roundings."""
        results = {name: np.asarray(run()).copy() for name, run in self.systems().items()}
        for name, result in results.items():
            np.testing.assert_allclose(results["Eft"], result, 1e-4, 1e-4, err_msg=name)


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, help="of all systems; by default all cores")
    parser.add_argument("--only", nargs="+", default=KERNELS, choices=KERNELS)
    parser.add_argument(
        "--busy", action="store_true", help="count the process's time, on one thread: others work"
    )
    options = parser.parse_args()
    threads = _runtime.host_threads()
    torch = peer("torch")
    if torch:
        torch.set_num_threads(threads)
    name = f"rows_cpu_{threads}" if options.threads else "rows_cpu"
    report = Report(name, f"Work on rows on a CPU, threads: {threads}", options.out)
    for kernel in options.only:
        for shape in SHAPES.get(kernel, ((4096, 1024),)):
            measure(report, Case(kernel, shape, torch), options.busy)
    report.save()


def measure(report: Report, case: Case, busy: bool) -> None:
    case.check()
    clock = time.process_time if busy else time.perf_counter
    shape = " x ".join(map(str, case.shape))
    found = seconds_on_cpu(case.systems(), clock=clock)
    for system, seconds in found.items():
        report.add(
            kernel=case.kernel,
            shape=shape,
            system=system,
            milliseconds=seconds * 1e3,
            G_elements_per_s=case.x.size / seconds / 1e9,
        )
    goal = "1.1" if case.kernel in SHAPES else "1"
    for system in ("PyTorch", "NumPy"):
        if system in found:
            text = f"{case.kernel}, {shape}: Eft's speed over {system}'s"
            report.note_ratio(text, found[system], found["Eft"], goal)


if __name__ == "__main__":
    main()
