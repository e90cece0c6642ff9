# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention's backward pass on a GPU: Eft beside Triton and PyTorch's own attention.

Eft and Triton compile the same kernel, which has the form of Triton's tutorial. Each of the two
runs all configurations. The operations of a head are those of five matrix products,
10 · length² · d, though the kernel computes seven products. With a causal mask, half of the
operations count. PyTorch's time is that of its whole backward pass. The time of Eft and Triton is
that of the kernel alone: the numbers of each row (`m` and `products`) are computed before it runs.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import attention_gpu
import eft
from common import gpu_torch
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
    """The inputs, the results of the forward pass, and room for the gradients, of `heads` heads,
    counted over all batches. Each head has `length` rows of `d` elements.

    Attributes:
        m: for each row, the binary logarithm of the sum of the exponentials of its scores.
        products: for each row, the dot product of the output and the output's gradient.
    """

    def __init__(self, torch, heads: int, length: int, d: int, causal: bool):
        self.heads, self.length, self.d, self.causal = heads, length, d, causal
        self.dtype = "float16"
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
        """Computes `m` by the kernel of the forward pass."""
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


class Benchmark(attention_gpu.Benchmark):
    configurations = CONFIGURATIONS

    def own(self, case: Case):
        """Returns a function that runs PyTorch's backward pass."""
        return functools.partial(
            self.torch.autograd.grad, case.out, case.factors, case.d_out, retain_graph=True
        )

    def measure(self, case: Case) -> None:
        case.forward(self.systems["Eft"])
        super().measure(case)

    def check(self, case: Case) -> None:
        """Checks that every configuration gives PyTorch's gradients, up to the rounding of the
        type."""
        expected = self.own(case)()
        for kernels in self.systems.values():
            case.forward(kernels)
            for configuration in self.configurations:
                for gradient in case.gradients:
                    gradient.fill_(float("nan"))
                case.run(kernels, configuration)
                for gradient, of_library in zip(case.gradients, expected, strict=True):
                    self.torch.testing.assert_close(gradient, of_library, rtol=1e-2, atol=2e-2)


def main():
    chosen = attention_gpu.options()
    torch = gpu_torch()
    report = Report("attention_backward_gpu", "Attention's gradients on a GPU", chosen.out)
    make_case = functools.partial(Case, torch)
    attention_gpu.measure_all(Benchmark(report, torch, "attention"), make_case, chosen)


if __name__ == "__main__":
    main()
