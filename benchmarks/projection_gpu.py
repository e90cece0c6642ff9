# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sparse random projections Y = X R on a GPU, with a matrix R that is drawn and one that is stored.

Eft and Triton draw R from a seed inside of the kernel. PyTorch multiplies by a stored R, by cuBLAS.
Eft and Triton compile the same kernel, which is the second kernel of the tutorial
tutorials/07-projection-without-a-matrix.py.
"""

from __future__ import annotations

import functools

import eft
from common import GpuBenchmark, arguments, gpu_torch
from report import Report

#: (points, columns, outputs): X is points × columns, R columns × outputs.
SHAPES = [(16384, 16384, 1024), (65536, 4096, 512)]
#: (POINTS, OUTPUTS, num_warps). The first configuration is that of the tutorial.
CONFIGURATIONS = [(16, 256, 4), (8, 512, 4), (16, 512, 8)]
SEED = 1984


class Case:
    """The fp32 matrix X, whose rows are points, and room for their projections Y."""

    def __init__(self, torch, points: int, columns: int, outputs: int):
        self.torch = torch
        self.shape = (points, columns, outputs)
        self.title = f"{points} × {columns} to {outputs}"
        self.x = torch.randn(points, columns, device="cuda")
        self.y = torch.empty(points, outputs, device="cuda")

    def run(self, kernels, s: int, configuration: tuple[int, int, int]) -> None:
        """Computes Y = X R by the kernel, which draws R. A column of R has one entry in each `s`
        rows."""
        points, outputs, warps = configuration
        grid = (eft.cdiv(self.shape[2], outputs), eft.cdiv(self.shape[0], points))
        kernels.project[grid](
            self.x, self.y, *self.shape, SEED, S=s, POINTS=points, OUTPUTS=outputs, num_warps=warps
        )

    def matrix(self, kernels, s: int):
        """Returns R, which is the projection of the identity matrix."""
        unit = Case(self.torch, *self.shape[1:2], *self.shape[1:])
        unit.x = self.torch.eye(self.shape[1], device="cuda")
        unit.run(kernels, s, CONFIGURATIONS[0])
        return unit.y


class Benchmark(GpuBenchmark):
    def add(self, case: Case, system: str, configuration: str, stored: int, seconds: float) -> None:
        self.report.add(
            shape=case.title,
            system=system,
            configuration=configuration,
            MB_for_R=stored / 1e6,
            milliseconds=seconds * 1e3,
        )

    def measure(self, case: Case) -> None:
        matrix = case.matrix(self.systems["Eft"], root(case))
        for dtype, tf32 in (("float32", False), ("float32", True), ("float16", False)):
            self.measure_stored(case, matrix, dtype, tf32)
        del matrix
        for s in (root(case) // 4, root(case), root(case) * 4):
            for system, kernels in self.systems.items():
                times = self.times(functools.partial(case.run, kernels, s), CONFIGURATIONS)
                fastest = min(times, key=times.get)
                configuration = "s = {}, best: {} × {}, {} warps".format(s, *fastest)
                self.add(case, system, configuration, 8, times[fastest])

    def measure_stored(self, case: Case, matrix, dtype: str, tf32: bool) -> None:
        self.torch.backends.cuda.matmul.allow_tf32 = tf32
        x, r, y = (each.to(getattr(self.torch, dtype)) for each in (case.x, matrix, case.y))
        seconds = self.seconds(lambda: self.torch.matmul(x, r, out=y))
        self.torch.backends.cuda.matmul.allow_tf32 = False
        name = f"stored, {dtype}{' as tf32' if tf32 else ''}"
        self.add(case, "PyTorch", name, r.numel() * r.element_size(), seconds)

    def check(self, case: Case) -> None:
        """Checks that R has one entry in each `s` rows of a column, that all systems draw the same
        R, and that every configuration gives the product X R."""
        s = root(case)
        matrix = case.matrix(self.systems["Eft"], s)
        entries = (matrix != 0).reshape(-1, s, case.shape[2]).sum(1)
        assert (entries == 1).all()
        expected = case.x.double() @ matrix.double()
        for system, kernels in self.systems.items():
            self.torch.testing.assert_close(case.matrix(kernels, s), matrix, rtol=1e-6, atol=0)
            for configuration in CONFIGURATIONS:
                case.y.fill_(float("nan"))
                case.run(kernels, s, configuration)
                self.torch.testing.assert_close(
                    case.y.double(),
                    expected,
                    rtol=1e-4,
                    atol=1e-4,
                    msg=lambda text, system=system: f"{system}: {text}",
                )


def root(case: Case) -> int:
    """Returns a power of two near the square root of the number of columns. It is exact if that
    number is a power of four."""
    return 2 ** round(case.shape[1].bit_length() / 2 - 0.5)


def main():
    parser = arguments(__doc__.splitlines()[0])
    options = parser.parse_args()
    torch = gpu_torch()
    report = Report("projection_gpu", "Sparse random projections on a GPU", options.out)
    benchmark = Benchmark(report, torch, "projection")
    benchmark.check(Case(torch, 1000, 4096, 300))
    for shape in SHAPES:
        case = Case(torch, *shape)
        benchmark.measure(case)
        note(report, case)
    report.save()


def note(report: Report, case: Case) -> None:
    def milliseconds(system: str) -> float | None:
        """Returns the time of a system with `s` = root(case), or None if it was not measured."""
        for row in report.matching(shape=case.title, system=system):
            if row["configuration"].startswith(f"s = {root(case)},"):
                return row["milliseconds"]
        return None

    ours = milliseconds("Eft")
    for name, goal in (("float32", "1"), ("float32 as tf32", ""), ("float16", "")):
        stored = report.find("milliseconds", shape=case.title, configuration=f"stored, {name}")
        about = f"{case.title}: Eft's speed with s = {root(case)} over the product's in {name}"
        report.note_ratio(about, stored, ours, goal)
    report.note_ratio(f"{case.title}: Eft's speed over Triton's", milliseconds("Triton"), ours)


if __name__ == "__main__":
    main()
