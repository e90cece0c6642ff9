# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies, gathers, scans, argmax, histograms and sorts on a GPU, beside Triton and PyTorch.

An operation reads or writes 2^27 elements, many more than the GPU's caches hold. The bytes per
second count each element once that is read, and once that is written. The time of a histogram by
Eft or Triton includes that of clearing the counts, and the time by PyTorch includes that of waiting
for the greatest integer.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace

import eft
from common import GpuBenchmark, arguments, gpu_torch
from report import Report

ELEMENTS = 2**27
BINS = 256
FLOATS = ("float32", "float16")


@dataclass(frozen=True)
class Case:
    """An operation on arrays of one size."""

    arrays: tuple  # the arrays that are read and the array that is written, which is the last
    launch: Callable  # launch(kernels, block, warps)
    pytorch: Callable  # returns the result
    blocks: tuple[int, ...]  # the blocks to choose from
    bytes: int
    values: Callable = lambda result: result  # what must be equal for two equally good results
    expected: Callable | None = None  # returns a more accurate result than `pytorch`

    @property
    def result(self):
        return self.arrays[-1]


def copy_strided(torch, dtype: str, stride: int) -> Case:
    """Every `stride`-th element of a vector."""
    n = ELEMENTS // stride
    x = torch.randn(ELEMENTS, device="cuda", dtype=getattr(torch, dtype))
    y = torch.empty_like(x[:n])

    def launch(kernels, block, warps):
        grid = (eft.cdiv(n, block),)
        kernels.copy_strided[grid](x, y, n, STRIDE=stride, BLOCK=block, num_warps=warps)

    moved = 2 * n * x.element_size()
    return Case((x, y), launch, lambda: y.copy_(x[::stride]), (1024, 2048, 4096), moved)


def copy_transposed(torch, dtype: str, columns: int) -> Case:
    rows = ELEMENTS // columns
    x = torch.randn(rows, columns, device="cuda", dtype=getattr(torch, dtype))
    y = torch.empty(columns, rows, device="cuda", dtype=x.dtype)

    def launch(kernels, block, warps):
        grid = (eft.cdiv(rows, block), eft.cdiv(columns, block))
        kernels.copy_transposed[grid](x, y, rows, columns, BLOCK=block, num_warps=warps)

    moved = 2 * x.numel() * x.element_size()
    return Case((x, y), launch, lambda: y.copy_(x.t()), (32, 64, 128), moved)


def gather_rows(torch, dtype: str, columns: int) -> Case:
    rows = ELEMENTS // columns
    table = torch.randn(rows, columns, device="cuda", dtype=getattr(torch, dtype))
    numbers = torch.randperm(rows, device="cuda")
    y = torch.empty_like(table)

    def launch(kernels, block, warps):
        arrays = table, numbers, y
        kernels.gather_rows[(rows,)](*arrays, columns, BLOCK=block, num_warps=warps)

    moved = 2 * y.numel() * y.element_size()
    select = functools.partial(torch.index_select, table, 0, numbers, out=torch.empty_like(table))
    return Case((table, numbers, y), launch, select, (eft.next_power_of_2(columns),), moved)


def of_rows(torch, dtype: str, columns: int, name: str, pytorch: Callable, is_scalar: bool) -> Case:
    """A kernel of rows whose result is a matrix of the same size, or one integer for each row."""
    rows = ELEMENTS // columns
    x = torch.randn(rows, columns, device="cuda", dtype=getattr(torch, dtype))
    y = torch.empty(rows, device="cuda", dtype=torch.int32) if is_scalar else torch.empty_like(x)

    def launch(kernels, block, warps):
        getattr(kernels, name)[(rows,)](x, y, columns, BLOCK=block, num_warps=warps)

    def values(result):  # of several maxima, PyTorch may give any
        return x.gather(1, result.long()[:, None]) if is_scalar else result

    moved = (1 if is_scalar else 2) * x.numel() * x.element_size()
    blocks = (eft.next_power_of_2(columns),)
    return Case((x, y), launch, lambda: pytorch(x), blocks, moved, values)


def cumulative_sum(torch, dtype: str, columns: int) -> Case:
    function = functools.partial(torch.cumsum, dim=1)
    case = of_rows(torch, dtype, columns, "cumulative_sum", function, is_scalar=False)
    return replace(case, expected=lambda: function(case.arrays[0], dtype=torch.float64))


def index_of_maximum(torch, dtype: str, columns: int) -> Case:
    function = functools.partial(torch.argmax, dim=1)
    return of_rows(torch, dtype, columns, "index_of_maximum", function, is_scalar=True)


