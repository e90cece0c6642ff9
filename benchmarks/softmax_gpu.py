# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax and layer normalisation of rows on a GPU: Eft beside Triton, PyTorch and a device copy.

Each operation reads an fp32 matrix once and writes a matrix of the same size, as the copy does. A
matrix with short rows would fit into the GPU's cache. So a case has several matrices, and each call
works on the next matrix.
"""

from __future__ import annotations

import functools
import itertools

import eft
from common import GpuBenchmark, arguments, gpu_torch
from report import Report

ROWS = 4096
WARPS = (4, 8, 16, 32)
#: The bytes of all matrices of a case, many times the largest cache of a GPU.
BYTES = 2**30
KERNELS = ("softmax", "layer norm")


class Case:
    """Several pairs of an input and an output matrix with `columns` columns. Each call of an
    operation works on the next pair, in a cycle."""

    def __init__(self, torch, columns: int):
        self.torch = torch
        self.columns = columns
        self.bytes = 2 * ROWS * columns * 4
        shape = (max(1, BYTES // self.bytes), ROWS, columns)
        self.x = torch.randn(shape, device="cuda")
        self.y = torch.empty_like(self.x)
        self.weight, self.bias = torch.randn(2, columns, device="cuda")
        self.turns = itertools.cycle(range(shape[0]))

    def copy(self) -> None:
        turn = next(self.turns)
        self.y[turn].copy_(self.x[turn])

    def pytorch(self, kernel: str) -> None:
        turn = next(self.turns)
        if kernel == "softmax":
            self.torch.softmax(self.x[turn], 1, out=self.y[turn])
        else:
            self.torch.nn.functional.layer_norm(
                self.x[turn], (self.columns,), self.weight, self.bias
            )

    def run(self, kernels, kernel: str, warps: int) -> None:
        turn = next(self.turns)
        x, y = self.x[turn], self.y[turn]
        options = {"BLOCK": eft.next_power_of_2(self.columns), "num_warps": warps}
        if kernel == "softmax":
            kernels.softmax[(ROWS,)](x, y, self.columns, **options)
        else:
            arrays = (x, self.weight, self.bias, y)
            kernels.layer_norm[(ROWS,)](*arrays, self.columns, 1e-5, **options)

    def expected(self, kernel: str):
        """Computes the result for the first matrix by PyTorch in fp64."""
        x = self.x[0].double()
        if kernel == "softmax":
            return self.torch.softmax(x, 1)
        return self.torch.nn.functional.layer_norm(
            x, (self.columns,), self.weight.double(), self.bias.double()
        )


class Benchmark(GpuBenchmark):
    def measure(self, case: Case) -> None:
        self.add(case, "copy", "PyTorch", "", self.seconds(case.copy))
        for kernel in KERNELS:
            seconds = self.seconds(functools.partial(case.pytorch, kernel))
            self.add(case, kernel, "PyTorch", "", seconds)
            for system, kernels in self.systems.items():
                times = self.times(functools.partial(case.run, kernels, kernel), WARPS)
                fastest = min(times, key=times.get)
                self.add(case, kernel, system, f"{fastest} warps", times[fastest])

    def add(self, case: Case, kernel: str, system: str, configuration: str, seconds: float) -> None:
        self.report.add(
            kernel=kernel,
            columns=str(case.columns),
            system=system,
            configuration=configuration,
            milliseconds=seconds * 1e3,
            GB_per_s=case.bytes / seconds / 1e9,
        )

    def check(self, case: Case) -> None:
        """Checks that every configuration gives PyTorch's result, up to a few roundings."""
        for kernel, (system, kernels) in itertools.product(KERNELS, self.systems.items()):
            for warps in WARPS:
                case.turns = itertools.cycle([0])
                case.y.fill_(float("nan"))
                case.run(kernels, kernel, warps)
                self.torch.testing.assert_close(
                    case.y[0].double(),
                    case.expected(kernel),
                    rtol=2e-5,
                    atol=1e-9 if kernel == "softmax" else 2e-5,
                    msg=lambda text, system=system: f"{system}: {text}",
                )


def main():
    parser = arguments(__doc__.splitlines()[0])
    sizes = [1024, 2048, 4096, 8192, 16384]
    parser.add_argument("--columns", type=int, nargs="+", default=sizes)
    options = parser.parse_args()
    torch = gpu_torch()
    report = Report("softmax_gpu", f"Softmax and layer norm of {ROWS} rows on a GPU", options.out)
    benchmark = Benchmark(report, torch)
    for columns in (1000, *options.columns):
        benchmark.check(Case(torch, columns))
    for columns in options.columns:
        benchmark.measure(Case(torch, columns))
    for kernel in KERNELS:
        for columns in map(str, options.columns):
            note(report, kernel, columns)
    report.save()


def note(report: Report, kernel: str, columns: str) -> None:
    def rate(kernel: str, system: str) -> float | None:
        return report.find("GB_per_s", kernel=kernel, columns=columns, system=system)

    copy = rate("copy", "PyTorch")
    about = f"{kernel}, {columns} columns: Eft's bandwidth over"
    report.note_ratio(f"{about} the copy's", rate(kernel, "Eft"), copy, "0.9")
    report.note_ratio(f"{about} Triton's", rate(kernel, "Eft"), rate(kernel, "Triton"))


if __name__ == "__main__":
    main()
