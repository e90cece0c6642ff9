# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices on a GPU: Eft beside Triton and PyTorch, which calls cuBLAS.

Eft and Triton compile the same kernel, which has the form of Triton's tutorial: strides, remainders
in the addresses, and a mask along k. Each of the two runs all configurations. Factors of float32
are multiplied as tf32. The product of int8 factors is int32, and that of 8-bit floats is float16.
`--plain` also measures Eft with the kernel `multiply`, for matrices without gaps between rows and
sizes that need no mask.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import eft
from common import GpuBenchmark, arguments, gpu_torch
from report import Report


class Configuration(NamedTuple):
    m: int
    n: int
    k: int
    warps: int
    stages: int

    def __str__(self) -> str:
        return f"{self.m} × {self.n} × {self.k}, {self.warps} warps, {self.stages} stages"


#: The configurations for elements of two bytes. The first configuration is also reported by itself.
CONFIGURATIONS = [
    Configuration(128, 128, 32, 4, 3),
    Configuration(128, 128, 64, 4, 3),
    Configuration(128, 128, 64, 8, 3),
    Configuration(128, 256, 64, 8, 3),
    Configuration(256, 128, 64, 8, 3),
    Configuration(128, 64, 64, 4, 4),
    Configuration(64, 128, 64, 4, 4),
    Configuration(64, 64, 64, 4, 4),
]
GROUP = 8

#: By name, whether A is stored by columns, and whether B is. In the name, t follows a matrix that
#: is stored by columns.
LAYOUTS = {"AB": (False, False), "AtB": (True, False), "ABt": (False, True)}


