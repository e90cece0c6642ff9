# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices on a CPU: Eft beside PyTorch and NumPy, which call oneDNN, MKL or OpenBLAS.

The kernel has the form of Triton's tutorial: strides, remainders in the addresses, and a mask along
k. Eft runs it with several sizes of blocks. All elements and all sums are float32.
"""

from __future__ import annotations

import functools
import sys
import time

from common import arguments, load_kernels, peer, seconds_on_cpu, take_threads

take_threads(sys.argv)

import eft  # noqa: E402
import eft.language as tl  # noqa: E402
import numpy as np  # noqa: E402
from eft import _runtime  # noqa: E402
from report import Report  # noqa: E402

#: The extents of blocks: rows of the result, columns of the result, and elements along k.
BLOCKS = (
    (32, 32, 32),
    (64, 64, 32),
    (64, 64, 64),
    (128, 128, 32),
    (128, 128, 64),
    (256, 256, 32),
    (256, 256, 64),
)
GROUP = 8


class Case:
    """Two `size` × `size` matrices, room for their product, and the systems that compute it."""

    def __init__(self, size: int):
        random = np.random.default_rng(size)
        self.size = size
        self.a, self.b = random.standard_normal((2, size, size), dtype=np.float32)
        self.c = np.empty_like(self.a)
        self.kernel = load_kernels(eft.jit, tl, "products").multiply_strided

    def eft(self, block: tuple[int, int, int]) -> np.ndarray:
        m, n, k = block
        extents, strides = (self.size,) * 3, (self.size, 1) * 3
        self.kernel[(eft.cdiv(self.size, m) * eft.cdiv(self.size, n),)](
            *(self.a, self.b, self.c, *extents, *strides),
            **dict(BLOCK_M=m, BLOCK_N=n, BLOCK_K=k, GROUP=GROUP),
        )
        return self.c

    def systems(self, torch) -> dict:
        found = {
            f"Eft, {' × '.join(map(str, block))}": functools.partial(self.eft, block)
            for block in BLOCKS
        }
        found["NumPy"] = functools.partial(np.matmul, self.a, self.b)
        if torch:
            a, b = torch.from_numpy(self.a), torch.from_numpy(self.b)
            found["PyTorch"] = functools.partial(torch.matmul, a, b)
        return found

    def check(self, torch) -> None:
        """Checks that every system's product is right, up to the rounding of sums of `size`
        numbers."""
        expected = self.a.astype(np.float64) @ self.b.astype(np.float64)
        bound = self.size * np.finfo(np.float32).eps
        for name, run in self.systems(torch).items():
            np.testing.assert_allclose(np.asarray(run()), expected, bound, bound, err_msg=name)


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, help="of all systems; by default all cores")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1024, 2048])
    parser.add_argument(
        "--busy", action="store_true", help="count the process's time, on one thread: others work"
    )
    options = parser.parse_args()
    threads = _runtime.host_threads()
    torch = peer("torch")
    if torch:
        torch.set_num_threads(threads)
    name = f"matmul_cpu_{threads}" if options.threads else "matmul_cpu"
    report = Report(name, f"Products of matrices on a CPU, threads: {threads}", options.out)
    for size in options.sizes:
        measure(report, Case(size), torch, options.busy)
    report.save()


def measure(report: Report, case: Case, torch, busy: bool) -> None:
    case.check(torch)
    clock = time.process_time if busy else time.perf_counter
    found = seconds_on_cpu(case.systems(torch), rounds=5, calls=2, clock=clock)
    for system, seconds in found.items():
        report.add(
            size=case.size,
            system=system,
            milliseconds=seconds * 1e3,
            GFLOP_per_s=2 * case.size**3 / seconds / 1e9,
        )
    best = min(seconds for system, seconds in found.items() if system.startswith("Eft"))
    for system in ("PyTorch", "NumPy"):
        if system in found:
            text = f"{case.size}: Eft's best over {system}"
            report.note_ratio(text, found[system], best, "0.8")


if __name__ == "__main__":
    main()
