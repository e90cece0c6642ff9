# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax, norms and cross entropies of rows on a GPU: Eft beside Triton, PyTorch and a copy.

A matrix has 2^27 elements, many more than the GPU's caches hold. The bytes per second count each
matrix once, as read or as written, as for the copy.
"""

from __future__ import annotations

import functools
import itertools

import eft
from common import GpuBenchmark, arguments, gpu_torch
from report import Report

ELEMENTS = 2**27
EPS = 1e-5
KERNELS = ("softmax", "layer norm", "RMS norm", "cross entropy", "cross entropy and gradient")
#: The greatest error of a result, relative and absolute.
TOLERANCES = {"float32": (2e-5, 1e-9), "float16": (1e-3, 1e-7)}


def configurations(kernel: str, columns: int) -> list[tuple[int, int]]:
    """Returns pairs of a block's length and a number of warps. Most kernels have a whole row in one
    block, and 8 to 128 elements in a thread. A cross entropy has a loop over blocks, and 8 to 32
    elements in a thread."""
    row, most = eft.next_power_of_2(columns), 128
    blocks = [row]
    if kernel.startswith("cross entropy"):
        most = 32
        blocks = sorted({min(block, row) for block in (4096, 8192, 16384, 32768)})
    pairs = itertools.product(blocks, (1, 2, 4, 8, 16, 32))
    return [(block, warps) for block, warps in pairs if 8 <= block // (32 * warps) <= most]


class Case:
    """The arguments and results of the kernels for a matrix of `rows` × `columns`."""

    def __init__(self, torch, rows: int, columns: int, dtype: str):
        self.torch, self.rows, self.columns, self.dtype = torch, rows, columns, dtype
        of = {"device": "cuda", "dtype": getattr(torch, dtype)}
        self.x = torch.randn(rows, columns, **of)
        self.y = torch.empty_like(self.x)
        self.weight, self.bias = torch.randn(2, columns, **of)
        self.target = torch.randint(0, columns, (rows,), device="cuda")
        self.loss = torch.empty(rows, device="cuda")

    def bytes(self, kernel: str) -> int:
        matrices = 1 if kernel == "cross entropy" else 2
        return matrices * self.x.numel() * self.x.element_size()

    def run(self, kernels, kernel: str, configuration: tuple[int, int]) -> None:
        block, warps = configuration
        grid, options = (self.rows,), {"BLOCK": block, "num_warps": warps}
        if kernel == "softmax":
            kernels.softmax[grid](self.x, self.y, self.columns, **options)
        elif kernel == "layer norm":
            arrays = self.x, self.weight, self.bias, self.y
            kernels.layer_norm[grid](*arrays, self.columns, EPS, **options)
        elif kernel == "RMS norm":
            kernels.rms_norm[grid](self.x, self.weight, self.y, self.columns, EPS, **options)
        else:
            arrays = self.x, self.target, self.loss, self.y
            options["WITH_GRADIENT"] = kernel == "cross entropy and gradient"
            kernels.cross_entropy[grid](*arrays, self.rows, self.columns, **options)

    def pytorch(self, kernel: str, wide: bool = False):
        """Computes the kernel's results by PyTorch, in fp64 if `wide`. For a cross entropy, the
        result is the loss of each row, or the gradient."""
        functional, columns = self.torch.nn.functional, (self.columns,)
        x, weight, bias = self.x, self.weight, self.bias
        if wide:
            x, weight, bias = x.double(), weight.double(), bias.double()
        if kernel == "softmax":
            return self.torch.softmax(x, 1)
        if kernel == "layer norm":
            return functional.layer_norm(x, columns, weight, bias, EPS)
        if kernel == "RMS norm":
            return functional.rms_norm(x, columns, weight, EPS)
        if kernel == "cross entropy":
            return functional.cross_entropy(x, self.target, reduction="none") / self.rows
        x = x.requires_grad_()
        loss = functional.cross_entropy(x, self.target)
        gradient = self.torch.autograd.grad(loss, x)[0]
        self.x.requires_grad_(False)
        return gradient


class Benchmark(GpuBenchmark):
    def measure(self, case: Case) -> None:
        self.add(case, "copy", "PyTorch", "", self.seconds(lambda: case.y.copy_(case.x)))
        for kernel in KERNELS:
            seconds = self.seconds(functools.partial(case.pytorch, kernel))
            self.add(case, kernel, "PyTorch", "", seconds)
            for system, kernels in self.systems.items():
                run = functools.partial(case.run, kernels, kernel)
                times = self.times(run, configurations(kernel, case.columns))
                (block, warps), seconds = min(times.items(), key=lambda item: item[1])
                self.add(case, kernel, system, f"{block}, {warps} warps", seconds)

    def add(self, case: Case, kernel: str, system: str, configuration: str, seconds: float) -> None:
        self.report.add(
            kernel=kernel,
            dtype=case.dtype,
            columns=str(case.columns),
            system=system,
            configuration=configuration,
            milliseconds=seconds * 1e3,
            GB_per_s=case.bytes(kernel) / seconds / 1e9,
        )

    def check(self, case: Case) -> None:
        """Checks that every configuration gives PyTorch's result, up to a few roundings."""
        for kernel in KERNELS:
            expected = case.pytorch(kernel, wide=True)
            relative, absolute = TOLERANCES[case.dtype]
            if kernel.endswith("norm"):  # the bias may cancel most of a result
                absolute = relative
            for system, kernels in self.systems.items():
                for configuration in configurations(kernel, case.columns):
                    result = case.loss if kernel == "cross entropy" else case.y
                    result.fill_(float("nan"))
                    case.run(kernels, kernel, configuration)
                    self.torch.testing.assert_close(
                        result.double(),
                        expected,
                        rtol=relative,
                        atol=absolute,
                        msg=lambda text, about=f"{system}, {kernel}": f"{about}: {text}",
                    )


def main():
    parser = arguments(__doc__.splitlines()[0])
    sizes = [1024, 4096, 16384, 65536, 131072]
    parser.add_argument("--columns", type=int, nargs="+", default=sizes)
    options = parser.parse_args()
    torch = gpu_torch()
    report = Report("rows_gpu", "Softmax, norms and cross entropies of rows on a GPU", options.out)
    benchmark = Benchmark(report, torch, "rows")
    cases = list(itertools.product(TOLERANCES, options.columns))
    for dtype in TOLERANCES:
        for columns in (1000, *options.columns):
            benchmark.check(Case(torch, 64, columns, dtype))
    for dtype, columns in cases:
        benchmark.measure(Case(torch, ELEMENTS // columns, columns, dtype))
    for kernel, (dtype, columns) in itertools.product(KERNELS, cases):
        note(report, kernel, dtype, str(columns))
    report.save()


def note(report: Report, kernel: str, dtype: str, columns: str) -> None:
    def rate(kernel: str, system: str) -> float | None:
        case = {"kernel": kernel, "dtype": dtype, "columns": columns}
        return report.find("GB_per_s", **case, system=system)

    copy = rate("copy", "PyTorch")
    about = f"{kernel}, {dtype}, {columns} columns: Eft's bandwidth over"
    report.note_ratio(f"{about} the copy's", rate(kernel, "Eft"), copy, "0.93")
    report.note_ratio(f"{about} Triton's", rate(kernel, "Eft"), rate(kernel, "Triton"), "1")


if __name__ == "__main__":
    main()
