# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention's backward pass on a GPU: Eft beside Triton and PyTorch's own.

Eft and Triton compile the same kernel, which has the form of Triton's tutorial; each of them runs
all configurations. Five products count, as two operations an element each, though the kernel makes
seven; a causal mask leaves half of them. PyTorch's time is that of its whole backward pass.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import eft
from common import GpuBenchmark, arguments, gpu_torch
from report import Report


class Configuration(NamedTuple):
    long: int
    short: int
    warps: int
    stages: int

    def __str__(self) -> str:
        return f"{self.long} × {self.short}, {self.warps} warps, {self.stages} stages"


CONFIGURATIONS = [
    Configuration(128, 32, 4, 5),
    Configuration(128, 32, 4, 3),
    Configuration(64, 64, 4, 3),
    Configuration(128, 64, 8, 3),
    Configuration(128, 32, 8, 3),
]


class Case:
    """`heads` heads (of all batches), each of `length` rows of `d`, and the results of the forward
    pass."""

    def __init__(self, torch, heads: int, length: int, d: int, causal: bool):
        self.heads, self.length, self.d, self.causal = heads, length, d, causal
        shape = (1, heads, length, d)

        def numbers():
            return torch.randn(shape, device="cuda", dtype=torch.float16).requires_grad_()

        self.factors = numbers(), numbers(), numbers()
        self.d_out = numbers().detach()
        attend = torch.nn.functional.scaled_dot_product_attention
        self.out = attend(*self.factors, is_causal=causal)
        q, k, v = (each.detach() for each in self.factors)
        self.scale = d**-0.5
        self.scaled_k = k * (self.scale / math.log(2))
        self.inputs = q, self.scaled_k, v, self.d_out
        self.gradients = [torch.empty_like(each) for each in (q, k, v)]
        self.m = torch.empty(heads, length, device="cuda")
        self.products = (self.out.detach().float() * self.d_out).sum(-1).contiguous()

    def operations(self) -> float:
        return 10 * self.heads * self.length**2 * self.d / (2 if self.causal else 1)

    def forward(self, kernels) -> None:
        """Computes `m`, the logarithms of the sums."""
        q, k, v = (each.detach() for each in self.factors)
        grid = eft.cdiv(self.length, 64), self.heads
        sizes = {"D": self.d, "BLOCK_M": 64, "BLOCK_N": 64, "CAUSAL": self.causal}
        out = self.out.detach().clone()
        kernels.fused_attention[grid](q, k, v, out, self.m, self.scale, self.length, **sizes)

    def run(self, kernels, configuration: Configuration) -> None:
        long, short, warps, stages = configuration
        kernels.attention_backward[(self.length // long, self.heads)](
            *self.inputs,
            *self.gradients,
            self.m,
            self.products,
            self.scale,
            self.length,
            D=self.d,
            LONG=long,
            SHORT=short,
            CAUSAL=self.causal,
            num_warps=warps,
            num_stages=stages,
        )


class Benchmark(GpuBenchmark):
    def add(self, case: Case, system: str, configuration: str, seconds: float) -> None:
        self.report.add(
            dtype="float16",
            d=case.d,
            length=case.length,
            causal=case.causal,
            system=system,
            configuration=configuration,
            milliseconds=seconds * 1e3,
            TFLOP_per_s=case.operations() / seconds / 1e12,
        )

    def own(self, case: Case):
        """PyTorch's backward pass."""
        return functools.partial(
            self.torch.autograd.grad, case.out, case.factors, case.d_out, retain_graph=True
        )

    def measure(self, case: Case) -> None:
        case.forward(self.systems["Eft"])
        self.add(case, "PyTorch", "", self.seconds(self.own(case)))
        for system, kernels in self.systems.items():
            times = self.times(functools.partial(case.run, kernels), CONFIGURATIONS)
            fastest = min(times, key=times.get)
            self.add(case, system, str(fastest), times[fastest])

    def check(self, case: Case) -> None:
        """Every configuration gives PyTorch's gradients, to the rounding of the type."""
        expected = self.own(case)()
        for kernels in self.systems.values():
            case.forward(kernels)
            for configuration in CONFIGURATIONS:
                for gradient in case.gradients:
                    gradient.fill_(float("nan"))
                case.run(kernels, configuration)
                for gradient, of_library in zip(case.gradients, expected, strict=True):
                    self.torch.testing.assert_close(gradient, of_library, rtol=1e-2, atol=2e-2)


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--lengths", type=int, nargs="+", default=[1024, 4096, 16384])
    parser.add_argument("--tokens", type=int, default=16384, help="of all batches together")
    parser.add_argument("--dims", type=int, nargs="+", default=[64, 128], help="of a head")
    options = parser.parse_args()
    torch = gpu_torch()
    report = Report("attention_backward_gpu", "Attention's gradients on a GPU", options.out)
    benchmark = Benchmark(report, torch)
    for d in options.dims:
        for causal in (False, True):
            benchmark.check(Case(torch, 3, 512, d, causal))
            for length in options.lengths:
                case = Case(torch, 32 * options.tokens // length, length, d, causal)
                benchmark.measure(case)
                note(report, case)
    report.save()


def note(report: Report, case: Case) -> None:
    same = {"d": case.d, "length": case.length, "causal": case.causal}
    mask = ", causal" if case.causal else ""
    report.note_ratio(
        f"D = {case.d}, {case.length} rows{mask}: Eft's best over Triton's best",
        report.highest("TFLOP_per_s", **same, system="Eft"),
        report.highest("TFLOP_per_s", **same, system="Triton"),
        "1.00",
    )


if __name__ == "__main__":
    main()