class Case:
    """An m × k and a k × n matrix of elements of type `dtype`, and room for their product. `size`
    is (m, n, k)."""

    def __init__(self, torch, size: tuple[int, int, int], dtype, layout: str = "AB"):
        self.m, self.n, self.k = size
        self.layout = layout
        self.dtype = str(dtype).removeprefix("torch.")
        self.name = str(self.m) if self.m == self.n == self.k else "×".join(map(str, size))
        self.result = {"int8": torch.int32, "float8_e4m3fn": torch.float16}.get(self.dtype, dtype)
        # A block of a factor has the same number of bytes for all types.
        self.configurations = [
            each._replace(k=each.k * 2 // dtype.itemsize) for each in CONFIGURATIONS
        ]

        def of(rows: int, columns: int):
            if dtype == torch.int8:
                return torch.randint(-128, 128, (rows, columns), device="cuda", dtype=dtype)
            return torch.randn(rows, columns, device="cuda").to(dtype)

        a_by_columns, b_by_columns = LAYOUTS[layout]
        self.a = of(self.k, self.m).T if a_by_columns else of(self.m, self.k)
        self.b = of(self.n, self.k).T if b_by_columns else of(self.k, self.n)
        self.c = torch.empty(self.m, self.n, device="cuda", dtype=self.result)
        self.one = torch.ones((), device="cuda")

    def product_of_torch(self, torch):
        """Returns a function that multiplies by PyTorch, or None if PyTorch has no such product."""
        if self.dtype == "int8":
            return functools.partial(torch._int_mm, self.a, self.b, out=self.c)
        if self.dtype.startswith("float8"):
            if self.layout != "ABt":
                return None
            return functools.partial(
                *(torch._scaled_mm, self.a, self.b, self.one, self.one), out_dtype=self.result
            )
        return functools.partial(torch.matmul, self.a, self.b, out=self.c)

    def run(self, kernels, configuration: Configuration) -> None:
        self._launch(
            kernels.multiply_strided,
            configuration,
            *self.a.stride(),
            *self.b.stride(),
            *self.c.stride(),
            SUM=kernels.tl.int32 if self.dtype == "int8" else kernels.tl.float32,
        )

    def run_plain(self, kernels, configuration: Configuration) -> None:
        self._launch(kernels.multiply, configuration)

    def _launch(self, kernel, configuration: Configuration, *strides: int, **constants) -> None:
        m, n, k, warps, stages = configuration
        kernel[(eft.cdiv(self.m, m) * eft.cdiv(self.n, n),)](
            self.a,
            self.b,
            self.c,
            self.m,
            self.n,
            self.k,
            *strides,
            BLOCK_M=m,
            BLOCK_N=n,
            BLOCK_K=k,
            GROUP=GROUP,
            **constants,
            num_warps=warps,
            num_stages=stages,
        )


class Benchmark(GpuBenchmark):
    def add(self, case: Case, system: str, configuration: str, seconds: float) -> None:
        self.report.add(
            dtype=case.dtype,
            layout=case.layout,
            size=case.name,
            system=system,
            configuration=configuration,
            milliseconds=seconds * 1e3,
            TFLOP_per_s=2 * case.m * case.n * case.k / seconds / 1e12,
        )

    def measure(self, case: Case, best: bool, plain: bool) -> None:
        """Measures PyTorch, then Eft and Triton with the first configuration and, if `best` is
        true, with the fastest. `plain` adds Eft with the kernel `multiply`, where it is
        applicable."""
        if multiply := case.product_of_torch(self.torch):
            self.add(case, "PyTorch", "", self.seconds(multiply))
        for system, kernels in self.systems.items():
            self._measure(case, system, functools.partial(case.run, kernels), best)
        if plain and case.layout == "AB" and not (case.m | case.n | case.k) % 256:
            run = functools.partial(case.run_plain, self.systems["Eft"])
            self._measure(case, "Eft, plain", run, best)

    def _measure(self, case: Case, system: str, run, best: bool) -> None:
        times = self.times(run, case.configurations if best else case.configurations[:1])
        usual = case.configurations[0]
        self.add(case, system, str(usual), times[usual])
        if best:
            fastest = min(times, key=times.get)
            self.add(case, system, f"best: {fastest}", times[fastest])

    def check(self, case: Case) -> None:
        """Checks that every configuration gives the product, up to the rounding of the factors and
        the result."""
        expected = self.torch.matmul(case.a.double(), case.b.double())
        unit = 0.0 if case.dtype == "int8" else max(2e-3, 2 * self.torch.finfo(case.result).eps)
        for kernels in self.systems.values():
            for configuration in case.configurations:
                case.c.fill_(-1)
                case.run(kernels, configuration)
                self.torch.testing.assert_close(
                    case.c.double(), expected, rtol=unit, atol=unit * case.k**0.5
                )


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1024, 2048, 4096, 8192])
    parser.add_argument("--dtypes", nargs="+", default=["float16", "bfloat16"])
    parser.add_argument("--layouts", nargs="+", default=["AB"], choices=LAYOUTS)
    parser.add_argument("--odd", action="store_true", help="add sizes that are no multiples of 16")
    parser.add_argument("--plain", action="store_true", help="add the kernel without masks")
    parser.add_argument("--quick", action="store_true", help="leave out the best configurations")
    options = parser.parse_args()
    torch = gpu_torch()
    report = Report("matmul_gpu", "Products of matrices on a GPU", options.out)
    benchmark = Benchmark(report, torch, "products")
    torch.backends.cuda.matmul.allow_tf32 = True
    for dtype in options.dtypes:
        for layout in options.layouts:
            benchmark.check(Case(torch, (512, 512, 512), getattr(torch, dtype), layout))
            benchmark.check(Case(torch, (300, 500, 77), getattr(torch, dtype), layout))
    sizes = [(size,) * 3 for size in options.sizes]
    if options.odd:
        sizes += [(4095,) * 3, (4097,) * 3, (4096, 4096, 4100)]
    cases = [
        (getattr(torch, dtype), layout, size)
        for dtype in options.dtypes
        for layout in options.layouts
        for size in sizes
    ]
    for dtype, layout, size in cases:
        case = Case(torch, size, dtype, layout)
        benchmark.measure(case, best=not options.quick, plain=options.plain)
        note(report, case)
    report.save()


def note(report: Report, case: Case) -> None:
    same = {"dtype": case.dtype, "layout": case.layout, "size": case.name}
    what = f"{case.dtype}, {case.layout}, {case.name}"

    def fastest(system: str) -> float | None:
        return report.highest("TFLOP_per_s", **same, system=system)

    goal = "0.80" if case.m >= 4096 else ""
    report.note_ratio(
        f"{what}: Eft's speed over PyTorch's", fastest("Eft"), fastest("PyTorch"), goal
    )
    report.note_ratio(
        f"{what}: Eft's best over Triton's best", fastest("Eft"), fastest("Triton"), "1.00"
    )


if __name__ == "__main__":
    main()
