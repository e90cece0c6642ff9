# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of square matrices on a GPU: Eft beside Triton and PyTorch, which asks cuBLAS.

Eft and Triton compile the same kernel. Triton runs it with `num_stages` of its default.
"""

from __future__ import annotations

import functools

import eft
from common import GpuBenchmark, arguments, gpu_torch
from report import Report

#: (BLOCK_M, BLOCK_N, BLOCK_K, num_warps). The first one is the usual one.
CONFIGURATIONS = [
    (128, 128, 32, 4),
    (128, 128, 64, 4),
    (128, 128, 32, 8),
    (128, 128, 64, 8),
    (128, 256, 32, 8),
    (128, 64, 64, 4),
    (64, 64, 64, 4),
]
GROUP = 8


class Case:
    """Two matrices of `size` × `size` elements of a type, and room for their product."""

    def __init__(self, torch, size: int, dtype):
        self.size = size
        self.dtype = str(dtype).removeprefix("torch.")
        self.a = torch.randn(size, size, device="cuda", dtype=dtype)
        self.b = torch.randn(size, size, device="cuda", dtype=dtype)
        self.c = torch.empty_like(self.a)

    def run(self, kernels, configuration: tuple[int, int, int, int]) -> None:
        m, n, k, warps = configuration
        grid = (eft.cdiv(self.size, m) * eft.cdiv(self.size, n),)
        kernels.multiply[grid](
            self.a,
            self.b,
            self.c,
            *(self.size,) * 3,
            BLOCK_M=m,
            BLOCK_N=n,
            BLOCK_K=k,
            GROUP=GROUP,
            num_warps=warps,
        )


class Benchmark(GpuBenchmark):
    def add(self, case: Case, system: str, configuration: str, seconds: float) -> None:
        self.report.add(
            dtype=case.dtype,
            size=str(case.size),
            system=system,
            configuration=configuration,
            milliseconds=seconds * 1e3,
            TFLOP_per_s=2 * case.size**3 / seconds / 1e12,
        )

    def measure(self, case: Case, best: bool) -> None:
        """PyTorch, then every system with the usual configuration, and with its best."""
        seconds = self.seconds(lambda: self.torch.matmul(case.a, case.b, out=case.c))
        self.add(case, "PyTorch", "", seconds)
        for system, kernels in self.systems.items():
            configurations = CONFIGURATIONS if best else CONFIGURATIONS[:1]
            times = self.times(functools.partial(case.run, kernels), configurations)
            self.add(case, system, words(CONFIGURATIONS[0]), times[CONFIGURATIONS[0]])
            if best:
                fastest = min(times, key=times.get)
                self.add(case, system, f"best: {words(fastest)}", times[fastest])

    def check(self, case: Case) -> None:
        """Every configuration gives PyTorch's product, to the rounding of the result."""
        expected = self.torch.matmul(case.a.double(), case.b.double())
        for kernels in self.systems.values():
            for configuration in CONFIGURATIONS:
                case.c.fill_(float("nan"))
                case.run(kernels, configuration)
                self.torch.testing.assert_close(
                    case.c.double(), expected, rtol=2e-3, atol=2e-3 * case.size**0.5
                )


def words(configuration: tuple[int, int, int, int]) -> str:
    m, n, k, warps = configuration
    return f"{m} × {n} × {k}, {warps} warps"


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1024, 2048, 4096, 8192])
    parser.add_argument("--quick", action="store_true", help="leave out the best configurations")
    options = parser.parse_args()
    if any(size % 256 for size in options.sizes):
        parser.error("the kernel has no masks: sizes must be multiples of 256")
    torch = gpu_torch()
    report = Report("matmul_gpu", "Products of matrices on a GPU", options.out)
    benchmark = Benchmark(report, torch)
    benchmark.check(Case(torch, 512, torch.float16))
    for dtype in (torch.float16, torch.bfloat16):
        for size in options.sizes:
            benchmark.measure(Case(torch, size, dtype), best=not options.quick)
    for dtype in ("float16", "bfloat16"):
        for size in map(str, options.sizes):
            note(report, dtype, size)
    report.save()


def note(report: Report, dtype: str, size: str) -> None:
    def fastest(system: str) -> float | None:
        return report.highest("TFLOP_per_s", dtype=dtype, size=size, system=system)

    goal = "0.35" if (dtype, size) == ("float16", "4096") else ""
    report.note_ratio(
        f"{dtype}, {size}: Eft's speed over PyTorch's", fastest("Eft"), fastest("PyTorch"), goal
    )
    report.note_ratio(
        f"{dtype}, {size}: Eft's best over Triton's best", fastest("Eft"), fastest("Triton")
    )


if __name__ == "__main__":
    main()
