# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout on a CPU: Eft beside NumPy, Numba, PyTorch, hand-written intrinsics and a plain copy.

For dropout by a seed, NumPy runs one expression that draws NumPy's random numbers, and PyTorch runs
its function `dropout`. Numba, and C++ with intrinsics (dropout_intrinsics.cpp), run a parallel loop
that calls Philox4x32-10 once for each element, with the same seed and counters as Eft.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import arguments, load_kernels, peer, seconds_on_cpu, take_threads

take_threads(sys.argv)

import eft  # noqa: E402
import eft.language  # noqa: E402
import numpy as np  # noqa: E402
from eft import _runtime  # noqa: E402
from report import Report  # noqa: E402

P = 0.5
SEED = 123


class Arrays:
    def __init__(self, n: int):
        random = np.random.default_rng(1)
        self.n = n
        self.x = random.standard_normal(n, dtype=np.float32)
        self.keep = (random.random(n, dtype=np.float32) > P).astype(np.int32)
        self.output = np.zeros_like(self.x)

    def bytes(self, kernel: str) -> int:
        return self.n * (12 if kernel == "masked" else 8)


def eft_systems(arrays: Arrays, block: int) -> dict:
    kernels = load_kernels(eft.jit, eft.language, "dropout")
    x, keep, output, n = arrays.x, arrays.keep, arrays.output, arrays.n
    grid = (eft.cdiv(n, block),)
    grid_by_four = (eft.cdiv(n, 4 * block),)
    return {
        ("masked", "Eft"): lambda: kernels.masked[grid](x, keep, output, n, P, BLOCK=block),
        ("seeded", "Eft"): lambda: kernels.seeded[grid](x, output, n, P, SEED, BLOCK=block),
        ("seeded_by_four", "Eft"): lambda: kernels.seeded_by_four[grid_by_four](
            x, output, n, P, SEED, BLOCK=block
        ),
    }


def numpy_systems(arrays: Arrays) -> dict:
    x, keep, output, n = arrays.x, arrays.keep, arrays.output, arrays.n
    random = np.random.default_rng(SEED)
    return {
        ("copy", "NumPy, 1 thread"): lambda: np.copyto(output, x),
        ("masked", "NumPy"): lambda: np.where(keep, x / (1 - P), 0),
        ("seeded", "NumPy"): lambda: np.where(
            random.random(n, dtype=np.float32) > P, x / (1 - P), 0
        ),
    }


def torch_systems(torch, arrays: Arrays) -> dict:
    x, keep, output = map(torch.from_numpy, (arrays.x, arrays.keep, arrays.output))
    return {
        ("copy", "PyTorch"): lambda: output.copy_(x),
        ("masked", "PyTorch"): lambda: torch.where(keep != 0, x / (1 - P), 0),
        ("seeded", "PyTorch"): lambda: torch.nn.functional.dropout(x, P),
    }


def numba_systems(numba, arrays: Arrays) -> dict:
    x, keep, output = arrays.x, arrays.keep, arrays.output
    masked, seeded = numba_kernels(numba)
    p = np.float32(P)
    return {
        ("masked", "Numba"): lambda: masked(x, keep, output, p),
        ("seeded", "Numba"): lambda: seeded(x, output, p, np.uint64(SEED)),
    }


def numba_kernels(numba):
    """Compiles the loops for a mask and for a seed. Each 32-bit word of Philox is a 64-bit integer,
    because Numba vectorises only this form."""
    low, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    factor0, factor1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
    step0, step1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
    scale = np.float32(4.6566127342e-10)

    @numba.njit(inline="always")
    def random(seed, offset):
        c0, c1, c2, c3 = offset & low, offset >> shift, np.uint64(0), np.uint64(0)
        k0, k1 = seed & low, seed >> shift
        for _ in range(10):
            product0, product1 = factor0 * c0, factor1 * c2
            c0 = (product1 >> shift) ^ c1 ^ k0
            c1 = product1 & low
            c2 = (product0 >> shift) ^ c3 ^ k1
            c3 = product0 & low
            k0, k1 = (k0 + step0) & low, (k1 + step1) & low
        word = np.int32(c0)
        return np.float32(word ^ (word >> np.int32(31))) * scale

    @numba.njit(parallel=True)
    def seeded(x, output, p, seed):
        for i in numba.prange(x.size):
            keep = random(seed, np.uint64(i)) > p
            output[i] = x[i] / (np.float32(1) - p) if keep else np.float32(0)

    @numba.njit(parallel=True)
    def masked(x, keep, output, p):
        for i in numba.prange(x.size):
            output[i] = x[i] / (np.float32(1) - p) if keep[i] != 0 else np.float32(0)

    return masked, seeded


