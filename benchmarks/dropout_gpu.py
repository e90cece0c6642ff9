# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout on a GPU, by a mask in memory and by a seed, beside Triton, PyTorch and a plain copy.

The bytes per second count each array once, as read or as written. The copy's bytes are counted in
the same way, so the two can be compared. Arrays of fewer than 2^24 elements stay mostly in the
GPU's cache.
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
#: Pairs of a number of elements beyond 2^bits, and of elements between an aligned address and the
#: arrays' begin.
SHIFTS = ((1, 0), (8, 0), (0, 1), (1, 1), (8, 1))
#: The lengths of rows with a seed of their own.
COLUMNS = (128, 1000, 8192, 65536)
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

    def rows(self, columns: int, elements: int, dtype) -> None:
        """Measures dropout with a seed for each row. The blocks are not longer than a row needs."""
        rows = elements // columns
        case = Case(self.torch, rows * columns, dtype)
        seeds = self.torch.randint(0, 2**31 - 1, (rows,), device="cuda", dtype=self.torch.int32)
        longest = eft.next_power_of_2(columns)
        blocks = sorted({min(block, longest) for block in (512, 1024, 2048, 4096)})

        def run(kernels, configuration):
            block, warps = configuration
            grid, sizes = (rows, eft.cdiv(columns, block)), {"BLOCK": block, "num_warps": warps}
            kernels.seeded_rows[grid](case.x, seeds, case.output, columns, P, **sizes)

        kernel = f"seeded rows of {columns}"
        self.compare(case, kernel, lambda kernels: run(kernels, (blocks[0], 1)))
        for system, kernels in self.systems.items():
            pairs = [(b, w) for b, w in itertools.product(blocks, (1, 2, 4, 8)) if b >= 32 * w]
            times = self.times(functools.partial(run, kernels), pairs)
            (block, warps), seconds = min(times.items(), key=lambda item: item[1])
            self.add(case, kernel, system, f"best: {block}, {warps} warps", seconds)

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
            run = functools.partial(case.run, kernel=kernel, configuration=CONFIGURATIONS[0])
            self.compare(case, kernel, run)

    def compare(self, case: Case, about: str, run) -> None:
        """Compares the outputs of `run(kernels)` for all systems."""
        results = []
        for kernels in self.systems.values():
            case.output.fill_(float("nan"))
            run(kernels)
            results.append(case.output.clone())
        for result in results:
            assert self.torch.equal(results[0] == 0, result == 0), about
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
    benchmark = Benchmark(report, torch, "dropout")
    for dtype, (more, offset) in itertools.product((torch.float32, torch.float16), SHIFTS):
        benchmark.check(Case(torch, 2**20 + more, dtype, offset))

    for dtype in (torch.float32, torch.float16):
        case = Case(torch, 2**options.bits, dtype)
        benchmark.limits(case)
        for kernel in KERNELS:
            benchmark.usual(case, kernel)
            if not options.quick:
                benchmark.best(case, kernel)
        del case
        for (more, offset), kernel in itertools.product(SHIFTS, KERNELS):
            benchmark.usual(Case(torch, 2**options.bits + more, dtype, offset), kernel)
        for columns in () if options.quick else COLUMNS:
            benchmark.rows(columns, 2**options.bits, dtype)
    for dtype in () if options.quick else (torch.float32, torch.float16, torch.bfloat16):
        for bits in range(20, options.bits, 2):
            benchmark.best(Case(torch, 2**bits, dtype), "masked")
    note(report, _power(2**options.bits))
    report.save()


def note(report: Report, n: str) -> None:
    """Adds notes: Eft's bandwidth relative to the copy's, Eft's speed relative to Triton's, and the
    speed of each of the two systems with shifted arrays relative to its speed without a shift."""
    usual = {"configuration": "1024, 4 warps"}
    for dtype in ("float32", "float16"):
        case = {"dtype": dtype, "n": n, "offset": 0}
        report.note_ratio(
            f"mask, {dtype}, {n}: Eft's bandwidth over the copy's",
            report.find("GB_per_s", kernel="masked", system="Eft", **usual, **case),
            report.find("GB_per_s", kernel="copy", **case),
            "0.95" if dtype == "float32" else "",
        )
        for kernel in KERNELS:
            speed = functools.partial(report.find, "G_elements_per_s", kernel=kernel, **usual)
            plain = {system: speed(system=system, **case) for system in ("Eft", "Triton")}
            report.note_ratio(
                f"{kernel}, {dtype}, {n}: Eft's speed over Triton's, both at 1024, 4 warps",
                plain["Eft"],
                plain["Triton"],
                "1" if kernel == "seeded" else "",
            )
            for (more, offset), system in itertools.product(SHIFTS, plain):
                shifted = {"dtype": dtype, "n": f"{n}+{more}" if more else n, "offset": offset}
                report.note_ratio(
                    f"{kernel}, {dtype}, {shifted['n']}, off by {offset}: {system}'s speed over "
                    "that with aligned arrays",
                    speed(system=system, **shifted),
                    plain[system],
                    "0.95" if system == "Eft" else "",
                )
    goals = {"seeded": "1.24", "masked": "1", **{f"seeded rows of {c}": "1.15" for c in COLUMNS}}
    keys = ("kernel", "dtype", "n")
    bests = {tuple(row[key] for key in keys) for row in report.rows if _is_best(row)}
    for values in sorted(bests):
        case = dict(zip(keys, values, strict=True))
        best = functools.partial(report.highest, "G_elements_per_s", offset=0, **case)
        report.note_ratio(
            f"{', '.join(values)}: Eft's best over Triton's best",
            best(system="Eft"),
            best(system="Triton"),
            goals.get(case["kernel"], ""),
        )


def _is_best(row: dict) -> bool:
    return row["configuration"].startswith("best")


if __name__ == "__main__":
    main()
