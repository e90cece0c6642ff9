# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout on a GPU, by a mask in memory and by a seed, beside Triton, PyTorch and a plain copy.

The bytes per second count each array once, as read or as written. The copy's bytes are counted in
the same way, so the two can be compared.
"""

from __future__ import annotations

import functools
import itertools

import eft
from common import GpuBenchmark, arguments, gpu_torch
from report import Report

P = 0.5
SEED = 123
KERNELS = ("masked", "seeded", "seeded_by_four")
#: (elements of a program, num_warps). Every system is measured with the first configuration, and
#: without --quick also with the fastest configuration.
CONFIGURATIONS = [
    (1024, 4),
    *(
        each
        for each in itertools.product((256, 512, 1024, 2048, 4096), (2, 4, 8, 16))
        if each != (1024, 4)
    ),
]


class Case:
    """Arrays of `n` elements of `dtype` that begin `offset` elements after an aligned address."""

    def __init__(self, torch, n: int, dtype, offset: int = 0):
        def array(make, of):
            return make(n + offset, device="cuda", dtype=of)[offset:]

        self.torch = torch
        self.n = n
        self.dtype = str(dtype).removeprefix("torch.")
        self.offset = offset
        self.x = array(torch.randn, dtype)
        self.output = array(torch.empty, dtype)
        self.keep = (torch.rand(n + offset, device="cuda") > P).to(torch.int32)[offset:]

    def bytes(self, kernel: str) -> int:
        size = self.x.element_size()
        return self.n * (2 * size + (4 if kernel == "masked" else 0))

    def run(self, kernels, kernel: str, configuration: tuple[int, int]) -> None:
        """Launches a kernel once. A program handles as many elements as the configuration says. A
        program of `seeded_by_four` handles 4 * BLOCK elements, so its BLOCK is a quarter."""
        block, num_warps = configuration
        function = getattr(kernels, kernel)
        grid = (eft.cdiv(self.n, block),)
        if kernel == "masked":
            arrays, numbers = (self.x, self.keep, self.output), (self.n, P)
        else:
            arrays, numbers = (self.x, self.output), (self.n, P, SEED)
        width = block // 4 if kernel == "seeded_by_four" else block
        function[grid](*arrays, *numbers, BLOCK=width, num_warps=num_warps)


class Benchmark(GpuBenchmark):
    def add(self, case: Case, kernel: str, system: str, configuration: str, seconds: float):
        self.report.add(
            kernel=kernel,
            dtype=case.dtype,
            n=_power(case.n),
            offset=case.offset,
            system=system,
            configuration=configuration,
            milliseconds=seconds * 1e3,
            GB_per_s=case.bytes(kernel) / seconds / 1e9,
            G_elements_per_s=case.n / seconds / 1e9,
        )

    def usual(self, case: Case, kernel: str) -> None:
        """Measures every system with the first configuration: 1024 elements and 4 warps."""
        for system, kernels in self.systems.items():
            seconds = self.seconds(functools.partial(case.run, kernels, kernel, CONFIGURATIONS[0]))
            self.add(case, kernel, system, "1024, 4 warps", seconds)

    def best(self, case: Case, kernel: str) -> None:
        """Measures every system with the fastest of all configurations."""
        for system, kernels in self.systems.items():
            times = self.times(functools.partial(case.run, kernels, kernel), CONFIGURATIONS)
            (block, warps), seconds = min(times.items(), key=lambda item: item[1])
            self.add(case, kernel, system, f"best: {block}, {warps} warps", seconds)

    def limits(self, case: Case) -> None:
        """Measures PyTorch's copy and PyTorch's dropout."""
        seconds = self.seconds(lambda: case.output.copy_(case.x))
        self.add(case, "copy", "PyTorch", "", seconds)
        dropout = self.torch.nn.functional.dropout
        seconds = self.seconds(lambda: dropout(case.x, P))
        self.add(case, "dropout", "PyTorch", "with a mask of bool", seconds)

    def check(self, case: Case) -> None:
        """Checks that Eft and Triton drop the same elements, and that the other elements are equal
        up to rounding."""
        for kernel in KERNELS:
            results = []
            for kernels in self.systems.values():
                case.output.fill_(float("nan"))
                case.run(kernels, kernel, (1024, 4))
                results.append(case.output.clone())
            for result in results:
                assert self.torch.equal(results[0] == 0, result == 0), kernel
                self.torch.testing.assert_close(results[0], result)


def _power(n: int) -> str:
    bits = (n - 1).bit_length() if n & (n - 1) == 0 else n.bit_length() - 1
    rest = n - (1 << bits)
    return f"2^{bits}" + (f"+{rest}" if rest else "")


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--bits", type=int, default=28, help="log2 of the number of elements")
    parser.add_argument("--quick", action="store_true", help="leave out the best configurations")
    options = parser.parse_args()
    torch = gpu_torch()
    report = Report("dropout_gpu", "Dropout on a GPU", options.out)
    benchmark = Benchmark(report, torch)
    benchmark.check(Case(torch, 1_000_003, torch.float16, offset=1))

    for dtype in (torch.float32, torch.float16):
        case = Case(torch, 2**options.bits, dtype)
        benchmark.limits(case)
        for kernel in KERNELS:
            benchmark.usual(case, kernel)
            if not options.quick:
                benchmark.best(case, kernel)
        del case
        benchmark.usual(Case(torch, 2**options.bits, dtype, offset=1), "masked")
    for n in (2 ** (options.bits - 2), 2 ** (options.bits - 2) + 1):
        benchmark.usual(Case(torch, n, torch.float16), "masked")
        benchmark.usual(Case(torch, n, torch.float16), "seeded")
    note(report, _power(2**options.bits), options.bits - 2)
    report.save()


def note(report: Report, n: str, bits: int) -> None:
    """Adds notes: Eft's bandwidth relative to the copy's, Eft's speed relative to Triton's, and the
    speed of each of the two systems at 2^bits + 1 elements relative to its speed at 2^bits."""
    usual = {"configuration": "1024, 4 warps", "offset": 0}
    for dtype in ("float32", "float16"):
        case = {"dtype": dtype, "n": n}
        report.note_ratio(
            f"mask, {dtype}, {n}: Eft's bandwidth over the copy's",
            report.find("GB_per_s", kernel="masked", system="Eft", **usual, **case),
            report.find("GB_per_s", kernel="copy", **case),
            "0.95" if dtype == "float32" else "",
        )
        for kernel in KERNELS:
            speed = functools.partial(report.find, "G_elements_per_s", kernel=kernel, **case)
            report.note_ratio(
                f"{kernel}, {dtype}, {n}: Eft's speed over Triton's, both at 1024, 4 warps",
                speed(system="Eft", **usual),
                speed(system="Triton", **usual),
                "1" if kernel == "seeded" else "",
            )
            best = functools.partial(
                report.highest, "G_elements_per_s", kernel=kernel, offset=0, **case
            )
            report.note_ratio(
                f"{kernel}, {dtype}, {n}: Eft's best over Triton's best",
                best(system="Eft"),
                best(system="Triton"),
            )
    for system in ("Eft", "Triton"):
        speed = functools.partial(
            report.find,
            "G_elements_per_s",
            kernel="masked",
            dtype="float16",
            system=system,
            **usual,
        )
        report.note_ratio(
            f"mask, float16: {system}'s speed at 2^{bits}+1 over that at 2^{bits}",
            speed(n=f"2^{bits}+1"),
            speed(n=f"2^{bits}"),
            "0.95" if system == "Eft" else "",
        )


if __name__ == "__main__":
    main()