def intrinsics():
    """Compiles and loads dropout_intrinsics.cpp. Returns None if there is no C++ compiler, or if
    the processor has no AVX2."""
    compiler = shutil.which("c++") or shutil.which("clang++-19")
    if compiler is None:
        print("without intrinsics: there is no C++ compiler", file=sys.stderr)
        return None
    source = Path(__file__).with_name("dropout_intrinsics.cpp")
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "intrinsics.so"
        options = ("-std=c++20", "-O3", "-shared", "-fPIC", "-pthread")
        subprocess.run([compiler, *options, source, "-o", made], check=True)
        library = ctypes.CDLL(str(made))
    pointer, size, word = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint64
    numbers = (size, ctypes.c_float, word, ctypes.c_int, ctypes.c_int)
    library.dropout_seeded.argtypes = (pointer, pointer, *numbers)
    library.dropout_seeded.restype = None
    return library if library.dropout_forms() else None


def intrinsics_systems(library, arrays: Arrays, threads: int) -> dict:
    def run(form: int) -> None:
        pointers = arrays.x.ctypes.data, arrays.output.ctypes.data
        library.dropout_seeded(*pointers, arrays.n, P, SEED, threads, form)

    return {
        ("seeded", f"intrinsics, form {form}"): lambda form=form: run(form)
        for form in range(library.dropout_forms())
    }


def check(systems: dict, arrays: Arrays) -> None:
    """Checks Eft, Numba and the intrinsics. With a mask, Eft and Numba must give NumPy's result.
    With a seed, all three draw the same numbers, and must give the same bits."""
    expected = np.where(arrays.keep, arrays.x / np.float32(1 - P), np.float32(0))
    results = []
    for (kernel, system), run in systems.items():
        if system.startswith(("NumPy", "PyTorch")) or kernel == "seeded_by_four":
            continue
        arrays.output.fill(np.nan)
        run()
        if kernel == "masked":
            np.testing.assert_array_equal(arrays.output, expected, f"masked, {system}")
        else:
            results.append(arrays.output.copy())
    for result in results:
        np.testing.assert_array_equal(result, results[0], "seeded")


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--bits", type=int, default=24, help="log2 of the number of elements")
    parser.add_argument("--block", type=int, default=1024, help="elements of a program of Eft's")
    parser.add_argument("--threads", type=int, help="of all systems; by default all cores")
    parser.add_argument(
        "--busy", action="store_true", help="count the process's time, on one thread: others work"
    )
    options = parser.parse_args()
    clock = time.process_time if options.busy else time.perf_counter
    arrays = Arrays(2**options.bits)
    threads = _runtime.host_threads()
    name, about = "dropout_cpu", f"Dropout on a CPU, 2^{options.bits} float32"
    if options.threads:
        name, about = f"dropout_cpu_{threads}", f"{about}, threads: {threads}"
    report = Report(name, about, options.out)
    systems = {**eft_systems(arrays, options.block), **numpy_systems(arrays)}
    torch, numba = peer("torch"), peer("numba")
    library = intrinsics()
    if library:
        systems.update(intrinsics_systems(library, arrays, threads))
    if torch:
        torch.set_num_threads(threads)
        systems.update(torch_systems(torch, arrays))
    if numba:
        systems.update(numba_systems(numba, arrays))
    check(systems, arrays)

    for (kernel, system), seconds in sorted(seconds_on_cpu(systems, clock=clock).items()):
        report.add(
            kernel=kernel,
            system=system,
            milliseconds=seconds * 1e3,
            GB_per_s=arrays.bytes(kernel) / seconds / 1e9,
            G_elements_per_s=arrays.n / seconds / 1e9,
        )
    note(report, threads)
    report.save()


def note(report: Report, threads: int) -> None:
    def speed(kernel: str, system: str):
        return report.find("G_elements_per_s", kernel=kernel, system=system)

    report.notes.append(f"Eft's threads: {threads}")
    eft_seeded = speed("seeded", "Eft")
    for system, goal in (("NumPy", "10"), ("Numba", "1.15")):
        peers = speed("seeded", system)
        report.note_ratio(f"seeded: Eft's speed over {system}'s", eft_seeded, peers, goal)
    by_hand = [
        row["G_elements_per_s"]
        for row in report.matching(kernel="seeded")
        if row["system"].startswith("intrinsics")
    ]
    fastest = max(by_hand, default=None)
    report.note_ratio("seeded: Eft's speed over that of intrinsics", eft_seeded, fastest, "0.9")
    copy = report.highest("GB_per_s", kernel="copy")
    for kernel, goal in (("masked", "0.95"), ("seeded_by_four", "0.9")):
        found = report.find("GB_per_s", kernel=kernel, system="Eft")
        report.note_ratio(f"{kernel}: Eft's bandwidth over the best copy's", found, copy, goal)


if __name__ == "__main__":
    main()
