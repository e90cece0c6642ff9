# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention's forward pass on a GPU: Eft beside Triton and PyTorch's own attention.

Eft and Triton compile the same kernel, which has the form of Triton's tutorial. Each of the two
runs all configurations. The operations of a head are those of its two matrix products:
4 · length² · d. With a causal mask, half of the operations count.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import NamedTuple

import eft
from common import GpuBenchmark, arguments, gpu_torch
from report import Report


class Configuration(NamedTuple):
    m: int
    n: int
    warps: int
    stages: int

    def __str__(self) -> str:
        return f"{self.m} × {self.n}, {self.warps} warps, {self.stages} stages"


CONFIGURATIONS = [
    Configuration(128, 64, 4, 3),
    Configuration(128, 64, 8, 3),
    Configuration(128, 128, 8, 3),
    Configuration(64, 64, 4, 3),
    Configuration(128, 32, 4, 4),
]


class Case:
    """Queries, keys and values of `heads` heads, counted over all batches. Each head has `length`
    rows of `d` elements."""

    def __init__(self, torch, heads: int, length: int, d: int, causal: bool, dtype):
        self.heads, self.length, self.d, self.causal = heads, length, d, causal
        self.dtype = str(dtype).removeprefix("torch.")
        shape = (heads, length, d)
        self.q, self.k, self.v = (torch.randn(shape, device="cuda", dtype=dtype) for _ in "qkv")
        self.out = torch.empty_like(self.q)
        self.m = torch.empty(heads, length, device="cuda")

    def operations(self) -> float:
        return 4 * self.heads * self.length**2 * self.d / (2 if self.causal else 1)

    def run(self, kernels, configuration: Configuration) -> None:
        m, n, warps, stages = configuration
        kernels.fused_attention[(eft.cdiv(self.length, m), self.heads)](
            self.q,
            self.k,
            self.v,
            self.out,
            self.m,
            self.d**-0.5,
            self.length,
            D=self.d,
            BLOCK_M=m,
            BLOCK_N=n,
            CAUSAL=self.causal,
            num_warps=warps,
            num_stages=stages,
        )


class Benchmark(GpuBenchmark):
    """Measures each system with its fastest configuration.

    Attributes:
        configurations: the configurations that Eft and Triton run.
    """

    configurations = CONFIGURATIONS

    def add(self, case: Case, system: str, configuration: str, seconds: float) -> None:
        self.report.add(
            dtype=case.dtype,
            d=case.d,
            length=case.length,
            causal=case.causal,
            system=system,
            configuration=configuration,
            milliseconds=seconds * 1e3,
            TFLOP_per_s=case.operations() / seconds / 1e12,
        )

    def own(self, case: Case):
        """Returns a function that calls PyTorch's attention. PyTorch needs a dimension for the
        batch, which is 1."""
        q, k, v = (each.unsqueeze(0) for each in (case.q, case.k, case.v))
        attend = self.torch.nn.functional.scaled_dot_product_attention
        return functools.partial(attend, q, k, v, is_causal=case.causal)

    def measure(self, case: Case) -> None:
        self.add(case, "PyTorch", "", self.seconds(self.own(case)))
        for system, kernels in self.systems.items():
            times = self.times(functools.partial(case.run, kernels), self.configurations)
            fastest = min(times, key=times.get)
            self.add(case, system, str(fastest), times[fastest])

    def check(self, case: Case) -> None:
        """Checks that every configuration gives PyTorch's result, up to the rounding of the
        type."""
        expected = self.own(case)().squeeze(0).float()
        for kernels in self.systems.values():
            for configuration in self.configurations:
                case.out.fill_(float("nan"))
                case.run(kernels, configuration)
                self.torch.testing.assert_close(case.out.float(), expected, rtol=1e-2, atol=1e-2)


def options():
    """Parses the command line."""
    parser = arguments(sys.modules["__main__"].__doc__.splitlines()[0])
    parser.add_argument("--lengths", type=int, nargs="+", default=[1024, 4096, 16384])
    parser.add_argument("--tokens", type=int, default=16384, help="of all batches together")
    parser.add_argument("--dims", type=int, nargs="+", default=[64, 128], help="of a head")
    return parser.parse_args()


def measure_all(benchmark: Benchmark, make_case: Callable, chosen) -> None:
    """Measures all cases that the options choose, notes Eft's speed relative to Triton's, and saves
    the report.

    Args:
        benchmark: checks and measures a case.
        make_case: makes a case from the number of heads, the length, d, and whether it is causal.
        chosen: the options of the command line.
    """
    for d in chosen.dims:
        for causal in (False, True):
            benchmark.check(make_case(3, 1024, d, causal))
            for length in chosen.lengths:
                case = make_case(32 * chosen.tokens // length, length, d, causal)
                benchmark.measure(case)
                note(benchmark.report, case)
    benchmark.report.save()


def main():
    chosen = options()
    torch = gpu_torch()
    report = Report("attention_gpu", "Attention on a GPU", chosen.out)
    make_case = functools.partial(Case, torch, dtype=torch.float16)
    measure_all(Benchmark(report, torch, "attention"), make_case, chosen)


def note(report: Report, case: Case) -> None:
    same = {"d": case.d, "length": case.length, "causal": case.causal}
    mask = ", causal" if case.causal else ""

    def fastest(system: str) -> float | None:
        return report.highest("TFLOP_per_s", **same, system=system)

    report.note_ratio(
        f"D = {case.d}, {case.length} rows{mask}: Eft's best over Triton's best",
        fastest("Eft"),
        fastest("Triton"),
        "1.00",
    )


if __name__ == "__main__":
    main()