def sort(torch, dtype: str, columns: int) -> Case:
    def function(x):
        return torch.sort(x, 1)[0]

    return of_rows(torch, dtype, columns, "sort", function, is_scalar=False)


def count(torch, dtype: str, bins: int) -> Case:
    """A histogram of integers below `bins`."""
    x = torch.randint(0, bins, (ELEMENTS,), device="cuda", dtype=getattr(torch, dtype))
    y = torch.zeros(bins, device="cuda", dtype=torch.int32)

    def launch(kernels, block, warps):
        grid = (eft.cdiv(ELEMENTS, block),)
        y.zero_()
        kernels.count[grid](x, y, ELEMENTS, BINS=bins, BLOCK=block, num_warps=warps)

    blocks = (1024, 4096, 16384)
    return Case((x, y), launch, lambda: torch.bincount(x, minlength=bins), blocks, 4 * ELEMENTS)


#: For each operation: its function, the dtypes, and the sizes.
OPERATIONS = {
    "strided copy": (copy_strided, FLOATS, (2, 4)),
    "transposed copy": (copy_transposed, FLOATS, (1024, 8192)),
    "gather of rows": (gather_rows, FLOATS, (128, 1024, 4096)),
    "cumulative sum": (cumulative_sum, FLOATS, (1024, 4096, 16384)),
    "argmax": (index_of_maximum, FLOATS, (1024, 4096, 16384)),
    "histogram": (count, ("int32",), (BINS,)),
    "sort": (sort, FLOATS, (1024, 2048, 4096, 8192)),
}


class Benchmark(GpuBenchmark):
    def measure(self, name: str, dtype: str, size: int, case: Case) -> None:
        def add(system: str, configuration: str, seconds: float) -> None:
            self.report.add(
                kernel=name,
                dtype=dtype,
                size=str(size),
                system=system,
                configuration=configuration,
                milliseconds=seconds * 1e3,
                GB_per_s=case.bytes / seconds / 1e9,
            )

        add("PyTorch", "", self.seconds(case.pytorch))
        for system, kernels in self.systems.items():
            self.check(system, name, case, kernels)

            def run(configuration, kernels=kernels):
                case.launch(kernels, *configuration)

            chosen = configurations(name, case.blocks)
            (block, warps), seconds = min(self.times(run, chosen).items(), key=lambda each: each[1])
            add(system, f"{block}, {warps} warps", seconds)

    def check(self, system: str, name: str, case: Case, kernels) -> None:
        """Checks that each configuration gives PyTorch's result."""
        expected = case.values((case.expected or case.pytorch)())
        for block, warps in configurations(name, case.blocks):
            case.result.zero_()
            case.launch(kernels, block, warps)
            bound = 1e-3 if case.expected else 0
            self.torch.testing.assert_close(
                case.values(case.result).to(expected.dtype),
                expected,
                rtol=bound,
                atol=bound,
                msg=lambda text: f"{system}, {name}: {text}",
            )


def configurations(name: str, blocks: tuple[int, ...]) -> list[tuple[int, int]]:
    """Returns pairs of a block and a number of warps: those with which a thread has 4 to 64
    elements. The blocks of a transposed copy have two dimensions."""
    pairs = itertools.product(blocks, (1, 2, 4, 8, 16, 32))
    sides = 2 if name == "transposed copy" else 1
    return [(b, w) for b, w in pairs if 4 <= b**sides // (32 * w) <= 64]


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=OPERATIONS, default=list(OPERATIONS))
    options = parser.parse_args()
    torch = gpu_torch()
    report = Report("blocks_gpu", "Operations on blocks on a GPU", options.out)
    benchmark = Benchmark(report, torch, "blocks")
    for name in options.only:
        make, dtypes, sizes = OPERATIONS[name]
        for dtype, size in itertools.product(dtypes, sizes):
            benchmark.measure(name, dtype, size, make(torch, dtype, size))
            case = {"kernel": name, "dtype": dtype, "size": str(size)}
            speeds = {
                system: report.find("GB_per_s", **case, system=system)
                for system in ("Eft", "Triton", "PyTorch")
            }
            about = f"{name}, {dtype}, {size}: Eft's speed over"
            report.note_ratio(f"{about} Triton's", speeds["Eft"], speeds["Triton"], "1")
            report.note_ratio(f"{about} PyTorch's", speeds["Eft"], speeds["PyTorch"])
    report.save()


if __name__ == "__main__":
    main()
